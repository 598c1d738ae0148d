"""What is assumed where nothing is said, known to the library and to the command line alike."""

SEED = 1
GAMES = 200
GRADED_GAMES = 100
NODES = 10_000
MINIMAX_DEPTH = 3
EXPLOITED_GAMES = 40
TUNED_GAMES = 10_000
ABLATED_GAMES = 1000
TRIES = 20
LOSSES = 20
