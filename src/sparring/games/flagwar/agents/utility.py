"""Utility: every piece takes the cell that suits it best, weighing ten wishes. It tries no rounds out.

The game's project began with such a player, in three tempers. It sees neither zones nor who might be met on the way.
Each flaw of it is a switch.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, Judged
from sparring.agents.editions import fixes_of
from sparring.agents.spec import Spec, only_options
from sparring.core.errors import SparringError, unknown
from sparring.games.contract import Action, Game
from sparring.games.flagwar import board
from sparring.games.flagwar.account import STEPS
from sparring.games.flagwar.agents.commander import by_piece
from sparring.games.flagwar.board import Point
from sparring.games.flagwar.places import start_cell
from sparring.games.flagwar.state import COMMAND_BITS, DISTANCE_BITS, LONGEST, ONE_PIECE, A

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
FIXES = {
    "up": "up is where the rules have it: when this was written it was down, so that pieces go the wrong way",
    "stay": "to stay is thought of too",
    "paths": "where a command leads is what the rules plan: not into the own zone, for rescuers from home, and as far "
    "as the board is long",
    "home": "who carries the flag wishes to be at home as much as others wish to grab it",
}
EDITIONS = {"as_written": frozenset[str](), "corrected": frozenset(FIXES)}
FARTHEST, LONGEST_STEP = 20, 10
IN_FRONT, CLOSE, BESIDE = 0.7, 0.3, 0.3
"""Blocking: in the thief's column on its way home, the more the closer; and in a column next to it."""
ABROAD, ADJOINING = 0.7, 0.3
"""How safe the enemy's land is, and how safe next to an enemy there."""


class Utility(Agent):
    """Weighs ten wishes for every cell that a piece can go to: utility, :balanced, :aggressive or :defensive, and
    utility:corrected or utility:aggressive:corrected."""

    flaws = FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("fix", "keep"), name=True)
        words = spec.name.split(":")[1:]
        for word in words:
            if word not in TEMPERS and word not in EDITIONS:
                raise unknown("temper or edition of utility", word, [*TEMPERS, *EDITIONS])
        tempers, editions = [one for one in words if one in TEMPERS], [one for one in words if one in EDITIONS]
        if len(tempers) > 1 or len(editions) > 1:
            raise SparringError(f"{spec.text!r} names two tempers or two editions; utility has one of each")
        self.fixes = fixes_of(spec, EDITIONS, FIXES, *editions or ["as_written"])
        self.spec = spec.text
        self.game: Any = game
        self.weights = dict(zip(WISHES, TEMPERS[tempers[0] if tempers else "balanced"], strict=True))

    def decide(self, view: View) -> Decision:
        """The first of the best cells of each piece."""
        started = time.perf_counter()
        seen, joined, judged, looked_at = Sight(view.state, view.me, "home" in self.fixes), 0, [], 0
        gains = [dict[Action, float]() for _ in seen.own]
        for piece, cell in enumerate(seen.own):
            if cell is None:
                continue
            best: tuple[float, Action, dict[str, float]] = (-1.0, 0, {})
            stays = self._total(seen.wishes(piece, board.begins(view.state, view.me, piece)))
            for command, end in self._moves(view.state, view.me, piece, cell):
                action, wishes = command << COMMAND_BITS * piece, seen.wishes(piece, end)
                total = self._total(wishes)
                best = max(best, (total, action, wishes), key=lambda one: one[0])
                gains[piece][action] = total - stays
                looked_at += 1
            joined += best[1]
            judged.append(Judged(best[1], best[0], terms=best[2]))
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=joined,
            candidates=tuple(judged),
            nodes=looked_at,
            seconds=time.perf_counter() - started,
            weights=self.weights,
            notes={"evaluations": looked_at, "pieces": by_piece(gains, joined)},
        )

    def explain(self, view: View) -> Decision:
        """With every command of every piece, its mates staying. A command of several pieces has the sum of their
        wishes."""
        seen = Sight(view.state, view.me, "home" in self.fixes)
        ends = [
            {} if cell is None else dict(self._moves(view.state, view.me, piece, cell))
            for piece, cell in enumerate(seen.own)
        ]

        def judged(action: Action) -> Candidate:
            total = dict.fromkeys(WISHES, 0.0)
            for piece, known in enumerate(ends):
                if seen.own[piece]:
                    stays = board.begins(view.state, view.me, piece)
                    end = known.get(action >> COMMAND_BITS * piece & ONE_PIECE, stays)
                    for wish, value in seen.wishes(piece, end).items():
                        total[wish] += value
            return Judged(action, self._total(total), terms=total)

        decision = self.decide(view)
        alone = (command << COMMAND_BITS * piece for piece, known in enumerate(ends) for command in known)
        every = dict.fromkeys([decision.action, 0, *alone])
        return replace(decision, candidates=tuple(map(judged, every)), ask=judged)

    def _total(self, wishes: dict[str, float]) -> float:
        return sum(self.weights[wish] * value for wish, value in wishes.items())

    def _moves(self, s: Any, me: int, piece: int, cell: Point) -> Iterator[tuple[int, Point]]:
        """What a piece may be told and where it believes to end: up, down, left and right, the shortest first."""
        commands = [board.command(way, far) for way in range(4) for far in range(1, LONGEST_STEP + 1)]
        if "paths" in self.fixes:
            commands = self.game.commands(s, me)[piece].tolist()[1:]
            cell = board.point_of(start_cell(s, me, piece)) if piece in board.pending(s, me) else cell
        for command in [*([0] if "stay" in self.fixes else []), *commands]:
            far, (x, y) = command & LONGEST, STEPS[command >> DISTANCE_BITS]
            end = (cell[0] + far * x, cell[1] + far * (y if "up" in self.fixes else -y))
            if 0 <= end[0] < s.width and 0 <= end[1] < s.height:
                yield command, end


class Sight:
    """A position as one side sees it."""

    def __init__(self, s: Any, me: int, carriers_go_home: bool) -> None:
        self.s, self.me, self.carriers_go_home = s, me, carriers_go_home
        self.own = board.pieces_of(s, me)
        self.enemies = [point for point in board.pieces_of(s, 1 - me) if point]
        self.carrier, thief = board.carrier_of(s, me), board.carrier_of(s, 1 - me)
        self.thief = None if thief is None else board.pieces_of(s, 1 - me)[thief]
        self.flag, self.goal = board.flag_home(s, me), board.flag_home(s, 1 - me)
        self.key = board.key(s, me)

    def wishes(self, piece: int, end: Point) -> dict[str, float]:
        """How far each wish of a piece comes true on a cell, from 0 to 1."""
        free, mate = self.carrier is None, None if self.carrier in (None, piece) else self.own[self.carrier]
        homeward = near(end, self.flag) if self.carriers_go_home and self.carrier == piece else 0.0
        nearest = min((apart(enemy, end) for enemy in self.enemies), default=FARTHEST)
        abroad = board.ground(self.s, end) == 1 - self.me
        return {
            "intercept_carrier": near(end, self.thief),
            "grab_flag": float(end == self.goal) if free else homeward,
            "defend_flag": near(end, self.flag) if self.thief is None else 0.0,
            "near_enemy_flag": near(end, self.goal) if free else 0.0,
            "protect_carrier": near(end, mate),
            "block_path": self.blocks(end),
            "grab_key": float(end == self.key),
            "avoid_tag": {0: 0.0, 1: ADJOINING}.get(nearest, ABROAD) if abroad else 1.0,
            "avoid_enemy_land": 1.0 - abroad,
            "avoid_enemies": min(1.0, nearest / FARTHEST),
        }

    def blocks(self, end: Point) -> float:
        """How far a cell is in the thief's way home."""
        if self.thief is None:
            return 0.0
        ahead = (end[1] - self.thief[1]) * (1 if 1 - self.me == A else -1)
        beside = abs(end[0] - self.thief[0])
        if ahead <= 0 or beside > 1:
            return 0.0
        return BESIDE if beside else IN_FRONT + CLOSE * max(0.0, 1.0 - ahead / LONGEST_STEP)


def apart(one: Point, other: Point) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def near(end: Point, other: Point | None) -> float:
    """From 1 on the spot down to 0; 0 if there is nothing to be near to."""
    return 0.0 if other is None else max(0.0, 1.0 - apart(end, other) / FARTHEST)
