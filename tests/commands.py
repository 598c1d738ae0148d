"""The `spar` command for tests, in this process or in a process of its own."""

import contextlib
import io
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sparring
from sparring.cli import main, output


class Said(NamedTuple):
    """The output and the exit code of a command."""

    code: int
    out: str
    err: str


def spar(*words: Any) -> Said:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", ["spar", *map(str, words)])
        patch.setattr(output, "FIRST_LINE_SECONDS", 3600.0)  # on a busy machine anything takes long
        main()
    code = ended.value.code
    return Said(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def did(*words: Any) -> str:
    """Run a command that must succeed. Return what it prints."""
    said = spar(*words)
    assert said.code == 0, said
    return said.out


def at_home(folder: Path, monkeypatch: pytest.MonkeyPatch, users_file: str) -> Path:
    """Change to a folder with a store of its own and a user's file, mine.py."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SPARRING_STORE", str(folder / "games.db"))
    (folder / "mine.py").write_text(users_file)
    return folder


def started(folder: Path, *words: Any, code: str = "") -> "subprocess.Popen[str]":
    """Start a command in a process of its own, as a shell in a folder would. Some `code` may run before it."""
    program = ["-c", f"{code}\nfrom sparring.cli import main\nmain()"] if code else ["-m", "sparring"]
    return subprocess.Popen(
        [sys.executable, *program, *map(str, words)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": f"{Path(sparring.__file__).parents[1]}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        },
    )


def finished(process: "subprocess.Popen[str]") -> Said:
    out, err = process.communicate(timeout=120)
    return Said(process.returncode, out, err)


def uncompiled(file: str) -> Any:
    """Run a test file as a program with the compiler switched off. Return what it prints as JSON."""
    answer = subprocess.run(
        [sys.executable, file],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def rewritten(db: Path, statement: str, *given: Any) -> None:
    """Change the games of a store by SQL, and make all checksums right again, as if they had been written so."""
    from sparring.arena.playout import result_type
    from sparring.arena.store_file import NO_SUM, combined, sum_of

    with contextlib.closing(sqlite3.connect(db)) as opened, opened:
        opened.execute(statement, given)
        for number, *row, _, _ in opened.execute("SELECT rowid, * FROM games").fetchall():
            opened.execute("UPDATE games SET sum=? WHERE rowid=?", (sum_of("games", *row), number))
        for id, run, seats in opened.execute("SELECT id, last_run, seats FROM experiments JOIN runs ON id=experiment"):
            games, tally = 0, NO_SUM
            for results, sum in opened.execute("SELECT results, sum FROM games WHERE experiment=?", (id,)):
                games, tally = games + len(results) // result_type(seats).itemsize, combined(tally, sum)
            opened.execute(
                "UPDATE runs SET games=?, tally=?, sum=? WHERE experiment=?",
                (games, tally, sum_of("runs", id, run, games, tally), id),
            )
