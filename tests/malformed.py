"""Malformed requests, made from a valid one. The same seed makes the same requests."""

import json
import random
from copy import deepcopy
from typing import Any

JUNK: list[Any] = [
    None, True, -1, 0, 3.5, 1e308, float("nan"), float("inf"), 10**30, -(10**30), 1 << 63, "", "x", "11", "\ud800",
    "A" * 5000, [], {}, [[]], [None], [{}], {"x": 1}, {"x": "a", "y": []}, {"id": {}}, [{"x": 1, "y": 1}] * 300,
]  # fmt: skip


def malformed(valid: dict[str, Any], rng: random.Random) -> bytes:
    """Change some bytes, some values, or the whole request."""
    kind = rng.randrange(10)
    if kind < 6:
        data = json.loads(json.dumps(valid))
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            _spoil(data, rng)
        return json.dumps(data).encode(errors="replace")
    text = bytearray(json.dumps(valid).encode())
    if kind < 8:
        for _ in range(rng.choice((1, 3, 30))):
            text[rng.randrange(len(text))] = rng.randrange(256)
        return bytes(text)
    if kind == 8:
        return bytes(text[: rng.randrange(len(text))])
    depth = rng.choice((10, 900, 50_000))
    whole = ["[" * depth, '{"a":' * depth, "[" * depth + "]" * depth, '{"board":' + "9" * depth + "}", "", "null", "\0"]
    return rng.choice(whole).encode()


def _spoil(data: Any, rng: random.Random) -> None:
    """Put junk into an object, or remove or repeat a part of it."""
    while True:
        places = list(data) if isinstance(data, dict) else list(range(len(data)))
        if not places:
            return
        place = rng.choice(places)
        inside = data[place]
        if isinstance(inside, dict | list) and inside and rng.random() < 0.75:
            data = inside
            continue
        what = rng.randrange(4)
        if what == 0:
            del data[place]
        elif what == 1 and isinstance(data, list):
            data.append(inside)
        else:
            data[place] = deepcopy(rng.choice(JUNK))
        return
