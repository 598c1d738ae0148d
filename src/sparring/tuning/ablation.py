"""Measure what each part of an agent is worth: the agent with it against the agent without it.

A part is a term of its score, whose weight is set to 0, or a flaw of its design, which is fixed or put back.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec, agent, heuristics
from sparring.arena.result import Tournament
from sparring.arena.run import run
from sparring.arena.store import Store
from sparring.core.errors import SparringError, unknown
from sparring.core.plots import picture
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.contract import Game
from sparring.tuning.meeting import EloDifference, Warn, meeting, refuse_failures, whole_blocks

WHOLE = "whole"
TERMS, FLAWS = "terms", "flaws"
WRITTEN, CORRECTED = "_as_written", "_corrected"
"""Endings of the names of two heuristics that differ in a flaw."""


class AgentPart(NamedTuple):
    """A part of an agent that can be changed alone."""

    name: str
    change: str  # as in a spec
    text: str  # the changed agent
    gains: bool  # true if the change fixes a flaw, so that it should be an improvement

    def worth(self, result: Tournament) -> EloDifference:
        """Return how much stronger the agent is with the term, or with the flaw fixed."""
        edge = EloDifference.of(result, self.change, WHOLE)
        return edge if self.gains else -edge


def parts(game: Game, whole: Agent, only: Sequence[str] = ()) -> list[AgentPart]:
    """Return the parts of an agent: all of them, all terms, all flaws, or some by name."""
    spec = Spec.parse(whole.spec)
    terms = [
        AgentPart(term, f"{term}=0", spec.but({term: 0.0}, {}).text, False)
        for term, weight in whole.tunable.items()
        if weight.default
    ]
    flaws = [*_switched_flaws(whole, spec), *_other_of_a_pair(game, spec)]
    if not terms + flaws:
        raise SparringError(f"{whole.spec} has no terms and no flaws to switch; `spar agents GAME` lists others")
    known = {TERMS: terms, FLAWS: flaws}
    for part in terms + flaws:
        known[part.name] = [*known.get(part.name, []), part]
    chosen: list[AgentPart] = []
    for name in only or (TERMS, FLAWS):
        if name not in known:
            raise unknown(f"part of {whole.spec}", name, known)
        chosen += [part for part in known[name] if part not in chosen]
    if not chosen:
        raise SparringError(f"{whole.spec} has no {' and no '.join(only)} to switch")
    return chosen


def _switched_flaws(whole: Agent, spec: Spec) -> Iterator[AgentPart]:
    """Switch each flaw to its other side, by the options of variants.py."""
    for flaw in whole.flaws:
        fixed = flaw in whole.fixes
        option, options = "keep" if fixed else "fix", dict(spec.options)
        for word in ("fix", "keep"):
            names = [name for name in options.get(word, "").split("+") if name not in ("", flaw)]
            options[word] = "+".join([*names, flaw] if word == option else names)
        chosen = {name: value for name, value in options.items() if value}
        text = Spec("", spec.name, spec.weights, chosen).but({}, {}).text
        yield AgentPart(flaw, f"{option}={flaw}", text, gains=not fixed)


def _other_of_a_pair(game: Game, spec: Spec) -> Iterator[AgentPart]:
    """Replace a heuristic as written by the corrected one, and a corrected one by the one as written."""
    if spec.file:
        return
    *before, name = spec.name.split(":")
    for this, that in (WRITTEN, CORRECTED), (CORRECTED, WRITTEN):
        idea, other = name.removesuffix(this), name.removesuffix(this) + that
        if name.endswith(this) and other in (known := heuristics(game)):
            weights = {term: weight for term, weight in spec.weights.items() if term in known[other].weights}
            text = Spec("", ":".join([*before, other]), weights, spec.options).but({}, {}).text
            yield AgentPart(idea, other, text, this == WRITTEN)


@dataclass(frozen=True)
class Ablation:
    """The result of an ablation: one tournament in which every changed agent meets the whole one."""

    agent: str
    parts: tuple[AgentPart, ...]
    result: Tournament
    again: str  # the command without its plot; empty if there is none
    drawn: str = ""  # the option that names a picture of it

    @property
    def command(self) -> str:
        return self.again and self.again + self.drawn + self.result.store

    @property
    def interrupted(self) -> bool:
        return self.result.interrupted

    @property
    def ranking(self) -> list[tuple[AgentPart, EloDifference]]:
        """The parts that were played, the most valuable first."""
        found = [(part, part.worth(self.result)) for part in self.parts]
        return sorted((one for one in found if one[1].games), key=lambda one: -one[1].elo)

    def __str__(self) -> str:
        lines = [f"interrupted after {self.result.played:,} games"] if self.interrupted else []
        lines += [f"the worth of each part of {self.agent}: with it against without it, {self._games} each", ""]
        rows = [["part", "tried", "Elo", "95 %", ""]]
        shown = {1: "", 0: "not significant", -1: "better without"}
        for part, edge in self.ranking:
            rows.append([part.name, part.change, f"{edge.elo:+z.0f}", edge.interval, shown[edge.verdict]])
        lines += [columns(rows, right={2})]
        lines += ["", f"{'continue' if self.interrupted else 'again'}: {self.command}"] if self.command else []
        if self.result.kept:
            lines += [f"details: spar report {self.result.id}{self.result.store}"]
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def _games(self) -> str:
        """The number of games of each part; after an interruption the numbers differ."""
        played = [results.size for _, results in self.result.blocks]
        few, many = min(played), max(played)
        return f"{many:,} games" if few == many else f"{few:,} to {many:,} games"

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.result.contest.game.name,
            "options": self.result.contest.game.options(),
            "agent": self.agent,
            "parts": [
                {"part": part.name, "change": part.change, "agent": part.text, **vars(edge)}
                for part, edge in self.ranking
            ],
            "interrupted": self.interrupted,
            "command": self.command,
        }

    def plot(self, file: Path) -> None:
        """Draw the worth of each part with its interval, the most valuable on top."""
        ranking = self.ranking[::-1]
        with picture(file, size=(8, 1.5 + 0.4 * len(ranking))) as axes:
            for place, (_, edge) in enumerate(ranking):
                reach = [[edge.elo - edge.low], [edge.high - edge.elo]]
                color = "C0" if edge.verdict else "grey"
                axes.errorbar(edge.elo, place, xerr=reach, marker="o", capsize=3, color=color)
            axes.axvline(0, color="grey", linewidth=0.8)
            axes.set(xlabel="worth in Elo", title=self.agent, ylim=(-0.5, len(ranking) - 0.5))
            axes.set_yticks(range(len(ranking)), [part.change for part, _ in ranking])


def ablate(
    game: Game,
    named: str,
    games: int,
    only: Sequence[str],
    seed: int,
    store: Store | None,
    workers: int | None,
    progress: Progress | None,
    strict: bool,
    warn: Warn | None,
) -> Ablation:
    """Let an agent meet itself with each part changed alone, all on the same seeds."""
    each, whole = whole_blocks(game, games), agent(game, named)
    changed = parts(game, whole, only)
    agents = {WHOLE: whole.spec, **{part.change: part.text for part in changed}}
    pairs = [(part.change, WHOLE) for part in changed]
    title = f"the parts of {named}"
    contest = meeting(game, agents, pairs, each, seed, title, strict, warn)
    words = ["spar", "ablate", game.name, named, "--games", str(games), "--seed", str(seed)]
    words += ["--only", ",".join(only)] if only else []
    command = shlex.join([*words, *game.option_words()])
    result = run(contest, store, workers, progress=progress, source=command)
    refuse_failures(result)
    return Ablation(named, tuple(changed), result, command)
