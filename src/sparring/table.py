"""Text in columns, words in the right number, and nothing that a terminal would take for a command."""

import re
from collections.abc import Collection, Sequence


def counted(number: int, thing: str) -> str:
    """`1 pair`, `2,000 pairs`, `3 losses`."""
    more = "es" if thing.endswith("s") else "s"
    return f"{number:,} {thing}{'' if number == 1 else more}"


def in_digits(value: float) -> str:
    """Four of them, and more only before the point."""
    return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:,.0f}"


def columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Rows of words as lines, each column as wide as its widest word; those in `right` end flush."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            word.rjust(w) if place in right else word.ljust(w)
            for place, (word, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def plain(text: str) -> str:
    """Without what could confuse a terminal or a page: agents' names and output may hold anything."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    return "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def in_a_line(text: str) -> str:
    """A text of somebody else's that must not pass for a line of ours."""
    return " ".join(text.split())
