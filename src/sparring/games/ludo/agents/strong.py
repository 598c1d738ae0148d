"""The strongest player of Ludo that we know to make."""

from sparring.agents.scorers import MoveScorer
from sparring.agents.spec import Spec, only_options
from sparring.core.errors import SparringError
from sparring.core.kernel import address_of, entry, heuristic_signature
from sparring.games.contract import Game
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.heuristics import td_net
from sparring.games.ludo.solver.table import endgame, table_name
from sparring.games.ludo.state import State
from sparring.games.ludo.value import ENDGAME, strong_value
from sparring.search.choice import as_judged
from sparring.search.expectimax import expectimax, looking_ahead, rollouts
from sparring.search.tree import Automaton

SAMPLES = 24
"""More lines are better and take longer: with so many a move takes less than a millisecond."""


class Strongest(MoveScorer):
    """Expectimax with the learned net, over a whole round and the own reply; knows the endgame of two."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ())
        assert isinstance(game, Ludo)
        weights = td_net.weigh()
        if solvable(game):
            weights.tables[ENDGAME] = address_of(endgame(game))
        score = entry(strong_value, heuristic_signature(State))
        step = looking_ahead(expectimax if game.seats == 2 else rollouts, game, as_judged)
        super().__init__(game, spec, {}, Automaton(step, score, weights, SAMPLES, game.seats + 1))


def solvable(game: Ludo) -> bool:
    """Whether there is a table of endgames for these rules."""
    try:
        table_name(game)
    except SparringError:
        return False
    return True
