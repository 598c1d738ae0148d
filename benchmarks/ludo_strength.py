"""What Ludo's agents are worth, in compiled games: against random, against each other, and every fix of the rule-based
agent by itself. Games come in blocks: the same dice with the agent in every seat.

Prints the tables of docs/ludo.md.
"""

import math
from functools import cache
from typing import Any

import numba
import numpy as np

from sparring.agents.spec import agent
from sparring.dice import Dice, sow
from sparring.games import game
from sparring.games.ludo import Ludo, rulebased, rules
from sparring.games.ludo.agents import scorers
from sparring.games.ludo.state import State
from sparring.kernel import Weights, kernel, record
from sparring.search.tree import Automaton, Frame, Walk, begin
from sparring.table import columns

GAMES, FEWER_GAMES = 20_000, 12_000
AGENTS = ["rulebased:as_coded", "rulebased:as_written", "semi_smart", "rulebased:corrected", "one_ply"]
DUELS = [
    ("rulebased:corrected", "rulebased:as_written"),
    ("rulebased:corrected", "semi_smart"),
    ("one_ply", "rulebased:corrected"),
]


@kernel
def by_nothing(s: Any, after: Any, token: int, heuristic: Any, weights: Any) -> Any:
    """All moves are equal, so any is chosen: the agent random, for compiled games."""
    return 0.0


def automaton(made: Ludo, spec: str) -> Automaton:
    if spec == "random":
        return Automaton(scorers.bound(by_nothing), scorers.silent(), record(Weights), 1, 1)
    found = agent(made, spec).automaton(made)
    assert found
    return found


def games_won(
    games: int,
    heroes: int,
    start: Any,
    states: Any,
    frames: Any,
    walk: Any,
    dice: Any,
    hero: Any,
    hero_score: Any,
    hero_weights: Any,
    foil: Any,
    foil_score: Any,
    foil_weights: Any,
) -> int:
    """Of games in which the hero sits in every seat in turn, or in two of them, and foils in the others."""
    won = 0
    for place in range(games):
        seat = place % start.players
        for own in range(3):
            sow(dice[own], place // start.players, own)
        states[0] = start
        rules.roll_on(states[0], dice[0])
        while rules.legal(states[0]):
            me = states[0].to_move
            begin(walk, me, 1, 1)
            if me == seat or (heroes == 2 and me == (seat + 2) % start.players):
                hero(walk, states, frames, hero_score, hero_weights, dice[1], 1)
            else:
                foil(walk, states, frames, foil_score, foil_weights, dice[2], 1)
            rules.play(states[0], walk.line[0], dice[0])
        won += states[0].place[seat] == 1
        if heroes == 2:
            won += states[0].place[(seat + 2) % start.players] == 1
    return won


@cache
def compiled_games() -> Any:
    return numba.njit(games_won)


def won(players: int, hero: str, foil: str = "random", games: int = FEWER_GAMES, heroes: int = 1) -> float:
    """Per cent of games."""
    made = game("ludo", players=players)
    assert isinstance(made, Ludo)
    one, other = automaton(made, hero), automaton(made, foil)
    memory = np.zeros(2, State), np.zeros(1, Frame), np.zeros(1, Walk)[0], np.zeros(3, Dice)
    return float(100 * compiled_games()(games, heroes, made.empty(), *memory, *one[:3], *other[:3]) / games)


def margin(games: int) -> str:
    return f"{196 * math.sqrt(0.25 / games):.1f}"


def main() -> None:
    print(f"wins against random in % of {GAMES:,} games, at most {margin(GAMES)} to either side")
    rows = [["agent", "alone among four", "of two", "two among four"]]
    for spec in AGENTS:
        found = (won(4, spec, games=GAMES), won(2, spec, games=GAMES), won(4, spec, games=GAMES, heroes=2))
        rows.append([spec, *(f"{share:.1f}" for share in found)])
    print(columns(rows, right={1, 2, 3}))
    print(f"\nof two, {GAMES:,} games")
    duels = [[one, f"{won(2, one, other, GAMES):.1f} %", f"against {other}"] for one, other in DUELS]
    print(columns(duels, right={1}))
    print(f"\neach fix, wins against three random in % of {FEWER_GAMES:,} games, at most {margin(FEWER_GAMES)} off")
    rows = [["fix", "alone", "all but it"]]
    for fix in (fix for fix in rulebased.FIXES if fix not in rulebased.AS_WRITTEN):
        alone = won(4, f"rulebased:as_written,fix={fix}")
        rest = f"{won(4, f'rulebased:corrected,keep={fix}'):.1f}" if fix in rulebased.CORRECTED else ""
        rows.append([fix, f"{alone:.1f}", rest])
    rows.append(["(none; all)", f"{won(4, 'rulebased:as_written'):.1f}", f"{won(4, 'rulebased:corrected'):.1f}"])
    print(columns(rows, right={1, 2}))


if __name__ == "__main__":
    main()
