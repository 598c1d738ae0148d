"""Measures of kept games: how two agents compare, what agents noted on their moves, and what moves cost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from sparring.analysis.decisions import Block, all_notes, decision_stats, kept_decisions
from sparring.arena.batch import ResultBatch
from sparring.arena.notes import NoteCounts
from sparring.arena.result import Tournament
from sparring.arena.run import games_by_number
from sparring.arena.store import Store
from sparring.claims.claims import ALIKE, COUNT, POINTS, SECONDS, Estimate, Question
from sparring.core.errors import unknown
from sparring.core.progress import Progress
from sparring.statistics.intervals import Z95, Score, effective_games, wilson


@dataclass(frozen=True)
class Evidence:
    """The evidence for measures: the played parts, and the store."""

    seed: int
    store: Store
    quick: bool = False
    progress: Progress | None = None
    results: dict[str, Tournament] = field(default_factory=dict)


def share(evidence: Evidence, question: Question) -> Estimate:
    """Return the percentage of the points against one opponent, or against all."""
    result = evidence.results[question.part]
    named = [question.against] if question.against else _others(result, question.agent)
    score = Score.over([_scores(result, other, question.agent) for other in named])
    return Estimate.of_share(score.mean, *score.interval, f"{score.games:,} games", result.id)


def lead(evidence: Evidence, question: Question) -> Estimate:
    """Return the lead over another agent in points of a percentage, against the same opponents on the same seeds.

    It is computed block by block, so that the luck of an opening or of the dice cancels.
    """
    result = evidence.results[question.part]
    both = (question.agent, question.against)
    scores = [_scores(result, other, *both) for other in _others(result, *both)]
    half = Score.over([(numbers, (mine - yours + 1) / 2) for numbers, mine, yours in scores])
    value, low, high = (200 * one - 100 for one in (half.mean, *half.interval))
    return Estimate(value, low, high, POINTS, f"{2 * half.games:,} games", result.id)


def differing(evidence: Evidence, question: Question) -> Estimate:
    """Return the percentage of games in which two agents in the same seat made different moves."""
    result = evidence.results[question.part]
    both = (question.agent, question.against)
    differ = common = 0
    for other in _others(result, *both):
        mine, yours = (games_by_number(result.by_table[result.table_of(name, other)]) for name in both)
        both_played = mine.keys() & yours.keys()
        common += len(both_played)
        differ += sum(mine[number][0] != yours[number][0] for number in both_played)
    share = differ / common
    return Estimate.of_share(share, *wilson(share, common), f"{2 * common:,} games", result.id)


def note(evidence: Evidence, question: Question) -> Estimate | None:
    """Return what an agent noted on its moves: the percentage of a yes or of a word, or the mean of numbers.

    The moves of a game depend on each other, so intervals are over blocks of games. None if only other agents noted it.
    """
    result, notes, word = evidence.results[question.part], _notes(evidence, question), question.word
    if any(one.numbers for one in notes):
        return _mean([one.total for one in notes], [one.numbers for one in notes], result)
    counts = [(one.words[word], one.words.total()) if word else (one.yes, one.asked) for one in notes]
    points, sizes = np.array([one for one in counts if one[1]], float).reshape(-1, 2).T
    if not len(sizes):
        return None
    mean = float(points.sum() / sizes.sum())
    interval = wilson(mean, effective_games(points, sizes))
    return Estimate.of_share(mean, *interval, f"{int(sizes.sum()):,} moves", result.id)


def nodes(evidence: Evidence, question: Question) -> Estimate:
    """Return the mean number of positions, or rounds, that are tried for a move."""
    result = evidence.results[question.part]
    number = result.names.index(question.agent)
    tried: list[float] = []
    moves: list[int] = []
    for table, (_, results) in enumerate(result.blocks):
        own = result.seated(table) == number
        if own.any():
            tried += (results["nodes"] * own).sum(axis=(1, 2)).tolist()
            moves += (results["moves"] * own).sum(axis=(1, 2), dtype=np.int64).tolist()
    return _mean(tried, moves, result)


def seconds(evidence: Evidence, question: Question) -> Estimate:
    """Return the time that 95 % of the moves took at most. The slowest move depends on the computer."""
    result = evidence.results[question.part]
    own = decision_stats(result, _batches(evidence, question))[question.agent]
    return Estimate.exactly(own.times["p95"], SECONDS, f"95 % of {len(own.seconds):,} moves", result.id)


GAME_MEASURES: dict[str, Callable[[Evidence, Question], Estimate | None]] = {
    **{"share": share, "lead": lead, ALIKE: differing},
    **{"note": note, "nodes": nodes, "seconds": seconds},
}
PAIR_MEASURES = ("lead", ALIKE)
"""Measures that compare two agents against the same opponents, and need both names."""
MEETING_MEASURES = ("share", *PAIR_MEASURES)  # measures of who met whom
DECISION_MEASURES = ("note", "seconds")  # measures that need every decision to be kept


def _others(result: Tournament, *names: str) -> list[str]:
    met = list(result.contest.experiment.opponents) or result.names
    return [name for name in met if name not in names]


def _scores(result: Tournament, other: str, *names: str) -> tuple[Any, ...]:
    """Return block numbers, and the scores of each agent against another one in these blocks.

    Only blocks that all agents have played count, and a block that repeats an earlier one for all of them does not.
    """
    tables = [result.table_of(name, other) for name in names]
    least = min(result.end(table) for table in tables)
    evident = np.any([result.distinct(table)[:least] for table in tables], axis=0)
    found = [result.won_by(name, table) for name, table in zip(names, tables, strict=True)]
    return tuple(part[:least][evident] for part in (result.blocks[tables[0]][0], *found))


def _mean(totals: Sequence[float], counts: Sequence[int], result: Tournament) -> Estimate:
    """Return the mean over all moves, with its interval over blocks of games."""
    total, count = np.array(totals, float), np.array(counts, float)
    mean = float(total.sum() / count.sum())
    beyond = float(((total - mean * count) ** 2).sum()) * len(total) / max(1, len(total) - 1)
    reach = Z95 * sqrt(beyond) / float(count.sum())
    return Estimate(mean, mean - reach, mean + reach, COUNT, f"{int(count.sum()):,} moves", result.id)


def _batches(evidence: Evidence, question: Question) -> Iterator[ResultBatch]:
    """Iterate over the batches of the games of an agent, with their decisions."""
    result = evidence.results[question.part]
    number, tables = result.names.index(question.agent), result.contest.tables
    batches = evidence.store.batches(result.id, decisions=True)
    return (batch for batch in batches if number in tables[batch.table])


def _notes(evidence: Evidence, question: Question) -> list[NoteCounts]:
    """Return an agent's notes of one name, block by block, however the blocks were divided among workers."""
    result = evidence.results[question.part]
    found: dict[Block, NoteCounts] = {}
    known: set[str] = set()
    for name, block, decision in kept_decisions(result, _batches(evidence, question)):
        said = all_notes(decision)
        known |= said.keys()
        if name == question.agent and question.note in said:
            found.setdefault(block, NoteCounts()).add(said[question.note])
    if question.note not in known:
        raise unknown("note", question.note, sorted(known))
    return [found[block] for block in sorted(found)]
