"""How a position of Ludo is written and drawn, and where its tiles lie on the board.

Players are A, B, C and D in the order of play, tokens 1 to 4. A tile is called by the steps of the token's owner:
0 home, 1 to 51 on the ring, 52 to 56 in the corridor, 57 goal.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError
from sparring.games.contract import Happening
from sparring.games.ludo.state import (
    CORRIDOR,
    GLOBES,
    GOAL,
    HOME,
    NOT_IN_FIRST_ROUND,
    QUARTER,
    RING,
    STARS,
    TURN_OFF,
)

PLAYERS = "ABCD"
SIDE = 15
"""The board is a cross of so many rows and columns."""
Cell = tuple[int, int]

EXPECTED = "expected each player's tokens and who has rolled what, such as 0,0,0,1/0,0,14,57 A6"


# Where the tiles lie


def turned(cell: Cell, quarters: int) -> Cell:
    """The cell that lies there after turning the board clockwise."""
    for _ in range(quarters):
        cell = cell[1], SIDE - 1 - cell[0]
    return cell


def _first_quarter() -> list[Cell]:
    """From seat 0's start rightwards, up its neighbour's arm and round the tip of it."""
    return [(6, column) for column in range(1, 6)] + [(row, 6) for row in range(5, -1, -1)] + [(0, 7), (0, 8)]


RING_CELLS = [turned(cell, quarter) for quarter in range(4) for cell in _first_quarter()]
CORRIDOR_CELLS = [(7, column) for column in range(1, 7)]
"""Of seat 0; the last one is the goal."""
HOME_CELLS = [(2, 2), (2, 3), (3, 2), (3, 3)]


def cell_of(start: int, token: int, tile: int) -> Cell:
    """Where a token is drawn whose owner starts from that tile of the ring."""
    if tile == HOME:
        return turned(HOME_CELLS[token], start // QUARTER)
    if tile >= CORRIDOR:
        return turned(CORRIDOR_CELLS[tile - CORRIDOR], start // QUARTER)
    return RING_CELLS[(start + tile - 1) % RING]


def ring_sign(index: int) -> str:
    """What is special about a tile of the ring: star, globe, start or nothing."""
    tile = index % QUARTER + 1
    return "start" if tile == 1 else "star" if tile in STARS else "globe" if tile in GLOBES else ""


# Words


def tokens_of(s: Any, player: int) -> list[int]:
    return [int(tile) for tile in s.at[player][: s.tokens]]


def tile_name(tile: int) -> str:
    return {HOME: "home", GOAL: "goal"}.get(tile, str(tile))


def first_round_differs(s: Any) -> bool:
    """Whether the rules have to know that the first round is not over."""
    return bool(s.six_again == NOT_IN_FIRST_ROUND or (s.home_tries > 1 and not s.late_tries))


def is_over(s: Any) -> bool:
    return bool(s.finished >= s.ends_after)


def move_name(before: Any, after: Any, token: int) -> str:
    """Token, from where, to where: `t2_14to18`, or `t2_14x18` if somebody is sent home."""
    me = int(before.to_move)
    struck = any(
        tokens_of(before, player) != tokens_of(after, player) for player in range(before.players) if player != me
    )
    return f"t{token + 1}_{before.at[me, token]}{'x' if struck else 'to'}{after.at[me, token]}"


def text(s: Any) -> str:
    """Tokens of each player, then who has rolled what: `0,0,0,1/0,0,14,57 A6`; and whatever else is to be known."""
    tokens = "/".join(",".join(map(str, tokens_of(s, player))) for player in range(s.players))
    more = {"sixes": int(s.sixes), "tries": int(s.tries), "round1": int(s.first_round)}
    extra = [f"{word}={number}" for word, number in more.items() if number]
    extra += [f"places={''.join(placed(s))}"] if s.finished > 1 else []
    return " ".join([tokens, f"{PLAYERS[s.to_move]}{s.die or '-'}", *extra])


def placed(s: Any) -> list[str]:
    """The players who have a place, the best first."""
    found = [player for player in range(s.players) if s.place[player]]
    return [PLAYERS[player] for player in sorted(found, key=lambda player: int(s.place[player]))]


# Reading


def parse(written: str, s: Any) -> Any:
    """The inverse of `text`, written into a state that has everybody at home."""
    tokens, turn, *extra = written.split() if len(written.split()) > 1 else ("", "")
    shape = re.fullmatch(r"([A-D])([1-6-])", turn)
    if not shape or PLAYERS.index(shape[1]) >= s.players:
        raise SparringError(f"cannot read {written!r}; {EXPECTED}")
    _read_tokens(tokens, s)
    s.to_move = PLAYERS.index(shape[1])
    s.die = 0 if shape[2] == "-" else int(shape[2])
    told = dict(word.partition("=")[::2] for word in extra)
    for word in told:
        if word not in ("sixes", "tries", "round1", "places"):
            raise SparringError(
                f"{word!r} in {written!r}; after the roll only sixes=, tries=, round1= and places= may follow"
            )
    s.sixes = _count(
        "sixes", told.get("sixes", "1" if s.max_sixes and s.die == 6 else "0"), max(0, int(s.max_sixes) - 1)
    )
    s.tries = _count("tries", told.get("tries", "0"), int(s.home_tries) - 1)
    s.first_round = _count("round1", told.get("round1", "0"), int(s.players) if first_round_differs(s) else 0)
    _award_places(s, told.get("places"))
    return s


def _read_tokens(tokens: str, s: Any) -> None:
    players = [side.split(",") for side in tokens.split("/")]
    if len(players) != s.players or any(len(tiles) != s.tokens for tiles in players):
        raise SparringError(f"{tokens!r} are not {s.tokens} tokens of each of {s.players} players; {EXPECTED}")
    for player, tiles in enumerate(players):
        for token, tile in enumerate(tiles):
            if not tile.isdecimal() or int(tile) > GOAL:
                raise SparringError(
                    f"no tile {tile!r}; expected 0 for home, 1 to 51, 52 to 56 in the corridor, 57 for goal"
                )
            s.at[player, token] = int(tile)
    if not s.ludopy:
        _refuse_shared_tiles(s)


def _refuse_shared_tiles(s: Any) -> None:
    owners: dict[int, int] = {}
    for player in range(s.players):
        for tile in tokens_of(s, player):
            if (
                HOME < tile <= TURN_OFF
                and owners.setdefault((int(s.start[player]) + tile - 1) % RING, player) != player
            ):
                other = owners[(int(s.start[player]) + tile - 1) % RING]
                raise SparringError(f"{PLAYERS[other]} stands on the same tile as {PLAYERS[player]} on {tile}")


def _count(word: str, number: str, most: int) -> int:
    if not number.isdecimal() or int(number) > most:
        raise SparringError(f"{word}={number} does not fit the game's options; expected at most {most}")
    return int(number)


def _award_places(s: Any, order: str | None) -> None:
    finished = [player for player in range(s.players) if all(tile == GOAL for tile in tokens_of(s, player))]
    order = "".join(PLAYERS[player] for player in finished) if order is None and len(finished) < 2 else order or ""
    if sorted(order) != [PLAYERS[player] for player in finished]:
        who = ", ".join(PLAYERS[player] for player in finished) or "nobody"
        raise SparringError(f"{who} finished: say in which order, such as places=BA, not {order or 'nothing'!r}")
    s.finished = len(order)
    for place, player in enumerate(order, 1):
        s.place[PLAYERS.index(player)] = place


def refuse_idle(s: Any, moves: Sequence[int]) -> None:
    """A position is one in which somebody can move, or the game is over."""
    who = PLAYERS[s.to_move]
    if is_over(s) and s.die:
        raise SparringError(f"the game is over: write {who}- for the last who moved")
    if s.die == 0 and not is_over(s):
        raise SparringError(f"say what {who} has rolled, e.g. {who}6")
    if not moves and not is_over(s):
        raise SparringError(f"{who} cannot move with a {s.die}: the die would have passed on")


# Drawing


def drawing(s: Any) -> str:
    """The board for a terminal: . free, * star, o globe, small letters start tiles, : corridors."""
    cells = background(s)
    for cell, (player, tokens) in crowds(s).items():
        cells[cell] = PLAYERS[player] * len(tokens) if len(tokens) < 4 else f"{PLAYERS[player]}x4"
    rows = ["".join(f"{cells.get((row, column), ''):^3}" for column in range(SIDE)).rstrip() for row in range(SIDE)]
    return "\n".join([*rows, "", *(standing(s, player) for player in range(s.players)), situation(s)])


def background(s: Any) -> dict[Cell, str]:
    signs = {"star": "*", "globe": "o", "start": "o", "": "."}
    cells = {cell: signs[ring_sign(index)] for index, cell in enumerate(RING_CELLS)}
    for player in range(s.players):
        cells[cell_of(int(s.start[player]), 0, 1)] = PLAYERS[player].lower()
        for tile in range(CORRIDOR, GOAL):
            cells[cell_of(int(s.start[player]), 0, tile)] = ":"
    return cells


def crowds(s: Any) -> dict[Cell, tuple[int, list[int]]]:
    """The cells with tokens on them: whose they are and which. By ludopy's rules two players may share one; the later
    one is drawn."""
    found: dict[Cell, tuple[int, list[int]]] = {}
    for player in range(s.players):
        for token, tile in enumerate(tokens_of(s, player)):
            cell = cell_of(int(s.start[player]), token, tile)
            there = found.get(cell, (player, []))[1] if found.get(cell, (player,))[0] == player else []
            found[cell] = player, [*there, token]
    return found


def standing(s: Any, player: int) -> str:
    tokens = "  ".join(f"{token}: {tile_name(tile):4}" for token, tile in enumerate(tokens_of(s, player), 1))
    return f"{PLAYERS[player]}  {tokens}".rstrip()


def situation(s: Any) -> str:
    if is_over(s):
        return f"{placed(s)[0]} has won"
    who = PLAYERS[s.to_move]
    return f"{who} has rolled a {s.die}" if s.die else f"{who} is to roll"


# What happens


def happened(before: Any, after: Any) -> list[Happening]:
    """Tokens that were sent home, those that came into goal, and places that were won with them."""
    me, found = int(before.to_move), []
    for player in range(before.players):
        for token, (was, now) in enumerate(zip(tokens_of(before, player), tokens_of(after, player), strict=True)):
            name = f"{PLAYERS[player]}'s token {token + 1}"
            if now == HOME != was:
                how = f"is sent home from {was} by {PLAYERS[me]}" if player != me else f"runs into others from {was}"
                found.append(Happening("capture", f"{name} {how}"))
            if now == GOAL != was:
                found.append(Happening("goal", f"{name} is in goal"))
        if after.place[player] > before.place[player]:
            found.append(Happening("place", f"{PLAYERS[player]} takes place {after.place[player]}"))
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
    return {
        "players": players,
        "to_move": PLAYERS[s.to_move],
        "die": int(s.die) or None,
        "legal": [token + 1 for token in moves],
        "sixes": int(s.sixes),
        "tries": int(s.tries),
        "round1": int(s.first_round),
    }


def text_of_json(data: Mapping[str, Any]) -> str:
    missing = [key for key in ("players", "to_move", "die") if key not in data]
    if missing:
        raise SparringError(f"a position of Ludo as JSON needs {missing[0]!r}")
    players: Mapping[str, Mapping[str, Any]] = data["players"]
    sides: Sequence[Sequence[int]] = [players[name]["tokens"] for name in sorted(players)]
    places = {name: players[name].get("place") for name in players}
    order = sorted((name for name in players if places[name]), key=lambda name: int(places[name] or 0))
    words = ["/".join(",".join(map(str, side)) for side in sides), f"{data['to_move']}{data['die'] or '-'}"]
    words += [f"{word}={data[word]}" for word in ("sixes", "tries", "round1") if data.get(word)]
    return " ".join([*words, *([f"places={''.join(order)}"] if len(order) > 1 else [])])
