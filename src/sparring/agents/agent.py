"""Agents: players that get a view of the game and answer with a decision."""

import inspect
import random
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.agents.decision import Candidate, Decision, EstimatedCandidate
from sparring.agents.dependencies import declare as declare_files
from sparring.core.cache import is_users
from sparring.core.dice import throw
from sparring.core.errors import SparringError
from sparring.core.terms import Heuristic, Weight
from sparring.games.contract import Action, Game, Position
from sparring.search.choice import random_policy
from sparring.search.tree import LAP_SECONDS, Budget, CompiledPolicy, TreeSearch, tree_of

if TYPE_CHECKING:
    from sparring.agents.spec import Spec


@dataclass(frozen=True)
class View:
    """All that a player gets when it is to act: a copy of the position, its number, and dice of its own."""

    position: Position
    me: int
    dice: Any
    seconds: float | None = None
    """Time for this move in live play. None if the agent's own budget decides."""

    @classmethod
    def of(cls, position: Position, me: int, dice: Any) -> "View":
        """Return a view with all that a player may know of a position. The dice are not the referee's."""
        return cls(Position(position.game, position.game.seen(position.state), dice), me, dice)

    @property
    def state(self) -> Any:
        return self.position.state

    @cached_property
    def legal(self) -> Sequence[Action]:
        return self.position.game.legal(self.state, self.me)

    @cached_property
    def random(self) -> random.Random:
        """Python's random generator, seeded by the game and the move. A repeated game draws the same numbers."""
        return random.Random(int(throw(self.dice, 1 << 30)))

    def name(self, action: Action) -> str:
        return self.position.game.action_name(self.state, self.me, action)


class Agent(ABC):
    """A player. `spec` is the text that makes the same agent again."""

    spec: str
    label: str = ""
    compiled: bool = True
    """True if it runs only Sparring's own compiled code, which may be trusted on a thread."""
    sources: Mapping[str, bytes] = {}
    """A user's modules and the hashes of other files that they read, by name. Empty for built-in agents."""
    given: Heuristic | None = None
    """The heuristic that its spec names, if that was given as an object."""
    timed: bool = False
    """True if it plays by the clock, and so needs a core to itself."""
    draws: bool = False
    """True if its moves depend on random numbers or on the clock, so that a repeated game may differ."""
    tunable: Mapping[str, Weight] = {}
    """The terms whose weights its spec may set, each with its present weight and the range to tune in."""
    metrics: Mapping[str, str] = {}
    """The notes of its decisions that are counted in every game, each with the name that tables show."""
    flaws: Mapping[str, str] = {}
    """The flaws of its design that can be switched, each with the statement that is true once it is mended."""
    fixes: frozenset[str] = frozenset()
    """The flaws that are mended here."""

    @property
    def remark(self) -> str:
        """A remark after a match, besides the result, in a few words."""
        return ""

    @property
    def name(self) -> str:
        """The name that tables show."""
        return self.label or self.spec

    def __repr__(self) -> str:
        return f"<agent {self.name}>"

    @property
    def trusted(self) -> bool:
        """True if it may play on a thread of the referee's process. Python code of users may not."""
        return self.compiled or not self.sources

    @abstractmethod
    def decide(self, view: View) -> Decision:
        """Return the decision as the agent takes it in a game."""

    @contextmanager
    def seated(self, dice: Any) -> Iterator["Agent"]:
        """Give the player of one game. An agent that remembers moves gives a new one each time."""
        yield self

    def annotate(self, decision: Decision, view: View) -> Decision:
        """Add reasons to a decision that is to be kept. This draws no random numbers."""
        return decision

    def hindsight(self, decision: Decision, view: View) -> Mapping[str, Any]:
        """Return notes on a decision once its consequences are seen, for reports: see `ActionFacts.observed`."""
        return {}

    def game_ended(self, view: View) -> None:
        """Learn how a game ended. Most agents do nothing."""
        return

    def compiled_policy(self, game: Game) -> CompiledPolicy | None:
        """Return what compiled code needs to play this agent; None if that needs Python."""
        return None

    def explain(self, view: View) -> Decision:
        """Return the same decision with more about each candidate."""
        return self.decide(view)

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        """Return the best candidate and the one for another action."""
        decision = self.explain(view)
        scored = {c.score: c for c in decision.candidates if c.score is not None}
        if not scored:
            raise SparringError(f"{self.name} keeps no scores, so it cannot judge what others do")
        return scored[max(scored)], decision.candidate(action)


@contextmanager
def attributed_to(agent: Agent) -> Iterator[None]:
    """Turn an agent's exception into an error that names it. In games the referee does that."""
    try:
        yield
    except SparringError:
        raise
    except Exception as error:
        frames = users_frames(error)
        where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
        told = SparringError(f"{agent.spec} failed: {type(error).__name__}: {error}{where}")
        if frames:
            told.add_note(f"Traceback:\n{''.join(traceback.format_list(frames)).rstrip()}")
        raise told from error


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and what it was raised from, the last first."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def users_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the calls in files of users that led to an exception or to one of its causes."""
    frames = [frame for cause in causes(error) for frame in traceback.extract_tb(cause.__traceback__)]
    return [frame for frame in frames if is_users(frame.filename) and not frame.filename.startswith("<")]


class TreeSearchAgent(Agent):
    """A tree search with a heuristic and a budget."""

    def __init__(self, spec: str, search: TreeSearch, budget: Budget) -> None:
        self.spec = spec
        self.search = search
        self.budget = budget
        self.compiled, self.tunable = search.judge.compiled, search.judge.tunable
        self.timed = budget.seconds is not None
        self.draws = search.reference or self.timed
        if self.timed:  # load what else would take its time from the first move
            state = search.game.start().state
            search.game.legal(state, search.game.actors(state)[0])

    def decide(self, view: View) -> Decision:
        found = self.search.run(view.state, self.budget.within(view.seconds), view.dice, view.me)
        best = found.line[0] if found.line else found.actions[0]
        candidates = tuple(
            Candidate(a, *found.scores[a], found.line if a == best else ()) if a in found.scores else Candidate(a)
            for a in view.legal
        )
        known = found.depth, found.nodes, found.seconds, self.search.judge.points
        return Decision(self.spec, view.position, view.me, best, candidates, *known)

    def compiled_policy(self, game: Game) -> CompiledPolicy | None:
        return self.search.compiled_policy(self.budget) if self.compiled and self.budget.seconds is None else None

    def explain(self, view: View) -> Decision:
        """Search each move alone to the depth of the decision, so that each score is exact and has its line and terms.
        In live play this may take as long again. Moves for which the time does not suffice stay as they are."""
        decision = self.decide(view)
        if decision.depth == 0:
            return decision
        share = None if view.seconds is None else view.seconds / len(view.legal)
        budget = Budget(depth=decision.depth - 1).within(share)
        return replace(decision, candidates=tuple(self._study(view, one, budget) for one in decision.candidates))

    def annotate(self, decision: Decision, view: View) -> Decision:
        """Add the terms at the end of the chosen line."""
        chosen = decision.chosen
        if not chosen.line:
            return decision
        told = replace(chosen, terms=self._terms_after(view, chosen.line))
        return replace(decision, candidates=tuple(told if one is chosen else one for one in decision.candidates))

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        """Search the other action as deeply as the best one. If the best one is a proven win, search as deeply as the
        budget allows: the other may win later. If all moves lose, one is as good as another."""
        best = (decision := self.decide(view)).chosen
        if best.score is None or action == best.action or (best.proven and best.proven.result < 0):
            return best, replace(best, action=action)
        whole = replace(self.budget, depth=self.budget.most_plies - 1)
        budget = whole if best.proven else Budget(depth=decision.depth - 1)
        return best, self._study(view, Candidate(action), budget)

    def _study(self, view: View, known: Candidate, budget: Budget) -> Candidate:
        """Return a candidate with the result of its own search; unchanged if the time did not suffice."""
        ahead, action = self.search.ahead, known.action
        after = ahead.after(ahead.root(view.state, view.me), action)
        found = self.search.run_from(after, budget, view.dice, view.me)
        if budget.seconds is not None and found.seconds + 3 * LAP_SECONDS > budget.seconds:
            return known
        line = (action, *found.line)
        return Candidate(action, self.search.one_ply_up(found.score), True, line, self._terms_after(view, line))

    def _terms_after(self, view: View, line: Sequence[Action]) -> dict[str, float]:
        """Return the terms at the end of a line; none if the game is over there."""
        ahead = self.search.ahead
        end = ahead.root(view.state, view.me)
        for action in line:
            end = ahead.after(end, action)
        return {} if ahead.ended(end) else self.search.judge.heuristic.terms(ahead.position(end), view.me)


class MoveScoringAgent(Agent):
    """Scores each move in one call of compiled code and takes the best one, any of them if several are equal."""

    draws = True
    policy: Any = None
    """A kernel for the score of a move, used to play many games by it. None if a heuristic gives the score."""

    def __init__(self, game: Game, spec: "Spec", points: Mapping[str, float], player: CompiledPolicy) -> None:
        self.game: Any = game
        self.spec, self.points, self.player = spec.text, points, player
        self.tree: Any = tree_of(game)

    def compiled_policy(self, game: Game) -> CompiledPolicy | None:
        return self.player if self.compiled else None

    def decide(self, view: View) -> Decision:
        """Make one compiled call. If there is no legal move, the answer is 0."""
        started = time.perf_counter()
        step, score, weights, lines, depth, _ = self.player
        tree = self.tree
        search, states, frames = tree.memory(view.state, view.me, lines, depth)
        step(search, states, frames, score, weights, view.dice, 1)
        scores, places = search["scores"].tolist(), None if tree.cursor.bits else tree.cursor.listed(search["roots"])
        candidates = tuple(EstimatedCandidate(one, scores[places[one] if places else one]) for one in view.legal)
        best, known = int(search["line"][0]), (int(search["completed"]), int(search["nodes"]))
        seconds = time.perf_counter() - started
        return Decision(self.spec, view.position, view.me, best, candidates, *known, seconds, self.points)

    def terms(self, state: Any, after: Any, action: Action) -> tuple[dict[str, float], str]:
        """Return the unweighted terms of a move's score, and a note on the move."""
        return {}, ""

    def notes(self, state: Any) -> dict[str, Any]:
        """Return notes on the position."""
        return {}

    def reasons(self, state: Any, action: Action) -> dict[str, Any]:
        """Return reasons for a move, as notes of a decision that is kept."""
        return {}

    def explain(self, view: View) -> Decision:
        return self._explained(self.decide(view), view)

    def annotate(self, decision: Decision, view: View) -> Decision:
        told = self._explained(decision, view)
        return replace(told, notes={**told.notes, **self.reasons(view.state, decision.action)})

    def _explained(self, decision: Decision, view: View) -> Decision:
        """Add the terms of every score. Terms that are 0 for all moves are left out."""
        state, after = view.state, self.tree.ahead.after
        found = [(c, *self.terms(state, after(state, c.action), c.action)) for c in decision.candidates]
        told = {
            name: points for name, points in self.points.items() if points and any(terms[name] for _, terms, _ in found)
        }
        candidates = tuple(
            replace(c, terms={name: terms[name] for name in told}, note=note) for c, terms, note in found
        )
        return replace(decision, candidates=candidates, weights=told, notes=self.notes(state))


class RandomAgent(Agent):
    """Plays any legal action, all with the same chance."""

    spec = "random"
    draws = True

    def decide(self, view: View) -> Decision:
        action = view.legal[throw(view.dice, len(view.legal))]
        return Decision(self.spec, view.position, view.me, action)

    def explain(self, view: View) -> Decision:
        why = "any legal move is as likely as another"
        return replace(self.decide(view), notes={"why": why}, ask=lambda action: Candidate(action, note=why))

    def compiled_policy(self, game: Game) -> CompiledPolicy | None:
        return random_policy(game) if game.lists_all and tree_of(game) else None


@dataclass(frozen=True)
class DeclaredAgent:
    """A user's function or class under `@agent`. The function, or the method `decide` of the class, gets a View and
    returns an action or its name."""

    name: str
    game: str
    function: Any
    """None if the file was not run: then only a guest plays."""


MARK = "_sparring_agent"
"""The attribute that `@agent` sets on a class, which itself stays a class."""


def declared(thing: Any) -> DeclaredAgent | None:
    """Return what `@agent` made of a function or a class; None for anything else."""
    return thing if isinstance(thing, DeclaredAgent) else vars(thing).get(MARK) if isinstance(thing, type) else None


def agent(game: str, *, files: Sequence[str] = (), network: bool = False) -> Callable[[Any], Any]:
    """Declare a function of a View, or a class with a method `decide(self, view)`, as a whole agent of a game.

    A class is made anew for each game. If it has a method `game_ended(self, view)`, that is called after the last move.
    `files` are the files that the agent reads in a game, by their paths from the folder of its own file.
    With `network=True` it may use the network, which other agents may not.
    """
    if not isinstance(game, str):
        raise SparringError('say for which game the agent is: @agent("NAME"); `spar games` lists them')

    def declare(function: Any) -> Any:
        if isinstance(function, type) and not callable(getattr(function, "decide", None)):
            raise SparringError(f"the class {function.__name__} needs a method decide(self, view) that returns a move")
        if isinstance(function, type) and (needed := _needed(function)):
            told = f"the class {function.__name__} is made without arguments for each game"
            raise SparringError(f"{told}; give {needed} of its __init__ a default")
        if not callable(function):
            raise SparringError(f"@agent stands above a function or a class, not above {function!r}")
        declare_files(files, Path(inspect.getfile(function)).resolve().parent if files else Path())
        made = DeclaredAgent(function.__name__, game, function)
        if not isinstance(function, type):
            return made
        setattr(function, MARK, made)
        return function

    return declare


def _needed(made: type) -> str:
    """Return the arguments without which a class cannot be called."""
    with suppress(ValueError):  # some classes in C do not tell
        each = inspect.signature(made).parameters.values()
        variadic = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
        return ", ".join(one.name for one in each if one.default is one.empty and one.kind not in variadic)
    return ""


class FunctionAgent(Agent):
    """An agent that is a user's Python function or class."""

    compiled = False
    draws = True

    def __init__(self, spec: str, source: DeclaredAgent) -> None:
        self.spec = spec
        self.source = source
        self._seated = False
        self._player: Any = None
        """The object of this game, if a class is declared. It is made before the first move."""

    @contextmanager
    def seated(self, dice: Any) -> Iterator["FunctionAgent"]:
        player = copy(self)
        player._seated, player._player = True, None
        yield player

    def decide(self, view: View) -> Decision:
        if not self._seated:
            with self.seated(view.dice) as player:
                return player.decide(view)
        position = view.position
        own = Position(position.game, position.game.copy(position.state), view.dice)  # the agent may change it
        started = time.perf_counter()
        try:
            answer = self._answer(replace(view, position=own))
        except SparringError as error:
            raise RuntimeError(f"{error}") from error  # an error of its own, not an illegal answer
        seconds = time.perf_counter() - started
        return Decision(self.spec, position, view.me, position.action(answer, view.me), seconds=seconds)

    def _answer(self, view: View) -> Any:
        if not isinstance(self.source.function, type):
            return self.source.function(view)
        self._player = self._player or self.source.function()
        return self._player.decide(view)

    @property
    def wants_the_end(self) -> bool:
        return hasattr(self.source.function, "game_ended")

    def game_ended(self, view: View) -> None:
        if self._player and self.wants_the_end:
            try:
                self._player.game_ended(view)
            except Exception:
                traceback.print_exc()  # the game is over and counts as it ended
