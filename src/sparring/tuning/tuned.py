"""What came of a tuning: the verdict, the weights, and an agent's file that can be named wherever an agent can."""

import json
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sparring.agents.spec import Spec
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError
from sparring.core.files import written_whole
from sparring.core.plots import picture
from sparring.core.table import columns
from sparring.tuning.meeting import Edge
from sparring.tuning.methods import Array
from sparring.tuning.task import DEFAULT, TUNED, Tuning


class Check(NamedTuple):
    """How far it had come after so many games of tuning."""

    games: int
    edge: Edge


def later_mean(way: Array) -> Array:
    """The mean of the later half of a way: the answer."""
    return way[len(way) // 2 :].mean(axis=0)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Tuned:
    """An agent with the weights that were found, or that are known so far."""

    tuning: Tuning
    way: Array
    checks: tuple[Check, ...]
    confirmed: Tournament | None
    store: str = ""  # the option that names it, where it is not the usual one
    drawn: str = ""  # the option that names a picture of it
    apart: bool = True
    """Whether candidates ever scored differently. Else there was nothing to follow."""

    @property
    def interrupted(self) -> bool:
        return self.confirmed is None or self.confirmed.interrupted

    @property
    def weights(self) -> dict[str, float]:
        """As tuned."""
        dials = self.tuning.dials
        return dials.at(later_mean(self.way) if len(self.way) else dials.start)

    @property
    def agent(self) -> str:
        """The tuned agent as a text."""
        return self._spec.text

    @property
    def _spec(self) -> Spec:
        return self.tuning.dials.spec.but(self.weights, {})

    @property
    def edge(self) -> Edge | None:
        """Of the tuned over the default weights, as confirmed."""
        return Edge.of(self.confirmed, TUNED, DEFAULT) if self.confirmed and self.confirmed.played else None

    @property
    def verdict(self) -> str:
        edge = self.edge
        if edge is None:
            return "nothing is confirmed yet"
        if not self.apart:
            others = "other opponents" if self.tuning.against else "an opponent"
            return (
                "nothing was tuned: no game told the candidates apart, for all of them scored the same; "
                f"give more --games, or {others} such as --against random"
            )
        told = {1: f"tuned is {edge}", 0: f"tuned is inside the noise: {edge}", -1: f"tuned is worse: {edge}"}
        return f"{told[edge.verdict]} over the default weights, {edge.evidence}"

    @property
    def command(self) -> str:
        return self.tuning.command + self.drawn + self.store

    def __str__(self) -> str:
        done, all_steps = (steps * self.tuning.games_a_step for steps in (len(self.way), self.tuning.steps))
        lines = [f"interrupted after {done:,} of {all_steps:,} games of tuning"] if self.interrupted else []
        lines += [self.verdict, "", self._weights_told()]
        if self.checks:
            rows = [["games", "Elo so far", "95 %"]]
            for games, edge in self.checks:
                rows.append([f"{games:,}", f"{edge.elo:+z.0f}", edge.interval])
            lines += ["", columns(rows, right={0, 1})]
        if self.confirmed and self.tuning.against:
            lines += ["", *self._against_told(self.confirmed)]
        lines += ["", f"the agent: {shlex.quote(self.agent)}"]
        lines += [f"{'go on' if self.interrupted else 'again'}: {self.command}"]
        if self.confirmed and self.confirmed.kept:
            lines += [f"closer: spar report {self.confirmed.id}{self.store}"]
        return "\n".join(lines)

    def _weights_told(self) -> str:
        rows = [["term", "default", "tuned", "looked for in"]]
        for term, weight in self.tuning.dials.weights.items():
            low, high = weight.range
            rows.append([term, f"{weight.default:g}", f"{self.weights[term]:g}", f"{low:g} to {high:g}"])
        return columns(rows, right={1, 2})

    def _against_told(self, confirmed: Tournament) -> list[str]:
        lines = []
        for other in self.tuning.against:
            shares = []
            for name in (TUNED, DEFAULT):
                score = confirmed.against(name, other)
                low, high = score.interval
                shares.append(f"{name} {100 * score.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]")
            lines.append(f"against {other}: {', '.join(shares)}")
        return lines

    def to_json(self) -> dict[str, Any]:
        dials, a_step = self.tuning.dials, self.tuning.games_a_step
        return {
            "game": self.tuning.game.name,
            "options": self.tuning.game.options(),
            "agent": self.agent,
            "verdict": self.verdict,
            "edge": vars(self.edge) if self.edge else None,
            "weights": self.weights,
            "default": {term: weight.default for term, weight in dials.weights.items()},
            "ranges": {term: weight.range for term, weight in dials.weights.items()},
            "way": [{"games": (step + 1) * a_step, **dials.at(point)} for step, point in enumerate(self.way)],
            "checks": [{"after": games, **vars(edge)} for games, edge in self.checks],
            "confirmed": self.confirmed.to_json() if self.confirmed else None,
            "interrupted": self.interrupted,
            "command": self.command,
        }

    def write(self, file: Path) -> None:
        """The tuned agent as a file, which can be named wherever an agent can."""
        with written_whole(file) as part:
            part.write_text(
                f"# {self.verdict}\n"
                f"game = {json.dumps(self.tuning.game.name)}\n"
                f"agent = {json.dumps(self._spec.told_in(file))}\n"
                f"tuned_by = {json.dumps(self.tuning.search)}\n"
            )

    def plot(self, file: Path) -> None:
        """Weights and rating over time."""
        dials, a_step = self.tuning.dials, self.tuning.games_a_step
        with picture(file, rows=2, size=(8, 8)) as (above, below):
            games = [(step + 1) * a_step for step in range(len(self.way))]
            for place, (term, weight) in enumerate(dials.weights.items()):
                above.plot(games, self.way[:, place], label=f"{term}: {weight.default:g} → {self.weights[term]:g}")
            above.set(ylabel="from the low to the high end of its range", ylim=(-0.02, 1.02), title=self.tuning.agent)
            above.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
            shown = [*self.checks, *([Check(games[-1], self.edge)] if self.edge and games else [])]
            for number, (after, edge) in enumerate(shown):
                last = number == len(self.checks)
                reach = [[edge.elo - edge.low], [edge.high - edge.elo]]
                style = {"color": "C3", "label": "confirmed on unseen seeds"} if last else {"color": "C0"}
                below.errorbar(after, edge.elo, yerr=reach, marker="o", capsize=3, **style)
            below.axhline(0, color="grey", linewidth=0.8)
            below.set(xlabel="games of tuning", ylabel="Elo over the default weights")
            if self.edge:
                below.legend(fontsize="small", loc="best")


def refuse_other(file: Path, tuning: Tuning) -> None:
    """A file must be able to name the agent, and what is there already must be of the same tuning, or it is somebody's
    work."""
    tuning.dials.spec.told_in(file)
    if not file.exists():
        return
    try:
        by = tomllib.loads(file.read_text()).get("tuned_by")
    except (OSError, ValueError):
        by = None
    if by != tuning.search:
        raise SparringError(f"{file} is there already and is no result of this tuning; name another by --out")
