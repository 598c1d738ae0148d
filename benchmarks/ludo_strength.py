"""What Ludo's agents are worth against random and against each other. Games come in blocks: the same dice with the
agent in every seat.

Prints tables of docs/ludo.md; what the fixes of the rule-based agent are worth is printed by experiments/seed-000.toml.
"""

from sparring.arena.experiment import Contest, described
from sparring.arena.run import run
from sparring.arena.statistics import Score
from sparring.table import columns

GAMES, FEWER_GAMES = 20_000, 12_000
AGENTS = ["rulebased:as_coded", "rulebased:as_written", "semi_smart", "rulebased:corrected", "one_ply"]
DUELS = [
    ("rulebased:corrected", "rulebased:as_written"),
    ("rulebased:corrected", "semi_smart"),
    ("one_ply", "rulebased:corrected"),
]


def score(players: int, hero: str, foil: str = "random", games: int = FEWER_GAMES, heroes: int = 1) -> Score:
    """Of games in which the hero sits in every seat in turn, or in two of them, and foils in the others."""
    settings = {"contestants": {"hero": hero}, "opponents": {"foil": foil}, "games": games, "side": heroes}
    contest = Contest.of(described(game="ludo", options={"players": players}, **settings))
    return run(contest).against("hero", "foil")


def won(*args: int | str, **more: int) -> float:
    """Per cent of games."""
    return 100 * score(*args, **more).mean  # type: ignore[arg-type]


def margin(found: Score) -> float:
    low, high = found.interval
    return 50 * (high - low)


def main() -> None:
    found = {
        spec: [score(4, spec, games=GAMES), score(2, spec, games=GAMES), score(4, spec, games=GAMES, heroes=2)]
        for spec in AGENTS
    }
    widest = max(margin(one) for scores in found.values() for one in scores)
    print(f"wins against random in % of {GAMES:,} games, at most {widest:.1f} to either side")
    rows = [["agent", "alone among four", "of two", "two among four"]]
    rows += [[spec, *(f"{100 * one.mean:.1f}" for one in scores)] for spec, scores in found.items()]
    print(columns(rows, right={1, 2, 3}))
    print(f"\nof two, {GAMES:,} games")
    duels = [[one, f"{won(2, one, other, GAMES):.1f} %", f"against {other}"] for one, other in DUELS]
    print(columns(duels, right={1}))


if __name__ == "__main__":
    main()
