"""The workbench from Python: what the `spar` commands do, as functions with typed results.

A game may be given by name or as an object made by `game(...)`; agents by their specs or as objects. What only
one function needs is imported there: nobody should wait for what they do not use.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from sparring import defaults
from sparring import games as shelf
from sparring.agents import spec as specs
from sparring.agents.agent import Agent, AgentFunction, View, blaming
from sparring.agents.agent import agent as declared_agent
from sparring.agents.decision import Decision
from sparring.arena.match import Progress, round_robin, tournament
from sparring.arena.result import Tournament
from sparring.dice import dice
from sparring.errors import SparringError
from sparring.exact import solver
from sparring.games.contract import Action, Game, Position
from sparring.terms import Heuristic

if TYPE_CHECKING:
    from sparring.agents.bench import Bench
    from sparring.arena.experiment import Outcome
    from sparring.arena.grade import Grades
    from sparring.exact.openings import Openings, SolvedPosition
    from sparring.games.check import Check

Player = str | Agent | Heuristic | AgentFunction
"""What may be named as a player: a spec, an agent, or what `@heuristic` and `@agent` make of a function."""


def game(name: str, **options: Any) -> Game:
    """A game by name with its options, e.g. `game("isolation", board="6x6")`."""
    return shelf.game(name, **options)


@overload
def agent(game: "str | Game") -> Callable[[Callable[[View], Action | str]], AgentFunction]: ...
@overload
def agent(game: "str | Game", spec: Player, strict: bool = False) -> Agent: ...


def agent(game: "str | Game", spec: Player | None = None, strict: bool = False) -> Any:
    """With a spec, the agent it names. Without, a decorator: it declares a function of a View as an agent."""
    if spec is None:
        return declared_agent(game.name if isinstance(game, Game) else game)
    if isinstance(spec, Agent):
        return spec
    played = _set_up(game)
    return specs.agent(played, spec, strict, warn=_warn)


def match(
    game: "str | Game",
    first: Player,
    second: Player,
    *,
    games: int = defaults.GAMES,
    seed: int = defaults.SEED,
    workers: int | None = None,
    limit: float | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Tournament:
    """Let two agents meet in pairs of games with the sides swapped."""
    return league(
        game, [first, second], games=games, seed=seed, workers=workers, limit=limit, strict=strict, progress=progress
    )


def league(
    game: "str | Game",
    agents: Sequence[Player],
    *,
    games: int = defaults.GAMES,
    seed: int = defaults.SEED,
    workers: int | None = None,
    limit: float | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Tournament:
    """Let every agent meet every other in `games` games."""
    if len(agents) < 2:
        raise SparringError("name at least two agents")
    played = _set_up(game)
    players = [agent(played, spec, strict) for spec in agents]
    return tournament(played, round_robin(players), games, seed, workers, limit, progress)


def explain(
    game: "str | Game",
    agent_: Player,
    position: "str | Position | None" = None,
    *,
    seed: int = defaults.SEED,
    strict: bool = False,
) -> Decision:
    """What an agent would play in a position, with every candidate's score, line and terms."""
    played = _set_up(game)
    at = (
        played.start(seed) if position is None else played.position(position) if isinstance(position, str) else position
    )
    if at.over:
        raise SparringError(f"the game is over in {at.text}; nobody is to move")
    own = dice(seed, "agent", at.mover)
    player = agent(played, agent_, strict)
    with blaming(player):
        return player.explain(View(at, at.mover, own))


def solve(
    game: "str | Game", position: "str | Position | None" = None, *, progress: Progress | None = None
) -> "Openings | SolvedPosition":
    """The exact truth: of a position, who wins and by which moves; without one, of every opening of the board."""
    played = _set_up(game)
    solver(played.name)
    from sparring.exact.openings import SolvedPosition, solve_board

    if position is None:
        rows, columns = (int(side) for side in played.options()["board"].split("x"))
        return solve_board(rows, columns, played.options()["piece"], progress=progress)
    return SolvedPosition.of(played.position(position) if isinstance(position, str) else position)


def grade(
    game: "str | Game",
    agents: Sequence[Player],
    *,
    games: int = defaults.GRADED_GAMES,
    seed: int = defaults.SEED,
    strict: bool = False,
    progress: Progress | None = None,
) -> "Grades":
    """How often each agent keeps a won game won, judged by the exact solver."""
    from sparring.arena.grade import grade as graded

    played = _set_up(game)
    return graded(played, [agent(played, spec, strict) for spec in agents], games, seed, progress)


def check(game: "str | Game") -> "Check":
    """Whether a game keeps the contract."""
    from sparring.games.check import check as checked

    return checked(_set_up(game))


def bench(game: "str | Game") -> "Bench":
    """The signature of a game's play, and how fast its searches are."""
    from sparring.agents.bench import bench as benched

    return benched(_set_up(game))


def run(
    file: "str | Path",
    *,
    games: int | None = None,
    seed: int | None = None,
    timed: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> "Outcome":
    """Play an experiment file, perhaps with another number of games or seed than it says."""
    from sparring.arena import experiment

    planned = experiment.load(Path(file))
    changes = {key: value for key, value in (("games", games), ("seed", seed)) if value is not None}
    return experiment.run(planned.model_copy(update=changes), timed, workers, progress, _warn)


def _set_up(named: "str | Game") -> Game:
    return shelf.game(named) if isinstance(named, str) else named


def _warn(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
