"""The text form of an agent, the same wherever one is named. In games that can be played over the network a name may
also be an address, such as http://127.0.0.1:8001. A file such as tuned.toml stands for the text of the agent in it.

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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sparring.agents.agent import Agent, AgentFunction, FunctionAgent, RandomAgent
from sparring.agents.userfile import HASH, Sources, load, named_files, sources
from sparring.agents.values import learned_value, opened, terms_as_features
from sparring.core import plugins
from sparring.core.amounts import number_of, seconds_of, whole_number
from sparring.core.errors import CannotCompile, EndlessLoop, SparringError, unknown
from sparring.core.plugins import AGENTS, HEURISTICS, SEARCHES
from sparring.core.terms import Heuristic, Judge
from sparring.games import registry
from sparring.games.capabilities import offered
from sparring.games.contract import Game
from sparring.games.learnable import Features, StateEncoders
from sparring.search.tree import Budget

ALONE = ("alphabeta", "expectimax", "mcts")
"""The first of these that fits a game searches a heuristic that is named alone."""
Named = TypeVar("Named")
BUDGETS = frozenset({"nodes", "time", "iterations", "evolutions", "turns"})
"""Options of which an agent takes one."""
FILES = (".py", ".npz")
"""What names of a user's files end in, of code and of what was learned."""


@dataclass(frozen=True)
class Spec:
    """An agent's text taken apart, nothing in it looked up yet; and what becomes of a heuristic in it that cannot be
    compiled."""

    text: str
    name: str
    weights: Mapping[str, float]
    options: Mapping[str, str]
    strict: bool = field(default=False, compare=False)
    """Refuse it, rather than ask it in plain Python."""
    warn: Callable[[str], None] | None = field(default=None, compare=False)
    """Who is told that it is slow."""

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
        name, weights, options = shape.groups()
        given = dict(_pairs(text, options or ""))
        terms = {term: number_of(f"weight of {term}", value) for term, value in _pairs(text, weights or "")}
        return cls(text.strip(), name, terms, given)

    @property
    def remote(self) -> bool:
        """Whether it is the address of a player somewhere else."""
        return self.name.startswith(("http://", "https://"))

    @property
    def parts(self) -> list[str]:
        """Of its name, which may be those of files."""
        return [] if self.remote else self.name.split(":")

    @property
    def file(self) -> str:
        """The user's file that it names, if any."""
        return next((part for part in self.parts if part.endswith(".py")), "")

    def sources(self) -> Sources:
        """The code of the user's files, and a hash of each table, file and program that is named here or in the code.
        With another in its place it is another agent."""
        said = dict(sources(Path(self.file))) if self.file else {}
        said |= named_files(Path(self.file).resolve().parent, said)
        for part in self.parts:
            if part.endswith(".npz"):
                said[part] = hashlib.blake2b(Path(part).read_bytes(), digest_size=16).hexdigest().encode()
        return dict(sorted(said.items()))

    def changed(self, kept: Sources) -> list[str]:
        """The tables, files and programs that are not what they were when only their hashes were kept."""
        now = self.sources()
        return [name for name, hash in kept.items() if HASH.fullmatch(hash) and now.get(name) != hash]

    def but(self, weights: Mapping[str, float], options: Mapping[str, str]) -> "Spec":
        """The same agent with some weights and options replaced; a budget replaces the one there is."""
        budgeted = BUDGETS & options.keys()
        kept = {option: value for option, value in self.options.items() if not (budgeted and option in BUDGETS)}
        weights, options = {**self.weights, **weights}, {**kept, **options}
        weighed = ",".join(f"{term}={weight:.12g}" for term, weight in weights.items())
        words = [f"{option}={value}" if value else option for option, value in options.items()]
        text = ",".join([self.name + (f"({weighed})" if weighed else ""), *words])
        return replace(self, text=text, weights=weights, options=options)

    def opened(self, game: str) -> "Spec":
        """The agent that is meant: if a .toml file is named, the agent written there, with what is said beside it."""
        if not self.name.endswith(".toml"):
            return self
        written = Spec.parse(_agent_in(Path(self.name), game))
        return written._with_files(partial(_named_in, Path(self.name))).but(self.weights, self.options)

    def told_in(self, file: Path) -> str:
        """As a .toml file has it: other files are named from its folder."""
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
        """The same with other names of its files, unless they are named wherever one is."""
        parts = [named(one) if one.endswith(FILES) and not Path(one).is_absolute() else one for one in self.parts]
        return replace(self, name=":".join(parts) or self.name)


@dataclass(frozen=True)
class Search:
    """A search for every game that it fits: the object of an entry point in the group `sparring.searches`."""

    make: Callable[[Game, Spec, Any], Agent]
    """Makes an agent of a game, its spec and the heuristic named there: None if there is none."""
    options: str
    """Options that it takes, for example. With the first of them `spar bench` tries it."""
    fits: Callable[[Game], bool]
    alone: bool = False
    """Whether it can do without a heuristic."""
    needs: str = "another kind of game"
    """What it fits, in words."""


def _agent_in(file: Path, game: str) -> str:
    """The text of the agent that a file holds: game = "isolation" and agent = "next_moves(moves=2),nodes=300"."""
    try:
        said = tomllib.loads(file.read_text())
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


def _named_in(file: Path, name: str) -> str:
    """What we call a file that another names, which looks for it from its own folder."""
    place = os.path.normpath(file.parent.resolve() / name)
    return place if file.is_absolute() else os.path.relpath(place)


def _is_there(file: str) -> bool:
    try:
        return Path(file).is_file()
    except OSError:
        return False  # its name would be too long for a file


def _pairs(text: str, listed: str) -> list[tuple[str, str]]:
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in listed.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or (equals and not value):
            raise SparringError(f"cannot read {part!r} in the agent {text!r}; expected name=value")
        if key in pairs:
            raise SparringError(f"{key} is given twice in the agent {text!r}")
        pairs[key] = value
    return list(pairs.items())


def agent(
    game: Game,
    named: str | Heuristic | AgentFunction,
    strict: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Agent:
    """Make the agent that a text names. With `strict`, a heuristic that cannot be compiled is an error."""
    if isinstance(named, AgentFunction):
        return FunctionAgent(named.name, named)
    if isinstance(named, Heuristic):
        return _alone(game, Spec(named.name, named.name, {}, {}, strict, warn), named)
    asked = Spec.parse(named)
    spec = replace(asked.opened(game.name), strict=strict, warn=warn)
    for part in spec.parts if asked.name.endswith(".toml") else ():
        if part.endswith(FILES) and not (sources(Path(part)) if part.endswith(".py") else _is_there(part)):
            raise SparringError(f"{asked.name} names {part}, but there is no such file")
    made = _named(game, spec)
    made.sources = spec.sources()
    return made


def _named(game: Game, spec: Spec) -> Agent:
    if spec.remote:
        remote = _said(game, "REMOTE")
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
        search: Search = plugins.only(SEARCHES, "search", head)
        if not rest and not search.alone:
            raise SparringError(f"{head} needs a heuristic, e.g. {head}:{next(iter(heuristics(game)), 'my_file.py')}")
        return _searched(game, spec, search, heuristic_named(game, rest) if rest else None)
    if head.endswith(".npz"):
        return _alone(game, spec, heuristic_named(game, spec.name))
    if head.endswith(".py"):
        found = load(head, rest, game.name)
        if isinstance(found, AgentFunction):
            only_options(spec, (), name=True)
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
    """A heuristic with no search before it, searched in the way of its game, or by the search that is usual."""
    own = _said(game, "alone")
    if own and "search" not in spec.options:
        return own(game, spec, heuristic)  # type: ignore[no-any-return]
    chosen = spec.options.get("search") or _usual_search(game)
    options = {option: value for option, value in spec.options.items() if option != "search"}
    search: Search = plugins.only(SEARCHES, "search", chosen)
    return _searched(game, replace(spec, options=options), search, heuristic)


def _searched(game: Game, spec: Spec, search: Search, heuristic: Heuristic | None) -> Agent:
    if not search.fits(game):
        raise SparringError(f"{spec.text!r} needs {search.needs}, which {game.name} is not")
    return search.make(game, spec, heuristic)


def _usual_search(game: Game) -> str:
    fitting = _searches(game)
    return next((name for name in ALONE if name in fitting), ALONE[0])


class AgentsModule(Protocol):
    """What a module may say that a package declares under `sparring.agents`. All of it may be left out."""

    AGENTS: Mapping[str, Callable[[Game, Spec], Agent]]
    """The agents by name, each made from the game and the text that names it. The docstring tells what it does."""
    SEARCHES: Mapping[str, str]
    """Agents that may stand before a heuristic, and their options, for example."""
    BENCH: Sequence[str]
    """Agents for `spar bench`, at budgets without a clock. Left out: random play and the searches that fit."""
    EXAMPLE: str
    """A match to suggest, as words after the game's name, the strongest agent first."""
    REMOTE: Callable[[Game, Spec], Agent]
    """Makes the player behind an address. Left out: there are none."""
    EXPLOITER: Callable[[Game, Agent, int], Any]
    """Makes the opponent that knows an agent and looks some plies ahead. Left out: there is none."""

    def alone(self, game: Game, spec: Spec, heuristic: Heuristic) -> Agent:
        """The agent of a heuristic that is named alone. Left out: the first search of ALONE that fits."""

    def judged_by(self, game: Game) -> str:
        """The agent that knows most of the game. Left out: the first of EXAMPLE."""


def _said(game: Game, name: str, otherwise: Any = None) -> Any:
    """What the packages with agents of a game say under a name of `AgentsModule`: the first that says something."""
    modules = registry.modules(AGENTS, game.name).values()
    return next((getattr(module, name) for module in modules if hasattr(module, name)), otherwise)


def _merged(game: Game, kind: str, found: Mapping[str, Mapping[str, Named]]) -> dict[str, Named]:
    """What packages have of a kind, by name. What is called like something of an earlier package cannot be named."""
    merged, owner = dict[str, Named](), dict[str, str]()
    for package, things in found.items():
        for name, thing in things.items():
            if merged.setdefault(name, thing) is not thing:
                both = f"{owner[name]} and {package}"
                plugins.complain(
                    f"the packages {both} both have the {kind} {name} of {game.name}; that of {owner[name]} plays"
                )
            owner.setdefault(name, package)
    return merged


def _agents(game: Game) -> dict[str, Callable[[Game, Spec], Agent]]:
    """The makers of a game's own agents, and of those that play by tables where the game has states for them."""
    modules = registry.modules(AGENTS, game.name)
    own = _merged(game, "agent", {package: getattr(module, "AGENTS", {}) for package, module in modules.items()})
    return {**({"tabular": tabular} if StateEncoders in game.offers else {}), **own}


def tabular(game: Game, spec: Spec) -> Agent:
    """The best move by a table that was learned: tabular:NAME, or tabular:FILE.npz made by `spar learn`."""
    from sparring.agents.tables import Tabular

    return Tabular(game, spec)


def _searches(game: Game) -> dict[str, Search]:
    """The searches that fit a game."""
    found = plugins.all_of(points[0] for points in plugins.declared(SEARCHES).values() if len(points) == 1)
    return {point.name: search for point, search in found if search.fits(game)}


def searches(game: Game) -> Mapping[str, str]:
    """What may stand before a heuristic of a game, and the options it takes, for example."""
    general = {name: search.options for name, search in _searches(game).items()}
    return {**general, **_said(game, "SEARCHES", {})}


def named_agents(game: Game) -> dict[str, str]:
    """The agents of a game that have a name of their own, and what each does."""
    made = {"random": RandomAgent, **_agents(game)}
    made |= {name: search.make for name, search in _searches(game).items() if search.alone and name not in made}
    return {name: " ".join((maker.__doc__ or "").split()) for name, maker in made.items()}


def has_exploiter(game: Game) -> bool:
    return _said(game, "EXPLOITER") is not None


def exploiter(game: Game, victim: Agent, plies: int) -> Any:
    """The opponent that knows an agent, in games that have one."""
    if not has_exploiter(game):
        raise SparringError(f"{game.name} has no exploiter: nobody there knows what an agent will do")
    return _said(game, "EXPLOITER")(game, victim, plies)


def example(game: Game) -> str:
    """A match worth watching, as words after the game's name."""
    best = next((name for name in [*heuristics(game), *named_agents(game)] if name != "random"), "my_file.py")
    return str(_said(game, "EXAMPLE", f"{best} random"))


def judged_by(game: Game) -> str:
    """The agent that knows most of a game: its solver, if it has one, else a search that looks further than others."""
    judge = _said(game, "judged_by")
    return str(judge(game)) if judge else example(game).split()[0]


def benched(game: Game) -> list[str]:
    """The agents whose decisions `spar bench` sums up, at budgets that do not depend on a clock."""
    heuristic = next(iter(heuristics(game)), "")
    fitting = {name: search for name, search in _searches(game).items() if heuristic or search.alone}
    budgets = {name: search.options.split()[:1] for name, search in fitting.items()}
    searching = [",".join([f"{name}:{heuristic}".strip(":"), *budget]) for name, budget in budgets.items()]
    return list(_said(game, "BENCH", ["random", *searching]))


def heuristics(game: Game) -> dict[str, Heuristic]:
    """The heuristics that come with a game."""
    found = {
        package: {one.name: one for one in vars(module).values() if isinstance(one, Heuristic)}
        for package, module in registry.modules(HEURISTICS, game.name).items()
    }
    return _merged(game, "heuristic", found)


def heuristic_named(game: Game, name: str) -> Heuristic:
    """A heuristic that comes with the game, or from a user's file."""
    file, _, inside = name.partition(":")
    if file.endswith(".py"):
        found = load(file, inside, game.name)
        if isinstance(found, AgentFunction):
            raise SparringError(f"{name} is an agent, not a heuristic; name it alone: {name}")
        return found
    if name.endswith(".npz"):
        return _learned(game, name)
    if name not in heuristics(game):
        raise unknown(f"heuristic of {game.name}", name, heuristics(game))
    return heuristics(game)[name]


def _learned(game: Game, file: str) -> Heuristic:
    """A value that somebody has learned and kept in a file."""
    settings, _ = opened(Path(file), game.name)
    features = features_named(game, settings["features"])
    return learned_value(Path(file).stem, game.name, features, settings["hidden"], Path(file))


def features_named(game: Game, name: str) -> Features:
    """The terms of a heuristic that comes with the game, or without a name the game's own features."""
    if name:
        if name not in heuristics(game):
            raise unknown(f"heuristic of {game.name}", name, heuristics(game))
        return terms_as_features(game, heuristics(game)[name])
    own = offered(game, Features)
    if own is None:
        known = next(iter(heuristics(game)), "HEURISTIC")
        raise SparringError(f"{game.name} has no features of its own: name a heuristic, as in --features {known}")
    return own


def heuristic_of(game: Game, spec: Spec, usual: str) -> Heuristic:
    """The heuristic that a spec names after the agent, or else the usual one."""
    return heuristic_named(game, spec.name.partition(":")[2] or usual)


def judge_of(game: Game, spec: Spec, heuristic: Heuristic) -> Judge:
    """A heuristic weighed as a spec says, ready for the compiled code of whoever plays by it. A user's that cannot be
    compiled is asked in plain Python."""
    try:
        return heuristic.judge(game.state, spec.weights)
    except CannotCompile as error:
        if heuristic.built_in:
            raise
        _try_plainly(heuristic, game)
        if spec.strict:
            raise
        if spec.warn:
            spec.warn(f"{error}\nplaying on in plain Python, with the same moves but far fewer nodes a second")
    return Judge(heuristic, heuristic.weigh(spec.weights), heuristic.plain_score(game.state), compiled=False)


def _try_plainly(heuristic: Heuristic, game: Game) -> None:
    """What fails in plain Python too is no matter of the compiler but a slip: say where it is."""
    try:
        heuristic.plain_terms(game.start().state, 0)
    except EndlessLoop:
        raise
    except Exception as error:
        file = heuristic.function.__code__.co_filename
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        raise SparringError(f"{file}:{lines[-1] if lines else ''}: {type(error).__name__}: {error}") from error


def budget_of(spec: Spec) -> Budget:
    only_one(spec, ("nodes", "time"))
    options = spec.options
    return Budget(
        nodes=whole_number("nodes", options["nodes"]) if "nodes" in options else None,
        depth=whole_number("depth", options["depth"]) if "depth" in options else None,
        seconds=seconds_of("time", options["time"]) if "time" in options else None,
    )


def iterations_or_time(spec: Spec, usual: int) -> Budget:
    """The budget of a search that goes on by iterations."""
    match only_one(spec, ("iterations", "time")):
        case "iterations":
            return Budget(nodes=whole_number("iterations", spec.options["iterations"]))
        case "time":
            return Budget(seconds=seconds_of("time", spec.options["time"]))
    return Budget(nodes=usual, assumed=True)


def only_one(spec: Spec, options: Collection[str]) -> str:
    """Which of some options is given that cannot go together, if any."""
    given = [option for option in options if option in spec.options]
    if len(given) > 1:
        raise SparringError(f"give {given[0]}= or {given[1]}=, not both, in {spec.text!r}")
    return given[0] if given else ""


def only_options(spec: Spec, known: Collection[str], weights: bool = False, name: bool = False) -> None:
    """Refuse options that an agent does not take, weights where there is nothing to weigh, and a name after the colon
    where none is expected: of a heuristic, an edition or a table."""
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
    """Whether an option is given that has no value."""
    if spec.options.get(option):
        raise SparringError(f"{option} takes no value in {spec.text!r}; leave it out to do without")
    return option in spec.options


def one_of(words: Collection[str], spec: Spec, option: str, otherwise: str) -> str:
    """An option that is one of some words, or what it is if nothing is said."""
    word = spec.options.get(option, otherwise)
    if word not in words:
        raise unknown(f"value of {option}", word, words)
    return word


def up_to(most: int, spec: Spec, option: str, otherwise: int, least: int = 1) -> int:
    """An option that is a number, but not more than some, or what it is if nothing is said."""
    return whole_number(option, spec.options[option], least, most) if option in spec.options else otherwise


def number_within(spec: Spec, option: str, least: float, otherwise: float, most: float) -> float:
    """An option that is a number within bounds, or what it is if nothing is said."""
    value = number_of(option, spec.options[option]) if option in spec.options else otherwise
    if not least <= value <= most:
        raise SparringError(f"{option} must be from {least:g} to {most:g}, not {value:g}, in {spec.text!r}")
    return value
