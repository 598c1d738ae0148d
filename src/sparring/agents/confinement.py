"""Limits that the Linux kernel sets to users' agents: namespaces for all of them once, Landlock and a filter of system
calls for each. By ctypes alone, without privileges and without packages. Those that a system lacks are named.
"""

import ast
import ctypes
import errno
import os
import platform
import shutil
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # as on Windows
    resource = None  # type: ignore[assignment]

SCRATCH_BYTES = 64 << 20
"""The size of a guest's scratch folder, where it can be limited."""
PROCESSES = 256
"""The most processes and threads of a guest."""
WATCH_SECONDS = 1.0

DEATH_SIGNAL, NO_NEW_PRIVILEGES, SECCOMP_MODE, SECCOMP_FILTER = 1, 38, 22, 2  # for prctl
PRIVATE_TREE, LAZILY, NOTHING_SPECIAL = 1 << 18 | 1 << 14, 2, 2 | 4 | 8  # for mount and umount2
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NETWORK = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
NEW_ANYTHING = 0x7E020000
CAPABILITIES_3, KEPT_CAPABILITIES = 0x20080522, 1 << 1 | 1 << 2  # root goes on reading the files of others


def declares_network(source: bytes, name: str) -> bool:
    """True if `@agent("GAME", network=True)` stands above a function or class: the one of that name, if there is it."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        named = {
            node.name: any(
                isinstance(call, ast.Call) and any(_says_network(keyword) for keyword in call.keywords)
                for call in node.decorator_list
            )
            for node in ast.parse(source).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        return named.get(name, any(named.values()))
    return False


def _says_network(keyword: ast.keyword) -> bool:
    return keyword.arg == "network" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True


# The C library


@cache
def libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _called(function: str, *args: Any) -> int:
    """Call a function of the C library; raise its error."""
    result = int(getattr(libc(), function)(*args))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{function}: {os.strerror(ctypes.get_errno())}")
    return result


def prctl(option: int, *args: int) -> None:
    """Set an option of this process, if the system has it."""
    with suppress(AttributeError, OSError, TypeError):
        libc().prctl(option, *(ctypes.c_ulong(arg) for arg in (*args, 0, 0, 0, 0)[:4]))


def _succeeds(attempt: Callable[[], object]) -> bool:
    """Try something in a copy of this process."""
    pid = os.fork()
    if pid == 0:
        status = 1
        with suppress(BaseException):
            attempt()
            status = 0
        os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


# Namespaces of the forkserver


def separate(network: bool, scratch: Path) -> bool:
    """Go on as the first process of new namespaces: without sight of other processes, and without the network. With it
    ends every process that guests started, wherever they hid. The old process waits for that. False if the system
    refuses."""
    if sys.platform != "linux":
        return False
    flags = NEW_MOUNTS | NEW_IPC | NEW_PIDS | (0 if network else NEW_NETWORK)
    for more in (0, NEW_USER):  # root needs no user namespace, in which it could not read the files of others
        if _succeeds(lambda: _waited_for(_first_process(flags | more))):  # noqa: B023 - it is called at once
            if first := _first_process(flags | more):
                _stay_behind(first, scratch)
            return True
    return False


def _first_process(flags: int) -> int:
    """Fork the first process of new namespaces. Return 0 there, its number in the old process."""
    _unshare(flags)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    if pid := os.fork():
        return pid
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    prctl(DEATH_SIGNAL, signal.SIGKILL)
    _called("mount", b"none", b"/", None, ctypes.c_ulong(PRIVATE_TREE), None)
    _called("mount", b"proc", b"/proc", b"proc", ctypes.c_ulong(NOTHING_SPECIAL), None)
    os.close(os.pidfd_open(os.getpid()))
    return 0


def _waited_for(pid: int) -> None:
    if pid and os.waitpid(pid, 0)[1]:
        raise OSError


def _stay_behind(first: int, scratch: Path) -> None:
    """End when the first process of the namespaces ends, and end it if the parent is gone."""
    parent = os.getppid()
    while os.waitpid(first, os.WNOHANG) == (0, 0):
        signal.sigtimedwait({signal.SIGCHLD}, WATCH_SECONDS)
        if os.getppid() != parent:
            os.kill(first, signal.SIGKILL)
    with suppress(OSError):  # usually it has removed them itself
        for folder in scratch.iterdir():
            remove_scratch(folder)
        scratch.rmdir()
    os._exit(0)


def _unshare(flags: int) -> None:
    """Leave namespaces. In a new user namespace the user stays the same."""
    ids = ("uid", os.geteuid()), ("gid", os.getegid())
    _called("unshare", flags)
    if flags & NEW_USER:
        Path("/proc/self/setgroups").write_text("deny")
        for kind, number in ids:
            Path(f"/proc/self/{kind}_map").write_text(f"{number} {number} 1")


# Scratch folders


def make_scratch(folder: Path) -> bool:
    """Make a folder for the files of a guest. Return whether its size is limited."""
    folder.mkdir(mode=0o700)
    with suppress(AttributeError, OSError):
        options = f"size={SCRATCH_BYTES},nr_inodes=10000,mode=700".encode()
        _called("mount", b"none", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(2 | 4), options)
        return True
    return False


def remove_scratch(folder: Path) -> None:
    """Remove a guest's folder with all that is in it."""
    with suppress(AttributeError, OSError):
        _called("umount2", os.fsencode(folder), LAZILY)

    def open_up(function: Any, path: str, error: Any) -> None:
        with suppress(OSError):
            Path(path).parent.chmod(0o700)
            Path(path).chmod(0o700)
            function(path)

    shutil.rmtree(folder, onerror=open_up)


# One guest


def confine(scratch: Path, hidden: Sequence[str], network: bool) -> None:
    """Give up, for ever, what an agent does not need. What the system lacks is left out: see `missing`."""
    if sys.platform != "linux":
        return
    for step in (_count_processes, _drop_privileges, lambda: _landlock(scratch, hidden, network)):
        with suppress(OSError, AttributeError):
            step()
    with suppress(OSError, AttributeError):
        _filter_calls(network, signals=_landlock_version() >= 6)


def missing(network: bool, scratch: Path, separated: bool) -> list[str]:
    """Find out by trying which limits this system lacks."""
    if sys.platform != "linux":
        return ["network", "files", "signals", "the number of processes"]
    files = _succeeds(lambda: _landlock(scratch, (), network))
    filtered = _succeeds(lambda: _filter_calls(network, signals=True))
    lacking = {
        "network": not (network or separated or filtered),
        "files": not files,
        "signals": not (filtered or separated or _landlock_version() >= 6),
        "the number of processes": not _succeeds(_count_processes),
    }
    return [what for what, lacks in lacking.items() if lacks]


def _count_processes() -> None:
    """Limit the processes and threads. They are counted by user and user namespace, so each guest gets its own."""
    try:
        if os.geteuid():
            raise PermissionError
        os.setresuid(1 << 30 | int.from_bytes(os.urandom(3)), -1, -1)  # root itself would have no limit
    except OSError:
        _unshare(NEW_USER)
    resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))


def _drop_privileges() -> None:
    kept = KEPT_CAPABILITIES if os.geteuid() == 0 else 0
    header, data = struct.pack("Ii", CAPABILITIES_3, 0), struct.pack("6I", kept, kept, 0, 0, 0, 0)
    _called("syscall", ctypes.c_long(_number("capset")), header, data)
    prctl(NO_NEW_PRIVILEGES, 1)


# Landlock: which files and connections

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
BENEATH = 1
WRITE_FILE, READ_FILE = 1 << 1, 1 << 2
CHANGES = WRITE_FILE | sum(1 << right for right in range(4, 13))
MOVE, TRUNCATE, DEVICES = 1 << 13, 1 << 14, 1 << 15  # since versions 2, 3 and 5
OPEN_DEVICES = ("null", "zero", "full", "random", "urandom")


@cache
def _landlock_version() -> int:
    with suppress(AttributeError, OSError):
        return _called("syscall", ctypes.c_long(CREATE_RULESET), None, ctypes.c_size_t(0), 1)
    return 0


def _landlock(scratch: Path, hidden: Iterable[str], network: bool) -> None:
    """Let this process write in its scratch folder only, and read all but hidden files and devices."""
    version = _landlock_version()
    if not version:
        raise OSError(errno.ENOSYS, "no Landlock")
    since = {2: MOVE, 3: TRUNCATE, 5: DEVICES}
    files = READ_FILE | CHANGES | sum(right for first, right in since.items() if version >= first)
    connections, scopes = 0 if network or version < 4 else 3, 3 if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = struct.pack("QQQ", files, connections, scopes)[:size]
    ruleset = _called("syscall", ctypes.c_long(CREATE_RULESET), rules, ctypes.c_size_t(size), 0)
    try:
        _allow(ruleset, scratch, files)
        for device in OPEN_DEVICES:
            _allow(ruleset, Path("/dev", device), READ_FILE | WRITE_FILE)
        for place in _all_but(Path("/"), {Path("/dev"), *(Path(name).resolve() for name in hidden)}):
            _allow(ruleset, place, READ_FILE)
        prctl(NO_NEW_PRIVILEGES, 1)
        _called("syscall", ctypes.c_long(RESTRICT_SELF), ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, place: Path, rights: int) -> None:
    with suppress(FileNotFoundError, PermissionError, NotADirectoryError):
        beneath = os.open(place, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            rule = struct.pack("=Qi", rights, beneath)
            _called("syscall", ctypes.c_long(ADD_RULE), ruleset, BENEATH, rule, 0)
        finally:
            os.close(beneath)


def _all_but(folder: Path, hidden: set[Path]) -> Iterator[Path]:
    """Yield the largest parts of a folder that hold no hidden file."""
    around = {parent for file in hidden for parent in file.parents}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            place = folder / entry.name
            if place in around and not entry.is_symlink():
                yield from _all_but(place, hidden)
            elif place not in hidden and not entry.is_symlink():
                yield place


# The filter of system calls

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""By machine: its name for the kernel, and its column in CALLS."""
CALLS = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "ioprio_set": (251, 30), "migrate_pages": (256, 238), "move_pages": (279, 239),
    # connections that are no sockets
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "shmget": (29, 194),
    "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219),
    # what Landlock does not look at
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setxattrat": (463, 463), "removexattrat": (466, 466), "open_by_handle_at": (304, 265),
    # the system
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "sethostname": (170, 161),
    "setdomainname": (171, 162), "init_module": (175, 105), "delete_module": (176, 106), "finit_module": (313, 273),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "fanotify_init": (300, 262), "vhangup": (153, 58), "syslog": (103, 116), "iopl": (172, None),
    "ioperm": (173, None),
}  # fmt: skip
"""System calls that no agent needs, with their numbers on each machine."""
JUDGED = {
    "socket": (41, 198), "clone": (56, 220), "clone3": (435, 435), "prlimit64": (302, 261), "setpriority": (141, 140),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "ioctl": (16, 29), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "capset": (126, 91),
}  # fmt: skip
"""System calls that are refused for some arguments, or used here."""
INTERNET = (2, 10, 16)  # families of sockets: IPv4, IPv6, and the kernel's list of addresses
INPUT_ORDERS = (0x5412, 0x541C)  # ioctl: type into a terminal
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, UNKNOWN = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
NUMBER, MACHINE, FIRST = 0, 4, 16
"""Where the kernel shows the number of a call, the machine, and the first argument, which is eight bytes long."""


def _number(call: str) -> int:
    """The number of a system call on this machine."""
    return (CALLS | JUDGED)[call][ARCHITECTURES[platform.machine()][1]] or -1


def _filter_calls(network: bool, signals: bool) -> None:
    """Refuse system calls. With `signals`, Landlock judges these; else a guest can send them to itself only."""
    if platform.machine() not in ARCHITECTURES:
        raise OSError(errno.ENOSYS, platform.machine())
    own, steps = os.getpid(), [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, ARCHITECTURES[platform.machine()][0])]
    steps += [(RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, 1 << 30), (RETURN, 0, 0, REFUSE)]
    for call in CALLS:
        if (number := _number(call)) >= 0:
            steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    steps += [(EQUAL, 0, 1, _number("clone3")), (RETURN, 0, 0, UNKNOWN)]  # then `clone` is used, which can be judged
    steps += _unless("socket", 0, INTERNET if network else ())
    steps += _unless("setpriority", 0, (0,)) + _unless("setpriority", 1, (0,))
    for call in ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
        steps += _unless(call, 0, (0, own))
    for call in () if signals else ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
        steps += _unless(call, 0, (0, own))
    steps += [] if signals else _unless("tkill", 0, ())
    steps += _if_any("clone", 0, ANY_BIT, (NEW_ANYTHING,)) + _if_any("ioctl", 1, EQUAL, INPUT_ORDERS)
    steps += [(RETURN, 0, 0, ALLOW)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program)))
    prctl(NO_NEW_PRIVILEGES, 1)
    _called("prctl", SECCOMP_MODE, SECCOMP_FILTER, header, 0, 0)


Step = tuple[int, int, int, int]
"""An instruction of the filter: what to do, how many steps to skip if so and if not, and a number."""


def _unless(call: str, argument: int, allowed: Sequence[int]) -> list[Step]:
    """Refuse a call unless an argument has an allowed value."""
    values = [(EQUAL, len(allowed) - place, 0, value) for place, value in enumerate(allowed)]
    return _with_argument(call, argument, [*values, (RETURN, 0, 0, REFUSE)])


def _if_any(call: str, argument: int, test: int, refused: Sequence[int]) -> list[Step]:
    """Refuse a call if an argument passes a test."""
    tests = [step for value in refused for step in ((test, 0, 1, value), (RETURN, 0, 0, REFUSE))]
    return _with_argument(call, argument, tests)


def _with_argument(call: str, argument: int, steps: list[Step]) -> list[Step]:
    whole = [(LOAD, 0, 0, FIRST + 8 * argument), *steps, (LOAD, 0, 0, NUMBER)]
    return [(EQUAL, 0, len(whole), _number(call)), *whole]
