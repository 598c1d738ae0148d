"""The `spar` commands as Python functions with typed results.

A game is given by name or as an object from `game(...)`; an agent by its text or as an object.
"""

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, overload

from sparring.agents import spec as specs
from sparring.agents.agent import Agent, DeclaredAgent, View, attributed_to
from sparring.agents.agent import agent as declared_agent
from sparring.agents.bench import Bench
from sparring.agents.bench import bench as bench_agents
from sparring.agents.decision import Decision
from sparring.analysis.blunders import Blunders
from sparring.analysis.blunders import blunders as find_blunders
from sparring.analysis.exploit import ExploitResult
from sparring.analysis.exploit import exploit as exploit_agent
from sparring.analysis.grade import ExactGrades, Grades
from sparring.analysis.grade import grade as grade_agents
from sparring.analysis.suite import Suite
from sparring.analysis.suite import suite as solve_suite
from sparring.arena.experiment import Contest, load, make_experiment
from sparring.arena.result import Tournament
from sparring.arena.run import count_differences
from sparring.arena.run import run as run_contest
from sparring.arena.store import Store
from sparring.arena.summary import PartResults, printed_text
from sparring.arguments import (
    opened_store,
    optional_store,
    optional_workers,
    position_of,
    require_agents,
    require_list,
    require_texts,
    set_up,
    text_of,
    with_options,
)
from sparring.claims.answers import SIZES, Answer, Findings, answered
from sparring.claims.document_file import DocumentFile, numbers
from sparring.claims.page import write as write_findings
from sparring.core import defaults
from sparring.core.amounts import setting
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError, unknown
from sparring.core.progress import Progress, with_bar
from sparring.core.terms import Heuristic
from sparring.games import registry
from sparring.games.capabilities import Solution, Solver, needed
from sparring.games.check import ContractReport
from sparring.games.check import check as check_game
from sparring.games.contract import Game, Position
from sparring.learning.learner import Learner, LearningResult
from sparring.learning.learner import learn as run_learner
from sparring.learning.qlearning import QLearner, QSettings
from sparring.learning.td import TdLearner, TdSettings
from sparring.tuning.ablation import Ablation
from sparring.tuning.ablation import ablate as ablate_agent
from sparring.tuning.run import tune as run_tuning
from sparring.tuning.task import Tuning
from sparring.tuning.tuned import Tuned, refuse_other

Player = str | Agent | Heuristic | DeclaredAgent | type
"""A player: the text of an agent, an agent, or a function or class declared by `@heuristic` or `@agent`."""


def game(name: str, **options: Any) -> Game:
    """Return a game by name with its options, e.g. `game("isolation", board="6x6")`."""
    return registry.game(name, **options)


@overload
def agent(game: str | Game, *, files: Sequence[str] = ()) -> Callable[[Any], Any]: ...
@overload
def agent(game: str | Game, spec: Player, strict: bool = False, **options: Any) -> Agent: ...


def agent(
    game: str | Game, spec: Player | None = None, strict: bool = False, files: Sequence[str] = (), **options: Any
) -> Any:
    """Return the agent of a text or a heuristic, with the options of its search and of the game, such as `nodes=300`.

    Without either it is a decorator: it declares a function of a View, or a class, as an agent; `files` are those that
    the agent reads in a game.
    """
    if spec is None:
        return declared_agent(game.name if isinstance(game, Game) else game, files=files)
    played, options = with_options(game, options)
    if not isinstance(spec, Agent):
        return specs.agent(played, spec, strict, _warning(), options)
    for option in options:
        raise SparringError(f"{spec.name} is an agent already: give {option} where it is made")
    return spec


def _agents(game: Game, players: Sequence[Player], strict: bool) -> list[Agent]:
    require_agents(players)
    warn = _warning()
    return [one if isinstance(one, Agent) else specs.agent(game, one, strict, warn) for one in players]


def match(game: str | Game, *agents: Player, **settings: Any) -> Tournament:
    """Let agents meet at one table, each in every seat equally often: two agents, or as many as the game seats.

    The settings are those of `league`.
    """
    game, settings = with_options(game, settings)
    if len(agents) != (seats := game.seats):
        told = f"a match takes {'two' if seats == 2 else seats} agents, not {len(agents)}"
        raise SparringError(f"{told}; `spar agents {game.name}` lists them, `spar games` the options of the game")
    if seats > 2:
        settings["tables"] = [[one if isinstance(one, str) else agent(game, one).name for one in agents]]
    return league(game, list(dict.fromkeys(agents)) if seats > 2 else agents, **settings)


@with_bar
def league(
    game: str | Game,
    agents: Sequence[Player],
    *,
    games: int | str = defaults.GAMES,
    seed: int = defaults.SEED,
    workers: int | None = None,
    cluster: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: Store | None = None,
    **settings: Any,
) -> Tournament:
    """Let every agent meet every other in `games` games. At tables of more than two, every group of agents plays.

    Other settings are those of an experiment file: `limit="150ms"`, `sprt="0:10"`, `decisions=True`. If the game is
    given by name, its options may be among them.
    """
    played, settings = with_options(game, settings)
    contest = _contest(played, agents, strict, settings | {"games": games, "seed": seed})
    return _played(contest, store, workers, cluster, progress)


@with_bar
def run(
    file: str | Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: Store | None = None,
    **changes: Any,
) -> Tournament | PartResults:
    """Play an experiment from its file, or by its name if it comes with a game.

    `changes` replace settings of the file, e.g. `games=20` or `timed=True`. `only=["improved"]` leaves all other agents
    or contestants out.
    """
    require_list("agents", changes.get("only", []), "only")
    words = ["spar", "run", str(file)]
    for key, value in changes.items():
        words += ["--time"] if key == "timed" else [f"--{key}", ",".join(value) if key == "only" else str(value)]
    source, warn = shlex.join(words), _warning()
    contests = [Contest.of(experiment, strict, warn, places) for experiment, places in load(file, **changes)]
    if "limit" in changes and any(contest.experiment.limits().move is None for contest in contests):
        raise SparringError("these agents count nodes, so a limit has no effect; with --time they play by the clock")
    results: list[Tournament] = []
    games = sum(contest.games for contest in contests)
    started = time.perf_counter()

    def tell(done: int, _: int, known: str = "") -> None:
        if progress:
            progress(sum(result.contest.games for result in results) + done, games, known)

    for contest in contests:
        results.append(_played(contest, store, workers, cluster, tell, source))
        if results[-1].interrupted:
            break
    if len(contests) == 1:
        return results[0]
    return PartResults(tuple(results), source + (store.option if store else ""), time.perf_counter() - started)


def _played(
    contest: Contest,
    store: Store | None,
    workers: int | None,
    cluster: str | None,
    progress: Progress | None,
    source: str = "",
) -> Tournament:
    """Play an experiment, and show what agents in processes of their own printed."""
    result = run_contest(contest, optional_store(store), optional_workers(workers), cluster, progress, source)
    for name, output in result.printed.items():
        print(printed_text(name, output), file=sys.stderr, flush=True)
    return result


class Comparison(NamedTuple):
    """Counts of games: shared by an experiment and its repetition, different among these, and of each of them."""

    common: int
    differ: int
    kept: int
    anew: int
    interrupted: bool

    def __str__(self) -> str:
        if self.common < max(self.kept, self.anew):
            both = f"the {self.common:,} games in both, of {self.kept:,} kept and {self.anew:,} played anew"
            return f"compared only {both}{' so far' if self.interrupted else ''}: {self.differ:,} went another way"
        if self.differ:
            return f"{self.differ:,} of {self.common:,} games went another way than those kept"
        return f"all {self.common:,} games are those kept, move for move"

    def __repr__(self) -> str:
        return str(self)


@with_bar
def again(
    id: str,
    *,
    store: Store | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> tuple[Tournament, Comparison]:
    """Play a kept experiment again from its beginning, with the code that its agents had then, and compare.

    Without a store, the experiment is looked up in the user's own, where commands keep their games.
    """
    with opened_store(store) as games:
        id, option = games.find(id), games.option
        contest, code, kept = games.contest(id), games.code(id), list(games.batches(id))
    warn = _warning()
    for then, now, what in zip_longest(
        code.split("-"), registry.code(contest.game.name).split("-"), ("Sparring itself", "a plug-in")
    ):
        if then != now:
            warn(f"{what} has changed since these games were played")
    for member in contest.participants:
        for file in specs.Spec.parse(member.spec).changed(member.sources):
            warn(f"{file} of {member.name} has changed since these games were played")
    before = Tournament(contest, kept)
    result = _played(contest, None, workers, cluster, progress, f"spar run --again {id}{option}")
    return result, Comparison(*count_differences(before, result), before.played, result.played, result.interrupted)


def report(id: str, *, store: Store | None = None, decisions: bool = False) -> Tournament:
    """Return the result of a kept experiment, from the games that are there.

    Without a store, the experiment is looked up in the user's own, where commands keep their games.
    """
    with opened_store(store) as games:
        id = games.find(id)
        batches = list(games.batches(id, decisions))
        return Tournament(games.contest(id), batches, kept=True, store=games.option, source=games.command(id))


def _contest(played: Game, agents: Sequence[Player], strict: bool, settings: Mapping[str, Any]) -> Contest:
    """Make an experiment of agents that are texts or objects."""
    require_list("agents", agents)
    if len(agents) < 2:
        raise SparringError("name at least two agents; `spar agents GAME` lists them")
    named = all(isinstance(one, str) for one in agents) and played.name in registry.names()
    made = [] if named else _agents(played, agents, strict)
    names = list(agents) if named else [one.name for one in made]
    options = played.options() if named else {}
    experiment = make_experiment(game=played.name, options=options, agents=names, **settings)
    return Contest.of(experiment, strict, _warning()) if named else Contest.between(experiment, played, made)


def explain(
    game: str | Game,
    agent_: Player,
    position: str | Position | None = None,
    *,
    player: str | int | None = None,
    seed: int = defaults.SEED,
    strict: bool = False,
    **options: Any,
) -> Decision:
    """Return what an agent would play in a position, with the score, line and terms of every candidate.

    If several players move at once, name the `player`; `explain_all` asks for all of them.
    """
    at = _to_act(game, options, position, seed)
    return _explained(at, [_seat(at, player)], agent_, seed, strict)[0]


def explain_all(
    game: str | Game,
    agent_: Player,
    position: str | Position | None = None,
    *,
    seed: int = defaults.SEED,
    strict: bool = False,
    **options: Any,
) -> list[Decision]:
    """Return a decision for each player that is to act, as if each were the agent."""
    at = _to_act(game, options, position, seed)
    return _explained(at, at.actors, agent_, seed, strict)


def _to_act(game: str | Game, options: Mapping[str, Any], position: str | Position | None, seed: int) -> Position:
    """Return a position with a player to move, from its text or as the opening of a seed."""
    played = set_up(game, options)
    at = played.start(seed) if position is None else position_of(played, position)
    if at.over:
        raise SparringError(f"the game is over in {at.text}; no player is to move")
    return at


def _explained(at: Position, seats: Sequence[int], agent_: Player, seed: int, strict: bool) -> list[Decision]:
    (asked,) = _agents(at.game, [agent_], strict)  # a position from a log knows its own rules
    seed = setting("seed", seed)
    with attributed_to(asked):
        return [asked.explain(View.of(at, seat, players_dice(seed, seat))) for seat in seats]


def _seat(position: Position, named: str | int | None) -> int:
    """Return the player to move, or the player that is named by its number or its name on the board."""
    acting = {position.game.player_name(seat): seat for seat in position.actors}
    if named is None and len(acting) == 1:
        return position.mover
    if named is None:
        raise SparringError(f"several move at once: name a player of {', '.join(acting)}, or ask explain_all")
    for name, seat in acting.items():
        if named in (name, seat):
            return seat
    raise unknown("player to move", str(named), acting)


@with_bar
def solve(
    game: str | Game,
    position: str | Position | None = None,
    *,
    first: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Solution:
    """Solve a position exactly, move by move. Without a position, solve the whole game."""
    played = set_up(game, options)
    exact = needed(played, Solver)
    if position is None:
        return exact.solve_game(played, first, progress)
    return exact.solve_position(position_of(played, position), progress)


@with_bar
def grade(
    game: str | Game,
    agents: Sequence[Player],
    *,
    games: int | str = defaults.GRADED_GAMES,
    seed: int = defaults.SEED,
    strict: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Grades | ExactGrades:
    """Grade agents by the exact solver.

    If every state is solved, the grade is the value against perfect play; else it says how often an agent keeps a won
    game won, in positions of some games.
    """
    played = set_up(game, options)
    asked = _agents(played, agents, strict)
    return grade_agents(played, asked, setting("games", games), setting("seed", seed), progress)


@with_bar
def learn(
    game: str | Game,
    *,
    td: str | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> LearningResult:
    """Learn a table of Q-values by playing, or with `td="linear"` or `td="net"` the values of positions; write a file.

    Settings are those of the command: `games=200_000`, `state="zone:corrected"`, `against="self"`, `trace=0.9`. The
    same call continues after an interruption.
    """
    kind: type[QSettings | TdSettings] = TdSettings if td else QSettings
    for name in settings:
        if name not in kind.__dataclass_fields__:
            raise unknown("setting of --td" if td else "setting of learn", name, kind.__dataclass_fields__)
    played = set_up(game)
    made: Learner = TdLearner(played, TdSettings(td, **settings)) if td else QLearner(played, QSettings(**settings))
    return run_learner(made, Path(out) if out else None, progress)


@with_bar
def exploit(
    game: str | Game,
    agent_: Player,
    *,
    games: int | str = defaults.EXPLOITED_GAMES,
    seed: int = defaults.SEED,
    plies: int = 1,
    strict: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> ExploitResult:
    """Measure how an agent does against an opponent that knows it."""
    played = set_up(game, options)
    (asked,) = _agents(played, [agent_], strict)
    games, seed, plies = setting("games", games), setting("seed", seed), setting("plies", plies)
    return exploit_agent(played, asked, games, seed, plies, progress)


@with_bar
def suite(
    game: str,
    agents: Sequence[str],
    *,
    cases: str | Path | None = None,
    tries: int = defaults.TRIES,
    seed: int = defaults.SEED,
    strict: bool = False,
    progress: Progress | None = None,
) -> Suite:
    """Measure how often agents solve the positions of a game's suite, or of a file."""
    require_agents(agents)
    tries, seed, file = setting("tries", tries), setting("seed", seed), Path(cases) if cases else None
    return solve_suite(game, agents, tries, seed, progress, file, strict, _warning())


@with_bar
def blunders(
    id: str,
    *,
    store: Store | None = None,
    game: int | None = None,
    agent: str | None = None,
    most: int = defaults.LOSSES,
    judge: str | None = None,
    seed: int = defaults.SEED,
    progress: Progress | None = None,
) -> Blunders:
    """Find the worst decision in some lost games of a kept experiment.

    With `agent`, only its losses count; with `game`, only this game. The judge is any agent that gives scores.
    """
    most, seed = setting("most", most), setting("seed", seed)
    game = None if game is None else setting("game", game)
    result = report(id, store=store)
    known = specs.agent(result.contest.game, judge or specs.default_judge(result.contest.game), warn=_warning())
    return find_blunders(result, known, game, agent, most, seed, progress)


@with_bar
def tune(
    game: str | Game,
    agent_: Player,
    *,
    against: Sequence[str] = (),
    games: int | str = defaults.TUNED_GAMES,
    method: str = "spsa",
    only: Sequence[str] = (),
    confirm: int | str | None = None,
    seed: int = defaults.SEED,
    out: str | Path | None = None,
    workers: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: Store | None = None,
    **options: Any,
) -> Tuned:
    """Find better weights for an agent, confirm them on new seeds, and write the tuned agent to a file.

    With a store, the same call continues after an interruption. This and a file need an agent with a text, not a
    heuristic that is an object.
    """
    played = set_up(game, options)
    require_texts("terms", only, "only")
    require_texts("agents", against, "against")
    games, seed = setting("games", games), setting("seed", seed)
    confirmed = None if confirm is None else setting("confirm", confirm)
    opponents, file = tuple(dict.fromkeys(against)), Path(out) if out else None
    kept, many = optional_store(store), optional_workers(workers)
    with text_of(agent_, kept=store or out) as (text, lasting):
        tuning = Tuning(played, text, opponents, games, method, tuple(only), confirmed, seed, str(out or ""), lasting)
        if file:
            refuse_other(file, tuning)
        tuned = run_tuning(tuning, kept, many, progress, strict, _warning())
    if file and not tuned.interrupted:
        tuned.write(file)
    return tuned


@with_bar
def ablate(
    game: str | Game,
    agent_: Player,
    *,
    games: int | str = defaults.ABLATED_GAMES,
    only: Sequence[str] = (),
    seed: int = defaults.SEED,
    workers: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: Store | None = None,
    **options: Any,
) -> Ablation:
    """Measure what each term of an agent is worth, and each flaw of its design; or only some of them."""
    played = set_up(game, options)
    require_texts("terms", only, "only")
    games, seed = setting("games", games), setting("seed", seed)
    kept, many = optional_store(store), optional_workers(workers)
    with text_of(agent_, kept=store) as (text, lasting):
        ablation = ablate_agent(played, text, games, only, seed, kept, many, progress, strict, _warning())
    return ablation if lasting else replace(ablation, again="")


@with_bar
def reproduce(
    documents: Sequence[str | Path] = (),
    *,
    size: str = "quick",
    out: str | Path,
    store: Store | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    answer: Callable[[str, Answer], None] | None = None,
) -> list[Findings]:
    """Test the claims of design documents and write the page of findings.

    Documents are numbers or files; without any, all that come with the games are tested. `answer` is called with each
    answer as soon as it is known. A Ctrl-C raises KeyboardInterrupt; the same call continues.
    """
    require_list("documents", documents)
    workers = optional_workers(workers)
    if size not in SIZES:
        raise unknown("size", size, SIZES)
    source = shlex.join(["spar", "reproduce", *map(str, documents), "--size", size, "--out", str(out)])
    dossiers = [DocumentFile.of(one) for one in dict.fromkeys(documents or numbers())]
    found = []
    with opened_store(store, new=True) as games:
        for one in dossiers:
            tell = partial(answer, one.name) if answer else None
            found.append(answered(one, size, games, workers, progress, tell, source))
        write_findings(found, Path(out), source + games.option)
    return found


def check(game: str | Game, **options: Any) -> ContractReport:
    """Test that a game keeps its contract."""
    return check_game(set_up(game, options))


def bench(game: str | Game, **options: Any) -> Bench:
    """Measure the speed of a game's searches, and compute the signature of their play."""
    return bench_agents(set_up(game, options))


def _warning() -> Callable[[str], None]:
    """Return a function that prints each warning once: many agents may be made of one file."""
    told = set[str]()

    def warn(text: str) -> None:
        if text not in told:
            told.add(text)
            print(text, file=sys.stderr, flush=True)

    return warn
