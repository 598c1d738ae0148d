"""Text in columns, and words in the right number."""

from collections.abc import Collection, Sequence


def counted(number: int, thing: str) -> str:
    """`1 pair`, `2 pairs`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


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
