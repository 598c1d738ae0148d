"""RHEA with a Negamax override: the second half of seed 002.

RHEA chooses a move, and a shallow search that knows only winning and dying checks it. If the move loses, another is
made. The design is there as written, as coded, and corrected; each flaw is a switch.
"""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.rhea import BUDGETS
from sparring.agents.spec import Spec, one_of, only_options, up_to
from sparring.agents.variants import fixes_of
from sparring.core.amounts import parse_number
from sparring.core.errors import SparringError
from sparring.games.battlesnake import one_by_one
from sparring.games.battlesnake.agents import rhea
from sparring.games.battlesnake.agents.rhea import Rhea
from sparring.games.battlesnake.heuristics import no_matter, survival, voronoi
from sparring.games.battlesnake.rules import MOVES
from sparring.games.contract import Action, Game
from sparring.search.alphabeta import alphabeta
from sparring.search.tree import DEFAULT_VARIANT, LAP_SECONDS, PROVEN, WIN, Budget, SearchVariant, TreeSearch

FIXES = {
    "draws": "to die together is a draw, which is no loss",
    "leaf": "a game that goes on is worth nothing to the check, neither for health nor for length",
    "chances": "a loss that the others must find is told from one that they cannot miss: the check counts the answers "
    "that lose, and its threshold is a chance",
    "ranking": "of the moves that are left RHEA's best is made, not the first",
    "rivals": "the two that are nearest are looked at, not only the first of the others",
}
"""The effect of each fix. Those of RHEA can be named too."""
VARIANTS = {"as_written": frozenset({"draws", "leaf"}), "as_coded": frozenset[str](), "corrected": frozenset(FIXES)}
DEPTH, THRESHOLD = 4, -5000.0
"""Values of the design document."""
CHANCES_DEPTH, CHANCE = 8, 0.2
"""For a check that counts chances: a single winning answer among three is more than a fifth."""
EVALUATIONS = ("simple", "voronoi")
"""Evaluation of positions that are not finished: the variant's own, or territory, which the design document proposes.
Territory is too small a number to make a move bad. It decides between the moves that are left."""
NO_END = math.inf
VERDICTS = {(True, False): "right", (True, True): "too late", (False, False): "needless", (False, True): "wrong"}
"""The verdict on an override: does the rejected move lose, does the chosen one?"""
LOST = 10_000.0
"""The score of a lost game in the design document."""


@dataclass(frozen=True)
class Check:
    """The verdict on a move: a score of the document, or the chance that it loses."""

    value: float
    is_chance: bool

    @property
    def worth(self) -> float:
        return -self.value if self.is_chance else self.value

    def __str__(self) -> str:
        return f"{self.value:.0%} of the answers win against it" if self.is_chance else f"{self.value:+,.0f}"


class NegamaxOverride:
    """Checks every move by a search of some turns that knows only winning and dying."""

    def __init__(
        self, game: Game, depth: int, threshold: float, fixes: frozenset[str], evaluation: str = EVALUATIONS[0]
    ) -> None:
        self.game: Any = game
        self.depth = depth
        self.threshold = threshold
        self.by_chance = "chances" in fixes
        leaf = voronoi if evaluation == "voronoi" else no_matter if "leaf" in fixes else survival
        answers = one_by_one.two_nearest if "rivals" in fixes else one_by_one.the_first
        way = one_by_one.way(one_by_one.not_into_bodies, answers, 0.0 if "draws" in fixes else -1.0)
        name = "_".join(("check", *sorted(fixes & {"draws", "rivals"})))
        manner = SearchVariant(name, {**DEFAULT_VARIANT.names, **way})
        self._search = TreeSearch(alphabeta, game, leaf.judge(game.state), manner)

    def checks(self, view: View, seconds: float | None = None) -> dict[Action, Check]:
        """Check every move to the full depth. With a time limit: turn by turn, as deep as time allows, maybe not at
        all."""
        if seconds is None:
            return self._looked(view, self.depth, NO_END)
        found: dict[Action, Check] = {}
        deadline = time.perf_counter() + seconds
        with suppress(TimeoutError):
            for depth in range(1, self.depth + 1):
                found = self._looked(view, depth, deadline)
        return found

    def _looked(self, view: View, depth: int, deadline: float) -> dict[Action, Check]:
        """Search a move; one that leads off the board or into a body is lost."""
        safe, ruin = self.game.safe_moves(view.state, view.me), Check(1.0 if self.by_chance else -LOST, self.by_chance)
        return {move: self.check(view, move, depth, deadline) if move in safe else ruin for move in view.legal}

    def check(self, view: View, move: Action, depth: int, deadline: float = NO_END) -> Check:
        ahead = self._search.ahead
        begun = ahead.after(ahead.root(view.state, view.me), move)
        if not self.by_chance:
            return Check(in_the_documents_points(self._value(begun, view, 2 * depth - 1, deadline)), False)
        answers = self._search.run_from(begun, Budget(nodes=1), view.dice, view.me).actions
        after = [ahead.after(begun, answer) for answer in answers]
        lost = sum(self._value(node, view, 2 * depth - 2, deadline) < -PROVEN for node in after)
        return Check(lost / len(after), True)

    def _value(self, node: Any, view: View, plies: int, deadline: float) -> float:
        """The value to the searching player."""
        left = deadline - time.perf_counter()
        timed = Budget(depth=plies, seconds=left if deadline < NO_END else None)
        found = self._search.run_from(node, timed, view.dice, view.me)
        if left - found.seconds < 3 * LAP_SECONDS:
            raise TimeoutError  # it may have been cut off
        return found.score

    def is_bad(self, check: Check) -> bool:
        return check.value > self.threshold if check.is_chance else check.value < self.threshold


def in_the_documents_points(score: float) -> float:
    """Convert a score to the document's points: 10,000 for a win, less for a late one; anything else is unchanged."""
    if abs(score) < PROVEN:
        return score
    turns = (WIN - abs(score)) // 2
    return LOST - turns if score > 0 else turns - LOST


class RheaWithOverride(Agent):
    """RHEA whose move is replaced if a shallow search sees it lose: override:as_written, :as_coded or :corrected."""

    draws = True
    metrics = {"override": "override frequency"}
    flaws = {**FIXES, **rhea.FIXES}

    def __init__(self, game: Game, spec: Spec) -> None:
        own = ("depth", "threshold", "eval", "judge")
        only_options(spec, (*Rhea.options, *BUDGETS, *own), weights=True, name=True)
        self.spec = spec.text
        self.rhea = Rhea(game, _for_rhea(spec, own))
        self.fixes = fixes_of(spec, VARIANTS, self.flaws) | self.rhea.fixes
        self.tunable = self.rhea.tunable
        self.timed = self.rhea.timed
        depth = up_to(30, spec, "depth", CHANCES_DEPTH if "chances" in self.fixes else DEPTH)
        self.override = NegamaxOverride(game, depth, self._threshold(spec), self.fixes, self._evaluation(spec))
        self._judge = None
        if "judge" in spec.options:
            deeper = up_to(30, spec, "judge", 0)
            if deeper <= depth:
                raise SparringError(f"judge has to look further than depth, which is {depth}, in {spec.text!r}")
            self._judge = NegamaxOverride(game, deeper, THRESHOLD, frozenset({"draws", "leaf", "rivals"}))

    def _threshold(self, spec: Spec) -> float:
        if "threshold" not in spec.options:
            return CHANCE if "chances" in self.fixes else THRESHOLD
        threshold = parse_number("threshold", spec.options["threshold"])
        if "chances" in self.fixes and not 0 <= threshold < 1:
            raise SparringError(f"threshold is a chance to lose, from 0 to 1, not {threshold:g} in {spec.text!r}")
        return threshold

    def _evaluation(self, spec: Spec) -> str:
        if "eval" in spec.options and "chances" in self.fixes:
            raise SparringError(f"a check that counts chances scores no game that goes on: drop eval in {spec.text!r}")
        return one_of(EVALUATIONS, spec, "eval", EVALUATIONS[0])

    @contextmanager
    def seated(self, dice: Any) -> Iterator["RheaWithOverride"]:
        with self.rhea.seated(dice) as seated:
            player = copy(self)
            player.rhea = seated
            yield player

    def decide(self, view: View) -> Decision:
        return self._checked(view, Rhea.decide)

    def explain(self, view: View) -> Decision:
        return self._checked(view, Rhea.explain)

    def _checked(self, view: View, ask: Any) -> Decision:
        """Give the check half of the time, and RHEA all that is left."""
        started = time.perf_counter()
        seconds = self.rhea.budget.within(view.seconds).seconds
        checks = self.override.checks(view, None if seconds is None else seconds / 2)
        left = None if seconds is None else max(0.001, seconds - (time.perf_counter() - started))
        decision: Decision = ask(self.rhea, replace(view, seconds=left))
        chosen = self._last_word(decision, checks)
        took = time.perf_counter() - started
        notes = {**decision.notes, "override": chosen != decision.action}
        if chosen != decision.action:
            notes["rejected"] = f"{MOVES[decision.action]}: {checks[decision.action]}"
            if self._judge and view.seconds is None:
                notes["judged"] = self._verdict(view, decision.action, chosen)
        candidates = decision.candidates
        if checks:
            said = ((c, str(checks[c.action])) for c in candidates)
            candidates = tuple(replace(c, note=f"{c.note}; {check}" if c.note else check) for c, check in said)
        return replace(decision, agent=self.spec, action=chosen, candidates=candidates, seconds=took, notes=notes)

    def _last_word(self, decision: Decision, checks: Mapping[Action, Check]) -> Action:
        """RHEA's move, or the best by the check if that one is bad and a better one exists."""
        wanted = decision.action
        if not checks or not self.override.is_bad(checks[wanted]):
            return wanted
        ranks = {c.action: -WIN if c.score is None else c.score for c in decision.candidates}
        by_rank = "ranking" in self.fixes
        best = max(checks, key=lambda move: (checks[move].worth, ranks[move] if by_rank else 0.0, -move))
        return best if checks[best].worth > checks[wanted].worth else wanted

    def _verdict(self, view: View, rejected: Action, chosen: Action) -> str:
        """Compare with the choice after a deeper search."""
        assert self._judge
        checks = self._judge.checks(view)
        return VERDICTS[self._judge.is_bad(checks[rejected]), self._judge.is_bad(checks[chosen])]


def _for_rhea(spec: Spec, own: tuple[str, ...]) -> Spec:
    """The spec for RHEA: its variant and options, and those fixes that are RHEA's."""
    options = {option: value for option, value in spec.options.items() if option not in own}
    for option in ("fix", "keep"):
        names = [name for name in options.pop(option, "").split("+") if name in rhea.FIXES]
        options |= {option: "+".join(names)} if names else {}
    variant = spec.name.partition(":")[2]
    return replace(spec, name=f"rhea:{variant}" if variant else "rhea", options=options)
