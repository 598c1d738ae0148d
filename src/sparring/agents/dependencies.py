"""The files that a user's code depends on. Their content may change a result, so they are part of an experiment's id.

Modules are found by following imports, without running the code. Any other file belongs to it if the code opens the
file while it is loaded, if `@agent(..., files=[...])` declares the file, or if the file's name stands in the code as a
text. In a game the code may read no other file: `guard` refuses it and names the remedy.
"""

import ast
import builtins
import glob
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, wraps
from pathlib import Path
from types import FrameType
from typing import Any

from sparring.core.cache import PACKAGE, installed
from sparring.core.errors import SparringError

Sources = Mapping[str, bytes]
"""The text of each module and a hash of each other file, by its path from the folder of the user's main file."""
HASH = re.compile(rb"[0-9a-f]{32}")
"""What stands in `Sources` for a file that is not code."""

# Files that code opens, and programs that it starts

OPENERS: tuple[tuple[Any, str], ...] = ((builtins, "open"), (io, "open"), (os, "open"), (subprocess.Popen, "__init__"))
SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/bin/", "/lib", "/sbin/", "/run/", "/System/", "/Library/")
"""Where files of the operating system are. They are not hashed."""

_watchers: dict[Path, Callable[[Path], Any]] = {}
"""By folder: the function that is called with every file which code of that folder reads."""
_written: set[Path] = set()
"""Files that this process opened for writing. Code may read again what it wrote."""


@contextmanager
def recorded(home: Path) -> Iterator[set[Path]]:
    """Collect the files that the code of a folder reads."""
    files, before = set[Path](), dict(_watchers)
    _watch()
    _watchers[home] = files.add
    try:
        yield files
    finally:
        _watchers.clear()
        _watchers.update(before)


def guard(home: Path, sources: Sources, scratch: Path | None) -> None:
    """Refuse, from now on, to let the code of a folder read files that are not among its sources, nor its scratch."""
    known = {located(name, home) for name in sources}

    def refuse(file: Path) -> None:
        if file not in known and not (scratch and file.is_relative_to(scratch)):
            name = _name(file, home)
            told = f"{name} is not part of the experiment, so a game cannot use it; declare it"
            raise PermissionError(f'{told}: @agent("GAME", files=["{name}"])')

    _watchers[home] = refuse


@cache
def _watch() -> None:
    """Watch by an audit hook of Python, which sees every file. Python never removes a hook."""
    if not hasattr(builtins.open, "watched"):
        sys.addaudithook(_audit)


@cache
def watch_openers() -> None:
    """Watch by wrapping the usual functions: a hook would be called far more often and slow agents down."""
    for owner, name in OPENERS:
        setattr(owner, name, _watched(getattr(owner, name), name))


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in ("open", "subprocess.Popen") and _watchers and (home := _asking(sys._getframe(1))):
        if event == "open":
            _opened(args[:1], bool(args[2] & (os.O_WRONLY | os.O_RDWR)), home)
        else:
            _started(args[1], args[0], home)


def _watched(function: Any, name: str) -> Any:
    @wraps(function)
    def opener(*args: Any, **kwargs: Any) -> Any:
        if home := _asking(sys._getframe(1)):
            if name == "open":
                mode = kwargs.get("mode", kwargs.get("flags", (*args, "r", "r")[1]))
                writes = set("wax+") & set(mode) if isinstance(mode, str) else mode & (os.O_WRONLY | os.O_RDWR)
                _opened(args[:1] or list(kwargs.values())[:1], bool(writes), home)
            else:
                _started(args[1] if len(args) > 1 else kwargs["args"], kwargs.get("executable"), home)
        return function(*args, **kwargs)

    opener.watched = True  # type: ignore[attr-defined]
    return opener


def _started(command: Any, executable: Any, home: Path) -> None:
    words = [*command] if isinstance(command, list | tuple) else [command]
    _opened([*words, executable, shutil.which(os.fsdecode(words[0]))], False, home)


def _opened(words: Iterable[Any], writes: bool, home: Path) -> None:
    for file in filter(None, map(_users_file, words)):
        if writes:
            _written.add(file)
        elif file.is_file() and file not in _written:
            use(file, home)


def use(file: Path, home: Path) -> None:
    """Note that the code of a folder uses a file."""
    if home in _watchers:
        _watchers[home](file)


def declare(patterns: Iterable[str], home: Path) -> None:
    """Use the files that `@agent` declares, each by its path from the folder; `*` and the names of folders work too."""
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        names = glob.glob(pattern, root_dir=home, recursive=True)  # noqa: PTH207 - a pattern may be a full path
        places = [(home / name).resolve() for name in names]
        files = [file for place in places for file in (place.rglob("*") if place.is_dir() else [place])]
        if not files:
            raise SparringError(f"{pattern!r} of files=[...] is not in {home}; correct it")
        for file in filter(Path.is_file, files):
            use(file, home)


def _asking(frame: FrameType | None) -> Path | None:
    """Return the watched folder of the code that opens a file, itself or through a library; None for other code.
    Imports do not count: they read a file only once, or its byte code instead."""
    if frame and frame.f_code.co_filename.startswith("<frozen importlib"):
        return None
    while frame and _of_library(frame.f_code.co_filename):
        frame = frame.f_back
    file = Path(frame.f_code.co_filename) if frame else Path("/")
    return next((home for home in _watchers if file.is_relative_to(home)), None)


@cache
def _of_library(file: str) -> bool:
    return file.startswith("<") or installed(file) or Path(file).is_relative_to(PACKAGE)


def _users_file(word: Any) -> Path | None:
    """Return the file that a call names, unless it belongs to Python, to a library or to the operating system."""
    with suppress(OSError, ValueError, TypeError):
        file = Path(os.fsdecode(word)).resolve()
        of_python = any(file.is_relative_to(place) for place in (sys.prefix, sys.base_prefix))
        if not (of_python or f"{file}".startswith(SYSTEM) or "__pycache__" in file.parts or _of_library(f"{file}")):
            return file
    return None


# Files that code names

STARTS_PROGRAMS = re.compile(rb"\b(subprocess|os|asyncio|pty)\b")
"""Modules that can start a program."""
STARTERS = ("run", "Popen", "call", "check_call", "check_output", "system", "popen", "create_subprocess_exec")
LONGEST_COMMAND = 1000


def read_modules(path: Path) -> dict[str, bytes]:
    """Read a file and the modules of its folder that it imports, without running them."""
    main = path.resolve()
    found = {path.name: main.read_bytes()} if main.is_file() else {}
    waiting = [*_imports(main, main.parent, found[path.name])] if found else []
    while waiting:
        file = waiting.pop()
        name = file.relative_to(main.parent).as_posix()
        if name not in found and file.is_file() and not name.startswith(f"{PACKAGE.name}/"):
            found[name] = file.read_bytes()
            waiting += _imports(file, main.parent, found[name])
    return dict(sorted(found.items()))


def _imports(file: Path, home: Path, source: bytes) -> Iterator[Path]:
    """Yield where the modules that a file imports would be, if they are the user's own."""
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _places(home, alias.name)
        elif isinstance(node, ast.ImportFrom):
            start = file.parents[node.level - 1] if 0 < node.level <= len(file.parents) else home
            for alias in node.names if start.is_relative_to(home) else ():
                yield from _places(start, ".".join(filter(None, (node.module, alias.name))))


def _nodes(source: bytes) -> list[ast.AST]:
    """Return all nodes of a program; none if it has a syntax error, which will be reported when it runs."""
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _places(start: Path, module: str) -> Iterator[Path]:
    """Yield the places of a module and of the packages around it; `*` may be any module of a package."""
    place = start
    for part in module.split("."):
        if part == "*":
            yield from place.glob("*.py")
        yield from (place / f"{part}.py", place / part / "__init__.py")
        place /= part


def hashes(home: Path, modules: Sources, used: Iterable[Path]) -> dict[str, bytes]:
    """Hash the files that some modules use, those that they name, and those that scripts among these name."""
    found, own = dict[str, bytes](), {home / name for name in modules}
    waiting = [(_name(file, home), file) for file in used]
    waiting += [named for text in modules.values() for named in _named_files(text, home)]
    while waiting:
        name, file = waiting.pop()
        if name in found or file in own:
            continue
        with suppress(OSError):
            found[name] = file_hash(file)
            for script, text in (read_modules(file) if file.suffix == ".py" else {}).items():
                place = file.parent / script
                waiting += [(_name(place, home), place), *_named_files(text, home)]
    return found


def _named_files(source: bytes, home: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files whose names stand in a program as texts, and the programs that it starts: the first text of a
    list, or of a call such as subprocess.run. Docstrings, and names of files that the code writes, do not count."""
    nodes = _nodes(source)
    passed_over = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    passed_over |= {id(part) for call in nodes if _writes(call) for part in ast.walk(call)}
    texts = {id(node): node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    for key, text in texts.items():
        words = text.split() if len(text) <= LONGEST_COMMAND else []
        for word in dict.fromkeys([text, *words] if key not in passed_over else []):
            if file := _beside(word, home):
                yield _name(file, home), file
    if not STARTS_PROGRAMS.search(source):
        return
    firsts = [node.elts[:1] for node in nodes if isinstance(node, ast.List | ast.Tuple)]
    firsts += [node.args[:1] for node in nodes if isinstance(node, ast.Call) and _called(node) in STARTERS]
    for word in {texts.get(id(node), "").partition(" ")[0] for first in firsts for node in first}:
        if word.isprintable() and "/" not in word and (program := shutil.which(word)):
            yield word, Path(program)


def _called(call: ast.Call) -> str:
    """Return the last part of the name of the function that is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _writes(node: ast.AST) -> bool:
    """True for a call that writes a file: `open(name, "w")`, `path.write_text(...)`."""
    if not isinstance(node, ast.Call):
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    opened = _called(node) == "open" and any(re.fullmatch(r"[rwaxbt+]*[wax+][rwaxbt+]*", mode) for mode in modes)
    return opened or _called(node) in ("write_text", "write_bytes")


def _name(file: Path, home: Path) -> str:
    """Return the path of a file from the folder of the code, so that a copy elsewhere is the same agent."""
    return Path(os.path.relpath(file, home)).as_posix()


def _beside(text: str, home: Path) -> Path | None:
    """Return the file that a text leads to, from the folder of the code or from the working directory."""
    for folder in (home, Path.cwd()):
        with suppress(OSError, ValueError):  # the text cannot be the name of a file
            if (file := folder / text).is_file():
                return file.resolve()
    return None


def located(name: str, home: Path) -> Path:
    """Return the file that has a name among the sources: a program may be on the search path."""
    return _beside(name, home) or Path(shutil.which(name) or home / name)


def file_hash(file: Path) -> bytes:
    told = file.stat()
    return _hash(file, told.st_mtime_ns, told.st_size)


@cache
def _hash(file: Path, *changed: int) -> bytes:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "blake2b").hexdigest()[:32].encode()
