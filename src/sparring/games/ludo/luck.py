"""Luck apart from skill in a game of Ludo: what the rolls and what the choices did to everybody's chance to win.

A roll is worth what it changes if the mover makes the best of it; a choice is worth what it falls short of that. So for
each player its luck, its own choices and those of others add up to the way from its first chance to its result.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sparring.core.errors import SparringError
from sparring.core.kernel import address_of, entry, heuristic_signature
from sparring.games.capabilities import LuckAndSkill
from sparring.games.contract import Action, Position
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.heuristics import td_net
from sparring.games.ludo.solver.table import endgame, refuse_larger, table_name
from sparring.games.ludo.state import State
from sparring.games.ludo.value import ENDGAME, strong_value

EXACT, LEARNED = "exact chances", "learned chances"


Chance = Callable[[Any, int], float]
"""Of a player to win, in a state in which nobody has rolled yet."""


@lru_cache(maxsize=16)
def chances(game: Ludo) -> tuple[str, Chance]:
    """Exact ones where the whole game is solved, else those that were learned; and which."""
    weights, by = td_net.weigh(), LEARNED
    try:
        refuse_larger(game)
        table_name(game)
    except SparringError:
        pass
    else:
        weights.tables[ENDGAME], by = address_of(endgame(game)), EXACT
    score = entry(strong_value, heuristic_signature(State))
    return by, lambda state, player: float(score(state, player, weights))


def luck(positions: Sequence[Position], actions: Sequence[Action]) -> LuckAndSkill:
    """Of a game or its beginning: its positions, and the action in each but the last."""
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
    """The state after the move that is best for who makes it; the state itself when the game is over."""
    after = [game.after_move(position.state, action) for action in position.legal] if not position.over else []
    return max(after, key=lambda state: chance(state, position.mover), default=position.state)
