"""Let similar agents meet on the same seeds and in all seats, to measure how much stronger one is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sparring.arena import schedule as plan
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError
from sparring.core.table import counted, one_line
from sparring.games.contract import Game
from sparring.statistics.intervals import elo

Warn = Callable[[str], None]  # called with the warning that a heuristic is slow


def sides(game: Game) -> plan.Table:
    """Return which of two agents has each seat. Each has half of the seats, or nearly half."""
    if game.seats < 2:
        raise SparringError(f"{game.name} with one player has no opponent to compare with: choose more players")
    return plan.gauntlet([0], [1], game.seats, game.seats // 2)[0]


def games_a_block(game: Game) -> int:
    return int(plan.seatings(sides(game)).shape[1])


def whole_blocks(game: Game, games: int) -> int:
    """Round a number of games down to whole blocks, at least one."""
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
    warn: Warn | None = None,
) -> Contest:
    """Make a contest in which pairs of agents meet, each pair for the same number of games."""
    experiment = make_experiment(
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
    for name, kinds in result.failures().items():
        kind, times = kinds.most_common(1)[0]
        agent = result.contest.participants[result.names.index(name)].spec
        why = one_line(result.first_failure(name).detail)
        raise SparringError(f"{agent} lost {counted(times, 'game')} by {kind}, which must be fixed first ({why})")


@dataclass(frozen=True)
class EloDifference:
    """The difference in strength of two agents, with a 95 % interval."""

    elo: float
    low: float
    high: float
    games: int
    blocks: int

    @classmethod
    def of(cls, result: Tournament, first: str, second: str) -> "EloDifference":
        """Compare the first agent with the second.

        Among equals an agent wins its share of the seats. The odds beyond that are its strength, as in the ratings.
        """
        score, seated = result.against(first, second), sides(result.contest.game)
        par = elo(seated.count(0) / len(seated))
        low, high = score.elo_interval
        return cls(score.elo - par, low - par, high - par, score.games, score.blocks)

    @property
    def verdict(self) -> int:
        """1 if it is significantly stronger, -1 if it is significantly weaker, else 0."""
        return int(self.low > 0) - int(self.high < 0)

    def __str__(self) -> str:
        return f"{self.elo:+z.0f} Elo {self.interval}"

    @property
    def interval(self) -> str:
        return f"[{self.low:+.0f}, {self.high:+.0f}]"

    def __neg__(self) -> "EloDifference":
        return EloDifference(-self.elo, -self.high, -self.low, self.games, self.blocks)
