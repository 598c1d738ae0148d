"""Errors that are a user's slip, not a defect: one clear line that names the remedy."""

import difflib
import re
from collections.abc import Iterable
from pathlib import Path


class SparringError(ValueError):
    """Printed as its message alone; the command line exits with 2."""


class CannotCompile(SparringError):
    """A heuristic that plain Python can run and the compiler cannot."""

    def __init__(self, name: str, file: str, error: Exception) -> None:
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        places = re.findall(rf'{re.escape(Path(file).name)}"?, line (\d+)', text) or re.findall(
            r"[(]line (\d+)[)]|, line (\d+)", text
        )
        lines = [number for place in places for number in ([place] if isinstance(place, str) else place) if number]
        causes = [line.strip() for line in text.splitlines() if line.strip()]
        telling = [
            line
            for line in causes
            if not re.match(r"(Failed in|During|File|\[|-|<source|>>>|\^|No implementation)", line)
        ]
        cause = (telling or causes or [type(error).__name__])[0]
        where = f"{file}:{lines[-1]}" if lines else file
        super().__init__(f"{where}: {name} cannot be compiled: {cause}")


def unknown(what: str, name: str, known: Iterable[str]) -> SparringError:
    """The error for a name nobody knows, with the names that look like it."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=4, cutoff=0.5) or [
        other for other in names if name and name in other
    ]
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names)}"
    return SparringError(f"unknown {what} {name!r}; {hint}")
