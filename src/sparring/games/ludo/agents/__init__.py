"""Ludo's own agents. Only agents/spec.py loads this folder. Ludo's heuristics also score finished games."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, MoveScoringAgent, View
from sparring.agents.decision import Decision
from sparring.agents.scorers import ExpectimaxAgent, OnePlyAgent
from sparring.agents.spec import Spec, heuristic_of, only_options, up_to
from sparring.core.errors import unknown
from sparring.core.kernel import Weights, entry, heuristic_signature, kernel, record, table_address
from sparring.core.terms import Heuristic
from sparring.games.contract import Game
from sparring.games.ludo.agents.scorers import Furthest, Rearmost, RuleBased, SemiSmart
from sparring.games.ludo.endgame import win_chance
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.heuristics import cautious, td_net
from sparring.games.ludo.rules import mover
from sparring.games.ludo.solver.table import check_solvable_size, endgame, has_table, is_solved
from sparring.games.ludo.state import State
from sparring.games.ludo.value import ENDGAME, strong_value
from sparring.search import expectimax as search
from sparring.search.choice import best_move_by, heuristic_only, silent
from sparring.search.tree import NO_LIMIT, CompiledPolicy

SAMPLES = 24
"""More lines are better and slower. With this number a move takes less than a millisecond."""


def one_ply(game: Game, spec: Spec, heuristic: Heuristic | None = None) -> MoveScoringAgent:
    """Plays the best position after the move by the heuristic cautious, or another: one_ply:progress."""
    return OnePlyAgent(game, spec, heuristic or heuristic_of(game, spec, cautious.name), heuristic_only)


def expectimax(game: Game, spec: Spec) -> MoveScoringAgent:
    """Plays the best move on average over all rolls: expectimax:td_net,depth=2, or samples=50."""
    return ExpectimaxAgent(game, spec, heuristic_of(game, spec, cautious.name), heuristic_only)


QUICK: Mapping[str, Callable[[Game, Spec], MoveScoringAgent]] = {
    **{"furthest": Furthest, "rearmost": Rearmost, "rulebased": RuleBased, "semi_smart": SemiSmart},
    "one_ply": one_ply,
}
"""Agents that rollouts may use."""


class Rollouts(MoveScoringAgent):
    """Plays games to their end after every move, with a quick agent in all seats: rollouts:one_ply,games=100."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("games",), weights=True, name=True)
        name = spec.name.partition(":")[2] or "one_ply"
        head = name.partition(":")[0]
        if head not in QUICK:
            raise unknown("agent for rollouts", head, QUICK)
        quick = QUICK[head](game, replace(spec, name=name, options={}))
        self.compiled, self.tunable = quick.compiled, quick.tunable
        step = search.bind_expectation(search.rollouts, game, heuristic_only, quick.policy, to_the_end=True)
        games = up_to(100_000, spec, "games", 100)
        super().__init__(game, spec, {}, quick.player._replace(step=step, most_nodes=games, most_plies=NO_LIMIT))

    def notes(self, state: Any) -> dict[str, Any]:
        return {"games a move": self.player.most_nodes}


class StrongestAgent(MoveScoringAgent):
    """Expectimax with the learned net, over a whole round and the own reply, with the exact endgame of two."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ())
        assert isinstance(game, Ludo)
        weights = td_net.weigh()
        if has_table(game):
            weights.tables[ENDGAME] = table_address(endgame(game))
        score = entry(strong_value, heuristic_signature(State))
        step = search.bind_expectation(search.expectimax if game.seats == 2 else search.rollouts, game, heuristic_only)
        super().__init__(game, spec, {}, CompiledPolicy(step, score, weights, SAMPLES, game.seats + 1))


@kernel
def by_chance(s: Any, after: Any, token: int, heuristic: Any, weights: Any) -> Any:
    return 100 * win_chance(after, mover(s), weights.tables[0])


class Perfect(MoveScoringAgent):
    """Plays the move with the best exact chance to win, in games of two with one or two tokens. Scores are per cent."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ())
        assert isinstance(game, Ludo)
        check_solvable_size(game)
        weights = record(Weights)
        weights.tables[0] = table_address(endgame(game))
        super().__init__(game, spec, {}, CompiledPolicy(best_move_by(game, by_chance), silent(State), weights, 1, 1))

    def explain(self, view: View) -> Decision:
        decision = self.decide(view)
        told = tuple(replace(c, note=f"wins {c.score:.2f} % of the games") for c in decision.candidates)
        return replace(decision, candidates=told)


AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    **QUICK,
    "rollouts": Rollouts,
    "expectimax": expectimax,
    "strongest": StrongestAgent,
    "perfect": Perfect,
}
alone = one_ply  # the search for a heuristic that is named alone
BENCH = [
    *("random", "furthest", "rearmost", "rulebased:as_written", "rulebased:corrected", "rulebased:as_coded"),
    *("semi_smart", "one_ply", "one_ply:td_linear", "one_ply:td_net", "expectimax:td_net,depth=2"),
    "rollouts:semi_smart,games=5",
]
"""Agents that `spar bench` runs."""
EXAMPLE = "strongest one_ply --players 2"  # the match that `spar agents` suggests


def default_judge(game: Game) -> str:
    """Return the agent with exact chances if the whole game is solved, else the strongest agent."""
    assert isinstance(game, Ludo)
    return "perfect" if is_solved(game) else "strongest"
