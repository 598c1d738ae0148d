"""Agents that differ in a little, face to face: who is how much stronger, on the same seeds and in all seats."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sparring.arena import schedule as plan
from sparring.arena.experiment import Contest, described
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError
from sparring.core.table import counted, in_a_line
from sparring.games.contract import Game
from sparring.statistics.intervals import elo, evidence


def sides(game: Game) -> plan.Table:
    """Who of two sits where: each has half of the seats, or nearly half."""
    if game.seats < 2:
        raise SparringError(f"{game.name} with one player has nobody to compare with: choose more players")
    return plan.gauntlet([0], [1], game.seats, game.seats // 2)[0]


def games_a_block(game: Game) -> int:
    return len(plan.seatings(sides(game)))


def whole_blocks(game: Game, games: int) -> int:
    """So many games, or a few less, and at least a block."""
    size = games_a_block(game)
    return max(1, games // size) * size


def meeting(
    game: Game,
    agents: Mapping[str, str],
    pairs: Sequence[tuple[str, str]],
    games: int,
    seed: int,
    title: str = "",
    strict: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Contest:
    """A contest in which agents meet in pairs, each for so many games."""
    experiment = described(
        title=title,
        game=game.name,
        options=game.options(),
        agents=dict(agents),
        tables=[[pair[seat] for seat in sides(game)] for pair in pairs],
        games=games,
        seed=seed,
    )
    return Contest.of(experiment, strict, warn)


def refuse_failures(result: Tournament) -> None:
    """Who fails cannot be measured by its results."""
    for name, kinds in result.failures().items():
        kind, times = kinds.most_common(1)[0]
        who, why = result.contest.members[result.names.index(name)].spec, in_a_line(result.last_words(name))
        raise SparringError(f"{who} lost {counted(times, 'game')} by {kind}, which has to be mended first ({why})")


@dataclass(frozen=True)
class Edge:
    """How much stronger one agent is than another, with a 95 % interval."""

    elo: float
    low: float
    high: float
    games: int
    blocks: int

    @classmethod
    def of(cls, result: Tournament, first: str, second: str) -> "Edge":
        """Of the first over the second. What an agent wins at a table of equals is the share of seats that it has; the
        odds that it wins beyond that are its strength, by the model that ratings go by."""
        score, seated = result.against(first, second), sides(result.contest.game)
        par = elo(seated.count(0) / len(seated))
        low, high = score.elo_interval
        return cls(score.elo - par, low - par, high - par, score.games, score.blocks)

    @property
    def verdict(self) -> int:
        """1 if it is shown to be stronger, -1 if it is shown to be weaker, 0 if this is inside the noise."""
        return int(self.low > 0) - int(self.high < 0)

    def __str__(self) -> str:
        return f"{self.elo:+z.0f} Elo {self.interval}"

    @property
    def interval(self) -> str:
        return f"[{self.low:+.0f}, {self.high:+.0f}]"

    def __neg__(self) -> "Edge":
        return Edge(-self.elo, -self.high, -self.low, self.games, self.blocks)

    @property
    def evidence(self) -> str:
        return evidence(self.games, self.blocks)
