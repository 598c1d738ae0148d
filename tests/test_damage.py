"""Damage is noticed, named and repaired: a damaged store gives no traceback and no other games."""

import contextlib
import json
import os
import pickle
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import Said, did, finished, rewritten, spar, started
from sparring.arena import store_file
from sparring.arena.result import Tournament
from sparring.arena.run import games_by_number
from sparring.arena.store import Store
from sparring.core import files

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


# Compiled code


def small_match(home: Path) -> Said:
    """A match that finds and keeps its compiled code in a folder."""
    store = home / "games.db"
    store.unlink(missing_ok=True)
    code = f"from pathlib import Path\nfrom sparring.core import cache\ncache._lasting = lambda: [Path({str(home)!r})]"
    return finished(started(home, "match", "isolation", "greedy", "random", "--games", 2, "--store", store, code=code))


def garbage(data: bytearray, chance: random.Random) -> None:
    data[:] = pickle.dumps(("garbage", [None] * chance.randrange(5)))


@pytest.mark.slow
@pytest.mark.torture(1, 20)
def test_damaged_compiled_code_is_compiled_again_with_one_line(tmp_path: Path, attacks: int) -> None:
    wanted = small_match(tmp_path)
    assert "compiling" in wanted.err
    damage = [flipped, cut, overwritten, garbage, lambda data, _: data.clear()]
    for number in range(attacks):
        chance = random.Random(number)
        files = sorted(tmp_path.rglob("*.nbc.*"))
        assert len(files) > 5
        files[0].write_bytes(files[1].read_bytes())
        for place, file in enumerate(files[1:]):
            data = bytearray(file.read_bytes())
            damage[(number + place) % len(damage)](data, chance)
            file.write_bytes(data)
        said = small_match(tmp_path)
        assert said.code == 0
        assert said.out.splitlines()[0] == wanted.out.splitlines()[0]
        told = f"compiled code in {tmp_path} was damaged; it is compiled again"
        assert [line for line in said.err.splitlines() if "damaged" in line] == [told]
    assert not {"compiling", "damaged"} & set(small_match(tmp_path).err.split())


# What was learned


def npy(dtype: str, shape: tuple[int, ...], data: bytes = b"") -> bytes:
    """An array as NumPy keeps it, with a header of our choice."""
    header = repr({"descr": dtype, "fortran_order": False, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


ABSURD: dict[str, dict[str, bytes]] = {
    "a giant": {"values": npy("<f8", (10**15,))},
    "negative": {"values": npy("<f8", (-1, -8), bytes(64))},
    "objects": {"values": npy("|O", (1,), b"\x80\x04N.")},
    "of no size": {"values": npy("|V0", (10**18,))},
    "texts": {"steps": npy("<U2", (1,), bytes(8))},
    "no number": {"values": npy("<f8", (1,), b"\xff" * 8)},
    "infinite": {"curve": npy("<f8", (1, 4), b"\0\0\0\0\0\0\xf0\x7f" * 4)},
    "no array": {"values": b"hello"},
    "half": {"values": npy("<f8", (4,), bytes(8))},
}


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("learned") / "table.npz"
    sparring.learn(sparring.game("ludo", players=2), out=file, games=5, trial_games=5)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("absurd", ABSURD.values(), ids=ABSURD)
def test_an_array_with_an_absurd_header_is_refused_in_one_line(
    learned: Path, tmp_path: Path, absurd: dict[str, bytes]
) -> None:
    file = tmp_path / "absurd.npz"
    with zipfile.ZipFile(learned) as whole, zipfile.ZipFile(file, "w") as packed:
        for name in whole.namelist():
            packed.writestr(name, absurd.get(name.removesuffix(".npy"), whole.read(name)))
    for words in (["match", "ludo", f"tabular:{file}", "random"], ["learn", "ludo", "--out", file]):
        said = spar(*words, "--players", 2, "--games", 10)
        assert is_refusal(said) or "delete it, or name another file" in said.err, said


def test_a_small_file_that_unpacks_to_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    np.savez_compressed(tmp_path / "bomb.npz", table=np.zeros(1 << 18))
    with pytest.raises(ValueError, match="more than 1,048,576 bytes"):
        files.arrays(tmp_path / "bomb.npz")


# Other accidents of a store


def test_what_a_user_keeps_is_for_the_user_alone_and_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    with Store(tmp_path / "games.db") as store, store.transaction():
        pass
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {"games.db": 0o600}
    file = tmp_path / "mine.py"
    file.write_text("before")
    file.chmod(0o640)
    with files.atomic_write(file) as part:
        part.write_text("after")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("after", 0o640)


@pytest.mark.slow
@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_is_deleted_or_replaced_while_games_are_played_is_named(
    db: Path, healthy: Path, monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    add = Store.add

    def accident(store: Store, *given: Any) -> None:
        shutil.move(db, db.with_name("moved.db"))
        if replaced:
            shutil.copy(healthy, db)
        add(store, *given)

    monkeypatch.setattr(Store, "add", accident)
    said = spar(*MATCH, "--seed", 2, "--store", db)
    assert is_refusal(said), said
    assert "was deleted, moved or replaced while it was in use; repeat the command" in said.err
    monkeypatch.undo()
    did(*MATCH, "--seed", 2, "--store", db)
    assert "is sound" in did("verify", "--store", db)


@pytest.mark.slow
def test_a_store_that_is_locked_for_long_is_named(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0.1)
    with contextlib.closing(sqlite3.connect(db)) as other:
        other.execute("BEGIN EXCLUSIVE")
        said = spar(*MATCH, "--seed", 2, "--store", db)
    assert is_refusal(said), said
    assert "is locked by another program for more than 0.1 seconds; end that program" in said.err


@pytest.mark.slow
def test_the_last_experiment_is_the_last_even_if_the_clock_was_set_back(db: Path) -> None:
    rewritten(db, "UPDATE runs SET last_run='2999-01-01T00:00:00+00:00'")
    said = spar(*MATCH, "--seed", 3, "--store", db)
    told = [line for line in said.err.splitlines() if "clock" in line]
    assert said.code == 0 and len(told) == 1
    assert f"but {db} was used on 2999-01-01: set the clock" in told[0]
    assert "seed 3" in did("report", "last", "--store", db)


# Terminals


LOOKS = (["report", "last"], ["replay", "last"], ["experiments"], ["verify", "last"])


def ended(db: Path, words: list[str], **given: Any) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "sparring", *words, "--store", str(db)]
    done = subprocess.run(command, stderr=subprocess.PIPE, timeout=120, **given)
    assert b"Traceback" not in done.stderr and b"Exception ignored" not in done.stderr, done
    return done


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["PYTHONIOENCODING=ascii", "PYTHONIOENCODING=latin-1", "LC_ALL=C"])
def test_a_terminal_without_utf8_gets_text_all_the_same(db: Path, setting: str) -> None:
    name, value = setting.split("=")
    for words in LOOKS:
        done = ended(db, words, env={**os.environ, name: value, "PYTHONUTF8": "0"}, stdout=subprocess.PIPE)
        assert done.returncode == 0 and done.stdout, done


@pytest.mark.slow
def test_a_reader_that_is_gone_ends_a_command_without_a_word(db: Path) -> None:
    for words in LOOKS:
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as pipe:  # noqa: PTH123
            assert not ended(db, words, stdout=pipe).stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_output_to_a_full_disk_ends_in_one_line(db: Path) -> None:
    for words in LOOKS:
        with Path("/dev/full").open("wb") as full:
            done = ended(db, words, stdout=full)
        assert done.returncode == 2
        assert done.stderr == b"spar: cannot write the output: No space left on device; make room on the disk\n"
