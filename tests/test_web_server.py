"""The state behind the page: which match is its own, what it caches, and what runs while it is loaded."""

import asyncio
import shutil
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException

import slow_calls
from commands import did, rewritten
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.store import Store
from sparring.core.errors import SparringError
from sparring.games.registry import folder, game
from sparring.web import agents, bodies
from sparring.web.agents import AgentCache
from sparring.web.lru import LruCache
from sparring.web.matches import MatchProcesses
from sparring.web.server import ReportCache
from sparring.web.workers import MOST, CallPool

QUICK = {"game": "isolation", "options": {"board": "4x5"}, "games": 2, "seed": 1}


@pytest.mark.slow
def test_a_started_match_is_found_among_others_that_start_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tuned.toml").write_text('game = "isolation"\nagent = "open,depth=1"\n')
    agents = ["tuned.toml", "random"]
    others = [QUICK | {"options": {"board": "5x5"}}, QUICK | {"sprt": "0:10"}, QUICK | {"seed": 2}]
    with Store(tmp_path / "games.db") as store:
        for other in others:
            store.begin(Contest.of(make_experiment(agents=agents, **other)))
    rewritten(tmp_path / "games.db", "UPDATE runs SET last_run='9999-01-01T00:00:00+00:00'")
    matches = MatchProcesses(tmp_path / "games.db")
    id = matches.start(bodies.MatchRequest(agents=agents, **QUICK), game("isolation", board="4x5"))
    matches.close()
    assert id == Contest.of(make_experiment(agents=agents, **QUICK)).id


class Forgetful(dict[str, Any]):
    """Forgets a key as soon as somebody has seen it, as if another match was started at that moment."""

    def __contains__(self, key: object) -> bool:
        return self.pop(str(key), None) is not None


def test_a_match_that_is_removed_by_another_thread_is_no_error(tmp_path: Path) -> None:
    matches = MatchProcesses(tmp_path / "games.db")
    matches._processes = Forgetful(abc=SimpleNamespace(poll=lambda: 0))
    with pytest.raises(HTTPException, match="no match abc runs"):
        matches.stop("abc")


@pytest.mark.slow
def test_a_report_is_made_again_when_its_experiment_grows_and_the_latest_reports_stay(tmp_path: Path) -> None:
    file, words = tmp_path / "games.db", ("match", "isolation", "greedy", "random", "--board", "4x5", "--games", 2)
    for seed in range(5):
        did(*words, "--seed", seed, "--store", file)
    reports = ReportCache(file)
    with Store(file) as store:
        ids = [one.id for one in store.listed()]
        first = [reports.get(id) for id in ids[:4]]
        contest, batches = store.contest(ids[1]), list(store.batches(ids[1]))
        rewritten(file, "DELETE FROM games WHERE experiment=?", ids[1])
        assert reports.get(ids[1]).result.played == 0
        store.add(contest, batches[0])
        assert reports.get(ids[1]).result.played == 2
    assert reports.get(ids[0]) is first[0]
    reports.get(ids[4])
    assert [reports.get(ids[place]) is first[place] for place in (0, 3, 2)] == [True, True, False]


@pytest.mark.slow
def test_code_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(agents, "STALL_SECONDS", 1.0)
    Path("hangs.py").write_text("""
import time
from sparring import agent

@agent("isolation")
def hangs(view):
    time.sleep(3600)
""")
    with closing(AgentCache(tmp_path)) as cache, pytest.raises(SparringError, match=r"hangs\.py: stall: .*no answer"):
        cache.try_out(game("isolation"), "hangs.py")


@pytest.mark.slow
def test_a_table_that_was_learned_anew_is_another_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = []
    with closing(AgentCache(tmp_path)) as cache:
        for table in ("q_zone", "q_zone", "q_potential"):
            shutil.copy(folder("ludo") / "trained" / f"{table}.npz", "mine.npz")
            made.append(cache.get(game("ludo"), "tabular:mine.npz"))
    assert made[0] is made[1] is not made[2]


@pytest.mark.slow
def test_a_call_that_hangs_or_dies_costs_its_own_answer_only() -> None:
    async def main() -> None:
        pool = CallPool(None, None)
        hanging = [asyncio.create_task(pool.run("hangs", slow_calls.hang, [], 600.0)) for _ in range(2 * MOST)]
        for text in ("a", "b"):
            assert await pool.run("echoes", slow_calls.echo, [text], 600.0) == f'"{text}"'.encode()
        with pytest.raises(HTTPException, match=r"no answer within .* s; ask for less"):
            await pool.run("is late", slow_calls.hang, [], 0.1)
        with pytest.raises(SparringError, match="the process that thought about it ended"):
            await pool.run("dies", slow_calls.die, [], 600.0)
        with pytest.raises(HTTPException, match="a lone \\?"):
            await pool.run("fails", slow_calls.fail, [], 600.0)
        assert not any(one.done() for one in hanging)
        assert len(pool.pids) <= MOST
        pids = pool.pids
        await asyncio.to_thread(pool.close)
        assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        for one in hanging:
            one.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)

    asyncio.run(main())


def test_the_cache_removes_what_was_not_used_for_longest() -> None:
    cache: LruCache[str, str] = LruCache(10, len)
    assert (cache.put("a", "aaaa"), cache.put("b", "bbbb")) == ([], [])
    assert cache.get("a") == "aaaa"
    assert cache.put("c", "cccc") == ["bbbb"]
    assert cache.put("a", "a") == ["aaaa"]
    assert [cache.get(key) for key in "abc"] == ["a", None, "cccc"]
    cache.put("d", "d" * 11)
    assert cache.get("d") is None
