"""What is assumed where nothing is said, known to the library and to the command line alike."""

SEED = 1
GAMES = 200
GRADED_GAMES = 100
NODES = 10_000
MINIMAX_DEPTH = 3
EXPLOITED_GAMES = 40
TRIES = 20
LOSSES = 20
