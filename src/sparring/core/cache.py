"""Keep compiled code on disk, keyed by exactly what it depends on: the source files in its import closure.

Numba's own cache looks only at the file of the function itself and would go on serving old rules when an imported file
changes. Here an edit of any file that the compiled code may have come from leads to another folder, and an edit of any
other file changes nothing. `depends_on` names the files a function starts from; `closure` follows their imports.
"""

import atexit
import dis
import hashlib
import inspect
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import caching

from sparring.core.files import user_cache

PACKAGE = Path(__file__).parents[1]
FOLDERS_KEPT = 400
"""Each holds the code of one closure. The folders that were not used for longest are removed first."""
IMPORT = r"(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))"
AT_THE_TOP, ANYWHERE = re.compile(rf"(?m)^{IMPORT}"), re.compile(rf"(?m)^[ \t]*{IMPORT}")
STARTED = time.time()
INSTALLED = {Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib")} | {
    Path(numba.__file__).parents[1]
}


def depends_on(thing: Any) -> frozenset[str]:
    """The source files of a function, compiled or plain, and of all that was bound to its names; of a constant its
    value."""
    plain = getattr(thing, "py_func", thing)
    if isinstance(plain, FunctionType):
        known: frozenset[str] | None = getattr(plain, "depends_on", None)
        return known if known is not None else frozenset({plain.__code__.co_filename})
    if defined := getattr(thing, "_defn", None):  # an intrinsic
        return depends_on(defined)
    if isinstance(thing, np.ndarray):
        return frozenset({f"={thing.dtype} {thing.shape} {hashlib.blake2b(thing.tobytes()).hexdigest()}"})
    return frozenset({f"={thing!r}"})


def stamp(function: FunctionType) -> str:
    """A hash of the import closure of a function, and of the switches that change generated code."""
    return _stamp(depends_on(function))


@cache
def _stamp(starts: frozenset[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for constant in sorted(start for start in starts if start.startswith("=")):
        digest.update(constant.encode() + b"\0")
    for file in sorted(closure({start for start in starts if not start.startswith("=")})):
        digest.update(code_in(file))
    digest.update(repr((numba.config.BOUNDSCHECK, numba.config.OPT)).encode())
    return digest.hexdigest()


def closure(files: set[str]) -> set[str]:
    """Those files and all that they import, directly or not. Libraries are not followed: only modules of the same
    packages, of this one and of plug-ins, and modules that are not installed at all, such as a user's own."""
    from sparring.core.plugins import roots  # which has no say in what is compiled

    packages = {_package_of(file).split(".")[0] for file in files} | {PACKAGE.name} | roots()
    found, to_read = set[str](), list(files)
    while to_read:
        file = to_read.pop()
        if file not in found:
            found.add(file)
            to_read += (other for package, other in _imported(file) if package in packages or not installed(other))
    return found


@cache
def content(file: str) -> bytes:
    """Hash of a file's bytes. Random if it was edited after this process began, which may still run the old code."""
    if Path(file).stat().st_mtime > STARTED:
        return os.urandom(16)
    return hashlib.blake2b(Path(file).read_bytes(), digest_size=16).digest()


@cache
def code_in(file: str) -> bytes:
    """Hash of the code in a file, without comments, docstrings and line numbers, so that rewording compiles nothing."""
    if Path(file).stat().st_mtime > STARTED:
        return os.urandom(16)
    return code_hash(compile(Path(file).read_bytes(), "", "exec", dont_inherit=True))


def code_hash(code: CodeType) -> bytes:
    """Hash of what a code object does: its instructions, names and constants, but not its docstring."""
    digest = hashlib.blake2b(digest_size=16)
    constants: list[Any] = list(code.co_consts)
    documented = 0 if code.co_flags & inspect.CO_OPTIMIZED else _index_of_docstring(code)
    if documented < len(constants) and isinstance(constants[documented], str):
        constants[documented] = None
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    signature = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    steps = [code.co_code[at : at + 2] for at in range(0, len(code.co_code), 2)]
    steps = [step for step in steps if step[0] != dis.opmap["NOP"]]  # what a string that documents a constant leaves
    digest.update(repr((names, signature)).encode() + b"".join(steps) + code.co_exceptiontable)
    for constant in constants:
        if isinstance(constant, CodeType):
            digest.update(code_hash(constant))
        else:  # a set is printed in another order in every process
            shown = sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
            digest.update(repr(shown).encode() + b"\0")
    return digest.digest()


def _index_of_docstring(code: CodeType) -> int:
    """The constant that a module or class stores in `__doc__`; past the end if it has none."""
    loaded = len(code.co_consts)
    for step in dis.get_instructions(code):
        if step.opname == "STORE_NAME" and step.argval == "__doc__":
            return loaded
        loaded = step.arg if step.opname == "LOAD_CONST" and step.arg is not None else loaded
    return len(code.co_consts)


@cache
def _imported(file: str) -> list[tuple[str, str]]:
    """The modules that a file imports and that are loaded: the package at the root of each, and its file. Our own files
    are taken by their word; of others everything is followed that may have had a say."""
    text, ours = Path(file).read_text(encoding="utf-8"), Path(file).is_relative_to(PACKAGE)
    names = _module_names(AT_THE_TOP.findall(text) if ours else ANYWHERE.findall(text), _package_of(file), ours)
    loaded = ((name.split(".")[0], getattr(sys.modules.get(name), "__file__", None)) for name in names)
    return [(package, module) for package, module in loaded if module and module.endswith(".py")]


def _module_names(imports: list[tuple[str, str, str]], package: str, ours: bool) -> Iterator[str]:
    for base, names, plain in imports:
        if plain:
            yield from (name.split()[0] for name in plain.split(",") if name.split())
            continue
        up = len(base) - len(base.lstrip("."))
        parents = package.split(".")
        module = ".".join(filter(None, [*(parents[: len(parents) - up + 1] if up else []), base[up:]]))
        within = [f"{module}.{name}" for name in re.findall(r"\w+", names)]
        yield from (name for name in within if name in sys.modules)
        if not ours or not within or not all(name in sys.modules for name in within):
            yield module


@cache
def _package_of(file: str) -> str:
    """The package that relative imports of a file start from."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == file:
            return name if hasattr(module, "__path__") else name.rpartition(".")[0]
    return ""


def installed(file: str) -> bool:
    """Whether a file belongs to a library or to Python itself."""
    return any(Path(file).is_relative_to(folder) for folder in INSTALLED)


class ClosureCache(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba to keep a function's code in the folder of its import closure."""

    def __init__(self, function: FunctionType, stamp: str, root: Path) -> None:
        self._stamp, self._folder = stamp, root / stamp
        self._code = code_hash(function.__code__).hex()[:8]
        self._file = Path(function.__code__.co_filename)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "ClosureCache":
        with suppress(OSError):
            made = stamp(py_func)
            locator = cls(py_func, made, _root())
            _tidy(_root(), made)
            locator.ensure_cache_path()
            return locator
        return cls(py_func, os.urandom(8).hex(), _private())  # a notebook's cell, or a read-only disk: nobody finds it

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{self._file.parent.name}-{self._code}"


@cache
def _root() -> Path:
    beside = PACKAGE / "__pycache__"
    if os.access(PACKAGE, os.W_OK):
        beside.mkdir(exist_ok=True)
    return (beside if os.access(beside, os.W_OK) else user_cache()) / "kernels"


@cache
def _private() -> Path:
    """A folder for this process alone."""
    folder = tempfile.mkdtemp(prefix="sparring-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def _tidy(root: Path, stamp: str) -> None:
    """Mark a folder as used. Before a new one is made, remove those that were not used for longest."""
    with suppress(FileNotFoundError):
        os.utime(root / stamp)
        return
    old = sorted(root.glob("*"), key=_last_used)
    for stale in old[: -FOLDERS_KEPT + 1]:
        shutil.rmtree(stale, ignore_errors=True)


def _last_used(folder: Path) -> float:
    with suppress(OSError):
        return folder.stat().st_mtime
    return 0.0


numba.config.CACHE_LOCATOR_CLASSES = ",".join(
    [f"{__name__}.{ClosureCache.__name__}", *(stock.__name__ for stock in caching.CacheImpl._locator_classes)]
)
