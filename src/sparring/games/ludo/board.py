"""Text, JSON and drawing of a position of Ludo, and the cells of its tiles.

Players are A, B, C and D in the order of play, tokens 1 to 4. A tile is named by the steps of the token's owner: 0
home, 1 to 51 on the ring, 52 to 56 in the corridor, 57 goal.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError
from sparring.games.contract import NotableEvent
from sparring.games.ludo.state import (
    CORRIDOR,
    GLOBES,
    GOAL,
    HOME,
    NOT_IN_FIRST_ROUND,
    QUARTER,
    RING,
    SIX,
    STARS,
    TURN_OFF,
)

PLAYERS = "ABCD"
SIDE = 15
"""Rows and columns of the board, which is a cross."""
Cell = tuple[int, int]

EXPECTED = "expected each player's tokens, the mover and its roll, such as 0,0,0,1/0,0,14,57 A6"


# Cells of the board


def turned(cell: Cell, quarters: int) -> Cell:
    """Return the cell after turning the board clockwise by some quarters."""
    for _ in range(quarters):
        cell = cell[1], SIDE - 1 - cell[0]
    return cell


def _first_quarter() -> list[Cell]:
    """Return the ring from the start of seat 0 to the right, up the next arm and round its tip."""
    return [(6, column) for column in range(1, 6)] + [(row, 6) for row in range(5, -1, -1)] + [(0, 7), (0, 8)]


RING_CELLS = [turned(cell, quarter) for quarter in range(4) for cell in _first_quarter()]
CORRIDOR_CELLS = [(7, column) for column in range(1, 7)]
"""Corridor of seat 0; the last cell is the goal."""
HOME_CELLS = [(2, 2), (2, 3), (3, 2), (3, 3)]


def cell_of(start: int, token: int, tile: int) -> Cell:
    """Return the cell of a token whose owner starts from a tile of the ring."""
    if tile == HOME:
        return turned(HOME_CELLS[token], start // QUARTER)
    if tile >= CORRIDOR:
        return turned(CORRIDOR_CELLS[tile - CORRIDOR], start // QUARTER)
    return RING_CELLS[(start + tile - 1) % RING]


def ring_sign(index: int) -> str:
    """Return whether a tile of the ring is a start, a star or a globe; else nothing."""
    tile = index % QUARTER + 1
    return "start" if tile == 1 else "star" if tile in STARS else "globe" if tile in GLOBES else ""


# Words


def tokens_of(s: Any, player: int) -> list[int]:
    return [int(tile) for tile in s.at[player][: s.tokens]]


def tile_name(tile: int) -> str:
    return {HOME: "home", GOAL: "goal"}.get(tile, str(tile))


def first_round_differs(s: Any) -> bool:
    """Return whether the first round has rules of its own."""
    return bool(s.six_again == NOT_IN_FIRST_ROUND or (s.home_tries > 1 and not s.late_tries))


def move_name(before: Any, after: Any, token: int) -> str:
    """Return token, first and last tile: `t2_14to18`, or `t2_14x18` if a token of another player is sent home."""
    me = int(before.to_move)
    others = [player for player in range(before.players) if player != me]
    sign = "x" if any(tokens_of(before, player) != tokens_of(after, player) for player in others) else "to"
    return f"t{token + 1}_{before.at[me, token]}{sign}{after.at[me, token]}"


def text(s: Any) -> str:
    """Return the tokens of each player, the mover, its roll and what else counts, such as `0,0,0,1/0,0,14,57 A6`."""
    tokens = "/".join(",".join(map(str, tokens_of(s, player))) for player in range(s.players))
    more: dict[str, Any] = {"sixes": s.sixes, "tries": s.tries, "round1": s.first_round}
    more["places"] = placed(s) if s.finished > 1 else ""
    words = [f"{word}={value}" for word, value in more.items() if value]
    return " ".join([tokens, f"{PLAYERS[s.to_move]}{s.die or '-'}", *words])


def placed(s: Any) -> str:
    """Return the players with a place, the best first."""
    found = [player for player in range(s.players) if s.place[player]]
    return "".join(PLAYERS[player] for player in sorted(found, key=lambda player: int(s.place[player])))


# Reading


def parse(written: str, s: Any) -> Any:
    """Read a text into a state with all tokens at home: the inverse of `text`."""
    tokens, turn, *extra = written.split() if len(written.split()) > 1 else ("", "")
    shape = re.fullmatch(r"([A-D])([1-6-])", turn)
    if not shape or PLAYERS.index(shape[1]) >= s.players:
        raise SparringError(f"cannot read {written!r}; {EXPECTED}")
    _read_tokens(tokens, s)
    s.to_move, s.die = PLAYERS.index(shape[1]), 0 if shape[2] == "-" else int(shape[2])
    told = dict(word.partition("=")[::2] for word in extra)
    if unknown := [word for word in told if word not in ("sixes", "tries", "round1", "places")]:
        may_follow = "after the roll only sixes=, tries=, round1= and places= may follow"
        raise SparringError(f"{unknown[0]!r} in {written!r}; {may_follow}")
    known = {"sixes": "1" if s.max_sixes and s.die == SIX else "0", "tries": "0", "round1": "0", **told}
    s.sixes = _count("sixes", known, max(0, int(s.max_sixes) - 1))
    s.tries = _count("tries", known, int(s.home_tries) - 1)
    s.first_round = _count("round1", known, int(s.players) if first_round_differs(s) else 0)
    _award_places(s, told.get("places"))
    return s


def _read_tokens(tokens: str, s: Any) -> None:
    players = [side.split(",") for side in tokens.split("/")]
    if len(players) != s.players or any(len(tiles) != s.tokens for tiles in players):
        raise SparringError(f"{tokens!r} are not {s.tokens} tokens of each of {s.players} players; {EXPECTED}")
    owners: dict[int, int] = {}
    for player, tiles in enumerate(players):
        for token, tile in enumerate(tiles):
            if not tile.isdecimal() or int(tile) > GOAL:
                expected = "expected 0 for home, 1 to 51, 52 to 56 in the corridor, 57 for goal"
                raise SparringError(f"no tile {tile!r}; {expected}")
            s.at[player, token] = int(tile)
            ring = (int(s.start[player]) + int(tile) - 1) % RING
            if HOME < int(tile) <= TURN_OFF and not s.ludopy and owners.setdefault(ring, player) != player:
                raise SparringError(f"{PLAYERS[owners[ring]]} stands on the same tile as {PLAYERS[player]} on {tile}")


def _count(word: str, numbers: Mapping[str, str], most: int) -> int:
    number = numbers[word]
    if not number.isdecimal() or int(number) > most:
        raise SparringError(f"{word}={number} does not fit the game's options; expected at most {most}")
    return int(number)


def _award_places(s: Any, order: str | None) -> None:
    finished = [PLAYERS[player] for player in range(s.players) if set(tokens_of(s, player)) == {GOAL}]
    order = "".join(finished) if order is None and len(finished) < 2 else order or ""
    if sorted(order) != finished:
        who = ", ".join(finished) or "nobody"
        raise SparringError(f"{who} finished: give their order, such as places=BA, not {order or 'nothing'!r}")
    s.finished = len(order)
    for place, player in enumerate(order, 1):
        s.place[PLAYERS.index(player)] = place


def check_playable(s: Any, moves: Sequence[int]) -> None:
    """Refuse positions in which the mover cannot move, unless the game is over."""
    who, ended = PLAYERS[s.to_move], s.finished >= s.ends_after
    if ended and s.die:
        raise SparringError(f"the game is over: write {who}- for the last player that moved")
    if s.die == 0 and not ended:
        raise SparringError(f"give the roll of {who}, e.g. {who}6")
    if not moves and not ended:
        raise SparringError(f"{who} cannot move with a {s.die}: the die would have passed on")


# Drawing


def drawing(s: Any) -> str:
    """Draw the board for a terminal: . free, * star, o globe, small letters start tiles, : corridors."""
    signs = {"star": "*", "globe": "o", "start": "o", "": "."}
    cells, lines = {cell: signs[ring_sign(index)] for index, cell in enumerate(RING_CELLS)}, []
    for player in range(s.players):
        cells |= {cell_of(int(s.start[player]), 0, tile): ":" for tile in range(CORRIDOR, GOAL)}
        cells[cell_of(int(s.start[player]), 0, 1)] = PLAYERS[player].lower()
    for player in range(s.players):  # by ludopy's rules two players may share a cell; the later one is drawn
        tiles = tokens_of(s, player)
        there = [cell_of(int(s.start[player]), token, tile) for token, tile in enumerate(tiles)]
        cells |= {
            cell: PLAYERS[player] * n if (n := there.count(cell)) < 4 else f"{PLAYERS[player]}x4" for cell in there
        }
        tokens = "  ".join(f"{token}: {tile_name(tile):4}" for token, tile in enumerate(tiles, 1))
        lines.append(f"{PLAYERS[player]}  {tokens}".rstrip())
    rows = ["".join(f"{cells.get((row, column), ''):^3}" for column in range(SIDE)).rstrip() for row in range(SIDE)]
    who = PLAYERS[s.to_move]
    turn = f"{who} has rolled a {s.die}" if s.die else f"{who} is to roll"
    return "\n".join([*rows, "", *lines, f"{placed(s)[0]} has won" if s.finished >= s.ends_after else turn])


# Events


def happened(before: Any, after: Any) -> list[NotableEvent]:
    """Return tokens that were sent home, tokens that came into goal, and places that were won."""
    me, found = int(before.to_move), []
    for player in range(before.players):
        for token, (was, now) in enumerate(zip(tokens_of(before, player), tokens_of(after, player), strict=True)):
            name = f"{PLAYERS[player]}'s token {token + 1}"
            if now == HOME != was:
                how = f"is sent home from {was} by {PLAYERS[me]}" if player != me else f"runs into others from {was}"
                found.append(NotableEvent("capture", f"{name} {how}"))
            if now == GOAL != was:
                found.append(NotableEvent("goal", f"{name} is in goal"))
        if after.place[player] > before.place[player]:
            found.append(NotableEvent("place", f"{PLAYERS[player]} takes place {after.place[player]}"))
    return found


# JSON


def to_json(s: Any, moves: Sequence[int]) -> dict[str, Any]:
    players = {
        PLAYERS[player]: {
            "seat": int(s.start[player]) // QUARTER,
            "tokens": tokens_of(s, player),
            "place": int(s.place[player]) or None,
        }
        for player in range(s.players)
    }
    turn = {"to_move": PLAYERS[s.to_move], "die": int(s.die) or None, "legal": [token + 1 for token in moves]}
    return {"players": players, **turn, "sixes": int(s.sixes), "tries": int(s.tries), "round1": int(s.first_round)}


def text_of_json(data: Mapping[str, Any]) -> str:
    missing = [key for key in ("players", "to_move", "die") if key not in data]
    if missing:
        raise SparringError(f"a position of Ludo as JSON needs {missing[0]!r}")
    players: Mapping[str, Mapping[str, Any]] = data["players"]
    tokens = "/".join(",".join(map(str, players[name]["tokens"])) for name in sorted(players))
    places = {name: int(players[name].get("place") or 0) for name in players}
    order = "".join(sorted((name for name in players if places[name]), key=lambda name: places[name]))
    words = [f"{word}={data[word]}" for word in ("sixes", "tries", "round1") if data.get(word)]
    words += [f"places={order}"] if len(order) > 1 else []
    return " ".join([tokens, f"{data['to_move']}{data['die'] or '-'}", *words])
