"""Agents that play by a heuristic. Those of Ludo are asked about finished games too: a goal is a step like others."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sparring.agents import scorers
from sparring.agents.scorers import MoveScorer
from sparring.agents.spec import Spec, heuristic_of, only_options, up_to
from sparring.core.errors import unknown
from sparring.core.terms import Heuristic
from sparring.games.contract import Game
from sparring.games.ludo.agents.scorers import Furthest, Rearmost, RuleBased, SemiSmart
from sparring.games.ludo.heuristics import cautious
from sparring.search.choice import as_judged
from sparring.search.expectimax import looking_ahead, rollouts
from sparring.search.tree import NO_LIMIT


def one_ply(game: Game, spec: Spec, heuristic: Heuristic | None = None) -> MoveScorer:
    """The best position after the move by the heuristic cautious, or another: one_ply:progress."""
    return scorers.OnePly(game, spec, heuristic or heuristic_of(game, spec, cautious.name), as_judged)


def expectimax(game: Game, spec: Spec) -> MoveScorer:
    """The best on average over all that the die may show: expectimax:td_net,depth=2, or samples=50."""
    return scorers.Expectimax(game, spec, heuristic_of(game, spec, cautious.name), as_judged)


QUICK: Mapping[str, Callable[[Game, Spec], MoveScorer]] = {
    "furthest": Furthest,
    "rearmost": Rearmost,
    "rulebased": RuleBased,
    "semi_smart": SemiSmart,
    "one_ply": one_ply,
}
"""Agents that games can be played to their end by."""


class Rollouts(MoveScorer):
    """Plays games to their end after every move, a quick agent in all seats: rollouts:one_ply,games=100."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("games",), weights=True, name=True)
        name = spec.name.partition(":")[2] or "one_ply"
        head = name.partition(":")[0]
        if head not in QUICK:
            raise unknown("agent for roll-outs", head, QUICK)
        quick = QUICK[head](game, replace(spec, name=name, options={}))
        self.compiled, self.tunable = quick.compiled, quick.tunable
        step = looking_ahead(rollouts, game, as_judged, quick.policy, to_the_end=True)
        games = up_to(100_000, spec, "games", 100)
        super().__init__(game, spec, {}, quick.player._replace(step=step, most_nodes=games, most_plies=NO_LIMIT))

    def notes(self, state: Any) -> dict[str, Any]:
        return {"games a move": self.player.most_nodes}
