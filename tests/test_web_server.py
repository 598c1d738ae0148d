"""What the page's server holds in memory, what it waits for, and which match it takes for its own."""

import asyncio
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from commands import did
from sparring.arena.experiment import Contest, described
from sparring.arena.store import Store
from sparring.games.registry import folder, game
from sparring.web import bodies, watch
from sparring.web.agents import Agents
from sparring.web.answers import Refusal
from sparring.web.app import _answering
from sparring.web.calls import CALLS
from sparring.web.matches import Matches
from sparring.web.recent import Recent
from sparring.web.server import Server

QUICK = {"game": "isolation", "options": {"board": "4x5"}, "games": 2, "seed": 1}


# Matches


@pytest.mark.slow
def test_a_match_started_on_the_page_is_known_among_others_that_begin_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tuned.toml").write_text('game = "isolation"\nagent = "open,depth=1"\n')
    agents = ["tuned.toml", "random"]
    others = [QUICK | {"options": {"board": "5x5"}}, QUICK | {"sprt": "0:10"}, QUICK | {"seed": 2}]
    with Store(tmp_path / "games.db") as kept:
        for other in others:
            kept.begin(Contest.of(described(agents=agents, **other)))
        kept._sql.execute("UPDATE experiments SET last_run='9999'")
    matches = Matches(tmp_path / "games.db")
    id = matches.start(bodies.MatchAsked(agents=agents, **QUICK), game("isolation", board="4x5"))
    matches.close()
    assert id == Contest.of(described(agents=agents, **QUICK)).id


class Forgetful(dict[str, Any]):
    """Somebody starts another match, and so forgets those that have ended, as soon as one has seen that one is here."""

    def __contains__(self, key: object) -> bool:
        return self.pop(str(key), None) is not None


def test_a_match_that_is_forgotten_while_it_is_looked_for_is_no_error(tmp_path: Path) -> None:
    matches = Matches(tmp_path / "games.db")

    class Ended:
        def poll(self) -> int:
            return 0

    matches._running = Forgetful(abc=Ended())
    assert not matches.is_ours("abc")
    matches._running = Forgetful(abc=Ended())
    with pytest.raises(Refusal, match="no match abc was started"):
        matches.stop("abc")


# News


def test_nobody_waits_for_a_first_look_at_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path / "games.db") as kept:
        kept.begin(contest := Contest.of(described(agents=["greedy", "random"], **QUICK)))
    others, heard, real = threading.Event(), [], watch.Watch

    def slow(store: Path | None) -> watch.Watch:
        heard.append(others.wait(5.0))
        return real(store)

    monkeypatch.setattr(watch, "Watch", slow)
    server = Server(tmp_path / "games.db")
    (call,) = (call for call in CALLS if call.streams)
    scope = {"type": "http", "path_params": {}, "query_string": f"experiment={contest.id}".encode()}

    async def listen() -> Any:
        listening = asyncio.create_task(_answering(server, call)(Request(scope)))  # type: ignore[arg-type]
        await asyncio.sleep(0.1)
        others.set()
        return await listening

    assert asyncio.run(listen()).status_code == 200
    server.close()
    assert heard == [True]


# Held in memory


@pytest.mark.slow
def test_an_experiment_that_grows_is_held_once_and_those_looked_at_last_stay(tmp_path: Path) -> None:
    server, words = Server(tmp_path / "games.db"), ("match", "isolation", "greedy", "random", "--board", "4x5")
    for seed in range(5):
        did(*words, "--games", 2, "--seed", seed, "--store", server.store)
    with Store(server.store) as kept:
        ids = [one.id for one in kept.listed()]
        sheets = [(kept.contest(id), kept.sheets(id)) for id in ids]
        first = [server.reports.of(server, id) for id in ids[:4]]
        kept._sql.execute("DELETE FROM games WHERE experiment=?", (ids[1],))
        assert server.reports.of(server, ids[1]).result.played == 0
        kept.add(sheets[1][0], sheets[1][1][0])
        assert server.reports.of(server, ids[1]).result.played == 2
    assert server.reports.of(server, ids[0]) is first[0]
    server.reports.of(server, ids[4])
    assert [server.reports.of(server, ids[place]) is first[place] for place in (0, 3, 2)] == [True, True, False]


@pytest.mark.slow
def test_a_table_that_was_learned_anew_is_another_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    agents, made = Agents(tmp_path), []
    for table in ("q_zone", "q_zone", "q_potential"):
        shutil.copy(folder("ludo") / "trained" / f"{table}.npz", "mine.npz")
        made.append(agents.agent(game("ludo"), "tabular:mine.npz"))
    agents.close()
    assert made[0] is made[1] is not made[2]


def test_what_was_not_used_for_longest_makes_room() -> None:
    held: Recent[str, str] = Recent(10, len)
    assert (held.keep("a", "aaaa"), held.keep("b", "bbbb")) == ([], [])
    assert held.get("a") == "aaaa"
    assert held.keep("c", "cccc") == ["bbbb"]
    assert held.keep("a", "a") == ["aaaa"]
    assert [held.get(key) for key in "abc"] == ["a", None, "cccc"]
    held.keep("d", "d" * 11)
    assert held.get("d") is None
