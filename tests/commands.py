"""The `spar` command for tests: in this process, or in one of its own that can be stopped."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sparring
from sparring.cli import main

ONE_PROCESS = "import sys; sys.argv[0] = 'spar'; from sparring.cli import main; main()"


class Said(NamedTuple):
    """What a command printed, and the status it ended with."""

    code: int
    out: str
    err: str


def spar(*words: Any) -> Said:
    """Run a command here and now."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", ["spar", *map(str, words)])
        main()
    code = ended.value.code
    return Said(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def did(*words: Any) -> str:
    """What a command prints that must end well."""
    said = spar(*words)
    assert said.code == 0, said
    return said.out


def at_home(folder: Path, monkeypatch: pytest.MonkeyPatch, users_file: str) -> Path:
    """A folder to run commands in, with a store of its own and a user's file, mine.py."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SPARRING_STORE", str(folder / "games.db"))
    (folder / "mine.py").write_text(users_file)
    return folder


def started(folder: Path, *words: Any) -> "subprocess.Popen[str]":
    """A command in a process of its own, as from a shell in a folder."""
    return subprocess.Popen(
        [sys.executable, "-c", ONE_PROCESS, *map(str, words)],
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
    """What a test's own file prints as JSON when it is run as a program with compilation switched off."""
    answer = subprocess.run(
        [sys.executable, file],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)
