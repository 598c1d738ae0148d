"""The picture of a document's findings as SVG: every figure with its interval, the claimed figure and the verdict."""

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

from sparring.claims.answers import BETTER, WORSE, Answer, Findings
from sparring.claims.claims import COUNT, ELO, FAILS, HOLDS, NEVER, PERCENT, POINTS, SECONDS, Claim, Estimate
from sparring.core.markup import Html, Scale, circle, line, picture, rect, tag

WIDTH, LABELS, VERDICTS = 860, 200, 160
ROW, HEAD, FOOT = 22, 34, 26
GOOD, BAD, NEITHER = "#7cc08a", "#e79a7d", "#a9bfd8"
COLOURS = {HOLDS: GOOD, BETTER: GOOD, FAILS: BAD, WORSE: BAD}
UNITS = {PERCENT: "%", POINTS: "points of a percentage", ELO: "Elo"}
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1d2126}.soft{fill:#5a626b}.title{font-weight:600}.dot{fill:#1d2126}"
    ".figure{stroke:#9c3d00;stroke-width:3}.bound{stroke:#9c3d00;stroke-width:1.5;stroke-dasharray:3 3}"
    ".rule{stroke:#d9dcdf}"
)
LEGEND = (
    "dot and band: our figure and 95 % interval · thick stroke: the document's figure · dashed: limit of the verdict"
)


class ChartRow(NamedTuple):
    """A figure in a picture, its verdict, the claimed figure, and the values at which another verdict begins."""

    label: str
    measured: Estimate
    verdict: str = ""
    claimed: float | None = None
    bounds: tuple[float, ...] = ()


def chart(findings: Findings) -> str:
    """Draw the claims, the corrections and the ranking below each other."""
    panels = _panels("claims", findings.claims) | _panels("corrected against as written", findings.corrections)
    if findings.ranking:
        ranked = [ChartRow(one.name, one.measured) for one in findings.ranking]
        panels[f"the strongest agents, {UNITS[ranked[0].measured.unit]}"] = ranked
    drawn, top = [], 0
    for title, rows in panels.items():
        drawn.append(_panel(title, rows, top))
        top += HEAD + ROW * len(rows) + FOOT
    drawn.append(tag("text", LEGEND, x=12, y=top + 14, class_="soft"))
    height = top + FOOT
    back = rect(0, 0, WIDTH, height, rx=6, fill="#ffffff")
    title = findings.dossier.document.title
    inside = [tag("title", title), tag("style", Html(STYLE)), back, *drawn]
    return f"{picture(WIDTH, height, title, *inside, height=height, text_anchor=None)}\n"


def _panels(title: str, answers: Sequence[Answer]) -> dict[str, list[ChartRow]]:
    """Make a panel for each unit. Counts have no common scale, and figures that never differ are left out."""
    found: dict[str, list[ChartRow]] = {}
    for one in answers:
        if one.measured and one.measured.unit not in (COUNT, SECONDS) and one.verdict != NEVER:
            claimed = one.question.figure if isinstance(one.question, Claim) else None
            drawn = ChartRow(one.label, one.measured, one.verdict, claimed, one.bounds)
            found.setdefault(f"{title}, {UNITS[one.measured.unit]}", []).append(drawn)
    return found


def _panel(title: str, rows: Sequence[ChartRow], top: int) -> Html:
    """Draw figures with one unit on one scale."""
    shown = [value for one in rows for value in (one.measured.low, one.measured.high, one.claimed, *one.bounds)]
    known = [value for value in shown if value is not None]
    scale = Scale(0, 100) if rows[0].measured.unit == PERCENT else Scale.around(known)
    down = top + HEAD + ROW * len(rows)
    drawn = [tag("text", title, x=12, y=top + 20, class_="title")]
    for value in _ticks(scale):
        x = _across(scale, value)
        drawn.append(line((x, top + HEAD - 4), (x, down), class_="rule"))
        drawn.append(tag("text", f"{value:g}", x=x, y=down + 14, text_anchor="middle", class_="soft"))
    for place, one in enumerate(rows):
        drawn += _row(one, scale, top + HEAD + ROW * place)
    return tag("g", *drawn)


def _ticks(scale: Scale) -> list[float]:
    """Return three to six round numbers."""
    most = (scale.high - scale.low) / 5
    step = next(n * 10.0**k for k in range(-2, 9) for n in (1, 2, 2.5, 5) if n * 10.0**k >= most)
    return [step * place for place in range(ceil(scale.low / step), floor(scale.high / step) + 1)]


def _row(one: ChartRow, scale: Scale, top: int) -> list[Html]:
    start, end = (_across(scale, bound) for bound in (one.measured.low, one.measured.high))
    told = f"{one.label}: {one.measured}" + ("" if one.claimed is None else f", claimed {one.claimed:g}")
    fill = COLOURS.get(one.verdict, NEITHER)
    marks = [("bound", bound) for bound in one.bounds]
    marks += [] if one.claimed is None else [("figure", one.claimed)]
    strokes = [(kind, _across(scale, value)) for kind, value in marks]
    return [
        tag("text", one.label, x=LABELS - 12, y=top + 15, text_anchor="end"),
        tag("text", one.verdict, x=WIDTH - VERDICTS + 24, y=top + 15, class_="soft"),
        rect(start, top + 5, max(2.0, round(end - start, 1)), 12, tag("title", told), fill=fill),
        *(line((x, top + 1), (x, top + 21), class_=kind) for kind, x in strokes),
        circle(_across(scale, one.measured.value), top + 11, 4, class_="dot"),
    ]


def _across(scale: Scale, value: float) -> float:
    return round(LABELS + scale(value) / 100 * (WIDTH - LABELS - VERDICTS), 1)
