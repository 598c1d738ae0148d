"""A report as one HTML page: no script, nothing loaded from elsewhere, in light and dark, for desks and phones."""

from pathlib import Path
from typing import Any

import numpy as np

from sparring.analysis.report import Report, Seen, lasting, listed, span
from sparring.core.files import written_whole
from sparring.core.markup import Html, Scale, breakable, document, joined, section, share_bar, table, tag
from sparring.statistics.sprt import sprt_text

LLR_POINTS = 500
LENGTH_BARS = 40
GAMES_LISTED, GAMES_A_TABLE = 300, 12
TAIL = 2000
"""How much of what a failed agent printed is shown."""


def write(report: Report, file: Path) -> None:
    """The page in a file, whole or not at all."""
    with written_whole(file) as part:
        part.write_text(page(report), encoding="utf-8", errors="replace")


def page(report: Report) -> str:
    result = report.result
    sections = [_summary(report)]
    if result.played:
        sections += [_claims(report) if _gauntlet(report) else Html(), _ranking(report), _crosstable(report)]
        sections += [_llr(report), _endings(report), _lost(report), _stalls(report), _lengths(report), _spent(report)]
        sections += [_noted(report), _failures(report), _games(report)]
    sections += [_settings(report)]
    top = tag("header", tag("h1", report.heading), tag("p", report.what, class_="soft"))
    return document(report.heading, top, tag("main", *sections))


WIDE_INTERVAL = tag("th", "95 %", scope="col", class_="n wide")


def _gauntlet(report: Report) -> bool:
    return bool(report.result.contest.experiment.contestants)


def _summary(report: Report) -> Html:
    """The summary but for what has a section of its own."""
    found = report.summary
    told = [tag("p", found.verdict, class_="verdict"), tag("p", report.state)]
    lines = (*found.evidence, *found.metrics, found.repeats, found.test)
    return joined([*told, *(tag("p", line) for line in lines if line)])


def _claims(report: Report) -> Html:
    """Of a gauntlet: what each contestant scored beside what was claimed."""
    result, scale = report.result, Scale(0, 100)
    rows, claimed = [], False
    for name, entry in result.contest.experiment.contestants.items():
        total = result.total(name)
        low, high = (100 * bound for bound in total.interval)
        claim = entry.claim
        claimed |= claim is not None
        holds = "" if claim is None else "inside" if low <= claim <= high else "outside"
        label = f"{100 * total.mean:.1f} %, interval {low:.1f} to {high:.1f}"
        rows.append(
            [
                name,
                scale.bar(label, 100 * total.mean, low, high, claim),
                f"{100 * total.mean:.1f}",
                tag("td", f"{low:.1f} to {high:.1f}", class_="n wide"),
                *(["" if claim is None else f"{claim:.1f}", holds]),
            ]
        )
    keep = 6 if claimed else 4
    head = ["contestant", scale.head(""), "%", WIDE_INTERVAL, "claimed", "the claim is"][:keep]
    caption = "Percent of games won against all opponents, with 95 % intervals over blocks of games."
    stroke = " The stroke across is what was claimed." if claimed else ""
    return section("Contestants", table(caption + stroke, head, [row[:keep] for row in rows], numbers=(2, 3, 4)))


def _ranking(report: Report) -> Html:
    result = report.result
    if result.contest.game.seats > 2:
        return _places(report)
    scale = Scale.around(bound for one in result.ratings if one.games for bound in (one.low, one.high))
    rows = []
    for place, one in enumerate([one for one in result.ratings if one.games], 1):
        label = f"{one.elo:+.0f} Elo, interval {one.low:+.0f} to {one.high:+.0f}"
        interval = tag("td", f"{one.low:+.0f} to {one.high:+.0f}", class_="n wide")
        games = tag("td", f"{one.games:,}", class_="n wide")
        bar = scale.bar(label, one.elo, one.low, one.high)
        rows.append([f"{place}. {one.name}", bar, f"{one.elo:+.0f}", interval, f"{100 * one.score:.1f} %", games])
    caption = (
        "Elo above the mean of these agents, fitted on all games at once, with 95 % intervals over pairs of games. "
        "Games that only repeat others are left out."
    )
    head = ["agent", scale.head(), "Elo", WIDE_INTERVAL, "score", tag("th", "games", scope="col", class_="n wide")]
    return section("Ranking", table(caption, head, rows, numbers=(2, 4)))


def _places(report: Report) -> Html:
    """Games of more than two: ratings, and beside them places and wins."""
    placings = report.result.placings
    scale = Scale.around(bound for one in placings for bound in (one.low, one.high))
    rows = []
    for place, one in enumerate(placings, 1):
        label = f"{one.elo:+.0f}, interval {one.low:+.0f} to {one.high:+.0f}"
        rows.append(
            [
                f"{place}. {one.name}",
                scale.bar(label, one.elo, one.low, one.high),
                f"{one.elo:+.0f}",
                f"{one.place:.2f} [{one.place_low:.2f}, {one.place_high:.2f}]",
                f"{100 * one.wins:.1f} % [{100 * one.wins_low:.1f}, {100 * one.wins_high:.1f}]",
            ]
        )
    caption = (
        "Plackett-Luce ratings on the Elo scale above the mean of these agents, the expected place (1 is best) and the "
        "share of first places, each with its 95 % interval over blocks of games."
    )
    return section(
        "Ranking", table(caption, ["agent", scale.head(), "rating", "place", "wins"], rows, numbers=(2, 3, 4))
    )


def _crosstable(report: Report) -> Html:
    """Who did how well against whom; every cell leads to the games behind it."""
    result, experiment = report.result, report.result.contest.experiment
    rows = list(experiment.contestants) if _gauntlet(report) else report.ranked
    across = list(experiment.opponents) if _gauntlet(report) else report.ranked
    if len(result.names) == 2 and result.contest.game.seats == 2:
        return Html()
    where: dict[tuple[str, str], int] = {}
    for number, agents in reversed(list(enumerate(result.contest.tables))):
        where |= {(result.names[a], result.names[b]): number for a in agents for b in agents if a != b}
    shares = report.ahead
    if result.contest.game.seats == 2:
        met = {pair: result.between(*pair) for pair in where}
        shares = {pair: pairing.score.mean for pair, pairing in met.items() if pairing}
    lines = []
    for one in rows:
        cells = []
        for other in across:
            share = shares.get((one, other))
            if share is None:
                cells.append(tag("td", "", class_="heat", style="--tint:var(--card);--much:0%"))
                continue
            tint = f"--tint:var(--{'up' if share >= 0.5 else 'down'});--much:{140 * abs(share - 0.5):.0f}%"
            label = f"{one} against {other}: {100 * share:.1f} %, to the games"
            link = tag("a", f"{100 * share:.0f}", href=f"#table-{where[one, other]}", aria_label=label)
            cells.append(tag("td", link, class_="heat", style=tint))
        lines.append([one, *cells])
    head = ["agent", *(tag("th", tag("div", name, class_="top"), scope="col") for name in across)]
    what = "won by" if result.contest.game.seats == 2 else "in which a better place went to"
    caption = (
        f"Percent of games {what} the agent of the row against the agent of the column. A cell leads to its games."
    )
    return section("Who against whom", table(caption, head, lines))


def thinned(path: Any, most: int) -> list[tuple[int, float]]:
    """A path with fewer points, but all its extremes: of each stretch the lowest and the highest."""
    if len(path) <= most:
        return list(enumerate(path.tolist()))
    kept = {0, len(path) - 1}
    for part in np.array_split(np.arange(len(path)), most // 2 - 1):
        kept |= {int(part[path[part].argmin()]), int(part[path[part].argmax()])}
    return [(place, float(path[place])) for place in sorted(kept)]


def _llr(report: Report) -> Html:
    result, test = report.result, report.result.contest.experiment.sprt
    if test is None or result.standing is None:
        return Html()
    path = np.concatenate([[0.0], result.standing.path])
    low, high = test.bounds
    scale = Scale(min(low, path.min()) - 0.3, max(high, path.max()) + 0.3)
    null, alternative, unit = test.words
    along = 1000 / max(1, len(path) - 1)
    points = " ".join(f"{x * along:.1f},{1000 - 10 * scale(y):.0f}" for x, y in thinned(path, LLR_POINTS))
    rules = [(low, "bound", f"{low:.2f}: {null}"), (0.0, "rule", ""), (high, "bound", f"{high:.2f}: {alternative}")]
    lines = [
        tag("line", x1=0, x2=1000, y1=1000 - 10 * scale(at), y2=1000 - 10 * scale(at), class_=kind)
        for at, kind, _ in rules
    ]
    drawn = [*lines, tag("polyline", points=points, class_="line")]
    shift = {low: "- 1.4rem", high: "+ .15rem"}
    names = [tag("span", name, style=f"top:calc({100 - scale(at)}% {shift[at]})") for at, _, name in rules if name]
    chart = tag("svg", *drawn, viewBox="0 0 1000 1000", preserveAspectRatio="none", role="img", aria_label=result.why())
    axis = tag(
        "p",
        f"{result.tested}: log likelihood ratio after each {unit}, from 0 to {len(path) - 1:,} {unit}s",
        class_="axis",
    )
    return section("Sequential test", tag("div", chart, *names, class_="chart"), axis)


def _endings(report: Report) -> Html:
    rows, played = [], report.result.played
    for ending, times in sorted(report.result.endings().items(), key=lambda one: -one[1]):
        told = f"{100 * times / played:.1f} %"
        rows.append([ending, share_bar(told, times / played), f"{times:,}", told])
    head = ["ending", tag("th", "", class_="bar", aria_label="drawn"), "games", "share"]
    return section("How games ended", table("How many games came to each end.", head, rows, numbers=(2, 3)))


def _lost(report: Report) -> Html:
    if len(report.result.endings()) < 2 or not report.lost:
        return Html()
    rows = [[name, f"{endings.total():,}", listed(endings)] for name, endings in report.lost.items()]
    told = report.losing.capitalize()
    return section(told, table(f"{told}, by agent.", ["agent", "games", "ending"], rows, numbers=(1,)))


def _stalls(report: Report) -> Html:
    caption = "The share of each agent's games that only a limit ended."
    listed = table(caption, ["agent", "stalls", "ending"], report.stalls, numbers=(1,))
    return section("Stalls", listed) if report.stalls else Html()


def _lengths(report: Report) -> Html:
    lengths = report.result.lengths
    bars = lengths.bars(LENGTH_BARS)
    highest, width = max(games for _, _, games in bars), 1000 / len(bars)
    drawn = []
    for place, (low, high, games) in enumerate(bars):
        size = 950 * games / highest
        title = tag("title", f"{span(low, high)} {lengths.unit}: {games:,} games")
        rect = {"x": f"{place * width + 1:.1f}", "width": f"{max(1, width - 2):.1f}"}
        drawn.append(tag("rect", title, **rect, y=f"{1000 - size:.1f}", height=f"{size:.1f}", class_="fill"))
    label = f"{lengths.unit} of a game: {lengths}"
    chart = tag("svg", *drawn, viewBox="0 0 1000 1000", preserveAspectRatio="none", role="img", aria_label=label)
    top = tag("span", f"{highest:,} games")
    scale = (tag("span", text) for text in (lengths.fewest, lengths.unit, lengths.most))
    ends = tag("p", *scale, class_="axis ends")
    return section("How long games were", tag("p", str(lengths)), tag("div", chart, top, class_="chart"), ends)


def _spent(report: Report) -> Html:
    slowest = max(one.seconds for one in report.spent)
    rows = []
    for one in report.spent:
        time = lasting(one.seconds)
        bar = share_bar(time, one.seconds / slowest if slowest else 0.0)
        depth, nodes = one.searched
        effort = [nodes, depth, f"{one.moves:,}"]
        rows.append([one.agent, bar, time, *report.times(one.agent), *effort])
    drawn = tag("th", "", class_="bar", aria_label="drawn")
    head = ["agent", drawn, "time", *report.times_told, "nodes", "depth", "moves"]
    caption = "What a move took on average. Of compiled agents in large batches, one block of eight is timed."
    single = " p50 and p95 are what half of the moves and 95 % of them took at most." if report.thoughts else ""
    return section("What a move took", table(caption + single, head, rows, numbers=range(2, len(head))))


def _noted(report: Report) -> Html:
    caption = (
        "What agents noted of their moves, and the referee when all had moved: how often a yes, the mean of numbers, "
        "the count of words."
    )
    return section("What agents noted", table(caption, ["agent", "note", ""], report.noted)) if report.noted else Html()


def _failures(report: Report) -> Html:
    counts = report.result.failures()
    if not counts:
        return Html()
    retired = {report.result.names[number] for number in report.result.retired}
    rows = []
    for name, kinds in counts.items():
        told = ", ".join(f"{times:,} by {kind}" for kind, times in kinds.items())
        rows.append([name, f"{kinds.total():,}", told, "retired" if name in retired else ""])
    shown = []
    for fault in report.faults:
        shown.append(tag("h3", f"game {fault.number}: {fault.agent}"))
        shown.append(tag("p", fault.detail[:TAIL]))
        if fault.output.strip():
            shown += [tag("p", "the last it printed:", class_="soft"), tag("pre", fault.output[-TAIL:])]
        if report.result.kept:
            shown.append(tag("p", tag("code", report.replay(fault.number))))
    total = sum(kinds.total() for kinds in counts.values())
    more = tag("p", f"The first {len(report.faults)} of {total:,} failures are shown.", class_="soft")
    head = ["agent", "games", "lost", ""]
    listed = table("Who lost games by failing.", head, rows, numbers=(1,))
    return section("Failures", listed, *shown, *([more] if total > len(report.faults) else []))


def _games(report: Report) -> Html:
    contest, names = report.result.contest, report.result.names
    played = report.best_tables
    most = min(GAMES_A_TABLE, max(1, GAMES_LISTED // len(played)))
    parts = []
    for number in played:
        title = " v ".join(names[agent] for agent in contest.tables[number])
        parts.append(tag("h3", title, id=f"table-{number}"))
        head = [
            "game",
            "why it is here",
            "seats",
            "result",
            report.result.lengths.unit,
            "ending",
            "seed",
            "to look at it",
        ]
        rows = [_row(report, one) for one in report.examples(number, most)]
        parts.append(table(f"Some games of {title}.", head[: len(rows[0])], rows, numbers=(4, 6)))
    return section("Games to look at", *parts, id="games")


def _row(report: Report, one: Seen) -> list[object]:
    ending = tag("td", one.ending, class_="whole")
    look = [tag("code", report.replay(one.number))] if report.result.kept else []
    why, seats = (tag("td", breakable(text), class_="words") for text in (one.why, " v ".join(one.agents)))
    return [one.number, why, seats, one.result, one.length, ending, one.seed, *look]


def _settings(report: Report) -> Html:
    contest = report.result.contest
    experiment = contest.experiment
    said: dict[str, object] = {
        "game": f"{contest.game.name}, version {contest.game.version} of its rules",
        **contest.game.options(),
        "games at each table": f"{experiment.games:,}",
        "seating": experiment.seating,
        "seed": experiment.seed,
        "limit of a move": experiment.limit or "none",
        "bank": experiment.bank,
        "given up after": experiment.stall,
        "retired after": f"{experiment.failures} failures" if experiment.failures else "never",
    }
    if experiment.sprt:
        said["sequential test"] = sprt_text(experiment.sprt)
    terms = [tag(kind, text) for pair in said.items() for kind, text in zip(("dt", "dd"), pair, strict=True)]
    agents = table(
        "The agents; a hash stands for the code of a user's file.",
        ["agent", "as it was asked for", "hash"],
        [[one.name, tag("code", one.spec), one.hash] for one in contest.members],
    )
    commands: list[Html] = []
    for what, command in report.commands.items():
        commands += [tag("p", f"{what}:", class_="soft"), tag("pre", tag("code", command))]
    return section("Settings", tag("dl", *terms), tag("h3", "Agents"), agents, tag("h3", "Commands"), *commands)
