"""Play jobs on a Ray cluster, with one worker for each CPU of all nodes.

A driver process of its own talks to Ray. Ray prints to the terminal, ignores Ctrl-C while it connects, and ends its
process when the cluster is lost. The process that keeps the games must not suffer from that.

A node may be another's. What it sends is plain bytes: the driver unpickles nothing of it, and this process reads it as
`transfer` does, which checks it.
"""

import logging
import os
import pickle
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sparring.arena.schedule import Job
from sparring.arena.transfer import MOST_BYTES, opened_error, packed, packed_error
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError, lacking
from sparring.core.table import one_line, plain

if TYPE_CHECKING:
    from sparring.arena.workers import WorkerPool

Result = TypeVar("Result")
DRIVER = (
    "import sys; sys.path.append(sys.argv[3]); from sparring.arena.cluster import cluster_driver; "
    "sys.path[:] = sys.argv[4:]; cluster_driver(*sys.argv[1:3])"
)
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_NUM_REDIS_GET_RETRIES": "2",  # attempts to connect to an address that refuses
    "RAY_gcs_rpc_server_reconnect_timeout_s": "10",  # the head node may be gone for so long
}
ANSWER_SECONDS = 5.0
JOIN_SECONDS = 15.0
LEAVE_SECONDS = 5.0
UPDATE_SECONDS = 1.0
EMPTY_SECONDS = 15.0
"""The time to wait for a node if there is none that can play."""
POLL_SECONDS = 0.2
WANTED, PLAYED, ENDED, FINISHED = b"?", b"+", b"!", b"."
"""Kinds of messages of the driver: jobs wanted, the results of a job, an error that ends all, the end."""
JOB = struct.Struct(">qqq")
JOBS_A_WORKER = 2
"""One that is played and the next one."""
TRIES = 3
"""A job that so many workers did not survive is an error. A node where so many did not start is not used."""


def on_cluster(
    address: str,
    game: str,
    make_pool: Callable[[], AbstractContextManager["WorkerPool"]],
    jobs: Iterator[Job],
    read: Callable[[bytes, Job], Result],
) -> Iterator[tuple[Job, Result]]:
    """Yield results as they come. Jobs of a lost worker are played again; no result comes twice.

    The address is HOST:PORT of a cluster that this machine belongs to, or "auto": $RAY_ADDRESS, or the cluster on this
    machine. `make_pool` makes the pool of a worker on its node, for example `partial(WorkerPool, settings)`. `read`
    makes a batch of the bytes that a node sends for a job.
    """
    from sparring.games.registry import code

    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address
    with _driver(address) as line:
        told: Any = game, code(game), pickle.dumps(make_pool)
        while True:
            try:
                if told is not None:
                    line.send(told)
                news = line.recv_bytes(MOST_BYTES)
            except (EOFError, OSError):
                raise SparringError(_lost(address)) from None
            told, kind, rest = None, news[:1], news[1:]
            if kind == WANTED:
                told = list(islice(jobs, int(rest)))
            elif kind == PLAYED:
                job = Job(*JOB.unpack_from(rest))
                yield job, read(rest[JOB.size :], job)
            elif kind == ENDED:
                raise opened_error(rest)
            else:
                return


@contextmanager
def _driver(address: str) -> Iterator[Connection]:
    """Start a driver that joins the cluster. It ends everything that it has started when its connection is closed."""
    if find_spec("ray") is None:
        raise lacking("playing on a cluster needs Ray", "cluster")
    if os.name == "nt":
        raise SparringError("a cluster cannot be joined from Windows; play there with --workers, or join it from Linux")
    if address != "auto":
        _check_address(address)
    search = [str(Path(folder).absolute()) for folder in sys.path]
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as output, Connection(ours.detach()) as line:
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", DRIVER, f"{theirs.fileno()}", address, str(PACKAGE.parent), *search],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is for this process alone
                cwd="/",  # else Ray would let workers import from the user's current folder
                env={"RAY_AUTH_MODE": "token", **os.environ, **SETTINGS},
            )
        try:
            try:
                why_not = line.recv_bytes().decode() if line.poll(JOIN_SECONDS) else _no_answer(address)
            except EOFError:
                output.seek(0)
                why_not = f"Ray failed: {one_line(output.read().decode(errors='replace')[-300:])}"
            except KeyboardInterrupt:
                process.kill()
                raise
            if why_not:
                process.kill()
                raise SparringError(why_not)
            yield line
        finally:
            line.close()
            try:
                process.wait(LEAVE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _check_address(address: str) -> None:
    """Refuse an address that does not answer. Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise SparringError(f"a cluster is named by HOST:PORT, or auto for the one on this machine, not {address!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
    except (OSError, OverflowError):
        raise SparringError(_no_answer(address)) from None


def _no_answer(address: str) -> str:
    if address == "auto":
        return "no Ray cluster answers on this machine; start one with `ray start --head`, or name one by HOST:PORT"
    join = f"`ray start --address={address}`"
    return f"no Ray cluster answers at {address}; start one there with `ray start --head` and join it here with {join}"


def _lost(address: str) -> str:
    return f"the Ray cluster ({address}) was lost"


def _why_not(address: str, error: Exception) -> str:
    """Explain in one line why the cluster could not be joined."""
    story = "".join(traceback.format_exception(error))
    if "AuthToken" in story or "AuthenticationError" in story:
        return (
            f"the Ray cluster ({address}) is joined only with its token, which `ray get-auth-token` prints there; "
            "set RAY_AUTH_TOKEN to it, or write it to ~/.ray/auth_token, here and on every node"
        )
    if "Could not find any running Ray instance" in story:
        return _no_answer(address)
    return f"cannot join the Ray cluster ({address}): {one_line(str(error))[:300]}"


def cluster_driver(line: str, address: str) -> None:
    """Main function of the driver process: join the cluster, play all jobs, and leave."""
    with Connection(int(line)) as connection, suppress(EOFError, ConnectionError):
        try:
            import ray

            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            ray.cloudpickle.loads = _refuse
        except Exception as error:
            connection.send_bytes(_why_not(address, error).encode(errors="replace"))
            return
        connection.send_bytes(b"")
        scheduler = ClusterScheduler(connection, *connection.recv())
        try:
            scheduler.play()
            connection.send_bytes(FINISHED)
        except ray.exceptions.RayError:
            connection.send_bytes(ENDED + packed_error(SparringError(_lost(address))))
        except (EOFError, ConnectionError):
            raise
        except Exception as error:
            connection.send_bytes(ENDED + packed_error(error))
        finally:
            scheduler.leave()


def _refuse(*data: Any, **more: Any) -> Any:
    """Stand in for `loads` of Ray's pickle. Plain bytes, and texts of errors, come without it."""
    raise pickle.UnpicklingError("what a node sends is not unpickled")


@dataclass(eq=False)
class WorkerHandle:
    """A worker as the driver sees it."""

    node: str
    name: str  # of the node, for people
    actor: Any
    asked: bool = False  # to make its pool
    ready: bool = False
    jobs: deque[Job] = field(default_factory=deque)


class ClusterScheduler:
    """The workers on all nodes, their jobs, and the jobs that are left."""

    def __init__(self, line: Connection, game: str, code: str, make_pool: bytes) -> None:
        import ray

        self._ray = ray
        self._actor = ray.remote(num_cpus=1, concurrency_groups={"close": 1})(ClusterWorker)
        self._line = line
        self._game, self._code = game, code
        self._make_pool = make_pool
        self._workers: list[WorkerHandle] = []
        self._pending: dict[Any, tuple[WorkerHandle, Callable[[WorkerHandle, Any], None]]] = {}
        self._jobs: deque[Job] = deque()
        self._no_more = False
        self._warm: set[str] = set()  # nodes on which a pool was made, so that compiled code is in the cache
        self._losses: Counter[Job] = Counter()
        self._failures: Counter[str] = Counter()
        self._last_failure = ""
        self._last_update = 0.0
        self._last_seen = time.monotonic()

    def play(self) -> None:
        while not self._no_more or self._jobs or any(worker.jobs for worker in self._workers):
            if time.monotonic() > self._last_update + UPDATE_SECONDS:
                self._update_workers()
            self._make_pools()
            self._assign_jobs()
            if self._line.poll():
                raise EOFError  # nothing comes unasked: the other side is gone
            if self._pending:
                heard, _ = self._ray.wait(list(self._pending), timeout=POLL_SECONDS)
                for answer in heard:
                    self._receive(answer)
            else:
                time.sleep(POLL_SECONDS)

    def leave(self) -> None:
        """Close the pools, even of busy workers, and then end all workers."""
        with suppress(self._ray.exceptions.RayError):
            workers = [worker for worker in self._workers if worker.asked]
            closed = [worker.actor.leave.options(concurrency_group="close").remote() for worker in workers]
            if closed:
                self._ray.wait(closed, num_returns=len(closed), timeout=LEAVE_SECONDS / 2)
            for worker in self._workers:
                self._ray.kill(worker.actor)
        self._ray.shutdown()

    def _update_workers(self) -> None:
        """Keep one worker for each CPU of the nodes that are there now."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        for worker in [worker for worker in self._workers if worker.node not in nodes]:
            self._lose(worker, "the node is gone")
        for node, about in nodes.items():
            cpus = int(about["Resources"].get("CPU", 0)) if self._failures[node] < TRIES else 0
            for _ in range(cpus - sum(worker.node == node for worker in self._workers)):
                there = NodeAffinitySchedulingStrategy(node, soft=False)
                actor = self._actor.options(scheduling_strategy=there).remote()
                self._workers.append(WorkerHandle(node, about["NodeName"], actor))
        self._last_update = time.monotonic()
        if self._workers:
            self._last_seen = self._last_update
        elif self._last_update > self._last_seen + EMPTY_SECONDS:
            raise SparringError(f"no node of the Ray cluster can play{self._last_failure}")

    def _make_pools(self) -> None:
        """Let one worker of a node make its pool before the others, which would all compile the same code."""
        for worker in [worker for worker in self._workers if not worker.asked]:
            busy = {other.node for other in self._workers if other.asked and not other.ready}
            if worker.node in self._warm or worker.node not in busy:
                worker.asked = True
                made = worker.actor.make_pool.remote(self._game, self._code, self._make_pool)
                self._pending[made] = worker, self._pool_made

    def _pool_made(self, worker: WorkerHandle, report: bytes) -> None:
        own, _, failed = report.partition(b"\n")
        code = plain(own.decode(errors="replace"))[:100]
        if code != self._code:
            raise SparringError(
                f"the node {worker.name} has another sparring, or other plug-ins for {self._game}, than this machine "
                f"({code}, here {self._code}); install the same versions, with the same NUMBA_ settings, on all nodes"
            )
        if failed:
            self._line.send_bytes(ENDED + failed)
        else:
            self._warm.add(worker.node)
            worker.ready = True

    def _assign_jobs(self) -> None:
        workers = [worker for worker in self._workers if worker.ready]
        wanted = sum(JOBS_A_WORKER - len(worker.jobs) for worker in workers) - len(self._jobs)
        if wanted > 0 and not self._no_more:
            self._line.send_bytes(WANTED + str(wanted).encode())
            self._jobs.extend(taken := self._line.recv())
            self._no_more = len(taken) < wanted
        for already in range(JOBS_A_WORKER):
            for worker in workers:
                if self._jobs and len(worker.jobs) == already:
                    job = self._jobs.popleft()
                    worker.jobs.append(job)
                    self._pending[worker.actor.play.remote(job)] = worker, partial(self._played, job=job)

    def _played(self, worker: WorkerHandle, results: bytes, job: Job) -> None:
        worker.jobs.remove(job)
        self._line.send_bytes(PLAYED + JOB.pack(*job) + results)

    def _receive(self, answer: Any) -> None:
        worker, then = self._pending.pop(answer)
        errors = self._ray.exceptions
        try:
            said = self._ray.get(answer)
            if not isinstance(said, bytes):
                raise SparringError(f"the node {worker.name} sent something else than bytes; take it from the cluster")
        except errors.RayError as error:
            why = plain(str(error).strip().splitlines()[-1])[:300]
            failed = isinstance(error, errors.RayTaskError | errors.UnserializableException)
            if failed or getattr(error, "actor_init_failed", False):
                remedy = "install the same version of sparring on all nodes"
                raise SparringError(f"the node {worker.name} cannot play: {why}; {remedy}") from error
            self._lose(worker, why)
        else:
            then(worker, said)

    def _lose(self, worker: WorkerHandle, why: str) -> None:
        """Forget a worker and its pending answers, and play its jobs again."""
        self._workers.remove(worker)
        for answer in [answer for answer, (other, _) in self._pending.items() if other is worker]:
            del self._pending[answer]
        self._ray.kill(worker.actor)
        self._jobs.extendleft(reversed(worker.jobs))
        if worker.jobs:
            job = worker.jobs[0]
            self._losses[job] += 1
            if self._losses[job] == TRIES:
                raise SparringError(f"{TRIES} workers did not survive {job}; the last one: {why}")
        elif not worker.ready:
            self._failures[worker.node] += 1
            self._last_failure = f"; on {worker.name}: {why}"


class ClusterWorker:
    """The Ray actor that plays on a node. It answers in plain bytes."""

    def __init__(self) -> None:
        self._pool: Any = None
        self._opened = ExitStack()

    def make_pool(self, game: str, wanted: str, make_pool: bytes) -> bytes:
        """Make the pool if the code is the same here. Return this node's code, and the error if there was one."""
        from sparring.games.registry import code

        own = code(game)
        try:
            if own == wanted:
                self._pool = self._opened.enter_context(pickle.loads(make_pool)())
        except Exception as error:
            return f"{own}\n".encode() + packed_error(error)
        return own.encode()

    def play(self, job: Job) -> bytes:
        try:
            return packed(self._pool.play(job))
        except Exception as error:
            return packed_error(error)

    def leave(self) -> None:
        self._opened.close()
