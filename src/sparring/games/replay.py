"""Replay of recorded moves. Stored games, game texts, the page and analyses all use it."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

from sparring.core.errors import SparringError
from sparring.games.contract import Action, Position

Move = str | Action  # the name of an action, or its code


class Turn(NamedTuple):
    """One action in a game record."""

    player: int
    action: str
    code: Action
    note: str = ""


class Step(NamedTuple):
    """A position and its turns: none at the end of a record, those of some players where it breaks off."""

    position: Position
    turns: tuple[Turn, ...]

    @property
    def actions(self) -> dict[int, Action]:
        return {turn.player: turn.code for turn in self.turns}


def replay(
    start: Position, moves: Iterable[Move | Mapping[int, Move]], notes: Iterable[str] = (), first: int = 1
) -> Iterator[Step]:
    """Yield each position from `start` on, with the turns taken there.

    A move is that of one player, in the order of `Position.actors`, or a mapping with the moves of all players.
    `notes` are added to the turns. The error for an illegal move gives its number, counted from `first`.
    """
    left, said, position = deque(moves), iter(notes), start
    for number in count(first):
        try:
            actions = _next(position, left)
        except SparringError as error:
            raise SparringError(f"move {number} cannot be played: {error}") from error
        game, state = position.game, position.state
        turns = [Turn(player, game.action_name(state, player, code), code) for player, code in actions.items()]
        yield Step(position, tuple(turn._replace(note=next(said, "")) for turn in turns))
        if len(actions) < len(position.actors) or position.over:
            return
        position = position.play(actions)


def turns(start: Position, moves: Iterable[Move], notes: Iterable[str] = ()) -> Iterator[Turn]:
    for step in replay(start, moves, notes):
        yield from step.turns


def _next(position: Position, left: deque[Any]) -> dict[int, Action]:
    """Take the actions of the next step from the moves that are left."""
    if left and isinstance(left[0], Mapping):
        return position.chosen(left.popleft())
    if left and position.over:
        raise SparringError(f"the game is over in {position.text}")
    return {player: position.action(left.popleft(), player) for player in position.actors if left}
