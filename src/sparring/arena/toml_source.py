"""The text of an experiment file, to find the line of an error."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.core.errors import SparringError

WORD = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""
"""A key of a TOML file."""


@dataclass(frozen=True)
class TomlSource:
    """A file and its text; both are empty for an experiment that is not from a file. `part` is the index of a [[parts]]
    entry and `keys` are its own settings."""

    file: str = ""
    text: str = ""
    part: int = -1
    keys: frozenset[str] = frozenset()

    def line(self, path: Sequence[str | int]) -> int:
        """The line that matches most of a path such as contestants, improved, nodes."""
        wanted = [str(word) for word in path]
        within = self.part >= 0 and (not wanted or wanted[0] in self.keys)
        wanted = ["parts", *wanted] if within else wanted
        header: list[str] = []
        best, found, part = 0, 1, -1
        for number, line in enumerate(self.text.splitlines(), 1):
            section = re.match(r"\s*\[+([^\]]+)\]", line)
            key = re.match(rf"\s*({WORD}(?:\s*\.\s*{WORD})*)\s*=", line)
            if section:
                header = _split(section[1])
                part += header == ["parts"]
            inside = part if header[:1] == ["parts"] else -1
            here = header if section else [*header, *_split(key[1])] if key else []
            if here == wanted[: len(here)] and len(here) > best and inside == (self.part if within else -1):
                best, found = len(here), number
        return found

    @contextmanager
    def attributed_to(self, *path: str | int) -> Iterator[None]:
        """Add file and line to an error that is raised inside."""
        try:
            yield
        except SparringError as error:
            if not self.file or str(error).startswith(f"{self.file}:"):
                raise
            raise SparringError(f"{self.file}:{self.line(path)}: {error}") from error


def toml(file: Path) -> tuple[dict[str, Any], str]:
    """Read a file and return its settings and its text. An error names the line."""
    try:
        text = file.read_text(encoding="utf-8")
        return tomllib.loads(text), text
    except UnicodeDecodeError as error:
        raise SparringError(f"{file} is not a text in UTF-8") from error
    except OSError as error:
        raise SparringError(f"cannot read {file}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        told = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        last = len(text.splitlines())
        raise SparringError(f"{file}:{told[2] or last}: {told[1]}" if told else f"{file}: {error}") from error


def _split(key: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.]+", key)]
