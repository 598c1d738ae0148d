"""Battlesnake: one to eight snakes that move at once, food, hazards, and the last one living wins."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from numba import types

from sparring.core.dice import Dice, dice
from sparring.core.kernel import Rule, record, record_type, records
from sparring.games.battlesnake import board, board_json, maps, official, one_by_one, opening, picture, rules
from sparring.games.battlesnake.go_random import GoRandom
from sparring.games.battlesnake.state import (
    BORDER,
    MAPS,
    MOVES,
    NO_MOVES,
    NOBODY,
    NUMBERS,
    ROYALE,
    UNKNOWN,
    WORDS,
    Config,
    Large,
)
from sparring.games.capabilities import LogReader
from sparring.games.contract import Action, Game, Happening, Kind, Touch, reading


class Battlesnake(Game):
    name = "battlesnake"
    api = 1
    version = 1
    kind = Kind(simultaneous=True, chance=True, players=(1, 8))
    state = Large
    Config = Config
    offers = {LogReader: "sparring.games.battlesnake.logs"}
    endings = (
        "turns over",
        "ran into another snake",
        "ran into itself",
        "starved",
        "lost head to head",
        "left the board",
        "died in a hazard",
        "died",
    )
    """What the last to die died of, in the order of the causes of death."""
    stalls = ("turns over",)
    fixed_names = True
    words, numbers = WORDS, NUMBERS

    _play_turn = Rule(rules.play_turn, lambda state: types.void(state, types.int64))
    _grow_food = Rule(maps.grow_food, lambda state: types.void(state, record_type(Dice)))
    _change_hazards = Rule(maps.change_hazards, lambda state: types.void(state, record_type(Dice)))
    _tidy = Rule(rules.tidy, lambda state: types.void(state))
    _safe_moves = Rule(rules.safe_moves, lambda state: types.int64(state, types.int64))
    _over = Rule(rules.over, lambda state: types.boolean(state))
    _score = Rule(rules.score, lambda state: types.float64(state, types.int64))
    _ending = Rule(rules.ending, lambda state: types.int64(state))
    _descend = Rule(one_by_one.descend, lambda state: types.void(types.Array(state, 1, "C"), types.int64, types.int64))
    _answered = Rule(one_by_one.answered, lambda state: types.int64(state, types.int64))
    _ended = Rule(one_by_one.ended, lambda state: types.boolean(state))

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.state = self.config.state  # type: ignore[misc]
        self.kind = replace(self.kind, chance=self.config.chance)  # type: ignore[misc]
        in_bulk = {} if self.config.rng == "go" else one_by_one.COMPILED_GAMES  # Go's numbers are drawn in Python
        self.kernels = {"options": one_by_one.every_move, **in_bulk, **one_by_one.PARANOID}  # type: ignore[misc]

    @property
    def seats(self) -> int:
        return int(self.config.players)

    def empty(self) -> Any:
        """A board without anything on it."""
        return self.copy(self._empty)

    @cached_property
    def _empty(self) -> Any:
        s, chosen = record(self.state), self.config
        s.width, s.height = chosen.sides
        s.occupied[:] = BORDER
        s.occupied[board.cells_at(s, board.cells(s))] = 0
        s.snakes, s.map = chosen.players, MAPS.index(chosen.map)
        s.cause[:], s.killer[:] = UNKNOWN, NOBODY  # nobody is there
        s.wrapped = chosen.rules.startswith("wrapped")
        s.constrictor = chosen.rules.endswith("constrictor")
        s.royale = chosen.rules == "royale"
        s.solo = chosen.rules == "solo" or chosen.players == 1
        s.frozen = chosen.lengths == "frozen"
        s.food_chance, s.minimum_food = chosen.food_spawn_chance, chosen.minimum_food
        s.damage, s.shrink_every, s.max_turns = chosen.hazard_damage, chosen.shrink_every, chosen.max_turns
        return s

    def new(self, seed: int) -> Any:
        """With rng=go the official engine's board of this seed; for it, too, 0 is no seed."""
        s = self.empty()
        if self.config.rng == "go" and seed:
            s.seed = seed
            opening.set_up(s, GoRandom(seed), GoRandom(seed))
        else:
            chance = opening.FastChance(dice(seed, "opening"))
            opening.set_up(s, chance, chance)
        if s.constrictor:
            board.clear_food(s)
        return s

    def actors(self, state: Any) -> tuple[int, ...]:
        return () if self._over(state) else tuple(board.living(state))

    def legal(self, state: Any, player: int) -> list[Action]:
        """Every move of a living snake, also those that kill it."""
        return list(range(len(MOVES))) if player in self.actors(state) else []

    def safe_moves(self, state: Any, player: int) -> list[Action]:
        """The moves that lead neither off the board nor into a body; where heads go nobody knows."""
        moves = int(self._safe_moves(state, player))
        return [move for move in range(len(MOVES)) if moves >> move & 1]

    def apply(self, state: Any, actions: Mapping[int, Action], dice: Any) -> None:
        self.play_turn(state, actions)
        if state.seed:
            official.grow_food(state)
        else:
            self._grow_food(state, dice)
        if state.seed and (state.royale or state.map == ROYALE):
            official.close_in(state)
        else:
            self._change_hazards(state, dice)

    def play_turn(self, state: Any, actions: Mapping[int, Action]) -> None:
        """What the rules make of some moves, before food grows and hazards change. Other numbers than those of moves
        are the default move; without any moves nobody moves."""
        moves = sum(action << 4 * player for player, action in actions.items()) if actions else NO_MOVES
        self._play_turn(state, moves)
        self._tidy(state)

    def seen_by(self, state: Any, player: int) -> Any:
        """Everything but the seed, from which the food to come would follow; and that it is this player who looks."""
        seen = self.copy(state)
        seen.seed, seen.asked, seen.pending = 0, player, 0
        return seen

    def tried(self, state: Any, action: Action) -> Any:
        pair = records(self.state, 2)
        pair[0] = state
        self._descend(pair, 0, action)
        return pair[1]

    def tried_name(self, state: Any, action: Action) -> str:
        """Own moves by their names; those of others with who they are."""
        if not state.pending:
            return MOVES[action]
        moves = int(self._answered(state, action))
        others = [snake for snake in board.living(state) if snake != state.asked]
        return "(" + ", ".join(f"{board.SNAKES[snake]} {MOVES[moves >> 4 * snake & 15]}" for snake in others) + ")"

    def tried_named(self, state: Any, name: str) -> Action | None:
        tried = range(one_by_one.ANSWERS if state.pending else len(MOVES))
        return next((action for action in tried if self.tried_name(state, action) == name), None)

    def line_ended(self, state: Any) -> bool:
        return bool(self._ended(state))

    def outcome(self, state: Any) -> tuple[float, ...] | None:
        if not self._over(state):
            return None
        return tuple(float(self._score(state, player)) for player in range(self.seats))

    def ending(self, state: Any) -> str:
        return self.endings[self._ending(state)]

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return MOVES[action]

    def text(self, state: Any) -> str:
        return board.text(state)

    def parse(self, text: str) -> Any:
        return board.parse(text, self.empty())

    def drawing(self, state: Any) -> str:
        return board.drawing(state)

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        return picture.svg(state, marks, player)

    def colour(self, state: Any, player: int) -> str:
        return picture.COLOURS[player]

    def touches(self, state: Any, player: int) -> list[Touch]:
        return picture.touches(state, player) if player in self.actors(state) else []

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[Happening]:
        return board.happened(before, after)

    def to_json(self, state: Any) -> dict[str, Any]:
        return board_json.to_json(state)

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            return board_json.from_json(data, self.empty())
