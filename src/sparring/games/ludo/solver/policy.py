"""How well a policy plays, without a single game: all games are played at once, each as far as it is likely.

What waits in a position is the chance that a game comes there. It is rolled and moved on to what follows, from the
beginning of the game to its end, until hardly any is left that is not over.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import types

from sparring.core.dice import Dice, sow
from sparring.core.errors import SparringError
from sparring.core.kernel import Weights, bind, entry, heuristic_signature, kernel, record, record_type, workspace
from sparring.core.progress import Progress
from sparring.games.ludo.endgame import DONE, PAIRS
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.solver.table import (
    CODES,
    POSITIONS,
    SHARES,
    PairGame,
    Policy,
    endgame,
    refuse_larger,
    set_up,
    worth,
)
from sparring.games.ludo.state import State
from sparring.search.tree import BITS, MAX_PLIES, NO_LIMIT, Automaton, begin, frame_type, step_signature, walk_type

SAMPLES = 16
"""How often an agent that draws is asked in a position, if it gives no scores."""
NEGLIGIBLE = 1e-11
"""So small a share of all games waits until there are more of them."""
UNFINISHED = 1e-6
"""Games are over when a sweep through the board makes so few moves."""
EQUAL = 1e-6
"""Moves whose win chances differ by less are equally good; the table is not known better."""


# What a player does


@kernel
def gained(codes: Any, position: int, die: int, chances: Any) -> float:
    """How much better it is to move the rear token than the front one."""
    rear, front = codes[position, die, 0], codes[position, die, 1]
    return worth(rear, chances, chances) - worth(front, chances, chances)


@kernel
def prefer(codes: Any, chances: Any, policy: Any) -> None:
    """The policy that goes to the better chances, and to equal ones alike."""
    for position in range(len(codes)):
        for die in range(6):
            gain = gained(codes, position, die, chances)
            policy[position, die] = 0.5 if abs(gain) < EQUAL else 0.5 + 0.5 * np.sign(gain)


def best_policy(pairs: PairGame, chances: Any) -> Policy:
    """What a table of chances recommends."""
    policy = np.empty((POSITIONS, 6), np.float32)
    entry(prefer, types.void(CODES, types.float32[::1], SHARES))(pairs.codes, chances, policy)
    return policy


def same_policy(share: float) -> Policy:
    """Moves the rear token with the same chance wherever it is."""
    return np.full((POSITIONS, 6), share, np.float32)


Desk = np.dtype(
    [
        ("before", State),  # what `set_up` expects
        ("walk", walk_type(BITS)),
        ("dice", Dice),
        ("most_nodes", np.int64),
        ("most_plies", np.int64),
        ("samples", np.int64),  # how often to ask; once if nothing is left to chance
    ],
    align=True,
)
"""What an automaton that is asked needs beside the memory of its search."""


@kernel
def scored(walk: Any) -> bool:
    """Whether both moves have a score that says all."""
    return walk.exact[0] != 0 and walk.exact[1] != 0


def ask(
    first: int,
    last: int,
    codes: Any,
    desk: Any,
    states: Any,
    frames: Any,
    step: Any,
    heuristic: Any,
    weights: Any,
    policy: Any,
) -> None:
    """How often an automaton moves its rear token in some positions, where it has a choice.

    An agent that draws and scores both moves plays the better one, and equal ones alike. If it gives no scores it is
    asked again and again.
    """
    for position in range(first, last):
        for die in range(6):
            if codes[position, die, 0] == codes[position, die, 1]:
                continue
            rear, asked = 0.0, 0
            while asked < desk.samples:
                states[0] = desk.before
                set_up(states[0], position, die + 1)
                walk = desk.walk
                begin(walk, 0, desk.most_nodes, desk.most_plies)
                walk.exact[0] = walk.exact[1] = 0
                sow(desk.dice, position * 6 + die, asked)
                step(walk, states, frames, heuristic, weights, desk.dice, NO_LIMIT >> 1)
                asked += 1
                if desk.samples > 1 and scored(walk):
                    rear = 0.5 + 0.5 * np.sign(walk.scores[0] - walk.scores[1])
                    break
                rear += walk.line[0] == 0
            policy[position, die] = rear / asked


@cache
def _compiled_ask() -> Any:
    step, score = types.FunctionType(step_signature(BITS, State, State)), types.FunctionType(heuristic_signature(State))
    memory = types.Array(record_type(State), 1, "C"), types.Array(record_type(frame_type(BITS)), 1, "C")
    player = step, score, record_type(Weights)
    signature = types.void(types.int64, types.int64, CODES, record_type(Desk), *memory, *player, SHARES)
    return bind(ask, {}, "ask_ludo", signature)


# What becomes of it


@kernel
def go_on(positions: Any, codes: Any, policy: Any, own: Any, other: Any, visits: Any) -> float:
    """The games that wait in some positions for a player's roll, `own`, go on to where they wait for the roll of the
    same or the other player. Adds to the visits of these positions, and says how many games it were."""
    all_games = 0.0
    for position in positions:
        games = own[position]
        if games < NEGLIGIBLE:
            continue
        own[position] = 0.0
        visits[position] += games
        all_games += games
        for die in range(6):
            for token in range(2):
                share = policy[position, die] if token == 0 else 1.0 - policy[position, die]
                code = codes[position, die, token]
                if code & 1:
                    own[code >> 1] += games * share / 6.0
                else:
                    other[code >> 1] += games * share / 6.0
    return all_games


@kernel
def fallen_short(codes: Any, policy: Any, visits: Any, chances: Any) -> tuple[float, float, float]:
    """Of the rolls that leave a choice in all these visits: how many there are, how much win chance they lose, and how
    many lose none."""
    choices, lost, right = 0.0, 0.0, 0.0
    for position in range(len(codes)):
        for die in range(6):
            if visits[position] == 0.0 or codes[position, die, 0] == codes[position, die, 1]:
                continue
            rolls = visits[position] / 6.0
            gain = gained(codes, position, die, chances)
            wrong = 1.0 - policy[position, die] if gain > 0 else policy[position, die]
            choices += rolls
            lost += rolls * wrong * abs(gain)
            right += rolls * (1.0 - wrong if abs(gain) > EQUAL else 1.0)
    return choices, lost, right


def play(pairs: PairGame, one: Policy, other: Policy) -> tuple[float, Any]:
    """All games of two policies, each having the first roll in half of them: the share that the one wins, and how often
    a game comes to each position where the one is about to roll."""
    waiting, visits = np.zeros((2, POSITIONS)), np.zeros((2, POSITIONS))
    waiting[:, pairs.start] = 0.5
    sides = [(one, waiting[0], waiting[1], visits[0]), (other, waiting[1], waiting[0], visits[1])]

    def moved(positions: Any) -> float:
        return sum(_compiled_go_on()(positions, pairs.codes, *side) for side in sides)

    moves = 1.0
    while moves > UNFINISHED:
        moves = 0.0
        for moving, lingering in pairs.layers[::-1]:
            while (going_on := moved(lingering)) > UNFINISHED / 100:
                moves += going_on
            moves += moved(moving)
    won = waiting.reshape(2, PAIRS, PAIRS)[:, DONE].sum(axis=1)
    return float(won[0] / won.sum()), visits[0]


@dataclass(frozen=True)
class Worth:
    """What a policy is worth."""

    v_random: float  # its share of the games, each having the first roll in half of them
    v_perfect: float
    choices: float  # rolls in a game against perfect play that can be used in two ways
    loss: float  # of win chance by such a choice, on average over the games against perfect play
    right: float  # the share of such choices that lose nothing


class Examiner:
    """Knows the best play of a game, and so what any play is worth."""

    def __init__(self, game: Ludo, progress: Progress | None = None) -> None:
        refuse_larger(game)
        self.tokens = game.config.tokens
        self.chances = endgame(game, progress)
        self.pairs = PairGame(game, progress)
        self.perfect = best_policy(self.pairs, self.chances)
        self.random = same_policy(0.5)

    def policy(self, automaton: Automaton, draws: bool, progress: Progress | None = None) -> Policy:
        """What an agent does in every position."""
        if self.tokens < 2:
            raise SparringError("with one token there is nothing to choose: add --tokens 2")
        desk = record(Desk)
        desk.before, desk.samples = self.pairs.before, SAMPLES if draws else 1
        desk.most_nodes, desk.most_plies = automaton.most_nodes, automaton.most_plies
        memory = workspace(State, MAX_PLIES), workspace(frame_type(BITS), MAX_PLIES)
        player = automaton.step, automaton.score, automaton.weights
        policy = same_policy(0.5)
        for pair in range(DONE):
            first = pair * PAIRS
            _compiled_ask()(first, first + DONE, self.pairs.codes, desk, *memory, *player, policy)
            if progress:
                progress(pair + 1, DONE, "asked in every position")
        return policy

    def worth(self, policy: Policy) -> Worth:
        v_perfect, visits = play(self.pairs, policy, self.perfect)
        v_random, _ = play(self.pairs, policy, self.random)
        choices, lost, right = _compiled_fallen_short()(self.pairs.codes, policy, visits, self.chances)
        return Worth(v_random, v_perfect, choices, lost / max(choices, 1e-9), right / max(choices, 1e-9))


@cache
def _compiled_go_on() -> Any:
    chances = types.float64[::1]
    return entry(go_on, types.float64(types.int32[::1], CODES, SHARES, chances, chances, chances))


@cache
def _compiled_fallen_short() -> Any:
    answer = types.UniTuple(types.float64, 3)
    return entry(fallen_short, answer(CODES, SHARES, types.float64[::1], types.float32[::1]))
