"""Default settings of the library and of the command line."""

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

LIMITS: dict[str, tuple[int, float]] = {
    "seed": (0, 10**12),
    "workers": (1, 256),
    "plies": (1, 2),
    "trial_games": (0, 1e15),
}
"""The smallest and the largest value of settings that are whole numbers; others are 1 or more."""
