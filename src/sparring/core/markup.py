"""Parts of pages and pictures: elements that escape their text, shapes, tables, bars, and the style of pages.

Everything in a page or a picture goes through `tag`, which escapes all text that is not markup made by it.
"""

import html
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from sparring import __version__
from sparring.core.table import plain

STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")

Length = float | str
Point = tuple[float, float]
SHAPES = frozenset(("circle", "ellipse", "line", "path", "polygon", "polyline", "rect"))


class Html(str):
    """Text that is markup already."""


def tag(name: str, *inside: object, **attributes: object) -> Html:
    """An element. `class_` is the attribute class, `stroke_width` is stroke-width; None leaves an attribute out."""
    shown = ""
    for key, value in attributes.items():
        if value is not None:
            shown += f' {_dashed(key)}="{value if type(value) is int else _escaped(value)}"'
    if name in SHAPES and not inside:
        return Html(f"<{name}{shown}/>")
    return Html(f"<{name}{shown}>{joined(inside)}</{name}>")


def joined(parts: Iterable[object]) -> Html:
    return Html("".join([one if isinstance(one, Html) else _escaped(str(one)) for one in parts]))


@lru_cache(maxsize=1 << 10, typed=True)
def _escaped(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else html.escape(plain(str(value)))


@lru_cache(maxsize=1 << 10)
def _dashed(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


# Pictures


def picture(width: float, height: float, told: str, /, *inside: object, **style: object) -> Html:
    """A whole SVG picture; `told` describes it in words."""
    size = {"viewBox": f"0 0 {width} {height}", "width": width, "role": "img", "aria_label": told}
    usual = {"font_family": "sans-serif", "text_anchor": "middle"}
    return tag("svg", *inside, xmlns="http://www.w3.org/2000/svg", **size, **{**usual, **style})


def rect(x: Length, y: Length, width: Length, height: Length, /, *inside: object, **style: object) -> Html:
    return tag("rect", *inside, x=x, y=y, width=width, height=height, **style)


def squares(corners: Iterable[Point], side: float, /, **style: object) -> Html:
    """Squares of one size and style, by their upper left corners. One path takes far fewer bytes than many shapes."""
    return tag("path", d="".join(f"M{x:g},{y:g}h{side:g}v{side:g}h-{side:g}z" for x, y in corners), **style)


def circle(x: Length, y: Length, radius: Length, *inside: object, **style: object) -> Html:
    return tag("circle", *inside, cx=x, cy=y, r=radius, **style)


def line(start: tuple[Length, Length], end: tuple[Length, Length], *inside: object, **style: object) -> Html:
    return tag("line", *inside, x1=start[0], y1=start[1], x2=end[0], y2=end[1], **style)


def polyline(points: Iterable[Point], **style: object) -> Html:
    return tag("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in points), **style)


def polygon(points: Iterable[Point], **style: object) -> Html:
    return tag("polygon", points=" ".join(f"{x:g},{y:g}" for x, y in points), **style)


def label(x: Length, y: Length, text: object, size: Length, **style: object) -> Html:
    return tag("text", text, x=x, y=y, font_size=size, **style)


# Pages


def document(title: str, *inside: object, style: str = "", head: object = "") -> str:
    """A whole page that loads nothing from elsewhere."""
    metas = Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">')
    top = tag("head", metas, head, tag("title", title), tag("style", Html(STYLE + style)))
    foot = tag("footer", tag("p", f"Written by Sparring {__version__}.", class_="soft"))
    return f"<!doctype html>\n{tag('html', top, tag('body', *inside, foot), lang='en')}\n"


def section(title: str, *inside: object, id: str | None = None) -> Html:
    return tag("section", tag("h2", title), *inside, id=id)


def table(
    caption: str,
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    numbers: Sequence[int] = (),
) -> Html:
    """A table whose first column names the row. Columns in `numbers` are aligned to the right, other than a `cell`."""
    top = [one if is_cell(one) else cell("th", one, place in numbers, scope="col") for place, one in enumerate(head)]
    body = []
    for row in rows:
        first = cell("th", row[0] if isinstance(row[0], Html) else breakable(row[0]), scope="row")
        rest = [one if is_cell(one) else cell("td", one, place in numbers) for place, one in enumerate(row[1:], 1)]
        body.append(tag("tr", first, *rest))
    inside = tag("table", tag("caption", caption), tag("thead", tag("tr", *top)), tag("tbody", *body))
    return tag("div", inside, class_="scroll", tabindex=0, role="region", aria_label=caption)


def breakable(text: object) -> Html:
    """A name that may be broken into lines between its parts."""
    return Html(re.sub("([_,:])", r"\1<wbr>", joined([text])))


def cell(name: str, inside: object, number: bool = False, **attributes: object) -> Html:
    return tag(name, inside, **{"class_": "n" if number else None, **attributes})


def is_cell(one: object) -> bool:
    return isinstance(one, Html) and one.startswith(("<td", "<th"))


class Scale:
    """Places of values on a line, in percent of its length."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high if high > low else low + 1

    def __call__(self, value: float) -> float:
        return round(100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low), 2)

    @classmethod
    def around(cls, values: Iterable[float]) -> "Scale":
        """A scale with a little room on both sides and with round ends."""
        known = [*values, 0.0]
        least = max(1.0, max(known) - min(known)) / 6
        step = next(n * 10.0**k for k in range(9) for n in (1, 2, 5) if n * 10.0**k >= least)
        return cls(step * math.floor(min(known) / step), step * math.ceil(max(known) / step))

    def head(self, sign: str = "+") -> Html:
        ends = tag("span", tag("span", f"{self.low:{sign}g}"), tag("span", f"{self.high:{sign}g}"), class_="axis")
        return tag("th", ends, scope="col", class_="bar", aria_label="drawn")

    def bar(self, told: str, value: float, low: float, high: float, claim: float | None = None) -> Html:
        """An interval with a dot for the estimate; a claim is a stroke across."""
        start, end = self(low), self(high)
        marks = [tag("title", told)]
        if self.low < 0 < self.high:
            marks.append(line((f"{self(0)}%", 0), (f"{self(0)}%", "100%"), class_="rule"))
        marks.append(rect(f"{start}%", "25%", f"{max(end - start, 0.3):.2f}%", "50%", rx=3, class_="fill"))
        if claim is not None:
            marks.append(line((f"{self(claim)}%", "5%"), (f"{self(claim)}%", "95%"), class_="claim"))
        marks.append(circle(f"{self(value)}%", "50%", 4, class_="dot"))
        return tag("td", tag("svg", *marks, role="img", aria_label=told), class_="bar")


def share_bar(told: str, share: float) -> Html:
    drawn = rect(0, "20%", f"{100 * share:.2f}%", "60%", rx=2, class_="fill")
    return tag("td", tag("svg", tag("title", told), drawn, role="img", aria_label=told), class_="bar")
