"""The agent that plays by a table of Q-values."""

from typing import Any

from sparring.agents.spec import Spec, only_options
from sparring.core.bits import count
from sparring.core.dice import any_bit
from sparring.core.errors import SparringError
from sparring.core.kernel import Weights, address_of, record
from sparring.games.contract import Game
from sparring.games.ludo.agents.scorers import MoveScorer
from sparring.games.ludo.features import observe, place_of, row_of
from sparring.games.ludo.qtable import Excerpt, on_shelf, place_of_row, value_at
from sparring.games.ludo.rules import movable
from sparring.games.ludo.state import State
from sparring.search.choice import silent
from sparring.search.tree import Automaton, Manner, bound, note


def best_by_table(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """The moves in shuffled order; the first of the best by the table at the address that the weights hold."""
    kind, fixes, pages, rows = int(weights.of[0]), int(weights.of[1]), int(weights.of[2]), int(weights.of[3])
    numbers = weights.tables[0]
    moves = movable(states[0])
    walk.nodes = count(moves)
    sight = observe(states, kind, fixes)
    known = place_of_row(numbers, pages, row_of(sight, kind, fixes))
    while moves:
        token = any_bit(moves, dice)
        moves &= ~(1 << token)
        value = value_at(numbers, pages, rows, known, place_of(sight, token, fixes))
        note(walk, token, token, value)
    walk.completed = 1
    walk.finished = 1


class Tabular(MoveScorer):
    """The best move by a table that was learned: tabular:combined, or tabular:FILE.npz made by `spar learn`."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (), name=True)
        name = spec.name.partition(":")[2]
        if not name:
            raise SparringError(f"tabular needs a table: tabular:FILE.npz, or one of {', '.join(on_shelf())}")
        self.table = table = Excerpt.named(name)
        if table.tokens != (tokens := int(game.options()["tokens"])):
            raise SparringError(
                f"the table {name} was learned with {table.tokens} tokens a player; "
                f"learn another one: spar learn ludo --tokens {tokens} --out FILE.npz"
            )
        numbers, weights, seen = table.numbers(), record(Weights), table.abstraction
        weights.of[:4] = seen.kind, seen.mask, table.pages, len(table.rows)
        weights.tables[0] = address_of(numbers)
        step = bound(best_by_table, game, Manner("", {"SHUFFLED": 1}))
        super().__init__(game, spec, {}, Automaton(step, silent(State), weights, 1, 1, numbers))

    def notes(self, state: Any) -> dict[str, Any]:
        """What the agent sees of the position, and how often it has been there."""
        abstraction = self.table.abstraction
        seen = abstraction.encode(state)
        visits = self.table.visits_of(abstraction.row(state))
        return {"sees": abstraction.meaning(seen), "tuple": seen, "visits": f"{visits:,}" if visits else "never"}
