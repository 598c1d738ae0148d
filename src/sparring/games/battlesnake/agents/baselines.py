"""Simple players to measure others by."""

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.spec import Spec, only_options
from sparring.dice import throw
from sparring.games.battlesnake import Battlesnake
from sparring.games.contract import Game


class RandomSafe(Agent):
    """Any move that leads neither off the board nor into a body, each as likely as the others."""

    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        assert isinstance(game, Battlesnake)
        only_options(spec, ())
        self.spec = spec.text
        self._safe_moves = game.safe_moves

    def decide(self, view: View) -> Decision:
        moves = self._safe_moves(view.state, view.me) or view.legal
        return Decision(self.spec, view.position, view.me, moves[throw(view.dice, len(moves))])
