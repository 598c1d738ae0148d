"""A heuristic that the compiler will not have."""

from sparring import heuristic


@heuristic("isolation")
def written_out(s, me):
    return float(sum(int(digit) for digit in str(int(s.blocked) * (1 + me))))
