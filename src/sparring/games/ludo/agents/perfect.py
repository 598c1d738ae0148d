"""The agent that knows."""

from dataclasses import replace
from typing import Any

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.scorers import MoveScorer
from sparring.agents.spec import Spec, only_options
from sparring.core.kernel import address_of, kernel
from sparring.games.contract import Game
from sparring.games.ludo.agents.scorers import weights_of
from sparring.games.ludo.endgame import win_chance
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.rules import mover
from sparring.games.ludo.solver.table import endgame, refuse_larger
from sparring.games.ludo.state import State
from sparring.search.choice import best_by, silent
from sparring.search.tree import Automaton


@kernel
def by_chance(s: Any, after: Any, token: int, heuristic: Any, weights: Any) -> Any:
    return weights.of[0] * win_chance(after, mover(s), weights.tables[0])


class Perfect(MoveScorer):
    """The move with the best exact chance to win, in games of two with one or two tokens; its scores are per cent."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ())
        assert isinstance(game, Ludo)
        refuse_larger(game)
        points = {"wins": 100.0}
        weights = weights_of(points)
        weights.tables[0] = address_of(endgame(game))
        super().__init__(game, spec, points, Automaton(best_by(game, by_chance), silent(State), weights, 1, 1))

    def explain(self, view: View) -> Decision:
        decision = self.decide(view)
        told = tuple(replace(c, note=f"wins {c.score:.2f} % of the games") for c in decision.candidates)
        return replace(decision, candidates=told)
