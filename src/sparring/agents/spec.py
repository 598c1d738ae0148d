"""The text form of an agent, the same in every command, file and function.

In games that can be played over the network a name may also be an address, such as http://127.0.0.1:8001. A file such
as tuned.toml stands for the text of the agent in it.

NAME[:HEURISTIC][(term=weight, ...)][,option=value ...]

alphabeta:next_moves,nodes=20000       a search with a heuristic and a budget
minimax:open,depth=3
next_moves(next_moves=0.5)             a heuristic alone is searched by alpha-beta; terms can be reweighed
my_file.py:my_idea,depth=6             a heuristic or an agent from a file, alone or after `alphabeta:`
perfect                                an agent of the game
"""

import hashlib
import os
import re
import tomllib
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from sparring.agents import outside
from sparring.agents.agent import Agent, DeclaredAgent, FunctionAgent, RandomAgent, declared
from sparring.agents.dependencies import HASH, Sources, file_hash, located
from sparring.agents.learned_value import learned_value, open_value, terms_as_features
from sparring.agents.probe import probe
from sparring.agents.q_table import TabularAgent
from sparring.agents.userfile import load, note_used, run_here, sources
from sparring.core import plugins
from sparring.core.amounts import parse_number, parse_seconds, parse_whole_number
from sparring.core.errors import CompileError, SparringError, unknown
from sparring.core.kernel import compiled_mode
from sparring.core.plugins import AGENTS, HEURISTICS, SEARCHES
from sparring.core.terms import BoundHeuristic, Heuristic, no_score
from sparring.games import registry
from sparring.games.capabilities import offered
from sparring.games.contract import Game
from sparring.games.learnable import Features, StateEncoders
from sparring.search.tree import Budget

ALONE = ("alphabeta", "expectimax", "mcts")
"""A heuristic without a search is searched by the first of these that fits the game."""
Named = TypeVar("Named")
BUDGETS = frozenset({"nodes", "time", "iterations", "evolutions", "turns"})
"""Options that exclude each other."""
FILES = (".py", ".npz")
"""The endings of users' files: code and learned numbers."""


@dataclass(frozen=True)
class Spec:
    """The parts of an agent's text. No name in it is looked up yet."""

    text: str
    name: str
    weights: Mapping[str, float]
    options: Mapping[str, str]
    strict: bool = field(default=False, compare=False)
    """True if a heuristic that cannot be compiled is an error. Otherwise it runs in plain Python."""
    warn: Callable[[str], None] | None = field(default=None, compare=False)
    """The function that is called with the warning that a heuristic is slow."""

    @classmethod
    def parse(cls, text: str) -> "Spec":
        for file in re.findall(r"^(?:\w+:)?(.*[(),:].*\.py)", text.strip()):
            if _is_there(file):
                raise SparringError(f"no agent can be named in {file!r}: rename it, without any of ( ) , :")
        shape = re.fullmatch(r"\s*([^,()]+?)\s*(?:\(([^()]*)\))?\s*((?:,[^,()]*)*)", text)
        if not shape:
            raise SparringError(
                f"cannot read the agent {text!r}; expected NAME[:HEURISTIC][(term=weight)][,option=value], "
                "e.g. alphabeta:next_moves,nodes=20000"
            )
        name, weights, options = shape.groups(default="")
        given = _pairs(text, options)
        terms = {term: parse_number(f"weight of {term}", value) for term, value in _pairs(text, weights).items()}
        return cls(text.strip(), name, terms, given)

    @property
    def remote(self) -> bool:
        """True for the address of a player on another machine."""
        return self.name.startswith(("http://", "https://"))

    @property
    def parts(self) -> list[str]:
        """The parts of the name, which may be names of files."""
        return [] if self.remote else self.name.split(":")

    @property
    def file(self) -> str:
        """The user's file that it names, or an empty text."""
        return next((part for part in self.parts if part.endswith(".py")), "")

    def sources(self) -> Sources:
        """Return the code of the user's files, and hashes of the other files that they and this text name."""
        found = dict(sources(Path(self.file))) if self.file else {}
        found |= {part: file_hash(Path(part)) for part in self.parts if part.endswith(".npz")}
        return dict(sorted(found.items()))

    def changed(self, kept: Sources) -> list[str]:
        """Return the names of files that are not code and have changed since these sources were kept."""
        home = Path(self.file).resolve().parent
        files = {name: located(name, home) for name, source in kept.items() if HASH.fullmatch(source)}
        return [name for name, file in files.items() if not file.is_file() or file_hash(file) != kept[name]]

    def but(self, weights: Mapping[str, float], options: Mapping[str, str]) -> "Spec":
        """Return the same agent with some weights and options replaced. A new budget replaces the old one."""
        budgeted = BUDGETS & options.keys()
        kept = {option: value for option, value in self.options.items() if not (budgeted and option in BUDGETS)}
        weights, options = {**self.weights, **weights}, {**kept, **options}
        weighed = ",".join(f"{term}={weight:.12g}" for term, weight in weights.items())
        words = [f"{option}={value}" if value else option for option, value in options.items()]
        text = ",".join([self.name + (f"({weighed})" if weighed else ""), *words])
        return replace(self, text=text, weights=weights, options=options)

    def opened(self, game: str) -> "Spec":
        """Return the agent of a .toml file, with the weights and options that are given beside it."""
        if not self.name.endswith(".toml"):
            return self
        file = Path(self.name)

        def from_here(name: str) -> str:
            place = os.path.normpath(file.parent.resolve() / name)
            return place if file.is_absolute() else os.path.relpath(place)

        return Spec.parse(_agent_in(file, game))._with_files(from_here).but(self.weights, self.options)

    def told_in(self, file: Path) -> str:
        """Return the text for a .toml file, in which other files are named from its folder."""
        home = file.parent.resolve()

        def named(name: str) -> str:
            way = os.path.relpath(Path.cwd() / name, home)
            if set("(),:") & set(way):
                raise SparringError(
                    f"no agent can be named in {way!r}, with any of ( ) , : in it; choose another --out"
                )
            return way

        return self._with_files(named).but({}, {}).text

    def _with_files(self, named: Callable[[str], str]) -> "Spec":
        """Return the same agent with other names of its files. Full paths stay."""
        parts = [named(one) if one.endswith(FILES) and not Path(one).is_absolute() else one for one in self.parts]
        return replace(self, name=":".join(parts) or self.name)


@dataclass(frozen=True)
class Search:
    """A search for every game that it fits: the object of an entry point of the group `sparring.searches`."""

    make: Callable[[Game, Spec, Any], Agent]
    """Return an agent for a game, a spec and the heuristic that the spec names, or None."""
    options: str
    """Examples of its options. `spar bench` uses the first one."""
    fits: Callable[[Game], bool]
    alone: bool = False
    """True if it needs no heuristic."""
    needs: str = "another kind of game"
    """The kind of game that it fits, in words."""


def _agent_in(file: Path, game: str) -> str:
    """Return the agent's text in a file such as: game = "isolation", agent = "next_moves(moves=2),nodes=300"."""
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SparringError(f"no file {file}; `spar tune ... --out {file.name}` writes one") from error
    except (OSError, ValueError) as error:
        raise SparringError(f"{file} cannot be read: {error}") from error
    for key in ("game", "agent"):
        if not isinstance(said.get(key), str):
            raise SparringError(f'{file} names no agent; write game = "{game}" and agent = "..." in it')
    if said["game"] != game:
        raise SparringError(f"{file} holds an agent of {said['game']}, not of {game}")
    if ".toml" in said["agent"]:
        raise SparringError(f"{file} names another file, {said['agent']}; write down the agent that is meant")
    return str(said["agent"])


def _is_there(file: str) -> bool:
    try:
        return Path(file).is_file()
    except OSError:
        return False  # its name would be too long for a file


def _pairs(text: str, listed: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in listed.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or (equals and not value):
            raise SparringError(f"cannot read {part!r} in the agent {text!r}; expected name=value")
        if key in pairs:
            raise SparringError(f"{key} is given twice in the agent {text!r}")
        pairs[key] = value
    return pairs


def agent(
    game: Game,
    named: str | Heuristic | DeclaredAgent | type,
    strict: bool = False,
    warn: Callable[[str], None] | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Agent:
    """Return the agent that a text names, with more options. With `strict`, a heuristic that cannot be compiled is an
    error."""
    own = named if isinstance(named, Heuristic) else declared(named)
    if own:
        _refuse_other_game(game, own)
    chosen = {option: "" if value is True else str(value) for option, value in options.items()}
    if isinstance(named, Heuristic):
        made = _alone(game, Spec(named.name, named.name, {}, {}, strict, warn).but({}, chosen), named)
        made.given = named
        return made
    if not isinstance(named, str):
        if not isinstance(own, DeclaredAgent):
            raise SparringError(f"{named!r} is no agent; put @agent(...) or @heuristic(...) above it, or name one")
        for option in chosen:
            raise SparringError(f"{own.name} takes no options, but {option} is given")
        return FunctionAgent(own.name, own)
    asked = Spec.parse(named)
    asked = asked.but({}, chosen) if chosen else asked
    spec = replace(asked.opened(game.name), strict=strict, warn=warn)
    for part in spec.parts if asked.name.endswith(".toml") else ():
        if part.endswith(FILES) and not (sources(Path(part)) if part.endswith(".py") else _is_there(part)):
            raise SparringError(f"{asked.name} names {part}, but there is no such file")
    made = _named(game, spec)
    made.sources = spec.sources()
    return made if made.trusted or outside.is_guest() else outside.OutsideAgent(game, made)


def _refuse_other_game(game: Game, own: Heuristic | DeclaredAgent) -> None:
    if own.game != game.name:
        raise SparringError(f"{own.name} is written for {own.game}, not for {game.name}")


_given: ContextVar[Heuristic | None] = ContextVar("given", default=None)


@contextmanager
def naming(given: Heuristic | None) -> Iterator[None]:
    """Let texts name a heuristic that is given as an object."""
    before = _given.set(given)
    try:
        yield
    finally:
        _given.reset(before)


def _named(game: Game, spec: Spec) -> Agent:
    if (given := _given.get()) and spec.name == given.name:
        _refuse_other_game(game, given)
        return _alone(game, spec, given)
    if spec.remote:
        remote = _defined(game, "REMOTE")
        if not remote:
            raise SparringError(f"{game.name} has no players that are asked by their address, such as {spec.name}")
        return remote(game, spec)  # type: ignore[no-any-return]
    head, _, rest = spec.name.partition(":")
    own = _agents(game)
    if head in own:
        return own[head](game, spec)
    if head in plugins.declared(SEARCHES):
        if "search" in spec.options:
            raise SparringError(f"{spec.text!r} names two searches, {head} and {spec.options['search']}")
        return _searched(game, spec, head, heuristic_named(game, rest) if rest else None)
    if head.endswith(".npz"):
        return _alone(game, spec, heuristic_named(game, spec.name))
    if head.endswith(".py"):
        found = load(head, rest, game, spec.warn)
        if isinstance(found, DeclaredAgent):
            only_options(spec, (), name=True)
            _try_outside(game, spec)
            return FunctionAgent(spec.text, found)
        return _alone(game, spec, found)
    if head == "random":
        only_options(spec, ())
        return RandomAgent()
    if spec.name in heuristics(game):
        return _alone(game, spec, heuristics(game)[spec.name])
    known = [*named_agents(game), *heuristics(game), *(f"{search}:HEURISTIC" for search in searches(game))]
    raise unknown(f"agent of {game.name}", spec.name, known)


def _alone(game: Game, spec: Spec, heuristic: Heuristic) -> Agent:
    """Return the agent of a heuristic without a search, as the game defines it or with the default search."""
    own = _defined(game, "alone")
    if own and "search" not in spec.options:
        return own(game, spec, heuristic)  # type: ignore[no-any-return]
    options = dict(spec.options)
    fitting = _searches(game)
    chosen = options.pop("search", "") or next((name for name in ALONE if name in fitting), ALONE[0])
    return _searched(game, replace(spec, options=options), chosen, heuristic)


def _searched(game: Game, spec: Spec, name: str, heuristic: Heuristic | None) -> Agent:
    search: Search = plugins.only(SEARCHES, "search", name)
    if heuristic is None and not search.alone:
        raise SparringError(f"{name} needs a heuristic, e.g. {name}:{next(iter(heuristics(game)), 'my_file.py')}")
    if not search.fits(game):
        raise SparringError(f"{spec.text!r} needs {search.needs}, which {game.name} is not")
    return search.make(game, spec, heuristic)


class AgentsModule(Protocol):
    """The names that a module of the entry-point group `sparring.agents` may define. All are optional."""

    AGENTS: Mapping[str, Callable[[Game, Spec], Agent]]
    """The agents by name. Each takes the game and the spec; its docstring says what it does."""
    SEARCHES: Mapping[str, str]
    """Agents that may stand before a heuristic, with examples of their options."""
    BENCH: Sequence[str]
    """Agents for `spar bench`, with budgets without a clock. Default: random play and the searches that fit."""
    EXAMPLE: str
    """A match to suggest, as the words after the game's name, the strongest agent first."""
    REMOTE: Callable[[Game, Spec], Agent]
    """Return the player at an address. Default: there are none."""
    EXPLOITER: Callable[[Game, Agent, int], Any]
    """Return the opponent that knows an agent's strategy and looks some plies ahead. Default: there is none."""

    def alone(self, game: Game, spec: Spec, heuristic: Heuristic) -> Agent:
        """Return the agent of a heuristic without a search. Default: the first search of ALONE that fits."""

    def default_judge(self, game: Game) -> str:
        """Return the agent that plays best. Default: the first of EXAMPLE."""


def _defined(game: Game, name: str, otherwise: Any = None) -> Any:
    """Return what the first package defines under a name of `AgentsModule`."""
    modules = registry.modules(AGENTS, game.name).values()
    return next((getattr(module, name) for module in modules if hasattr(module, name)), otherwise)


def _merged(game: Game, kind: str, found: Mapping[str, Mapping[str, Named]]) -> dict[str, Named]:
    """Merge what packages have of a kind, by name. If two have the same name, the first package's counts."""
    merged = dict[str, tuple[Named, str]]()
    for package, things in found.items():
        for name, thing in things.items():
            first, owner = merged.setdefault(name, (thing, package))
            if first is not thing:
                both = f"the packages {owner} and {package} both have the {kind} {name} of {game.name}"
                plugins.warn_once(f"{both}; that of {owner} plays")
    return {name: thing for name, (thing, _) in merged.items()}


def _agents(game: Game) -> dict[str, Callable[[Game, Spec], Agent]]:
    """Return a game's own agents, and `tabular` if the game can encode its states."""
    modules = registry.modules(AGENTS, game.name)
    own = _merged(game, "agent", {package: getattr(module, "AGENTS", {}) for package, module in modules.items()})
    return {**({"tabular": tabular} if StateEncoders in game.offers else {}), **own}


def tabular(game: Game, spec: Spec) -> Agent:
    """The best move by a table that was learned: tabular:NAME, or tabular:FILE.npz made by `spar learn`."""
    only_options(spec, (), name=True)
    return TabularAgent(game, spec, spec.name.partition(":")[2])


def _searches(game: Game) -> dict[str, Search]:
    """Return the searches that fit a game."""
    found = plugins.all_of(points[0] for points in plugins.declared(SEARCHES).values() if len(points) == 1)
    return {point.name: search for point, search in found if search.fits(game)}


def searches(game: Game) -> Mapping[str, str]:
    """Return the agents that may stand before a heuristic, with examples of their options."""
    general = {name: search.options for name, search in _searches(game).items()}
    return {**general, **_defined(game, "SEARCHES", {})}


def named_agents(game: Game) -> dict[str, str]:
    """Return the agents of a game that have a name, with their descriptions."""
    made = {"random": RandomAgent, **_agents(game)}
    made |= {name: search.make for name, search in _searches(game).items() if search.alone and name not in made}
    return {name: " ".join((maker.__doc__ or "").split()) for name, maker in made.items()}


def has_exploiter(game: Game) -> bool:
    return _defined(game, "EXPLOITER") is not None


def exploiter(game: Game, victim: Agent, plies: int) -> Any:
    """Return the opponent that knows an agent's strategy, in games that have one."""
    if not has_exploiter(game):
        raise SparringError(f"{game.name} has no exploiter: nobody there knows what an agent will do")
    return _defined(game, "EXPLOITER")(game, victim, plies)


def example(game: Game) -> str:
    """Return a match to suggest, as the words after the game's name."""
    best = next((name for name in [*heuristics(game), *named_agents(game)] if name != "random"), "my_file.py")
    return str(_defined(game, "EXAMPLE", f"{best} random"))


def default_judge(game: Game) -> str:
    """Return the agent that plays a game best: its solver, or else a search that looks far ahead."""
    judge = _defined(game, "default_judge")
    return str(judge(game)) if judge else example(game).split()[0]


def bench_agents(game: Game) -> list[str]:
    """Return the agents whose decisions `spar bench` sums up, with budgets that do not depend on a clock."""
    heuristic = next(iter(heuristics(game)), "")
    fitting = {name: search for name, search in _searches(game).items() if heuristic or search.alone}
    searching = [
        ",".join([f"{name}:{heuristic}".strip(":"), *search.options.split()[:1]]) for name, search in fitting.items()
    ]
    return list(_defined(game, "BENCH", ["random", *searching]))


def heuristics(game: Game) -> dict[str, Heuristic]:
    """Return the heuristics that come with a game."""
    found = {
        package: {one.name: one for one in vars(module).values() if isinstance(one, Heuristic)}
        for package, module in registry.modules(HEURISTICS, game.name).items()
    }
    return _merged(game, "heuristic", found)


def heuristic_named(game: Game, name: str) -> Heuristic:
    """Return a heuristic of the game or of a user's file."""
    file, _, inside = name.partition(":")
    if file.endswith(".py"):
        found = load(file, inside, game)
        if isinstance(found, DeclaredAgent):
            raise SparringError(f"{name} is an agent, not a heuristic; name it alone: {name}")
        return found
    if name.endswith(".npz"):
        return _learned(game, name)
    if name not in heuristics(game):
        raise unknown(f"heuristic of {game.name}", name, heuristics(game))
    return heuristics(game)[name]


def _learned(game: Game, file: str) -> Heuristic:
    """Return a learned value from its file. It is refused if the user's file with its features has changed since."""
    settings, _ = open_value(Path(file), game.name)
    name = settings["features"]
    if hash := settings.get("features_hash"):
        code, colon, inside = name.partition(":")
        places = (Path(file).parent / code, Path(code))
        name = f"{next((place for place in places if place.is_file()), code)}{colon}{inside}"
    features = features_named(game, name)
    if hash and features.hash != hash:
        raise SparringError(f"{name} has changed since {file} was learned from it; learn {file} anew, to another --out")
    return learned_value(Path(file).stem, game.name, features, settings["hidden"], Path(file))


def features_named(game: Game, name: str) -> Features:
    """Return the terms of a heuristic as features, or without a name the game's own features."""
    if name:
        found, hash = heuristic_named(game, name), ""
        if ".py" in name:
            sources = sorted(Spec.parse(name).sources().items())
            hash = hashlib.blake2b(repr(sources).encode(), digest_size=8).hexdigest()
        return terms_as_features(game, found, hash)
    own = offered(game, Features)
    if own is None:
        known = next(iter(heuristics(game)), "HEURISTIC")
        raise SparringError(f"{game.name} has no features of its own: name a heuristic, as in --features {known}")
    return own


def heuristic_of(game: Game, spec: Spec, usual: str) -> Heuristic:
    """Return the heuristic that a spec names after the agent, or else the default."""
    return heuristic_named(game, spec.name.partition(":")[2] or usual)


def judge_of(game: Game, spec: Spec, heuristic: Heuristic) -> BoundHeuristic:
    """Bind a heuristic to the weights of a spec. A user's heuristic that cannot be compiled runs in plain Python."""
    if heuristic.unrun and not compiled_mode():
        return _plainly(game, spec, heuristic)
    try:
        bound = heuristic.judge(game.state, spec.weights)
    except CompileError as error:
        if heuristic.built_in:
            raise
        bound = _plainly(game, spec, heuristic)
        if spec.strict:
            raise
        if spec.warn:
            spec.warn(f"{error}\nplaying on in plain Python, with the same moves but far fewer nodes a second")
    if bound.compiled or not bound.heuristic.unrun:
        probe(game, bound, spec.warn)
    return bound


def _plainly(game: Game, spec: Spec, heuristic: Heuristic) -> BoundHeuristic:
    """Bind a heuristic that plays in plain Python. That of a file does so only in a guest; here it has no score."""
    if heuristic.unrun and outside.is_guest():
        heuristic = run_here(heuristic)
    if heuristic.unrun:
        _try_outside(game, spec)
        score = no_score(game.state)
    else:
        _try_plainly(heuristic, game)
        score = heuristic.plain_score(game.state) if compiled_mode() else heuristic.score(game.state)
    return BoundHeuristic(heuristic, heuristic.weigh(spec.weights), score, compiled=False)


def _try_outside(game: Game, spec: Spec) -> None:
    """Raise SparringError if a guest cannot make a user's agent. Note the files that it opens."""
    if not outside.is_guest():
        note_used(Path(spec.file), outside.tried(game, spec.text, spec.file, spec.sources()))


def _try_plainly(heuristic: Heuristic, game: Game) -> None:
    """Raise an error with its line if the heuristic fails in plain Python, too: then the compiler is not the reason."""
    try:
        heuristic.plain_terms(game.start().state, 0)
    except SparringError:
        raise
    except Exception as error:
        found = re.search(r"'(?:rec\w*)' object has no attribute '(\w+)'", f"{error}")
        told: object = unknown("field of the state", found[1], game.state.names or ()) if found else error
        if isinstance(error, NameError):
            told = f"{error}; import or define it at the top of the file"
        kind = "" if isinstance(told, SparringError) else f"{type(error).__name__}: "
        file = heuristic.function.__code__.co_filename
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        raise SparringError(f"{file}:{lines[-1] if lines else ''}: {kind}{told}") from error


def budget_of(spec: Spec, unit: str = "nodes") -> Budget:
    """Return the budget that a spec names, in nodes or another unit, in plies or in seconds."""
    only_one(spec, (unit, "time"))
    given = spec.options
    whole = {option: parse_whole_number(option, given[option]) for option in (unit, "depth") if option in given}
    seconds = parse_seconds("time", given["time"]) if "time" in given else None
    return Budget(whole.get(unit), whole.get("depth"), seconds)


def iterations_or_time(spec: Spec, usual: int) -> Budget:
    """Return the budget of a search that counts iterations."""
    return (
        budget_of(spec, "iterations") if spec.options.keys() & {"iterations", "time"} else Budget(usual, assumed=True)
    )


def only_one(spec: Spec, options: Collection[str]) -> str:
    """Return which option is given, of some that exclude each other; an empty text if none is."""
    given = [option for option in options if option in spec.options]
    if len(given) > 1:
        raise SparringError(f"give {given[0]}= or {given[1]}=, not both, in {spec.text!r}")
    return given[0] if given else ""


def only_options(spec: Spec, known: Collection[str], weights: bool = False, name: bool = False) -> None:
    """Refuse unknown options, weights for an agent without terms, and a name after the colon that is not expected."""
    head, _, rest = spec.name.partition(":")
    if rest and not name:
        raise SparringError(f"{head} takes no name after it, but {spec.text!r} gives {rest}")
    for option in spec.options:
        if not known:
            raise SparringError(f"{spec.name} takes no options, but {spec.text!r} gives {option}")
        if option not in known:
            raise unknown(f"option of {spec.name}", option, known)
    if spec.weights and not weights:
        raise SparringError(f"{spec.name} has no terms to weigh in {spec.text!r}; leave the brackets out")


def flag(spec: Spec, option: str) -> bool:
    """Return whether an option that has no value is given."""
    if spec.options.get(option):
        raise SparringError(f"{option} takes no value in {spec.text!r}; leave it out to do without")
    return option in spec.options


def one_of(words: Collection[str], spec: Spec, option: str, otherwise: str) -> str:
    """Return an option that is one of some words, or its default."""
    word = spec.options.get(option, otherwise)
    if word not in words:
        raise unknown(f"value of {option}", word, words)
    return word


def up_to(most: int, spec: Spec, option: str, otherwise: int, least: int = 1) -> int:
    """Return an option that is a whole number within bounds, or its default."""
    return parse_whole_number(option, spec.options[option], least, most) if option in spec.options else otherwise


def number_within(spec: Spec, option: str, least: float, otherwise: float, most: float) -> float:
    """Return an option that is a number within bounds, or its default."""
    value = parse_number(option, spec.options[option]) if option in spec.options else otherwise
    if not least <= value <= most:
        raise SparringError(f"{option} must be from {least:g} to {most:g}, not {value:g}, in {spec.text!r}")
    return value
