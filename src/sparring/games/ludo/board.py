"""The cells of Ludo's board, the words for its tiles, and the text of a position.

Players are A, B, C and D in the order of play, tokens 1 to 4. A tile is named by the steps of the token's owner: 0
home, 1 to 51 on the ring, 52 to 56 in the corridor, 57 goal.
"""

import re
from collections.abc import Mapping
from typing import Any

from sparring.core.errors import SparringError
from sparring.games.ludo.state import CORRIDOR, GLOBES, GOAL, HOME, QUARTER, RING, SIX, STARS, TURN_OFF

PLAYERS = "ABCD"
SIDE = 15  # rows and columns of the board, which is a cross
Cell = tuple[int, int]

EXPECTED = "expected each player's tokens, the mover and its roll, such as 0,0,0,1/0,0,14,57 A6"


# Cells of the board


def turned(cell: Cell, quarters: int) -> Cell:
    """Return the cell after turning the board clockwise by some quarters."""
    for _ in range(quarters):
        cell = cell[1], SIDE - 1 - cell[0]
    return cell


FIRST_QUARTER = [*((6, column) for column in range(1, 6)), *((row, 6) for row in range(5, -1, -1)), (0, 7), (0, 8)]
"""The ring from the start of seat 0 to the right, up the next arm and round its tip."""
RING_CELLS = [turned(cell, quarter) for quarter in range(4) for cell in FIRST_QUARTER]
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


def move_name(before: Any, after: Any, token: int) -> str:
    """Return token, first and last tile: `t2_14to18`, or `t2_14x18` if a token of another player is sent home."""
    me = int(before.to_move)
    others = [player for player in range(before.players) if player != me]
    sign = "x" if any(tokens_of(before, player) != tokens_of(after, player) for player in others) else "to"
    return f"t{token + 1}_{before.at[me, token]}{sign}{after.at[me, token]}"


def placed(s: Any) -> str:
    """Return the players with a place, the best first."""
    found = [player for player in range(s.players) if s.place[player]]
    return "".join(PLAYERS[player] for player in sorted(found, key=lambda player: int(s.place[player])))


# The text of a position


def text(s: Any) -> str:
    """Return the tokens of each player, the mover, its roll and what else counts, such as `0,0,0,1/0,0,14,57 A6`."""
    tokens = "/".join(",".join(map(str, tokens_of(s, player))) for player in range(s.players))
    more: dict[str, Any] = {"sixes": s.sixes, "tries": s.tries, "round1": s.first_round}
    more["places"] = placed(s) if s.finished > 1 else ""
    words = [f"{word}={value}" for word, value in more.items() if value]
    return " ".join([tokens, f"{PLAYERS[s.to_move]}{s.die or '-'}", *words])


def read(written: str, s: Any) -> None:
    """Read a text into the state before the first roll."""
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
    s.first_round = _count("round1", known, int(s.first_round))
    _award_places(s, told.get("places"))


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
