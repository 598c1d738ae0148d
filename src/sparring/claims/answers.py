"""Answer claims: play the experiments of a document, or find them in the store, and measure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sparring.arena.experiment import DOCUMENT, Contest
from sparring.arena.result import Tournament
from sparring.arena.run import run
from sparring.arena.store import Store
from sparring.claims.claims import ELO, LATER, NEVER, OPEN, POINTS, SAME, Claim, Estimate, Question, negligible
from sparring.claims.document_file import DocumentFile
from sparring.claims.instruments import INSTRUMENTS, reading
from sparring.claims.measures import GAME_MEASURES, Evidence, lead, share
from sparring.core.progress import Progress
from sparring.statistics.intervals import Z95

QUICK, FULL = SIZES = ("quick", "full")
BETTER, WORSE = "better", "worse"
RANKING_SIZE = 5


@dataclass(frozen=True)
class Answer:
    """A question, the estimate if there is one, and the verdict."""

    name: str
    question: Question
    measured: Estimate | None
    verdict: str
    bounds: tuple[float, ...] = ()  # the values at which another verdict begins

    @property
    def label(self) -> str:
        """The name as a reader sees it."""
        return self.name.replace("_", " ")

    def __str__(self) -> str:
        return f"{self.question.says}: {f'{self.measured}, ' if self.measured else ''}{self.verdict}"

    def to_json(self) -> dict[str, Any]:
        measured = self.measured and {"value": self.measured.value, "interval": [self.measured.low, self.measured.high]}
        said = self.question.model_dump(exclude_defaults=True)
        return {"name": self.name, **said, "measured": measured, "verdict": self.verdict}


@dataclass(frozen=True)
class RankedAgent:
    name: str
    spec: str
    measured: Estimate


@dataclass(frozen=True)
class Findings:
    """The answers to a document's claims and corrections, and the strongest agents."""

    dossier: DocumentFile
    size: str
    results: tuple[Tournament, ...]
    claims: tuple[Answer, ...]
    corrections: tuple[Answer, ...]
    ranking: tuple[RankedAgent, ...]
    ahead: Estimate | None  # the lead of the first over the second

    def to_json(self) -> dict[str, Any]:
        return {
            "document": self.dossier.name,
            "title": self.dossier.document.title,
            "size": self.size,
            "claims": [one.to_json() for one in self.claims],
            "corrections": [one.to_json() for one in self.corrections],
            "ranking": [{"agent": one.name, "value": one.measured.value} for one in self.ranking],
            "experiments": {result.id: result.contest.experiment.part for result in self.results},
        }


def answered(
    dossier: DocumentFile,
    size: str,
    store: Store,
    workers: int | None = None,
    progress: Progress | None = None,
    tell: Callable[[Answer], None] | None = None,
    source: str = "",
) -> Findings:
    """Play the rest of a document's experiments, and answer each claim as soon as possible.

    A Ctrl-C raises KeyboardInterrupt; the games played so far are kept.
    """
    document, questions = dossier.document, dossier.document.questions
    evidence = Evidence(dossier.seed, store, size == QUICK, _with_name(progress, dossier.name))
    contests = {one.part: Contest.of(one, source=places) for one, places in dossier.sized(size == QUICK)}
    found: dict[tuple[str, str], Answer] = {}
    for part in [*contests, None]:
        if part is not None:
            doing = _with_name(progress, f"{dossier.name} {part}".rstrip())
            evidence.results[part] = run(contests[part], store, workers, None, doing, source)
            if evidence.results[part].interrupted:
                raise KeyboardInterrupt
        for path, question in questions.items():
            if path not in found and (part is None or (question.measure in GAME_MEASURES and question.part == part)):
                found[path] = _answer(dossier, evidence, path[1], question)
                if tell:
                    tell(found[path])
    answers = [found[path] for path in questions]
    ranking = _ranking(evidence, document.strongest.part)
    return Findings(
        dossier=dossier,
        size=size,
        results=tuple(evidence.results.values()),
        claims=tuple(answers[: len(document.claims)]),
        corrections=tuple(answers[len(document.claims) :]),
        ranking=tuple(ranking),
        ahead=_ahead(evidence, document.strongest.part, ranking),
    )


def _with_name(progress: Progress | None, what: str) -> Progress | None:
    """Return a progress that also says what is played."""
    return progress and (lambda done, total, known="": progress(done, total, what))


def _answer(dossier: DocumentFile, evidence: Evidence, name: str, question: Question) -> Answer:
    result, claim = evidence.results.get(question.part), question if isinstance(question, Claim) else None
    if claim and claim.never:
        return Answer(name, question, None, NEVER)
    if question.measure in INSTRUMENTS:
        measured: Estimate | None = reading(evidence, question, dossier.game_of(question.part))
    elif result and {question.agent, question.against or question.agent} <= set(result.names):
        with dossier.places.attributed_to(DOCUMENT, "claims", name, "note"):
            measured = GAME_MEASURES[question.measure](evidence, question)
    else:
        return Answer(name, question, None, LATER)
    if measured is None:
        return Answer(name, question, None, OPEN)
    if claim:
        return Answer(name, question, measured, claim.verdict(measured), claim.bounds)
    par = 0.0  # the value of equal strength
    if result and measured.unit != POINTS:
        par = 100 * result.contest.experiment.side / result.contest.game.seats
    apart = BETTER if measured.low > par else WORSE if measured.high < par else None
    verdict = apart or (SAME if negligible(measured, par) else OPEN)
    return Answer(name, question, measured, verdict, (par,))


def _ranking(evidence: Evidence, part: str) -> list[RankedAgent]:
    """Return the best agents of a part, by ratings in a league, else by their share of the points against all."""
    result = evidence.results.get(part)
    if result is None or not (result.contest.experiment.contestants or result.pairings):
        return []
    specs = {member.name: member.spec for member in result.contest.participants}
    if contestants := result.contest.experiment.contestants:
        scored = {name: share(evidence, _about(part, name)) for name in contestants}
    else:
        scored = {one.name: Estimate(one.elo, one.low, one.high, ELO) for one in result.ratings}
    best = sorted(scored, key=lambda name: -scored[name].value)[:RANKING_SIZE]
    return [RankedAgent(name, specs[name], scored[name]) for name in best]


def _ahead(evidence: Evidence, part: str, ranking: list[RankedAgent]) -> Estimate | None:
    """Return the lead of the first over the second, against the same opponents or by ratings."""
    if len(ranking) < 2:
        return None
    if evidence.results[part].contest.experiment.contestants:
        return lead(evidence, _about(part, ranking[0].name, ranking[1].name))
    first, second, *_ = evidence.results[part].ratings
    gap, reach = first.elo - second.elo, Z95 * first.apart[1]
    return Estimate(gap, gap - reach, gap + reach, ELO)


def _about(part: str, agent: str, against: str = "") -> Question:
    return Question(says="the strongest", part=part, agent=agent, against=against)
