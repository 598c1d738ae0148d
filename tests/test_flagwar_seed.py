"""The cases that were documented with the seed's design, S1 to S15: here what commands are worth, in the game's
tactical suite what has to be commanded.

Figures are gains over staying, by the evaluator that counts captures. Where the documents have 1,000 more for a flag,
what they simulated left the zone around it on. Two cases move a flag away from its home: here the piece goes to a cell
beside it.
"""

import numpy as np
import pytest

import sparring
from flagwar_situations import made
from sparring.analysis.suite import cases, suite
from sparring.games.flagwar.agents.commander import Commander
from sparring.games.flagwar.board import LETTERS

ALONE = "A2:X A3:X"
GAINS = {
    "S2 what A does next": ("A1:3,8", 0, "stay", {"1d8": 500}),
    "S2 what B answers": ("A1:3,8", 1, "1d8", {"1u8": 1500, "1l1": 1700, "2l2": 1700, "3l3": 1700}),
    "S3 nobody is caught who does not come": ("A1:3,8", 1, "stay", {"1u8": 1500}),
    "S4 a free flag": (f"A1:5,3 {ALONE} B1:0,0 B2:1,0 B3:2,0", 0, "stay", {"1d3": 8500}),
    "S6 along the wall": (f"A1:0,0 {ALONE} B1:5,2 B2:4,1 B3:6,1", 0, "stay", {"1r5": 8000}),
    "S7 a capture or the zone": (f"A1:4,5 {ALONE} B1:4,7 B2:0,0 B3:1,0", 0, "stay", {"1u2": 1200, "1d5": 1500}),
    "S8 who is behind": (f"A1:5,3 {ALONE} B1:5,5 B2:0,0 B3:1,0", 0, "stay", {"1d3": 8500}),
    "S9 into the zone": (f"A1:4,2 {ALONE} B1:0,1 B2:1,1 B3:2,1", 0, "stay", {"1d2": 1500}),
    "S11 a free flag of A": ("B1:5,5 B2:X B3:X A1:0,10 A2:1,10 A3:2,10", 1, "stay", {"1u5": 8500}),
    "S12 next to it": ("B1:5,8 B2:X B3:X A1:0,10 A2:1,10 A3:2,10", 1, "stay", {"1u2": 8500}),
    "S13 every way down is a contact": (f"A1:5,3 {ALONE} B1:5,1 B2:0,0 B3:1,0", 0, "1u1", {}),
    "S15 the last one": ("A1:0,6 A2:1,6 A3:2,6 B1:X B2:X B3:9,10", 1, "stay", {"3l4": 8000}),
}
"""The position, who moves, what the other side does, and what the best command in each direction gains, if anything."""
SAME = {
    "S5 a jailed piece": ("A1:X", 0),
    "S10 a carrier that is home already": ("A1:5,8+flag", 2000),
}
"""The position, and what it gains over now whatever A1 is told; S10 comes up in no game, which is over by then."""


def commander() -> Commander:
    made_here = sparring.agent(made(), "seed,captures")
    assert isinstance(made_here, Commander)
    return made_here


@pytest.mark.parametrize("case", GAINS)
def test_a_command_gains_what_was_documented(case: str) -> None:
    position, side, reply, expected = GAINS[case]
    here = made().position(position)
    sim, other = commander().simulation(here.state), here.action(reply, 1 - side)
    gains = sim.alone(side, other) - sim.after(side, 0, other)
    best = {
        f"{piece + 1}{LETTERS[way]}{gains[piece, way].argmax() + 1}": gains[piece, way].max()
        for piece, way in np.argwhere(gains.max(2) > 0).tolist()
    }
    assert best == expected


@pytest.mark.parametrize("case", SAME)
def test_whatever_it_is_told_comes_to_the_same(case: str) -> None:
    position, gain = SAME[case]
    here = made().position(position)
    sim = commander().simulation(here.state)
    orders = ("stay", "1u1", "1d1", "1l3", "1r9")
    assert {sim.after(0, here.action(one, 0), 0) - sim.now(0) for one in orders} == {gain}


def test_nobody_is_jailed_in_s3() -> None:
    after = made().position("A1:3,8").after({0: "stay", 1: "1l1"})
    assert "X" not in after.text
    assert "lost" not in after.text


@pytest.mark.parametrize("spec", ["seed", "repo64"])
def test_the_documented_designs_solve_every_case_but_the_starts(spec: str) -> None:
    found = suite("flagwar", [spec], tries=1, seed=1)
    solved = zip(found.cases, found.solved[spec], strict=True)
    assert [case.name for case, times in solved if not times] == ["start", "start of B"]


def test_every_documented_case_is_here_or_in_the_suite() -> None:
    told = (*GAINS, *SAME, *(case.about for case in cases("flagwar")))
    assert {f"S{number}" for number in range(1, 16)} <= {one.split()[0].rstrip(":") for one in told}
