"""Alpha-beta and minimax as agents, for every game without chance that compiled code can search."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sparring.agents.agent import TreeSearchAgent
from sparring.agents.spec import Search, Spec, budget_of, flag, judge_of, only_options
from sparring.core import defaults
from sparring.core.errors import SparringError
from sparring.core.terms import Heuristic
from sparring.games.contract import Game
from sparring.search.alphabeta import alphabeta, minimax
from sparring.search.tree import DEFAULT_VARIANT, REFERENCE, Budget, SearchVariant, TreeSearch, tree_of


def searcher(
    template: Callable[..., Any], game: Game, spec: Spec, heuristic: Heuristic, manner: SearchVariant = DEFAULT_VARIANT
) -> TreeSearchAgent:
    """Return a tree search with a heuristic and the options of a spec."""
    only_options(spec, ("nodes", "depth", "time", "reference"), weights=True, name=True)
    budget = budget_of(spec)
    if budget == Budget():
        whole_turns = defaults.MINIMAX_DEPTH + int(game.kind.simultaneous)
        budget = Budget(depth=whole_turns) if template is minimax else Budget(nodes=defaults.NODES, assumed=True)
    if template is minimax and (budget.nodes or budget.seconds):
        raise SparringError(f"minimax looks to a fixed depth: give depth= and nothing else in {spec.text!r}")
    if game.kind.simultaneous and (budget.depth or 0) % 2:
        raise SparringError(f"depth counts the moves of both sides, two a turn: give an even number in {spec.text!r}")
    manner = REFERENCE if flag(spec, "reference") else manner
    return TreeSearchAgent(spec.text, TreeSearch(template, game, judge_of(game, spec, heuristic), manner), budget)


def looks_ahead(game: Game) -> bool:
    tree = tree_of(game)
    return tree is not None and not tree.kernels.chance


NEEDS = "a game in which one can look ahead without chance"
ALPHABETA = Search(partial(searcher, alphabeta), "nodes=20000 depth=6 time=150ms reference", looks_ahead, needs=NEEDS)
MINIMAX = Search(partial(searcher, minimax), "depth=3", looks_ahead, needs=NEEDS)
