"""A game with more actions than bits in a word, and a state of kilobytes.

Two players take turns to claim one of 150 cells, each with a value. After three claims each the larger sum wins.
"""

from typing import Any

import numpy as np

from sparring.core.dice import dice, throw
from sparring.core.kernel import kernel, record
from sparring.core.terms import heuristic
from sparring.games.contract import Action, Kind
from toy_games import Written

CELLS, CLAIMS = 150, 6
State = np.dtype(
    [("values", np.int64, (CELLS,)), ("owner", np.int64, (CELLS,)), ("sums", np.int64, (2,)), ("claims", np.int64)],
    align=True,
)


@kernel
def actors(s):
    return 0 if s.claims == CLAIMS else 1 << (s.claims & 1)


@kernel
def actions(s, player, found):
    count = 0
    for cell in range(CELLS):
        if s.owner[cell] == 0:
            found[count] = cell
            count += 1
    return count


@kernel
def apply(s, joint):
    player = s.claims & 1
    cell = joint.of[player]
    s.owner[cell] = 1 + player
    s.sums[player] += s.values[cell]
    s.claims += 1


@kernel
def reward(s, player):
    lead = s.sums[player] - s.sums[1 - player]
    return 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0


@heuristic("claims")
def lead(s, me):
    """The own sum less the other's."""
    return s.sums[me] - s.sums[1 - me]


class Claims(Written):
    name = "claims"
    version = 1
    kind = Kind(simultaneous=False, chance=False, players=(2, 2))
    state = State
    fixed_names = True
    written = {"actors": actors, "actions": actions, "apply": apply, "reward": reward, "WIDEST": CELLS}

    def new(self, seed: int) -> Any:
        s, drawn = record(State), dice(seed, "values")
        s.values[:] = [1 + throw(drawn, 1000) for _ in range(CELLS)]
        return s

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return f"c{action}"
