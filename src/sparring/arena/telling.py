"""Results in words: the verdict first, then the evidence, then how to look closer."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sparring.arena.experiment import Contest
from sparring.core.table import columns, counted, in_a_line, plain
from sparring.statistics.intervals import Rating, Score, evidence
from sparring.statistics.sprt import sprt_text

if TYPE_CHECKING:
    from sparring.arena.result import Tournament


SAID = ("game", "options", "agents", "tables", "games", "seed", "sprt", "decisions")
OPTIONS = ("limit", "bank", "seating")
"""What the command of a match or league says always, and what if it was chosen."""
ABREAST = 4
"""Contestants beside each other in a table of matches."""


def verdict(first: str, second: str, score: Score) -> str:
    """Whether the first agent beats the second, by how much, and how sure that is. All figures are the first agent's.

    An agent that is beaten is not asked first: see `Pairing.told`."""
    low, high = score.elo_interval
    chance = f"p(better) {'> 99.9' if score.p_better > 0.999 else f'{100 * score.p_better:.1f}'} %"
    known = f"{score.elo:+z.0f} Elo [{low:+.0f}, {high:+.0f}]"
    games = evidence(score.games, score.blocks)
    if low > 0:
        return f"{first} beats {second}: {known}, {games}, {chance}"
    return f"no significant difference between {first} and {second}: {known} for {first}, {games}, {chance}"


def command(contest: Contest) -> str:
    """The command that plays a match or league and goes on with it, if its settings can be said in one."""
    told = contest.experiment
    one = told.tables[0] if len(told.tables) == 1 else list(told.agents) if contest.game.seats == 2 else []
    verb, agents = ("match", one) if len(contest.tables) == 1 and one else ("league", list(told.agents))
    chosen = {name: getattr(told, name) for name in told.chosen() if name not in SAID}
    own = len(told.tables) > 1 or any(entry.spec != name or entry.nodes for name, entry in told.agents.items())
    if own or not told.agents or set(chosen) - set(OPTIONS):
        return ""
    words = ["spar", verb, told.game, *agents, "--games", str(told.games), "--seed", str(told.seed)]
    words += contest.game.option_words()
    for name in (name for name in OPTIONS if name in chosen):
        words += [f"--{name}", str(chosen[name])]
    words += ["--sprt", sprt_text(told.sprt)] if told.sprt else []
    words += ["--decisions"] if told.decisions else []
    return shlex.join(words)


@dataclass(frozen=True)
class Summary:
    """What a result says, part by part: a terminal and a page choose from it."""

    verdict: str
    evidence: tuple[str, ...] = ()  # of a match: wins and effort
    table: str = ""
    games: str = ""  # that the table is made of
    matches: str = ""  # of contestants: won and lost against each opponent
    metrics: tuple[str, ...] = ()  # how long games were, and what agents count of their moves
    test: str = ""  # how a sequential test stands
    repeats: str = ""
    failures: tuple[str, ...] = ()
    tabled: bool = False  # whether the table says what the verdict says

    def __str__(self) -> str:
        verdict = [] if self.tabled else [self.verdict, *self.evidence, *([""] if self.table else [])]
        table = [self.table, "", self.games] if self.table else []
        table += ["", self.matches, ""] if self.matches else []
        rest = [part for part in (self.test, self.repeats) if part]
        return "\n".join([*verdict, *table, *self.metrics, *rest, *self.failures])


def told(result: "Tournament") -> str:
    """What a terminal shows."""
    stopped = [f"interrupted after {result.played:,} games, which are counted below"] if result.interrupted else []
    title = result.contest.experiment.title
    time = f"{result.seconds:.1f} s" if result.seconds else ""
    head = [title, ""] if title else []
    return plain("\n".join([*stopped, *head, str(summary(result, time)), *_remarks(result), *_closer(result)]))


def _remarks(result: "Tournament") -> list[str]:
    """What agents have to say for themselves, of the games that were played just now."""
    return [f"{agent.name}: {agent.remark}" for agent in result.contest.agents if agent.remark]


def summary(result: "Tournament", time: str = "") -> Summary:
    """The verdict and its evidence; `time` is what to say of the time it took."""
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
        failures=tuple(_failures(result)),
    )


def _metrics(result: "Tournament") -> list[str]:
    if not result.played:
        return []
    told = [f"{name}: {label} {note}" for name, metrics in result.metrics.items() for label, note in metrics.items()]
    lengths = result.lengths
    return [f"game length: mean {lengths.mean:.1f} {lengths.unit}, {lengths.fewest} to {lengths.most}", *told]


def _closer(result: "Tournament") -> list[str]:
    command = result.command()
    again = [f"{'go on' if result.interrupted and result.kept else 'again'}: {command}"] if command else []
    report, replay = f"spar report {result.id}{result.store}", f"spar replay {result.id}{result.store} --game 1"
    return [*again, *([f"closer: {report}, {replay}"] if result.kept else [])]


def _match(result: "Tournament") -> Summary:
    pairing = result.pairings[0].told
    score, mine, yours = pairing.score, pairing.effort(), pairing.reversed.effort()
    low, high = score.interval
    wins = (
        f"{pairing.first} won {score.won:,} · drawn {score.drawn:,} · lost {score.lost:,}    "
        f"{100 * score.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    )
    known = [field for field in ("depth", "nodes", "seconds") if mine[field] or yours[field]]
    effort = " · ".join(_both(field, mine[field], yours[field]) for field in known)
    return Summary(pairing.verdict(), (wins, effort) if effort else (wins,))


def _both(field: str, mine: float, yours: float) -> str:
    """An effort of two agents; a dash for one that does not make it, such as the depth of one that does not search."""
    scale, digits, told = {
        "depth": (1, ".1f", "depth {} v {}"),
        "nodes": (1, ",.0f", "{} v {} nodes a move"),
        "seconds": (1000, ".2f", "{} v {} ms a move"),
    }[field]
    return told.format(*(f"{scale * one:{digits}}" if one else "-" for one in (mine, yours)))


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
    return Summary(_leader(result, ranked), table=table, games=f"{games}; a cell is the % won there")


def _leader(result: "Tournament", ranked: list[Rating]) -> str:
    first, second = ranked[:2]
    meeting = result.between(first.name, second.name)
    return meeting.verdict() if meeting else f"{first.name} leads with {first.elo:+z.0f} Elo"


def _listed(*words: str) -> str:
    return ", ".join(word for word in words if word)


def _gauntlet(result: "Tournament", time: str) -> Summary:
    """Every contestant against every opponent, with what was claimed beside what was measured."""
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
    """A match against each opponent, won and lost by each contestant, and the win rate: a few contestants at a time."""
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
    """The share of all games that were won."""
    games = sum(score.games for score in met)
    return f"{100 * sum(score.won for score in met) / games:.1f} %" if games else ""


def _tables(result: "Tournament", time: str) -> Summary:
    """Games of more than two: places instead of wins."""
    head = ["", "agent", "rating", "95 %", "place", "95 %", "wins", "95 %"]
    rows = []
    for place, one in enumerate(result.placings):
        rows.append(
            [
                f"{place + 1}",
                one.name,
                f"{one.elo:+z.0f}",
                f"[{one.low:+.0f}, {one.high:+.0f}]",
                f"{one.place:.2f}",
                f"[{one.place_low:.2f}, {one.place_high:.2f}]",
                f"{100 * one.wins:.1f} %",
                f"[{100 * one.wins_low:.1f}, {100 * one.wins_high:.1f}]",
            ]
        )
    seats = result.contest.game.seats
    games = _listed(f"{result.played:,} games of {seats} with every seating", time)
    best = result.placings[0]
    spread = f"place {best.place:.2f} [{best.place_low:.2f}, {best.place_high:.2f}] of {seats}"
    verdict = f"{best.name} is ranked first: {best.elo:+z.0f} Elo [{best.low:+.0f}, {best.high:+.0f}], {spread}"
    return Summary(verdict, table=columns([head, *rows], right={0, 2, 4, 6}), games=games, tabled=True)


def _repeats(result: "Tournament") -> str:
    contest = result.contest
    repeats = sum(int((~result.distinct(at)).sum()) * contest.games_a_block(at) for at in range(len(contest.tables)))
    return f"{repeats:,} games only repeated others move for move and do not count" if repeats else ""


def _failures(result: "Tournament") -> list[str]:
    retired = {result.names[number] for number in result.retired}
    lines = []
    for name, kinds in result.failures().items():
        causes = ", ".join(f"{counted(times, 'game')} by {kind}" for kind, times in kinds.items())
        gone = " and was retired" if name in retired else ""
        lines.append(f"{name} lost {causes}{gone} (first: {in_a_line(result.last_words(name))[:160]})")
    return lines
