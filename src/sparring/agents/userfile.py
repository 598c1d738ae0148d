"""Heuristics and agents from a user's own Python file.

A file is read once, with the modules beside it that it imports, and what was read is what runs: an edit while games
are played does not reach them, and games can be played again by the code of then.
"""

import ast
import hashlib
import linecache
import re
import shutil
import sys
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sparring.agents.agent import AgentFunction
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError, unknown
from sparring.core.terms import Heuristic

Sources = Mapping[str, bytes]
"""What a file and the modules beside it say, by their paths from its folder, such as mine.py and lib/moves.py."""

STARTS_PROGRAMS = re.compile(rb"\b(subprocess|os|asyncio|pty)\b")
"""Modules by which a program starts another."""
STARTERS = ("run", "Popen", "call", "check_call", "check_output", "system", "popen", "create_subprocess_exec")
LONGEST_COMMAND = 1000
HASH = re.compile(rb"[0-9a-f]{32}")
"""Stands in sources for a file that is not code."""

_kept: dict[Path, Sources] = {}
_loaded: dict[Path, Sources] = {}
_heuristics: dict[tuple[Path, str, str], Heuristic] = {}
"""Of kept files, which cannot change: a heuristic is a function of the state and need not be compiled again."""


def load(file: str, name: str, game: str) -> Heuristic | AgentFunction:
    """What a file declares under `@heuristic` or `@agent`; the name may be left out if there is only one."""
    key = Path(file), name, game
    if key in _heuristics:
        return _heuristics[key]
    found = {item.name: item for item in _declared(Path(file)) if item.game == game}
    if not found:
        raise SparringError(
            f'{file} declares nothing for {game}; put @heuristic("{game}") or @agent("{game}") above a function'
        )
    if name and name not in found:
        raise unknown(f"name in {file}", name, found)
    if not name and len(found) > 1:
        raise SparringError(
            f"{file} declares {len(found)} things; say which: " + ", ".join(f"{file}:{n}" for n in found)
        )
    chosen = found[name] if name else next(iter(found.values()))
    if isinstance(chosen, Heuristic) and Path(file) in _kept:
        _heuristics[key] = chosen
    return chosen


@contextmanager
def keeping(files: Mapping[str, Sources]) -> Iterator[None]:
    """In here files say what they said once, whatever they say now and even if they are gone."""
    before, known = dict(_kept), dict(_heuristics)
    for file, said in ((Path(name), said) for name, said in files.items() if said):
        if _kept.get(file) != said:
            _kept[file] = said
            for key in [key for key in _heuristics if key[0] == file]:
                del _heuristics[key]
    try:
        yield
    finally:
        _kept.clear()
        _kept.update(before)
        _heuristics.clear()
        _heuristics.update(known)


def sources(path: Path) -> Sources:
    """All that a file's agents are made of, as it was when they were loaded."""
    return _loaded.get(path) or _read(path)


def _read(path: Path) -> Sources:
    """A file and whatever of its folder it imports, found without running it: the same in every run."""
    main = path.resolve()
    found = {path.name: main.read_bytes()} if main.is_file() else {}
    waiting = [*_imported(main, main.parent, found[path.name])] if found else []
    while waiting:
        file = waiting.pop()
        name = file.relative_to(main.parent).as_posix()
        if name not in found and file.is_file() and not name.startswith(f"{PACKAGE.name}/"):
            found[name] = file.read_bytes()
            waiting += _imported(file, main.parent, found[name])
    return dict(sorted(found.items()))


def named_files(home: Path, said: Sources) -> dict[str, bytes]:
    """Hashes of the files and programs whose names stand in a user's code, and in scripts of the user's that it names:
    what they hold may change what the code does. Files that the code writes are not among them."""
    found: dict[str, bytes] = {}
    known = {home / name for name in said}
    waiting = [source for name, source in said.items() if name.endswith(".py")]
    while waiting:
        names, programs = _texts(waiting.pop())
        meant = {text: _file_named(text, home) for text in names} | {text: _program(text) for text in programs}
        for text, file in meant.items():
            if not file or text in found or file in known:
                continue
            with suppress(OSError):
                found[text] = _hash(file, *_changed(file))
                for module, source in _read(file).items() if file.suffix == ".py" else ():
                    found.setdefault(f"{text} {module}", hashlib.blake2b(source, digest_size=16).hexdigest().encode())
                    waiting.append(source)
    return dict(sorted(found.items()))


def _texts(source: bytes) -> tuple[list[str], list[str]]:
    """The texts of a program that may name a file that it reads, and those that may name a program that it starts: the
    first of a list, or of what a function such as subprocess.run is given."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], []
    passed_over = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    passed_over |= {id(part) for call in ast.walk(tree) if _writes(call) for part in ast.walk(call)}
    texts = {id(node): node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    names = [text for key, text in texts.items() if isinstance(text, str) and key not in passed_over]
    firsts = [node.elts[:1] for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple)]
    firsts += [node.args[:1] for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) in STARTERS]
    programs = [texts.get(id(node)) for first in firsts for node in first]
    starting = [text.split()[0] for text in programs if isinstance(text, str) and text.strip()]
    words = [word for text in names for word in text.split() if len(text) <= LONGEST_COMMAND]
    return [*dict.fromkeys([*names, *words])], [*dict.fromkeys(starting)] if STARTS_PROGRAMS.search(source) else []


def _called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _writes(node: ast.AST) -> bool:
    """Whether it is a call that writes a file: `open(name, "w")`, `path.write_text(...)`."""
    if not isinstance(node, ast.Call):
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    opened = _called(node) == "open" and any(re.fullmatch(r"[rwaxbt+]*[wax+][rwaxbt+]*", mode) for mode in modes)
    return opened or _called(node) in ("write_text", "write_bytes")


def _file_named(text: str, home: Path) -> Path | None:
    """The file that a text leads to, from the folder of the code or from here."""
    for place in (home / text, Path.cwd() / text):
        with suppress(OSError, ValueError):  # no text that could be a name
            if place.is_file():
                return place
    return None


def _program(text: str) -> Path | None:
    found = shutil.which(text) if text.isprintable() and "/" not in text else None
    return Path(found) if found else None


def _changed(file: Path) -> tuple[int, int]:
    told = file.stat()
    return told.st_mtime_ns, told.st_size


@cache
def _hash(file: Path, *changed: int) -> bytes:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "blake2b").hexdigest()[:32].encode()


def _imported(file: Path, home: Path, source: bytes) -> Iterator[Path]:
    """Where the modules that a file imports would be, if they are the user's own."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # whoever runs it will say so
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _places(home, alias.name)
        elif isinstance(node, ast.ImportFrom):
            start = file.parents[node.level - 1] if 0 < node.level <= len(file.parents) else home
            if not start.is_relative_to(home):
                continue
            for alias in node.names:
                yield from _places(start, ".".join(filter(None, (node.module, alias.name))))


def _places(start: Path, module: str) -> Iterator[Path]:
    """Of the packages that a module is in, the outermost first, and of itself; `*` may be any module of a package."""
    place = start
    for part in module.split("."):
        if part == "*":
            yield from place.glob("*.py")
        yield from (place / f"{part}.py", place / part / "__init__.py")
        place /= part


class _Kept(SourceFileLoader):
    """Runs what a file said when it was read. No byte code is kept: it could be older than an edit just made."""

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


class _Beside(FileFinder):
    """Finds modules in a folder: those that were read as they were read, others, such as compiled ones, on the disk."""

    def __init__(self, folder: Path, said: Mapping[Path, bytes]) -> None:
        super().__init__(str(folder), (ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceFileLoader, [".py"]))
        self._said = said

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        place = Path(self.path) / fullname.rpartition(".")[2]
        for file, within in ((place / "__init__.py", [str(place)]), (place.with_name(f"{place.name}.py"), None)):
            if file in self._said:
                loader = _Kept(fullname, str(file), self._said[file])
                return spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=within)
        found = super().find_spec(fullname, target)
        if found is None and any(place in file.parents for file in self._said):
            found = ModuleSpec(fullname, None, is_package=True)
            found.submodule_search_locations = [str(place)]
        return found


def _declared(path: Path) -> list[Heuristic | AgentFunction]:
    said = {name: source for name, source in (_kept.get(path) or _read(path)).items() if not HASH.fullmatch(source)}
    if path.name not in said:
        raise SparringError(f"no file {path}; `spar new GAME {path.name}` writes one")
    _loaded[path], source = said, said[path.name]
    path = path.resolve()
    _forget(said)
    _serve(path.parent, said)
    loader = _Kept(f"sparring_user_{path.stem}", str(path), source)
    spec = spec_from_file_location(loader.name, path, loader=loader)
    assert spec
    module = sys.modules[loader.name] = module_from_spec(spec)
    try:
        with _first_on_path(str(path.parent)):
            loader.exec_module(module)
    except SyntaxError as error:
        raise SparringError(f"{path}{f':{error.lineno}' if error.lineno else ''}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        where = f"{path}:{lines[-1]}" if lines else f"{path}"
        kind = "" if isinstance(error, SparringError) else f"{type(error).__name__}: "
        raise SparringError(f"{where}: {kind}{error}") from error
    declared = [item for item in vars(module).values() if isinstance(item, Heuristic | AgentFunction)]
    return [item for item in declared if Path(item.function.__code__.co_filename) == path]


def _forget(said: Iterable[str]) -> None:
    """Forget modules called like those of a file: they may have been edited, or stand beside another file."""
    own = {Path(name).parts[0].removesuffix(".py") for name in said}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in own and not _installed(module):
            del sys.modules[name]


def _installed(module: ModuleType) -> bool:
    """Whether a module is nobody's own: of Python, of a library or of ours."""
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if not file or {"site-packages", "dist-packages"} & {*Path(file).parts}:
        return True
    return any(Path(file).is_relative_to(place) for place in (PACKAGE, sysconfig.get_path("stdlib")))


def _serve(home: Path, said: Sources) -> None:
    """Have Python find in a folder, whenever it looks there, what was read."""
    for place, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, _Beside) and Path(place).is_relative_to(home):
            del sys.path_importer_cache[place]
    files = {home / name: source for name, source in said.items()}
    for folder in {home, *(folder for file in files for folder in file.parents if folder.is_relative_to(home))}:
        sys.path_importer_cache[str(folder)] = _Beside(folder, files)


@contextmanager
def _first_on_path(folder: str) -> Iterator[None]:
    """Import from a folder before all others, and later still before those of other users' files."""
    others = [place for place in sys.path if place != folder]
    sys.path[:] = [folder, *others]
    try:
        yield
    finally:
        installed = [number for number, place in enumerate(others) if "site-packages" in place]
        after = installed[-1] + 1 if installed else len(others)
        sys.path[:] = [*others[:after], folder, *others[after:]]
