"""Ludo: four tokens for each player, a die, and the way round the board into the goal."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError
from sparring.core.kernel import record, records
from sparring.games.capabilities import LuckMeasure, ShownDie, Solver
from sparring.games.contract import Action, Game, Kind, NotableEvent, TouchTarget, reading
from sparring.games.kernels import vocabulary
from sparring.games.learnable import Features, StateEncoders
from sparring.games.ludo import board, picture, rules
from sparring.games.ludo.board import PLAYERS, SIDE, cell_of, tokens_of
from sparring.games.ludo.state import CORRIDOR, GOAL, HOME, NUMBERS, QUARTER, WORDS, LudoConfig, State


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

    def new(self, seed: int) -> Any:
        """Return the state before the first roll, with every token at home, the same for every seed."""
        s, chosen = record(State), self.config
        starts = [QUARTER * int(seat) for seat in chosen.seats.split(",")]
        s.start[: len(starts)] = starts
        s.players, s.tokens, s.to_move = chosen.players, chosen.tokens, chosen.first_player
        s.ends_after = chosen.players - 1 if chosen.play_to_end == "yes" else 1
        s.overshoot, s.exit_fails, s.first_stop_counts, s.blockades, s.six_again = (
            WORDS[option].index(getattr(chosen, option))
            for option in ("overshoot", "exit_onto_blockade", "star_capture", "blockade", "extra_turn_on_six")
        )
        s.max_sixes = chosen.max_consecutive_sixes if chosen.extra_turn_on_six != "no" else 0
        s.home_tries = 1 if chosen.home_tries_rounds == "0" else chosen.home_tries
        s.late_tries = chosen.home_tries_rounds == "all"
        s.ludopy = chosen.rules == "ludopy"
        its_own_rules = chosen.extra_turn_on_six == "not_in_round_1" or (s.home_tries > 1 and not s.late_tries)
        s.first_round = chosen.players if its_own_rules else 0
        return s

    def openings(self, seeds: Sequence[int]) -> Any:
        states = records(State, len(seeds))
        states[:] = self.new(0)
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
        s = self.new(0)
        board.read(text, s)
        who, ended = PLAYERS[s.to_move], s.finished >= s.ends_after
        if ended and s.die:
            raise SparringError(f"the game is over: write {who}- for the last player that moved")
        if s.die == 0 and not ended:
            raise SparringError(f"give the roll of {who}, e.g. {who}6")
        if not ended and not self.legal(s, int(s.to_move)):
            raise SparringError(f"{who} cannot move with a {s.die}: the die would have passed on")
        return s

    def drawing(self, state: Any) -> str:
        """Draw the board for a terminal: . free, * star, o globe, small letters start tiles, : corridors."""
        signs = {"star": "*", "globe": "o", "start": "o", "": "."}
        cells, lines = {cell: signs[board.ring_sign(index)] for index, cell in enumerate(board.RING_CELLS)}, []
        for player, start in enumerate(state.start[: state.players].tolist()):
            cells |= {cell_of(start, 0, tile): ":" for tile in range(CORRIDOR, GOAL)}
            cells[cell_of(start, 0, 1)] = PLAYERS[player].lower()
        for player, start in enumerate(state.start[: state.players].tolist()):
            tiles, who = tokens_of(state, player), PLAYERS[player]
            there = [cell_of(start, token, tile) for token, tile in enumerate(tiles)]
            cells |= {cell: who * n if (n := there.count(cell)) < 4 else f"{who}x4" for cell in there}
            tokens = "  ".join(f"{token}: {board.tile_name(tile):4}" for token, tile in enumerate(tiles, 1))
            lines.append(f"{who}  {tokens}".rstrip())
        rows = ["".join(f"{cells.get((row, column), ''):^3}" for column in range(SIDE)).rstrip() for row in range(SIDE)]
        who = PLAYERS[state.to_move]
        turn = f"{who} has rolled a {state.die}" if state.die else f"{who} is to roll"
        over = state.finished >= state.ends_after
        return "\n".join([*rows, "", *lines, f"{board.placed(state)[0]} has won" if over else turn])

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        return picture.svg(state, marks)

    def colour(self, state: Any, player: int) -> str:
        return picture.colour(state, player)

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        after = {token: self.after_move(state, token) for token in self.legal(state, player)}
        return picture.touch_targets(state, after)

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[NotableEvent]:
        """Return tokens that were sent home, tokens that came into goal, and places that were won."""
        me, found = int(before.to_move), []
        for player in range(before.players):
            for token, (was, now) in enumerate(zip(tokens_of(before, player), tokens_of(after, player), strict=True)):
                name = f"{PLAYERS[player]}'s token {token + 1}"
                if now == HOME != was:
                    how = (
                        f"is sent home from {was} by {PLAYERS[me]}" if player != me else f"runs into others from {was}"
                    )
                    found.append(NotableEvent("capture", f"{name} {how}"))
                if now == GOAL != was:
                    found.append(NotableEvent("goal", f"{name} is in goal"))
            if after.place[player] > before.place[player]:
                found.append(NotableEvent("place", f"{PLAYERS[player]} takes place {after.place[player]}"))
        return found

    def to_json(self, state: Any) -> dict[str, Any]:
        s = state
        players = {
            PLAYERS[player]: {
                "seat": int(s.start[player]) // QUARTER,
                "tokens": tokens_of(s, player),
                "place": int(s.place[player]) or None,
            }
            for player in range(s.players)
        }
        legal = [token + 1 for token in self.legal(s, int(s.to_move))]
        turn = {"to_move": PLAYERS[s.to_move], "die": int(s.die) or None, "legal": legal}
        return {"players": players, **turn, "sixes": int(s.sixes), "tries": int(s.tries), "round1": int(s.first_round)}

    def from_json(self, data: Mapping[str, Any]) -> Any:
        """Read a position by way of its text."""
        with reading(self.name, data):
            missing = [key for key in ("players", "to_move", "die") if key not in data]
            if missing:
                raise SparringError(f"a position of Ludo as JSON needs {missing[0]!r}")
            players: Mapping[str, Mapping[str, Any]] = data["players"]
            tokens = "/".join(",".join(map(str, players[name]["tokens"])) for name in sorted(players))
            places = {name: int(players[name].get("place") or 0) for name in players}
            order = "".join(sorted((name for name in players if places[name]), key=lambda name: places[name]))
            words = [f"{word}={data[word]}" for word in ("sixes", "tries", "round1") if data.get(word)]
            words += [f"places={order}"] if len(order) > 1 else []
            return self.parse(" ".join([tokens, f"{data['to_move']}{data['die'] or '-'}", *words]))
