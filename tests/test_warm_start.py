"""A user's heuristic is compiled once: later runs find it on disk, by what it does and not by its file."""

import json
import secrets
from collections import namedtuple
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from commands import finished, started
from sparring.core.cache import depends_on_values, stamp
from sparring.core.kernel import with_globals
from sparring.games.isolation.rules import exits, free

SIZE, OTHER, THING = 3, 4, object()

MINE = """\
from sparring import heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits

import values
from tools import far


@heuristic("isolation")
def mine(s, me):
    return far(s, me) + values.SHARE * count(exits(s, me))
"""
TOOLS = """\
import values


def far(s, me):
    return values.WORTH * (s.at[me] - 24)
"""
COMPILES = "compiling (first run only)"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "values.py").write_text(
        f"SHARE, WORTH, UNUSED = 2.0, 1.{secrets.randbits(40)}, 'x'\n"
    )  # never compiled
    return tmp_path


def explained(home: Path, file: str = "mine.py") -> tuple[Any, bool]:
    """The scores of the moves, and whether anything was compiled for them."""
    words = ("explain", "isolation", "--agent", f"{file}:mine,nodes=50", "--position", "d4 e6", "--json")
    said = finished(started(home, *words))
    assert said.code == 0, said
    return [(one["move"], one["score"]) for one in json.loads(said.out)["candidates"]], COMPILES in said.err


@pytest.mark.slow
def test_only_an_edit_that_changes_what_a_heuristic_does_compiles_it_again(home: Path) -> None:
    first, compiled = explained(home)
    assert compiled
    values = home / "values.py"
    values.write_text(values.read_text().replace("x", "y") + "\n# another number that nobody asks for\n")
    assert explained(home) == (first, False)
    (home / "twin.py").write_text(MINE)
    assert explained(home, "twin.py")[0] == first  # its compiled code belongs to another module
    values.write_text(values.read_text().replace(" 1.", " -1."))
    edited, compiled = explained(home)
    assert compiled and edited != first


def helper(s: Any) -> Any:
    return SIZE


def ask(s: Any) -> Any:
    return helper(s)


def rule(s: Any) -> Any:
    return exits(s, 0)


def both(s: Any) -> Any:
    return SIZE - OTHER


def multiplied(factor: int) -> Any:
    def times(value: Any) -> Any:
        return value * factor

    return times


def deep(s: Any) -> Any:
    return outer.inner.VALUE  # type: ignore[name-defined] # noqa: F821


def strange(s: Any) -> Any:
    return THING


def test_a_cached_heuristic_depends_on_values_helpers_and_the_rules_that_it_calls() -> None:
    def found(function: Any, **changed: Any) -> frozenset[str]:
        return depends_on_values(with_globals(function, changed, function.__name__))

    assert found(ask) == found(ask, THING=3)
    assert found(ask) != found(ask, helper=with_globals(helper, {"SIZE": 4}, "helper"))
    assert found(helper) != found(helper, SIZE=4)
    assert found(rule) != found(rule, exits=free)  # another function of the same file
    assert found(both) != found(both, SIZE=OTHER, OTHER=SIZE)
    assert any(one.endswith("isolation/rules.py") for one in found(rule))
    assert found(ask) != found(ask, helper=multiplied(2))
    assert found(ask, helper=multiplied(2)) != found(ask, helper=multiplied(3))
    one, other = np.zeros(2000), np.zeros(2000)
    other[1000] = 1e-9
    assert found(helper, SIZE=(one,)) != found(helper, SIZE=(other,))
    assert found(helper, SIZE=namedtuple("Pair", "a b")) != found(helper, SIZE=namedtuple("Pair", "b a"))
    inner, outer = ModuleType("inner"), ModuleType("outer")
    outer.__path__ = ["/somewhere"]  # a package without a file
    inner.__file__, vars(outer)["inner"], vars(inner)["VALUE"] = "/somewhere/inner.py", inner, 1
    before = found(deep, outer=outer)
    vars(inner)["VALUE"] = 2
    assert found(deep, outer=outer) != before
    twin = with_globals(strange, {}, "strange")
    twin.depends_on = depends_on_values(twin)
    with pytest.raises(OSError, match="object"):  # no other process has this object, so none finds the code
        stamp(twin)
