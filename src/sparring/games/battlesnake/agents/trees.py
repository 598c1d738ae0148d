"""Players that look ahead move by move, as if the others saw their choice."""

from sparring.agents.agent import TreeSearchAgent
from sparring.agents.spec import Spec, heuristic_of, one_of, only_options, up_to
from sparring.agents.tree_search import searcher
from sparring.agents.variants import fixes_of
from sparring.core.errors import SparringError
from sparring.core.terms import UNWANTED_TIE
from sparring.games.battlesnake import one_by_one
from sparring.games.battlesnake.heuristics import negamax_leaf, negamax_leaf_as_coded, strong
from sparring.games.contract import Game
from sparring.search.alphabeta import alphabeta
from sparring.search.tree import DEFAULT_VARIANT, Budget, SearchVariant, TreeSearch

FIXES = {
    "draws": "to die together is better than to lose",
    "rivals": "the two that are nearest are looked at, not only the first of the others",
    "ties": "a cell that several reach at once is the longest's, not that of the snake listed first, and tails leave",
    "necks": "moves into the own neck and into bodies are not tried",
}
"""The effect of each fix."""
VARIANTS = {"as_coded": frozenset[str](), "as_written": frozenset({"ties"}), "corrected": frozenset(FIXES)}
DRAWS = {"loss": -1.0, "even": 0.0, "unwanted": UNWANTED_TIE}
"""The value of dying together."""
DEPTH = 4


class Negamax(TreeSearchAgent):
    """Max-min to a fixed number of turns with alpha-beta: negamax:as_written, :as_coded or :corrected,depth=4."""

    flaws = FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("depth", "draws", "fix", "keep"), weights=True, name=True)
        fixes = self.fixes = fixes_of(spec, VARIANTS, FIXES)
        draws = one_of(DRAWS, spec, "draws", "unwanted" if "draws" in fixes else "loss")
        switched = "+".join(spec.options.get(word, "") for word in ("fix", "keep")).split("+")
        if "draws" in spec.options and "draws" in switched:
            raise SparringError(f"say draws= or fix and keep it, not both, in {spec.text!r}")
        leaf = negamax_leaf if "ties" in fixes else negamax_leaf_as_coded
        tree = TreeSearch(alphabeta, game, leaf.judge(game.state, spec.weights), manner_of(fixes, draws))
        super().__init__(spec.text, tree, Budget(depth=2 * up_to(30, spec, "depth", DEPTH)))


def manner_of(fixes: frozenset[str], draws: str) -> SearchVariant:
    """Search at once to the full depth, with moves in the order up, down, left, right."""
    sensible = one_by_one.not_into_bodies if "necks" in fixes else one_by_one.not_off_the_board
    answers = one_by_one.two_nearest if "rivals" in fixes else one_by_one.the_first
    name = "_".join(("at_once", draws, *sorted(fixes & {"necks", "rivals"})))
    way = one_by_one.way(sensible, answers, DRAWS[draws])
    return SearchVariant(name, {**DEFAULT_VARIANT.names, "DEEPENS": 0, **way})


BEST_REPLY = one_by_one.way(one_by_one.not_into_bodies, one_by_one.one_of_them)
ONE_AT_A_TIME = SearchVariant("best_reply", {**DEFAULT_VARIANT.names, **BEST_REPLY})


def best_reply(game: Game, spec: Spec) -> TreeSearchAgent:
    """Alpha-beta in which each of the others may answer, but only one of them in a turn: best_reply:HEURISTIC."""
    only_options(spec, ("nodes", "depth", "time"), weights=True, name=True)
    return searcher(alphabeta, game, spec, heuristic_of(game, spec, strong.name), ONE_AT_A_TIME)


def strongest(game: Game, spec: Spec) -> TreeSearchAgent:
    """Best reply with the heuristic strong, as deep as the budget allows: strongest,time=100ms."""
    only_options(spec, ("nodes", "depth", "time"))
    return searcher(alphabeta, game, spec, strong, ONE_AT_A_TIME)
