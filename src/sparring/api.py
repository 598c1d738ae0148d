"""The workbench from Python: what the `spar` commands do, as functions with typed results.

A game may be given by name or as an object made by `game(...)`; agents by their specs or as objects. What only
one function needs is imported there: nobody should wait for what they do not use.
"""

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from sparring.agents import spec as specs
from sparring.agents.agent import Agent, AgentFunction, View, blaming
from sparring.agents.agent import agent as declared_agent
from sparring.agents.decision import Decision
from sparring.arena.experiment import Contest, described, load
from sparring.arena.parts import Parts
from sparring.arena.result import Tournament
from sparring.arena.run import differing
from sparring.arena.run import run as run_contest
from sparring.arguments import (
    checked_store,
    checked_workers,
    position_of,
    refuse_no_store,
    refuse_nobody,
    refuse_single,
    set_up,
    studied_game,
    with_options,
)
from sparring.core import defaults
from sparring.core.amounts import setting
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError, unknown
from sparring.core.progress import Progress
from sparring.core.terms import Heuristic
from sparring.games import registry
from sparring.games.capabilities import Solved, Solver, needed
from sparring.games.contract import Action, Game, Position

if TYPE_CHECKING:
    from sparring.agents.bench import Bench
    from sparring.analysis.blunders import Blunders
    from sparring.analysis.exploit import Exploited
    from sparring.analysis.grade import Grades
    from sparring.analysis.suite import Suite
    from sparring.analysis.worth import Worths
    from sparring.arena.store import Store
    from sparring.claims.answers import Answer, Findings
    from sparring.games.check import Check
    from sparring.learning.course import Learned
    from sparring.tuning.ablation import Ablation
    from sparring.tuning.tuned import Tuned

Player = str | Agent | Heuristic | AgentFunction
"""What may be named as a player: a spec, an agent, or what `@heuristic` and `@agent` make of a function."""


def game(name: str, **options: Any) -> Game:
    """A game by name with its options, e.g. `game("isolation", board="6x6")`."""
    return registry.game(name, **options)


@overload
def agent(game: "str | Game") -> Callable[[Callable[[View], Action | str]], AgentFunction]: ...
@overload
def agent(game: "str | Game", spec: Player, strict: bool = False, **options: Any) -> Agent: ...


def agent(game: "str | Game", spec: Player | None = None, strict: bool = False, **options: Any) -> Any:
    """With a spec, the agent it names. Without, a decorator: it declares a function of a View as an agent."""
    if spec is None:
        return declared_agent(game.name if isinstance(game, Game) else game)
    return _agents(set_up(game, options), [spec], strict)[0]


def _agents(game: Game, players: Sequence[Player], strict: bool) -> list[Agent]:
    made, warn = list[Agent](), _warning()
    refuse_nobody(players)
    for one in players:
        if not isinstance(one, str | Agent | Heuristic | AgentFunction):
            raise SparringError(
                f"{one!r} is no agent; put @agent(...) or @heuristic(...) above a function, or name one"
            )
        made.append(one if isinstance(one, Agent) else specs.agent(game, one, strict, warn))
    return made


def match(
    game: "str | Game",
    *agents: Player,
    **settings: Any,
) -> Tournament:
    """Let agents meet at one table, in every seating: two of them, or as many as the game seats.

    Settings are those of `league`.
    """
    game, settings = with_options(game, settings)
    if len(agents) != (seats := game.seats):
        told = f"a match takes {'two' if seats == 2 else seats} agents, not {len(agents)}"
        raise SparringError(f"{told}; `spar agents {game.name}` lists them, `spar games` the options of the game")
    if seats > 2:
        settings["tables"] = [[one if isinstance(one, str) else agent(game, one).name for one in agents]]
    return league(game, list(dict.fromkeys(agents)) if seats > 2 else agents, **settings)


def league(
    game: "str | Game",
    agents: Sequence[Player],
    *,
    games: int | str = defaults.GAMES,
    seed: int = defaults.SEED,
    workers: int | None = None,
    cluster: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: "Store | None" = None,
    **settings: Any,
) -> Tournament:
    """Let every agent meet every other in `games` games; at tables of more than two, every group that fits.

    Settings are whatever else an experiment file may say: `limit="150ms"`, `sprt="0:10"`, `decisions=True`. The options
    of a game that is named may stand among them.
    """
    played, settings = with_options(game, settings)
    contest = _contest(played, agents, strict, settings | {"games": games, "seed": seed})
    return run_contest(contest, checked_store(store), checked_workers(workers), cluster, progress)


def run(
    file: "str | Path",
    *,
    workers: int | None = None,
    cluster: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: "Store | None" = None,
    **changes: Any,
) -> "Tournament | Parts":
    """Play an experiment, from its file or, if it comes with a game, by its name; perhaps with other settings than
    it says, e.g. `games=20` or `timed=True`; `only=["improved"]` leaves all other agents or contestants out."""
    refuse_single("agents", changes.get("only", []), "only")
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
    for contest in contests:
        before = sum(result.contest.games for result in results)

        def tell(done: int, _: int, known: str = "", before: int = before) -> None:
            if progress:
                progress(before + done, games, known)

        results.append(run_contest(contest, checked_store(store), checked_workers(workers), cluster, tell, source))
        if results[-1].interrupted:
            break
    if len(contests) == 1:
        return results[0]
    return Parts(tuple(results), source + (store.option if store else ""), time.perf_counter() - started)


class Compared(NamedTuple):
    """An experiment as it was kept and as it was played anew: how many games are in both, and in each."""

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


def again(
    id: str,
    *,
    store: "Store",
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> tuple[Tournament, Compared]:
    """Play a kept experiment anew, from its beginning and by the code its agents had then, and compare."""
    refuse_no_store(store)
    id = store.find(id)
    contest = store.contest(id)
    kept = Tournament(contest, store.sheets(id))
    warn = _warning()
    for then, now, what in zip_longest(
        store.code(id).split("-"), registry.code(contest.game.name).split("-"), ("Sparring itself", "a plug-in")
    ):
        if then != now:
            warn(f"{what} has changed since these games were played")
    for member in contest.members:
        for file in specs.Spec.parse(member.spec).changed(member.sources):
            warn(f"{file} of {member.name} has changed since these games were played")
    result = run_contest(contest, None, workers, cluster, progress, f"spar run --again {id}{store.option}")
    return result, Compared(*differing(kept, result), kept.played, result.played, result.interrupted)


def report(id: str, *, store: "Store", decisions: bool = False) -> Tournament:
    """What a kept experiment proves, from the games that are there."""
    refuse_no_store(store)
    id = store.find(id)
    sheets = store.sheets(id, decisions)
    return Tournament(store.contest(id), sheets, kept=True, store=store.option, source=store.command(id))


def _contest(played: Game, agents: Sequence[Player], strict: bool, settings: Mapping[str, Any]) -> Contest:
    """An experiment of agents named by their texts, or of whatever objects are at hand."""
    refuse_single("agents", agents)
    if len(agents) < 2:
        raise SparringError("name at least two agents; `spar agents GAME` lists them")
    named = all(isinstance(one, str) for one in agents) and played.name in registry.names()
    made = [] if named else _agents(played, agents, strict)
    names = list(agents) if named else [one.name for one in made]
    options = played.options() if named else {}
    experiment = described(game=played.name, options=options, agents=names, **settings)
    return Contest.of(experiment, strict, _warning()) if named else Contest.between(experiment, played, made)


def explain(
    game: "str | Game",
    agent_: Player,
    position: "str | Position | None" = None,
    *,
    player: str | int | None = None,
    seed: int = defaults.SEED,
    strict: bool = False,
    **options: Any,
) -> Decision:
    """What an agent would play in a position, with every candidate's score, line and terms. Where several move at once
    it needs a `player`; `explain_all` asks for all of them."""
    at, seed = _to_act(game, options, position, seed)
    return _explained(at, [_seat(at, player)], agent_, seed, strict)[0]


def explain_all(
    game: "str | Game",
    agent_: Player,
    position: "str | Position | None" = None,
    *,
    seed: int = defaults.SEED,
    strict: bool = False,
    **options: Any,
) -> list[Decision]:
    """The same for every player that is to act, each as if it were the agent: one decision, or several where several
    move at once."""
    at, seed = _to_act(game, options, position, seed)
    return _explained(at, at.actors, agent_, seed, strict)


def _to_act(
    game: "str | Game", options: Mapping[str, Any], position: "str | Position | None", seed: int
) -> tuple[Position, int]:
    """A position in which somebody is to move, from its text or the opening of a seed; and the seed, checked."""
    played, seed = set_up(game, options), setting("seed", seed)
    at = played.start(seed) if position is None else position_of(played, position)
    if at.over:
        raise SparringError(f"the game is over in {at.text}; nobody is to move")
    return at, seed


def _explained(at: Position, seats: Sequence[int], agent_: Player, seed: int, strict: bool) -> list[Decision]:
    (asked,) = _agents(at.game, [agent_], strict)  # a position from a log knows its own rules
    with blaming(asked):
        return [asked.explain(View.of(at, seat, players_dice(seed, seat))) for seat in seats]


def _seat(position: Position, named: str | int | None) -> int:
    """Whose turn it is, or the player that is named, by number or as the board calls it."""
    acting = {position.game.player_name(seat): seat for seat in position.actors}
    if named is None and len(acting) == 1:
        return position.mover
    if named is None:
        raise SparringError(f"several move at once: name a player of {', '.join(acting)}, or ask explain_all")
    for name, seat in acting.items():
        if named in (name, seat):
            return seat
    raise unknown("player to move", str(named), acting)


def solve(
    game: "str | Game",
    position: "str | Position | None" = None,
    *,
    first: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Solved:
    """The exact truth of a position, move by move, or without one of the whole game."""
    played = set_up(game, options)
    exact = needed(played, Solver)
    if position is None:
        return exact.solve_game(played, first, progress)
    return exact.solve_position(position_of(played, position), progress)


def grade(
    game: "str | Game",
    agents: Sequence[Player],
    *,
    games: int | str = defaults.GRADED_GAMES,
    seed: int = defaults.SEED,
    strict: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> "Grades | Worths":
    """How good each agent is by the exact solver: what it is worth against perfect play where every state is solved,
    else how often it keeps a won game won in positions of some games."""
    from sparring.analysis.grade import grade as graded

    played = set_up(game, options)
    asked = _agents(played, agents, strict)
    return graded(played, asked, setting("games", games), setting("seed", seed), progress)


def learn(
    game: "str | Game",
    *,
    td: str | None = None,
    out: "str | Path | None" = None,
    progress: Progress | None = None,
    **settings: Any,
) -> "Learned":
    """Learn by playing, and write what was learned to a file: a table of Q-values, or with `td="linear"` or `td="net"`
    the value of positions. Settings are those of the command: `games=200_000`, `state="zone:corrected"`,
    `against="self"`, `trace=0.9`. After an interruption the same call goes on."""
    from sparring.learning.course import Learner
    from sparring.learning.course import learn as learned
    from sparring.learning.qlearning import QLearner, QSettings
    from sparring.learning.td import TdLearner, TdSettings

    kind: type[QSettings | TdSettings] = TdSettings if td else QSettings
    for name in settings:
        if name not in kind.__dataclass_fields__:
            raise unknown("setting of --td" if td else "setting of learn", name, kind.__dataclass_fields__)
    played = set_up(game)
    made: Learner = TdLearner(played, TdSettings(td, **settings)) if td else QLearner(played, QSettings(**settings))
    return learned(made, Path(out) if out else None, progress)


def exploit(
    game: "str | Game",
    agent_: Player,
    *,
    games: int | str = defaults.EXPLOITED_GAMES,
    seed: int = defaults.SEED,
    plies: int = 1,
    strict: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> "Exploited":
    """How an agent does against an opponent that knows it."""
    from sparring.analysis.exploit import exploit as exploited

    played = set_up(game, options)
    (asked,) = _agents(played, [agent_], strict)
    games, seed, plies = setting("games", games), setting("seed", seed), setting("plies", plies)
    return exploited(played, asked, games, seed, plies, progress)


def suite(
    game: str,
    agents: Sequence[str],
    *,
    cases: "str | Path | None" = None,
    tries: int = defaults.TRIES,
    seed: int = defaults.SEED,
    strict: bool = False,
    progress: Progress | None = None,
) -> "Suite":
    """How often agents solve the tactical cases of a game, or those of a file."""
    from sparring.analysis.suite import suite as solved

    refuse_nobody(agents)
    tries, seed, file = setting("tries", tries), setting("seed", seed), Path(cases) if cases else None
    return solved(game, agents, tries, seed, progress, file, strict, _warning())


def blunders(
    id: str,
    *,
    store: "Store",
    game: int | None = None,
    agent: str | None = None,
    most: int = defaults.LOSSES,
    judge: str | None = None,
    seed: int = defaults.SEED,
    progress: Progress | None = None,
) -> "Blunders":
    """Where the games of a kept experiment were decided: the worst decision in each of some losses, of one agent
    perhaps, or in one game. The judge may be any agent that keeps scores."""
    from sparring.analysis.blunders import blunders as found

    most, seed = setting("most", most), setting("seed", seed)
    game = None if game is None else setting("game", game)
    result = report(id, store=store)
    known = specs.agent(result.contest.game, judge or specs.judged_by(result.contest.game), warn=_warning())
    return found(result, known, game, agent, most, seed, progress)


def tune(
    game: "str | Game",
    agent_: str,
    *,
    against: Sequence[str] = (),
    games: int | str = defaults.TUNED_GAMES,
    method: str = "spsa",
    only: Sequence[str] = (),
    confirm: int | str | None = None,
    seed: int = defaults.SEED,
    out: "str | Path | None" = None,
    workers: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: "Store | None" = None,
    **options: Any,
) -> "Tuned":
    """Find better weights for an agent that a text names, confirm them on unseen seeds, and write the tuned agent to a
    file. With a store, after an interruption the same call goes on."""
    from sparring.tuning.task import Tuning
    from sparring.tuning.tuned import refuse_other
    from sparring.tuning.work import tune as worked

    played = studied_game(game, options, agent_, only)
    refuse_single("agents", against, "against")
    games, seed = setting("games", games), setting("seed", seed)
    confirmed = None if confirm is None else setting("confirm", confirm)
    opponents, file = tuple(dict.fromkeys(against)), Path(out) if out else None
    tuning = Tuning(played, agent_, opponents, games, method, tuple(only), confirmed, seed, str(out or ""))
    if file:
        refuse_other(file, tuning)
    tuned = worked(tuning, checked_store(store), checked_workers(workers), progress, strict, _warning())
    if file and not tuned.interrupted:
        tuned.write(file)
    return tuned


def ablate(
    game: "str | Game",
    agent_: str,
    *,
    games: int | str = defaults.ABLATED_GAMES,
    only: Sequence[str] = (),
    seed: int = defaults.SEED,
    workers: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    store: "Store | None" = None,
    **options: Any,
) -> "Ablation":
    """What each term of an agent that a text names is worth, and each flaw of its design; or only some of them."""
    from sparring.tuning.ablation import ablate as ablated

    played = studied_game(game, options, agent_, only)
    games, seed = setting("games", games), setting("seed", seed)
    kept, many = checked_store(store), checked_workers(workers)
    return ablated(played, agent_, games, only, seed, kept, many, progress, strict, _warning())


def reproduce(
    documents: Sequence["str | Path"] = (),
    *,
    size: str = "quick",
    out: "str | Path",
    store: "Store",
    workers: int | None = None,
    progress: Progress | None = None,
    answer: "Callable[[str, Answer], None] | None" = None,
) -> "list[Findings]":
    """Answer the claims of design documents, all that come with the games or those that are named by their numbers or
    files, and write the page. `answer` is called with each as soon as it is known. After a Ctrl-C, which is a
    KeyboardInterrupt, the same call goes on."""
    from sparring.claims.answers import SIZES, answered
    from sparring.claims.dossier import Dossier, numbers
    from sparring.claims.page import write

    refuse_single("documents", documents)
    refuse_no_store(store)
    workers = checked_workers(workers)
    if size not in SIZES:
        raise unknown("size", size, SIZES)
    source = shlex.join(["spar", "reproduce", *map(str, documents), "--size", size, "--out", str(out)])
    dossiers = [Dossier.of(one) for one in dict.fromkeys(documents or numbers())]
    found = []
    for one in dossiers:
        tell = partial(answer, one.name) if answer else None
        found.append(answered(one, size, store, workers, progress, tell, source))
    write(found, Path(out), source + store.option)
    return found


def check(game: "str | Game", **options: Any) -> "Check":
    """Whether a game keeps the contract."""
    from sparring.games.check import check as checked

    return checked(set_up(game, options))


def bench(game: "str | Game", **options: Any) -> "Bench":
    """The signature of a game's play, and how fast its searches are."""
    from sparring.agents.bench import bench as benched

    return benched(set_up(game, options))


def _warning() -> Callable[[str], None]:
    """Tells what is worth knowing, each thing once: many agents may be made of one file."""
    told = set[str]()

    def warn(text: str) -> None:
        if text not in told:
            told.add(text)
            print(text, file=sys.stderr, flush=True)

    return warn
