"""Utility: every piece takes the cell that suits it best, weighing ten wishes. It tries no rounds out.

The game's project began with such a player, in three tempers. It sees neither zones nor who might be met on the way.
"""

import time
from collections.abc import Iterator
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, Judged
from sparring.agents.spec import Spec, only_options
from sparring.errors import unknown
from sparring.games.contract import Action, Game
from sparring.games.flagwar import board
from sparring.games.flagwar.board import Point
from sparring.games.flagwar.state import COMMAND_BITS

WISHES = (
    "intercept_carrier",
    "grab_flag",
    "defend_flag",
    "near_enemy_flag",
    "protect_carrier",
    "block_path",
    "grab_key",
    "avoid_tag",
    "avoid_enemy_land",
    "avoid_enemies",
)
TEMPERS = {
    "balanced": (0.18, 0.18, 0.12, 0.12, 0.09, 0.14, 0.04, 0.10, 0.02, 0.01),
    "aggressive": (0.14, 0.32, 0.05, 0.23, 0.09, 0.03, 0.04, 0.07, 0.02, 0.01),
    "defensive": (0.25, 0.09, 0.20, 0.04, 0.14, 0.14, 0.03, 0.08, 0.02, 0.01),
}
"""How much each wish counts."""
FARTHEST, IN_REACH = 20, 3
WAYS = ((0, 1), (0, -1), (-1, 0), (1, 0))


class Utility(Agent):
    """Weighs ten wishes for every cell that a piece can go to: utility:balanced, :aggressive or :defensive."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (), name=True)
        temper = spec.name.partition(":")[2] or "balanced"
        if temper not in TEMPERS:
            raise unknown("temper of utility", temper, TEMPERS)
        self.spec = spec.text
        self.weights = dict(zip(WISHES, TEMPERS[temper], strict=True))

    def decide(self, view: View) -> Decision:
        """The first of the best cells of each piece; to stay is not thought of."""
        started = time.perf_counter()
        seen, joined, judged, looked_at = Sight(view.state, view.me), 0, [], 0
        for piece, cell in enumerate(seen.own):
            if cell is None:
                continue
            best: tuple[float, Action, dict[str, float]] = (-1.0, 0, {})
            for command, end in moves(view.state, cell):
                wishes = seen.wishes(piece, end)
                total = sum(self.weights[wish] * value for wish, value in wishes.items())
                best = max(best, (total, command << COMMAND_BITS * piece, wishes), key=lambda one: one[0])
                looked_at += 1
            joined += best[1]
            judged.append(Judged(best[1], best[0], terms=best[2]))
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=joined,
            candidates=tuple(judged),
            seconds=time.perf_counter() - started,
            weights=self.weights,
            notes={"evaluations": looked_at},
        )


def moves(s: Any, cell: Point) -> Iterator[tuple[int, Point]]:
    """Up, down, left and right as far as the board goes."""
    for way, (x, y) in enumerate(WAYS):
        for far in range(1, max(s.width, s.height)):
            end = (cell[0] + far * x, cell[1] + far * y)
            if 0 <= end[0] < s.width and 0 <= end[1] < s.height:
                yield board.command(way, far), end


class Sight:
    """A position as one side sees it."""

    def __init__(self, s: Any, me: int) -> None:
        self.s, self.me = s, me
        self.own = board.pieces_of(s, me)
        self.enemies = [point for point in board.pieces_of(s, 1 - me) if point]
        self.carrier, thief = board.carrier_of(s, me), board.carrier_of(s, 1 - me)
        self.thief = None if thief is None else board.pieces_of(s, 1 - me)[thief]
        self.flag, self.goal = board.flag_home(s, me), board.flag_home(s, 1 - me)
        self.key = board.key(s, me)

    def wishes(self, piece: int, end: Point) -> dict[str, float]:
        """How far each wish of a piece comes true on a cell, from 0 to 1. To a carrier the flag to grab is at home."""
        free, mate = self.carrier is None, None if self.carrier in (None, piece) else self.own[self.carrier]
        nearest = min(self.enemies, key=lambda enemy: apart(enemy, end), default=None)
        intruder = min(self.enemies, key=lambda enemy: apart(enemy, self.flag), default=None)
        abroad = board.ground(self.s, end) == 1 - self.me
        tagged = abroad and nearest is not None and apart(nearest, end) <= IN_REACH
        between = None if intruder is None else ((intruder[0] + self.flag[0]) // 2, (intruder[1] + self.flag[1]) // 2)
        return {
            "intercept_carrier": near(end, self.thief),
            "grab_flag": float(end == self.goal) if free else near(end, self.flag) * (self.carrier == piece),
            "defend_flag": near(end, self.flag),
            "near_enemy_flag": near(end, self.goal) if free else 0.0,
            "protect_carrier": near(end, mate),
            "block_path": near(end, between),
            "grab_key": near(end, self.key),
            "avoid_tag": 1.0 - tagged,
            "avoid_enemy_land": 1.0 - abroad,
            "avoid_enemies": 1.0 - near(end, nearest),
        }


def apart(one: Point, other: Point) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def near(end: Point, other: Point | None) -> float:
    """From 1 on the spot down to 0; 0 if there is nothing to be near to."""
    return 0.0 if other is None else max(0.0, 1.0 - apart(end, other) / FARTHEST)
