"""Tiny games with kernels, one of each kind, whose best play is known: for searches to find it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.agents.mcts import undecided
from sparring.core.dice import players_dice, roll
from sparring.core.kernel import kernel, record
from sparring.games.contract import Game, Kind
from sparring.games.kernels import CHANCE
from sparring.search.mcts import MonteCarloResult, MonteCarloSearch, MonteCarloSettings
from sparring.search.tree import Budget
from toy_games import Pennies, Written


def grown(
    game: Game, me: int = 0, iterations: int = 5000, seed: int = 1, start: str | None = None, **settings: Any
) -> MonteCarloResult:
    """What a Monte Carlo tree search finds that plays to the end at random."""
    search = MonteCarloSearch(game, undecided.judge(game.state), MonteCarloSettings(**{"rollout": 1000, **settings}))
    return search.run(game.start(0, start).state, me, Budget(nodes=iterations), players_dice(seed, me))


# Pennies: players act at once. Two heads pay the first four, two tails one; before the last round heads play on


@kernel
def both(s: Any) -> int:
    return 3 if s.left > 0 else 0


@kernel
def heads_or_tails(s: Any, player: int) -> int:
    return 3


@kernel
def show(s: Any, joint: Any) -> None:
    s.won[0] = (4 - 3 * joint.of[0]) * int(joint.of[0] == joint.of[1])
    s.left -= 1


@kernel
def won(s: Any, player: int) -> float:
    return s.won[0] / 4.0 * (1 - 2 * player)


class PaidPennies(Pennies):
    """Two heads pay the first four, two tails one."""

    name = "paid_pennies"
    written = {"actors": both, "legal": heads_or_tails, "apply": show, "reward": won, "WIDEST": 2}


@kernel
def show_or_stop(s: Any, joint: Any) -> None:
    first, second = joint.of[0], joint.of[1]
    if s.left == 1 and first == second:
        s.won[0] = 1
    elif s.left == 1 and second:
        s.won[1] = 1
    s.left = 0 if first else s.left - 1


@kernel
def winner(s: Any, me: int) -> float:
    return float(s.won[me] - s.won[1 - me])


class StoppedPennies(Pennies):
    """In the last round the first wins if both show the same, and draws if it alone shows tails. In one before that it
    ends the game by tails."""

    name = "stopped_pennies"
    written = {"actors": both, "legal": heads_or_tails, "apply": show_or_stop, "reward": winner, "WIDEST": 2}


# Heap: more actions than a word has bits, and states of kilobytes

MOST_TAKEN = 70


@kernel
def taker(s: Any) -> int:
    return 1 << s.moves % 2 if s.left > 0 else 0


@kernel
def amounts(s: Any, player: int, found: Any) -> int:
    most = min(MOST_TAKEN, s.left)
    for place in range(most):
        found[place] = place + 1
    return most


@kernel
def take(s: Any, joint: Any) -> None:
    taken = joint.of[s.moves % 2]
    s.left -= taken
    s.taken[s.moves] = taken
    s.moves += 1


@kernel
def took_last(s: Any, player: int) -> float:
    return 1.0 if s.moves % 2 != player else -1.0


@dataclass(frozen=True)
class HeapConfig:
    heap: int = 75


class Heap(Written):
    """Two take up to 70 of a heap in turn, and the last to take wins: leave the other a multiple of 71."""

    name = "heap"
    kind = Kind(simultaneous=False, chance=False, players=(2, 2))
    state = np.dtype([("left", np.int64), ("moves", np.int64), ("taken", np.int64, (512,))], align=True)
    Config = HeapConfig
    written = {"actors": taker, "actions": amounts, "apply": take, "reward": took_last, "WIDEST": MOST_TAKEN}

    def new(self, seed: int) -> Any:
        s = record(self.state)
        s.left = self.config.heap
        return s


@kernel
def first_twice(s: Any) -> int:
    return (1 if s.moves % 3 < 2 else 2) if s.left > 0 else 0


@kernel
def take_by_turns(s: Any, joint: Any) -> None:
    taken = joint.of[1 if s.moves % 3 == 2 else 0]
    s.left -= taken
    s.taken[s.moves] = taken
    s.moves += 1


@kernel
def took_last_by_turns(s: Any, player: int) -> float:
    return 1.0 if player == int((s.moves - 1) % 3 == 2) else -1.0


@kernel
def up_to_three(s: Any, player: int, found: Any) -> int:
    most = min(3, s.left)
    for place in range(most):
        found[place] = place + 1
    return most


class UnevenHeap(Heap):
    """The first player takes twice, then the second player once, up to three each time."""

    name = "uneven_heap"
    uneven = {"actors": first_twice, "actions": up_to_three, "apply": take_by_turns, "reward": took_last_by_turns}
    written = {**Heap.written, **uneven}


# Coin: one player and chance

SAFE, TOSS = 0, 1


@kernel
def guesser(s: Any) -> int:
    return 0 if s.points else CHANCE if s.tossed == 1 else 1


@kernel
def stop_or_guess(s: Any, player: int) -> int:
    return 3


@kernel
def stop_toss_or_guess(s: Any, joint: Any) -> None:
    if s.tossed:
        s.points = 10 if joint.of[0] == s.tossed - 2 else -10
    elif joint.of[0] == SAFE:
        s.points = 1
    else:
        s.tossed = 1


@kernel
def toss(s: Any, dice: Any) -> int:
    side = roll(dice, 2)
    s.tossed = 2 + side
    return side


@kernel
def tenths(s: Any, player: int) -> float:
    return s.points / 10.0


class Coin(Written):
    """Take a tenth, or have a coin tossed and then say what it shows, which is there to be seen."""

    name = "coin"
    kind = Kind(simultaneous=False, chance=True, players=(1, 1))
    state = np.dtype([("tossed", np.int64), ("points", np.int64)], align=True)
    written = {
        "actors": guesser,
        "legal": stop_or_guess,
        "apply": stop_toss_or_guess,
        "draw": toss,
        "reward": tenths,
        "WIDEST": 2,
    }


# Auction: players act at once, and chance


@kernel
def bidders(s: Any) -> int:
    return 3 if s.prize else CHANCE if s.left else 0


@kernel
def bids(s: Any, player: int) -> int:
    return s.hands[player]


@kernel
def bid(s: Any, joint: Any) -> None:
    lead = joint.of[0] - joint.of[1]
    s.points += s.prize * (int(lead > 0) - int(lead < 0))
    s.hands[0] &= ~(1 << joint.of[0])
    s.hands[1] &= ~(1 << joint.of[1])
    s.prize = 0


@kernel
def turn_up(s: Any, dice: Any) -> int:
    """Any prize that is left, from 1 to 3."""
    k = roll(dice, 3)
    while not s.left >> k & 1:
        k = (k + 1) % 3
    s.left &= ~(1 << k)
    s.prize = k + 1
    return k


@kernel
def lead(s: Any, player: int) -> float:
    return (1.0 - 2.0 * player) * (int(s.points > 0) - int(s.points < 0))


class Auction(Written):
    """Goofspiel with three cards: both bid a card for a prize that was turned up, and more points win."""

    name = "auction"
    kind = Kind(simultaneous=True, chance=True, players=(2, 2))
    state = np.dtype(
        [("prize", np.int64), ("left", np.int64), ("hands", np.int64, (2,)), ("points", np.int64)], align=True
    )
    written = {"actors": bidders, "legal": bids, "apply": bid, "draw": turn_up, "reward": lead, "WIDEST": 3}

    def new(self, seed: int) -> Any:
        s = record(self.state)
        s.left = s.hands[:] = 7
        return s


# Cake: three players in turn, whose rewards do not add up to nothing


@kernel
def eater(s: Any) -> int:
    return 1 << s.moves if s.moves < 2 else 0


@kernel
def share_or_not(s: Any, player: int) -> int:
    return 3


@kernel
def choose(s: Any, joint: Any) -> None:
    s.chosen[s.moves] = joint.of[s.moves]
    s.moves = 2 if s.chosen[0] else s.moves + 1


@kernel
def piece(s: Any, player: int) -> float:
    if s.chosen[0]:
        return 0.0
    if s.chosen[1]:
        return -1.0 if player < 2 else 1.0
    return 0.5 * (1 + player) if player < 2 else -1.0


class Cake(Written):
    """The first may end the game with nothing for anybody, or leave it to the second, who by 0 has a whole piece and
    leaves half a piece to the first, or by 1 gives all to the third."""

    name = "cake"
    kind = Kind(simultaneous=False, chance=False, players=(3, 3))
    state = np.dtype([("moves", np.int64), ("chosen", np.int64, (2,))], align=True)
    written = {"actors": eater, "legal": share_or_not, "apply": choose, "reward": piece, "WIDEST": 2}
