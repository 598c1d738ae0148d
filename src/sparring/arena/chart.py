"""A result in a notebook: the verdict, its evidence, and a chart of at most some kilobytes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparring.arena.summary import summarise
from sparring.core.markup import Html, Scale, circle, label, line, picture, rect, tag

if TYPE_CHECKING:
    from sparring.arena.result import Tournament

MOST_ROWS, MOST_LINES, LONGEST = 12, 8, 300
"""Agents in the chart, lines of evidence below the verdict, and characters of a line."""
WIDTH, NAMES, ROW = 640, 250, 22
"""Widths of the chart and of the names in it, and the height of a row, in pixels."""
NAME = 34
"""Characters of a name in the chart."""

Row = tuple[str, float, float, float]
"""An agent, its Elo, and the interval."""


def chart(rows: Sequence[Row]) -> Html:
    """Draw the Elo of agents with 95 % intervals around 0. The colours suit light and dark notebooks."""
    scale = Scale.around(bound for _, *elo in rows for bound in elo)
    height, across = ROW * len(rows) + 16, (WIDTH - NAMES) / 110

    def x(elo: float) -> float:
        return round(NAMES + across * (5 + scale(elo)), 1)

    shapes = [line((x(0), 0), (x(0), height - 16), stroke="gray")]
    for place, (name, elo, low, high) in enumerate(rows):
        middle, cut = ROW * place + ROW / 2, name if len(name) <= NAME else f"{name[: NAME - 1]}…"
        told = tag("title", f"{name}: {elo:+.0f} Elo [{low:+.0f}, {high:+.0f}]")
        shapes.append(label(0, middle + 4, cut, 12, text_anchor="start"))
        shapes.append(rect(x(low), middle - 5, max(1, x(high) - x(low)), 10, told, rx=3, fill="#6d9fd6"))
        shapes.append(circle(x(elo), middle, 3.5))
    shapes += [label(x(end), height - 3, f"{end:+g}" if end else "0", 11) for end in sorted({scale.low, 0, scale.high})]
    return picture(WIDTH, height, "Elo and 95 % interval of each agent", *shapes, fill="currentColor")


def _rows(result: "Tournament") -> list[Row]:
    """The better agent of a match, by its Elo over the other; else all agents, by their Elo above the mean."""
    if not result.played:
        return []
    if len(result.pairings) == 1:
        one = result.pairings[0].told
        return [(one.first, one.score.elo, *one.score.elo_interval)]
    rated = [one for one in result.ratings if one.games] if result.pairings else result.placings
    return [(one.name, one.elo, one.low, one.high) for one in rated]


def as_html(result: "Tournament") -> str:
    """The verdict of a result first, then the evidence and the chart, then the command that plays it again."""
    found = summarise(result, f"{result.seconds:.1f} s" if result.seconds else "")
    games = found.games.partition(";")[0]  # the rest explains the table
    more = (games, found.test, found.repeats, found.voids, *found.failures)
    told = [*found.evidence, *(text for text in more if text), *found.metrics]
    again = result.command()
    rows = _rows(result)
    left = len(rows) - MOST_ROWS
    told += [f"and {left:,} more agents; print(...) shows all"] if left > 0 else []
    return tag(
        "div",
        tag("b", found.verdict[:LONGEST]),
        *(tag("div", text[:LONGEST], style="white-space:pre-wrap") for text in told[-MOST_LINES:]),
        *([chart(rows[:MOST_ROWS])] if rows else []),
        *([tag("div", "again: ", tag("code", again))] if 0 < len(again) <= LONGEST else []),
    )
