"""The rule-based agent with the interface of its design document: it acts on a plain state object.

Its scores are those of `rulebased:as_written`. A state has `player_pieces`, `enemy_pieces`, `dice_roll`, `valid_moves`
and optionally `movable_pieces`. Every player counts the tiles of its own way, as in the package ludopy.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sparring.agents.spec import Spec
from sparring.core.dice import players_dice, random_bit
from sparring.core.errors import SparringError
from sparring.games.ludo.agents.scorers import RuleBased
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.state import GOAL, HOME, SIX

SEATS_OF_ENEMIES = {0: (), 1: (2,), 2: (1, 2), 3: (1, 2, 3)}
"""Seats of the enemies, counted from the player, by the number of enemies: one enemy sits opposite."""


@dataclass(frozen=True)
class BoardState:
    """A position as the document's agent sees it."""

    player_pieces: Sequence[int]
    enemy_pieces: Sequence[Sequence[int]] | None  # pieces of each enemy, in the order of play
    dice_roll: int
    valid_moves: Sequence[int] | None
    """The actions to choose from. Each is the piece at the same place of `movable_pieces`."""
    movable_pieces: Sequence[int] | None = None  # if empty, the actions are the pieces themselves

    @classmethod
    def of_ludopy(cls, observation: Sequence[Any]) -> "BoardState":
        """Convert what `get_observation` of ludopy's own game returns for a player. Actions are pieces."""
        die, movable, pieces, enemies = observation[:4]
        return cls([*map(int, pieces)], [[*map(int, one)] for one in enemies], int(die), [*map(int, movable)])


class RuleBasedHeuristicAgent:
    """The agent of the design document. With `debug_scores` it stores the scores of its last decision."""

    is_on_policy = False
    needs_replay_learning = False

    def __init__(self, seed: int | None = None, debug_scores: bool = False, rules: str = "standard") -> None:
        self.seed = random.SystemRandom().getrandbits(40) if seed is None else seed
        self.debug_scores = debug_scores
        self.rules = rules
        self._dice = players_dice(self.seed, 0)
        self._last: dict[str, Any] | None = None

    @property
    def supports_score_debug(self) -> bool:
        return self.debug_scores

    def get_last_score_debug(self) -> dict[str, Any] | None:
        """Return the scores of the last decision; None without `debug_scores` or without a decision."""
        return self._last

    def act(self, state: Any) -> int:
        """Return one of the valid moves: the first of the best in a shuffled order. Without a move return 0."""
        self._last = None
        actions = _list(state.valid_moves)
        if not actions:
            return 0
        pieces = _list(getattr(state, "movable_pieces", None)) or actions
        if len(pieces) != len(actions):
            raise SparringError(f"{len(actions)} valid_moves for {len(pieces)} movable_pieces; give one for each")
        agent, position = self._seated(state)
        if not set(pieces) <= set(range(int(position.tokens))):
            raise SparringError(f"there are no pieces {pieces}; the player has {int(position.tokens)}, from 0")
        scored = {piece: _scored(agent, position, piece) for piece in pieces}
        shuffled, moves = [], sum(1 << piece for piece in scored)
        while moves:
            shuffled.append(random_bit(moves, self._dice))
            moves &= ~(1 << shuffled[-1])
        best = max(shuffled, key=lambda piece: scored[piece]["score"])
        chosen: int = actions[pieces.index(best)]
        if self.debug_scores:
            moved = [{"action": action, **scored[piece]} for action, piece in zip(actions, pieces, strict=True)]
            told = {"best_action": chosen, "best_score": scored[best]["score"], "moves": moved}
            self._last = {**agent.notes(position), **told}
        return chosen

    def _seated(self, state: Any) -> tuple[RuleBased, Any]:
        """Return the agent in a game of ours, and the position there with the player as the first."""
        own, enemies = _list(state.player_pieces), [_list(one) for one in _list(state.enemy_pieces)]
        everybody = [own, *enemies]
        if len(enemies) > 3 or not own or any(len(pieces) != len(own) for pieces in everybody):
            raise SparringError("give a player and up to three enemies the same number of pieces, 1 to 4")
        if not all(isinstance(tile, int) and HOME <= tile <= GOAL for pieces in everybody for tile in pieces):
            raise SparringError(f"pieces stand on tiles {HOME} to {GOAL}, not on {everybody}")
        if state.dice_roll not in range(1, SIX + 1):
            raise SparringError(f"dice_roll must be 1 to 6, not {state.dice_roll!r}")
        game = Ludo(players=4, tokens=len(own), rules=self.rules)
        position = game.new(0)
        position.to_move, position.die = 0, state.dice_roll
        for player, pieces in zip((0, *SEATS_OF_ENEMIES[len(enemies)]), everybody, strict=True):
            position.at[player, : len(pieces)] = pieces
        return RuleBased(game, Spec.parse("rulebased:as_written")), position


def _scored(agent: RuleBased, position: Any, piece: int) -> dict[str, Any]:
    terms, _ = agent.terms(position, agent.game.after_move(position, piece), piece)
    score = sum(agent.points[term] * value for term, value in terms.items())
    return {"piece": piece, "score": score, **agent.reasons(position, piece)}


def _list(given: Any) -> list[Any]:
    """Return lists, tuples and arrays as a list of plain numbers, and None as an empty list."""
    return [] if given is None else [one.item() if hasattr(one, "item") and one.ndim == 0 else one for one in given]
