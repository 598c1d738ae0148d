"""JSON that comes from strangers: what it tells is of the kind that is expected, or it is an error of one line."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError

Json = Mapping[str, Any]
MOST = 1 << 31
"""No number that a board tells is as large as this."""
MOST_LETTERS = 1000
"""Of a text that is kept, such as an id."""
SHOWN = 60
"""So many characters of what cannot be read are repeated."""


def parsed(data: Json | str | bytes) -> Json:
    """An object, from its text or as it is."""
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
    """The object under a key. Where there may be none, null is none too."""
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
    """The whole number under a key, also if it is written like 11.0."""
    value = required(data, key) if otherwise is None else data.get(key, otherwise)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -most < value < most or value != int(value):
        raise SparringError(f"{key!r} is {shown(value)}; expected a whole number")
    return int(value)


def word(data: Json, key: str, otherwise: str | None = None) -> str:
    """The text under a key; a number is one too."""
    value = required(data, key) if otherwise is None else data.get(key, otherwise)
    if isinstance(value, dict | list) or len(str(value)) > MOST_LETTERS:
        raise SparringError(f"{key!r} is {shown(value)}; expected a text of at most {MOST_LETTERS} letters")
    return str(value)


def shown(value: Any) -> str:
    """Something that came from outside, on one line and not at length."""
    text = "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else str(value)
    return " ".join(text[:SHOWN].split())
