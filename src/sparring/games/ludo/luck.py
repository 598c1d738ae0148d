"""Luck and skill in a game of Ludo: how rolls and choices changed each player's chance to win.

The worth of a roll is the change of the chance if the mover then makes its best move. The worth of a choice is its
distance to that best move. So for each player luck, own choices and choices of others add up to the difference between
its first chance and its result.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sparring.core.errors import SparringError
from sparring.core.kernel import entry, heuristic_signature, table_address
from sparring.games.capabilities import LuckAndSkill
from sparring.games.contract import Action, Position
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.heuristics import td_net
from sparring.games.ludo.solver.table import check_solvable_size, endgame, table_name
from sparring.games.ludo.state import State
from sparring.games.ludo.value import ENDGAME, strong_value

EXACT, LEARNED = "exact chances", "learned chances"
Chance = Callable[[Any, int], float]
"""The chance of a player to win in a state before the roll."""


@lru_cache(maxsize=16)
def chances(game: Ludo) -> tuple[str, Chance]:
    """Return which chances are known, and a function for them: exact if the whole game is solved, else learned."""
    weights, by = td_net.weigh(), LEARNED
    try:
        check_solvable_size(game)
        table_name(game)
    except SparringError:
        pass
    else:
        weights.tables[ENDGAME], by = table_address(endgame(game)), EXACT
    score = entry(strong_value, heuristic_signature(State))
    return by, lambda state, player: float(score(state, player, weights))


def luck(positions: Sequence[Position], actions: Sequence[Action]) -> LuckAndSkill:
    """Measure a game or its beginning: its positions, and the action in each but the last."""
    game: Any = positions[0].game
    by, chance = chances(game)
    seats = range(game.seats)
    found = {kind: [0.0] * game.seats for kind in ("luck", "skill", "others")}

    def worth(state: Any) -> list[float]:
        return [chance(state, player) for player in seats]

    before: list[float] | None = None
    for place, position in enumerate(positions):
        best = worth(_best(game, chance, position))
        if before:
            found["luck"] = [sum_ + now - then for sum_, now, then in zip(found["luck"], best, before, strict=True)]
        if place == len(actions):
            break
        before = worth(game.after_move(position.state, actions[place]))
        for player in seats:
            kind = "skill" if player == position.mover else "others"
            found[kind][player] += before[player] - best[player]
    return LuckAndSkill(by, tuple(found["luck"]), tuple(found["skill"]), tuple(found["others"]))


def _best(game: Any, chance: Chance, position: Position) -> Any:
    """Return the state after the mover's best move, or the state itself when the game is over."""
    after = [game.after_move(position.state, action) for action in position.legal] if not position.over else []
    return max(after, key=lambda state: chance(state, position.mover), default=position.state)
