"""The report of an experiment, for the terminal and as JSON; reports/html.py draws the same as a page.

It says how games ended and for which agents, how long they were, what moves cost, what agents noted, which agents
failed, and which games are worth a look.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from sparring.analysis.decisions import DecisionStats
from sparring.arena.batch import ending_text
from sparring.arena.lengths import game_length
from sparring.arena.result import Tournament, counted_endings
from sparring.arena.summary import Summary, summarise
from sparring.core.table import columns, one_line, plain

FAULTS_KEPT, FAULTS_TOLD = 20, 5
LINES_TOLD = 3
BARS_TOLD, BAR_WIDTH = 10, 40
NOBODY, FAILURE = -1, -2


class ListedGame(NamedTuple):
    number: int
    why: str  # the reason why it is listed
    seed: int
    agents: tuple[str, ...]  # in the order of their seats
    scores: tuple[float, ...]
    length: int
    ending: str

    @property
    def result(self) -> str:
        return "-".join(f"{score:g}" for score in self.scores)


class FailedGame(NamedTuple):
    """A game that an agent lost by a failure."""

    number: int
    agent: str
    detail: str
    output: str


class MoveCost(NamedTuple):
    """Depth, nodes and time of an agent's moves, on average."""

    agent: str
    moves: int
    depth: float
    nodes: float
    seconds: float

    @property
    def searched(self) -> tuple[str, str]:
        """Depth and nodes for a table, with a dash for an agent that does not search."""
        return f"{self.depth:.1f}" if self.depth else "-", f"{self.nodes:,.0f}" if self.nodes else "-"


@dataclass(frozen=True)
class Report:
    """A tournament, the time of its start, and the statistics of its decisions if they are kept."""

    result: Tournament
    begun: str = ""
    thoughts: Mapping[str, DecisionStats] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The title, or else the names of the agents."""
        names = self.result.names
        few = " v ".join(names) if len(names) == 2 else f"{len(names)} agents"
        return self.result.contest.experiment.title or f"{self.result.contest.game.name}: {few}"

    @property
    def what(self) -> str:
        """The game, its options and the settings, in a line."""
        contest = self.result.contest
        tables = "" if len(contest.tables) == 1 else f" at each of {len(contest.tables)} tables"
        parts = [
            contest.game.name,
            *(f"{option} {value}" for option, value in contest.game.options().items()),
            f"{contest.experiment.games:,} games{tables}",
            f"seed {contest.experiment.seed}",
            *([f"experiment {self.result.id}"] if self.result.id else []),
            *([f"begun {when(self.begun)} UTC"] if self.begun else []),
        ]
        return " · ".join(parts)

    @property
    def complete(self) -> bool:
        return self.result.played == self.result.due

    @property
    def state(self) -> str:
        """A sentence that says whether all games were played."""
        result, planned = self.result, self.result.contest.games
        if not self.complete:
            return f"unfinished: {result.played:,} of {result.due:,} games are played"
        if result.due == planned:
            return f"complete: all {planned:,} games are played"
        decided = "the test was decided" if result.sprt_state else f"{result.decided} pairs were decided"
        because = decided if result.decided else "an agent was retired"
        return f"complete: {result.played:,} games; {planned:,} were planned, but {because}"

    @cached_property
    def summary(self) -> Summary:
        return summarise(self.result, f"{self.seconds:.1f} s of play, summed over workers")

    @property
    def seconds(self) -> float:
        """The time of all games added up. Less passes on the clock if several are played at once."""
        return float(sum(batch.seconds for batch in self.result.batches))

    @cached_property
    def spent(self) -> list[MoveCost]:
        """The cost of a move by agent, for agents that moved."""
        fields = ("moves", "depth", "nodes", "seconds")
        sums = np.zeros((len(self.result.names), len(fields)))
        for table, (_, results) in enumerate(self.result.blocks):
            agents = self.result.seated(table)
            for place, name in enumerate(fields):
                np.add.at(sums[:, place], agents, results[name])
        rows = zip(self.result.names, sums.tolist(), strict=True)
        return [MoveCost(name, int(n), *(total / n for total in totals)) for name, (n, *totals) in rows if n]

    @cached_property
    def ended(self) -> dict[str, tuple[Counter[str], Counter[str]]]:
        """The endings of each agent's games: those in which another agent did better, and the others."""
        found = {name: (Counter[str](), Counter[str]()) for name in self.result.names}
        for table, (_, results) in enumerate(self.result.blocks):
            behind = results["scores"] < results["scores"].max(axis=-1, keepdims=True)
            agents, codes = self.result.seated(table), np.broadcast_to(results["ending"][..., None], behind.shape)
            for agent in set(self.result.contest.tables[table]):
                for endings, which in zip(found[self.result.names[agent]], (behind, ~behind), strict=True):
                    endings.update(counted_endings(self.result.contest.game.endings, codes[which & (agents == agent)]))
        return found

    @property
    def lost(self) -> dict[str, Counter[str]]:
        """The endings of each agent's games in which another agent did better."""
        return {name: lost for name, (lost, _) in self.ended.items() if lost}

    @property
    def stalled(self) -> dict[str, dict[str, float]]:
        """The share of each agent's games that reached each of the endings which only a limit causes."""
        stalls = self.result.contest.game.stalls
        played = {name: lost + other for name, (lost, other) in self.ended.items() if stalls and lost + other}
        return {name: {end: ends[end] / ends.total() for end in stalls} for name, ends in played.items()}

    @property
    def losing(self) -> str:
        """The heading of `lost`. With more than two players an ending is that of the game, not of the loser."""
        return "how games were lost" if self.result.contest.game.seats == 2 else "how games ended that others won"

    @cached_property
    def ranked(self) -> list[str]:
        result = self.result
        order: Any = result.ratings if result.contest.game.seats == 2 else result.placings
        return [one.name for one in order]

    @cached_property
    def meetings(self) -> dict[tuple[str, str], tuple[int, float]]:
        """The games of each pair that met, for each seat, and the share in which the first was ahead; ties are half."""
        agents = range(len(self.result.names))
        points, games = (np.zeros((len(agents), len(agents))) for _ in range(2))
        for table, (_, results) in enumerate(self.result.blocks):
            seated, scores = self.result.seated(table), results["scores"]
            for seat in range(seated.shape[-1]):
                pairs = seated[..., seat, None], seated
                np.add.at(points, pairs, (np.sign(scores[..., seat, None] - scores) + 1) / 2)
                np.add.at(games, pairs, 1)
        names = self.result.names
        met = [(a, b) for a in agents for b in agents if a != b and games[a, b]]
        return {(names[a], names[b]): (int(games[a, b]), float(points[a, b] / games[a, b])) for a, b in met}

    @cached_property
    def faults(self) -> list[FailedGame]:
        """The first games that were lost by a failure."""
        result, found = self.result, []
        for table, (numbers, results) in enumerate(result.blocks):
            told = {(one.block, one.game): one for batch in result.by_table[table] for one in batch.failures}
            for place, game in islice(np.argwhere(results["failed"] >= 0), FAULTS_KEPT):
                block, failed = int(numbers[place]), results[place, game]
                name = result.names[result.contest.seating(table, block, game)[failed["failed"]]]
                one = told.get((block, int(game)))
                detail = one.detail if one else ending_text(result.contest.game.endings, int(failed["ending"]))
                number, output = result.number(table, block, int(game)), one.output if one else ""
                found.append(FailedGame(number, name, detail, output))
        return sorted(found)[:FAULTS_KEPT]

    def examples(self, table: int, most: int) -> list[ListedGame]:
        """Return games of a table to look at: for each result a typical one, the shortest and the longest."""
        numbers, results = self.result.blocks[table]
        seated = self.result.seated(table)
        scores, long = results["scores"], game_length(self.result.contest.game, results["moves"]).ravel()
        first = scores == scores.max(axis=-1, keepdims=True)
        winner = np.take_along_axis(seated, scores.argmax(axis=-1, keepdims=True), axis=-1)[..., 0]
        winner = np.where(results["failed"] >= 0, FAILURE, np.where(first.sum(axis=-1) == 1, winner, NOBODY)).ravel()
        groups = {int(who): np.flatnonzero(winner == who) for who in np.unique(winner)}
        found: dict[int, str] = {}
        for kind, rank in (("typical", 0.5), ("shortest", 0.0), ("longest", 1.0)):
            for who, group in sorted(groups.items()):
                wanted = np.quantile(long[group], rank, method="higher")
                place = np.flatnonzero(long[group] == wanted)[0]
                what = {FAILURE: "failure", NOBODY: "draw"}.get(who) or f"win of {self.result.names[who]}"
                found.setdefault(int(group[place]), f"{kind if len(group) > 1 else 'only'} {what}")
        chosen = [(*divmod(place, seated.shape[1]), why) for place, why in found.items()][:most]
        return [self.seen(table, int(numbers[block]), game, why) for block, game, why in chosen]

    def seen(self, table: int, block: int, game: int, why: str = "") -> ListedGame:
        result, contest = self.result, self.result.contest
        numbers, results = result.blocks[table]
        one = results[int(np.searchsorted(numbers, block)), game]
        return ListedGame(
            result.number(table, block, game),
            why,
            contest.block_seed(block),
            tuple(result.names[agent] for agent in contest.seating(table, block, game)),
            tuple(one["scores"].tolist()),
            int(game_length(contest.game, one["moves"])),
            ending_text(contest.game.endings, int(one["ending"])),
        )

    @property
    def best_tables(self) -> list[int]:
        """The tables that have games, those of the best agents first."""
        rank = {self.result.names.index(name): place for place, name in enumerate(self.ranked)}
        places = [sorted(rank[agent] for agent in agents) for agents in self.result.contest.tables]
        played = [table for table, (numbers, _) in enumerate(self.result.blocks) if len(numbers)]
        return sorted(played, key=lambda table: places[table])

    @cached_property
    def highlights(self) -> list[ListedGame]:
        """A few games of the best agents' table."""
        return self.examples(self.best_tables[0], 6) if self.result.played else []

    def __str__(self) -> str:
        parts = [f"{self.heading}\n{self.what}\n{self.state}", str(self.summary)]
        for heading, rows, right in self._sections() if self.result.played else ():
            if rows:
                text = columns([(f"  {first}", *rest) for first, *rest in rows], right)
                parts.append(f"{heading}\n{text}" if heading else text)
        commands = [f"{what}: {command}" for what, command in self.commands.items()]
        return plain("\n\n".join([*parts, "\n".join(commands)]))

    def _sections(self) -> Iterator[tuple[str, Sequence[Sequence[str]], Collection[int]]]:
        """Yield headings, the rows below them, and the columns that are aligned to the right."""
        result, lengths = self.result, self.result.lengths
        endings = result.endings().items()
        yield "endings", [(one, f"{n:,}", f"{100 * n / result.played:.1f} %") for one, n in endings], {1, 2}
        yield self.losing, self.losses, {1}
        yield "stalls: games that only a limit ended", self.stalls, {1}
        bars = lengths.bars(BARS_TOLD)
        most = max(games for _, _, games in bars)
        blocks = ["█" * round(BAR_WIDTH * games / most) or "▏" * (games > 0) for _, _, games in bars]
        drawn = [(span(low, high), f"{n:,}", bar) for (low, high, n), bar in zip(bars, blocks, strict=True)]
        yield f"{lengths.unit} of a game: {lengths}", drawn, {0, 1}
        spent = [["agent", "moves", "depth", "nodes a move", "time a move", *self.times_told]]
        for one in self.spent:
            spent.append([one.agent, f"{one.moves:,}", *one.searched, lasting(one.seconds), *self.times(one.agent)])
        yield "", spent, range(1, len(spent[0]))
        yield "what agents noted of their moves", self.noted, ()
        yield "failures, and the last that was printed", [(line,) for line in self._fault_lines()], ()
        shown = [(one.why, f"{one.length} {lengths.unit}", self.replay(one.number)) for one in self.highlights]
        yield "games to look at", shown if result.kept else (), {1}

    def _fault_lines(self) -> Iterator[str]:
        for fault in self.faults[:FAULTS_TOLD]:
            yield f"game {fault.number}  {fault.agent}  {one_line(fault.detail)}"
            yield from (f"  | {line}" for line in fault.output.splitlines()[-LINES_TOLD:])
        total = sum(kinds.total() for kinds in self.result.failures().values())
        if total > FAULTS_TOLD:
            yield f"and {total - FAULTS_TOLD} more"

    @property
    def commands(self) -> dict[str, str]:
        """The commands that continue or repeat it, by what they do."""
        result = self.result
        again = {"again" if self.complete else "continue": command} if (command := result.command()) else {}
        anew = {"play it anew and compare move for move": f"spar run --again {result.id}{result.store}"}
        return again | (anew if result.kept else {})

    @property
    def losses(self) -> list[tuple[str, str, str]]:
        """Rows of agent, number of lost games and their endings; none if all games ended alike."""
        rows = [(name, f"{endings.total():,}", listed(endings)) for name, endings in self.lost.items()]
        return rows if len(self.result.endings()) > 1 else []

    @property
    def stalls(self) -> list[tuple[str, str, str]]:
        """Rows of agent, share of its games that stalled, and how."""
        rows = []
        for name, ends in self.stalled.items():
            how = ", ".join(f"{end} {100 * share:.1f} %" for end, share in ends.items() if share)
            rows.append((name, f"{100 * sum(ends.values()):.1f} %", how))
        return rows

    @property
    def times_told(self) -> tuple[str, ...]:
        """The figures on single moves, which are known if decisions are kept."""
        return ("p50", "p95", "max") if self.thoughts else ()

    def times(self, agent: str) -> list[str]:
        known = self.thoughts[agent].times if agent in self.thoughts else {}
        return [lasting(known.get(name, 0.0)) for name in self.times_told]

    @property
    def noted(self) -> list[tuple[str, str, str]]:
        """Rows of agent, note and summary, sorted by note, so that agents can be compared."""
        told = {agent: one.told for agent, one in self.thoughts.items()}
        names = dict.fromkeys(name for notes in told.values() for name in notes)
        return [(agent, name, str(notes[name])) for name in names for agent, notes in told.items() if name in notes]

    def replay(self, number: int) -> str:
        return f"spar replay {self.result.id} --game {number}{self.result.store}"

    def to_json(self) -> dict[str, Any]:
        told = self.result.to_json() | {
            "seconds_of_play": self.seconds,
            "begun": self.begun,
            "complete": self.complete,
            "due": self.result.due,
            "planned": self.result.contest.games,
        }
        told.pop("seconds")  # of the run itself, which are not kept
        if self.result.played:
            lengths = self.result.lengths
            told["lengths"]["games"] = {n: games for n, games in enumerate(lengths.games.tolist()) if games}
            told["lost"] = self.lost
            told["stalled"] = self.stalled
            told["spent"] = [one._asdict() for one in self.spent]
            told["thoughts"] = [one.to_json() for one in self.thoughts.values()]
            told["failed_games"] = [fault._asdict() for fault in self.faults]
            told["highlights"] = [one._asdict() | {"command": self.replay(one.number)} for one in self.highlights]
        test = self.result.contest.experiment.sprt
        return told | ({"sprt": told["sprt"] | {"test": asdict(test), "bounds": test.bounds}} if test else {})


def when(moment: str) -> str:
    """Return a time of the store, to the minute."""
    return moment[:16].replace("T", " ")


def span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}-{high}"


def listed(endings: Counter[str]) -> str:
    """Return endings with their counts, the most frequent first: `starved 12, left the board 3`."""
    return ", ".join(f"{ending} {times:,}" for ending, times in endings.most_common())


def lasting(seconds: float) -> str:
    """Return a time with its unit, or a dash if nothing was measured."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns" if seconds else "-"
