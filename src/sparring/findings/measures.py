"""What is measured of games that are kept: how two compare, what agents noted of their moves, and what moves cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from sparring.arena.result import Tournament
from sparring.arena.run import by_number
from sparring.arena.statistics import Z95, Score, effective_games, wilson
from sparring.arena.store import Store
from sparring.arena.thoughts import Thoughts, thoughts
from sparring.exact import Progress
from sparring.findings.claims import ALIKE, Question
from sparring.findings.measured import COUNT, PERCENT, POINTS, SECONDS, Measured
from sparring.games.contract import Game


@dataclass(frozen=True)
class Evidence:
    """What a measure may look at: the parts that were played, and the store that keeps everything."""

    game: Game
    seed: int
    store: Store
    quick: bool = False
    progress: Progress | None = None
    results: dict[str, Tournament] = field(default_factory=dict)


def share(evidence: Evidence, question: Question) -> Measured:
    """Percent of the points against one opponent, or against all."""
    result = evidence.results[question.part]
    named = [question.against] if question.against else _others(result, question.agent)
    score = Score.of(np.concatenate([_scores(result, other, question.agent)[0] for other in named]))
    low, high = score.interval
    return Measured(100 * score.mean, 100 * low, 100 * high, PERCENT, f"{score.games:,} games", result.id)


def lead(evidence: Evidence, question: Question) -> Measured:
    """Points of a percentage that one has more than another against the same opponents on the same seeds, block by
    block: an opening or dice that suit both cancel."""
    result = evidence.results[question.part]
    both = (question.agent, question.against)
    scores = [_scores(result, other, *both) for other in _others(result, *both)]
    half = Score.of(np.concatenate([(mine - yours + 1) / 2 for mine, yours in scores]))
    value, low, high = (200 * one - 100 for one in (half.mean, *half.interval))
    return Measured(value, low, high, POINTS, f"{2 * half.games:,} games", result.id)


def differing(evidence: Evidence, question: Question) -> Measured:
    """Percent of games that went another way with one than with the other in its place, move for move."""
    result = evidence.results[question.part]
    both = (question.agent, question.against)
    differ = common = 0
    for other in _others(result, *both):
        mine, yours = (by_number(result.by_table[result.table_of(name, other)]) for name in both)
        both_played = mine.keys() & yours.keys()
        common += len(both_played)
        differ += sum(mine[number][0] != yours[number][0] for number in both_played)
    return Measured.exactly(100 * differ / common, PERCENT, f"{2 * common:,} games", result.id)


def note(evidence: Evidence, question: Question) -> Measured:
    """What an agent noted of its moves, or was seen of them: percent of a yes or of a word, or the mean of numbers. The
    moves of a game hang together, so intervals are over games that were kept together."""
    result = evidence.results[question.part]
    noted = [one.notes[question.note] for one in _thoughts(evidence, question) if question.note in one.notes]
    if any(one.numbers for one in noted):
        return _mean([one.total for one in noted], [one.numbers for one in noted], result)
    word = question.word
    counts = [(one.words[word], one.words.total()) if word else (one.yes, one.asked) for one in noted]
    points, sizes = np.array([one for one in counts if one[1]], float).reshape(-1, 2).T
    mean = float(points.sum() / sizes.sum()) if len(sizes) else 0.5
    low, high = wilson(mean, effective_games(points, sizes) if len(sizes) else 0)
    return Measured(100 * mean, 100 * low, 100 * high, PERCENT, f"{int(sizes.sum()):,} moves", result.id)


def nodes(evidence: Evidence, question: Question) -> Measured:
    """Positions, or rounds, that are tried out for a move, on average."""
    result = evidence.results[question.part]
    number = result.names.index(question.agent)
    tried: list[float] = []
    moves: list[int] = []
    for table, (_, results) in enumerate(result.blocks):
        own = np.array(result.contest.seatings(table)) == number
        if own.any():
            tried += (results["nodes"] * own).sum(axis=(1, 2)).tolist()
            moves += (results["moves"] * own).sum(axis=(1, 2), dtype=np.int64).tolist()
    return _mean(tried, moves, result)


def seconds(evidence: Evidence, question: Question) -> Measured:
    """What 95 % of the moves took at most: the slowest of all tells more of the computer than of the agent."""
    result = evidence.results[question.part]
    own = thoughts(result, evidence.store.each_sheet(result.id, decisions=True))[question.agent]
    return Measured.exactly(own.times["p95"], SECONDS, f"95 % of {len(own.seconds):,} moves", result.id)


OF_GAMES: dict[str, Callable[[Evidence, Question], Measured]] = {
    **{"share": share, "lead": lead, ALIKE: differing},
    **{"note": note, "nodes": nodes, "seconds": seconds},
}
OF_TWO = ("lead", ALIKE)
"""Those that compare two who meet the same opponents, and need both names."""
OF_MEETINGS = ("share", *OF_TWO)
"""Those that look at who met whom."""
OF_DECISIONS = ("note", "seconds")
"""Those that need every decision to be kept."""


def _others(result: Tournament, *names: str) -> list[str]:
    """Those whom the named ones have met, all of them."""
    met = list(result.contest.experiment.opponents) or result.names
    return [name for name in met if name not in names]


def _scores(result: Tournament, other: str, *names: str) -> list[Any]:
    """What each of some agents made of its games against another, as far as all of them have come, in the blocks that
    do more than repeat an earlier one with at least one of them."""
    tables = [result.table_of(name, other) for name in names]
    least = min(result.end(table) for table in tables)
    evident = np.any([result.distinct(table)[:least] for table in tables], axis=0)
    return [result.won_by(name, table)[:least][evident] for name, table in zip(names, tables, strict=True)]


def _mean(totals: Sequence[float], counts: Sequence[int], result: Tournament) -> Measured:
    """Over all moves, with its interval over games that were kept together."""
    total, count = np.array(totals, float), np.array(counts, float)
    mean = float(total.sum() / count.sum())
    beyond = float(((total - mean * count) ** 2).sum()) * len(total) / max(1, len(total) - 1)
    reach = Z95 * sqrt(beyond) / float(count.sum())
    return Measured(mean, mean - reach, mean + reach, COUNT, f"{int(count.sum()):,} moves", result.id)


def _thoughts(evidence: Evidence, question: Question) -> list[Thoughts]:
    """An agent's, for each sheet of games in which it moved."""
    result = evidence.results[question.part]
    sheets = evidence.store.each_sheet(result.id, decisions=True)
    return [one for sheet in sheets if (one := thoughts(result, [sheet]).get(question.agent))]
