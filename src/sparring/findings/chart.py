"""The picture of a document's findings: every figure with its interval, and what was claimed, as SVG."""

from collections.abc import Sequence
from typing import NamedTuple

from sparring.arena.markup import Html, Scale, tag
from sparring.findings.answers import Answer, Findings
from sparring.findings.claims import NEVER, Claim
from sparring.findings.measured import COUNT, PERCENT, SECONDS, Measured, shown

WIDTH, LABELS, RIGHT = 760, 250, 30
ROW, HEAD, FOOT = 22, 34, 26
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1d2126}.soft{fill:#5a626b}.title{font-weight:600}"
    ".band{fill:#8db6e3}.dot{fill:#1d2126}.claim{stroke:#c8641b;stroke-width:3}.rule{stroke:#d9dcdf}"
)


class Line(NamedTuple):
    """A figure in a picture, and what was claimed of it."""

    label: str
    measured: Measured
    claimed: float | None = None


class Panel(NamedTuple):
    """Figures of one unit on one scale."""

    title: str
    lines: Sequence[Line]


def chart(findings: Findings) -> str:
    """The claims, what corrections are worth, and the ranking, below each other."""
    panels = [*_panels("claims", findings.claims), *_panels("corrected against as written", findings.corrections)]
    if findings.ranking:
        ranked = [Line(one.name, one.measured) for one in findings.ranking]
        panels.append(Panel(f"the strongest now, {ranked[0].measured.unit}", ranked))
    drawn, top = [], 0
    for panel in panels:
        drawn.append(_drawn(panel, top))
        top += _height(panel)
    back = tag("rect", width=WIDTH, height=top, rx=6, fill="#ffffff")
    title = tag("title", findings.dossier.document.title)
    size = {"viewBox": f"0 0 {WIDTH} {top}", "width": WIDTH, "height": top}
    inside = [title, tag("style", Html(STYLE)), back, *drawn]
    return f"{tag('svg', *inside, xmlns='http://www.w3.org/2000/svg', role='img', **size)}\n"


def _panels(title: str, answers: Sequence[Answer]) -> list[Panel]:
    """A panel for each unit in which something was measured. Numbers of things have no common scale, and where nothing
    differs there is nothing to see."""
    found: dict[str, list[Line]] = {}
    for one in answers:
        if one.measured and one.measured.unit not in (COUNT, SECONDS) and one.verdict != NEVER:
            claimed = one.question.figure if isinstance(one.question, Claim) else None
            found.setdefault(one.measured.unit, []).append(Line(one.label, one.measured, claimed))
    return [Panel(f"{title}, {unit}", lines) for unit, lines in found.items()]


def _height(panel: Panel) -> int:
    return HEAD + ROW * len(panel.lines) + FOOT


def _drawn(panel: Panel, top: int) -> Html:
    unit = panel.lines[0].measured.unit
    claims = [line.claimed for line in panel.lines if line.claimed is not None]
    bounds = [bound for line in panel.lines for bound in (line.measured.low, line.measured.high)]
    scale = Scale(0, 100) if unit == PERCENT else Scale.around([*bounds, *claims])
    down = top + HEAD + ROW * len(panel.lines)
    drawn = [tag("text", panel.title, x=12, y=top + 20, class_="title")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        value = scale.low + share * (scale.high - scale.low)
        x = _across(scale, value)
        drawn.append(tag("line", x1=x, x2=x, y1=top + HEAD - 4, y2=down, class_="rule"))
        drawn.append(tag("text", shown(value, unit), x=x, y=down + 14, text_anchor="middle", class_="soft"))
    for place, line in enumerate(panel.lines):
        drawn += _bar(line, scale, top + HEAD + ROW * place)
    return tag("g", *drawn)


def _bar(line: Line, scale: Scale, top: int) -> list[Html]:
    """An interval with a dot for the estimate; a claim is a stroke across."""
    start, end = (_across(scale, bound) for bound in (line.measured.low, line.measured.high))
    told = f"{line.label}: {line.measured}" + ("" if line.claimed is None else f", claimed {line.claimed:g}")
    band = {"y": top + 5, "height": 12, "class_": "band"}
    marks = [
        tag("text", line.label, x=LABELS - 12, y=top + 15, text_anchor="end"),
        tag("rect", tag("title", told), x=start, width=max(2.0, round(end - start, 1)), **band),
    ]
    if line.claimed is not None:
        x = _across(scale, line.claimed)
        marks.append(tag("line", x1=x, x2=x, y1=top + 2, y2=top + 20, class_="claim"))
    return [*marks, tag("circle", cx=_across(scale, line.measured.value), cy=top + 11, r=4, class_="dot")]


def _across(scale: Scale, value: float) -> float:
    return round(LABELS + scale(value) / 100 * (WIDTH - LABELS - RIGHT), 1)
