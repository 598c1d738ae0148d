"""The exact strength of a policy, without playing single games: all games are played at once, weighted by probability.

Each position holds the probability that a game is there. From the beginning of the game to its end, this probability
moves on to the positions that follow, until almost all of it is in finished games.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types

from sparring.core.dice import Dice, seed_dice
from sparring.core.errors import SparringError
from sparring.core.kernel import bind, entry, kernel, record, signature_of, workspace
from sparring.core.progress import Progress
from sparring.games.ludo.endgame import DONE, PAIRS
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.solver.table import POSITIONS, PairGame, Policy, check_solvable_size, endgame, set_up
from sparring.games.ludo.state import State
from sparring.search.tree import BITS, MAX_PLIES, NO_LIMIT, CompiledPolicy, begin, frame_dtype, search_state_type

SAMPLES = 16  # calls in each position for an agent that uses its dice, if it gives no scores
NEGLIGIBLE = 1e-11  # a smaller share of all games waits in its position until it grows
UNFINISHED = 1e-6  # the games are over when a sweep makes fewer moves than this
EQUAL = 1e-6  # moves are equal if their win chances differ by less; the table is no more exact


# Policies


def gains(codes: Any, chances: Any) -> Any:
    """Return how much better it is to move the rear token than the front one, for each position and roll."""

    def worth(code: Any) -> Any:
        return np.where(code & 1, chances[code >> 1], 1 - chances[code >> 1])

    return np.stack([worth(codes[:, die, 0]) - worth(codes[:, die, 1]) for die in range(6)], axis=1)


def constant_policy(share: float) -> Policy:
    """Return the policy that moves the rear token with the same probability everywhere."""
    return np.full((POSITIONS, 6), share, np.float32)


QueryState = np.dtype(
    [
        ("before", State),  # for `set_up`
        ("search", search_state_type(BITS)),
        ("dice", Dice),
        ("most_nodes", np.int64),
        ("most_plies", np.int64),
        ("samples", np.int64),  # calls in each position; 1 if the policy uses no dice
    ],
    align=True,
)
"""Working memory to ask a compiled policy for its moves."""


def ask(first: int, last: int, codes: Any, query: Any, memory: Any, player: Any, policy: Any) -> None:
    """Write how often a compiled policy moves its rear token in some positions, where it has a choice. A policy that
    uses dice and scores both moves plays the better one, and equal ones alike. Without scores it is asked often."""
    states, frames = memory
    step, heuristic, weights = player
    for position in range(first, last):
        for die in range(6):
            if codes[position, die, 0] == codes[position, die, 1]:
                continue
            rear, asked = 0.0, 0
            while asked < query.samples:
                states[0] = query.before
                set_up(states[0], position, die + 1)
                search = query.search
                begin(search, 0, query.most_nodes, query.most_plies)
                search.exact[0] = search.exact[1] = 0
                seed_dice(query.dice, position * 6 + die, asked)
                step(search, states, frames, heuristic, weights, query.dice, NO_LIMIT >> 1)
                asked += 1
                if query.samples > 1 and search.exact[0] and search.exact[1]:
                    rear = 0.5 + 0.5 * np.sign(search.scores[0] - search.scores[1])
                    break
                rear += search.line[0] == 0
            policy[position, die] = rear / asked


# All games at once


@kernel
def go_on(positions: Any, codes: Any, policy: Any, own: Any, other: Any, visits: Any) -> float:
    """Move the games in some positions on. `own` are games that wait for the player's roll, `other` those that wait for
    the other's. Add to the visits of these positions, and return the number of games."""
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


def play(pairs: PairGame, one: Policy, other: Policy) -> tuple[float, Any]:
    """Play all games of two policies, each with the first roll in half of them. Return the share that the first policy
    wins, and how often a game comes to each position with its roll."""
    waiting, visits = np.zeros((2, POSITIONS)), np.zeros((2, POSITIONS))
    waiting[:, pairs.start] = 0.5
    sides = [(one, waiting[0], waiting[1], visits[0]), (other, waiting[1], waiting[0], visits[1])]
    compiled = entry(go_on, signature_of(types.float64, pairs.layers[0][0], pairs.codes, *sides[0]))

    def moved(positions: Any) -> float:
        return sum(compiled(positions, pairs.codes, *side) for side in sides)

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
class PolicyGrade:
    """The strength of a policy."""

    v_random: float  # share of games won, each side with the first roll in half of them
    v_perfect: float
    choices: float  # rolls with a choice in a game against perfect play
    loss: float  # win chance lost by such a choice, on average
    right: float  # share of such choices that lose nothing


class PolicyEvaluator:
    """Computes the exact strength of any policy for a solved game."""

    def __init__(self, game: Ludo, progress: Progress | None = None) -> None:
        check_solvable_size(game)
        self.tokens = game.config.tokens
        self.chances = endgame(game, progress)
        self.pairs = PairGame(game, progress)
        self.gains = gains(self.pairs.codes, self.chances)
        equal = abs(self.gains) < EQUAL
        self.perfect = np.where(equal, 0.5, self.gains > 0).astype(np.float32)
        self.random = constant_policy(0.5)

    def policy(self, compiled_policy: CompiledPolicy, draws: bool, progress: Progress | None = None) -> Policy:
        """Return the moves of an agent in every position."""
        if self.tokens < 2:
            raise SparringError("with one token there is nothing to choose: add --tokens 2")
        query = record(QueryState)
        query.before, query.samples = self.pairs.before, SAMPLES if draws else 1
        query.most_nodes, query.most_plies = compiled_policy.most_nodes, compiled_policy.most_plies
        memory = workspace(State, MAX_PLIES), workspace(frame_dtype(BITS), MAX_PLIES)
        player = compiled_policy.step, compiled_policy.score, compiled_policy.weights
        policy = constant_policy(0.5)
        given = self.pairs.codes, query, memory, player, policy
        compiled = bind(ask, {}, "ask_ludo", signature_of(types.void, 0, 0, *given))
        for pair in range(DONE):
            compiled(pair * PAIRS, pair * PAIRS + DONE, *given)
            if progress:
                progress(pair + 1, DONE, "asked in every position")
        return policy

    def worth(self, policy: Policy) -> PolicyGrade:
        v_perfect, visits = play(self.pairs, policy, self.perfect)
        v_random, _ = play(self.pairs, policy, self.random)
        rolls = (self.pairs.codes[..., 0] != self.pairs.codes[..., 1]) * visits[:, None] / 6
        choices = float(rolls.sum())
        wrong = np.where(self.gains > 0, 1 - policy, policy)
        lost = float((rolls * wrong * abs(self.gains)).sum())
        right = float((rolls * np.where(abs(self.gains) > EQUAL, 1 - wrong, 1)).sum())
        return PolicyGrade(v_random, v_perfect, choices, lost / max(choices, 1e-9), right / max(choices, 1e-9))
