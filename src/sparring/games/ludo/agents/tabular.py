"""The agent that plays by a table of Q-values."""

import time
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, Judged
from sparring.agents.spec import Spec, only_options
from sparring.bits import count
from sparring.errors import SparringError
from sparring.games.contract import Game
from sparring.games.ludo.features import observe, place_of, row_of
from sparring.games.ludo.qtable import Excerpt, on_shelf, place_of_row, value_at
from sparring.games.ludo.rules import legal
from sparring.games.ludo.state import State
from sparring.kernel import Weights, address_of, bind, record, workspace
from sparring.search.choice import silent
from sparring.search.tree import Automaton, Frame, Walk, note, shuffled, step_signature

_STEP: list[Any] = []


def best_by_table(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """The moves in shuffled order; the first of the best by the table at the address that the weights hold."""
    kind, fixes, pages, rows = int(weights.of[0]), int(weights.of[1]), int(weights.of[2]), int(weights.of[3])
    numbers = weights.tables[0]
    moves = legal(states[0])
    walk.nodes = count(moves)
    sight = observe(states, kind, fixes)
    known = place_of_row(numbers, pages, row_of(sight, kind, fixes))
    while moves:
        token = shuffled(moves, dice)
        moves &= ~(1 << token)
        value = value_at(numbers, pages, rows, known, place_of(sight, token))
        note(walk, token, value)
    walk.completed = 1
    walk.finished = 1


class Tabular(Agent):
    """The best move by a table that was learned: tabular:combined, or tabular:FILE.npz made by `spar learn`."""

    draws = True
    is_on_policy = False
    needs_replay_learning = False

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (), name=True)
        self.spec = spec.text
        self.game: Any = game
        name = spec.name.partition(":")[2]
        if not name:
            raise SparringError(f"tabular needs a table: tabular:FILE.npz, or one of {', '.join(on_shelf())}")
        self.table = Excerpt.named(name)
        if self.table.tokens != (tokens := self.game.config.tokens):
            raise SparringError(
                f"the table {name} was learned with {self.table.tokens} tokens a player; "
                f"learn another one: spar learn ludo --tokens {tokens} --out FILE.npz"
            )
        numbers = self.table.numbers()
        self.weights = record(Weights)
        seen = self.table.abstraction
        self.weights.of[:4] = seen.kind, seen.mask, self.table.pages, len(self.table.rows)
        self.weights.tables[0] = address_of(numbers)
        self._automaton = Automaton(_step(), silent(State), self.weights, 1, 1, numbers)

    def automaton(self, game: Game) -> Automaton:
        return self._automaton

    def decide(self, view: View) -> Decision:
        """One compiled call, and what the table was asked."""
        started = time.perf_counter()
        walk, states = workspace(Walk, 1)[0], workspace(State, 2)
        states[0] = view.state
        self._automaton.step(walk, states, workspace(Frame, 1), self._automaton.score, self.weights, view.dice, 1)
        scores = walk["scores"].tolist()
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=int(walk["line"][0]),
            candidates=tuple(Judged(token, scores[token]) for token in view.legal),
            depth=1,
            nodes=int(walk["nodes"]),
            seconds=time.perf_counter() - started,
        )

    def explain(self, view: View) -> Decision:
        """With what the agent sees of the position, and how often it has been there."""
        decision = self.decide(view)
        abstraction = self.table.abstraction
        seen = abstraction.encode(view.state)
        visits = self.table.visits_of(abstraction.row(view.state))
        notes = {"sees": abstraction.meaning(seen), "tuple": seen, "visits": f"{visits:,}" if visits else "never"}
        return replace(decision, notes=notes)


def _step() -> Any:
    if not _STEP:
        _STEP.append(bind(best_by_table, {}, "best_by_table_ludo", step_signature(State)))
    return _STEP[0]
