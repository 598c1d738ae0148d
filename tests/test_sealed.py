"""A guest cannot find out the seed: not by trying all small ones with this package's code, which is public."""

import json
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring.agents.agent import RandomAgent
from sparring.arena import sealed
from sparring.arena import supervisor as supervising
from sparring.arena.referee import play
from sparring.arena.schedule import block_seed
from sparring.arena.store import Store
from sparring.arena.supervisor import Supervisor
from sparring.core.dice import guests_dice, players_dice, referees_dice

pytestmark = pytest.mark.slow

GAME = sparring.game("isolation")
BLOCKS = 2


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(
        'from sparring import agent\n\n@agent("isolation")\ndef mine(view):\n'
        "    return view.legal[view.random.randrange(len(view.legal))]\n"
    )
    return f"{tmp_path}/mine.py"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """All messages to the other processes."""
    sent: list[dict[str, Any]] = []
    real = supervising.framed
    monkeypatch.setattr(supervising, "framed", lambda message: sent.append(message) or real(message))  # type: ignore[func-returns-value]
    return sent


def found(seen: list[dict[str, Any]], seeds: int) -> tuple[set[int], set[int]]:
    """The small seeds that explain the openings that a guest has seen, and those that explain any of its dice."""
    dice = {message["dice"] for message in seen if "dice" in message}
    states = {message["state"] for message in seen if "state" in message}
    firsts = [GAME.starts([int(block_seed(seed, block)) for seed in range(seeds)]) for block in range(BLOCKS)]
    by_opening = {seed for seed in range(seeds) if all(GAME.to_bytes(one[seed]).hex() in states for one in firsts)}
    by_dice = set()
    for seed in range(seeds):
        first = int(block_seed(seed, 0))
        for own in (players_dice(first, 0), players_dice(first, 1), referees_dice(first)):
            if {own.tobytes().hex(), guests_dice(own).hex()} & dice:
                by_dice.add(seed)
    return by_opening, by_dice


@pytest.mark.torture(300, 10_001)
def test_the_attack_finds_seeds_that_are_not_sealed(mine: str, seen: list[dict[str, Any]], attacks: int) -> None:
    with Supervisor() as supervisor:
        for block in range(BLOCKS):
            play(GAME, [supervisor.guest(GAME, mine), RandomAgent()], block_seed(77, block))
    assert found(seen, attacks) == ({77}, {77})


@pytest.mark.torture(300, 10_001)
def test_what_a_guest_sees_fits_no_small_seed(mine: str, seen: list[dict[str, Any]], attacks: int) -> None:
    result = sparring.match("isolation", mine, "random", games=4, seed=77)
    assert len({message["dice"] for message in seen if "dice" in message}) > 20
    assert found(seen, attacks) == (set(), set())
    everything = json.dumps(seen)
    for block in range(BLOCKS):
        seed = result.contest.block_seed(block)
        assert str(seed) not in everything
        for hidden in (players_dice(seed, 0), players_dice(seed, 1), referees_dice(seed)):
            assert hidden.tobytes().hex() not in everything


def test_games_repeat_where_the_secret_is_the_same(mine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(folder: str) -> tuple[str, list[str]]:
        monkeypatch.setenv("SPARRING_STORE", f"{tmp_path / folder}/games.db")
        sealed._secret.cache_clear()
        with Store() as store:
            result = sparring.match("isolation", mine, "random", games=2, store=store)
            played = store.game("last", 1)
        assert played.start == result.game(1).start
        return result.id, [turn.action for turn in played.turns]

    first, elsewhere = moves("here"), moves("there")
    (tmp_path / "here" / "games.db").unlink()
    assert moves("here") == first
    assert elsewhere[0] != first[0]
    assert elsewhere[1] != first[1]
    assert sealed.secret_file().stat().st_mode & 0o777 == 0o600
    sealed.secret_file().write_bytes(b"short")
    sealed._secret.cache_clear()
    monkeypatch.setattr(sealed, "WRITING_SECONDS", 0.0)
    with pytest.raises(sparring.SparringError, match="is damaged; remove it"):
        sparring.match("isolation", mine, "random", games=2)
    sealed._secret.cache_clear()


def test_agents_of_the_package_keep_their_seeds() -> None:
    result = sparring.match("isolation", "random", "greedy", games=2, seed=3)
    assert result.game(1).seed == block_seed(3, 0)
