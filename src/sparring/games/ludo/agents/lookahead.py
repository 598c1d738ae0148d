"""Agents that look further than the next move."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sparring.agents.spec import Spec, only_options, up_to
from sparring.core.errors import unknown
from sparring.games.contract import Game
from sparring.games.ludo.agents.scorers import Furthest, MoveScorer, OnePly, Rearmost, RuleBased, SemiSmart, Valuing
from sparring.search.expectimax import expectimax, looking_ahead, rollouts
from sparring.search.tree import NO_LIMIT

QUICK: Mapping[str, Callable[[Game, Spec], MoveScorer]] = {
    "furthest": Furthest,
    "rearmost": Rearmost,
    "rulebased": RuleBased,
    "semi_smart": SemiSmart,
    "one_ply": OnePly,
}
"""Agents that games can be played to their end by."""


class Expectimax(Valuing):
    """The best on average over all that the die may show: expectimax:td_net,depth=2, or samples=50."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("depth", "samples"), weights=True, name=True)
        depth, samples = up_to(6, spec, "depth", 2), up_to(100_000, spec, "samples", 0)
        step = looking_ahead(rollouts if samples else expectimax, game)
        super().__init__(game, spec, None, step, samples, depth)


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
        step = looking_ahead(rollouts, game, quick.policy, to_the_end=True)
        games = up_to(100_000, spec, "games", 100)
        super().__init__(game, spec, {}, quick.player._replace(step=step, most_nodes=games, most_plies=NO_LIMIT))

    def notes(self, state: Any) -> dict[str, Any]:
        return {"games a move": self.player.most_nodes}
