"""Players that look ahead move by move, as if the others saw what they choose."""

from sparring.agents.agent import Searcher
from sparring.agents.editions import fixes_of
from sparring.agents.searches import searcher
from sparring.agents.spec import Spec, heuristic_of, one_of, only_options, up_to
from sparring.core.errors import SparringError
from sparring.games.battlesnake import one_by_one
from sparring.games.battlesnake.heuristics import negamax_leaf, negamax_leaf_as_coded, strong
from sparring.games.battlesnake.one_by_one import way
from sparring.games.contract import Game
from sparring.search.alphabeta import alphabeta
from sparring.search.tree import OWN_WAY, Budget, Manner, TreeSearch

FIXES = {
    "draws": "to die together is better than to lose",
    "rivals": "the two that are nearest are looked at, not only the first of the others",
    "ties": "a cell that several reach at once is the longest's, not that of the snake listed first, and tails leave",
    "necks": "moves into the own neck and into bodies are not tried",
}
"""What each fix makes true."""
EDITIONS = {"as_coded": frozenset[str](), "as_written": frozenset({"ties"}), "corrected": frozenset(FIXES)}
DRAWS = {
    "loss": one_by_one.alone_or_dead,
    "even": one_by_one.even_draws,
    "unwanted": one_by_one.unwanted_draws,
}
DEPTH = 4


class Negamax(Searcher):
    """Max-min to a fixed number of turns, alpha-beta inside: negamax:as_written, :as_coded or :corrected,depth=4."""

    flaws = FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("depth", "draws", "fix", "keep"), weights=True, name=True)
        fixes = self.fixes = fixes_of(spec, EDITIONS, FIXES)
        draws = one_of(DRAWS, spec, "draws", "unwanted" if "draws" in fixes else "loss")
        switched = "+".join(spec.options.get(word, "") for word in ("fix", "keep")).split("+")
        if "draws" in spec.options and "draws" in switched:
            raise SparringError(f"say draws= or fix and keep it, not both, in {spec.text!r}")
        leaf = negamax_leaf if "ties" in fixes else negamax_leaf_as_coded
        tree = TreeSearch(alphabeta, game, leaf.judge(game.state, spec.weights), manner_of(fixes, draws))
        super().__init__(spec.text, tree, Budget(depth=2 * up_to(30, spec, "depth", DEPTH)))


def manner_of(fixes: frozenset[str], draws: str) -> Manner:
    """At once to the full depth, the moves in the order up, down, left, right."""
    sensible = one_by_one.not_into_bodies if "necks" in fixes else one_by_one.not_off_the_board
    answers = one_by_one.two_nearest if "rivals" in fixes else one_by_one.the_first
    name = "_".join(("at_once", draws, *sorted(fixes & {"necks", "rivals"})))
    return Manner(name, {**OWN_WAY.names, "DEEPENS": 0, **way(sensible, answers, DRAWS[draws])})


ONE_AT_A_TIME = Manner("best_reply", {**OWN_WAY.names, **one_by_one.BEST_REPLY})


def best_reply(game: Game, spec: Spec) -> Searcher:
    """Alpha-beta in which all others are tried, but in each turn one of them does its worst: best_reply:HEURISTIC."""
    only_options(spec, ("nodes", "depth", "time"), weights=True, name=True)
    return searcher(alphabeta, game, spec, heuristic_of(game, spec, strong.name), ONE_AT_A_TIME)


def strongest(game: Game, spec: Spec) -> Searcher:
    """Best reply with the heuristic strong, as far as its budget goes: strongest,time=100ms."""
    only_options(spec, ("nodes", "depth", "time"))
    return searcher(alphabeta, game, spec, strong, ONE_AT_A_TIME)
