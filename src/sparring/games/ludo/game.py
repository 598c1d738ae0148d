"""Ludo: four tokens a player, a die, and the way round the board into the goal."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import types

from sparring.core.dice import Dice
from sparring.core.kernel import Rule, record, record_type, records
from sparring.games.capabilities import Features, Luck, Solver, StateEncoders
from sparring.games.contract import Action, Game, Happening, Kind, Touch, reading
from sparring.games.ludo import board, picture, rules
from sparring.games.ludo.state import NEVER, NUMBERS, QUARTER, SIX, WORDS, Config, State


class Ludo(Game):
    name = "ludo"
    api = 1
    version = 2
    kind = Kind(simultaneous=False, chance=True, players=(2, 4))
    state = State
    Config = Config
    offers = {
        Solver: "sparring.games.ludo.solver",
        Luck: "sparring.games.ludo.luck",
        StateEncoders: "sparring.games.ludo.abstraction:ENCODERS",
        Features: "sparring.games.ludo.value:FEATURES",
    }
    endings = ("all tokens in goal", "all places taken")
    words, numbers = WORDS, NUMBERS
    kernels = {
        "legal": rules.legal,
        "mover": rules.mover,
        "play": rules.play,
        "reward": rules.reward,
        "ending": rules.ending,
        "move": rules.move_token,
        "rolled": rules.rolled,
        "over": rules.over,
        "FACES": SIX,
    }

    _legal = Rule(rules.legal, lambda state: types.int64(state))
    _play = Rule(rules.play, lambda state: types.void(state, types.int64, record_type(Dice)))
    _open_games = Rule(
        rules.open_games, lambda state: types.void(types.Array(state, 1, "C"), types.int64[::1], record_type(Dice))
    )
    _ending = Rule(rules.ending, lambda state: types.int64(state))
    _move_token = Rule(rules.move_token, lambda state: types.void(state, types.int64))
    _score = Rule(rules.score, lambda state: types.float64(state, types.int64))

    @property
    def seats(self) -> int:
        return int(self.config.players)

    def empty(self) -> Any:
        """The state before the first roll: every token at home."""
        s, chosen = record(State), self.config
        starts = [QUARTER * int(seat) for seat in chosen.seats.split(",")]
        s.start[: len(starts)] = starts
        s.players, s.tokens, s.to_move = chosen.players, chosen.tokens, chosen.first_player
        s.ends_after = chosen.players - 1 if chosen.play_to_end == "yes" else 1
        s.overshoot = _number(chosen, "overshoot")
        s.exit_fails = _number(chosen, "exit_onto_blockade")
        s.first_stop_counts = _number(chosen, "star_capture")
        s.blockades = _number(chosen, "blockade")
        s.six_again = _number(chosen, "extra_turn_on_six")
        s.max_sixes = chosen.max_consecutive_sixes if s.six_again != NEVER else 0
        s.home_tries = 1 if chosen.home_tries_rounds == "0" else chosen.home_tries
        s.late_tries = chosen.home_tries_rounds == "all"
        s.ludopy = chosen.rules == "ludopy"
        s.first_round = chosen.players if board.first_round_differs(s) else 0
        return s

    def new(self, seed: int) -> Any:
        return self.starts([seed])[0]

    def starts(self, seeds: Sequence[int]) -> Any:
        states = records(State, len(seeds))
        states[:] = self.empty()
        self._open_games(states, np.array(seeds, np.int64), record(Dice))
        return states

    def actors(self, state: Any) -> tuple[int, ...]:
        return (int(state.to_move),) if self._legal(state) else ()

    def legal(self, state: Any, player: int) -> list[Action]:
        moves = int(self._legal(state)) if player == state.to_move else 0
        return [token for token in range(moves.bit_length()) if moves >> token & 1]

    def apply(self, state: Any, actions: Mapping[int, Action], dice: Any) -> None:
        self._play(state, actions[int(state.to_move)], dice)

    def after_move(self, state: Any, action: Action) -> Any:
        """What a move makes of a state before anybody rolls again."""
        after = self.copy(state)
        self._move_token(after, action)
        return after

    def outcome(self, state: Any) -> tuple[float, ...] | None:
        if state.finished < state.ends_after:
            return None
        return tuple(float(self._score(state, player)) for player in range(self.seats))

    def ending(self, state: Any) -> str:
        return self.endings[self._ending(state)]

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return board.move_name(state, self.after_move(state, action), action)

    def text(self, state: Any) -> str:
        return board.text(state)

    def parse(self, text: str) -> Any:
        s = board.parse(text, self.empty())
        board.refuse_idle(s, self._legal(s))
        return s

    def drawing(self, state: Any) -> str:
        return board.drawing(state)

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        return picture.svg(state, marks)

    def colour(self, state: Any, player: int) -> str:
        return picture.colour(state, player)

    def touches(self, state: Any, player: int) -> list[Touch]:
        return picture.touches(state, {token: self.after_move(state, token) for token in self.legal(state, player)})

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[Happening]:
        return board.happened(before, after)

    def die(self, state: Any) -> int | None:
        return int(state.die) or None

    def to_json(self, state: Any) -> dict[str, Any]:
        return board.to_json(state, self._legal(state))

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            return self.parse(board.text_of_json(data))


def _number(chosen: Config, option: str) -> int:
    """The number by which the rules know the chosen word."""
    return WORDS[option].index(getattr(chosen, option))
