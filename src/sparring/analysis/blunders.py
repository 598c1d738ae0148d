"""Blunders: in each lost game the decision that gave most away, according to a judge.

The judge is an agent that plays better than the players: an exact solver if there is one, else a deeper search. For
each decision it names the best action and judges the one that was played. Games are read backwards. So if a position
is proven lost, the move that led to it has lost the game, even if the judge did not see that before. Earlier moves have
not lost the game.
"""

import random
import shlex
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring.agents.agent import Agent, TreeSearchAgent, View, attributed_to
from sparring.agents.decision import Candidate
from sparring.analysis import suite
from sparring.analysis.report import Report
from sparring.arena.result import Tournament
from sparring.core.dice import dice
from sparring.core.errors import SparringError, unknown
from sparring.core.progress import Progress
from sparring.core.table import counted, four_digits, plain
from sparring.games.capabilities import PieceCommands, offered
from sparring.games.contract import Action, Position
from sparring.search.tree import WIN


class LostGame(NamedTuple):
    """A game in which another agent did better. Games lost by a failure do not count."""

    number: int
    seat: int
    agent: str


@dataclass(frozen=True)
class Blunder:
    """The decision that gave most away in a lost game."""

    experiment: str
    loss: LostGame
    spec: str
    step: int  # the number of the move in the game, as `spar replay` counts
    steps: int
    position: Position
    played: Candidate
    better: Candidate
    accept: tuple[str, ...]
    forbid: tuple[str, ...]  # moves that solve the position, and moves that do not, for a suite

    @property
    def drop(self) -> float:
        return worth(self.better) - worth(self.played)

    @property
    def told(self) -> str:
        """A line with the move that was played and the better one."""
        more = "" if self.better.proven or self.played.proven else f", {four_digits(self.drop)} more"
        played, better = (self._name(one) for one in (self.played, self.better))
        return f"{self.loss.agent} plays {played}, which {self.played.says}; {better} {self.better.says}{more}"

    @property
    def explain(self) -> str:
        """The command that explains the position."""
        game = self.position.game
        words = ["spar", "explain", game.name, *game.option_words(), "--agent", self.spec]
        words += ["--position", self.position.text]
        words += ["--player", game.player_name(self.loss.seat)] if len(self.position.actors) > 1 else []
        return shlex.join([*words, "--why-not", self._name(self.better)])

    @property
    def case(self) -> suite.Case:
        game, (number, seat, _) = self.position.game, self.loss
        return suite.Case(
            name=f"{self.experiment[:6]} {number}@{self.step} {game.player_name(seat)}",
            about=self.told,
            position=self.position.text,
            player=seat,
            accept=self.accept,
            forbid=self.forbid,
            options=game.chosen(),
        )

    def _name(self, candidate: Candidate) -> str:
        return self.position.game.action_name(self.position.state, self.loss.seat, candidate.action)

    def __str__(self) -> str:
        return f"game {self.loss.number}, move {self.step} of {self.steps}: {self.told}\n  {self.explain}"

    def to_json(self) -> dict[str, Any]:
        game, seat, agent = self.loss
        moves = {
            name: {"move": self._name(one), "score": one.score, "verdict": one.verdict}
            for name, one in (("played", self.played), ("better", self.better))
        }
        own = {name: getattr(self, name) for name in ("step", "steps", "drop", "accept", "forbid", "explain")}
        return {"game": game, "player": seat, "agent": agent, "position": self.position.text, **moves, **own}


@dataclass(frozen=True)
class Blunders:
    """The blunders of an experiment, the worst first."""

    experiment: str
    game: str
    judge: str
    losses: int
    looked: Mapping[str, int]  # the number of judged losses of each agent
    found: tuple[Blunder, ...]
    interrupted: bool
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        seen = sum(self.looked.values())
        lines = ["interrupted; what was found is below"] if self.interrupted else []
        lines += [self._decided(name, count) for name, count in self.looked.items()]
        lines += [f"{seen} of {counted(self.losses, 'loss')}, judged by {self.judge}", *self.remarks]
        return plain("\n".join([*lines, *(f"\n{blunder}" for blunder in self.found)]))

    __repr__ = __str__

    def _decided(self, name: str, losses: int) -> str:
        mine = [blunder for blunder in self.found if blunder.loss.agent == name]
        told = f"{name} missed a better move in {len(mine)} of {counted(losses, 'loss')}"
        if len(mine) > 3:
            moves = sorted(blunder.step for blunder in mine)
            told += f", half of them between moves {moves[len(moves) // 4]} and {moves[3 * len(moves) // 4]}"
        thrown = sum(lost(blunder.played) for blunder in mine)
        return f"{told}; {thrown} of these moves lost the game for good" if thrown else told

    def to_json(self) -> dict[str, Any]:
        found = {name: value for name, value in vars(self).items() if name != "found"}
        return found | {"blunders": [blunder.to_json() for blunder in self.found]}

    def save(self, file: Path) -> str:
        """Add the positions to a suite. Return what was added and how to run it."""
        added = suite.add(file, self.game, [blunder.case for blunder in self.found])
        there = len(self.found) - added
        known = f", {there} {'was' if there == 1 else 'were'} there already" if there else ""
        agents = dict.fromkeys(blunder.spec for blunder in self.found)
        run = shlex.join(["spar", "suite", self.game, *agents, "--cases", str(file)])
        return f"{counted(added, 'case')} added to {file}{known}; run them: {run}"


def blunders(
    result: Tournament,
    judge: Agent,
    game: int | None,
    agent: str | None,
    most: int,
    seed: int,
    progress: Progress | None = None,
) -> Blunders:
    """Judge at most `most` losses, chosen by the seed. Ctrl-C keeps the blunders that were found."""
    if agent is not None and agent not in result.names:
        raise unknown(f"agent of {result.id}", agent, result.names)
    if game is not None and not (1 <= game <= result.last and result.was_played(game)):
        raise SparringError(f"game {game} of {result.id} was not played; its games are 1 to {result.last}")
    there = [loss for loss in losses(result) if game in (None, loss.number) and agent in (None, loss.agent)]
    chosen = sorted(random.Random(seed).sample(there, min(most, len(there))))
    found, looked = list[Blunder](), Counter[str]()
    with suppress(KeyboardInterrupt):
        for loss in chosen:
            with attributed_to(judge):
                worst = blunder(result, loss, judge, seed)
            found += [worst] if worst else []
            looked[loss.agent] += 1
            if progress:
                progress(looked.total(), len(chosen))
    return Blunders(
        result.id,
        result.contest.game.name,
        judge.spec,
        len(there),
        looked,
        tuple(sorted(found, key=lambda one: -one.drop)),
        interrupted=looked.total() < len(chosen),
        remarks=_shallow(result, judge, looked),
    )


def losses(result: Tournament) -> list[LostGame]:
    found = []
    for table, (blocks, results) in enumerate(result.blocks):
        behind = results["scores"] < results["scores"].max(axis=-1, keepdims=True)
        behind &= results["failed"][..., None] != np.arange(result.contest.game.seats)
        seated = result.seated(table)
        for place, game, seat in np.argwhere(behind).tolist():
            name = result.names[seated[place, game, seat]]
            found.append(LostGame(result.number(table, int(blocks[place]), game), seat, name))
    return found


def blunder(result: Tournament, loss: LostGame, judge: Agent, seed: int) -> Blunder | None:
    """Return the decision that gave most away; None if there was no better one."""
    played = result.game(loss.number)
    passed = played.steps()
    worst, largest, lost_after = None, 0.0, False
    for step in range(len(passed) - 1, 0, -1):
        position, action = passed[step - 1].position, passed[step - 1].actions.get(loss.seat)
        if action is None or len(position.game.legal(position.state, loss.seat)) < 2:
            continue
        view = View.of(position, loss.seat, dice(seed, "judge", loss.number, step))
        better, chosen = judge.compare(view, action)
        if better.score is None or chosen.score is None:
            continue
        if lost_after and not lost(chosen):
            better, chosen = _another(judge, view, better, action), Candidate(action, -WIN)
        if worth(better) - worth(chosen) > largest:
            worst, largest = (step, view, better, chosen), worth(better) - worth(chosen)
        if lost(chosen) and not lost(better):
            break
        lost_after = lost(better)
    if worst is None:
        return None
    step, view, better, chosen = worst
    accept, forbid = solutions(judge, view, better, chosen)
    spec, position = played.agents[loss.seat], passed[step - 1].position
    return Blunder(result.id, loss, spec, step, len(passed) - 1, position, chosen, better, accept, forbid)


def worth(candidate: Candidate) -> float:
    """Return the score. All proven wins are worth the same, however long they take, and so are all losses."""
    won = candidate.proven.result if candidate.proven else 0
    return WIN * won if won else candidate.score or 0.0


def lost(candidate: Candidate) -> bool:
    return candidate.proven is not None and candidate.proven.result < 0


def _another(judge: Agent, view: View, better: Candidate, action: Action) -> Candidate:
    """Return the best candidate except an action that is known to lose."""
    if better.action != action:
        return better
    rest = [c for c in judge.explain(view).candidates if c.action != action and c.score is not None]
    return max(rest, key=worth, default=Candidate(action, -WIN))


def solutions(
    judge: Agent, view: View, better: Candidate, played: Candidate
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the moves that lose less than half of the difference, and none that do not.

    A move that is a list of commands to several pieces has too many alternatives. Then return no moves that solve the
    position, and the commands of the played move that must be left out.
    """
    game, half = view.position.game, (worth(better) + worth(played)) / 2
    if offered(game, PieceCommands):
        return (), (_guilty(judge, view, view.name(played.action), half),)
    good = [c.action for c in judge.explain(view).candidates if c.score is not None and worth(c) > half]
    return tuple(view.name(action) for action in dict.fromkeys([better.action, *good])), ()


def _guilty(judge: Agent, view: View, played: str, half: float) -> str:
    """Return the commands without which the move would not lose half of the difference."""
    commands, guilty = played.split("_"), []
    for command in commands:
        rest = "_".join(other for other in commands if other != command) or "stay"
        _, without = judge.compare(view, view.position.action(rest, view.me))
        guilty += [command] if worth(without) > half else []
    return "_".join(guilty) or played


def _shallow(result: Tournament, judge: Agent, names: Mapping[str, int]) -> tuple[str, ...]:
    """Return warnings about players that search more nodes than their judge."""
    most = judge.budget.nodes if isinstance(judge, TreeSearchAgent) else None
    return tuple(
        f"{one.agent} looks at {one.nodes:,.0f} positions a move, the judge at {most:,}: name a deeper one by --judge"
        for one in Report(result).spent
        if most and one.agent in names and one.nodes > most
    )
