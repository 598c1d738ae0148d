"""What takes more than games: an opponent that knows an agent, positions with known answers, a solver, a course of
learning. Each reading is taken once and kept in the store, where it is found again as long as the code is the same."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from sparring import defaults
from sparring.agents.spec import agent
from sparring.arena.exploit import exploit
from sparring.arena.grade import keep_wins
from sparring.arena.suite import suite
from sparring.findings.claims import Question
from sparring.findings.measured import COUNT, PERCENT, Measured
from sparring.findings.measures import Evidence
from sparring.kernel import fingerprint
from sparring.learn.course import Classroom, Course, learn, tried

Instrument = Callable[[Evidence, str, dict[str, Any]], Measured]
"""Reads something of an agent or a state, by its text, with some settings."""


def exploited(evidence: Evidence, spec: str, settings: dict[str, Any]) -> Measured:
    """Percent of the points that an opponent has who knows what the agent will do."""
    games = settings.get("games", defaults.EXPLOITED_GAMES)
    known = exploit(evidence.game, agent(evidence.game, spec), games, evidence.seed, progress=evidence.progress)
    return _percent((known.share, *known.interval), f"{games:,} games")


def solved(evidence: Evidence, spec: str, settings: dict[str, Any]) -> Measured:
    """Percent of the positions of a tactical suite that an agent solves: of all, or of those that are named."""
    tries = settings.get("tries", defaults.TRIES)
    found = suite(evidence.game.name, [spec], tries, evidence.seed, evidence.progress)
    times = dict(zip((case.name for case in found.cases), found.solved[spec], strict=True))
    named = settings.get("cases", list(times))
    share = 100 * sum(times[name] for name in named) / (tries * len(named))
    return Measured.exactly(share, PERCENT, f"{len(named)} positions")


def keeps_won(evidence: Evidence, spec: str, settings: dict[str, Any]) -> Measured:
    """Percent of the choices that keep a won game won, by the exact solver."""
    games = settings.get("games", defaults.GRADED_GAMES)
    grades = keep_wins(evidence.game, [agent(evidence.game, spec)], games, evidence.seed, evidence.progress)
    return _percent(grades.share(spec), f"{sum(grades.positions.values()):,} positions")


def learned(evidence: Evidence, state: str, settings: dict[str, Any]) -> Measured:
    """Percent of games that a table wins after its course when all others play at random."""
    course = Course(state=state, seed=evidence.seed, **{"trial_games": 0, **settings})
    found = learn(evidence.game, course, progress=evidence.progress)
    if found.interrupted:
        raise KeyboardInterrupt
    trial = tried(course, Classroom(evidence.game, "random"), found.table, Course.trial_games)
    return _percent((trial.won, trial.low, trial.high), f"{Course.trial_games:,} games")


def states(evidence: Evidence, state: str, settings: dict[str, Any]) -> Measured:
    """How many different states there are."""
    return Measured.exactly(Course(state=state).abstraction.size, COUNT, "counted")


OF_AGENTS: dict[str, Instrument] = {"exploited": exploited, "solved": solved, "keeps_won": keeps_won}
OF_STATES: dict[str, Instrument] = {"learned": learned, "states": states}
INSTRUMENTS = {**OF_AGENTS, **OF_STATES}


def reading(evidence: Evidence, question: Question) -> Measured:
    """What a question's instrument says of its agent or state, or how much more than of the other."""
    settings = {**question.settings, **(question.quick if evidence.quick else {})}
    ours = _kept(evidence, question.measure, question.agent, settings)
    return ours.less(_kept(evidence, question.measure, question.against, settings)) if question.against else ours


def _kept(evidence: Evidence, measure: str, of: str, settings: Mapping[str, Any]) -> Measured:
    about = {"measure": measure, "of": of, "settings": settings, "seed": evidence.seed}
    about |= {"game": evidence.game.name, "options": evidence.game.options(), "code": fingerprint()}
    id = hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=6).hexdigest()
    if not evidence.store.steps(id):
        found = INSTRUMENTS[measure](evidence, of, dict(settings))
        evidence.store.add_step(id, 0, {"about": about, "found": asdict(found) | {"source": id}})
    return Measured(**evidence.store.steps(id)[0]["found"])


def _percent(shares: tuple[float, float, float], of: str) -> Measured:
    value, low, high = (100 * one for one in shares)
    return Measured(value, low, high, PERCENT, of)
