"""Luck and skill in a game of Ludo: how rolls and choices changed each player's chance to win.

The worth of a roll is the change of the chance if the mover then makes its best move. The worth of a choice is its
distance to that best move. So for each player luck, own choices and choices of others add up to the difference between
its first chance and its result.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sparring.core.kernel import entry, heuristic_signature, table_address
from sparring.games.capabilities import LuckAndSkill
from sparring.games.contract import Action, Position
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.heuristics import td_net
from sparring.games.ludo.solver.table import endgame, is_solved
from sparring.games.ludo.state import State
from sparring.games.ludo.value import ENDGAME, strong_value

Chance = Callable[[Any, int], float]  # the chance of a player to win in a state before the roll


@lru_cache(maxsize=16)
def chances(game: Ludo) -> tuple[str, Chance]:
    """Return which chances are known, and a function for them: exact if the whole game is solved, else learned."""
    weights, solved = td_net.weigh(), is_solved(game)
    if solved:
        weights.tables[ENDGAME] = table_address(endgame(game))
    score = entry(strong_value, heuristic_signature(State))
    return "exact chances" if solved else "learned chances", lambda state, player: float(score(state, player, weights))


def luck(positions: Sequence[Position], actions: Sequence[Action]) -> LuckAndSkill:
    """Measure a game or its beginning: its positions, and the action in each but the last."""
    game: Any = positions[0].game
    by, chance = chances(game)
    luck, skill, others = np.zeros((3, game.seats))
    before: Any = None

    def worth(state: Any) -> Any:
        return np.array([chance(state, player) for player in range(game.seats)])

    for place, position in enumerate(positions):
        moves = [] if position.over else position.legal
        after = {action: game.after_move(position.state, action) for action in moves}
        best = worth(max(after.values(), key=lambda state: chance(state, position.mover), default=position.state))
        if before is not None:
            luck += best - before
        if place < len(actions):
            before = worth(after[actions[place]])
            own = np.arange(game.seats) == position.mover
            skill += np.where(own, before - best, 0)
            others += np.where(own, 0, before - best)
    return LuckAndSkill(by, tuple(luck.tolist()), tuple(skill.tolist()), tuple(others.tolist()))
