"""Ludo: four tokens for each player, a die, and the way round the board into the goal."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.kernel import record, records
from sparring.games.capabilities import LuckMeasure, ShownDie, Solver
from sparring.games.contract import Action, Game, Kind, NotableEvent, TouchTarget, reading
from sparring.games.kernels import vocabulary
from sparring.games.learnable import Features, StateEncoders
from sparring.games.ludo import board, picture, rules
from sparring.games.ludo.state import NEVER, NUMBERS, QUARTER, WORDS, LudoConfig, State


class Ludo(Game):
    name = "ludo"
    api = 1
    version = 2
    kind = Kind(simultaneous=False, chance=True, players=(2, 4))
    state = State
    Config = LudoConfig
    offers = {
        Solver: "sparring.games.ludo.solver",
        LuckMeasure: "sparring.games.ludo.luck",
        ShownDie: "sparring.games.ludo.picture",
        StateEncoders: "sparring.games.ludo.abstraction:ENCODERS",
        Features: "sparring.games.ludo.value:FEATURES",
    }
    endings = ("all tokens in goal", "all places taken")
    words, numbers = WORDS, NUMBERS
    written = vocabulary(rules)

    @property
    def seats(self) -> int:
        return int(self.config.players)

    def empty(self) -> Any:
        """Return the state before the first roll, with every token at home."""
        s, chosen = record(State), self.config
        starts = [QUARTER * int(seat) for seat in chosen.seats.split(",")]
        s.start[: len(starts)] = starts
        s.players, s.tokens, s.to_move = chosen.players, chosen.tokens, chosen.first_player
        s.ends_after = chosen.players - 1 if chosen.play_to_end == "yes" else 1
        s.overshoot, s.exit_fails, s.first_stop_counts, s.blockades, s.six_again = (
            WORDS[option].index(getattr(chosen, option))
            for option in ("overshoot", "exit_onto_blockade", "star_capture", "blockade", "extra_turn_on_six")
        )
        s.max_sixes = chosen.max_consecutive_sixes if s.six_again != NEVER else 0
        s.home_tries = 1 if chosen.home_tries_rounds == "0" else chosen.home_tries
        s.late_tries = chosen.home_tries_rounds == "all"
        s.ludopy = chosen.rules == "ludopy"
        s.first_round = chosen.players if board.first_round_differs(s) else 0
        return s

    def new(self, seed: int) -> Any:
        return self.empty()

    def openings(self, seeds: Sequence[int]) -> Any:
        states = records(State, len(seeds))
        states[:] = self.empty()
        return states

    def after_move(self, state: Any, action: Action) -> Any:
        """Return the state after a move, before the next roll."""
        after = self.copy(state)
        self.apply(after, {int(state.to_move): action})
        return after

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return board.move_name(state, self.after_move(state, action), action)

    def text(self, state: Any) -> str:
        return board.text(state)

    def parse(self, text: str) -> Any:
        s = board.parse(text, self.empty())
        board.check_playable(s, self.legal(s, int(s.to_move)))
        return s

    def drawing(self, state: Any) -> str:
        return board.drawing(state)

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        return picture.svg(state, marks)

    def colour(self, state: Any, player: int) -> str:
        return picture.colour(state, player)

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        return picture.touch_targets(
            state, {token: self.after_move(state, token) for token in self.legal(state, player)}
        )

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[NotableEvent]:
        return board.happened(before, after)

    def to_json(self, state: Any) -> dict[str, Any]:
        return board.to_json(state, self.legal(state, int(state.to_move)))

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            return self.parse(board.text_of_json(data))
