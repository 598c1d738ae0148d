"""Games in which a learner has one seat and agents the others, many at once.

One compiled call plays a step of all games: the learner's action, those of the others, chance, until the learner is to
act again. The game of a seed begins, and goes on, as in a match with this seed.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numba import types

from sparring.agents.agent import Agent, View, attributed_to
from sparring.agents.spec import agent
from sparring.bridges.arrays import GameArrays
from sparring.core.bits import lowest
from sparring.core.dice import REFEREE, Dice, players_dice, referees_dice, seed_dice
from sparring.core.errors import SparringError
from sparring.core.kernel import (
    Weights,
    heuristic_signature,
    kernel,
    record_type,
    records,
    with_globals,
    workspace,
)
from sparring.core.prepared import prepared
from sparring.games.contract import Game, Position
from sparring.games.kernels import MOST_PLAYERS
from sparring.games.lookahead import NODES_ARE_STATES
from sparring.search.tree import MAX_PLIES, NO_LIMIT, CompiledPolicy, Tree, begin, tree_of

PLAYS, ENDED, ILLEGAL = 0, 1, 2
"""What a step led to: the learner is to act, the game is over, or the learner's action was illegal and loses."""
BEGIN = -1
"""Instead of an action: a new game begins."""
AHEAD = 256
"""The first positions that are made at once."""
Episode = np.dtype([("referee", Dice), ("dice", Dice, (MOST_PLAYERS,))], align=True)
"""The dice of a game."""


def step_games(
    me: int,
    numbers: Any,
    seeds: Any,
    boards: Any,
    episodes: Any,
    came: Any,
    rewards: Any,
    masks: Any,
    seen: Any,
    joint: Any,
    found: Any,
    search: Any,
    states: Any,
    frames: Any,
    steps: Any,
    scores: Any,
    weights: Any,
    limits: Any,
) -> None:
    """Play a step of each game. `numbers` has the learner's action in each, or BEGIN."""
    for game in range(len(boards)):
        board, episode, number = boards[game], episodes[game], numbers[game]
        rewards[game] = 0.0
        came[game] = PLAYS
        masks[game, :] = 0
        seen[game, :] = 0
        mine = number
        if number == BEGIN:
            seed_dice(episode.referee, seeds[game], REFEREE)
            for seat in range(len(steps)):
                seed_dice(episode.dice[seat], seeds[game], seat)
        else:
            count = actions(board, me, found)
            if BITS:
                legal = False
                for place in range(count):
                    legal |= found[place] == number
            else:
                legal = 0 <= number < count
                mine = found[number] if legal else 0
            if not legal:
                came[game] = ILLEGAL
                rewards[game] = -1.0
                observe(board, me, seen[game])
                continue
        acting = actors(board)
        moves = number != BEGIN
        while acting and (moves or not acting >> me & 1):
            while acting:
                player = lowest(acting)
                acting &= acting - 1
                if player == me:
                    joint.of[me] = mine
                    continue
                root(states[0], board, player)
                begin(search, player, limits[player, 0], limits[player, 1])
                dice = episode.dice[player]
                steps[player](search, states, frames, scores[player], weights[player], dice, NO_LIMIT >> 1)
                if search.line_length == 0:
                    search.line[0] = first(frames[0], start(frames[0], states[0], player))
                joint.of[player] = int(search.line[0])
            apply(board, joint)
            moves = False
            acting = settle(board, episode.referee)
        tidy(board)
        observe(board, me, seen[game])
        if not acting:
            came[game] = ENDED
            rewards[game] = reward(board, me)
            continue
        for place in range(actions(board, me, found)):
            masks[game, found[place] if BITS else place] = 1


class Episodes(ABC):
    """Many games of a learner, who has the same seat in all. Their arrays are written anew by each step."""

    def __init__(self, game: Game, count: int, seat: int) -> None:
        self.arrays = GameArrays(game)
        self.game, self.seat = game, seat
        self.states = workspace(game.state, count)
        self.came = np.zeros(count, np.int64)
        self.rewards = np.zeros(count)
        self.masks = np.zeros((count, self.arrays.actions), np.int8)
        self._flat = np.zeros((count, math.prod(self.arrays.shape)), np.float32)
        self.observations = self._flat.reshape(count, *self.arrays.shape)
        self.numbers = np.zeros(count, np.int64)
        self._seeds = np.zeros(count, np.int64)
        self._ahead = range(0), self.states

    def begin(self, places: Any, seeds: range) -> None:
        """Set up new games at some places, which the next step begins."""
        self._seeds[places] = seeds
        self.states[places] = self._starts(seeds)
        self.numbers[places] = BEGIN

    def _starts(self, seeds: range) -> Any:
        """The first states of some seeds. To make many at once takes little longer than one."""
        known, starts = self._ahead
        if not (seeds.start in known and seeds.stop <= known.stop):
            known = range(seeds.start, max(seeds.stop, seeds.start + AHEAD))
            starts = self.game.starts(known).view(np.ndarray)
            self._ahead = known, starts
        return starts[seeds.start - known.start : seeds.stop - known.start]

    @abstractmethod
    def step(self) -> None:
        """Play a step of each game by the `numbers` of the learner's actions. The other arrays have the result."""


class CompiledEpisodes(Episodes):
    """Games against agents that are compiled."""

    def __init__(self, game: Game, count: int, seat: int, tree: Tree, policies: Sequence[CompiledPolicy]) -> None:
        super().__init__(game, count, seat)
        self._policies = policies  # holds their tables
        weights = records(Weights, game.seats)
        for place, one in enumerate(policies):
            weights[place] = one.weights
        self._run = _prepared(
            self.arrays,
            tree,
            (
                seat,
                self.numbers,
                self._seeds,
                self.states,
                workspace(Episode, count),
                self.came,
                self.rewards,
                self.masks,
                self._flat,
                workspace(game.kernels.joint, 1)[0],
                np.empty(game.kernels.widest, np.int64),
                workspace(tree.search_state, 1)[0],
                workspace(tree.kernels.state, MAX_PLIES),
                workspace(tree.frame, MAX_PLIES),
                tuple(one.step for one in policies),
                tuple(one.score for one in policies),
                weights,
                np.array([[one.most_nodes, one.most_plies] for one in policies]),
            ),
        )

    def step(self) -> None:
        self._run()


class PlainEpisodes(Episodes):
    """Games against any agents, by way of Python."""

    def __init__(self, game: Game, count: int, seat: int, agents: Sequence[Agent]) -> None:
        super().__init__(game, count, seat)
        self._agents = agents
        self._games = [ExitStack() for _ in range(count)]
        self._tables: list[Any] = [None] * count

    def step(self) -> None:
        for place, number in enumerate(self.numbers.tolist()):
            self.rewards[place], self.came[place], self.masks[place] = 0.0, PLAYS, 0
            state, action = self.states[place], None
            if number == BEGIN:
                self._seat_players(place)
            else:
                action = self.arrays.action(state, self.seat, number)
                if action is None:
                    self.rewards[place], self.came[place] = -1.0, ILLEGAL
                    continue
            self._go_on(place, action)

    def _seat_players(self, place: int) -> None:
        self._games[place].close()
        seed = int(self._seeds[place])
        dice = [players_dice(seed, seat) for seat in range(self.game.seats)]
        players = [
            self._games[place].enter_context(one.seated(own)) for one, own in zip(self._agents, dice, strict=True)
        ]
        self._tables[place] = referees_dice(seed), dice, players

    def _go_on(self, place: int, action: int | None) -> None:
        """Play until the learner is to act, after its action if it has one now."""
        game, state = self.game, self.game.copy(self.states[place])
        referee, dice, players = self._tables[place]
        acting = game.actors(state)
        while acting and (action is not None or self.seat not in acting):
            chosen = {self.seat: action} if action is not None else {}
            for player in set(acting) - {self.seat}:
                view = View.of(Position(game, state, referee), player, dice[player])
                with attributed_to(players[player]):
                    chosen[player] = players[player].decide(view).action
            game.play(state, chosen, referee)
            acting, action = game.actors(state), None
        self.states[place] = state
        self.observations[place] = self.arrays.observation(state, self.seat)
        if outcome := game.outcome(state):
            self.rewards[place], self.came[place] = 2 * outcome[self.seat] - 1, ENDED
        else:
            self.masks[place] = self.arrays.mask(state, self.seat)


def episodes(game: Game, count: int, seat: int, against: Sequence[str | Agent]) -> Episodes:
    """Games of a learner in a seat against one agent in all other seats, or one for each."""
    if not 0 <= seat < game.seats:
        raise SparringError(f"the seats of {game.name} are 0 to {game.seats - 1}, not {seat}")
    others = list(against) * (game.seats - 1) if len(against) == 1 else list(against)
    if len(others) != game.seats - 1:
        raise SparringError(f"a learner in {game.name} has {game.seats - 1} opponents, not {len(others)}")
    made = [one if isinstance(one, Agent) else agent(game, one) for one in others]
    made.insert(seat, made[0])  # never asked: the learner plays there
    policies, tree = [one.compiled_policy(game) for one in made], tree_of(game)
    if tree and all(policies):
        return CompiledEpisodes(game, count, seat, tree, [one for one in policies if one])
    return PlainEpisodes(game, count, seat, made)


def _prepared(arrays: GameArrays, tree: Tree, given: tuple[Any, ...]) -> Callable[[], None]:
    game = arrays.game
    kinds = (
        types.int64,
        types.int64[::1],
        types.int64[::1],
        types.Array(record_type(game.state), 1, "C"),
        types.Array(record_type(Episode), 1, "C"),
        types.int64[::1],
        types.float64[::1],
        types.int8[:, ::1],
        types.float32[:, ::1],
        record_type(game.kernels.joint),
        types.int64[::1],
        record_type(tree.search_state),
        types.Array(record_type(tree.kernels.state), 1, "C"),
        types.Array(record_type(tree.frame), 1, "C"),
        types.UniTuple(types.FunctionType(tree.signature(game.state)), game.seats),
        types.UniTuple(types.FunctionType(heuristic_signature(game.state)), game.seats),
        types.Array(record_type(Weights), 1, "C"),
        types.int64[:, ::1],
    )
    ahead = {**NODES_ARE_STATES, **tree.kernels}
    parts = {name: kernel(with_globals(tree.cursor.parts[name], ahead, name)) for name in ("start", "first")}
    names = {**ahead, **game.kernels, **parts, "BITS": int(game.kernels.bits), "observe": arrays.kernel}
    return prepared(step_games, names, f"step_games_{game.name}", kinds, given)
