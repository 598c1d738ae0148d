"""Run a user's file from its snapshot. Only the process of a guest may do that: code at the top may do anything.

The process that referees asks a guest for what only running the file tells: the values of names, and the files that it
opens. The answers are plain JSON and bytes, which `Decoder` checks.
"""

import base64
import linecache
import math
import sys
import sysconfig
import traceback
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from sparring.agents import dependencies
from sparring.agents.agent import DeclaredAgent, declared
from sparring.agents.dependencies import Sources
from sparring.agents.extract import MAIN, MOST_BYTES, Want
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError
from sparring.core.terms import Heuristic, Weight

DTYPES = {np.dtype(kind).str for kind in "?bBhHiIlLqQfd"}
"""The kinds of numbers in a table that is taken from a guest."""
PIECE = 600_000
"""Bytes of a table in one message."""
MOST_DIMENSIONS, MOST_DEPTH, MOST_PARTS, LONGEST_TEXT = 8, 8, 10_000, 10_000


def run(path: Path, modules: Sources) -> tuple[ModuleType, set[Path]]:
    """Run a file. Return its module and the other files that it opened or declared."""
    file = path.resolve()
    loader = _SnapshotLoader(MAIN.format(file.stem), str(file), modules[path.name])
    spec = spec_from_file_location(loader.name, file, loader=loader)
    assert spec
    used = set[Path]()
    try:
        with _imports_of(file.parent, modules), dependencies.recorded(file.parent) as used:
            module = sys.modules[loader.name] = module_from_spec(spec)
            loader.exec_module(module)
    except SyntaxError as error:
        raise SparringError(f"{file}{f':{error.lineno}' if error.lineno else ''}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
        where = f"{file}:{lines[-1]}" if lines else f"{file}"
        kind = "" if isinstance(error, SparringError) else f"{type(error).__name__}: "
        raise SparringError(f"{where}: {kind}{error}") from error
    return module, used


def declared_in(module: ModuleType, name: str) -> Heuristic | DeclaredAgent:
    """Return what a file that was run declares under a name."""
    for item in vars(module).values():
        found = item if isinstance(item, Heuristic) else declared(item)
        if found and found.name == name and found.function.__module__ == module.__name__:
            return found
    raise SparringError(f"{module.__file__}: {name} is not declared any more once the file was run")


def agents_in(module: ModuleType) -> dict[str, str]:
    """Return the games of the agents that a file declares, by their names."""
    found = [one for item in vars(module).values() if isinstance(one := declared(item), DeclaredAgent)]
    return {one.name: one.game for one in found if one.function.__module__ == module.__name__}


# Values for another process


def values_of(main: ModuleType, wants: Sequence[Want], weighed: str) -> tuple[dict[Want, Any], Mapping[str, Any]]:
    """Return the values of names in modules that were run, and the weights of a heuristic."""
    missing = object()
    found = {
        (module, name): getattr(main if module == main.__name__ else sys.modules.get(module), name, missing)
        for module, name in wants
    }
    heuristic = declared_in(main, weighed) if weighed else None
    weights = heuristic.weights if isinstance(heuristic, Heuristic) else {}
    return {want: value for want, value in found.items() if value is not missing}, weights


class Encoder:
    """Values as JSON. The numbers of tables are asked for by pieces."""

    def __init__(self) -> None:
        self.tables: list[bytes] = []

    def encoded(self, value: Any) -> dict[str, Any]:
        if value is None or (isinstance(value, bool | int | str) and type(value) in (bool, int, str, type(None))):
            return {"is": value}
        if type(value) is float:
            return {"float": value.hex()}
        if isinstance(value, np.ndarray | np.generic) and value.dtype.str in DTYPES:
            self.tables.append(np.ascontiguousarray(value).tobytes())
            return {"numbers": value.dtype.str, "shape": [*value.shape], "table": len(self.tables) - 1}
        if isinstance(value, tuple):
            fields = [*value._fields] if hasattr(value, "_fields") else []
            return {"tuple": [self.encoded(one) for one in value], "name": type(value).__name__, "fields": fields}
        return {"other": type(value).__name__, "callable": callable(value) and not isinstance(value, type)}

    def piece(self, table: int, start: int) -> str:
        return base64.b64encode(self.tables[table][start : start + PIECE]).decode()


class Decoder:
    """Values from a guest, which may send anything."""

    def __init__(self, tables: "Tables") -> None:
        self._tables, self._parts, self._bytes = tables, 0, 0

    def decoded(self, told: Any, where: str, depth: int = 0) -> Any:
        self._parts += 1
        if not isinstance(told, dict) or depth > MOST_DEPTH or self._parts > MOST_PARTS:
            raise ValueError(f"{where} has no value that can be taken")
        match told:
            case {"is": None | bool() | int() | str() as value}:
                return value[:LONGEST_TEXT] if isinstance(value, str) else value
            case {"float": str(text)}:
                return float.fromhex(text)
            case {"numbers": str(kind), "shape": list(shape), "table": int(table)} if kind in DTYPES:
                return self._array(kind, shape, table, where)
            case {"tuple": list(items), "name": str(name), "fields": list(fields)}:
                values = [self.decoded(one, where, depth + 1) for one in items]
                return namedtuple(name, fields)(*values) if fields else tuple(values)
            case {"other": str(kind), "callable": bool(callable_)} if kind.isidentifier():
                if callable_:
                    raise SparringError(f"{where}: to bound its loops, write this function at the top of a file")
                return type(kind, (), {})()
        raise ValueError(f"{where} has no value that can be taken")

    def _array(self, kind: str, shape: list[Any], table: int, where: str) -> Any:
        if len(shape) > MOST_DIMENSIONS or not all(type(one) is int and one >= 0 for one in shape):
            raise ValueError(f"{where} has no shape that can be taken")
        size = math.prod(shape) * np.dtype(kind).itemsize
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise SparringError(f"{where} makes the tables larger than {MOST_BYTES >> 20} MiB; use smaller ones")
        data = bytearray()
        while len(data) < size:
            part = base64.b64decode(self._tables(table, len(data)), validate=True)
            if not part or len(data) + len(part) > size:
                raise ValueError(f"{where} has another length than its shape")
            data += part
        array = np.frombuffer(bytes(data), kind).reshape(shape)  # bytes cannot be written, so neither can the array
        return array if shape else array[()]


class Tables:
    """Asks the guest for a piece of a table."""

    def __init__(self, ask: Any) -> None:
        self._ask = ask

    def __call__(self, table: int, start: int) -> str:
        piece = self._ask({"piece": [table, start]}).get("piece")
        if not isinstance(piece, str):
            raise TypeError("a piece of a table that is no text")
        return piece


def weights_told(weights: Mapping[str, Weight]) -> dict[str, Any]:
    return {name: asdict(weight) for name, weight in weights.items()}


def weights_from(told: Any) -> dict[str, Weight]:
    """Weights from a guest."""
    found = {}
    for name, one in dict(told).items():
        ends = [one["default"], one["low"], one["high"]]
        if not all(end is None or isinstance(end, int | float) for end in ends) or ends[0] is None:
            raise TypeError(f"{name} has a weight that is no number")
        found[str(name)] = Weight(*ends)
    return found


# Imports from a snapshot


class _SnapshotLoader(SourceFileLoader):
    """Runs the text of a snapshot. It keeps no byte code, which could be older than an edit just made."""

    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self._source = source

    def get_data(self, path: str) -> bytes:
        return self._source if path == self.path else super().get_data(path)

    def path_stats(self, path: str) -> Any:
        raise OSError(path)

    def get_code(self, fullname: str) -> CodeType | None:
        code = super().get_code(fullname)
        lines = decode_source(self._source).splitlines(keepends=True)  # for tracebacks, and for the compiler
        linecache.cache[self.path] = len(self._source), None, lines, self.path
        return code


class _SnapshotFinder(MetaPathFinder):
    """Finds the modules of a folder: those of the snapshot there, others, such as compiled ones, on the disk."""

    def __init__(self, home: Path, modules: Sources) -> None:
        self.home, self.loading = home, True
        self.from_disk = set[str]()
        self._texts = {home / name: source for name, source in modules.items()}

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is not None and not any(Path(folder).is_relative_to(self.home) for folder in path):
            return None
        found = self._found(name)
        own = found is not None and found.loader is not None
        if path is None and not (self.loading and own) and PathFinder.find_spec(name):
            return None  # an installed module
        return found

    def _found(self, name: str) -> ModuleSpec | None:
        place = self.home.joinpath(*name.split("."))
        for file, folders in ((place / "__init__.py", [str(place)]), (place.parent / f"{place.name}.py", None)):
            if file in self._texts:
                loader = _SnapshotLoader(name, str(file), self._texts[file])
                return spec_from_file_location(name, file, loader=loader, submodule_search_locations=folders)
        if any(place in file.parents for file in self._texts):
            package = ModuleSpec(name, None, is_package=True)
            package.submodule_search_locations = [str(place)]
            return package
        found = PathFinder.find_spec(name, [str(place.parent)])
        if found and found.origin:
            self.from_disk.add(name)
            dependencies.use(Path(found.origin), self.home)
        return found


@contextmanager
def _imports_of(home: Path, modules: Sources) -> Iterator[None]:
    """Import from a folder before all others, without its modules of before; later still, but after installed ones."""
    for old in [one for one in sys.meta_path if isinstance(one, _SnapshotFinder) and one.home == home]:
        sys.meta_path.remove(old)
        for name in old.from_disk:
            sys.modules.pop(name, None)
    names = {Path(name).parts[0].removesuffix(".py") for name in modules}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in names and not _installed(module):
            del sys.modules[name]  # it may have been edited, or stand beside another file
    finder = _SnapshotFinder(home, modules)
    place = next(n for n, one in enumerate(sys.meta_path) if one is PathFinder or isinstance(one, _SnapshotFinder))
    sys.meta_path.insert(place, finder)
    try:
        yield
    finally:
        finder.loading = False


def _installed(module: ModuleType) -> bool:
    """True for a module of Python, of a library or of Sparring."""
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if not file or {"site-packages", "dist-packages"} & {*Path(file).parts}:
        return True
    return any(Path(file).is_relative_to(place) for place in (PACKAGE, sysconfig.get_path("stdlib")))
