"""Agents that attack the referee, other agents, the user's files, the network and the system."""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
import tempfile
import time
from multiprocessing import shared_memory
from pathlib import Path

from first_seat import in_first_seat

HOME = Path(os.environ.get("SPARRING_TEST_TARGET", "/nonexistent"))
"""A folder with files that are precious to the user."""
LIBC = ctypes.CDLL(None, use_errno=True)


def called(result):
    """Raise the error of a function of the C library."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def others():
    """All processes in sight but this one."""
    found = sorted(int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [pid for pid in found if pid != os.getpid()]


# other processes


@in_first_seat
def kills_everything(view):
    os.kill(-1, signal.SIGKILL)


@in_first_seat
def kills_the_others(view):
    for pid in others():
        os.kill(pid, signal.SIGKILL)


@in_first_seat
def stops_the_others(view):
    for pid in others():
        os.kill(pid, signal.SIGSTOP)


@in_first_seat
def traces_its_parent(view):
    called(LIBC.ptrace(16, os.getppid(), 0, 0))


@in_first_seat
def reads_the_memory_of_others(view):
    for pid in others():
        Path(f"/proc/{pid}/mem").read_bytes()


@in_first_seat
def reads_the_environment_of_others(view):
    for pid in others():
        Path(f"/proc/{pid}/environ").read_bytes()


@in_first_seat
def reads_memory_by_a_call(view):
    called(LIBC.process_vm_readv(os.getppid(), None, 0, None, 0, 0))


@in_first_seat
def starves_its_parent(view):
    resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))


@in_first_seat
def pushes_ahead(view):
    os.setpriority(os.PRIO_USER, 0, 19)


@in_first_seat
def moves_its_parent(view):
    os.sched_setaffinity(os.getppid(), {0})


@in_first_seat
def bombs_without_mercy(view):
    while True:
        if os.fork() == 0:
            time.sleep(1e6)


# files


@in_first_seat
def writes_to_the_home(view):
    (HOME / "new.txt").write_text("mine")


@in_first_seat
def writes_beside_its_file(view):
    Path(__file__).with_name("notes.txt").write_text("mine")


@in_first_seat
def overwrites_a_file(view):
    os.open(HOME / "precious.txt", os.O_WRONLY | os.O_TRUNC)


@in_first_seat
def truncates_a_file(view):
    os.truncate(HOME / "precious.txt", 0)


@in_first_seat
def removes_a_file(view):
    (HOME / "precious.txt").unlink()


@in_first_seat
def moves_a_file(view):
    (HOME / "precious.txt").rename(Path(tempfile.gettempdir()) / "taken.txt")


@in_first_seat
def locks_a_file(view):
    (HOME / "precious.txt").chmod(0)


@in_first_seat
def reads_the_secret(view):
    called(LIBC.open(bytes(HOME / "games.secret"), os.O_RDONLY))


@in_first_seat
def reads_the_store(view):
    called(LIBC.open(bytes(HOME / "games.db"), os.O_RDONLY))


@in_first_seat
def fills_the_disk(view):
    for number in range(1000):
        (Path(tempfile.gettempdir()) / f"{number}").write_bytes(bytes(1 << 20))


@in_first_seat
def leaves_a_trap(view):
    """A link among its compiled code, in the hope that somebody copies the secret behind it."""
    folder = Path(tempfile.gettempdir()) / "sparring-kernels-mine" / "0123456789abcdef"
    folder.mkdir(parents=True)
    (folder / "link.nbi").symlink_to(HOME / "games.secret")
    (folder.parent / "linked").symlink_to(HOME)
    raise ValueError("done")


# the network


@in_first_seat
def calls_home(view):
    socket.create_connection(("127.0.0.1", 9), 1.0)


@in_first_seat
def listens(view):
    socket.create_server(("127.0.0.1", 0))


@in_first_seat
def sends_a_datagram(view):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("127.0.0.1", 9))


@in_first_seat
def sniffs(view):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


@in_first_seat
def whispers_to_its_sibling(view):
    socket.socket(socket.AF_UNIX).bind("\0sibling")


@in_first_seat
def shares_memory(view):
    shared_memory.SharedMemory("sparring-nasty", create=True, size=10)


# the system


@in_first_seat
def becomes_another_user(view):
    os.setuid(os.geteuid() + 1)


@in_first_seat
def mounts(view):
    called(LIBC.mount(b"none", bytes(HOME), b"tmpfs", 0, None))


@in_first_seat
def changes_the_root(view):
    os.chroot(tempfile.gettempdir())


@in_first_seat
def leaves_its_namespaces(view):
    called(LIBC.unshare(0x10000000))


@in_first_seat
def turns_the_clock(view):
    time.clock_settime(time.CLOCK_REALTIME, 0)


@in_first_seat
def asks_the_kernel_otherwise(view):
    called(LIBC.syscall(425, 8, bytes(120)))  # io_uring


@in_first_seat
def opens_the_terminal(view):
    Path("/dev/tty").read_text()


@in_first_seat
def spares_itself(view):
    Path("/proc/self/oom_score_adj").write_text("-1000")


# the referee's line, and the answer


@in_first_seat
def aborts(view):
    os.abort()


@in_first_seat
def patches_the_messages(view):
    json.dumps = lambda *given, **named: '{"turn": 2}'
    return view.legal[0]


@in_first_seat
def patches_the_connection(view):
    socket.socket.sendall = lambda *given: sys.exit(0)
    return view.legal[0]


@in_first_seat
def plays_minus_nothing(view):
    return -0.0
