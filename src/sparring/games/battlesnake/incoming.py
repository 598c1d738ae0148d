"""JSON from strangers: each value is of the expected type, or the reader raises an error of one line."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError

Json = Mapping[str, Any]
MOST = 1 << 31
"""Numbers of a board are smaller than this."""
MOST_LETTERS = 1000
"""Limit for a text that is kept, such as an id."""
SHOWN = 60
"""Number of characters shown of a value that cannot be read."""


def parsed(data: Json | str | bytes) -> Json:
    """Parse a JSON object, or take one as it is."""
    try:
        read = json.loads(data) if isinstance(data, str | bytes) else data
    except (ValueError, RecursionError) as error:
        raise SparringError(f"this is no JSON: {shown(error)}") from error
    if not isinstance(read, dict):
        raise SparringError('expected a JSON object such as {"board": {"width": 11, "height": 11, "snakes": [...]}}')
    return read


def required(data: Json, key: str) -> Any:
    if key not in data:
        raise SparringError(f"{key!r} is missing; expected at least board with width, height and snakes with body")
    return data[key]


def object_(data: Json, key: str, otherwise: Json | None = None) -> Json:
    """The object under a key. If it may be missing, null counts as missing."""
    found = required(data, key) if otherwise is None else data.get(key) or otherwise
    if not isinstance(found, dict):
        raise SparringError(f"{key!r} is {shown(found)}; expected an object")
    return found


def objects(data: Json, key: str, otherwise: Sequence[Json] | None = None) -> Sequence[Json]:
    """The list of objects under a key."""
    found = required(data, key) if otherwise is None else data.get(key) or otherwise
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise SparringError(f"{key!r} is {shown(found)}; expected a list of objects")
    return found


def whole(data: Json, key: str, otherwise: int | None = None, most: int = MOST) -> int:
    """The whole number under a key; 11.0 is one."""
    value = required(data, key) if otherwise is None else data.get(key, otherwise)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -most < value < most or value != int(value):
        raise SparringError(f"{key!r} is {shown(value)}; expected a whole number")
    return int(value)


def word(data: Json, key: str, otherwise: str | None = None) -> str:
    """The text under a key; a number is accepted."""
    value = required(data, key) if otherwise is None else data.get(key, otherwise)
    if isinstance(value, dict | list) or len(str(value)) > MOST_LETTERS:
        raise SparringError(f"{key!r} is {shown(value)}; expected a text of at most {MOST_LETTERS} letters")
    return str(value)


def shown(value: Any) -> str:
    """A value from outside, shortened to one line."""
    text = "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else str(value)
    return " ".join(text[:SHOWN].split())
