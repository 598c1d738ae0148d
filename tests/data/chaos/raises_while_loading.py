WEIGHTS = {}
print("reading the weights")
BEST = WEIGHTS["best"]
