"""Playing on a real Ray cluster: a head and a worker node on this machine's loopback, lost and found again."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sparring
from sparring.arena import cluster as arena_cluster
from sparring.arena import transfer
from sparring.arena.batch import ResultBatch
from sparring.arena.playout import result_type
from sparring.arena.run import count_differences
from sparring.arena.schedule import Job
from sparring.arena.transfer import opened
from sparring.core.errors import CompileError, SparringError

pytestmark = pytest.mark.slow

pytest.importorskip("ray", reason="the extra `cluster` is not installed")

HEAD, WORKER, STRANGER = "127.0.0.2", "127.0.0.3", "127.0.0.4"
TOKEN = secrets.token_hex(32)


def wait_until(true: Callable[[], bool], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def session_of(pid: int) -> int:
    """0 for a process that is gone or only waits to be buried."""
    try:
        state, _, _, session = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:4]
    except OSError:
        return 0
    return 0 if state == "Z" else int(session)


def alive(pid: int) -> bool:
    return session_of(pid) > 0


class Cluster:
    """Every node is a session of processes, so that it can be ended whole and nothing else with it."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind((HEAD, 0))
            self.port = free.getsockname()[1]
        self.address = f"{HEAD}:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="spar", dir="/tmp"))  # short: sockets live in it
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, node: str, **settings: str) -> None:
        options = [
            f"--node-ip-address={node}",
            "--num-cpus=1",
            "--object-store-memory=80000000",
            "--disable-usage-stats",
        ]
        options += ["--min-worker-port=0", "--max-worker-port=0", "--block"]
        if node == HEAD:
            options += ["--head", f"--port={self.port}", "--include-dashboard=false", f"--temp-dir={self.folder}"]
        else:
            options += [f"--address={self.address}"]
        log = self.folder / f"{node}.log"
        search = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        with log.open("wb") as output:
            self.nodes[node] = subprocess.Popen(
                [sys.executable, "-m", "ray.scripts.scripts", "start", *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": search, **settings},
            )
        wait_until(lambda: "Ray runtime started" in log.read_text(), 60.0)

    def end(self, node: str) -> None:
        """As when the plug is pulled."""
        process = self.nodes.pop(node)
        while left := [pid for pid in self.processes() if session_of(pid) == process.pid]:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        process.wait()

    def processes(self) -> list[int]:
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]

    def node_of(self, pid: int) -> str | None:
        return next((node for node, process in self.nodes.items() if session_of(pid) == process.pid), None)

    def heal(self) -> None:
        if not all(node in self.nodes for node in (HEAD, WORKER)):
            self.close()
            self.start(HEAD)
            self.start(WORKER)

    def close(self) -> None:
        for node in list(self.nodes):
            self.end(node)


@pytest.fixture(scope="module")
def a_cluster() -> Iterator[Cluster]:
    kept = pytest.MonkeyPatch()
    kept.setenv("RAY_AUTH_MODE", "token")
    kept.setenv("RAY_AUTH_TOKEN", TOKEN)
    kept.setenv("RAY_USAGE_STATS_ENABLED", "0")
    kept.delenv("RAY_ADDRESS", raising=False)
    cluster = Cluster()
    try:
        yield cluster
    finally:
        cluster.close()
        shutil.rmtree(cluster.folder, ignore_errors=True)
        kept.undo()


@pytest.fixture
def cluster(a_cluster: Cluster) -> Cluster:
    """With head and worker, whatever the last test did to them."""
    a_cluster.heal()
    return a_cluster


class Scribe:
    """Plays for some time and writes down, in one folder for all, what it starts and when it leaves."""

    def __init__(self, folder: Path, seconds: float = 0.05) -> None:
        self.folder = folder
        self.seconds = seconds

    def __enter__(self) -> "Scribe":
        (self.folder / f"came-{os.getpid()}").touch()
        return self

    def __exit__(self, *error: object) -> None:
        (self.folder / f"left-{os.getpid()}").touch()

    def play(self, job: Job) -> Any:
        with (self.folder / f"started-{os.getpid()}").open("a") as log:
            log.write(f"{job.block}\n")
        time.sleep(self.seconds)
        if job.table == 2:
            raise CompileError("wild", compile("", "wild.py", "exec"), ValueError("name 'wild' is not defined"))
        if job.table == 3:
            raise KeyError("a defect")
        if job.table == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        results = np.zeros((1, 1), result_type(2))
        results["moves"], results["failed"] = (1, 0), -1
        return ResultBatch(job.table, job.block, results, np.array([os.getpid()]))


class Liar(Scribe):
    """Sends something else than results."""

    def __init__(self, folder: Path, sent: Any) -> None:
        super().__init__(folder)
        self.sent = sent

    def play(self, job: Job) -> Any:
        setattr(transfer, "_joined", lambda *parts: self.sent)  # noqa: B010
        return super().play(job)


class Bomb:
    """Makes a file where it is unpickled. A node gets it in a box."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


class Box:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __enter__(self) -> Liar:
        return Liar(self.file.parent, Bomb(self.file)).__enter__()

    def __exit__(self, *error: object) -> None:
        pass


CONTEST: Any = SimpleNamespace(game=SimpleNamespace(seats=2, endings=("over",)), games_a_block=lambda table: 1)


def process_of(data: bytes, job: Job) -> int:
    """Return the process that has played a job."""
    return int(opened(data, job, CONTEST).moves[0])


def on_cluster(address: str, game: str, make_pool: Any, jobs: Iterator[Job]) -> Any:
    return arena_cluster.on_cluster(address, game, make_pool, jobs, process_of)


def came(folder: Path) -> list[int]:
    return [int(path.name.partition("-")[2]) for path in folder.glob("came-*")]


def started(folder: Path) -> list[int]:
    return sorted(int(line) for log in folder.glob("started-*") for line in log.read_text().splitlines())


def jobs(blocks: int, table: int = 0) -> list[Job]:
    return [Job(table, block, 1) for block in range(blocks)]


def test_all_jobs_come_back_once_from_workers_on_all_nodes(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    until_both_play = takewhile(lambda job: job.block < 2000 and len(list(tmp_path.glob("started-*"))) < 2, jobs(2001))
    played = list(on_cluster("auto", "isolation", partial(Scribe, tmp_path), until_both_play))
    assert sorted(job for job, _ in played) == jobs(len(played))
    assert started(tmp_path) == list(range(len(played)))
    assert len({pid for _, pid in played}) == 2


MINE = """
from sparring import Terms, agent, heuristic
from friend import favourite

@heuristic("isolation")
def idea(s, me):
    return Terms(mine=s.at[me] % 7)

@agent("isolation")
def habit(view):
    return favourite(view.legal)
"""


def test_a_league_with_a_users_files_is_the_same_as_here(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "friend.py").write_text("def favourite(moves):\n    return moves[len(moves) // 2]\n")
    agents = [f"{tmp_path}/mine.py:idea,nodes=200", f"{tmp_path}/mine.py:habit", "improved,nodes=200"]
    here = sparring.league("isolation", agents, games=4)
    there = sparring.league("isolation", agents, games=4, cluster=cluster.address)
    assert count_differences(here, there) == (12, 0)


def test_the_jobs_of_lost_players_and_nodes_are_played_again_and_new_ones_help(
    cluster: Cluster, tmp_path: Path
) -> None:
    taken = count()
    played = on_cluster(cluster.address, "isolation", partial(Scribe, tmp_path, 0.02), map(one_block, taken))
    seen = [next(played) for _ in range(10)]
    wait_until(lambda: any(cluster.node_of(pid) == WORKER for pid in came(tmp_path)))
    (victim,) = (pid for pid in came(tmp_path) if cluster.node_of(pid) == WORKER)

    def play_until_another_is_there() -> None:
        deadline = time.monotonic() + 20
        while (cluster.node_of(pid := seen[-1][1]) != WORKER or pid == victim) and time.monotonic() < deadline:
            seen.append(next(played))
        assert cluster.node_of(seen[-1][1]) == WORKER

    os.kill(victim, signal.SIGKILL)
    play_until_another_is_there()
    cluster.end(WORKER)
    seen += [next(played) for _ in range(50)]
    cluster.start(WORKER)
    play_until_another_is_there()
    assert next(taken) < len(seen) + 20, "jobs are taken as they are needed"
    played.close()
    blocks = [job.block for job, _ in seen]
    assert len(set(blocks)) == len(blocks)
    assert set(range(len(seen) - 20)) <= set(blocks), "what was lost is not left for the end"


def one_block(block: int) -> Job:
    return Job(0, block, 1)


@pytest.mark.parametrize(
    "table, kind, message",
    [
        (2, SparringError, "^wild.py:1: wild cannot be compiled: the name wild is not defined"),
        (3, RuntimeError, "KeyError: 'a defect'"),
        (4, SparringError, "^3 workers did not survive Job"),
    ],
)
def test_an_error_of_a_game_arrives_with_its_text(
    cluster: Cluster, tmp_path: Path, table: int, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        list(on_cluster(cluster.address, "isolation", partial(Scribe, tmp_path), iter([*jobs(4), Job(table, 4, 1)])))


def test_an_error_of_making_a_pool_arrives_with_its_text(cluster: Cluster) -> None:
    with pytest.raises(RuntimeError, match=r"TypeError: .*folder"):
        list(on_cluster(cluster.address, "isolation", partial(Scribe), iter(jobs(4))))


@pytest.mark.parametrize("sent", [b"", b"junk" * 10, b"\x80\x04."])
def test_bytes_that_are_no_results_are_refused(cluster: Cluster, tmp_path: Path, sent: bytes) -> None:
    with pytest.raises(SparringError, match=r"^a node sent no results of Job"):
        list(on_cluster(cluster.address, "isolation", partial(Liar, tmp_path, sent), iter(jobs(4))))


def test_nothing_that_a_node_sends_is_unpickled(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(SparringError, match="what a node sends is not unpickled"):
        list(on_cluster(cluster.address, "isolation", partial(Box, tmp_path / "unpickled"), iter(jobs(4))))
    assert not (tmp_path / "unpickled").exists()


def test_ctrl_c_is_heard_within_a_game(cluster: Cluster, tmp_path: Path) -> None:
    played = on_cluster(cluster.address, "isolation", partial(Scribe, tmp_path, seconds=60.0), iter(jobs(4)))
    pressed = []

    def press() -> None:
        wait_until(lambda: len(started(tmp_path)) == 2)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        next(played)
    assert time.monotonic() - pressed[0] < 6.0
    wait_until(lambda: not any(map(alive, came(tmp_path))), 3.0)
    assert len(list(tmp_path.glob("left-*"))) == 2


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"NUMBA_BOUNDSCHECK": "1"}, "has another sparring, or other plug-ins for isolation, than this machine"),
        ({"PYTHONPATH": "{tmp_path}"}, "cannot play: ModuleNotFoundError: No module named 'sparring.arena'; install"),
    ],
)
def test_a_node_with_another_version_is_named(
    cluster: Cluster, tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    (tmp_path / "sparring").mkdir()
    (tmp_path / "sparring" / "__init__.py").touch()
    cluster.start(STRANGER, **{name: value.format(tmp_path=tmp_path) for name, value in settings.items()})
    try:
        with pytest.raises(SparringError, match=f"^the node {STRANGER} {message}"):
            list(on_cluster(cluster.address, "isolation", partial(Scribe, tmp_path, seconds=0.5), iter(jobs(40))))
    finally:
        cluster.end(STRANGER)


@pytest.mark.parametrize("address", ["127.0.0.2:1", "no-such-host.invalid:6379", "127.0.0.2:99999"])
def test_an_address_where_nobody_answers_is_one_clear_line(address: str, tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(SparringError, match=f"^no Ray cluster answers at {address}; start one .* `ray start --head`"):
        next(on_cluster(address, "isolation", partial(Scribe, tmp_path), iter(jobs(1))))
    assert time.monotonic() - started < 10


def test_something_else_that_answers_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_cluster, "JOIN_SECONDS", 1.0)
    with socket.create_server((HEAD, 0)) as deaf:
        address = f"{HEAD}:{deaf.getsockname()[1]}"
        with pytest.raises(SparringError, match=f"^no Ray cluster answers at {address}"):
            next(on_cluster(address, "isolation", partial(Scribe, tmp_path), iter(jobs(1))))


@pytest.mark.parametrize("address", ["ray://127.0.0.1:10001", "6379", "somewhere", "host:"])
def test_what_is_no_address_is_said(address: str, tmp_path: Path) -> None:
    with pytest.raises(SparringError, match="a cluster is named by HOST:PORT, or auto"):
        next(on_cluster(address, "isolation", partial(Scribe, tmp_path), iter(jobs(1))))


@pytest.mark.parametrize("token", [secrets.token_hex(32), None], ids=["wrong", "none"])
def test_a_wrong_token_and_no_token_are_named(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RAY_AUTH_MODE")
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    if token:
        monkeypatch.setenv("RAY_AUTH_TOKEN", token)
    with pytest.raises(SparringError, match="is joined only with its token, which `ray get-auth-token` prints"):
        next(on_cluster(cluster.address, "isolation", partial(Scribe, tmp_path), iter(jobs(1))))


def test_without_ray_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SparringError, match=r"pip install 'sparring\[cluster\]'"):
        next(on_cluster("auto", "isolation", partial(Scribe, tmp_path), iter(jobs(1))))


def test_a_lost_cluster_is_one_clear_line(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(arena_cluster.SETTINGS, "RAY_gcs_rpc_server_reconnect_timeout_s", "2")
    played = on_cluster(cluster.address, "isolation", partial(Scribe, tmp_path), map(one_block, count()))
    seen = [next(played) for _ in range(10)]
    cluster.close()
    with pytest.raises(SparringError, match=r"^the Ray cluster \(.*\) was lost$"):
        seen.extend(played)
    assert len({job for job, _ in seen}) == len(seen)
