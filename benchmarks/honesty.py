"""How often verdicts are wrong, by simulation: sequential tests, and the intervals of matches, leagues and tables.

python benchmarks/honesty.py [simulated matches, 10,000 by default]

Every game is simulated the same way: each agent has a strength in logits, each opening favours a seat, and each
opening suits each agent more or less. Leagues take a tenth of the simulations, tables a twentieth.
"""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparring.core.table import columns
from sparring.statistics.intervals import ELO_PER_LOGIT, Score, expected, logistic, ratings
from sparring.statistics.plackett_luce import placings
from sparring.statistics.sprt import LOGISTIC, NORMALISED, NORMALISED_ELO, SequentialTest, Sprt, TableSprt

Array = npt.NDArray[np.float64]
Random = np.random.Generator

SEED = 20_240
ELO1 = 30.0
FIRST_LOOK = 512
MANY_BLOCKS = 100_000
OUTCOMES = np.array([0.0, 0.5, 1.0])
PAIR = (OUTCOMES[:, None] + OUTCOMES).ravel()


@dataclass(frozen=True)
class Games:
    """What games are like: all in logits."""

    name: str
    draws: float = 0.0  # half the range of strengths in which a game is drawn
    bias: float = 0.0  # how much an opening favours the first seat
    taste: float = 0.0  # deviation of how much an opening suits an agent

    def outcomes(self, lead: Array) -> Array:
        """Chances of 0, 1/2 and 1 at a lead."""
        lost, won = logistic(-lead - self.draws), logistic(lead - self.draws)
        return np.stack([lost, np.maximum(1 - lost - won, 0), won], axis=-1)

    def pairs(self, lead: float) -> Array:
        """Chances of the nine results of a pair between agents without taste."""
        one, two = self.outcomes(np.array(lead + self.bias)), self.outcomes(np.array(lead - self.bias))
        return np.outer(one, two).ravel()

    def blocks(self, rng: Random, lead: float, tastes: tuple[Array, Array]) -> Array:
        """Scores of pairs, a row each, given how much the openings suit both agents."""
        lead_there = lead + tastes[0] - tastes[1]
        chances = self.outcomes(np.stack([lead_there + self.bias, lead_there - self.bias], axis=1))
        drawn = rng.random(chances.shape[:2])[..., None] > np.cumsum(chances, axis=-1)[..., :2]
        return drawn.sum(axis=-1) / 2


FAIR = Games("no draws")
DRAWN = Games("draws", draws=0.8)
BIASED = Games("opening bias", bias=1.5)
BOTH = Games("draws, opening bias", draws=0.8, bias=1.5)
TASTES = Games("tastes", taste=1.0)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def agents(elos: Sequence[float]) -> str:
    return f"{len(elos)} agents over {max(elos) - min(elos):.0f} Elo"


# Sequential tests


def lead_of(games: Games, model: str, elo: float) -> float:
    """The strength at which a hypothesis of the test is exactly true."""
    low, high = -5.0, 5.0
    while high - low > 1e-12:
        lead = (low + high) / 2
        chances = games.pairs(lead)
        mean = chances @ PAIR / 2
        deviation = np.sqrt(chances @ (PAIR / 2 - mean) ** 2)
        normalised = NORMALISED_ELO * (mean - 0.5) / (np.sqrt(2) * deviation)
        below = normalised < elo if model == NORMALISED else mean < expected(elo)
        low, high = (lead, high) if below else (low, lead)
    return low


def tested(test: SequentialTest, draw: Callable[[int], Array], matches: int) -> tuple[float, float]:
    """The share of matches in which 1 was accepted, and their mean length in blocks."""
    accepted = length = 0
    for _ in range(matches):
        blocks = draw(FIRST_LOOK)
        while (stop := test.stop(test.path(blocks))) is None:
            blocks = np.append(blocks, draw(len(blocks)))
        accepted += stop.accepted
        length += stop.blocks
    return accepted / matches, length / matches


def sprt_row(seed: int, matches: int, model: str, games: Games) -> list[str]:
    rng = np.random.default_rng(seed)
    test = Sprt(0.0, ELO1, model=model)
    found = []
    for elo in (test.elo0, test.elo1):
        chances = games.pairs(lead_of(games, model, elo))
        found.append(tested(test, lambda size, p=chances: rng.choice(PAIR, size, p=p), matches))
    (false_positive, length0), (power, length1) = found
    setting = f"{games.name}, 0 v {ELO1:g}"
    return [f"{model} Elo", setting, percent(false_positive), percent(1 - power), f"{length0:.0f}", f"{length1:.0f}"]


def places_lead(rng: Random, size: int) -> Array:
    """Points for places of two of four equal agents, the mean of four games."""
    places = rng.random((size, 4, 4)).argsort(axis=-1)
    return (places[..., 0] - places[..., 1]).mean(axis=1)


def wins_lead(rng: Random, size: int) -> Array:
    """Wins of two of eight equal agents in one game."""
    winner = rng.integers(8, size=size)
    return (winner == 0).astype(float) - (winner == 1)


def skewed_lead(rng: Random, size: int) -> Array:
    """One agent wins rarely and much, the other often and little."""
    return np.where(rng.random(size) < 0.1, 9.0, -1.0)


LEADS = {"places of 4": places_lead, "wins of 8": wins_lead, "rare big wins": skewed_lead}


def table_row(seed: int, matches: int, name: str) -> list[str]:
    rng = np.random.default_rng(seed)
    test, lead = TableSprt(), LEADS[name]
    shift = test.effect1 * float(np.std(lead(rng, MANY_BLOCKS)))
    false_positive, length0 = tested(test, lambda size: lead(rng, size), matches)
    power, length1 = tested(test, lambda size: lead(rng, size) + shift, matches)
    rates = percent(false_positive), percent(1 - power), f"{length0:.0f}", f"{length1:.0f}"
    return ["tables", f"{name}, 0 v {test.effect1:g}", *rates]


# Intervals


def score_row(seed: int, matches: int, games: Games, lead: float, blocks: int) -> list[str]:
    rng = np.random.default_rng(seed)
    chances = games.pairs(lead)
    truth = chances @ PAIR / 2
    results = np.stack([np.repeat(OUTCOMES, 3), np.tile(OUTCOMES, 3)], axis=1)
    intervals = [Score.of(results[rng.choice(9, blocks, p=chances)]).interval for _ in range(matches)]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    width = np.mean([high - low for low, high in intervals])
    setting = f"{games.name}, {percent(truth)}, {blocks} pairs"
    return ["score", setting, percent(float(covered)), f"{100 * width:.1f} points"]


def league(rng: Random, games: Games, strengths: Array, blocks: int) -> list[tuple[int, int, Array]]:
    """Every agent meets every other on the same openings."""
    tastes = rng.normal(0, games.taste, (len(strengths), blocks))
    return [
        (i, j, games.blocks(rng, strengths[i] - strengths[j], (tastes[i], tastes[j])))
        for i in range(len(strengths))
        for j in range(i)
    ]


def league_row(seed: int, leagues: int, games: Games, elos: Sequence[float], blocks: int) -> list[str]:
    rng = np.random.default_rng(seed)
    names, strengths = [str(i) for i in range(len(elos))], np.array(elos) / ELO_PER_LOGIT
    truth = {r.name: r.elo for r in ratings(names, league(rng, games, strengths, MANY_BLOCKS))}
    rated = [r for _ in range(leagues) for r in ratings(names, league(rng, games, strengths, blocks))]
    covered = np.mean([r.low <= truth[r.name] <= r.high for r in rated])
    width = np.mean([r.high - r.low for r in rated])
    setting = f"{games.name}, {agents(elos)}, {blocks} pairs each"
    return ["rating", setting, percent(float(covered)), f"{width:.0f} Elo"]


def tables(rng: Random, games: Games, strengths: Array, blocks: int, step: float) -> tuple[Array, Array, Array]:
    """Each block is one game for every rotation of all agents; scores are rounded to `step`, so places are shared."""
    n = len(strengths)
    seats = np.array([np.roll(np.arange(n), turn) for turn in range(n)] * blocks)
    block = np.repeat(np.arange(blocks), n)
    tastes = rng.normal(0, games.taste, (blocks, n))
    scores = strengths[seats] + np.take_along_axis(tastes[block], seats, axis=1) + rng.gumbel(size=seats.shape)
    scores[:, 0] += games.bias
    return seats, np.floor(scores / step) if step else scores, block


def placing_rows(
    seed: int, leagues: int, games: Games, elos: Sequence[float], blocks: int, step: float
) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    names, strengths = [str(i) for i in range(len(elos))], np.array(elos) / ELO_PER_LOGIT
    truth = {p.name: p for p in placings(names, *tables(rng, games, strengths, MANY_BLOCKS, step))}
    found = [p for _ in range(leagues) for p in placings(names, *tables(rng, games, strengths, blocks, step))]
    shared = "shared places, " if step else ""
    setting = f"{shared}{games.name}, {agents(elos)}, {blocks} blocks"
    rows = []
    for name, what, low, high, unit, scale in (
        ("Plackett-Luce rating", "elo", "low", "high", "Elo", 1),
        ("mean place", "place", "place_low", "place_high", "places", 1),
        ("win share", "wins", "wins_low", "wins_high", "points", 100),
    ):
        covered = [getattr(p, low) <= getattr(truth[p.name], what) <= getattr(p, high) for p in found]
        width = scale * np.mean([getattr(p, high) - getattr(p, low) for p in found])
        rows.append([name, setting, percent(float(np.mean(covered))), f"{width:.3g} {unit}"])
    return rows


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    leagues, rounds = matches // 10, matches // 20
    seeds = iter(range(SEED, SEED + 1000))
    ladder = [150.0, 90.0, 30.0, -30.0, -90.0, -150.0]
    four = [150.0, 50.0, -50.0, -150.0]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        tests = [
            *(
                pool.submit(sprt_row, next(seeds), matches, model, games)
                for model in (NORMALISED, LOGISTIC)
                for games in (FAIR, DRAWN, BIASED, BOTH)
            ),
            *(pool.submit(table_row, next(seeds), matches, name) for name in LEADS),
        ]
        scores = [
            pool.submit(score_row, next(seeds), matches, games, lead, blocks)
            for games, lead, blocks in (
                (FAIR, 0.0, 10),
                (FAIR, 0.0, 100),
                (DRAWN, 0.3, 100),
                (BIASED, 0.3, 100),
                (BOTH, 0.0, 30),
                (FAIR, 3.0, 100),
                (FAIR, 5.0, 100),
            )
        ]
        rated = [
            pool.submit(league_row, next(seeds), leagues, games, elos, blocks)
            for games, elos, blocks in (
                (FAIR, ladder, 10),
                (FAIR, ladder, 60),
                (BOTH, ladder, 60),
                (TASTES, ladder, 60),
                (FAIR, [600.0, 0.0, -600.0], 60),
            )
        ]
        placed = [
            pool.submit(placing_rows, next(seeds), rounds, games, elos, blocks, step)
            for games, elos, blocks, step in (
                (FAIR, four, 10, 0.0),
                (FAIR, four, 60, 0.0),
                (TASTES, four, 60, 0.0),
                (BIASED, four, 60, 1.0),
                (FAIR, [900.0, 0.0, -900.0], 60, 0.0),
            )
        ]
        head = ["test", "games", "accepts 1 if 0", "accepts 0 if 1", "blocks if 0", "blocks if 1"]
        print(columns([head, *(row.result() for row in tests)], right={2, 3, 4, 5}), end="\n\n", flush=True)
        rows = [*(row.result() for row in scores), *(row.result() for row in rated)]
        rows += [row for group in placed for row in group.result()]
        print(columns([["95 % interval", "games", "covers", "mean width"], *rows], right={2, 3}))


if __name__ == "__main__":
    main()
