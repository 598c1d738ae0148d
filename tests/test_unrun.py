"""Users' files are not run by the process that referees, and what is compiled from them cannot hang or crash it."""

import os
import time
import uuid
from pathlib import Path

import pytest

import sparring
from commands import spar
from sparring.arena import asking
from sparring.arena.limits import Limits
from sparring.arena.supervisor import SPARE

ATTACKS = {
    "patches the referee": ("import sparring.arena.referee as r\nr.play = r.check = None", ""),
    "exits": ("os._exit(0)", "mine.py: while it was loaded: its process exited with status 0"),
    "segfault": ("ctypes.string_at(0)", "mine.py: while it was loaded: its process was ended by SIGSEGV"),
    "endless loop": ("while True: pass", "mine.py: while it was loaded: no answer after 3 s"),
    "another folder": ("os.chdir('/')", ""),
    "recursion limit": ("sys.setrecursionlimit(40)", ""),
    "daemon": ("if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    time.sleep(1e6)", ""),
    "tampering": ("sys.stdout = None\nsys.modules['json'] = None\nraise SystemExit('enough')", "SystemExit: enough"),
}
"""Code at the top of a file, and what is told of it if its agent cannot play."""

FILE = """\
import ctypes, os, sys, time
from pathlib import Path

from sparring import agent, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits

Path({marker!r}).write_text("run")
{attack}


@heuristic("isolation")
def idea(s, me):
    return count(exits(s, me)) + 0.5


@agent("isolation")
def first(view):
    return view.legal[0]
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine.py"


def alive(mark: str) -> bool:
    """True if a process lives whose environment has a mark."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                return True
        except OSError:
            continue
    return False


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_heuristic_plays_without_the_code_around_it(mine: Path, attack: str) -> None:
    marker = mine.with_name("marker")
    mine.write_text(FILE.format(marker=str(marker), attack=ATTACKS[attack][0]))
    match = sparring.match("isolation", "mine.py:idea,depth=1", "random", games=2)
    assert not match.failures()
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_code_at_the_top_of_an_agents_file_reaches_its_own_process_alone(
    mine: Path, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("SPARRING_MARK", mark)
    monkeypatch.setattr(asking, "limits", Limits(stall=3.0))
    text, told = ATTACKS[attack]
    mine.write_text(FILE.format(marker=os.devnull, attack=text))
    said = spar("match", "isolation", "mine.py:first", "random", "--games", 2)
    assert (said.code, told in said.err) == (2 if told else 0, True)
    assert "Traceback (most recent" not in said.err
    assert Path.cwd() == mine.parent
    SPARE.close()  # the forkserver that waits for the next command
    deadline = time.monotonic() + 30
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(mark)
    assert sparring.match("isolation", "greedy", "random", games=2).pairings


HEAD = """\
import ctypes
import itertools

import numba
import numpy as np
from numpy.lib.stride_tricks import as_strided

from sparring import Terms, heuristic
from sparring.games.isolation import rules
from sparring.games.isolation.rules import *
from sparring.core.kernel import number_at

CELLS = np.array([1.0, 2.0])


@numba.njit
def wild(cells, place):
    return cells[place]


def again(number):
    return again(number + 1)


def there(number):
    return back(number)


def back(number):
    return there(number)


def waits(most):
    total = 0
    for number in range(most):
        total += number % 7
    return total


def mark(cells):
    cells[0] = 3


def maker(worth):
    def made(s, me):
        return worth

    return made


made = maker(3.0)


@heuristic("isolation")
def idea(s, me):
"""
NASTY = {
    "endless while": ("while me < 9:\n        pass\n    return 0", "the loops did not end"),
    "long range": ("n = 0\n    for i in range(10**12):\n        n += i ^ me\n    return n", "the loops did not end"),
    "nested helpers": (
        "n = 0\n    for i in range(10**6):\n        n += waits(10**6 + i)\n    return n",
        "the loops did not end",
    ),
    "itself": ("return again(me)", "again calls itself"),
    "each other": ("return there(me)", "which may never end; write a loop instead"),
    "strides": ("return as_strided(CELLS, (9,), (8,))[8]", "numpy.lib.stride_tricks could read and write any memory"),
    "own njit": ("return wild(CELLS, 10**9)", "numba.njit could read and write any memory"),
    "ctypes": ("return ctypes.string_at(0)", "ctypes could read and write any memory"),
    "an address": ("return number_at(8, me)", "number_at could read and write any memory"),
    "long list": ("return len([i for i in range(10**8)])", "more than 100,000 items at once"),
    "large array": ("return np.ones(3 * 10**8)[me]", "more than 100,000 items at once"),
    "many zeros": ("return len([0] * (10**9 + me))", "more than 100,000 items at once"),
    "writes": ("s.at[0] = 3\n    return 0", "idea changes the state, `s.at[0]`"),
    "writes by another name": ("a = s.at\n    b = a\n    b[0] += 1\n    return 0", "idea changes the state, `b[0]`"),
    "writes in a helper": ("mark(s.at)\n    return 0", "idea changes the state, `cells[0]`"),
    "plays on": ("rules.apply(s, 3)\n    return 0", "idea changes the state, `rules.apply(s, 3)`"),
    "far index": ("return CELLS[10**13 + me]", "index is out of bounds"),
    "division by zero": ("return 1 // (me - me)", "division by zero"),
    "made by a function": ("return made(s, me)", "write this function at the top of a file"),
}
"""The rest of a heuristic, and what is told of it."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NASTY)
def test_a_heuristic_that_could_harm_the_search_is_named_in_a_line(mine: Path, name: str) -> None:
    body, told = NASTY[name]
    mine.write_text(f"{HEAD}    {body}\n")
    said = spar("match", "isolation", "mine.py,depth=1", "greedy", "--games", 2)
    assert told in said.out + said.err
    assert said.code == 2 or "lost 2 games" in said.out
    assert "Traceback (most recent" not in said.err


def test_helpers_of_games_have_bounds_checks_in_users_code(mine: Path) -> None:
    mine.write_text(
        "from sparring import heuristic\nfrom sparring.games.ludo.rules import steps_walked\n\n\n"
        '@heuristic("ludo")\ndef far(s, me):\n    return steps_walked(s, 10**9 + me)\n'
    )
    idea = sparring.agents.spec.heuristic_named(game := sparring.game("ludo"), "mine.py:far").judge(game.state)
    with pytest.raises(IndexError):
        idea.score(game.start().state, 0, idea.weights)


def test_one_wrong_declaration_is_named_and_does_not_stop_the_others(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.write_text(
        'from sparring import agent, heuristic\n\n@heuristic("isolaton")\ndef lost(s, me):\n    return 0\n\n'
        '@agent("isolation")\nclass Empty:\n    pass\n\n@heuristic("isolation")\ndef sound(s, me):\n    return 1.0\n'
    )
    sparring.agent("isolation", "mine.py,depth=1")
    told = capsys.readouterr().err
    assert "mine.py:3: unknown game 'isolaton'; did you mean isolation?" in told
    assert "mine.py:7: the class Empty needs a method decide(self, view)" in told


TABLES = """\
import numpy as np
from sparring import Terms, Weight, heuristic

SQUARES = np.array([cell * cell for cell in range(49)])
NAMES = dict.fromkeys("ab", 2.0)
FILLED = np.zeros(49)
for place in range(49):
    FILLED[place] = place / 2
BOTH = FILLED + SQUARES
READ = np.load("table.npy")


@heuristic("isolation", **{"a": NAMES["a"], "b": Weight(0.5, low=0)})
def idea(s, me):
    return Terms(a=BOTH[s.at[me]], b=READ[1] + FILLED[3])
"""


@pytest.mark.slow
def test_tables_that_code_makes_come_from_a_guest_and_their_files_count(mine: Path) -> None:
    import numpy as np

    np.save(mine.with_name("table.npy"), np.array([5.0, 7.0]))
    mine.write_text(TABLES)
    agent = sparring.agent(game := sparring.game("isolation"), "mine.py,depth=1", strict=True)
    idea = agent.search.judge  # type: ignore[attr-defined]
    state = game.position("d4 e6").state
    cell = int(state.at[0])
    assert idea.points == {"a": 2.0, "b": 0.5}
    assert idea.score(state, 0, idea.weights) == 2 * (cell / 2 + cell * cell) + 0.5 * (7.0 + 1.5)
    assert "table.npy" in agent.sources
