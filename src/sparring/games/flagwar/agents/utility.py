"""Agents that simulate nothing: one that never moves, and `utility`, the first player of the game's own project.

For `utility` every piece takes the cell with the highest utility, a weighted sum of ten goals, in one of three styles.
It sees neither zones nor enemies on the way. Each of its flaws is a switch.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, EstimatedCandidate
from sparring.agents.spec import Spec, only_options
from sparring.agents.variants import fixes_of
from sparring.core.errors import SparringError, unknown
from sparring.games.contract import Action, Game
from sparring.games.flagwar import board
from sparring.games.flagwar.agents.simulating import gains_by_piece
from sparring.games.flagwar.geometry import Point
from sparring.games.flagwar.state import COMMAND_BITS, DISTANCE_BITS, LONGEST, ONE_PIECE, STAY, A
from sparring.games.flagwar.trace import STEPS, along

GOALS = (
    *("intercept_carrier", "grab_flag", "defend_flag", "near_enemy_flag", "protect_carrier"),
    *("block_path", "grab_key", "avoid_tag", "avoid_enemy_land", "avoid_enemies"),
)
STYLES = {
    "balanced": (0.18, 0.18, 0.12, 0.12, 0.09, 0.14, 0.04, 0.10, 0.02, 0.01),
    "aggressive": (0.14, 0.32, 0.05, 0.23, 0.09, 0.03, 0.04, 0.07, 0.02, 0.01),
    "defensive": (0.25, 0.09, 0.20, 0.04, 0.14, 0.14, 0.03, 0.08, 0.02, 0.01),
}
"""The weight of each goal."""
FIXES = {
    "up": "up is where the rules have it: when this was written it was down, so that pieces go the wrong way",
    "stay": "staying is considered too",
    "paths": "a path ends where the rules say: not in the own zone, for rescuers from home, and as far as the board is "
    "long",
    "home": "a carrier is drawn home as much as other pieces are drawn to the flag",
}
VARIANTS = {"as_written": frozenset[str](), "corrected": frozenset(FIXES)}
FARTHEST, LONGEST_STEP = 20, 10
IN_FRONT, CLOSE, BESIDE = 0.7, 0.3, 0.3
"""Blocking: in the thief's column on its way home, with a bonus for being close; and in a column next to it."""
ABROAD, ADJOINING = 0.7, 0.3  # the safety of enemy land, and of a cell there next to an enemy


class Still(Agent):
    """Never moves a piece."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ())
        self.spec = spec.text

    def decide(self, view: View) -> Decision:
        return Decision(self.spec, view.position, view.me, STAY)

    def explain(self, view: View) -> Decision:
        why = "no piece ever moves"
        return replace(self.decide(view), notes={"why": why}, ask=lambda action: Candidate(action, note=why))


class Utility(Agent):
    """Weighs ten goals for every cell that a piece can reach: utility, :balanced, :aggressive or :defensive, and
    utility:corrected or utility:aggressive:corrected."""

    flaws = FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("fix", "keep"), name=True)
        words = spec.name.split(":")[1:]
        for word in words:
            if word not in STYLES and word not in VARIANTS:
                raise unknown("style or variant of utility", word, [*STYLES, *VARIANTS])
        styles, variants = [one for one in words if one in STYLES], [one for one in words if one in VARIANTS]
        if len(styles) > 1 or len(variants) > 1:
            raise SparringError(f"{spec.text!r} names two styles or two variants; utility has one of each")
        self.fixes = fixes_of(spec, VARIANTS, FIXES, *variants or ["as_written"])
        self.spec = spec.text
        self.game: Any = game
        self.weights = dict(zip(GOALS, STYLES[styles[0] if styles else "balanced"], strict=True))

    def decide(self, view: View) -> Decision:
        """The first of the best cells of each piece."""
        started = time.perf_counter()
        joined, judged, gains = STAY, [], []
        for tried, stays in self._tried(view):
            totals = {action: self._total(goals) for action, goals in tried.items()}
            gains.append({action: total - self._total(stays) for action, total in totals.items()})
            if stays:
                best = max(totals, key=lambda action: totals[action], default=STAY)
                judged.append(EstimatedCandidate(best, totals.get(best, -1.0), terms=tried.get(best, {})))
                joined += best
        evaluated = sum(map(len, gains))
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=joined,
            candidates=tuple(judged),
            nodes=evaluated,
            seconds=time.perf_counter() - started,
            weights=self.weights,
            notes={"evaluations": evaluated, "pieces": gains_by_piece(gains, joined)},
        )

    def explain(self, view: View) -> Decision:
        """The decision with every command of every piece, its mates staying. A joint command adds up the goals."""
        pieces = self._tried(view)

        def judged(action: Action) -> Candidate:
            total = dict.fromkeys(GOALS, 0.0)
            for piece, (tried, stays) in enumerate(pieces):
                for goal, value in tried.get(action & ONE_PIECE << COMMAND_BITS * piece, stays).items():
                    total[goal] += value
            return EstimatedCandidate(action, self._total(total), terms=total)

        decision = self.decide(view)
        every = dict.fromkeys([decision.action, STAY, *(action for tried, _ in pieces for action in tried)])
        return replace(decision, candidates=tuple(map(judged, every)), ask=judged)

    def _tried(self, view: View) -> list[tuple[dict[Action, dict[str, float]], dict[str, float]]]:
        """The goals of every command of each piece, and those of staying; nothing for jailed pieces."""
        s, me, found = view.state, view.me, []
        seen = Surroundings(s, me, "home" in self.fixes)
        for piece, cell in enumerate(seen.own):
            moves = {} if cell is None else dict(self._moves(s, me, piece, cell))
            tried = {command << COMMAND_BITS * piece: seen.goals(piece, end) for command, end in moves.items()}
            found.append((tried, {} if cell is None else seen.goals(piece, board.origin(s, me, piece))))
        return found

    def _total(self, goals: dict[str, float]) -> float:
        return sum(self.weights[goal] * value for goal, value in goals.items())

    def _moves(self, s: Any, me: int, piece: int, cell: Point) -> Iterator[tuple[int, Point]]:
        """The commands of a piece and where it expects to end: up, down, left and right, the shortest first."""
        commands = [board.command(way, far) for way in range(4) for far in range(1, LONGEST_STEP + 1)]
        if "paths" in self.fixes:
            commands, cell = self.game.commands(s, me)[piece].tolist()[1:], board.origin(s, me, piece)
        for command in [*([0] if "stay" in self.fixes else []), *commands]:
            right, up = STEPS[command >> DISTANCE_BITS]
            end = along(cell, (right, up if "up" in self.fixes else -up), command & LONGEST)
            if 0 <= end[0] < s.width and 0 <= end[1] < s.height:
                yield command, end


class Surroundings:
    """A position as one side sees it."""

    def __init__(self, s: Any, me: int, carriers_go_home: bool) -> None:
        self.s, self.me, self.carriers_go_home = s, me, carriers_go_home
        self.own = board.pieces_of(s, me)
        self.enemies = [point for point in board.pieces_of(s, 1 - me) if point]
        self.carrier, thief = board.carrier_of(s, me), board.carrier_of(s, 1 - me)
        self.thief = None if thief is None else board.pieces_of(s, 1 - me)[thief]
        self.flag, self.enemy_flag = board.flag_home(s, me), board.flag_home(s, 1 - me)
        self.key = board.key(s, me)

    def goals(self, piece: int, end: Point) -> dict[str, float]:
        """A value from 0 to 1 for each goal of a piece on a cell."""
        free, mate = self.carrier is None, None if self.carrier in (None, piece) else self.own[self.carrier]
        homeward = near(end, self.flag) if self.carriers_go_home and self.carrier == piece else 0.0
        nearest = min((apart(enemy, end) for enemy in self.enemies), default=FARTHEST)
        abroad = board.ground(self.s, end) == 1 - self.me
        return {
            "intercept_carrier": near(end, self.thief),
            "grab_flag": float(end == self.enemy_flag) if free else homeward,
            "defend_flag": near(end, self.flag) if self.thief is None else 0.0,
            "near_enemy_flag": near(end, self.enemy_flag) if free else 0.0,
            "protect_carrier": near(end, mate),
            "block_path": self.blocks(end),
            "grab_key": float(end == self.key),
            "avoid_tag": {0: 0.0, 1: ADJOINING}.get(nearest, ABROAD) if abroad else 1.0,
            "avoid_enemy_land": 1.0 - abroad,
            "avoid_enemies": min(1.0, nearest / FARTHEST),
        }

    def blocks(self, end: Point) -> float:
        """The value of a cell for blocking the thief's way home."""
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
    """1 on the point itself, less with the distance; 0 without a point."""
    return 0.0 if other is None else max(0.0, 1.0 - apart(end, other) / FARTHEST)
