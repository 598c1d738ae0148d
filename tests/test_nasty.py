"""Agents that attack lose their game by a verdict that says why; the user's files, the opponent and the next game are
as ever. Other attacks are in test_chaos.py (accidents, floods, the line to the referee) and in test_wire.py."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import sparring
from sparring.agents.agent import RandomAgent
from sparring.agents.confinement import missing
from sparring.arena.limits import Limits
from sparring.arena.referee import play, play_block
from sparring.arena.store import Store
from sparring.arena.supervisor import Supervisor
from sparring.core.files import private
from test_supervisor import GAME, guest, leaving_nobody, moves

LACKING = missing(False, Path("/tmp"), separated=True)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(LACKING), reason=f"this system does not limit {' and '.join(LACKING)}"),
]

REFUSED = "crash: PermissionError: [Errno 1] Operation not permitted"
DENIED = "crash: PermissionError: [Errno 13] Permission denied"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("home")
    (folder / "precious.txt").write_text("precious")
    (folder / "games.secret").write_bytes(b"secret" * 5)
    with pytest.MonkeyPatch.context() as patch, Store(folder / "games.db"):
        patch.setenv("SPARRING_TEST_TARGET", str(folder))
        private.add(folder / "games.secret")
        yield folder


@pytest.fixture(scope="module")
def supervisor(home: Path) -> Iterator[Supervisor]:
    with leaving_nobody(Limits(stall=10.0, memory=512 << 20)) as watched:
        yield watched


@pytest.fixture(scope="module")
def as_ever(supervisor: Supervisor) -> list[str]:
    return moves(play(GAME, [RandomAgent(), guest(supervisor, "nasty.py:aborts")], 1))


ATTACKS = {
    "kills_everything": "illegal move: None is not legal here",  # nothing was there
    "kills_the_others": REFUSED,
    "stops_the_others": REFUSED,
    "traces_its_parent": REFUSED,
    "reads_the_memory_of_others": DENIED,
    "reads_the_environment_of_others": DENIED,
    "reads_memory_by_a_call": REFUSED,
    "starves_its_parent": REFUSED,
    "pushes_ahead": REFUSED,
    "moves_its_parent": REFUSED,
    "bombs_without_mercy": "crash: BlockingIOError: [Errno 11] Resource temporarily unavailable",
    "writes_to_the_home": DENIED,
    "writes_beside_its_file": DENIED,
    "overwrites_a_file": DENIED,
    "truncates_a_file": DENIED,
    "removes_a_file": DENIED,
    "moves_a_file": "crash: OSError: [Errno 18] Invalid cross-device link",
    "locks_a_file": REFUSED,
    "reads_the_secret": DENIED,
    "reads_the_store": DENIED,
    "fills_the_disk": "crash: OSError: [Errno 28] No space left on device",
    "leaves_a_trap": "crash: ValueError: done",
    "calls_home": REFUSED,
    "listens": REFUSED,
    "sends_a_datagram": REFUSED,
    "sniffs": REFUSED,
    "whispers_to_its_sibling": REFUSED,
    "shares_memory": DENIED,
    "becomes_another_user": REFUSED,
    "mounts": REFUSED,
    "changes_the_root": REFUSED,
    "leaves_its_namespaces": REFUSED,
    "turns_the_clock": REFUSED,
    "asks_the_kernel_otherwise": REFUSED,
    "opens_the_terminal": DENIED,
    "spares_itself": DENIED,
    "aborts": "crash: its process was ended by SIGABRT",
    "patches_the_messages": "illegal move: is not legal here",
    "patches_the_connection": "crash: ",
    "plays_minus_nothing": "illegal move: -0.0 is not legal here",
}


@pytest.mark.parametrize(("name", "verdict"), ATTACKS.items(), ids=ATTACKS)
def test_an_attack_costs_its_own_game_and_nothing_else(
    supervisor: Supervisor, as_ever: list[str], home: Path, name: str, verdict: str
) -> None:
    rogue, innocent = guest(supervisor, f"nasty.py:{name}"), guest(supervisor, "tampering.py:honest")
    ((lost,), _) = play_block(GAME, [[rogue, innocent]], 1)
    assert lost.reason.startswith(verdict)
    assert (lost.failed, lost.scores) == (0, (0.0, 1.0))
    assert lost.reason.isprintable()
    assert play(GAME, [RandomAgent(), innocent], 1).failed == -1
    assert moves(play(GAME, [RandomAgent(), rogue], 1)) == as_ever
    assert {file.name for file in home.iterdir()} >= {"precious.txt", "games.secret", "games.db"}
    assert not (home / "new.txt").exists()
    assert (home / "precious.txt").read_text() == "precious"
    assert (home / "precious.txt").stat().st_mode & 0o600 == 0o600
    rogue.dismiss()
    innocent.dismiss()


def test_the_verdict_names_the_remedy(supervisor: Supervisor) -> None:
    told = {
        name: play(GAME, [guest(supervisor, f"nasty.py:{name}"), RandomAgent()], 1).reason
        for name in ("writes_beside_its_file", "calls_home")
    }
    assert told["writes_beside_its_file"].endswith("; an agent may write files in tempfile.gettempdir() only")
    assert told["calls_home"].endswith('; declare the network: @agent("GAME", network=True)')


FRIENDLY = '''
import os, socket, subprocess, sys, tempfile, threading
from pathlib import Path
from sparring import agent

@agent("isolation"{declared})
def friendly(view):
    """Does what an agent may do."""
    Path(tempfile.gettempdir(), "notes.txt").write_text("mine")
    with tempfile.NamedTemporaryFile() as own:
        own.write(b"mine")
    engine = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    engine.terminate()
    engine.wait()
    worker = threading.Thread(target=Path(__file__).read_text)
    worker.start()
    worker.join()
    {also}
    return view.legal[0]
'''


def test_an_agent_may_use_a_scratch_folder_threads_and_programs(supervisor: Supervisor, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FRIENDLY.format(declared="", also="pass"))
    played = play(GAME, [supervisor.guest(GAME, f"{tmp_path}/mine.py"), RandomAgent()], 1)
    assert (played.failed, played.reason) == (-1, "no moves left")


@pytest.mark.parametrize(
    ("declared", "verdict"), [(", network=True", "no moves left"), ("", REFUSED)], ids=["declared", "not declared"]
)
def test_the_network_is_for_agents_that_declare_it(
    supervisor: Supervisor, tmp_path: Path, declared: str, verdict: str
) -> None:
    also = "server = socket.create_server(('127.0.0.1', 0)); socket.create_connection(server.getsockname()).close()"
    (tmp_path / "mine.py").write_text(FRIENDLY.format(declared=declared, also=also))
    played = play(GAME, [supervisor.guest(GAME, f"{tmp_path}/mine.py"), RandomAgent()], 1)
    assert played.reason.startswith(verdict)


def test_two_agents_of_a_file_may_differ_in_the_network(tmp_path: Path) -> None:
    text = FRIENDLY.format(declared=", network=True", also="pass")
    (tmp_path / "mine.py").write_text(text + '\n@agent("isolation")\ndef other(view):\n    socket.socket()\n')
    result = sparring.match("isolation", f"{tmp_path}/mine.py:friendly", f"{tmp_path}/mine.py:other", games=2)
    assert {name: found.total() for name, found in result.failures().items()} == {f"{tmp_path}/mine.py:other": 2}
