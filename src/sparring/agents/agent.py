"""What an agent is: it is shown what a player may see and answers with a decision."""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sparring.agents.decision import Candidate, Decision
from sparring.core.dice import throw
from sparring.core.errors import SparringError
from sparring.core.terms import Weight
from sparring.games.contract import Action, Game, Position
from sparring.search.choice import random_automaton
from sparring.search.tree import LAP_SECONDS, Automaton, Budget, TreeSearch, tree_of


@dataclass(frozen=True)
class View:
    """What a player sees when it is to act: a copy of the position, who it is, and dice of its own."""

    position: Position
    me: int
    dice: Any
    seconds: float | None = None
    """What it has for this move, in live play; without, its own budget says."""

    @classmethod
    def of(cls, position: Position, me: int, dice: Any) -> "View":
        """What a player may know of a position, with dice that are not the referee's."""
        return cls(Position(position.game, position.game.seen(position.state), dice), me, dice)

    @property
    def state(self) -> Any:
        return self.position.state

    @cached_property
    def legal(self) -> Sequence[Action]:
        return self.position.game.legal(self.state, self.me)

    @cached_property
    def random(self) -> random.Random:
        """Python's generator, seeded by the game and the move: the same game again draws the same numbers."""
        return random.Random(int(throw(self.dice, 1 << 30)))

    def name(self, action: Action) -> str:
        return self.position.game.action_name(self.state, self.me, action)


class Agent(ABC):
    """A player. `spec` is the text that makes the same agent again."""

    spec: str
    label: str = ""
    compiled: bool = True
    """Whether it runs our own compiled code, which may be trusted on a thread."""
    sources: Mapping[str, bytes] = {}
    """A user's file and the modules it imports from beside it, by their names; nothing for agents of our own."""
    timed: bool = False
    """Whether it plays by the clock, and so wants a core to itself."""
    draws: bool = False
    """Whether chance or the clock has a say, so that the same game again may go another way."""
    tunable: Mapping[str, Weight] = {}
    """The terms that its spec may weigh, each with the weight that it has here and the range to look for a better."""
    metrics: Mapping[str, str] = {}
    """The notes of its decisions that are counted in every game, and what tables call each."""
    flaws: Mapping[str, str] = {}
    """The flaws of its design that are switches, and what mending each makes true."""
    fixes: frozenset[str] = frozenset()
    """Those that are mended here."""

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.label or self.spec

    @property
    def trusted(self) -> bool:
        """Whether it may play on a thread of the referee's process: Python code of users may not."""
        return self.compiled or not self.sources

    @abstractmethod
    def decide(self, view: View) -> Decision:
        """The decision as the agent takes it in a game."""

    @contextmanager
    def seated(self, dice: Any) -> Iterator["Agent"]:
        """The player of one game, which has these dice; an agent that remembers something gives a fresh one."""
        yield self

    def annotate(self, decision: Decision, view: View) -> Decision:
        """Add the reasons of a decision that is to be kept. No dice are drawn for it."""
        return decision

    def hindsight(self, decision: Decision, view: View) -> Mapping[str, Any]:
        """What it has to note of a decision when it sees what came of it: as in `Game.observed`, for reports."""
        return {}

    def see_the_end(self, view: View) -> None:
        """Learn how a game ended that it was seated in; most do not care."""
        return

    @property
    def remark(self) -> str:
        """What is worth saying of it after a match besides the result, in a few words."""
        return ""

    def automaton(self, game: Game) -> Automaton | None:
        """How compiled code plays this agent, where that needs no Python at all."""
        return None

    def explain(self, view: View) -> Decision:
        """The same decision, with whatever more can be said of each candidate."""
        return self.decide(view)

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        """What it holds to be best, and what it thinks of another action."""
        decision = self.explain(view)
        scored = {c.score: c for c in decision.candidates if c.score is not None}
        if not scored:
            raise SparringError(f"{self.name} keeps no scores, so it cannot judge what others do")
        return scored[max(scored)], decision.candidate(action)


@contextmanager
def blaming(agent: Agent) -> Iterator[None]:
    """Outside of games, where the referee judges failures, an agent's exception is an error that names it."""
    try:
        yield
    except SparringError:
        raise
    except Exception as error:
        raise SparringError(f"{agent.spec} failed: {type(error).__name__}: {error}") from error


class Searcher(Agent):
    """A tree search with a heuristic and a budget."""

    def __init__(self, spec: str, search: TreeSearch, budget: Budget) -> None:
        self.spec = spec
        self.search = search
        self.budget = budget
        self.compiled, self.tunable = search.judge.compiled, search.judge.tunable
        self.timed = budget.seconds is not None
        self.draws = search.reference or self.timed

    def decide(self, view: View) -> Decision:
        found = self.search.run(view.state, self.budget.within(view.seconds), view.dice, view.me)
        best = found.line[0] if found.line else self.search.moves(self.search.ahead.root(view.state, view.me))[0]
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=best,
            candidates=tuple(
                Candidate(a, *found.scores[a], found.line if a == best else ()) if a in found.scores else Candidate(a)
                for a in view.legal
            ),
            depth=found.depth,
            nodes=found.nodes,
            seconds=found.seconds,
            weights=self.search.judge.points,
        )

    def automaton(self, game: Game) -> Automaton | None:
        return self.search.automaton(self.budget) if self.compiled and self.budget.seconds is None else None

    def explain(self, view: View) -> Decision:
        """Look at every move on its own to the depth that the decision reached, so that each score is exact
        and comes with its line and the terms at the end of it. In live play that may take as long again; moves for
        which it does not suffice stay as they are."""
        decision = self.decide(view)
        if decision.depth == 0:
            return decision
        share = None if view.seconds is None else view.seconds / len(view.legal)
        budget = Budget(depth=decision.depth - 1).within(share)
        return replace(decision, candidates=tuple(self._study(view, one, budget) for one in decision.candidates))

    def annotate(self, decision: Decision, view: View) -> Decision:
        """With the terms at the end of the line that was chosen."""
        ahead, chosen = self.search.ahead, decision.chosen
        end = ahead.root(view.state, view.me)
        for action in chosen.line:
            end = ahead.after(end, action)
        if not chosen.line or ahead.ended(end):
            return decision
        told = replace(chosen, terms=self.search.judge.heuristic.terms(ahead.position(end), view.me))
        return replace(decision, candidates=tuple(told if one is chosen else one for one in decision.candidates))

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        """The other is looked at as deeply as the best. If that is a proven win, as deeply as its budget allows: the
        other may win too, only later. Where all is lost one is as good as another."""
        best = (decision := self.decide(view)).chosen
        if best.score is None or action == best.action or (best.proven and best.proven.result < 0):
            return best, replace(best, action=action)
        whole = replace(self.budget, depth=self.budget.most_plies - 1)
        budget = whole if best.proven else Budget(depth=decision.depth - 1)
        return best, self._study(view, Candidate(action), budget)

    def _study(self, view: View, known: Candidate, budget: Budget) -> Candidate:
        """A candidate after a search of what it leads to; as it is if the time did not suffice."""
        ahead, action = self.search.ahead, known.action
        end = ahead.after(ahead.root(view.state, view.me), action)
        found = self.search.run_from(end, budget, view.dice, view.me)
        if budget.seconds is not None and found.seconds + 3 * LAP_SECONDS > budget.seconds:
            return known
        for reply in found.line:
            end = ahead.after(end, reply)
        terms = {} if ahead.ended(end) else self.search.judge.heuristic.terms(ahead.position(end), view.me)
        return Candidate(action, self.search.one_ply_up(found.score), True, (action, *found.line), terms)


class RandomAgent(Agent):
    """Any legal action, each as likely as the others."""

    spec = "random"
    draws = True

    def decide(self, view: View) -> Decision:
        action = view.legal[throw(view.dice, len(view.legal))]
        return Decision(self.spec, view.position, view.me, action)

    def explain(self, view: View) -> Decision:
        why = "any legal move is as likely as another"
        return replace(self.decide(view), notes={"why": why}, ask=lambda action: Candidate(action, note=why))

    def automaton(self, game: Game) -> Automaton | None:
        return random_automaton(game) if game.lists_all and tree_of(game) else None


@dataclass(frozen=True)
class AgentFunction:
    """A user's plain function under `@agent`: it gets a View and returns an action or its name."""

    name: str
    game: str
    function: Callable[[View], Action | str]

    @property
    def description(self) -> str:
        return " ".join((self.function.__doc__ or "").split())


def agent(game: str) -> Callable[[Callable[[View], Action | str]], AgentFunction]:
    """Declare a function of a View as a whole agent of a game."""
    if not isinstance(game, str):
        raise SparringError('say for which game the agent is: @agent("NAME"); `spar games` lists them')
    return lambda function: AgentFunction(function.__name__, game, function)


class FunctionAgent(Agent):
    """An agent that is a user's Python function."""

    compiled = False
    draws = True

    def __init__(self, spec: str, source: AgentFunction) -> None:
        self.spec = spec
        self.source = source

    def decide(self, view: View) -> Decision:
        position = view.position
        own = Position(position.game, position.game.copy(position.state), view.dice)  # for the function to scribble on
        started = time.perf_counter()
        try:
            answer = self.source.function(replace(view, position=own))
        except SparringError as error:
            raise RuntimeError(f"{error}") from error  # a slip of its own while thinking, not an illegal answer
        seconds = time.perf_counter() - started
        return Decision(self.spec, position, view.me, position.action(answer, view.me), seconds=seconds)
