"""docs/documents.md: every line of the five documents is answered, every row has a test, and all commands run.

`tests/data/documents.json` holds the numbers of the lines of each document that are not empty.
"""

import ast
import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from commands import spar

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "documents.md"
DOCUMENTS: dict[str, list[int]] = json.loads((TESTS / "data" / "documents.json").read_text())
CODE = re.compile(r"`([^`]+)`")
NAMED_TEST = re.compile(r"`(test_\w+)::(test_\w+)`")
STATES_NOTHING = "Lines that state nothing:"


class Row(NamedTuple):
    """A statement of a document and the answer to it."""

    lines: str
    says: str
    shown: str
    guarded: str
    departs: str


class Section(NamedTuple):
    """The part of the page about one document."""

    rows: list[Row]
    states_nothing: str


@cache
def sections() -> dict[str, Section]:
    parts = re.split(r"(?m)^## (\d{3}) .*$", PAGE.read_text())[1:]
    found = {}
    for number, text in zip(parts[::2], parts[1::2], strict=True):
        table = [line for line in text.splitlines() if line.startswith("|")][2:]
        rows = [Row(*(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])) for line in table]
        (nothing,) = (line for line in text.splitlines() if line.startswith(STATES_NOTHING))
        found[number] = Section(rows, nothing.removeprefix(STATES_NOTHING))
    return found


def numbers(ranges: str) -> set[int]:
    """Return the line numbers of a text such as `3, 5-8`."""
    spans = [[int(end) for end in span.split("-")] for span in ranges.split(",")]
    return {number for span in spans for number in range(span[0], span[-1] + 1)}


@cache
def names() -> dict[str, object]:
    """Return the names that the calls on the page use."""
    found: dict[str, object] = {}
    for block in re.findall(r"(?ms)^```python\n(.*?)^```", PAGE.read_text()):
        exec(block, found)
    return found


def is_command(code: str) -> bool:
    return code.startswith("spar ")


def is_call(code: str) -> bool:
    return code.split(".")[0].split("(")[0] in names()


@cache
def functions_of(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text()))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("number", DOCUMENTS)
def test_every_line_of_a_document_is_answered(number: str) -> None:
    section = sections()[number]
    answered = set[int]().union(*(numbers(row.lines) for row in section.rows))
    assert set(DOCUMENTS[number]) - answered - numbers(section.states_nothing) == set()
    assert answered & numbers(section.states_nothing) == set(), "a line states something or it does not"


def test_every_row_names_tests_that_exist_and_is_shown_by_a_command_or_a_call() -> None:
    for row in (row for section in sections().values() for row in section.rows):
        named = NAMED_TEST.findall(row.guarded)
        assert named, row
        for file, test in named:
            assert test in functions_of(TESTS / f"{file}.py"), (file, test)
        assert any(is_command(code) or is_call(code) for code in CODE.findall(row.shown)), row


@pytest.mark.slow
@pytest.mark.parametrize("number", DOCUMENTS)
def test_every_command_and_every_call_runs(number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in dict.fromkeys(code for row in sections()[number].rows for code in CODE.findall(row.shown)):
        if is_command(code):
            said = spar(*shlex.split(code)[1:])
            assert said.code == 0, (code, said)
        elif is_call(code):
            eval(code, dict(names()))
