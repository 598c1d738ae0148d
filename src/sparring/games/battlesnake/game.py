"""Battlesnake: one to eight snakes move at once on a board with food and hazards. The last one alive wins."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from numba import types

from sparring.core.dice import Dice, dice
from sparring.core.kernel import CompiledKernel, record, record_type
from sparring.games.battlesnake import board, board_json, maps, official, opening, picture, rules
from sparring.games.battlesnake.official import GoRandom
from sparring.games.battlesnake.rules import BORDER, MOVES, NO_MOVES, NOBODY, UNKNOWN
from sparring.games.battlesnake.state import MAPS, NUMBERS, ROYALE, WORDS, Config, Large
from sparring.games.capabilities import LogReader
from sparring.games.contract import Action, Game, Kind, NotableEvent, TouchTarget, reading
from sparring.games.kernels import vocabulary
from sparring.games.lookahead import Lookahead

TURNS = vocabulary(rules)
WITH_CHANCE = vocabulary(rules, draw=maps.draw)


class Battlesnake(Game):
    name = "battlesnake"
    api = 1
    version = 1
    kind = Kind(simultaneous=True, chance=True, players=(1, 8))
    state = Large
    Config = Config
    offers = {LogReader: "sparring.games.battlesnake.logs", Lookahead: "sparring.games.battlesnake.one_by_one:OneByOne"}
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
    """How the last snake died, in the order of the causes of death."""
    stalls = ("turns over",)
    fixed_names = True
    words, numbers = WORDS, NUMBERS
    secret = ("seed",)
    """The food to come follows from the seed."""

    _play_turn = CompiledKernel(rules.play_turn, lambda state: types.void(state, types.int64))
    _change_hazards = CompiledKernel(maps.change_hazards, lambda state: types.void(state, record_type(Dice)))
    _draw = CompiledKernel(maps.draw, lambda state: types.int64(state, record_type(Dice)))
    _tidy = CompiledKernel(rules.tidy, lambda state: types.void(state))
    _safe_moves = CompiledKernel(rules.safe_moves, lambda state: types.int64(state, types.int64))

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.state = self.config.state  # type: ignore[misc]
        self.kind = replace(self.kind, chance=self.config.chance)  # type: ignore[misc]
        self.written = TURNS if self.config.rng == "go" else WITH_CHANCE  # type: ignore[misc]

    @property
    def seats(self) -> int:
        return int(self.config.players)

    def empty(self) -> Any:
        """A board without snakes, food and hazards."""
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
        """The opening of a seed: with rng=go the official engine's board, for which 0 is no seed either."""
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

    def safe_moves(self, state: Any, player: int) -> list[Action]:
        """Moves that lead neither off the board nor into a body. Moves of other heads are not considered."""
        moves = int(self._safe_moves(state, player))
        return [move for move in range(len(MOVES)) if moves >> move & 1]

    def draw(self, state: Any, dice: Any) -> None:
        """Let the map act. The official engine's numbers are drawn in Python."""
        if self.written is WITH_CHANCE:
            super().draw(state, dice)
        elif state.waiting and not state.seed:
            self._draw(state, dice)
        elif state.waiting:
            official.grow_food(state)
            if state.royale or state.map == ROYALE:
                official.close_in(state)
            else:
                self._change_hazards(state, dice)
            state.waiting = 0

    def play_turn(self, state: Any, actions: Mapping[int, Action]) -> None:
        """Play the moves of one turn, before food grows and hazards change. A number that is no move means the default
        move; without any actions no snake moves."""
        moves = sum(action << 4 * player for player, action in actions.items()) if actions else NO_MOVES
        self._play_turn(state, moves)
        self._tidy(state)

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

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        return picture.touch_targets(state, player) if player in self.actors(state) else []

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[NotableEvent]:
        died = [snake for snake in board.living(before) if after.cause[snake] != rules.ALIVE]
        told = [f"{board.SNAKES[snake]} is dead: {board.death(after, snake)}" for snake in died]
        return [NotableEvent("elimination", death) for death in told]

    def to_json(self, state: Any) -> dict[str, Any]:
        return board_json.to_json(state)

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            return board_json.from_json(data, self.empty())
