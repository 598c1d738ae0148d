"""Keep compiled code on disk, keyed by exactly what it depends on: the source files in its import closure.

Numba's own cache looks only at the file of the function itself, so it would serve old rules after an edit of an
imported file. Here an edit of a file that the compiled code may come from leads to another folder, and an edit of any
other file changes nothing. `depends_on` names the files that a function starts from; `closure` follows their imports.
"""

import atexit
import dis
import hashlib
import os
import pickle
import re
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum, EnumType
from functools import cache
from itertools import accumulate
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, NoneType
from typing import Any

import numba
import numpy as np
from numba.core import caching

from sparring.core.errors import SparringError
from sparring.core.files import sealed, unsealed, user_cache

PACKAGE = Path(__file__).parents[1]
PRIVATE = "sparring-kernels-"
"""What the name of a folder for one process begins with."""
FOLDERS_KEPT = 400
"""Each folder holds the code of one closure. The least recently used ones are removed first."""
IMPORT = r"(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))"
AT_THE_TOP, ANYWHERE = re.compile(rf"(?m)^{IMPORT}"), re.compile(rf"(?m)^[ \t]*{IMPORT}")
NOP, LOAD_CONST = dis.opmap["NOP"], dis.opmap["LOAD_CONST"]
ADDRESS = re.compile(r" at 0x[0-9a-f]+>")
KNOWN = {bool, int, float, complex, str, bytes, range, NoneType, BuiltinFunctionType}
"""The types whose values their texts tell apart."""
STARTED = time.time()
INSTALLED = {Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib")} | {
    Path(numba.__file__).parents[1]
}


def depends_on(thing: Any) -> frozenset[str]:
    """The source files of a function, compiled or plain, and of everything bound to its names; for a constant its
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


def depends_on_values(function: FunctionType) -> frozenset[str]:
    """The same for a user's function, by its code and not by its file, which may have been edited since: the code of
    all the user's functions that it may call, what each name in it means, and the files of everything else."""
    found, seen, waiting = set[str](), set[int](), [function]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        meant = [_identity(one)]
        for name, value in _meanings(one):
            plain = getattr(value, "py_func", value)
            if not isinstance(plain, FunctionType):
                if defined := getattr(value, "_defn", None):  # an intrinsic
                    found |= depends_on(defined)
                meant.append(f"{name}: {_told(value)}")
                continue
            meant.append(f"{name}: {_identity(plain)} {getattr(value, 'targetoptions', '')}")
            if is_users(plain.__code__.co_filename):
                waiting.append(plain)
            elif is_followed(plain.__module__):
                found |= depends_on(value)
        found.add(f"={meant}")
    return frozenset(found)


def _identity(function: FunctionType) -> str:
    defaults = _told((function.__defaults__, *sorted((function.__kwdefaults__ or {}).items())))
    return f"{function.__module__}.{function.__qualname__} {code_hash(function.__code__).hex()} {defaults}"


def _told(value: Any) -> str:
    """A text that tells a value from all others. An object that may hold anything is told by its address."""
    kind = type(value)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return f"{kind} {value.dtype} {value.shape} {hashlib.blake2b(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"{kind} {getattr(value, '_fields', '')} ({', '.join(map(_told, value))})"
    if isinstance(value, Enum):
        return f"{value!r} of {_told(kind)}"
    if isinstance(value, EnumType):
        members: Mapping[str, Any] = value.__members__
        return f"{value!r} {[(name, _told(one.value)) for name, one in members.items()]}"
    if isinstance(value, type):
        if issubclass(value, tuple) and hasattr(value, "_fields"):
            return f"{value!r} {value._fields}"
        if not is_users(getattr(sys.modules.get(value.__module__), "__file__", None)) and kind is type:
            return repr(value)
    if kind in KNOWN or isinstance(value, np.dtype | np.ufunc | numba.types.Type) or hasattr(value, "_defn"):
        return repr(value)
    return f"<{kind} at {id(value):#x}>"


def _meanings(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The names in a function that are defined outside it, and their values; also those in modules, if these are not a
    library's."""
    names = {name for one in codes(function.__code__) for name in one.co_names}
    yield from _named(names, function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield from _named({name, *names}, {name: cell.cell_contents}, "around: ")


def _named(
    names: set[str], scope: Mapping[str, Any], where: str = "", around: tuple[ModuleType, ...] = ()
) -> Iterator[tuple[str, Any]]:
    for name in sorted(names & scope.keys()):
        value = scope[name]
        if not isinstance(value, ModuleType):
            yield where + name, value
        elif value not in around and (is_followed(value.__name__) or any(map(is_users, places(value)))):
            yield from _named(names, vars(value), f"{where}{name}.", (*around, value))


def places(module: ModuleType) -> list[str]:
    """The file of a module, or the folders of a package that has no file."""
    file: str | None = getattr(module, "__file__", None)
    return [file] if file else [*getattr(module, "__path__", ())]


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def is_followed(module: str) -> bool:
    """True for a module of this package or of a plug-in."""
    from sparring.core.plugins import roots

    return module.split(".")[0] in {PACKAGE.name} | roots()


def is_users(file: str | None) -> bool:
    """True for a user's own file, which belongs to no package that is installed."""
    return file is not None and not Path(file).is_relative_to(PACKAGE) and not installed(file)


def stamp(function: FunctionType) -> str:
    """A hash of the import closure of a function, and of the switches that change generated code. Raises OSError for a
    function that depends on an object which no other process has."""
    return _stamp(depends_on(function))


@cache
def _stamp(starts: frozenset[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for constant in sorted(start for start in starts if start.startswith("=")):
        if ADDRESS.search(constant):
            raise OSError(constant)
        digest.update(constant.encode() + b"\0")
    for file in sorted(closure({start for start in starts if not start.startswith("=")})):
        digest.update(code_in(file))
    digest.update(repr((numba.config.BOUNDSCHECK, numba.config.OPT)).encode())
    return digest.hexdigest()


def closure(files: set[str]) -> set[str]:
    """These files and all files that they import, directly or not. Libraries are not followed: only modules of the same
    packages, of this package and of plug-ins, and modules that are not installed at all, such as a user's own."""
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
    """Hash of a file's bytes. It is random if the file was edited after this process began, which may still run the old
    code."""
    return os.urandom(16) if _edited(file) else hashlib.blake2b(Path(file).read_bytes(), digest_size=16).digest()


@cache
def code_in(file: str) -> bytes:
    """Hash of the code in a file, without comments, docstrings and line numbers, so that rewording compiles nothing."""
    text = Path(file).read_bytes()
    if _edited(file) or b"assert" in text or b"__debug__" in text:  # Python drops these together with docstrings
        return content(file)
    return code_hash(compile(text, "", "exec", dont_inherit=True, optimize=2))


def _edited(file: str) -> bool:
    changed = Path(file).stat().st_mtime
    if changed > time.time():
        _warn_once("files are dated in the future, so every run compiles; set the clock, or their dates by `touch`")
    return changed > STARTED


def code_hash(code: CodeType) -> bytes:
    """Hash of what a code object does: its instructions, names and constants."""
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    signature = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    units = [code.co_code[at : at + 2] for at in range(0, len(code.co_code), 2)]
    steps = [unit for unit in units if unit[0] != NOP]  # what a string that documents a constant leaves
    digest = hashlib.blake2b(repr((names, signature)).encode() + b"".join(steps), digest_size=16)
    if code.co_exceptiontable:
        before = list(accumulate((unit[0] != NOP for unit in units), initial=0))
        for entry in dis.Bytecode(code).exception_entries:  # type: ignore[attr-defined]
            places = [before[place // 2] for place in (entry.start, entry.end, entry.target)]
            digest.update(repr((places, entry.depth, entry.lasti)).encode())
    constants = list(code.co_consts)
    if "__firstlineno__" in code.co_names and code.co_firstlineno in constants:  # which Python 3.13 notes in a class
        place = constants.index(code.co_firstlineno)
        if steps.count(bytes((LOAD_CONST, place))) == 1:  # no number of the class itself
            del constants[place]
    for constant in constants:
        if isinstance(constant, CodeType):
            digest.update(code_hash(constant))
        else:  # a set is printed in another order in every process
            shown = sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
            digest.update(repr(shown).encode() + b"\0")
    return digest.digest()


@cache
def _imported(file: str) -> list[tuple[str, str]]:
    """The loaded modules that a file imports: the package at the root of each, and its file. In our own files only
    imports at the top count; in other files all imports count that may matter."""
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
    """The package from which relative imports of a file start."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == file:
            return name if hasattr(module, "__path__") else name.rpartition(".")[0]
    return ""


def installed(file: str) -> bool:
    """True if a file belongs to a library or to Python itself."""
    return any(Path(file).is_relative_to(folder) for folder in INSTALLED)


class CompiledFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files of compiled code: one for each signature of a function, with a checksum. A damaged one is removed,
    and its function is compiled again: damaged machine code would crash the process."""

    def _sealed_name(self, key: Any) -> str:
        told = repr((key, self._source_stamp, self._version)).encode()
        return f"{self._data_name(1)}.{hashlib.blake2b(told, digest_size=8).hexdigest()}"

    def save(self, key: Any, data: Any) -> None:
        name = self._sealed_name(key)
        with suppress(OSError), self._open_for_write(self._data_path(name)) as file:  # if the disk is full, say
            file.write(sealed(self._dump((key, data)), name))

    def load(self, key: Any) -> Any:
        name = self._sealed_name(key)
        file = Path(self._data_path(name))
        try:
            known, data = pickle.loads(unsealed(file.read_bytes(), name))
        except OSError:
            return None
        except ValueError:
            with suppress(OSError):
                file.unlink()
            _warn_once(f"compiled code in {_root()} was damaged; it is compiled again")
            return None
        return data if known == key else None


@cache
def _warn_once(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class ClosureCache(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba to keep a function's code in the folder of its import closure."""

    def __init__(self, function: FunctionType, stamp: str, root: Path) -> None:
        self._stamp, self._folder = stamp, root / stamp
        code = function.__code__
        undocumented = tuple(constant for constant in code.co_consts if constant is not function.__doc__)
        self._code = code_hash(code.replace(co_consts=undocumented)).hex()[:8]
        self._file = Path(function.__code__.co_filename)
        self._py_file = str(self._file)  # Numba names it in a warning

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "ClosureCache":
        with suppress(OSError):
            made = stamp(py_func)
            locator = cls(py_func, made, _root())
            _tidy(_root(), made)
            locator.ensure_cache_path()
            return locator
        return cls(py_func, os.urandom(8).hex(), _private())  # nobody else finds it

    def get_cache_path(self) -> str:
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        if not self._folder.is_dir():  # else Numba asks again before it saves
            super().ensure_cache_path()

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{self._file.parent.name}-{self._code}"


@cache
def _root() -> Path:
    """The folder of all closures: in the package or in the user's cache; if neither can be written, of this process."""
    if _known_before:
        return _private()
    for folder in _lasting():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return _private()


_known_before: list[Path] = []
"""Where a process with a folder of its own finds code that others compiled."""


def keep_apart(known: Path) -> None:
    """Keep new code in a folder of this process from now on, because it may not write the lasting ones. Code is still
    found there, and in another folder."""
    _known_before[:] = [_root(), known]
    for remembered in (_root, _private, _tidy):
        remembered.cache_clear()


def keep_what_a_guest_compiled(scratch: Path, known: Path) -> None:
    """Keep new code of a process that has ended, for others with the same agent. Nothing else ever runs it."""
    for root in scratch.glob(f"{PRIVATE}*"):
        for folder in root.iterdir() if not root.is_symlink() else ():
            if not (known / folder.name).exists():
                _tidy(known.parent, known.name)
                copy_plain_files(folder, known / folder.name)


def copy_plain_files(folder: Path, target: Path) -> None:
    """Copy the files of a folder that are no links, if there are any. The copy is there whole or not at all."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    with suppress(OSError):
        files = [file for file in folder.iterdir() if file.is_file() and not file.is_symlink()]
        if files and not folder.is_symlink():
            part.mkdir(parents=True)
            for file in files:
                shutil.copyfile(file, part / file.name)
            part.rename(target)
    shutil.rmtree(part, ignore_errors=True)


def _lasting() -> list[Path]:
    return [PACKAGE / "__pycache__" / "kernels", user_cache() / "kernels"]


def when_compiled() -> str:
    """Say which runs compile: the first one, or all if nothing can be kept."""
    if _root() in _lasting():
        return "first run only"
    return f"in every run, because {_lasting()[-1]} cannot be written; set HOME to a folder that can"


@cache
def _private() -> Path:
    """A folder for this process alone."""
    try:
        folder = tempfile.mkdtemp(prefix=PRIVATE)
    except OSError as error:
        told = "there is no folder for compiled code: set TMPDIR to one that can be written"
        raise SparringError(told) from error
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def _tidy(root: Path, stamp: str) -> None:
    """Mark a folder as used. Before a new one is made, remove the least recently used ones."""
    with suppress(FileNotFoundError):
        os.utime(root / stamp)
        return
    for known in _known_before:
        copy_plain_files(known / stamp, root / stamp)
    old = sorted(root.glob("*"), key=_last_used)
    for stale in old[: -FOLDERS_KEPT + 1]:
        shutil.rmtree(stale, ignore_errors=True)


def _last_used(folder: Path) -> float:
    with suppress(OSError):
        return folder.stat().st_mtime
    return 0.0


caching.IndexDataCacheFile = CompiledFiles
numba.config.CACHE_LOCATOR_CLASSES = ",".join(
    [f"{__name__}.{ClosureCache.__name__}", *(stock.__name__ for stock in caching.CacheImpl._locator_classes)]
)
