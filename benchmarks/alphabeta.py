"""Alpha-beta on 7x7 against the same search in C and against a list-based Python board.

Bars: improved at least 1/1.75 of C, voronoi at least 1/1.3, improved at least 400 times the plain board.
"""

import ctypes
from typing import Any

from plain_board import Board
from plain_board import alphabeta as plain_alphabeta
from side_by_side import REPEATS, compile_c, speeds
from sparring.agents.spec import agent
from sparring.core.dice import dice
from sparring.games.contract import Position
from sparring.games.registry import game
from sparring.search.tree import Budget

POSITIONS = 24
DEPTHS = {"improved": 12, "voronoi": 11}
PLAIN_DEPTH = 4


class State(ctypes.Structure):
    _fields_ = [("blocked", ctypes.c_int64), ("at", ctypes.c_int64 * 2), ("to_move", ctypes.c_int64)]


def in_c(library: ctypes.CDLL, position: Position, heuristic: str, pointer: bool) -> tuple[float, int]:
    s = position.state
    state = State(int(s.blocked), (ctypes.c_int64 * 2)(*s.at.tolist()), int(s.to_move))
    nodes = ctypes.c_int64()
    value = library.deepen(ctypes.byref(state), DEPTHS[heuristic], heuristic.encode(), pointer, ctypes.byref(nodes))
    return value, nodes.value


def compiled(search: Any, position: Position, depth: int) -> tuple[float, int]:
    found = search.run(position.state, Budget(depth=depth), dice(0), position.mover)
    return found.score, found.nodes


def plain(position: Position) -> int:
    board, nodes = Board(7, 7), [0]
    for cell in position.state.at.tolist():
        board.play(divmod(cell, 7))
    plain_alphabeta(board, PLAIN_DEPTH, -2e6, 2e6, 0, nodes)
    return nodes[0]


def main() -> None:
    isolation = game("isolation")
    positions = [isolation.start(seed) for seed in range(POSITIONS)]
    library = compile_c("alphabeta.c")
    library.deepen.restype = ctypes.c_double
    library.set_board(7, 7)
    print(f"7x7, {POSITIONS} openings, M nodes/s of processor time, median of {REPEATS}")
    for heuristic, bar in (("improved", 1.75), ("voronoi", 1.3)):
        search = agent(isolation, f"alphabeta:{heuristic}").search  # type: ignore[attr-defined]
        for position in positions:
            ours = compiled(search, position, DEPTHS[heuristic])
            assert ours == in_c(library, position, heuristic, True) == in_c(library, position, heuristic, False)
        contestants = {
            "sparring": lambda s=search, d=DEPTHS[heuristic]: sum(compiled(s, p, d)[1] for p in positions),
            "C, inlined": lambda h=heuristic: sum(in_c(library, p, h, False)[1] for p in positions),
            "C, pointer": lambda h=heuristic: sum(in_c(library, p, h, True)[1] for p in positions),
        }
        if heuristic == "improved":
            contestants["plain Python"] = lambda: sum(plain(p) for p in positions)
        found = speeds(contestants)
        shown = "  ".join(f"{name} {speed / 1e6:.3g}" for name, speed in found.items())
        inlined, pointer = (found[f"C, {kind}"] / found["sparring"] for kind in ("inlined", "pointer"))
        print(f"{heuristic}: {shown}")
        print(f"  C is {inlined:.2f} times as fast inlined, {pointer:.2f} by pointer (bar {bar})")
        if heuristic == "improved":
            print(f"  {found['sparring'] / found['plain Python']:.0f} times as fast as plain Python (bar 400)")


if __name__ == "__main__":
    main()
