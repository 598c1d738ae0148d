"""Damage is noticed, named and repaired: a damaged store gives no traceback and no other games."""

import contextlib
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import Said, did, spar
from sparring.arena.result import Tournament
from sparring.arena.run import games_by_number
from sparring.arena.store import Store

MATCH = ["match", "isolation", "greedy", "random", "--games", "40", "--board", "4x5"]
LEAGUE = ["league", "isolation", "greedy", "random", "improved,nodes=50", "--games", "6", "--decisions"]
COMMANDS = (MATCH, LEAGUE)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two experiments, one of them with decisions."""
    file = tmp_path_factory.mktemp("healthy") / "games.db"
    for command in COMMANDS:
        did(*command, "--store", file)
    return file


@pytest.fixture
def db(tmp_path: Path, healthy: Path) -> Path:
    return Path(shutil.copy(healthy, tmp_path / "games.db"))


def sql(db: Path, statement: str, *given: Any) -> list[Any]:
    """Change the file behind our back."""
    with contextlib.closing(sqlite3.connect(db)) as opened, opened:
        return opened.execute(statement, given).fetchall()


def ids(db: Path) -> list[str]:
    return [one["id"] for one in json.loads(did("experiments", "--json", "--store", db))]


def games(db: Path, id: str) -> list[Any]:
    """All games of an experiment, without the time they took."""
    with Store(db, new=False) as store:
        return [games_by_number(found) for found in Tournament(store.contest(id), list(store.batches(id))).by_table]


# Random damage


def flipped(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def overwritten(data: bytearray, chance: random.Random) -> None:
    start, size = chance.randrange(len(data)), chance.choice([2, 16, 200, 5000])
    data[start : start + size] = chance.randbytes(len(data[start : start + size]))


def emptied(data: bytearray, chance: random.Random) -> None:
    page = chance.randrange(len(data) // 4096) * 4096
    data[page : page + 4096] = bytes(4096)


def swapped(data: bytearray, chance: random.Random) -> None:
    one, other = (chance.randrange(len(data) // 4096) * 4096 for _ in range(2))
    data[one : one + 4096], data[other : other + 4096] = data[other : other + 4096], data[one : one + 4096]


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def header(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(100)] = chance.randrange(256)


def pointers(data: bytearray, chance: random.Random) -> None:
    """The first bytes of a page say what it is and how many rows it has, and where."""
    data[chance.randrange(len(data) // 4096) * 4096 + chance.randrange(24)] = chance.randrange(256)


DAMAGE: list[Callable[[bytearray, random.Random], None]] = [
    *(flipped, overwritten, emptied, swapped, cut, header, pointers),
]


@pytest.mark.slow
@pytest.mark.torture(30, 300)
def test_of_a_damaged_store_no_command_makes_other_games_and_what_is_good_is_saved(
    db: Path, healthy: Path, attacks: int
) -> None:
    whole = healthy.read_bytes()
    wanted, found = {id: games(db, id) for id in ids(db)}, 0
    for number in range(attacks):
        chance = random.Random(number)
        data = bytearray(whole)
        DAMAGE[number % len(DAMAGE)](data, chance)
        for file in db.parent.iterdir():
            file.unlink()
        db.write_bytes(data)
        for id, played in wanted.items():
            said = spar("report", id, "--store", db)
            assert said.code == 0 or is_refusal(said), (number, said)
            assert said.code or games(db, id) == played, number
        said = spar("verify", "--store", db)
        assert said.code in (0, 1) or is_refusal(said), (number, said)
        found += said.code != 0
        if said.code == 1 and "--repair" in said.out:
            said = spar("verify", "--repair", "--store", db)
            assert said.code == 0, (number, said)
            assert (db.parent / "games.db.damaged").read_bytes()[:16] == bytes(data[:16])
            assert "is sound" in did("verify", "--store", db)
            for command in COMMANDS:
                did(*command, "--store", db)
            assert {id: games(db, id) for id in ids(db)} == wanted
    assert found > attacks / 2  # the others fell on bytes that mean nothing


def is_refusal(said: Said) -> bool:
    """True for one line that names the remedy."""
    return said.code == 2 and not said.out and len(said.err.splitlines()) == 1 and "; " in said.err
