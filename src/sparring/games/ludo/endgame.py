"""Numbers for positions of two players with at most two unfinished tokens each, and their exact chances.

Tokens in goal take no part any more. So a game of two tokens, a game of one, and the end of a game of three or four are
the same game of two pairs of tokens, and one table holds them all. `sparring.games.ludo.solver` makes the table;
`win_chance` reads it.
"""

from typing import Any

import numpy as np

from sparring.core.kernel import kernel, number_at
from sparring.games.ludo.rules import mover, over, score
from sparring.games.ludo.state import GOAL

TILES_OF = np.array([(rear, front) for front in range(GOAL + 1) for rear in range(front + 1)])
"""The two tiles of each pair of tokens, the rear token first."""
PAIRS = len(TILES_OF)
DONE = PAIRS - 1  # the pair with both tokens in goal
PAIR_OF = np.zeros((GOAL + 1, GOAL + 1), np.int64)
PAIR_OF[TILES_OF[:, 0], TILES_OF[:, 1]] = PAIR_OF[TILES_OF[:, 1], TILES_OF[:, 0]] = np.arange(PAIRS)
UNKNOWN = -1


@kernel
def pair_of(s: Any, player: int) -> int:
    """Return the number of a player's pair of unfinished tokens, or UNKNOWN if there are more than two."""
    one, other, left = GOAL, GOAL, 0
    for token in range(s.tokens):
        tile = s.at[player, token]
        if tile != GOAL:
            one, other = other, tile
            left += 1
    return PAIR_OF[one, other] if left <= 2 else UNKNOWN


@kernel
def win_chance(s: Any, me: int, table: int) -> float:
    """Return the chance of a player to win with best play; UNKNOWN if somebody has more than two tokens to go. The
    state is before a roll, or finished. `table` is `table_address(endgame(game))`."""
    if over(s):
        return score(s, me)
    roller = mover(s)
    own, other = pair_of(s, roller), pair_of(s, 1 - roller)
    if own == UNKNOWN or other == UNKNOWN:
        return float(UNKNOWN)
    chance = number_at(table, own * PAIRS + other)
    return chance if roller == me else 1.0 - chance
