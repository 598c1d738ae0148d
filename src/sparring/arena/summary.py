"""Results as text: the verdict first, then the evidence, then the commands for more details."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sparring.arena.experiment import Contest
from sparring.arena.limits import CRASH, ILLEGAL
from sparring.core.table import columns, counted, one_line, plain
from sparring.statistics.intervals import Score, evidence
from sparring.statistics.sprt import sprt_text

if TYPE_CHECKING:
    from sparring.arena.result import Tournament


ALWAYS = ("game", "options", "agents", "tables", "games", "seed", "sealed", "sprt", "decisions")
IF_CHOSEN = ("limit", "bank", "seating")
"""The settings of a match or league that its command can express."""
EFFORT_TOLD = (
    ("depth", "depth {} v {}", 1, ".1f"),
    ("nodes", "{} v {} nodes a move", 1, ",.0f"),
    ("seconds", "{} v {} ms a move", 1000, ".2f"),
)
PRINTED_LINES, PRINTED_SIGNS = 20, 2000
"""The most of an agent's output that is shown after a match."""
ABREAST = 4
"""The most contestants beside each other in a table of matches."""


def verdict(first: str, second: str, score: Score) -> str:
    """One line about two agents: the better one, by how much, and how certain that is. All figures are the first's.

    The first agent must not be significantly worse: see `Pairing.told`."""
    low, high = score.elo_interval
    chance = f"p(better) {'> 99.9' if score.p_better > 0.999 else f'{100 * score.p_better:.1f}'} %"
    known = f"{score.elo:+z.0f} Elo [{low:+.0f}, {high:+.0f}]"
    games = evidence(score.games, score.blocks)
    if low > 0:
        return f"{first} beats {second}: {known}, {games}, {chance}"
    return f"no significant difference between {first} and {second}: {known} for {first}, {games}, {chance}"


def command_line(contest: Contest) -> str:
    """The command that plays or continues a match or league; empty if no command can express its settings."""
    told = contest.experiment
    one = told.tables[0] if len(told.tables) == 1 else list(told.agents) if contest.game.seats == 2 else []
    verb, agents = ("match", one) if len(contest.tables) == 1 and one else ("league", list(told.agents))
    chosen = told.model_dump(exclude_defaults=True).keys() - ALWAYS
    own = len(told.tables) > 1 or any(entry.spec != name or entry.nodes for name, entry in told.agents.items())
    if own or not told.agents or chosen - set(IF_CHOSEN):
        return ""
    words = ["spar", verb, told.game, *agents, "--games", str(told.games), "--seed", str(told.seed)]
    words += contest.game.option_words()
    for name in (name for name in IF_CHOSEN if name in chosen):
        words += [f"--{name}", str(getattr(told, name))]
    words += ["--sprt", sprt_text(told.sprt)] if told.sprt else []
    words += ["--decisions"] if told.decisions else []
    return shlex.join(words)


@dataclass(frozen=True)
class Summary:
    """The parts of a result as text, for the terminal and for the page."""

    verdict: str
    evidence: tuple[str, ...] = ()  # wins and effort of a match
    table: str = ""
    games: str = ""  # number of games in the table
    matches: str = ""  # won and lost by each contestant against each opponent
    metrics: tuple[str, ...] = ()  # length of games, and metrics of agents
    test: str = ""  # state of the sequential test
    repeats: str = ""
    voids: str = ""
    failures: tuple[str, ...] = ()
    tabled: bool = False  # the table says the same as the verdict

    def __str__(self) -> str:
        head = [] if self.tabled else [self.verdict, *self.evidence, *([""] if self.table else [])]
        table = [self.table, "", self.games] if self.table else []
        table += ["", self.matches, ""] if self.matches else []
        rest = [part for part in (self.test, self.repeats, self.voids) if part]
        return "\n".join([*head, *table, *self.metrics, *rest, *self.failures])


def full_text(result: "Tournament") -> str:
    """The text in a terminal."""
    lines = [f"interrupted after {result.played:,} games, which are counted below"] if result.interrupted else []
    title, command = result.contest.experiment.title, result.command()
    lines += [title, ""] if title else []
    lines.append(str(summarise(result, f"{result.seconds:.1f} s" if result.seconds else "")))
    lines += [f"{agent.name}: {agent.remark}" for agent in result.contest.agents if agent.remark]
    if command:
        lines.append(f"{'continue' if result.interrupted and result.kept else 'again'}: {command}")
    if result.kept:
        which = f"{result.id}{result.store}"
        lines.append(f"details: spar report {which}, spar replay {which} --game 1")
    return plain("\n".join(lines))


def summarise(result: "Tournament", time: str = "") -> Summary:
    """The verdict and its evidence; `time` tells how long it took, in words."""
    if not result.played:
        found = Summary(f"no {'pair' if result.contest.game.seats == 2 else 'block'} of games was finished")
    elif result.contest.experiment.contestants:
        found = _gauntlet(result, time)
    elif result.contest.game.seats > 2:
        found = _tables(result, time)
    else:
        found = _match(result) if len(result.pairings) == 1 else _league(result, time)
    return replace(
        found,
        metrics=tuple(_metrics(result)),
        test=result.why(),
        repeats=_repeats(result),
        voids=_voids(result),
        failures=tuple(_failures(result)),
    )


def _metrics(result: "Tournament") -> list[str]:
    if not result.played:
        return []
    told = [f"{name}: {label} {note}" for name, metrics in result.metrics.items() for label, note in metrics.items()]
    lengths = result.lengths
    return [f"game length: mean {lengths.mean:.1f} {lengths.unit}, {lengths.fewest} to {lengths.most}", *told]


def _match(result: "Tournament") -> Summary:
    pairing = result.pairings[0].told
    score, mine, yours = pairing.score, pairing.effort(), pairing.reversed.effort()
    low, high = score.interval
    wins = (
        f"{pairing.first} won {score.won:,} · drawn {score.drawn:,} · lost {score.lost:,}    "
        f"{100 * score.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    )
    effort = []
    for field, told, scale, digits in EFFORT_TOLD:
        if mine[field] or yours[field]:  # else a dash, such as for the depth of an agent that does not search
            effort.append(
                told.format(*(f"{scale * one[field]:{digits}}" if one[field] else "-" for one in (mine, yours)))
            )
    return Summary(pairing.verdict(), (wins, " · ".join(effort)) if effort else (wins,))


def _league(result: "Tournament", time: str) -> Summary:
    ranked = [rating for rating in result.ratings if rating.games]
    names = [rating.name for rating in ranked]
    head = ["", "agent", "Elo", "95 %", "score", *(f"{place + 1}" for place in range(len(names)))]
    rows = []
    for place, rating in enumerate(ranked):
        met = [result.between(rating.name, other) for other in names]
        cells = ["" if pairing is None else f"{100 * pairing.score.mean:.0f}" for pairing in met]
        interval = f"[{rating.low:+.0f}, {rating.high:+.0f}]"
        rows.append(
            [f"{place + 1}", rating.name, f"{rating.elo:+z.0f}", interval, f"{100 * rating.score:.1f} %", *cells]
        )
    table = columns([head, *rows], right={0, 2, 4, *range(5, 5 + len(names))})
    games = _listed(f"{result.played:,} games in pairs with sides swapped", time)
    best, meeting = ranked[0], result.between(*names[:2])
    leader = meeting.verdict() if meeting else f"{best.name} leads with {best.elo:+z.0f} Elo"
    return Summary(leader, table=table, games=f"{games}; a cell is the % won there")


def _listed(*words: str) -> str:
    return ", ".join(word for word in words if word)


def _gauntlet(result: "Tournament", time: str) -> Summary:
    """Contestants against opponents, with claimed beside measured scores."""
    experiment = result.contest.experiment
    names = list(experiment.opponents)
    rows = [["contestant", *names, "total", "95 %", "claimed", ""]]
    scored = []
    for name, entry in experiment.contestants.items():
        met = [result.against(name, other) for other in names]
        cells = [f"{100 * score.mean:.0f}" if score.games else "" for score in met]
        total = result.total(name)
        low, high = (100 * bound for bound in total.interval)
        scored.append((total.mean, f"{name} scored most: {100 * total.mean:.1f} % [{low:.1f}, {high:.1f}]"))
        claim = "" if entry.claim is None else f"{entry.claim:.1f}"
        holds = "" if entry.claim is None else "inside" if low <= entry.claim <= high else "outside"
        rows.append([name, *cells, f"{100 * total.mean:.1f}", f"[{low:.1f}, {high:.1f}]", claim, holds])
    table = columns(rows, right=set(range(1, len(names) + 2)) | {len(names) + 3})
    seats = result.contest.game.seats
    par = f"par {100 * experiment.side / seats:g} %" if seats > 2 else ""
    games = f"{result.played:,} games, {experiment.games:,} of each pair, seed {experiment.seed}"
    games = _listed(games, par, time)
    best = max(scored, key=lambda one: one[0])[1]
    return Summary(best, table=table, games=games, matches=_matches(result), tabled=True)


def _matches(result: "Tournament") -> str:
    """Games won and lost by each contestant against each opponent, and the win rate."""
    experiment = result.contest.experiment
    names, opponents = list(experiment.contestants), list(experiment.opponents)
    scores = {name: [result.against(name, other) for other in opponents] for name in names}
    drawn = any(score.drawn for met in scores.values() for score in met)
    width = len(f"{experiment.games}")
    tables = []
    for first in range(0, len(names), ABREAST):
        abreast = names[first : first + ABREAST]
        rows = [["Match #", "Opponent", *abreast], ["", "", *[f"Won {'Drawn ' if drawn else ''}Lost"] * len(abreast)]]
        for place, other in enumerate(opponents):
            rows.append([f"{place + 1}", other, *(_counts(scores[name][place], width, drawn) for name in abreast)])
        rows.append(["Win Rate:", "", *(win_rate(scores[name]) for name in abreast)])
        tables.append(columns(rows, right=range(2, 2 + len(abreast))))
    return "\n\n".join(tables)


def _counts(score: Score, width: int, drawn: bool) -> str:
    counts = [(score.won, 3), *([(score.drawn, 5)] if drawn else []), (score.lost, 4)]
    return " ".join(f"{count:>{max(width, least)}}" for count, least in counts)


def win_rate(met: Sequence[Score]) -> str:
    """The share of games won, in percent."""
    games = sum(score.games for score in met)
    return f"{100 * sum(score.won for score in met) / games:.1f} %" if games else ""


def _tables(result: "Tournament", time: str) -> Summary:
    """Games of more than two players: places instead of wins."""
    head = ["", "agent", "rating", "95 %", "place", "95 %", "wins", "95 %"]
    rows = []
    for place, one in enumerate(result.placings):
        elo = [f"{one.elo:+z.0f}", f"[{one.low:+.0f}, {one.high:+.0f}]"]
        placed = [f"{one.place:.2f}", f"[{one.place_low:.2f}, {one.place_high:.2f}]"]
        wins = [f"{100 * one.wins:.1f} %", f"[{100 * one.wins_low:.1f}, {100 * one.wins_high:.1f}]"]
        rows.append([f"{place + 1}", one.name, *elo, *placed, *wins])
    seats = result.contest.game.seats
    games = _listed(f"{result.played:,} games of {seats}, each agent in every seat equally often", time)
    _, best, rating, elo_interval, mean_place, place_interval, *_ = rows[0]
    first = f"{best} is ranked first: {rating} Elo {elo_interval}, place {mean_place} {place_interval} of {seats}"
    return Summary(first, table=columns([head, *rows], right={0, 2, 4, 6}), games=games, tabled=True)


def _repeats(result: "Tournament") -> str:
    contest = result.contest
    repeats = sum(int((~result.distinct(at)).sum()) * contest.games_a_block(at) for at in range(len(contest.tables)))
    return f"{repeats:,} games repeat others move for move and do not count" if repeats else ""


def _voids(result: "Tournament") -> str:
    if not result.voids:
        return ""
    blocks = counted(len({(table, one.block) for table, one in result.voids}), "block")
    first = one_line(result.voids[0][1].reason)[:160]
    return f"{blocks} of games void and played again, by no fault of an agent (first: {first})"


def _failures(result: "Tournament") -> list[str]:
    retired = {result.names[number] for number in result.retired}
    lines = []
    for name, kinds in result.failures().items():
        causes = ", ".join(f"{counted(times, 'game')} by {kind}" for kind, times in kinds.items())
        gone = " and was retired" if name in retired else ""
        first = result.first_failure(name)
        lines.append(f"{name} lost {causes}{gone} (first: {one_line(first.detail)[:160]})")
        if result.id and first.position and first.detail.startswith((CRASH, ILLEGAL)):
            lines.append(f"see it again: {_explain(result.contest, name, first.position)}")
    return lines


def _explain(contest: Contest, name: str, text: str) -> str:
    """The command that asks an agent in a position again."""
    spec = contest.participants[contest.names.index(name)].spec
    words = ["spar", "explain", contest.game.name, *contest.game.option_words(), "--agent", spec, "--position", text]
    return shlex.join(words)


def printed_text(name: str, output: str) -> str:
    """The last lines that an agent printed in a game."""
    lines = plain("\n".join(output.splitlines())).split("\n")
    shown = "\n".join(lines)[-PRINTED_SIGNS:].splitlines()[-PRINTED_LINES:]
    return "\n  ".join([f"{name} printed last{'' if shown == lines else ' (only the end is shown)'}:", *shown])


@dataclass(frozen=True)
class PartResults:
    """The results of an experiment file with several parts: the same contestants under other rules or opponents."""

    parts: tuple["Tournament", ...]
    source: str  # the command that plays it
    seconds: float = 0.0

    @property
    def title(self) -> str:
        return self.parts[0].contest.experiment.title

    @property
    def interrupted(self) -> bool:
        return any(part.interrupted for part in self.parts)

    def __str__(self) -> str:
        stopped = ["interrupted; the games played so far are counted below"] if self.interrupted else []
        head = [self.title, ""] if self.title else []
        again = "continue" if self.interrupted else "again"
        return plain("\n".join([*stopped, *head, *self._told(), f"{again}: {self.source}"]))

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        named = {part.contest.experiment.part: part.to_json() for part in self.parts}
        return {"title": self.title, "interrupted": self.interrupted, "seconds": self.seconds, "parts": named}

    def _told(self) -> list[str]:
        """One table if all parts have the same contestants, else the text of each part."""
        contestants = list(self.parts[0].contest.experiment.contestants)
        if not contestants or any(list(part.contest.experiment.contestants) != contestants for part in self.parts):
            return [text for part in self.parts for text in (part.contest.experiment.part, str(part), "")]
        columns_of = [(part, other) for part in self.parts for other in part.contest.experiment.opponents]
        rows, each = [["contestant"]], set()
        for part, other in columns_of:
            several = len(part.contest.experiment.opponents) > 1
            rows[0].append(f"{part.contest.experiment.part} {other}" if several else part.contest.experiment.part)
        for name in contestants:
            scores = [part.against(name, other) for part, other in columns_of]
            claims = [part.contest.experiment.contestants[name].claim for part, _ in columns_of]
            rows.append([name, *map(share, scores, claims)])
            each |= {score.games for score in scores}
        if len(columns_of) > len(contestants):
            rows = [list(column) for column in zip(*rows, strict=True)]
            rows[0][0] = "part"
        games = sum(part.played for part in self.parts)
        least, most = min(each), max(each)
        spread = f"{least:,} in each cell" if least == most else f"{least:,} to {most:,} in a cell"
        foot = f"{games:,} games, {spread}, {self.seconds:.1f} s; a cell is the % won there, with its 95 % interval"
        remarks = []
        for part in self.parts:
            found = summarise(part)
            remarks += [f"{part.contest.experiment.part}: {line}" for line in (found.repeats, *found.failures) if line]
        return [columns(rows, right=set(range(1, len(rows[0])))), "", foot, *remarks]


def share(score: Score, claim: float | None = None) -> str:
    """A score in percent, the larger side of its interval, and the claimed score in brackets."""
    if not score.games:
        return ""
    low, high = score.interval
    cell = f"{100 * score.mean:.1f} ±{100 * max(high - score.mean, score.mean - low):.1f}"
    return cell if claim is None else f"{cell} [{claim:g}]"
