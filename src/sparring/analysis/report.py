"""The report of an experiment, for the terminal and as JSON; reports/html.py draws the same as a page.

It says how games ended and for which agents, how long they were, what moves cost, what agents noted, which agents
failed, and which games are worth a look.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from sparring.analysis.decisions import DecisionStats
from sparring.arena.batch import ending_text
from sparring.arena.lengths import game_length
from sparring.arena.result import Tournament, counted_endings
from sparring.arena.schedule import block_seed
from sparring.arena.summary import Summary, summarise
from sparring.core.table import columns, one_line, plain

FAULTS_KEPT, FAULTS_TOLD = 20, 5
LINES_TOLD = 3
BARS_TOLD, BAR_WIDTH = 10, 40
NOBODY, FAILURE = -1, -2


class ListedGame(NamedTuple):
    """A game in a list."""

    number: int
    why: str
    """Why it is listed."""
    seed: int
    agents: tuple[str, ...]
    """In the order of their seats."""
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
        """Its title, or else the names of the agents."""
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

    @cached_property
    def lost(self) -> dict[str, Counter[str]]:
        """The endings of each agent's games in which another agent did better."""
        return {name: lost for name, (lost, _) in self.ended.items() if lost}

    @cached_property
    def stalled(self) -> dict[str, dict[str, float]]:
        """The share of each agent's games that reached each of the endings which only a limit causes."""
        stalls = self.result.contest.game.stalls
        played = {name: lost + other for name, (lost, other) in self.ended.items() if stalls}
        return {
            name: {end: endings[end] / endings.total() for end in stalls} for name, endings in played.items() if endings
        }

    @property
    def losing(self) -> str:
        """The heading of `lost`. With more than two players an ending is that of the game, not of the loser."""
        return "how games were lost" if self.result.contest.game.seats == 2 else "how games ended that others won"

    @cached_property
    def ranked(self) -> list[str]:
        """The names of the agents, best first."""
        result = self.result
        order: Any = result.ratings if result.contest.game.seats == 2 else result.placings
        return [one.name for one in order]

    @property
    def ahead(self) -> dict[tuple[str, str], float]:
        """Share of games in which one agent finished ahead of another, for pairs that met. Equal places count half."""
        return {pair: share for pair, (_, share) in self.meetings.items()}

    @cached_property
    def meetings(self) -> dict[tuple[str, str], tuple[int, float]]:
        """The number of games of pairs that met, each seat counted, and the share in which the first was ahead."""
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
                found.append(
                    FailedGame(result.number(table, block, int(game)), name, detail, one.output if one else "")
                )
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
        for kind in ("typical", "shortest", "longest"):
            for who, group in sorted(groups.items()):
                size, turns = len(group), long[group]
                wanted = {"typical": np.partition(turns, size // 2)[size // 2], "shortest": turns.min()}
                place = np.flatnonzero(turns == wanted.get(kind, turns.max()))[0]
                found.setdefault(int(group[place]), _why(kind, who, size, self.result.names))
        chosen = [(*divmod(place, seated.shape[1]), why) for place, why in found.items()][:most]
        return [self.seen(table, int(numbers[block]), game, why) for block, game, why in chosen]

    def seen(self, table: int, block: int, game: int, why: str = "") -> ListedGame:
        """Return a game for a list."""
        result, contest = self.result, self.result.contest
        numbers, results = result.blocks[table]
        one = results[int(np.searchsorted(numbers, block)), game]
        return ListedGame(
            result.number(table, block, game),
            why,
            block_seed(contest.experiment.seed, block),
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
        if self.result.played:
            parts += [self._endings(), *self._lost(), *self._stalled(), self._lengths(), self._spent(), *self._noted()]
            parts += [*self._faults(), *self._look()]
        commands = [f"{what}: {command}" for what, command in self.commands.items()]
        return plain("\n\n".join([*parts, "\n".join(commands)]))

    @property
    def commands(self) -> dict[str, str]:
        """The commands that continue or repeat it, by what they do."""
        result = self.result
        again = {"again" if self.complete else "continue": command} if (command := result.command()) else {}
        anew = {"play it anew and compare move for move": f"spar run --again {result.id}{result.store}"}
        return again | (anew if result.kept else {})

    def _endings(self) -> str:
        rows = [
            (f"  {ending}", f"{times:,}", f"{100 * times / self.result.played:.1f} %")
            for ending, times in self.result.endings().items()
        ]
        return "endings\n" + columns(rows, right={1, 2})

    def _lost(self) -> list[str]:
        rows = [(f"  {name}", f"{endings.total():,}", listed(endings)) for name, endings in self.lost.items()]
        return [f"{self.losing}\n" + columns(rows, right={1})] if len(self.result.endings()) > 1 and rows else []

    def _stalled(self) -> list[str]:
        rows = [(f"  {name}", *cells) for name, *cells in self.stalls]
        return ["stalls: games that only a limit ended\n" + columns(rows, right={1})] if rows else []

    @property
    def stalls(self) -> list[tuple[str, str, str]]:
        """Rows of agent, share of its games that stalled, and how."""
        rows = []
        for name, ends in self.stalled.items():
            how = ", ".join(f"{end} {100 * share:.1f} %" for end, share in ends.items() if share)
            rows.append((name, f"{100 * sum(ends.values()):.1f} %", how))
        return rows

    def _lengths(self) -> str:
        lengths = self.result.lengths
        bars = lengths.bars(BARS_TOLD)
        highest = max(games for _, _, games in bars)
        rows = [
            (f"  {span(low, high)}", f"{games:,}", "█" * round(BAR_WIDTH * games / highest) or ("▏" if games else ""))
            for low, high, games in bars
        ]
        return f"{lengths.unit} of a game: {lengths}\n" + columns(rows, right={0, 1})

    def _spent(self) -> str:
        rows = [["  agent", "moves", "depth", "nodes a move", "time a move", *self.times_told]]
        for one in self.spent:
            cells = [f"{one.moves:,}", *one.searched, lasting(one.seconds)]
            rows.append([f"  {one.agent}", *cells, *self.times(one.agent)])
        return columns(rows, right=range(1, len(rows[0])))

    @property
    def times_told(self) -> tuple[str, ...]:
        """The figures on single moves, which are known if decisions are kept."""
        return ("p50", "p95", "max") if self.thoughts else ()

    def times(self, agent: str) -> list[str]:
        known = self.thoughts[agent].times if agent in self.thoughts else {}
        return [lasting(known.get(name, 0.0)) for name in self.times_told]

    def _noted(self) -> list[str]:
        rows = [(f"  {agent}", name, said) for agent, name, said in self.noted]
        return ["what agents noted of their moves\n" + columns(rows)] if rows else []

    @property
    def noted(self) -> list[tuple[str, str, str]]:
        """Rows of agent, note and summary, sorted by note, so that agents can be compared."""
        told = {agent: one.told for agent, one in self.thoughts.items()}
        names = dict.fromkeys(name for notes in told.values() for name in notes)
        return [(agent, name, str(notes[name])) for name in names for agent, notes in told.items() if name in notes]

    def _faults(self) -> list[str]:
        lines = []
        for fault in self.faults[:FAULTS_TOLD]:
            lines.append(f"  game {fault.number}  {fault.agent}  {one_line(fault.detail)}")
            lines += [f"    | {line}" for line in fault.output.splitlines()[-LINES_TOLD:]]
        total = sum(sum(kinds.values()) for kinds in self.result.failures().values())
        more = [f"  and {total - FAULTS_TOLD} more"] if total > FAULTS_TOLD else []
        return ["\n".join(["failures, and the last that was printed", *lines, *more])] if lines else []

    def _look(self) -> list[str]:
        if not self.result.kept:
            return []
        unit = self.result.lengths.unit
        rows = [(f"  {one.why}", f"{one.length} {unit}", self.replay(one.number)) for one in self.highlights]
        return ["games to look at\n" + columns(rows, right={1})]

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


def _why(kind: str, who: int, games: int, names: list[str]) -> str:
    kind = kind if games > 1 else "only"
    if who < 0:
        return f"{kind} {'failure' if who == FAILURE else 'draw'}"
    return f"{kind} win of {names[who]}"


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
