"""`rules=ludopy` plays as the package ludopy 1.5.0 does, move for move, with its bugs.

Both get the same dice and the same moves. The mover, its moves and all tokens must agree after every roll.
"""

from functools import cache

import ludopy
import pytest

from sparring.core.dice import dice, throw
from sparring.games.registry import game

pytestmark = pytest.mark.slow

GAMES = {"0,1,2,3": 60, "0,2": 50, "0,1": 20, "0,3": 20, "0,1,2": 20, "0,2,3": 20}
"""Numbers of games by the seats of the players: opposite each other, side by side, with a gap."""


@cache
def made(seats: str, play_to_end: str = "no"):
    return game("ludo", rules="ludopy", players=len(seats.split(",")), seats=seats, play_to_end=play_to_end)


class TheirGame:
    """A game of the package with dice that are handed in and no history."""

    def __init__(self, seats: list[int], rolls) -> None:
        self.game = ludopy.Game(ghost_players=[seat for seat in range(4) if seat not in seats])
        self.game._dice_generator = self.roll
        self.game._add_to_hist = lambda: None
        self.rolls = rolls
        self.seats = seats

    def roll(self) -> None:
        self.game.current_dice = 1 + throw(self.rolls, 6)

    def until_somebody_can_move(self) -> tuple[int, int, list[int]]:
        """Who, with what roll, and which tokens."""
        while True:
            (die, movable, *_), seat = self.game.get_observation()
            if len(movable):
                return self.seats.index(seat), die, movable.tolist()
            self.game.answer_observation(-1)

    def places(self) -> list[list[int]]:
        return [self.game.players[seat].get_pieces().tolist() for seat in self.seats]


def play_in_step(seats: str, seed: int, play_to_end: str = "no") -> int:
    """One game, both sides at once; how many moves it took."""
    ours, choice = made(seats, play_to_end), dice(seed, "choice")
    rolls = dice(seed, "rolls")
    theirs = TheirGame([int(seat) for seat in seats.split(",")], rolls.copy())
    state, moves = ours.new(0), 0
    ours.draw(state, rolls)
    while ours.outcome(state) is None:
        legal = ours.legal(state, int(state.to_move))
        assert (int(state.to_move), int(state.die), legal) == theirs.until_somebody_can_move(), ours.text(state)
        token = legal[throw(choice, len(legal))]
        before = ours.text(state)
        ours.play(state, {int(state.to_move): token}, rolls)
        theirs.game.answer_observation(token)
        assert state.at[: len(theirs.seats)].tolist() == theirs.places(), f"token {token + 1} in {before}"
        moves += 1
    finishers = sorted((int(place), seat) for place, seat in zip(state.place, theirs.seats, strict=False) if place)
    assert [seat for _, seat in finishers] == theirs.game.get_winners_of_game()
    return moves


@pytest.mark.parametrize("seats", GAMES)
def test_hundreds_of_games_go_as_in_the_package(seats: str) -> None:
    moves = [play_in_step(seats, seed) for seed in range(GAMES[seats])]
    assert min(moves) > 60


@pytest.mark.parametrize("seats", ["0,1,2,3", "0,2"])
def test_games_played_to_the_last_place_go_as_in_the_package(seats: str) -> None:
    for seed in range(6):
        play_in_step(seats, seed, "yes")


def test_from_any_position_whatever_a_token_moves_as_in_the_package() -> None:
    """Crowded boards, many of which no game ever comes to: here everything odd happens often."""
    ours, chance = made("0,1,2,3"), dice("crowds")
    for _ in range(2500):
        state = crowded(ours.new(0), chance)
        me = int(state.to_move)
        theirs = [state.at[(me + after) % 4].copy() for after in range(4)]
        for token in ours.legal(state, me):
            package = ludopy.player.Player()
            package.set_pieces(theirs[0])
            others = package.move_piece(token, int(state.die), [tokens.copy() for tokens in theirs[1:]])
            after = ours.after_move(state, token).at
            found = [after[(me + player) % 4].tolist() for player in range(4)]
            assert found == [package.pieces.tolist(), *(tokens.tolist() for tokens in others)], ours.text(state)


def crowded(state, chance):
    """The mover's tokens stand a roll or so behind some tile, everybody else's there or not far beyond."""
    middle = throw(chance, 52)
    state.to_move, state.die = throw(chance, 4), 1 + throw(chance, 6)
    for player in range(4):
        for token in range(4):
            ahead = -1 - throw(chance, 6) if player == state.to_move else (0, 0, 1, 6, 7)[throw(chance, 5)]
            tile = (middle + ahead - 13 * player) % 52 + 1
            corridor = min(57, tile + throw(chance, 8)) if tile > 48 else tile
            state.at[player, token] = (0, tile, tile, corridor)[throw(chance, 4)]
    return state
