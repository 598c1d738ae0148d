"""Heuristics and agents from a user's own Python file.

A file is read once, together with the modules beside it that it imports, and this snapshot is what runs. An edit while
games are played does not reach them, and games can be played again with the code that they were played with.
"""

import inspect
import linecache
import sys
import sysconfig
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sparring.agents import dependencies
from sparring.agents.agent import DeclaredAgent, declared
from sparring.agents.dependencies import HASH, Sources, read_modules
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError, unknown
from sparring.core.terms import Heuristic
from sparring.games import registry

_snapshots: dict[Path, Sources] = {}
_loaded: dict[Path, tuple[Sources, set[Path]]] = {}
"""The modules of each file that was loaded, and the other files that it opened or declared."""
_heuristics: dict[tuple[Path, str, str], Heuristic] = {}
"""Heuristics from snapshots, which cannot change and need not be compiled again."""


def load(file: str, name: str, game: str) -> Heuristic | DeclaredAgent:
    """Return what a file declares for a game by `@heuristic` or `@agent`. The name is needed if there are several."""
    path = Path(file)
    if known := _heuristics.get((path, name, game)):
        return known
    items = _declared(path)
    found = {item.name: item for item in items if item.game == game}
    if not found:
        for item in items:
            if item.game not in registry.names():
                line = inspect.getsourcelines(item.function)[1]
                raise SparringError(f"{file}:{line}: {unknown('game', item.game, registry.names())}")
        told = f'put @heuristic("{game}") or @agent("{game}") above a function'
        others = f", only for {', '.join(sorted({item.game for item in items}))}" if items else ""
        raise SparringError(f"{file} declares nothing for {game}{others}; {told}")
    if name and name not in found:
        raise unknown(f"name in {file}", name, found)
    if not name and len(found) > 1:
        named = ", ".join(f"{file}:{one}" for one in found)
        raise SparringError(f"{file} declares {len(found)} things; say which: {named}")
    chosen = found[name] if name else next(iter(found.values()))
    if isinstance(chosen, Heuristic) and path in _snapshots:
        _heuristics[path, name, game] = chosen
    return chosen


@contextmanager
def from_snapshot(files: Mapping[str, Sources]) -> Iterator[None]:
    """Load modules from these snapshots instead of from disk."""
    before, known = dict(_snapshots), dict(_heuristics)
    for file, said in ((Path(name), said) for name, said in files.items() if said):
        if _snapshots.get(file) != said:
            _snapshots[file] = said
            for key in [key for key in _heuristics if key[0] == file]:
                del _heuristics[key]
    try:
        yield
    finally:
        _snapshots.clear()
        _snapshots.update(before)
        _heuristics.clear()
        _heuristics.update(known)


def sources(path: Path) -> Sources:
    """Return all that a file's agents are made of: modules as they were loaded, and hashes of other files."""
    modules, used = _loaded.get(path) or (read_modules(path), set())
    return {**dependencies.hashes(path.resolve().parent, modules, used), **modules}


def _declared(path: Path) -> list[Heuristic | DeclaredAgent]:
    snapshot = _snapshots.get(path) or read_modules(path)
    modules = {name: source for name, source in snapshot.items() if not HASH.fullmatch(source)}
    if path.name not in modules:
        raise SparringError(f"no file {path}; `spar new GAME {path.name}` writes one")
    source, file = modules[path.name], path.resolve()
    loader = _SnapshotLoader(f"sparring_user_{file.stem}", str(file), source)
    spec = spec_from_file_location(loader.name, file, loader=loader)
    assert spec
    try:
        with _imports_of(file.parent, modules), dependencies.recorded(file.parent) as used:
            _loaded[path] = modules, used
            module = sys.modules[loader.name] = module_from_spec(spec)
            loader.exec_module(module)
    except SyntaxError as error:
        raise SparringError(f"{file}{f':{error.lineno}' if error.lineno else ''}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
        where = f"{file}:{lines[-1]}" if lines else f"{file}"
        kind = "" if isinstance(error, SparringError) else f"{type(error).__name__}: "
        raise SparringError(f"{where}: {kind}{error}") from error
    found = [item if isinstance(item, Heuristic) else declared(item) for item in vars(module).values()]
    return [item for item in found if item and item.function.__module__ == loader.name]


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
