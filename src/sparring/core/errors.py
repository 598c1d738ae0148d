"""Errors that a user can correct: one clear line that names the remedy."""

import difflib
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import CodeType


class SparringError(ValueError):
    """An error that is printed as its message alone; the command line exits with 2."""


class CompileError(SparringError):
    """A heuristic that the compiler refuses, with the line of the user's file and a sentence with the cause."""

    def __init__(self, name: str, code: CodeType, error: Exception) -> None:
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        place = _place(text, code.co_filename, code.co_firstlineno)
        super().__init__(f"{place}: {name} cannot be compiled: {_cause(text)}")


class EndlessLoop(SparringError):
    """A loop of a user's function that does not end, with its line."""


CAUSES = (
    (r"Untyped global name '(\w+)'.*?<class '(?:type|abc\.ABCMeta)'>", "{0} is a class; use functions and numbers"),
    (r"Untyped global name '(\w+)'.*?<class '(?:\w+\.)*(\w+)'>", "{0} is a {1}; use numbers, a tuple or a NumPy array"),
    (r"a reflected (\w+)\(.*?variable '(\w+)' in globals", "{1} is a {0}; use numbers, a tuple or a NumPy array"),
    (r"Unknown attribute '(\w+)' of type Record", "the state has no field {0}"),
    (r"exception_match\(\w+, (\w+)\)", "`except {0}` is not possible; test with `if` before the operation"),
    (r"(?s)Can't unify return type from the following types: ([^\n]*)", "it returns different types, {0}; "
     "return 0.0 instead of 0 where another `return` gives a float"),
    (r"Cannot unify (.*) and (.*) for '([^'.]+)[^']*'", "{2} is {0} here and {1} there; begin with 0.0 instead of 0, "
     "or use another name"),
    (r"got an unexpected keyword argument '(\w+)'", "a call with {0}= is not possible; write a loop"),
    (r"The use of yield", "a generator such as `f(c) for c in ...` is not possible; write a loop"),
    (r"format spec in f-strings|FORMAT_WITH_SPEC", "an f-string with a format is not possible; leave the text out"),
    (r"The 'with|unsupported opcode \(\w*WITH", "`with` is not possible; read files at the top of the file"),
    (r"STORE_GLOBAL", "`global` is not possible: a heuristic depends on the state alone; use a name of its own"),
    (r"<built-in function setitem>", "the values of a dict, and the items of a list, must be of one type"),
    (r"name '(\w+)' is not defined", "the name {0} is not defined; import or define it at the top of the file"),
    (r"Untyped global name '(\w+)'", "{0} is not a number, a tuple, an array or a function that can be compiled"),
    (r"Unknown attribute '(\w+)' of type Module\(<module '(\w+)'", "{1}.{0} cannot be compiled; write it with "
     "numbers, `if` and loops"),
    (r"Unknown attribute '(\w+)' of type (?:Literal\[str\]|unicode_type)", "`.{0}` of a text cannot be compiled; "
     "leave the text out"),
    (r"Use of unsupported ([^\n]*)", "unsupported: {0}; write it with numbers, `if` and loops"),
    (r"(?:Cannot determine Numba type of|Invalid use of)[^\n]*", ""),
    (r"No implementation of function Function\(<built-in function (\w+)>\)", "`{0}` of these types cannot be compiled; "
     "use numbers"),
    (r"(?:No (?:implementation|conversion|matching definition)|mismatch of return type)[^\n]*", ""),
)  # fmt: skip
"""Sentences in the compiler's messages, the most useful first, and the text to show instead: the cause and a remedy."""


def _place(text: str, file: str, first: int) -> str:
    """The innermost line of the user's code that the compiler's message names, else the first line of the function."""
    ours = Path(__file__).parents[1]
    for name, line in re.findall(r'File "([^"<>]+)", line (\d+)', text):
        for place in (Path(file).parent / name, Path(name).absolute()):
            if place.is_file() and "site-packages" not in place.parts and not place.resolve().is_relative_to(ours):
                return f"{file if place.samefile(file) else place}:{line}"
    lines = re.findall(rf'{re.escape(Path(file).name)}"?(?:, line | [(])(\d+)', text)
    return f"{file}:{lines[-1] if lines else first}"


def _cause(text: str) -> str:
    for pattern, told in CAUSES:
        if found := re.search(pattern, text):
            return re.sub(r" at 0x[0-9a-f]+", "", told.format(*found.groups()) or found[0])[:200]
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith("Failed in")), "unknown reason")[:200]


def lacking(what: str, extra: str) -> SparringError:
    """The error for a missing library that comes with an extra of the package."""
    return SparringError(f"{what}: {sys.executable} -m pip install 'sparring[{extra}]'")


def unknown(what: str, name: str, known: Iterable[str]) -> SparringError:
    """The error for an unknown name, with the known names that look like it."""
    names = sorted(known)
    containing = [other for other in names if len(name) > 1 and name in other]
    close = difflib.get_close_matches(name, names, n=4, cutoff=0.5) or containing[:4]
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names)}"
    return SparringError(f"unknown {what} {name!r}; {hint}")
