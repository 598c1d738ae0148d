"""Cost of the helpers that heuristics call: nanoseconds a call, over positions of random games.

The helpers are those of the tables in docs/GAME-reference.md. With --write the last column of these tables is
written anew.
"""

import re
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np

import sparring

DOCS = Path(__file__).parent.parent / "docs"
ROW = re.compile(r"(?m)^\| `(?P<call>[^`]+\))` \|(?P<meaning>.+)\|(?P<cost>[^|]*)\|$")
IMPORTS = re.compile(r"```python\n((?:from .+\n)+)```")
POSITIONS, ROUNDS = 1000, 21


def pages() -> Iterator[tuple[str, Path]]:
    for page in sorted(DOCS.glob("*-reference.md")):
        yield page.stem.removesuffix("-reference"), page


def states(name: str) -> Any:
    """Positions in the midst of random games of two."""
    game = sparring.game(name, **({"players": 2} if name == "ludo" else {}))
    random, found, seed = np.random.default_rng(1), [], 0
    while len(found) < POSITIONS:
        position, seed = game.start(seed=seed), seed + 1
        while not position.over:
            found.append(position.state.copy())
            legal = {player: game.legal(position.state, player) for player in position.actors}
            position = position.play({player: int(random.choice(actions)) for player, actions in legal.items()})
    picked = random.permutation(len(found))[:POSITIONS]
    return np.array([found[place] for place in picked], dtype=found[0].dtype)


def calling(call: str, names: dict[str, Any]) -> Any:
    """A compiled loop that calls a helper for every position and player."""
    text = (
        "def loop(states, total):\n    for place in range(len(states)):\n        s = states[place]\n"
        f"        for me in range(2):\n            total += {call}\n    return total\n"
    )
    space = dict(names)
    exec(text, space)
    return numba.njit(space["loop"])


def least(loop: Any, positions: Any) -> float:
    """Nanoseconds a call, the least of some rounds."""
    loop(positions, 0.0)
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        loop(positions, 0.0)
        times.append(time.perf_counter() - started)
    return min(times) / (2 * len(positions)) * 1e9


def with_cost(costs: dict[str, str], row: re.Match[str]) -> str:
    """A row of the page with the cost that was measured."""
    return f"| `{row['call']}` |{row['meaning']}| {costs[row['call']]} |"


def main() -> None:
    for name, page in pages():
        text = page.read_text()
        names: dict[str, Any] = {}
        for block in IMPORTS.findall(text):
            exec(block, names)
        names = {name: getattr(thing, "as_kernel", thing) for name, thing in names.items()}
        positions = states(name)
        costs: dict[str, str] = {}
        for row in ROW.finditer(text):
            call = row["call"]
            counted = f"sum({call})" if call == "territory(s, me)" else call
            costs[call] = f"{least(calling(counted, names), positions):.1f}"
            print(f"{name:12} {call:40} {costs[call]:>8} ns")
        if "--write" in sys.argv:
            page.write_text(ROW.sub(partial(with_cost, costs), text))


if __name__ == "__main__":
    main()
