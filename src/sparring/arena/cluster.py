"""The same jobs on a Ray cluster: one player for each CPU, on whatever node it is.

Ray lives in a process of its own, the foreman's. It prints what nobody asked for, does not hear Ctrl-C while it
connects, and takes its process down with it when the cluster is lost: nothing for the process that keeps the games.
"""

import logging
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.arena.schedule import Job
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError, lacking

if TYPE_CHECKING:
    from sparring.arena.batch import Sheet
    from sparring.arena.workers import Crew

FOREMAN = (
    "import sys; sys.path.append(sys.argv[3]); from sparring.arena.cluster import foreman; "
    "sys.path[:] = sys.argv[4:]; foreman(*sys.argv[1:3])"
)
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_NUM_REDIS_GET_RETRIES": "2",  # how often to knock where somebody answers, but refuses
    "RAY_gcs_rpc_server_reconnect_timeout_s": "10",  # how long the head node may be gone
}
ANSWER_SECONDS = 5.0
JOIN_SECONDS = 15.0
LEAVE_SECONDS = 5.0
CENSUS_SECONDS = 1.0
EMPTY_SECONDS = 15.0
"""How long to wait for a node that can play when there is none."""
TICK, SHORT_TICK = 0.2, 0.005
JOBS_A_PLAYER = 2
"""One to play and one to go on with."""
TRIES = 3
"""A job that took so many players with it is no accident, and a node where so many did not get ready no help."""


def on_cluster(
    address: str, game: str, enlist: Callable[[], AbstractContextManager["Crew"]], jobs: Iterator[Job]
) -> Iterator[tuple[Job, "Sheet"]]:
    """Results as they come. A lost player's jobs are played again; none comes out twice.

    The address is HOST:PORT of a cluster that this machine belongs to, or "auto": RAY_ADDRESS, or the one running here.
    `enlist` makes the crew of a player, on its node, e.g. `partial(Crew, setup)`.
    """
    from sparring.games.registry import code

    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address
    with _foreman_at(address) as line:
        told: Any = game, code(game), pickle.dumps(enlist)
        while True:
            try:
                if told is not None:
                    line.send(told)
                news, *about = line.recv()
            except (EOFError, ConnectionError):
                raise SparringError(_lost(address)) from None
            told = None
            if news == "jobs?":
                told = list(islice(jobs, about[0]))
            elif news == "played":
                job, packed = about
                sheet, error = pickle.loads(packed)
                if error:
                    raise error
                yield job, sheet
            else:
                return


@contextmanager
def _foreman_at(address: str) -> Iterator[Connection]:
    """A line to a foreman who has joined the cluster. When it is cut, he ends whatever he has started there."""
    if find_spec("ray") is None:
        raise lacking("playing on a cluster needs Ray", "cluster")
    if address != "auto":
        _knock(address)
    search = [str(Path(folder).absolute()) for folder in sys.path]
    ours, his = socket.socketpair()
    with tempfile.TemporaryFile() as chatter, Connection(ours.detach()) as line:
        with his:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", FOREMAN, f"{his.fileno()}", address, str(PACKAGE.parent), *search],
                pass_fds=[his.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=chatter,
                stderr=chatter,
                start_new_session=True,  # Ctrl-C is for us alone
                cwd="/",  # or Ray would have players import from the folder where the user happens to be
                env={**os.environ, **SETTINGS},
            )
        try:
            try:
                why_not = line.recv() if line.poll(JOIN_SECONDS) else _no_answer(address)
            except EOFError:
                chatter.seek(0)
                why_not = f"Ray failed: {_one_line(chatter.read().decode(errors='replace')[-300:])}"
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


def _knock(address: str) -> None:
    """Ray itself would go on knocking for minutes where nobody is."""
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
    """Why the cluster could not be joined, from what Ray says about it at length."""
    story = "".join(traceback.format_exception(error))
    if "AuthToken" in story or "AuthenticationError" in story:
        return (
            f"the Ray cluster ({address}) refuses the token; set RAY_AUTH_MODE=token and the cluster's RAY_AUTH_TOKEN "
            "(or the file ~/.ray/auth_token) here and on every node"
        )
    if "Could not find any running Ray instance" in story:
        return _no_answer(address)
    return f"cannot join the Ray cluster ({address}): {_one_line(str(error))}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]


def foreman(line: str, address: str) -> None:
    """The foreman's process: joins the cluster, has the jobs played, and leaves when all are or nobody listens."""
    with Connection(int(line)) as connection, suppress(EOFError, ConnectionError):
        try:
            import ray

            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except Exception as error:
            connection.send(_why_not(address, error))
            return
        connection.send("")
        team = Team(connection, *connection.recv())
        try:
            team.play()
            connection.send(("finished",))
        except ray.exceptions.RayError:
            connection.send(("played", None, _packed(SparringError(_lost(address)))))
        except (EOFError, ConnectionError):
            raise
        except Exception as error:
            connection.send(("played", None, _packed(error)))
        finally:
            team.leave()


@dataclass(eq=False)
class Member:
    """A player as the foreman sees it."""

    node: str
    name: str  # of the node, for people
    actor: Any
    host: str = ""  # known when it has reported
    called_up: bool = False
    ready: bool = False
    jobs: deque[Job] = field(default_factory=deque)


class Team:
    """The foreman's players on all nodes, what they do, and what is still to be done."""

    def __init__(self, line: Connection, game: str, code: str, enlist: bytes) -> None:
        import ray

        self._ray = ray
        self._actor = ray.remote(num_cpus=1, concurrency_groups={"door": 1})(Player)
        self._line = line
        self._game, self._code = game, code
        self._enlist = enlist
        self._members: list[Member] = []
        self._awaited: dict[Any, tuple[Member, Callable[[Member, Any], None]]] = {}
        self._jobs: deque[Job] = deque()
        self._asked = 0
        self._no_more = False
        self._warm: set[str] = set()  # hosts where a crew was made, and so the compiled code is in the cache
        self._losses: Counter[Job] = Counter()
        self._failures: Counter[str] = Counter()
        self._last_failure = ""
        self._last_census = 0.0
        self._last_seen = time.monotonic()

    def play(self) -> None:
        while not (self._no_more and not self._jobs and not any(member.jobs for member in self._members)):
            if time.monotonic() > self._last_census + CENSUS_SECONDS:
                self._take_census()
            self._call_up()
            self._hand_out()
            if self._line.poll():
                taken = self._line.recv()
                self._jobs.extend(taken)
                self._no_more = len(taken) < self._asked
                self._asked = 0
            tick = SHORT_TICK if self._asked else TICK
            if self._awaited:
                heard, _ = self._ray.wait(list(self._awaited), timeout=tick)
                for answer in heard:
                    self._hear(answer)
            else:
                time.sleep(tick)

    def leave(self) -> None:
        """Have crews clean up, busy or not, for nobody can once a player is killed."""
        with suppress(self._ray.exceptions.RayError):
            members = [member for member in self._members if member.called_up]
            door = [member.actor.leave.options(concurrency_group="door").remote() for member in members]
            if door:
                self._ray.wait(door, num_returns=len(door), timeout=LEAVE_SECONDS / 2)
            for member in self._members:
                self._ray.kill(member.actor)
        self._ray.shutdown()

    def _take_census(self) -> None:
        """A player for every CPU there is; nodes come and go."""
        nodes = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        for member in [member for member in self._members if member.node not in nodes]:
            self._lose(member, "the node is gone")
        for node, about in nodes.items():
            cpus = int(about["Resources"].get("CPU", 0)) if self._failures[node] < TRIES else 0
            for _ in range(cpus - sum(member.node == node for member in self._members)):
                self._members.append(self._hired(node, about["NodeName"]))
        self._last_census = time.monotonic()
        if self._members:
            self._last_seen = self._last_census
        elif self._last_census > self._last_seen + EMPTY_SECONDS:
            raise SparringError(f"no node of the Ray cluster can play{self._last_failure}")

    def _hired(self, node: str, name: str) -> Member:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node, soft=False)
        actor = self._actor.options(scheduling_strategy=there).remote()
        member = Member(node, name, actor)
        self._awaited[actor.report.remote(self._game)] = member, self._reported
        return member

    def _reported(self, member: Member, report: tuple[str, str]) -> None:
        code, member.host = report
        if code != self._code:
            raise SparringError(
                f"the node {member.name} has another sparring, or other plug-ins for {self._game}, than this machine "
                f"({code}, here {self._code}); install the same versions, with the same NUMBA_ settings, on all nodes"
            )

    def _call_up(self) -> None:
        """One player of a host makes its crew before the others, who would all compile the same at the same time."""
        for member in [member for member in self._members if member.host and not member.called_up]:
            busy = {other.host for other in self._members if other.called_up and not other.ready}
            if member.host in self._warm or member.host not in busy:
                member.called_up = True
                self._awaited[member.actor.enlist.remote(self._enlist)] = member, self._enlisted

    def _enlisted(self, member: Member, packed: bytes) -> None:
        if packed:
            self._line.send(("played", None, packed))
            return
        self._warm.add(member.host)
        member.ready = True

    def _hand_out(self) -> None:
        members = [member for member in self._members if member.ready]
        wanted = sum(JOBS_A_PLAYER - len(member.jobs) for member in members) - len(self._jobs)
        if wanted > 0 and not self._no_more and not self._asked:
            self._asked = wanted
            self._line.send(("jobs?", wanted))
        for already in range(JOBS_A_PLAYER):
            for member in members:
                if self._jobs and len(member.jobs) == already:
                    job = self._jobs.popleft()
                    member.jobs.append(job)
                    self._awaited[member.actor.play.remote(job)] = member, self._played

    def _played(self, member: Member, answer: tuple[Job, bytes]) -> None:
        job, packed = answer
        member.jobs.remove(job)
        self._line.send(("played", job, packed))

    def _hear(self, answer: Any) -> None:
        member, then = self._awaited.pop(answer)
        try:
            said = self._ray.get(answer)
        except self._ray.exceptions.RayError as error:
            why = str(error).strip().splitlines()[-1][:300]
            if isinstance(error, self._ray.exceptions.RayTaskError) or getattr(error, "actor_init_failed", False):
                remedy = "install the same version of sparring on all nodes"
                raise SparringError(f"the node {member.name} cannot play: {why}; {remedy}") from error
            self._lose(member, why)
        else:
            then(member, said)

    def _lose(self, member: Member, why: str) -> None:
        """Whatever a lost player may still say is not heard, so that no job comes out twice."""
        self._members.remove(member)
        for answer in [answer for answer, (other, _) in self._awaited.items() if other is member]:
            del self._awaited[answer]
        self._ray.kill(member.actor)
        self._jobs.extendleft(reversed(member.jobs))
        if member.jobs:
            job = member.jobs[0]
            self._losses[job] += 1
            if self._losses[job] == TRIES:
                raise SparringError(f"{TRIES} players did not survive {job}; the last one: {why}")
        elif not member.ready:
            self._failures[member.node] += 1
            self._last_failure = f"; on {member.name}: {why}"


class Player:
    """The actor that plays on a node. Results and errors travel packed: the foreman need not know what they are."""

    def __init__(self) -> None:
        self._opened = ExitStack()

    def report(self, game: str) -> tuple[str, str]:
        from sparring.games.registry import code

        return code(game), socket.gethostname()

    def enlist(self, enlist: bytes) -> bytes:
        """Nothing, or the error that prevented it."""
        try:
            self._crew = self._opened.enter_context(pickle.loads(enlist)())
        except Exception as error:
            return _packed(error)
        return b""

    def play(self, job: Job) -> tuple[Job, bytes]:
        try:
            return job, pickle.dumps((self._crew.play(job), None))
        except Exception as error:
            return job, _packed(error)

    def leave(self) -> None:
        self._opened.close()


def _packed(error: Exception) -> bytes:
    """An error for the road, with the place where it happened; one that cannot travel goes by its message alone."""
    if not isinstance(error, SparringError):
        error.add_note(f"on {socket.gethostname()}, where it was raised:\n{traceback.format_exc()}")
    try:
        packed = pickle.dumps((None, error))
        pickle.loads(packed)
    except Exception:
        kind = SparringError if isinstance(error, SparringError) else RuntimeError
        packed = pickle.dumps((None, kind(str(error) if kind is SparringError else f"{type(error).__name__}: {error}")))
    return packed
