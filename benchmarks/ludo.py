"""Random games of Ludo by four players: our kernels, the same engine in C, and the package ludopy, one after another.

Bars: at least 500 times the games a second of ludopy, at least 1/1.5 of C.

C has the standard rules written into it and plays the same games, roll for roll, which is asserted. ludopy plays by its
own rules (`rules=ludopy`), with its own dice; it is timed as it comes.
"""

import ctypes
import random
from typing import Any

import ludopy
import numba
import numpy as np
from numba import types

import sparring
from side_by_side import REPEATS, compile_c, speeds
from sparring.core.bits import count, lowest
from sparring.core.dice import Dice, roll, seed_dice
from sparring.core.kernel import record_type
from sparring.core.table import columns
from sparring.games.kernels import alone
from sparring.games.ludo.game import Ludo

GAMES = 20_000
THEIR_GAMES = 60
legal, apply, settle = (sparring.game("ludo").kernels[name] for name in ("legal", "apply", "settle"))


def random_games(seed: int, before: Any, states: Any, dice: Any, winners: Any, moves: Any, ends: Any) -> None:
    """Games from consecutive seeds: who wins each, in how many moves, and where the tokens are in the end."""
    for game in range(len(winners)):
        s = states[0]
        states[0] = before
        seed_dice(dice[0], seed + game, 0)
        seed_dice(dice[1], seed + game, 1)
        acting = settle(s, dice[0])
        turns = 0
        while acting:
            tokens = legal(s, lowest(acting))
            for _ in range(roll(dice[1], count(tokens))):
                tokens &= tokens - 1
            apply(s, alone(lowest(tokens)))
            acting = settle(s, dice[0])
            turns += 1
        winners[game] = s.to_move
        moves[game] = turns
        ends[game] = s.at


class Played:
    """What a batch of games came to."""

    def __init__(self) -> None:
        self.winners, self.moves = np.zeros(GAMES, np.int64), np.zeros(GAMES, np.int64)
        self.ends = np.zeros((GAMES, 4, 4), np.int64)


def ours(game: Ludo) -> tuple[Any, Played]:
    played = Played()
    state = record_type(game.state)
    signature = types.void(
        types.int64,
        state,
        types.Array(state, 1, "C"),
        types.Array(record_type(Dice), 1, "C"),
        types.int64[::1],
        types.int64[::1],
        types.int64[:, :, ::1],
    )
    loop = numba.njit(signature, nogil=True)(random_games)
    before, states, dice = game.new(0), np.zeros(1, game.state), np.zeros(2, Dice)

    def run() -> int:
        loop(0, before, states, dice, played.winners, played.moves, played.ends)
        return GAMES

    return run, played


def in_c() -> tuple[Any, Played]:
    played, library = Played(), compile_c("ludo_reference.c")
    library.play_games.restype = ctypes.c_int64
    ends = np.zeros((GAMES, 4, 4), np.int8)
    arrays = [array.ctypes.data_as(ctypes.c_void_p) for array in (played.winners, played.moves, ends)]

    def run() -> int:
        played.rolls = library.play_games(ctypes.c_int64(0), ctypes.c_int64(GAMES), *arrays)  # type: ignore[attr-defined]
        played.ends[:] = ends
        return GAMES

    return run, played


def in_ludopy() -> int:
    chance = random.Random(1)
    for _ in range(THEIR_GAMES):
        game = ludopy.Game()
        while game.get_winner_of_game() < 0:
            (_, movable, *_), _ = game.get_observation()
            game.answer_observation(movable[chance.randrange(len(movable))] if len(movable) else -1)
    return THEIR_GAMES


def main() -> None:
    standard, first = ours(sparring.game("ludo"))  # type: ignore[arg-type]
    compat, _ = ours(sparring.game("ludo", rules="ludopy"))  # type: ignore[arg-type]
    reference, second = in_c()
    standard()
    reference()
    for what in ("winners", "moves", "ends"):
        assert np.array_equal(getattr(first, what), getattr(second, what)), f"C plays other games: {what}"
    found = speeds({"sparring": standard, "sparring, rules=ludopy": compat, "C": reference, "ludopy": in_ludopy})
    rolls = second.rolls / GAMES  # type: ignore[attr-defined]
    print(
        f"random games of 4 players, {rolls:.0f} rolls and {first.moves.mean():.0f} moves each; C plays the same games"
    )
    print(f"games a second of processor time, median of {REPEATS}")
    print(columns([[f"  {name}", f"{speed:,.0f}"] for name, speed in found.items()], right={1}))
    print(f"C is {found['C'] / found['sparring']:.2f} times as fast (bar 1.5)")
    print(f"{found['sparring'] / found['ludopy']:.0f} times as fast as ludopy (bar 500)", end=", ")
    print(f"{found['sparring, rules=ludopy'] / found['ludopy']:.0f} times by its own rules")


if __name__ == "__main__":
    main()
