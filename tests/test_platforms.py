"""Sparring on systems without what only Unix has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sparring
from commands import at_home

HIDE = """
import os, select, signal, socket, sys, time
from importlib.abc import MetaPathFinder

HIDDEN = "fcntl resource termios pwd grp tty pty readline curses".split()
ATTRIBUTES = {
    os: "fork forkpty pidfd_open setsid killpg pread sched_getaffinity O_NOFOLLOW O_NONBLOCK",
    time: "CLOCK_MONOTONIC clock_gettime",
    select: "poll epoll",
    socket: "send_fds recv_fds",
    signal: "SIGXFSZ",
}

class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in HIDDEN:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Hide())
for owner, names in ATTRIBUTES.items():
    for name in names.split():
        vars(owner).pop(name, None)
"""
MINE = """
import os
from sparring import Terms, agent, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits

@heuristic("isolation")
def own_exits(s, me):
    return Terms(own=count(exits(s, me)))

@agent("isolation")
def first(view):
    print("first of", len(view.legal))
    return view.legal[0]

@agent("isolation")
def dies(view):
    os._exit(3)
"""
MATCHES = [
    ["improved,nodes=200", "open,nodes=200"],
    ["mine.py:own_exits,nodes=100", "random"],
    ["mine.py:first", "random"],
    ["mine.py:dies", "random"],
]
PLAY = """
def played(agents):
    result = sparring.match("isolation", *agents, games=2)
    moves = [[turn.action for turn in game.turns] for game in result.games]
    return [moves, [result.first_failure(name).detail for name in result.names]]
"""


@pytest.mark.slow
def test_agents_play_the_same_games_on_a_system_that_cannot_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(tmp_path, monkeypatch, MINE)
    here = {"sparring": sparring}
    exec(PLAY, here)  # first, so that the other process finds its compiled code
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(HIDE)
    at_home_played = [here["played"](agents) for agents in MATCHES]  # type: ignore[operator]
    code = f"import os, json, sparring\n{PLAY}\nassert not hasattr(os, 'fork')\n"
    elsewhere = subprocess.run(
        [sys.executable, "-c", f"{code}print(json.dumps([played(agents) for agents in {MATCHES!r}]))"],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path / "hidden"), str(Path(sparring.__file__).parents[1])]),
        },
    )
    assert elsewhere.returncode == 0, elsewhere.stderr
    assert json.loads(elsewhere.stdout) == at_home_played
    assert at_home_played[3][1] == ["crash: its process exited with status 3", ""]
    told = "spar: this system limits nothing but the time of users' agents in Python\n"
    assert elsewhere.stderr.count(told) == 1
    assert "mine.py:first printed last:\n  first of " in elsewhere.stderr
