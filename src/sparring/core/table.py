"""Text in columns, counted words, and text without terminal commands."""

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from shutil import get_terminal_size


def counted(number: int, thing: str) -> str:
    """`1 pair`, `2,000 pairs`, `3 losses`."""
    more = "es" if thing.endswith("s") else "s"
    return f"{number:,} {thing}{'' if number == 1 else more}"


def four_digits(value: float) -> str:
    """A number with four digits, and more only before the point."""
    return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:,.0f}"


def columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Join rows of words into lines with columns of equal width; columns in `right` are aligned to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            word.rjust(w) if place in right else word.ljust(w)
            for place, (word, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


NARROWEST = 40  # least columns of text for a description, even in a narrow terminal


def descriptions(of: Mapping[str, str]) -> str:
    """Names and their descriptions, wrapped to the width of the terminal."""
    indent = 4 + max(map(len, of))
    lines = {name: wrapped(what, indent).split("\n") for name, what in of.items()}
    return columns(
        [[f"  {'' if place else name}", line] for name, told in lines.items() for place, line in enumerate(told)]
    )


def wrapped(text: str, indent: int = 0) -> str:
    """Wrap a text to the width of the terminal, less an indent."""
    width = max(NARROWEST, get_terminal_size((100, 24)).columns - indent)
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def plain(text: str) -> str:
    """Remove everything that could confuse a terminal or a page: names and output of agents may contain anything."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    return "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def one_line(text: str) -> str:
    """Put a foreign text on one line, so that it cannot pass for one of our lines."""
    return " ".join(text.split())
