"""A report as one HTML page without scripts, which loads nothing. It fits light and dark screens of any width."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparring.analysis.report import Report, lasting, span
from sparring.core.files import atomic_write
from sparring.core.markup import Html, Scale, breakable, document, joined, section, share_bar, table, tag
from sparring.statistics.sprt import sprt_text

MAX_POINTS = 500  # points of the path of a sequential test
LENGTH_BARS = 40
MAX_GAMES, GAMES_PER_TABLE = 300, 12
MAX_OUTPUT = 2000  # characters of the output of an agent that failed
WIDE = {"class_": "n wide"}  # attributes of a column that only wide screens show
INTERVAL = tag("th", "95 %", scope="col", **WIDE)
BAR = tag("th", "", class_="bar", aria_label="as a bar")


def write(report: Report, file: Path) -> None:
    with atomic_write(file) as part:
        part.write_text(page(report), encoding="utf-8", errors="replace")


def page(report: Report) -> str:
    sections = [_summary(report)]
    if report.result.played:
        sections += [_claims(report), _ranking(report), _cross_table(report), _sequential_test(report)]
        sections += [*_ends(report), _lengths(report), _effort(report), _notes(report), _failures(report)]
        sections.append(_games(report))
    header = tag("header", tag("h1", report.heading), tag("p", report.what, class_="soft"))
    return document(report.heading, header, tag("main", *sections, _settings(report)))


def _table_section(
    title: str, caption: str, head: Sequence[object], rows: Sequence[Sequence[object]], numbers: Sequence[int] = ()
) -> Html:
    """Return a section with a table, or nothing if the table is empty."""
    return section(title, table(caption, head, rows, numbers)) if rows else Html()


def _summary(report: Report) -> Html:
    found = report.summary
    lines = (*found.evidence, *found.metrics, found.repeats, found.test, found.voids)
    paragraphs = (tag("p", line) for line in lines if line)
    return joined([tag("p", found.verdict, class_="verdict"), tag("p", report.state), *paragraphs])


def _claims(report: Report) -> Html:
    """Return the scores of the contestants of a gauntlet beside the claims about them."""
    contestants, scale, rows = report.result.contest.experiment.contestants, Scale(0, 100), []
    for name, entry in contestants.items():
        total, claim = report.result.total(name), entry.claim
        mean, low, high = (100 * value for value in (total.mean, *total.interval))
        bar = scale.bar(f"{mean:.1f} %, interval {low:.1f} to {high:.1f}", mean, low, high, claim)
        row = [name, bar, f"{mean:.1f}", tag("td", f"{low:.1f} to {high:.1f}", **WIDE), "", ""]
        if claim is not None:
            row[4:] = f"{claim:.1f}", "inside" if low <= claim <= high else "outside"
        rows.append(row)
    claimed = any(entry.claim is not None for entry in contestants.values())
    head = ["contestant", scale.head(""), "%", INTERVAL, "claimed", "the claim is"]
    caption = "Percent of games won against all opponents, with 95 % intervals over blocks of games."
    if claimed:
        caption += " The line across a bar is the claim."
    shown = slice(6 if claimed else 4)
    return _table_section("Contestants", caption, head[shown], [row[shown] for row in rows], numbers=(2, 3, 4))


def _ranking(report: Report) -> Html:
    two = report.result.contest.game.seats == 2
    rated: list[Any] = [one for one in report.result.ratings if one.games] if two else report.result.placings
    scale = Scale.around(bound for one in rated for bound in (one.low, one.high))
    rows = []
    for place, one in enumerate(rated, 1):
        elo, interval = f"{one.elo:+.0f}", f"{one.low:+.0f} to {one.high:+.0f}"
        row = [f"{place}. {one.name}", scale.bar(f"{elo}, interval {interval}", one.elo, one.low, one.high), elo]
        if two:
            row += [tag("td", interval, **WIDE), f"{100 * one.score:.1f} %", tag("td", f"{one.games:,}", **WIDE)]
        else:
            row.append(f"{one.place:.2f} [{one.place_low:.2f}, {one.place_high:.2f}]")
            row.append(f"{100 * one.wins:.1f} % [{100 * one.wins_low:.1f}, {100 * one.wins_high:.1f}]")
        rows.append(row)
    if two:
        head = ["agent", scale.head(), "Elo", INTERVAL, "score", tag("th", "games", scope="col", **WIDE)]
        caption = (
            "Elo above the mean of these agents, fitted on all games together, with 95 % intervals over game pairs. "
            "Games that only repeat other games are left out."
        )
    else:
        head = ["agent", scale.head(), "rating", "place", "wins"]
        caption = (
            "Plackett-Luce ratings on the Elo scale above the mean of these agents, the expected place (1 is best) and "
            "the share of first places, each with its 95 % interval over blocks of games."
        )
    return _table_section("Ranking", caption, head, rows, numbers=(2, 4) if two else (2, 3, 4))


def _cross_table(report: Report) -> Html:
    """Return the score of each agent against each other agent. A cell links to the games."""
    result, experiment = report.result, report.result.contest.experiment
    two = result.contest.game.seats == 2
    if len(result.names) == 2 and two:
        return Html()
    tables: dict[tuple[str, str], int] = {}
    for number, agents in reversed(list(enumerate(result.contest.tables))):
        tables |= {(result.names[a], result.names[b]): number for a in agents for b in agents if a != b}
    shares = {pair: share for pair, (_, share) in report.meetings.items()}
    if two:
        pairings = {pair: result.between(*pair) for pair in tables}
        shares = {pair: pairing.score.mean for pair, pairing in pairings.items() if pairing}

    def cell(one: str, other: str) -> Html:
        if (share := shares.get((one, other))) is None:
            return tag("td", "", class_="heat", style="--tint:var(--card);--much:0%")
        tint = f"--tint:var(--{'up' if share >= 0.5 else 'down'});--much:{140 * abs(share - 0.5):.0f}%"
        label = f"{one} against {other}: {100 * share:.1f} %, to the games"
        link = tag("a", f"{100 * share:.0f}", href=f"#table-{tables[one, other]}", aria_label=label)
        return tag("td", link, class_="heat", style=tint)

    columns = list(experiment.opponents) or report.ranked
    rows = [[one, *(cell(one, other) for other in columns)] for one in list(experiment.contestants) or report.ranked]
    head = ["agent", *(tag("th", tag("div", name, class_="top"), scope="col") for name in columns)]
    scored = "Score of the agent of the row against" if two else "Games in which the agent of the row was ahead of"
    caption = f"{scored} the agent of the column, in percent. A cell links to its games."
    return _table_section("Cross-table", caption, head, rows)


def downsampled(path: npt.NDArray[np.float64], limit: int) -> list[tuple[int, float]]:
    """Return a path with fewer points, including the lowest and the highest point of each part."""
    if len(path) <= limit:
        return list(enumerate(path.tolist()))
    kept = {0, len(path) - 1}
    for part in np.array_split(np.arange(len(path)), limit // 2 - 1):
        kept |= {int(part[path[part].argmin()]), int(part[path[part].argmax()])}
    return [(place, float(path[place])) for place in sorted(kept)]


def _chart(label: str, shapes: Iterable[Html], captions: Iterable[Html]) -> Html:
    """Return a chart whose shapes are drawn on a square of 1000 by 1000."""
    settings = {"viewBox": "0 0 1000 1000", "preserveAspectRatio": "none", "role": "img", "aria_label": label}
    return tag("div", tag("svg", *shapes, **settings), *captions, class_="chart")


def _sequential_test(report: Report) -> Html:
    result, test = report.result, report.result.contest.experiment.sprt
    if test is None or result.sprt_state is None:
        return Html()
    path = np.concatenate([[0.0], result.sprt_state.path])
    low, high = test.bounds
    scale = Scale(min(low, path.min()) - 0.3, max(high, path.max()) + 0.3)
    null, alternative, unit = test.words

    def line(value: float, kind: str) -> Html:
        y = 1000 - 10 * scale(value)
        return tag("line", x1=0, x2=1000, y1=y, y2=y, class_=kind)

    def caption(value: float, hypothesis: str, shift: str) -> Html:
        return tag("span", f"{value:.2f}: {hypothesis}", style=f"top:calc({100 - scale(value)}% {shift})")

    step = 1000 / max(1, len(path) - 1)
    points = " ".join(f"{x * step:.1f},{1000 - 10 * scale(y):.0f}" for x, y in downsampled(path, MAX_POINTS))
    shapes = [line(low, "bound"), line(0.0, "rule"), line(high, "bound"), tag("polyline", points=points, class_="line")]
    captions = [caption(low, null, "- 1.4rem"), caption(high, alternative, "+ .15rem")]
    axis = f"{result.tested}: log likelihood ratio after each {unit}, from 0 to {len(path) - 1:,} {unit}s"
    return section("Sequential test", _chart(result.why(), shapes, captions), tag("p", axis, class_="axis"))


def _ends(report: Report) -> Iterator[Html]:
    """Yield how games ended: all of them, those that each agent lost, and those that only a limit ended."""
    rows, played = [], report.result.played
    for ending, count in sorted(report.result.endings().items(), key=lambda one: -one[1]):
        share = f"{100 * count / played:.1f} %"
        rows.append([ending, share_bar(share, count / played), f"{count:,}", share])
    caption, losing = "Number of games with each ending.", report.losing.capitalize()
    yield _table_section("How games ended", caption, ["ending", BAR, "games", "share"], rows, (2, 3))
    yield _table_section(losing, f"{losing}, by agent.", ["agent", "games", "ending"], report.losses, (1,))
    caption = "Share of each agent's games that only a limit ended."
    yield _table_section("Stalls", caption, ["agent", "stalls", "ending"], report.stalls, (1,))


def _lengths(report: Report) -> Html:
    lengths = report.result.lengths
    bars = lengths.bars(LENGTH_BARS)
    highest, width = max(games for _, _, games in bars), 1000 / len(bars)
    shapes = []
    for place, (low, high, games) in enumerate(bars):
        size = 950 * games / highest
        title = tag("title", f"{span(low, high)} {lengths.unit}: {games:,} games")
        rect = {"x": f"{place * width + 1:.1f}", "width": f"{max(1, width - 2):.1f}"}
        shapes.append(tag("rect", title, **rect, y=f"{1000 - size:.1f}", height=f"{size:.1f}", class_="fill"))
    label = f"{lengths.unit} of a game: {lengths}"
    axis = (tag("span", text) for text in (lengths.fewest, lengths.unit, lengths.most))
    chart = _chart(label, shapes, [tag("span", f"{highest:,} games")])
    return section("How long games were", tag("p", str(lengths)), chart, tag("p", *axis, class_="axis ends"))


def _effort(report: Report) -> Html:
    slowest = max(one.seconds for one in report.spent) or 1.0
    rows = []
    for one in report.spent:
        time, (depth, nodes) = lasting(one.seconds), one.searched
        bar = share_bar(time, one.seconds / slowest)
        rows.append([one.agent, bar, time, *report.times(one.agent), nodes, depth, f"{one.moves:,}"])
    head = ["agent", BAR, "time", *report.times_told, "nodes", "depth", "moves"]
    caption = "Mean effort of a move. In large batches of compiled agents, one block of eight is timed."
    if report.thoughts:
        caption += " Half of the moves took at most p50, and 95 % of them at most p95."
    return _table_section("Effort of a move", caption, head, rows, numbers=range(2, len(head)))


def _notes(report: Report) -> Html:
    caption = "Notes of agents and referee about moves: the share of yes, the mean of numbers, the count of words."
    return _table_section("Notes of the agents", caption, ["agent", "note", ""], report.noted)


def _failures(report: Report) -> Html:
    counts, names = report.result.failures(), report.result.names
    if not counts:
        return Html()
    retired = {names[number] for number in report.result.retired}
    rows = []
    for name, kinds in counts.items():
        causes = ", ".join(f"{count:,} by {kind}" for kind, count in kinds.items())
        rows.append([name, f"{kinds.total():,}", causes, "retired" if name in retired else ""])
    parts = [table("Agents that lost games by failures.", ["agent", "games", "lost", ""], rows, numbers=(1,))]
    for fault in report.faults:
        parts += [tag("h3", f"game {fault.number}: {fault.agent}"), tag("p", fault.detail[:MAX_OUTPUT])]
        if fault.output.strip():
            parts += [tag("p", "its last output:", class_="soft"), tag("pre", fault.output[-MAX_OUTPUT:])]
        if report.result.kept:
            parts.append(tag("p", tag("code", report.replay(fault.number))))
    total = sum(kinds.total() for kinds in counts.values())
    if total > len(report.faults):
        parts.append(tag("p", f"The first {len(report.faults)} of {total:,} failures are shown.", class_="soft"))
    return section("Failures", *parts)


def _games(report: Report) -> Html:
    names, tables = report.result.names, report.best_tables
    limit = min(GAMES_PER_TABLE, max(1, MAX_GAMES // len(tables)))
    unit = report.result.lengths.unit
    head = ["game", "example of", "seats", "result", unit, "ending", "seed", "command"]
    shown = slice(8 if report.result.kept else 7)
    parts = []
    for number in tables:
        title = " v ".join(names[agent] for agent in report.result.contest.tables[number])
        rows = []
        for one in report.examples(number, limit):
            why, seats = (tag("td", breakable(text), class_="words") for text in (one.why, " v ".join(one.agents)))
            ending, command = tag("td", one.ending, class_="whole"), tag("code", report.replay(one.number))
            rows.append([one.number, why, seats, one.result, one.length, ending, one.seed, command][shown])
        parts += [tag("h3", title, id=f"table-{number}"), table(f"Some games of {title}.", head[shown], rows, (4, 6))]
    return section("Games to look at", *parts, id="games")


def _settings(report: Report) -> Html:
    contest = report.result.contest
    experiment = contest.experiment
    settings: dict[str, object] = {
        "game": f"{contest.game.name}, version {contest.game.version} of its rules",
        **contest.game.options(),
        "games at each table": f"{experiment.games:,}",
        "seating": experiment.seating,
        "seed": experiment.seed,
        "limit of a move": experiment.limit or "none",
        "bank": experiment.bank,
        "time until a stall": experiment.stall,
        "retired after": f"{experiment.failures} failures" if experiment.failures else "never",
    }
    if experiment.sprt:
        settings["sequential test"] = sprt_text(experiment.sprt)
    terms = [tag(kind, text) for pair in settings.items() for kind, text in zip(("dt", "dd"), pair, strict=True)]
    rows = [[one.name, tag("code", one.spec), one.hash] for one in contest.participants]
    agents = table("The agents, and a hash of the code of users' files.", ["agent", "spec", "hash"], rows)
    commands = list[Html]()
    for purpose, command in report.commands.items():
        commands += [tag("p", f"{purpose}:", class_="soft"), tag("pre", tag("code", command))]
    return section("Settings", tag("dl", *terms), tag("h3", "Agents"), agents, tag("h3", "Commands"), *commands)
