"""RHEA: plans that are bred, move by move, and what the editions of seed 002 make of it."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from numba import types

import sparring
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.spec import heuristics
from sparring.arena.referee import play
from sparring.core.dice import Dice, dice, players_dice
from sparring.core.kernel import entry, record_type
from sparring.games.battlesnake.agents.rhea import VARIANTS, Rhea
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.policies import POLICIES, policy_move, repaired
from sparring.games.battlesnake.rules import MOVES

GAME = Battlesnake()
OPEN = "t9 A80:d4,d3,d2 B80:h8,h9,h10 food:f6"
CORRIDOR = "t9 A80:a3,a2,a1,b1,b2 B80:b5,b4,b3,c3,c2,c1 food:k11"
"""A must go up: b3 and a2 are bodies, and the wall is on its left."""


@cache
def made(spec: str) -> Agent:
    return sparring.agent(GAME, spec)


def decided(spec: str, position: str, me: int = 0, seed: int = 1, game: Battlesnake = GAME) -> Decision:
    agent = made(spec) if game is GAME else sparring.agent(game, spec)
    return agent.decide(View(game.position(position), me, players_dice(seed, me)))


def explained(spec: str, position: str) -> Decision:
    return made(spec).explain(View(GAME.position(position), 0, players_dice(1, 0)))


@cache
def compiled_policy() -> Any:
    whole = types.int64
    return entry(policy_move, whole(record_type(GAME.state), whole, whole, whole, record_type(Dice)))


def by_policy(policy: str, position: str, snake: int = 1, draws: Any = None) -> str:
    s = GAME.parse(position)
    before = s.tobytes()
    move = compiled_policy()(s, snake, 0, POLICIES.index(policy), dice(1) if draws is None else draws)
    assert s.tobytes() == before
    return MOVES[move]


@pytest.mark.parametrize(
    ("body", "move"), [("f6,e6,d6", "right"), ("f6,f7,f8", "down"), ("k6,j6,i6", "right"), ("f6*3", "up")]
)
def test_who_goes_straight_on_does_so_even_off_the_board(body: str, move: str) -> None:
    assert by_policy("straight", f"t9 A80:a1,a2,a3 B80:{body}") == move


def test_who_moves_at_random_makes_every_move() -> None:
    draws = dice(7)
    assert {by_policy("random", OPEN, draws=draws) for _ in range(50)} == set(MOVES)


@pytest.mark.parametrize(
    ("position", "move"),
    [
        ("t9 A80:a1,a2,a3 B80:b6,a6,a7", "right"),  # to the middle
        ("t9 A80:a1,a2,a3 B80:b6,a6,a7 food:b7", "up"),  # or onto food beside it
        ("t9 A80:a1,a2,a3 B80:b6,a6,a7 food:k11", "right"),  # other food only says: to the middle
        ("t9 A80:c6,c7,c8 B80:b6,a6,a7", "up"),  # heads are bodies too; up and down are equal, and up comes first
        ("t9 A80:b7,b8,b9 B80:b6,a6,a5,b5 food:b5", "down"),  # its own tail is free, and it is food
        ("t9 A80:k1,j1,i1 B80:a1,a2,a3 food:a2", "right"),  # no food is worth the neck
        ("t9 A80:a1,a2,a3 B80:f6,f5,f4", "up"),  # all ways lead from the middle: the first
    ],
)
def test_the_smart_one_seeks_food_and_the_middle(position: str, move: str) -> None:
    assert by_policy("smart", position) == move


def test_the_territorial_one_cuts_off_the_one_who_looks_ahead() -> None:
    others = "t9 A80:a6,a5,a4,a3"
    after = {"up": "c7,c6,d6,e6,f6", "down": "c5,c6,d6,e6,f6", "left": "b6,c6,d6,e6,f6"}
    voronoi = {move: territories(f"{others} B80:{body}") for move, body in after.items()}
    assert by_policy("territorial", f"{others} B80:c6,d6,e6,f6,g6") == max(voronoi, key=voronoi.__getitem__) == "left"
    assert by_policy("territorial", "t9 A80:k1,k2,k3 B80:a1,a2,a3") == "right"  # all others are suicide


def territories(position: str) -> float:
    """What B has more of than A."""
    return heuristics(GAME)["voronoi"].terms(GAME.parse(position), 1)["voronoi"]


def test_a_suicidal_move_is_replaced_while_there_is_a_safe_one() -> None:
    mended = entry(repaired, types.int64(record_type(GAME.state), types.int64, types.int64))
    corner, trapped = GAME.parse("t9 A80:a1,a2,a3 B80:h8,h9,h10"), GAME.parse("t9 A80:a1,a2,b2,b1,c1 B80:h8,h9,h10")
    assert [MOVES[mended(corner, 0, move)] for move in range(4)] == ["right"] * 4
    assert [mended(trapped, 0, move) for move in range(4)] == [0, 1, 2, 3]


@pytest.mark.parametrize("spec", ["rhea:as_written", "rhea:as_coded", "rhea:corrected", "coevolve"])
def test_the_only_way_out_is_found(spec: str) -> None:
    decision = decided(f"{spec},{'turns=8000' if spec == 'coevolve' else 'evolutions=5'}", CORRIDOR)
    assert decision.name == "up"
    assert decision.ranked[0].score == max(c.score for c in decision.candidates if c.score is not None)


def test_a_starving_snake_goes_for_the_food() -> None:
    position = "t9 A3:d4,d3,d2 B80:h8,h9,h10 food:b4"
    assert decided("rhea:as_written,evolutions=30", position).name == "left"


def test_each_first_move_has_the_best_worth_of_the_plans_that_begin_with_it() -> None:
    decision = decided("rhea:as_written,evolutions=10", OPEN)
    assert [c.action for c in decision.candidates] == [0, 1, 2, 3]
    assert decision.candidate("down").score == -20_000  # into the neck: dead in all twenty steps
    assert decision.score == max(c.score for c in decision.candidates if c.score is not None)
    assert not decision.chosen.proven
    assert decision.notes["evolutions"] == 10


def test_repaired_plans_never_begin_with_suicide() -> None:
    decision = decided("rhea:corrected,evolutions=3", CORRIDOR)
    assert [c.score is None for c in decision.candidates] == [False, True, True, True]
    assert decision.notes["plans"] == "up 100%"


def test_the_same_seed_decides_the_same_and_another_breeds_other_plans() -> None:
    spec = "rhea:as_written,evolutions=3"
    scores = [[c.score for c in decided(spec, OPEN, seed=seed).candidates] for seed in (1, 1, 2)]
    assert scores[0] == scores[1] != scores[2]


def test_a_game_is_the_same_again_and_does_not_depend_on_games_before() -> None:
    agents = [made("rhea:corrected,evolutions=1,population=8"), made("rhea:as_written,evolutions=1,population=8")]
    games = [play(GAME, agents, seed) for seed in (5, 6, 5)]
    assert games[0].turns == games[2].turns != games[1].turns


@pytest.mark.parametrize("seats", [2, 4])
def test_all_snakes_may_have_plans(seats: int) -> None:
    game = GAME if seats == 2 else Battlesnake(players=4)
    decision = sparring.agent(game, f"coevolve,turns={seats}0k").decide(View(game.start(1), seats - 1, dice(1)))
    assert decision.notes["evolutions"] >= 3
    assert decision.nodes <= seats * 10_000
    dead = "t9 A80:d4,d3,d2 B80:h8,h9,h10 C0:c0,c1,c2!wall-collision@3 D0:d0,d1,d2!wall-collision@3"
    assert seats == 2 or decided("coevolve,turns=20k", dead, game=game).score is not None


def test_only_the_code_forgets_territory() -> None:
    spoken = {"dead", "alone", "lead", "centre"}
    for variant, terms in {
        "as_coded": {*spoken, "half_health"},
        "as_written": {*spoken, "health", "territory"},
        "corrected": {*spoken, "health", "territory"},
        "as_written,keep=territory": {*spoken, "half_health"},
    }.items():
        assert {*explained(f"rhea:{variant},evolutions=1", OPEN).weights} == terms


def test_editions_differ_by_their_flaws() -> None:
    manners = {variant: made(f"rhea:{variant}").search.breeding for variant in VARIANTS}  # type: ignore[attr-defined]
    written, coded, corrected = (manners[name] for name in ("as_written", "as_coded", "corrected"))
    assert (written.shift, written.sorts, written.uniform, written.repair, written.mutation) == (
        *(True, False, False, False),
        0.3,
    )
    assert (coded.shift, coded.uniform, coded.repair, coded.mutation) == (False, True, False, 0.3)
    assert (corrected.shift, corrected.sorts, corrected.repair, corrected.mutation) == (True, True, True, 0.05)
    assert POLICIES[written.policy] == "smart"
    assert made("coevolve").search.breeding == corrected  # type: ignore[attr-defined]


def two_moves(spec: str, second: str) -> tuple[Any, Any]:
    """The plans of a player before and after its second move, for which nothing is bred."""
    agent = made(spec)
    assert isinstance(agent, Rhea)
    with agent.seated(dice(1)) as player:
        assert isinstance(player, Rhea)
        own = players_dice(1, 0)
        player.decide(View(GAME.position(OPEN), 0, own))
        before = player._memory[0].copy()
        player.evolutions = 0
        player.decide(View(GAME.position(second), 0, own))
        return before, player._memory[0]


def plans(memory: Any) -> Any:
    return memory["genes"][memory["parents"], : memory["population"], : memory["genome"]]


TURNED = "t10 A79:e4,d4,d3 B79:h7,h8,h9 food:f6"


def test_the_next_move_starts_from_the_plans_of_the_last() -> None:
    before, after = two_moves("rhea:as_written,evolutions=3", TURNED)
    assert (plans(before)[:, 1:] == plans(after)[:, :-1]).all()
    before, after = two_moves("rhea:as_coded,evolutions=3", TURNED)
    assert (plans(before)[:, 1:] != plans(after)[:, :-1]).any(axis=1).all()


def test_only_the_corrected_looks_for_the_best_plan_after_the_shift() -> None:
    """In the second position everybody's plans are worth something else."""
    fitness = {}
    for spec in ("rhea:as_written,evolutions=3", "rhea:as_written,evolutions=3,fix=sort"):
        before, after = two_moves(spec, "t10 A79:k11,j11,i11 B79:h7,h8,h9 food:f6")
        values = after["fitness"][after["parents"], : after["population"]]
        fitness[spec] = (int(after["elite"]) == int(before["elite"]), values[after["elite"]] == values.max())
    assert list(fitness.values()) == [(True, False), (False, True)]


def test_turns_are_not_exceeded() -> None:
    decision = decided("rhea:as_written,turns=5000", OPEN)
    assert 4980 <= decision.nodes <= 5000
    assert 8960 <= decided("coevolve,turns=9000", OPEN).nodes <= 9000


def test_time_ends_what_has_no_other_end_and_so_does_live_play() -> None:
    timed, endless = made("rhea:as_coded,time=20ms"), made("rhea:as_coded,evolutions=1M")
    assert timed.timed and not endless.timed
    for agent, seconds in ((timed, None), (endless, 0.02), (endless, 1e-9)):
        decision = agent.decide(View(GAME.position(OPEN), 0, dice(1), seconds))
        assert decision.notes["evolutions"] < 100_000
        assert decision.score is not None


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("rhea:as_wrote", "as_written"),
        ("rhea:corrected,fix=sorted", "sort"),
        ("rhea:corrected,evolutions=10,time=5ms", "not both"),
        ("rhea:corrected,population=257", "from 1 to 256, not"),
        ("rhea:corrected,mutation=2", "from 0 to 1"),
        ("rhea:corrected,opponent=clever", "smart"),
        ("rhea:corrected,fitness=first", "last"),
        ("rhea:corrected,turns=100", "at least 1000"),
        ("coevolve,turns=1000", "at least 2000"),
        ("coevolve,opponent=smart", "opponent"),
        ("rhea:corrected(beauty=2)", "its terms"),
    ],
)
def test_what_cannot_be_is_told(spec: str, said: str) -> None:
    with pytest.raises(sparring.SparringError) as told:
        made(spec)
    assert said in str(told.value)


@pytest.mark.parametrize(
    "spec",
    [
        "rhea:as_written,evolutions=4",
        "rhea:corrected,evolutions=4,fitness=discounted,opponent=random",
        "rhea:corrected,evolutions=4,fitness=last,opponent=territorial",
        "rhea:as_coded(dead=-7,alone=3,lead=2),evolutions=4,opponent=straight",
        "coevolve,turns=20k",
    ],
)
def test_the_terms_add_up_to_the_fitness(spec: str) -> None:
    decision = explained(spec, OPEN)
    tried = [c for c in decision.candidates if c.score is not None]
    assert len(tried) >= 2
    for c in tried:
        assert sum(decision.weights[term] * value for term, value in c.terms.items()) == pytest.approx(c.score)
        assert c.note.startswith(MOVES[c.action])


def test_an_explanation_tells_the_plan_and_when_it_ends() -> None:
    told = str(explained("rhea:as_written,evolutions=4", OPEN))
    assert "down, dead in 1" in told
    assert "evolutions: 4" in told


def test_an_own_idea_may_be_the_fitness(tmp_path: Path) -> None:
    idea = tmp_path / "idea.py"
    idea.write_text(
        "from sparring import heuristic\nfrom sparring.games.battlesnake.rules import column, head\n\n\n"
        '@heuristic("battlesnake")\ndef west(s, me):\n    """To the left."""\n    return 0 - column(s, head(s, me))\n'
    )
    assert decided(f"rhea:{idea},evolutions=20", OPEN).name == "left"
    assert {*made(f"rhea:{idea}").weights} == {"dead", "alone", "west"}  # type: ignore[attr-defined]
    assert decided("rhea:central,evolutions=5", OPEN).score is not None
