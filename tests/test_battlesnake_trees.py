"""Looking ahead in Battlesnake: moves tried one after another, Negamax as written and corrected, the override."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring.agents.agent import Agent, TreeSearchAgent, View
from sparring.agents.decision import Decision, EstimatedCandidate
from sparring.arena.referee import play
from sparring.arena.schedule import Job
from sparring.arena.workers import PlaySettings, WorkerPool
from sparring.core.dice import dice, players_dice, throw
from sparring.core.errors import SparringError
from sparring.core.terms import UNWANTED_TIE
from sparring.games.battlesnake.agents.override import NegamaxOverride, RheaWithOverride
from sparring.games.battlesnake.board import living
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.heuristics import negamax_leaf, negamax_leaf_as_coded, voronoi
from sparring.games.contract import Position
from sparring.search.tree import WIN, Budget

SMALL = "7x7"
CORNERED = "t60 A90:a1,a2,b2,c2,c3 B90:d1,e1,f1,f2,f3,f4 food:g7"
"""A has one way out of its corner, and it is closed when B goes left."""
FACING = "t30 A90:c4,b4,a4,a5 B90:e4,f4,g4,g5 food:d7"
"""Equally long, two cells apart: whoever goes between them dies if the other does too."""


@cache
def game(**options: Any) -> Battlesnake:
    made = sparring.game("battlesnake", **options)
    assert isinstance(made, Battlesnake)
    return made


@cache
def agent(spec: str, board: str = SMALL, players: int = 2) -> Agent:
    return sparring.agent(game(board=board, players=players), spec)


def view(text: str, me: int = 0, board: str = SMALL, players: int = 2, seed: int = 0) -> View:
    made, own = game(board=board, players=players), players_dice(seed, me)
    return View(Position(made, made.seen(made.parse(text)), own), me, own)


def random_position(seed: int, turns: int, players: int = 2) -> Position | None:
    """Some turns into a game of safe moves; nothing if it is over before."""
    made, choice = game(board=SMALL, players=players), dice(seed, "walk")
    position = made.start(seed)
    for _ in range(turns):
        if position.over:
            return None
        moves = {me: made.safe_moves(position.state, me) or [0] for me in position.actors}
        position = position.after({me: few[throw(choice, len(few))] for me, few in moves.items()})
    return None if position.over else position


# Looking ahead is max-min over whole turns


def max_min(made: Battlesnake, state: Any, me: int, turns: int, done: int = 0) -> float:
    """The same in plain Python for a duel, by the rules alone."""
    alive = living(state)
    if me not in alive:
        return UNWANTED_TIE * (WIN - done) if not alive else -(WIN - done)
    if len(alive) == 1:
        return WIN - done
    if turns == 0:
        return voronoi.terms(state, me)["voronoi"]
    worths = []
    for mine in made.safe_moves(state, me) or [0]:
        replies = []
        for theirs in made.safe_moves(state, 1 - me) or [0]:
            after = made.copy(state)
            made.play_turn(after, {me: mine, 1 - me: theirs})
            replies.append(max_min(made, after, me, turns - 1, done + 2))
        worths.append(min(replies))
    return max(worths)


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), turns=st.integers(0, 40), me=st.integers(0, 1), depth=st.sampled_from([2, 4]))
def test_alpha_beta_finds_what_trying_every_pair_of_moves_finds(seed: int, turns: int, me: int, depth: int) -> None:
    position = random_position(seed, turns)
    if position is None:
        return
    seen = View.of(position, me, players_dice(seed, me))
    expected = max_min(game(board=SMALL), position.state, me, depth // 2)
    assert agent(f"alphabeta:voronoi,depth={depth}").decide(seen).score == expected
    assert agent(f"minimax:voronoi,depth={depth}").decide(seen).score == expected


@pytest.mark.slow
def test_a_draw_is_better_than_a_loss_and_worse_than_playing_on() -> None:
    decision = agent("alphabeta:voronoi,depth=2").explain(view(FACING))
    assert decision.candidate("right").verdict == "draws in 2"
    assert decision.name != "right"
    assert decision.why_not("right").startswith("right draws in 2, ")


def test_it_leaves_the_corner_before_it_is_closed() -> None:
    decision = sparring.explain(game(board=SMALL), "alphabeta:voronoi,depth=4", CORNERED, player="A")
    line = decision.names(decision.chosen.line)
    assert line[0] == decision.name == "right"
    assert line[1].startswith("(B ")
    assert len(line) == 4


def test_explain_wants_to_know_whose_decision() -> None:
    with pytest.raises(SparringError, match="several move at once: name a player of A, B, or ask explain_all"):
        sparring.explain(game(board=SMALL), "alphabeta:voronoi,depth=2", FACING)
    with pytest.raises(SparringError, match="player to move"):
        sparring.explain(game(board=SMALL), "alphabeta:voronoi,depth=2", FACING, player="C")


def test_alone_a_snake_looks_ahead_too() -> None:
    text = "t9 A50:a1,b1,b2,a2,a3 food:g7"
    decision = agent("alphabeta:voronoi,depth=2", players=1).decide(view(text, players=1))
    assert (decision.depth, len(decision.candidates)) == (2, 4)


FOUR = "t20 A90:d4,d3,d2 B90:d6,d7,c7,b7 C90:b4,a4,a5,a6 D90:f4,f3,f2,g2 food:a1"
"""B, C and D, all longer, may each go for one of the cells that A can reach."""


@pytest.mark.slow
def test_of_four_the_two_nearest_are_looked_at_or_all_of_them_one_at_a_time() -> None:
    paranoid = agent("alphabeta:voronoi,depth=2", players=4).explain(view(FOUR, players=4))
    careful = agent("best_reply:voronoi,depth=2", players=4).explain(view(FOUR, players=4))
    assert [c.verdict for c in careful.ranked if c.action in (0, 2, 3)] == ["loses in 2"] * 3
    assert any(c.verdict != "loses in 2" for c in paranoid.candidates)


# Negamax


@pytest.mark.slow
def test_as_coded_a_draw_is_a_loss_and_moves_back_into_the_neck_are_tried() -> None:
    coded, corrected = agent("negamax:as_coded,depth=1"), agent("negamax:corrected,depth=1")
    assert coded.explain(view(FACING)).candidate("right").verdict == "loses in 2"
    assert corrected.explain(view(FACING)).candidate("right").verdict == "draws in 2"
    assert coded.decide(view(FACING)).candidate("left").verdict == "loses in 2"
    assert corrected.decide(view(FACING)).candidate("left").score is None


@pytest.mark.slow
def test_with_even_draws_whoever_is_behind_runs_into_them() -> None:
    behind = "t30 A20:c4,b4,a4,a5 B90:e4,f4,g4,g5 food:d7"
    weak = "negamax:corrected(territory=3,health=10,lead=0,centre=0)"
    even = agent(f"{weak},depth=1,draws=even").decide(view(behind))
    assert agent(f"{weak},depth=1").decide(view(behind)).name != "right"
    assert even.candidate("right").score == 0


def test_as_coded_only_the_first_of_the_others_is_looked_at() -> None:
    """B cannot reach A's head; C can, and is longer."""
    text = "t20 A90:d4,d3,d2 B90:a7,b7,c7 C90:d6,c6,b6,a6,a5 food:a1"
    coded = agent("negamax:as_coded,depth=1", players=3).explain(view(text, players=3))
    corrected = agent("negamax:corrected,depth=1", players=3).explain(view(text, players=3))
    assert not coded.candidate("up").proven, "C is believed to go straight on, to the right"
    assert corrected.candidate("up").verdict == "loses in 2"


def test_as_coded_cells_reached_at_once_belong_to_the_snake_listed_first() -> None:
    state = game(board=SMALL).parse("t3 A90:b4,b3,b2 B90:f4,f5,f6")
    fair = [negamax_leaf.terms(state, me)["territory"] for me in (0, 1)]
    unfair = [negamax_leaf_as_coded.terms(state, me)["territory"] for me in (0, 1)]
    assert fair == [0, 0]
    assert unfair[0] > 0 > unfair[1]


# Compiled games


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "agents"),
    [
        ({"board": SMALL, "rules": "royale", "shrink_every": 3}, ("alphabeta:steady,nodes=60", "minimax:lead,depth=2")),
        ({"board": SMALL, "players": 3}, ("best_reply:voronoi,depth=2", "random", "negamax:corrected,depth=1")),
    ],
    ids=["hazards", "three"],
)
def test_compiled_games_are_the_referees_games(options: dict[str, Any], agents: tuple[str, ...]) -> None:
    made, job = game(**options), Job(0, 1, 3)
    with WorkerPool(PlaySettings(made, agents, (tuple(range(made.seats)),), 1)) as pool:
        bulk, slow = pool._play_in_bulk(job), pool._play_by_referee(job)
    assert bulk is not None, "these agents play in bulk"
    assert bulk.moves.tolist() == slow.moves.tolist()
    for field in ("moves", "scores", "nodes", "depth", "ending"):
        assert bulk.results[field].tolist() == slow.results[field].tolist()


def test_games_with_official_seeds_are_left_to_the_referee() -> None:
    made = game(board=SMALL, rng="go")
    with WorkerPool(PlaySettings(made, ("random", "random_safe"), ((0, 1),), 1)) as pool:
        assert pool._play_in_bulk(Job(0, 1, 1)) is None
        assert pool.play(Job(0, 1, 1)).results["moves"].sum() > 0


# The override


def override(fixes: set[str], depth: int = 2, threshold: float = -5000.0) -> NegamaxOverride:
    return NegamaxOverride(game(board=SMALL), depth, threshold, frozenset(fixes))


def points(fixes: set[str], text: str, move: int, depth: int = 2) -> float:
    return override(fixes, depth).check(view(text), move, depth).value


UP, DOWN, LEFT, RIGHT = range(4)
DYING = "t60 A90:a1,b1,b2,a3,a4,a5,a6,a7,b7 B90:e4,e5,e6,e7"
"""One cell is left to A, then none."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "values"),
    [("as_written", [0, 0]), ("as_coded", [-10_000, 89]), ("as_coded,fix=draws", [0, 89])],
)
def test_as_coded_a_draw_is_lost_and_a_game_that_goes_on_is_health_and_length(variant: str, values: list[int]) -> None:
    made = agent(f"override:{variant},evolutions=1")
    assert isinstance(made, RheaWithOverride)
    assert [made.override.check(view(FACING), move, 1).value for move in (RIGHT, UP)] == values


def test_a_sooner_win_and_a_later_death_are_preferred() -> None:
    assert points({"draws", "leaf"}, DYING, UP, depth=3) == -9999
    assert override({"draws", "leaf"}).checks(view(DYING))[DOWN].value == -10_000
    winning = "t60 A90:e4,e5,e6,e7 B90:a1,b1,b2,a3,a4,a5,a6,a7,b7"
    assert points({"draws", "leaf"}, winning, LEFT, depth=3) == 9999


def test_a_move_is_bad_if_its_score_is_below_the_threshold() -> None:
    for threshold, bad in [(-9999.0, True), (-10_000.0, False)]:
        check = override({"draws", "leaf"}, threshold=threshold)
        assert check.is_bad(check.checks(view(FACING))[LEFT]) is bad
    assert not check.is_bad(check.checks(view(FACING))[UP])


def test_a_loss_that_the_other_must_find_is_told_from_one_that_it_cannot_miss() -> None:
    shorter = "t30 A90:c4,b4,a4 B90:e4,f4,g4,g5 food:d7"
    possible = override({"draws", "leaf", "chances"}, depth=1, threshold=0.5).check(view(shorter), RIGHT, 1)
    assert possible.value == pytest.approx(1 / 3)
    assert points({"draws", "leaf"}, shorter, RIGHT, depth=1) == -10_000, "which does not tell them apart"


@settings(deadline=None, max_examples=12)
@given(seed=st.integers(0, 10_000), turns=st.integers(0, 60))
def test_as_coded_any_threshold_between_a_loss_and_a_leaf_gives_the_same_verdict(seed: int, turns: int) -> None:
    position = random_position(seed, turns)
    if position is None:
        return
    checks = override(set(), depth=3).checks(View.of(position, 0, players_dice(0, 0)))
    for check in checks.values():
        assert (check.value < -9990) == (check.value < -5000) == (check.value < -150)


def last_word(spec: str, text: str, ranks: list[float]) -> Decision:
    """What the override makes of a RHEA that ranks the moves like this."""
    made = agent(spec)
    assert isinstance(made, RheaWithOverride)
    wanted = max(range(4), key=lambda move: ranks[move])

    def decide(_: Any, seen: View) -> Decision:
        return Decision("rhea", seen.position, seen.me, wanted, tuple(map(EstimatedCandidate, range(4), ranks)))

    return made._checked(view(text), decide)


@pytest.mark.slow
def test_a_losing_move_is_replaced_and_the_reason_is_told() -> None:
    """A deeper search judges the choice. A good move is left alone."""
    spec = "override:as_written,evolutions=1,depth=1,judge=3"
    good, losing = last_word(spec, FACING, [1, 0, 0, 0]), last_word(spec, FACING, [0, 0, 1, 0])
    assert (good.name, good.notes) == ("up", {"override": False})
    assert losing.name in ("up", "down")
    assert losing.notes == {"override": True, "rejected": "left: -10,000", "judged": "right"}


def test_of_moves_that_all_lose_the_one_that_dies_last_is_made() -> None:
    """If RHEA has chosen it already, or all are equally bad, nothing is better and it stays."""
    spec = "override:as_written,evolutions=1,depth=3"
    late = last_word(spec, DYING, [0, 9, 0, 0])
    assert (late.name, late.notes["rejected"]) == ("up", "down: -10,000")
    assert last_word(spec, DYING, [9, 0, 0, 0]).notes["override"] is False
    caught = last_word(spec, "t60 A90:a1,b1,b2,a2,a3 B90:e4,e5,e6,e7", [0, 0, 0, 9])
    assert (caught.name, caught.notes["override"]) == ("right", False)


def test_as_written_the_first_good_move_replaces_it_corrected_rheas_best() -> None:
    ranks = [0.0, 5.0, 9.0, 7.0]
    assert last_word("override:as_written,evolutions=1,depth=1", FACING, ranks).name == "up"
    assert last_word("override:corrected,evolutions=1,depth=1", FACING, ranks).name == "right"
    assert last_word("override:corrected,evolutions=1,depth=1,keep=ranking", FACING, ranks).name == "up"


def test_with_voronoi_in_its_evaluation_the_check_replaces_a_move_by_the_one_with_most_territory() -> None:
    """Most of the board is reached from the middle. Territory makes no move bad, it only chooses."""
    above, ranks = "t30 A90:c4,b4,a4,a5 B90:d6,e6,f6,g6", [0.0, 0.0, 9.0, 0.0]
    assert last_word("override:as_written,evolutions=1,depth=1", above, ranks).name == "up"
    assert last_word("override:as_written,evolutions=1,depth=1,eval=voronoi", above, ranks).name == "right"
    kept = last_word("override:as_written,evolutions=1,depth=1,eval=voronoi", above, [9.0, 0.0, 0.0, 0.0])
    assert (kept.name, kept.notes["override"]) == ("up", False)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("alphabeta:voronoi,depth=3", "give an even number"),
        ("best_reply:steady,reference", "option of best_reply"),
        ("best_reply:steady,search=minimax", "option of best_reply"),
        ("negamax:as_coded,fix=draws,draws=loss", "say draws= or fix and keep it"),
        ("override:as_written,eval=health", "unknown value of eval 'health'"),
        ("override:corrected,eval=voronoi", "counts chances scores no game that goes on: drop eval"),
        ("override:corrected,threshold=-5000", "threshold is a chance to lose, from 0 to 1"),
        ("override:corrected,judge=8", "judge has to look further than depth, which is 8"),
    ],
)
def test_options_that_make_no_agent_are_refused(spec: str, told: str) -> None:
    with pytest.raises(SparringError, match=told):
        sparring.agent(game(board=SMALL), spec)


def test_the_configuration_is_that_of_the_design_document() -> None:
    for options, expected in {
        ",depth=3,threshold=-4000,evolutions=30,population=20": (3, -4000, 30, 20),
        "": (4, -5000, 400, 50),
    }.items():
        made = agent(f"override:as_written{options}")
        assert isinstance(made, RheaWithOverride)
        check, rhea = made.override, made.rhea
        assert (check.depth, check.threshold, rhea.evolutions, rhea.search.breeding.population) == expected


def test_a_whole_game_is_played_with_its_notes_kept() -> None:
    made = game(board=SMALL)
    few = "evolutions=2,population=10,genome=6"
    players = [agent(f"override:{variant},{few}") for variant in ("corrected", "as_coded")]
    played = play(made, players, seed=3, decisions=True)
    assert played.failed == -1
    assert all("override" in decision["notes"] for decision in played.decisions)


# In live play


def test_a_search_without_a_budget_takes_the_time_that_there_is() -> None:
    unasked, asked = agent("alphabeta:steady"), agent("alphabeta:steady,nodes=500")
    assert isinstance(unasked, TreeSearchAgent)
    assert isinstance(asked, TreeSearchAgent)
    assert unasked.budget.within(0.2) == Budget(seconds=0.2)
    assert unasked.budget.within(None).nodes == 10_000
    assert asked.budget.within(0.2) == Budget(nodes=500, seconds=0.2)


def test_a_search_that_is_cut_off_before_it_knows_anything_makes_a_safe_move() -> None:
    decision = agent("negamax:corrected,depth=8").decide(replace(view(CORNERED), seconds=1e-6))
    assert decision.depth == 0
    assert decision.name == "right"


def test_the_check_of_an_override_keeps_its_time_also_among_many() -> None:
    """In no time at all it says nothing, and RHEA's move stands."""
    seen = replace(view(FOUR, players=4), seconds=1e-6)
    hurried = agent("override:corrected,evolutions=1,population=4", players=4).decide(seen)
    assert hurried.notes["override"] is False
    assert [c.note for c in hurried.candidates] == [""] * 4


def test_on_a_wrapped_board_the_nearest_may_be_across_the_edge() -> None:
    """B is two steps from A across the edge, C seven."""
    made = game(board="11x11", players=3, rules="wrapped")
    state = made.seen(made.parse("t9 A90:a6,b6,c6 B90:k7,k8,k9,j9 C90:g9,g10,g11 food:f1"))
    search = sparring.agent(made, "alphabeta:lead,depth=2")
    assert isinstance(search, TreeSearchAgent)
    ahead = search.search.ahead
    node = ahead.after(ahead.root(state, 0), UP)
    assert all(ahead.name(node, answer).startswith("(B ") for answer in range(4, 8))
    answers = search.search.run_from(node, Budget(nodes=1), dice(1), 0).actions
    assert {answer >> 2 for answer in answers} == {1}, "B alone is near enough to be tried in all its moves"


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        *("random", "random_safe", "flood_fill", "one_ply", "mcts,iterations=20", "rhea:as_written,evolutions=2"),
        *("coevolve,evolutions=1", "override:as_written,evolutions=2", "negamax,depth=1", "strongest,nodes=200"),
    ],
)
def test_every_snake_is_explained_and_every_move_is_answered(spec: str) -> None:
    for decision in sparring.explain_all(game(board=SMALL), spec, FACING):
        assert f"{spec} plays {decision.name} as {'AB'[decision.player]}" in str(decision)
        for move in ("up", "down", "left", "right"):
            assert re.search(r"scores|loses|is the move it plays|does not weigh \w+: .+", decision.why_not(move))
