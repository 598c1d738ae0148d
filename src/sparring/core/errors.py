"""Errors that are a user's slip, not a defect: one clear line that names the remedy."""

import difflib
import re
import sys
from collections.abc import Iterable
from pathlib import Path


class SparringError(ValueError):
    """Printed as its message alone; the command line exits with 2."""


class CannotCompile(SparringError):
    """A heuristic that the compiler refuses, with the line of the user's file and the one sentence that tells why."""

    def __init__(self, name: str, file: str, error: Exception) -> None:
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        lines = re.findall(rf'{re.escape(Path(file).name)}"?(?:, line | [(])(\d+)', text)
        where = f"{file}:{lines[-1]}" if lines else file
        super().__init__(f"{where}: {name} cannot be compiled: {_cause(text)}")


class EndlessLoop(SparringError):
    """A loop of a user's function that does not end, with its line."""


TELLING = (
    r"Unknown attribute .*",
    r"Untyped global name .*",
    r"Cannot determine Numba type of .*",
    r"name '\w+' is not defined",
    r"Use of unsupported .*",
    r"Cannot unify .*",
    r"Invalid use of .*",
    r"got an unexpected keyword argument .*",
    r"No (?:implementation|conversion|matching definition).*",
    r"mismatch of return type.*",
)
"""The sentences in the compiler's long messages that a reader can act on, the most telling first."""


def _cause(text: str) -> str:
    for pattern in TELLING:
        found = re.search(pattern, text)
        if found:
            return re.sub(r" at 0x[0-9a-f]+", "", found[0])[:200]
    return next((line.strip() for line in text.splitlines() if line.strip()), "unknown reason")[:200]


def lacking(what: str, extra: str) -> SparringError:
    """The error for what needs a library that only comes with an extra of the package."""
    return SparringError(f"{what}: {sys.executable} -m pip install 'sparring[{extra}]'")


def unknown(what: str, name: str, known: Iterable[str]) -> SparringError:
    """The error for a name nobody knows, with the names that look like it."""
    names = sorted(known)
    containing = [other for other in names if len(name) > 1 and name in other]
    close = difflib.get_close_matches(name, names, n=4, cutoff=0.5) or containing[:4]
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names)}"
    return SparringError(f"unknown {what} {name!r}; {hint}")
