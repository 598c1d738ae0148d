"""Heuristics and agents from a user's own Python file."""

import ast
import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from sparring.agents.agent import AgentFunction
from sparring.errors import SparringError, unknown
from sparring.kernel import PACKAGE
from sparring.terms import Heuristic


def load(file: str, name: str, game: str) -> Heuristic | AgentFunction:
    """What a file declares under `@heuristic` or `@agent`; the name may be left out if there is only one."""
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
    return found[name] if name else next(iter(found.values()))


def sources(path: Path) -> dict[str, bytes]:
    """A file and the modules beside it that it imports: all that its agents are made of."""
    found: dict[str, bytes] = {}
    waiting = [path.resolve()]
    while waiting:
        file = waiting.pop()
        if file.name in found or not file.is_file():
            continue
        found[file.name] = file.read_bytes()
        for node in ast.walk(ast.parse(found[file.name])):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            waiting += [file.with_name(f"{module.split('.')[0]}.py") for module in modules if module]
    return dict(sorted(found.items()))


def _declared(path: Path) -> list[Heuristic | AgentFunction]:
    if not path.is_file():
        raise SparringError(f"no file {path}")
    path = path.resolve()
    _forget_beside(path)
    module = ModuleType(f"sparring_user_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    linecache.checkcache(str(path))
    try:
        # not imported: byte code kept from the last time could be older than an edit just made
        with _first_on_path(str(path.parent)):
            exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    except SyntaxError as error:
        raise SparringError(f"{path}{f':{error.lineno}' if error.lineno else ''}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        where = f"{path}:{lines[-1]}" if lines else f"{path}"
        kind = "" if isinstance(error, SparringError) else f"{type(error).__name__}: "
        raise SparringError(f"{where}: {kind}{error}") from error
    declared = [item for item in vars(module).values() if isinstance(item, Heuristic | AgentFunction)]
    return [item for item in declared if Path(item.function.__code__.co_filename) == path]


def _forget_beside(path: Path) -> None:
    """Forget modules called like those beside a file: they may have been edited, or stand beside another file."""
    installed = (Path(sys.base_prefix), Path(sys.prefix), PACKAGE)
    for beside in path.parent.glob("*.py"):
        known = getattr(sys.modules.get(beside.stem), "__file__", None)
        if known and not any(Path(known).is_relative_to(place) for place in installed):
            del sys.modules[beside.stem]


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
