"""What is measured of games that are kept: how two compare, what agents noted of their moves, and what moves cost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from sparring.analysis.decisions import Block, decided, noted, thoughts
from sparring.arena.batch import Sheet
from sparring.arena.notes import Note
from sparring.arena.result import Tournament
from sparring.arena.run import by_number
from sparring.arena.store import Store
from sparring.claims.claims import ALIKE, Question
from sparring.claims.measured import COUNT, PERCENT, POINTS, SECONDS, Measured
from sparring.core.errors import unknown
from sparring.core.progress import Progress
from sparring.statistics.intervals import Z95, Score, effective_games, wilson


@dataclass(frozen=True)
class Evidence:
    """What a measure may look at: the parts that were played, and the store that keeps everything."""

    seed: int
    store: Store
    quick: bool = False
    progress: Progress | None = None
    results: dict[str, Tournament] = field(default_factory=dict)


def share(evidence: Evidence, question: Question) -> Measured:
    """Percent of the points against one opponent, or against all."""
    result = evidence.results[question.part]
    named = [question.against] if question.against else _others(result, question.agent)
    score = Score.over([_scores(result, other, question.agent) for other in named])
    low, high = score.interval
    return Measured(100 * score.mean, 100 * low, 100 * high, PERCENT, f"{score.games:,} games", result.id)


def lead(evidence: Evidence, question: Question) -> Measured:
    """Points of a percentage that one has more than another against the same opponents on the same seeds, block by
    block: an opening or dice that suit both cancel."""
    result = evidence.results[question.part]
    both = (question.agent, question.against)
    scores = [_scores(result, other, *both) for other in _others(result, *both)]
    half = Score.over([(numbers, (mine - yours + 1) / 2) for numbers, mine, yours in scores])
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
    return Measured.of_share(100 * differ / common, common, f"{2 * common:,} games", result.id)


def note(evidence: Evidence, question: Question) -> Measured | None:
    """What an agent noted of its moves, or was seen of them: percent of a yes or of a word, or the mean of numbers. The
    moves of a game hang together, so intervals are over blocks of games. Nothing, if only others noted it."""
    result, notes, word = evidence.results[question.part], _notes(evidence, question), question.word
    if any(one.numbers for one in notes):
        return _mean([one.total for one in notes], [one.numbers for one in notes], result)
    counts = [(one.words[word], one.words.total()) if word else (one.yes, one.asked) for one in notes]
    points, sizes = np.array([one for one in counts if one[1]], float).reshape(-1, 2).T
    if not len(sizes):
        return None
    mean = float(points.sum() / sizes.sum())
    low, high = wilson(mean, effective_games(points, sizes))
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
    own = thoughts(result, _sheets(evidence, question))[question.agent]
    return Measured.exactly(own.times["p95"], SECONDS, f"95 % of {len(own.seconds):,} moves", result.id)


OF_GAMES: dict[str, Callable[[Evidence, Question], Measured | None]] = {
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


def _scores(result: Tournament, other: str, *names: str) -> tuple[Any, ...]:
    """The numbers of blocks, and what each of some agents made of its games against another in them: as far as all of
    them have come, in the blocks that do more than repeat an earlier one with at least one of them."""
    tables = [result.table_of(name, other) for name in names]
    least = min(result.end(table) for table in tables)
    evident = np.any([result.distinct(table)[:least] for table in tables], axis=0)
    found = [result.won_by(name, table) for name, table in zip(names, tables, strict=True)]
    return tuple(part[:least][evident] for part in (result.blocks[tables[0]][0], *found))


def _mean(totals: Sequence[float], counts: Sequence[int], result: Tournament) -> Measured:
    """Over all moves, with its interval over blocks of games."""
    total, count = np.array(totals, float), np.array(counts, float)
    mean = float(total.sum() / count.sum())
    beyond = float(((total - mean * count) ** 2).sum()) * len(total) / max(1, len(total) - 1)
    reach = Z95 * sqrt(beyond) / float(count.sum())
    return Measured(mean, mean - reach, mean + reach, COUNT, f"{int(count.sum()):,} moves", result.id)


def _sheets(evidence: Evidence, question: Question) -> Iterator[Sheet]:
    """Those of games in which an agent took part, with what was thought in them."""
    result = evidence.results[question.part]
    number, tables = result.names.index(question.agent), result.contest.tables
    sheets = evidence.store.each_sheet(result.id, decisions=True)
    return (sheet for sheet in sheets if number in tables[sheet.table])


def _notes(evidence: Evidence, question: Question) -> list[Note]:
    """An agent's notes of one name, block by block, whichever way the blocks were dealt out to workers."""
    result = evidence.results[question.part]
    found: dict[Block, Note] = {}
    known: set[str] = set()
    for name, block, decision in decided(result, _sheets(evidence, question)):
        said = noted(decision)
        known |= said.keys()
        if name == question.agent and question.note in said:
            found.setdefault(block, Note()).add(said[question.note])
    if question.note not in known:
        raise unknown("note", question.note, sorted(known))
    return [found[block] for block in sorted(found)]
