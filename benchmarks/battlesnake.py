"""Turns of Battlesnake on 11x11: our kernels, and the same engine in C, one after another.

Bars: at least ten times the official engine, at least 1/1.3 of C; two million territories a second; a turn of two
snakes in under 0.25 us, and in under 0.6 us with the territory after it.

The official engine is in Go and does not run here. Its figure was measured on the same machine over 20,000 positions of
random-safe games of four: 270 to 300 thousand turns a second of processor time, each with a copy of the board. Ours and
C's turns copy the position too. C plays the same games with the same dice, which is asserted.
"""

import ctypes
from typing import Any

import numba
import numpy as np

from side_by_side import REPEATS, compile_c, speeds
from sparring.core.bits import count, lowest
from sparring.core.dice import dice, roll
from sparring.core.kernel import kernel
from sparring.core.table import columns
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.maps import draw
from sparring.games.battlesnake.rules import alive, head, over, play_turn, safe_moves
from sparring.games.battlesnake.territory import territory

GAMES, KEPT, ROUNDS = 3000, 2000, 200
OFFICIAL = 300_000


@kernel
def choose(s: Any, dice: Any) -> int:
    """Any safe move for everybody, or any at all."""
    chosen = 0
    for snake in range(s.snakes):
        if alive(s, snake):
            moves = safe_moves(s, snake)
            if moves == 0:
                moves = 15
            for _ in range(roll(dice, count(moves))):
                moves &= moves - 1
            chosen |= lowest(moves) << 4 * snake
    return chosen


@kernel
def mark(s: Any) -> int:
    """A number that tells most differences between positions."""
    found = s.turn + 3 * s.foods + 5 * s.living
    for snake in range(s.snakes):
        known = 7 * s.length[snake] + 11 * s.health[snake] + 13 * s.cause[snake] + 17 * s.killer[snake]
        found = found * 31 + head(s, snake) + known
    return found


@numba.njit(nogil=True)
def play_games(starts: Any, dice: Any, work: Any, corpus: Any, moves: Any, marks: Any) -> int:
    turns = 0
    s = work[0]
    for game in range(len(starts)):
        work[0] = starts[game]
        while not over(s):
            chosen = choose(s, dice)
            if turns < len(corpus):
                corpus[turns] = s
                moves[turns] = chosen
            turns += 1
            play_turn(s, chosen)
            draw(s, dice)
        marks[game] = mark(s)
    return turns


@numba.njit(nogil=True)
def play_turns(corpus: Any, moves: Any, work: Any, marks: Any, rounds: int) -> int:
    s = work[0]
    for _ in range(rounds):
        for place in range(len(corpus)):
            work[0] = corpus[place]
            play_turn(s, moves[place])
            marks[place] = mark(s)
    return rounds * len(corpus)


@numba.njit(nogil=True)
def evaluate(corpus: Any, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        for place in range(len(corpus)):
            mine, theirs = territory(corpus[place], 0)
            total += mine - theirs
    return rounds * len(corpus) + 0 * total


@numba.njit(nogil=True)
def play_and_evaluate(corpus: Any, moves: Any, work: Any, rounds: int) -> int:
    total = 0
    s = work[0]
    for _ in range(rounds):
        for place in range(len(corpus)):
            work[0] = corpus[place]
            play_turn(s, moves[place])
            mine, theirs = territory(s, 0)
            total += mine - theirs
    return rounds * len(corpus) + 0 * total


class Table:
    """Games of so many players: their openings, and what both engines make of them."""

    def __init__(self, players: int) -> None:
        self.game = Battlesnake(players=players)
        self.starts = self.game.starts(range(GAMES)).view(np.ndarray)
        self.work = np.zeros(1, self.game.state)
        self.corpus, self.moves = np.zeros(KEPT, self.game.state), np.zeros(KEPT, np.int64)
        self.ends, self.marks = np.zeros(GAMES, np.int64), np.zeros(KEPT, np.int64)
        self.turns = self.play_games()

    def play_games(self) -> int:
        return int(play_games(self.starts, dice(1), self.work, self.corpus, self.moves, self.ends))

    def play_turns(self) -> int:
        return int(play_turns(self.corpus, self.moves, self.work, self.marks, ROUNDS))

    def evaluate(self) -> int:
        return int(evaluate(self.corpus, ROUNDS))

    def play_and_evaluate(self) -> int:
        return int(play_and_evaluate(self.corpus, self.moves, self.work, ROUNDS))


class InC:
    """The same table in C."""

    def __init__(self, table: Table) -> None:
        self.players, starts = table.game.seats, table.starts
        self.c = compile_c("battlesnake_reference.c")
        self.heads = starts["body"][:, : self.players, 0].astype(np.int64).copy()
        self.foods = int(starts["foods"][0])
        assert (starts["foods"] == self.foods).all()
        self.food = starts["food"][:, : self.foods].astype(np.int64).copy()
        self.ends, self.marks = np.zeros(GAMES, np.int64), np.zeros(KEPT, np.int64)
        self.play_games()

    def play_games(self) -> int:
        fresh = dice(1).word.astype(np.uint32)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (self.heads, self.food, fresh, self.ends)]
        heads, food, words, ends = pointers
        numbers = [ctypes.c_int64(number) for number in (GAMES, self.players, self.foods, KEPT)]
        games, players, foods, kept = numbers
        self.c.play_games.restype = ctypes.c_int64
        return int(self.c.play_games(games, players, heads, food, foods, kept, words, ends))

    def play_turns(self) -> int:
        marks = self.marks.ctypes.data_as(ctypes.c_void_p)
        return int(self.c.play_turns(ctypes.c_int64(KEPT), ctypes.c_int64(ROUNDS), marks))


def main() -> None:
    four, two = Table(4), Table(2)
    reference = {table: InC(table) for table in (four, two)}
    for table, in_c in reference.items():
        table.play_turns(), in_c.play_turns()
        assert np.array_equal(table.ends, in_c.ends), "C plays other games"
        assert np.array_equal(table.marks, in_c.marks), "C plays other turns"
    two.evaluate(), two.play_and_evaluate()
    found = speeds(
        {
            "4 snakes: turns": four.play_turns,
            "4 snakes: turns in C": reference[four].play_turns,
            "2 snakes: turns": two.play_turns,
            "2 snakes: turns in C": reference[two].play_turns,
            "4 snakes: turns of games": four.play_games,
            "4 snakes: turns of games in C": reference[four].play_games,
            "2 snakes: territories": two.evaluate,
            "2 snakes: turns with territory": two.play_and_evaluate,
        }
    )
    alive_then, length = four.corpus["living"].mean(), four.corpus["length"].sum() / four.corpus["living"].sum()
    print(f"standard rules, 11x11; of four snakes {alive_then:.1f} live, {length:.1f} long; C plays the same")
    print(f"a second of processor time, median of {REPEATS}; in games moves are chosen and food grows")
    rows = [[f"  {name}", f"{speed / 1e6:.2f} M", f"{1e9 / speed:.0f} ns"] for name, speed in found.items()]
    print(columns(rows, right={1, 2}))
    turns, in_c = found["4 snakes: turns"], found["4 snakes: turns in C"]
    games = found["4 snakes: turns of games in C"] / found["4 snakes: turns of games"]
    print(f"C is {in_c / turns:.2f} times as fast in turns and {games:.2f} times in games (bar 1.3)")
    print(f"{turns / OFFICIAL:.0f} times as fast as the official engine's {OFFICIAL // 1000} k (bar 10)")
    print(f"{found['2 snakes: territories'] / 1e6:.1f} M territories a second (bar 2)")
    single, valued = 1e6 / found["2 snakes: turns"], 1e6 / found["2 snakes: turns with territory"]
    print(f"a turn of two in {single:.2f} us (bar 0.25), with territory in {valued:.2f} us (bar 0.6)")


if __name__ == "__main__":
    main()
