"""Heuristics and agents from a user's own Python file, found without running the file.

A file is read once, together with the modules beside it that it imports, and this snapshot is what plays. An edit while
games are played does not reach them, and games can be played again with the code that they were played with. A
heuristic is taken from the text (see extract.py). A whole agent, and a heuristic that cannot be compiled, run only in
processes of their own (see outside.py).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparring.agents import dependencies, execution, outside
from sparring.agents.agent import DeclaredAgent
from sparring.agents.dependencies import HASH, Sources, read_modules
from sparring.agents.extract import MAIN, Extraction, Want
from sparring.agents.module_tree import Declaration, ModuleTree, declarations, may_declare_more
from sparring.core.errors import SparringError, unknown
from sparring.core.plugins import warn_once
from sparring.core.terms import Heuristic
from sparring.games import registry
from sparring.games.contract import Game

_snapshots: dict[Path, Sources] = {}
_loaded: dict[Path, tuple[Sources, set[Path]]] = {}
"""The modules of each file that was loaded, and the other files that it opened or declared."""
_heuristics: dict[tuple[Path, str, str], Heuristic] = {}
"""Heuristics from snapshots, which cannot change and need not be compiled again."""


def load(file: str, name: str, game: Game, warn: Callable[[str], None] | None = None) -> Heuristic | DeclaredAgent:
    """Return what a file declares for a game by `@heuristic` or `@agent`. The name is needed if there are several."""
    path = Path(file)
    if known := _heuristics.get((path, name, game.name)):
        return known
    modules = _modules(path)
    tree = ModuleTree(MAIN.format(path.stem), path.resolve(), modules[path.name])
    listed = declarations(tree)
    if may_declare_more(tree) and not any(one.name == name if name else one.game == game.name for one in listed):
        listed += _found_by_running(file, path, modules, game)
    chosen = _chosen(file, path.resolve(), name, game.name, listed, warn or warn_once)
    _loaded[path] = modules, set()
    if chosen.whole_agent:
        return _agent(path, modules, chosen)
    extraction = Extraction(path.resolve(), modules)

    def ask(wants: Mapping[Want, str], weighed: str) -> tuple[dict[Want, Any], Mapping[str, Any]]:
        if outside.is_guest():
            module, used = execution.run(path, modules)
            found = execution.values_of(module, [*wants], weighed)
        else:
            *found, used = outside.values(game, file, modules, wants, weighed)  # type: ignore[assignment]
        _loaded[path] = modules, used
        return found

    made = extraction.heuristic(chosen, game.state, ask)
    if path in _snapshots:
        _heuristics[path, name, game.name] = made
    return made


def _found_by_running(file: str, path: Path, modules: Sources, game: Game) -> list[Declaration]:
    """The agents that functions of the file itself declare. A guest tells their names."""
    if outside.is_guest():
        found = execution.agents_in(execution.run(path, modules)[0])
    else:
        found = outside.agents(game, file, modules)
    return [Declaration(name, of, None, {}, True, 1) for name, of in found.items()]


def run_here(heuristic: Heuristic) -> Heuristic:
    """Return a heuristic as its file makes it when it is run, for a guest that plays by it in plain Python."""
    path = Path(heuristic.function.__code__.co_filename)
    known = next((one for one in _loaded if one.resolve() == path), path)
    module, _ = execution.run(known, _modules(known))
    found = execution.declared_in(module, heuristic.name)
    assert isinstance(found, Heuristic)
    return found


def _agent(path: Path, modules: Sources, chosen: Declaration) -> DeclaredAgent:
    if not outside.is_guest():
        return DeclaredAgent(chosen.name, chosen.game, None)
    module, used = execution.run(path, modules)
    _loaded[path] = modules, used
    found = execution.declared_in(module, chosen.name)
    assert isinstance(found, DeclaredAgent)
    return found


def _modules(path: Path) -> Sources:
    """The texts of a file and of the modules beside it."""
    snapshot = _snapshots.get(path) or read_modules(path)
    modules = {name: source for name, source in snapshot.items() if not HASH.fullmatch(source)}
    if path.name not in modules:
        raise SparringError(f"no file {path}; `spar new GAME {path.name}` writes one")
    return modules


def _chosen(
    file: str, place: Path, name: str, game: str, listed: list[Declaration], warn: Callable[[str], None]
) -> Declaration:
    """The declaration that is meant. Others in the file that cannot be used are named in a line each."""
    faults = [f"{place}:{one.line}: {fault}" for one in listed if (fault := _fault(one, game)) and one.name != name]
    found = {one.name: one for one in listed if one.game == game and not _fault(one, game)}
    meant = next((one for one in listed if one.name == name), None)
    if meant and (fault := _fault(meant, game)):
        raise SparringError(f"{place}:{meant.line}: {fault}")
    if not found:
        if faults:
            raise SparringError(faults[0])
        told = f'put @heuristic("{game}") or @agent("{game}") above a function'
        others = f", only for {', '.join(sorted({one.game for one in listed}))}" if listed else ""
        raise SparringError(f"{file} declares nothing for {game}{others}; {told}")
    if name and name not in found:
        raise unknown(f"name in {file}", name, found)
    if not name and len(found) > 1:
        named = ", ".join(f"{file}:{one}" for one in found)
        raise SparringError(f"{file} declares {len(found)} things; say which: {named}")
    for told in faults:
        warn(told)
    return found[name] if name else next(iter(found.values()))


def _fault(one: Declaration, game: str) -> str:
    known = {*registry.names(), game}
    return one.fault or (f"{unknown('game', one.game, known)}" if one.game not in known else "")


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


def note_used(path: Path, used: set[Path]) -> None:
    """Note the other files that a file opened or declared when a guest ran it."""
    modules, before = _loaded[path]
    _loaded[path] = modules, before | used
