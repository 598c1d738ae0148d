"""Heuristics and agents from a user's own Python file."""

import ast
import linecache
import sys
import traceback
from pathlib import Path
from types import ModuleType

from sparring.agents.agent import AgentFunction
from sparring.errors import SparringError, unknown
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
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    module = ModuleType(f"sparring_user_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    linecache.checkcache(str(path))
    try:
        # not imported: byte code kept from the last time could be older than an edit just made
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
