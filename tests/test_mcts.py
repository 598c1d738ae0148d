"""Monte Carlo tree search in games of every kind, and the simple snakes it is measured by."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sparring
from search_games import Auction, Cake, Coin, Heap, PaidPennies, grown
from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.spec import agent
from sparring.core.dice import dice, players_dice, throw
from sparring.core.errors import SparringError
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import MOVES
from sparring.games.contract import Game, Position
from sparring.games.isolation.solver.proof import winning_moves

POCKET = "t30 A90:a3,b3,b2,b1,c1,d1,e1,f1 B90:g7,g6,g5"
"""A may turn up into the open or down into two cells that its own body closes."""
FACING = "t30 A90:c4,b4,a4 B90:e4,f4,g4"
CORNERED = "t30 A50:b2,b3,b4,c4,c5 B50:a1,b1,c1"
"""B can only go up, where A, who is longer, may meet it."""


@cache
def snakes(players: int = 2, board: str = "7x7") -> Battlesnake:
    return Battlesnake(players=players, board=board)


def decided(spec: str, position: str, me: int = 0, seed: int = 1, seconds: float | None = None) -> Decision:
    made = snakes()
    return agent(made, spec).decide(View(made.position(position), me, players_dice(seed, me), seconds))


def shares(decision: Decision) -> dict[str, int]:
    """The visits of each move, in per cent."""
    return {MOVES[c.action]: int(c.note.partition("%")[0]) for c in decision.candidates}


@pytest.mark.slow
@pytest.mark.parametrize("me", [0, 1])
def test_regret_matching_finds_the_mix_that_nobody_can_exploit(me: int) -> None:
    """Whoever shows heads, which pay four times as much, more than once in five times can be exploited."""
    heads, tails = grown(PaidPennies(rounds=1), me, 20_000, select="regret", exploration=0.02).actions
    assert heads.share == pytest.approx(0.2, abs=0.05)
    assert heads.value == pytest.approx(tails.value, abs=0.05)


@pytest.mark.slow
def test_more_actions_than_a_word_has_bits_and_states_of_kilobytes() -> None:
    """Whoever has 71 before it loses. The line is what was chosen most often."""
    found = grown(Heap(heap=72), iterations=20_000)
    assert len(found.actions) == 70
    own, answer, end = found.line(found.best.action)
    assert (own, answer + end) == (1, 71)


@pytest.mark.slow
def test_an_outcome_of_chance_is_known_to_those_who_act_after_it() -> None:
    """Who sees the coin says what it shows and wins; who had to say it before would rather take a tenth."""
    found = grown(Coin())
    safe, tossed = found.actions
    assert safe.value == pytest.approx(0.1, abs=0.01)
    assert tossed.value > 0.9
    assert found.best is tossed
    assert found.nodes == 3


@pytest.mark.slow
@pytest.mark.parametrize("select", ["uct", "regret"])
def test_players_who_act_at_once_after_chance(select: str) -> None:
    """For the highest prize the highest card is bid; if the lowest comes first, one is not sure."""
    found = grown(Auction(), start="3 3 7 7 0", select=select)
    assert (found.best.action, found.best.share > 0.8) == (2, True)
    assert found.nodes > 9
    assert [sum(one.visits for one in side) for side in found.players] == [5000, 5000]
    assert found.line(found.best.action)[0] == found.best.action


@pytest.mark.slow
def test_three_players_each_look_after_themselves() -> None:
    """The first leaves the choice to the second, who has no reason to give all to the third."""
    found = grown(Cake())
    assert found.best.action == 0
    assert found.best.value == pytest.approx(0.5, abs=0.1)
    assert found.line(0) == (0, 0)


@pytest.mark.parametrize("kind", [Heap, Coin, Auction, Cake, PaidPennies])
def test_the_same_dice_grow_the_same_tree(kind: type[Game]) -> None:
    select = "regret" if kind is PaidPennies else "uct"
    first, again, other = (grown(kind(), iterations=300, seed=seed, select=select) for seed in (1, 1, 2))
    assert first.players == again.players != other.players
    assert (first.nodes, first.depth) == (again.nodes, again.depth)


def test_memory_that_is_full_ends_the_growth_but_not_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.search.mcts.MOST_NODES", 20)
    found = grown(Heap(), iterations=3000)
    assert found.nodes == 21
    assert found.iterations == 3000


def won_positions(count: int) -> Iterator[tuple[Position, set[int]]]:
    """Positions on a small board that are won, but not by every move, with the moves that win."""
    game = sparring.game("isolation", board="5x5")
    for seed in range(10_000):
        position, choice = game.start(seed), dice(seed, "mcts")
        for _ in range(1 + throw(choice, 8)):
            if not position.over:
                position = position.after(position.legal[throw(choice, len(position.legal))])
        winning = {move for move, wins in winning_moves(position.state).items() if wins}
        if 0 < len(winning) < len(position.legal if not position.over else ()):
            yield position, winning
            count -= 1
        if count == 0:
            return


@pytest.mark.slow
def test_its_most_visited_move_wins_wherever_a_position_is_won() -> None:
    player = agent(sparring.game("isolation", board="5x5"), "mcts,iterations=10000")
    found = [
        player.decide(View(position, position.mover, players_dice(1, 0))).action in winning
        for position, winning in won_positions(30)
    ]
    assert sum(found) == 30


def test_every_candidate_is_explained_by_its_visits_and_its_line() -> None:
    position = sparring.game("isolation").position("d4 c2")
    told = agent(position.game, "mcts,iterations=2000").explain(View(position, 0, players_dice(1, 0)))
    for one in told.candidates:
        assert one.line[0] == one.action
        assert len(one.line) > 1
    assert re.search(r"> +\w\d +[+-][\d.]+ +\d+% of the visits: \w\d \w\d", str(told))
    assert str(told).count("%") == len(position.legal)


@pytest.mark.slow
def test_a_heuristic_may_take_the_place_of_random_games() -> None:
    position = sparring.game("ludo").start(3)
    player = agent(position.game, "mcts:cautious,iterations=500,rollout=3,select=regret")
    assert player.decide(View(position, position.mover, players_dice(1, 0))).action in position.legal


@pytest.mark.slow
@pytest.mark.parametrize("select", ["uct", "regret"])
def test_it_takes_a_win_in_one_and_does_not_enter_a_room_without_a_way_out(select: str) -> None:
    decision = decided(f"mcts,iterations=400,select={select}", CORNERED)
    assert decision.name == "left"
    assert decision.score is not None and decision.score > 0.9
    decision = decided(f"mcts,iterations=400,select={select}", POCKET)
    assert decision.name == "up"
    assert decision.candidate("down").score < -0.5
    assert shares(decision)["up"] > 70


def test_facing_an_equal_it_goes_round_on_either_side() -> None:
    """In the middle both would die. What is the same by the mirror is as likely."""
    decisions = [decided("mcts,iterations=1000", FACING, seed=seed) for seed in range(30)]
    assert {decision.name for decision in decisions} == {"up", "down"}
    ups, downs = (sum(shares(decision)[side] for decision in decisions) for side in ("up", "down"))
    assert ups == pytest.approx(downs, rel=0.3)


def test_a_budget_of_iterations_is_kept_to_the_last_one() -> None:
    decision = decided("mcts,iterations=333", FACING)
    assert decision.notes == {"iterations": 333}
    assert 1 < decision.nodes <= 334
    assert sum(shares(decision).values()) in range(98, 103)


@pytest.mark.parametrize("budget", ["iterations=1e12", "time=1000s"])
def test_the_time_of_live_play_ends_a_search_that_has_more_to_do(budget: str) -> None:
    decision = decided(f"mcts,{budget}", POCKET, seconds=0.2)
    assert decision.name == "up"
    assert 50 <= decision.notes["iterations"] < 10**12


@pytest.mark.slow
def test_it_plays_with_many_snakes_on_a_large_board() -> None:
    made = snakes(8, "19x19")
    position, player = made.start(5), agent(made, "mcts,iterations=60")
    for turn in range(3):
        views = [View(position, seat, players_dice(turn, seat)) for seat in position.actors]
        decisions = [player.decide(view) for view in views]
        assert all(one.action in made.safe_moves(position.state, one.player) for one in decisions)
        position = position.after({one.player: one.action for one in decisions})
    assert len(position.actors) == 8


def test_ones_own_heuristic_guides_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("downwards.py").write_text(
        "from sparring import heuristic\n\n\n"
        "@heuristic('battlesnake')\n"
        "def downwards(s, me):\n"
        "    return 1000 - s.body[me, s.front[me]]\n"
    )
    there = "t30 A90:d4,c4,b4 B90:g7,f7,e7"
    assert decided("mcts:downwards.py,iterations=300", there).name == "down"
    assert decided("mcts:downwards.py(downwards=-1),iterations=300", there).name == "up"


@pytest.mark.parametrize(
    ("spec", "remedy"),
    [
        ("mcts,iterations=10,time=1s", "not both"),
        ("mcts,select=best", "uct"),
        ("mcts,exploration=0", "from 0.001"),
        ("mcts,contempt=2", "to 1"),
        ("mcts:vornoi", "voronoi"),
        ("mcts,nodes=5", "iterations"),
    ],
)
def test_a_slip_in_the_options_names_the_remedy(spec: str, remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy):
        agent(snakes(), spec)


@pytest.mark.parametrize("board", ["11x11", "25x25"])
def test_flood_fill_counts_no_cells_beyond_the_board(board: str) -> None:
    """Trapped in the top row: there is no room anywhere, least of all above."""
    top = board.partition("x")[0]
    low = int(top) - 1
    text = f"t9 A90:f{top},g{top},g{low},f{low},e{low},e{top},d{top},d{low} B90:a1,b1,c1 food:k1"
    made = Battlesnake(board=board)
    decision = agent(made, "flood_fill").decide(View(made.position(text), 0, players_dice(0, 0)))
    assert decision.candidate("up").score == 0


def test_flood_fill_enters_the_larger_room() -> None:
    decision = decided("flood_fill", POCKET)
    assert decision.name == "up"
    assert decision.candidate("down").score == 2
    assert decision.candidate("up").score > 30


def test_flood_fill_counts_the_cell_that_a_tail_leaves() -> None:
    """The way out is where B's tail is now."""
    ends = ("c3,b3,b2,a2", "c4,c3,b3,b2")
    one, other = (decided("flood_fill", f"t9 A90:a1,b1,c1 B90:{body}").score for body in ends)
    assert one == other


def test_one_ply_avoids_a_head_to_head_that_it_would_lose() -> None:
    """In the middle A would have more cells, but B is as long and may go there too."""
    decision = decided("one_ply", FACING)
    assert decision.name in ("up", "down")
    assert decision.candidate("right").note
    assert decided("one_ply", "t30 A90:c4,b4,a4,a5 B90:e4,f4,g4").name == "right"


def test_one_ply_takes_any_heuristic() -> None:
    meal = "t30 A90:d4,c4,b4 B90:g7,f7,e7 food:d3"
    decision = decided("one_ply:lead", meal)
    assert (decision.name, decision.score) == ("down", 1)
    assert decided("one_ply:lead(lead=-1)", meal).name != "down"
