"""The result of a tuning: the verdict, the weights, and a file that names the tuned agent."""

import json
import shlex
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.agents.spec import Spec
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write
from sparring.core.plots import picture
from sparring.core.table import columns
from sparring.statistics.intervals import evidence
from sparring.tuning.meeting import EloDifference
from sparring.tuning.methods import Array
from sparring.tuning.task import DEFAULT, TUNED, Tuning


def tail_mean(path: Array) -> Array:
    """Return the mean of the later half of a path, which is the answer of a tuning."""
    return path[len(path) // 2 :].mean(axis=0)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Tuned:
    """An agent with the weights found so far."""

    tuning: Tuning
    path: Array
    milestones: tuple[tuple[int, EloDifference], ...]
    """The strength of the weights after a number of games of tuning."""
    confirmed: Tournament | None
    store: str = ""  # the option that names it, if it is not the default
    drawn: str = ""  # the option that names a picture of it
    apart: bool = True
    """True if candidates ever scored differently. If not, there was nothing to follow."""

    @property
    def interrupted(self) -> bool:
        return self.confirmed is None or self.confirmed.interrupted

    @property
    def weights(self) -> dict[str, float]:
        space = self.tuning.space
        return space.at(tail_mean(self.path) if len(self.path) else space.start)

    @property
    def agent(self) -> str:
        return self._spec.text

    @property
    def _spec(self) -> Spec:
        return self.tuning.space.spec.but(self.weights, {})

    @property
    def edge(self) -> EloDifference | None:
        """The difference in strength of tuned and default weights, by the confirmation."""
        return EloDifference.of(self.confirmed, TUNED, DEFAULT) if self.confirmed and self.confirmed.played else None

    @property
    def verdict(self) -> str:
        if (edge := self.edge) is None:
            return "not confirmed yet"
        if not self.apart:
            same = "nothing was tuned: all candidates scored the same in all games; give more --games"
            return f"{same}, or {'other opponents' if self.tuning.against else 'an opponent'} such as --against random"
        told = {1: "tuned is better", 0: "no significant difference", -1: "tuned is worse"}[edge.verdict]
        return f"{told}: {edge} over the default weights, {evidence(edge.games, edge.blocks)}"

    @property
    def command(self) -> str:
        return self.tuning.command and self.tuning.command + self.drawn + self.store

    def __str__(self) -> str:
        done, all_steps = (steps * self.tuning.games_per_step for steps in (len(self.path), self.tuning.steps))
        lines = [f"interrupted after {done:,} of {all_steps:,} games of tuning"] if self.interrupted else []
        rows = [["term", "default", "tuned", "range"]]
        for term, weight in self.tuning.space.weights.items():
            low, high = weight.range
            rows.append([term, f"{weight.default:g}", f"{self.weights[term]:g}", f"{low:g} to {high:g}"])
        lines += [self.verdict, "", columns(rows, right={1, 2})]
        if self.milestones:
            rows = [[f"{games:,}", f"{edge.elo:+z.0f}", edge.interval] for games, edge in self.milestones]
            lines += ["", columns([["games", "Elo so far", "95 %"], *rows], right={0, 1})]
        if self.confirmed and self.tuning.against:
            lines += ["", *(self._against(other, self.confirmed) for other in self.tuning.against)]
        if self.command:
            lines += ["", f"the agent: {shlex.quote(self.agent)}"]
            lines += [f"{'continue' if self.interrupted else 'again'}: {self.command}"]
        else:
            weights = "".join(f", {term}={weight:g}" for term, weight in self._spec.weights.items())
            lines += ["", f'the heuristic: @heuristic("{self.tuning.game.name}"{weights})']
        if self.confirmed and self.confirmed.kept:
            lines += [f"details: spar report {self.confirmed.id}{self.store}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _against(self, other: str, confirmed: Tournament) -> str:
        shares = []
        for name in (TUNED, DEFAULT):
            score = confirmed.against(name, other)
            low, high = score.interval
            shares.append(f"{name} {100 * score.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]")
        return f"against {other}: {', '.join(shares)}"

    def to_json(self) -> dict[str, Any]:
        space, a_step = self.tuning.space, self.tuning.games_per_step
        return {
            "game": self.tuning.game.name,
            "options": self.tuning.game.options(),
            "agent": self.agent,
            "verdict": self.verdict,
            "edge": vars(self.edge) if self.edge else None,
            "weights": self.weights,
            "default": {term: weight.default for term, weight in space.weights.items()},
            "ranges": {term: weight.range for term, weight in space.weights.items()},
            "path": [{"games": (step + 1) * a_step, **space.at(point)} for step, point in enumerate(self.path)],
            "milestones": [{"after": games, **vars(edge)} for games, edge in self.milestones],
            "confirmed": self.confirmed.to_json() if self.confirmed else None,
            "interrupted": self.interrupted,
            "command": self.command,
        }

    def write(self, file: Path) -> None:
        """Write the tuned agent to a file that can be named like an agent."""
        with atomic_write(file) as part:
            part.write_text(
                f"# {self.verdict}\n"
                f"game = {json.dumps(self.tuning.game.name)}\n"
                f"agent = {json.dumps(self._spec.told_in(file))}\n"
                f"tuned_by = {json.dumps(self.tuning.search)}\n",
                encoding="utf-8",
            )

    def plot(self, file: Path) -> None:
        """Draw weights and rating over time."""
        space, a_step = self.tuning.space, self.tuning.games_per_step
        with picture(file, rows=2, size=(8, 8)) as (above, below):
            games = [(step + 1) * a_step for step in range(len(self.path))]
            for place, (term, weight) in enumerate(space.weights.items()):
                above.plot(games, self.path[:, place], label=f"{term}: {weight.default:g} → {self.weights[term]:g}")
            above.set(ylabel="from the low to the high end of its range", ylim=(-0.02, 1.02), title=self.tuning.agent)
            above.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
            shown = [*self.milestones, *([(games[-1], self.edge)] if self.edge and games else [])]
            for number, (after, edge) in enumerate(shown):
                last = number == len(self.milestones)
                reach = [[edge.elo - edge.low], [edge.high - edge.elo]]
                style = {"color": "C3", "label": "confirmed on new seeds"} if last else {"color": "C0"}
                below.errorbar(after, edge.elo, yerr=reach, marker="o", capsize=3, **style)
            below.axhline(0, color="grey", linewidth=0.8)
            below.set(xlabel="games of tuning", ylabel="Elo over the default weights")
            if self.edge:
                below.legend(fontsize="small", loc="best")


def refuse_other(file: Path, tuning: Tuning) -> None:
    """Refuse a file that cannot name the agent, and an existing file of anything but the same tuning."""
    tuning.space.spec.told_in(file)
    by = None
    with suppress(OSError, ValueError):
        by = tomllib.loads(file.read_text(encoding="utf-8")).get("tuned_by")
    if file.exists() and by != tuning.search:
        raise SparringError(f"{file} exists and is no result of this tuning; name another file by --out")
