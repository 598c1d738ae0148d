"""The tree searches against each other, against a plain recursion, and against what players expect of them."""

import json
import random
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sparring.agents import spec
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.api import explain
from sparring.core.dice import dice, players_dice
from sparring.core.errors import SparringError
from sparring.games.contract import Position
from sparring.games.isolation.state import State
from sparring.games.registry import game
from sparring.search.tree import PROVEN, WIN, Budget, SearchResult

ZERO_SUM = ["improved", "next_moves", "voronoi"]
NOT_ZERO_SUM = ["open", "center", "avoid_corners_as_written", "chase_corrected"]
PLAY = [
    ("7x7", "knight", 40),
    ("5x5", "knight", 30),
    ("3x7", "knight", 20),
    ("4x4", "knight", 15),
    ("5x5", "queen", 20),
]


@cache
def positions() -> list[Position]:
    """One position of each of many random games: most with both players placed, some still placing."""
    choices, found = random.Random(11), []
    for board, piece, games in PLAY:
        made = game("isolation", board=board, piece=piece, opening="free")
        for number in range(games):
            moves = choices.randint(0, 3) if number % 10 == 0 else choices.randint(2, 24)
            if piece == "queen":
                moves = choices.randint(6, 16)
            position = made.start()
            for _ in range(moves):
                following = position.after(choices.choice(position.legal))
                if following.over:
                    break
                position = following
            found.append(position)
    return found


@cache
def agent(text: str) -> Agent:
    return spec.agent(game("isolation"), text)


def search(
    text: str, position: Position, depth: int | None = None, nodes: int | None = None, seed: int = 0
) -> SearchResult:
    """Run the search of an agent with a budget of our own."""
    return agent(text).search.run(position.state, Budget(nodes=nodes, depth=depth), dice(seed), position.mover)


def decide(text: str, position: Position, seed: int = 0) -> Decision:
    return agent(text).decide(View(position, position.mover, dice(seed)))


def end_of(position: Position, line: tuple[int, ...]) -> Position:
    for action in line:
        position = position.after(action)
    return position


@cache
def score_of(name: str):
    heuristic = spec.heuristics(game("isolation"))[name]
    score, weights = heuristic.score(State), heuristic.weigh()
    return lambda position, player: score(position.state, player, weights)


# The same score, however it is found


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", [*ZERO_SUM, *NOT_ZERO_SUM])
def test_alphabeta_finds_the_score_of_minimax(name: str, depth: int) -> None:
    exact = bounds = 0
    for position in positions():
        quick = search(f"alphabeta:{name}", position, depth)
        assert quick.depth == depth or (quick.depth < depth and abs(quick.score) > PROVEN), position.text
        full = search(f"minimax:{name}", position, quick.depth)
        assert quick.score == full.score == full.scores[quick.line[0]][0], position.text
        for action in position.legal:
            score, is_exact = quick.scores[action]
            true_score, always_exact = full.scores[action]
            assert always_exact
            if is_exact:
                assert score == true_score, (position.text, position.name(action))
                exact += 1
            else:
                assert true_score <= score <= quick.score, (position.text, position.name(action))
                bounds += 1
    assert exact > 100
    assert bounds > 100 or depth == 1


def plain_minimax(position: Position, name: str, me: int, depth: int, ply: int = 0) -> float:
    """What a position is worth to `me`, by the textbook."""
    if position.over:
        return (WIN - ply) if position.outcome[me] == 1.0 else -(WIN - ply)
    if ply == depth:
        return score_of(name)(position, me)
    values = [plain_minimax(position.after(action), name, me, depth, ply + 1) for action in position.legal]
    return max(values) if position.mover == me else min(values)


@pytest.mark.parametrize("way", ["alphabeta", "minimax"])
@pytest.mark.parametrize("name", ["improved", "center"])
def test_a_search_finds_the_score_of_a_plain_recursion(name: str, way: str) -> None:
    placed = [position for position in positions() if len(position.legal) <= 8]
    for position in placed[::2]:
        for depth in (1, 2, 3):
            expected = plain_minimax(position, name, position.mover, depth)
            assert search(f"{way}:{name}", position, depth).score == expected, (position.text, depth)


@pytest.mark.parametrize("way", ["alphabeta", "minimax"])
@pytest.mark.parametrize("name", ["next_moves", "center"])
def test_the_line_is_legal_and_ends_at_the_score(name: str, way: str) -> None:
    for position in positions():
        for depth in (1, 2, 4):
            found, me = search(f"{way}:{name}", position, depth), position.mover
            end = end_of(position, found.line)
            if end.over:
                assert found.score == (1 if end.outcome[me] else -1) * (WIN - len(found.line)), position.text
            else:
                assert len(found.line) == depth, position.text
                assert found.score == score_of(name)(end, me), position.text


def test_alphabeta_needs_far_fewer_nodes_than_minimax() -> None:
    quick, full = (
        sum(search(f"{way}:improved", position, depth=5).nodes for position in positions())
        for way in ("alphabeta", "minimax")
    )
    assert quick < full / 4


def test_minimax_visits_every_line_of_play_once() -> None:
    lines_on_3x3 = [1, 9, 72, 112, 160]
    start = game("isolation", board="3x3", opening="free").start()
    assert [search("minimax:null", start, depth).nodes for depth in range(1, 5)] == [
        sum(lines_on_3x3[: depth + 1]) for depth in range(1, 5)
    ]


# Winning soon, losing late


def distance_to_the_end(position: Position) -> tuple[bool, int]:
    """Whether the mover wins, and after how many plies if it hurries or, losing, resists."""
    if position.over:
        return False, 0
    replies = [distance_to_the_end(position.after(action)) for action in position.legal]
    wins = [plies + 1 for reply_wins, plies in replies if not reply_wins]
    return (True, min(wins)) if wins else (False, max(plies + 1 for _, plies in replies))


@cache
def endings() -> list[Position]:
    """Random games on small boards with a dozen cells or fewer to go."""
    choices, found = random.Random(3), []
    for number in range(60):
        made = game("isolation", board=("4x4", "5x5", "3x7")[number % 3], opening="free")
        position = made.start()
        while not position.over and position.text.count(".") > 10:
            position = position.after(choices.choice(position.legal))
        if not position.over:
            found.append(position)
    return found


def test_a_search_to_the_end_finds_the_shortest_win_and_the_longest_resistance() -> None:
    verdicts = set()
    for position in endings():
        wins, plies = distance_to_the_end(position)
        found = search("alphabeta:null", position, depth=30)
        assert found.score == (1 if wins else -1) * (WIN - plies), position.text
        assert len(found.line) == plies, position.text
        verdicts.add((wins, plies))
    assert len(verdicts) > 6
    assert {wins for wins, _ in verdicts} == {True, False}


@pytest.mark.parametrize("way", ["alphabeta", "minimax"])
@pytest.mark.parametrize(
    ("position", "name", "verdict"),
    [
        ("B..../...../.#.../...A./..... A", "c4", "wins in 1"),
        ("..../.##./.A.#/..B# A", "d3", "wins in 3"),  # c4 wins in seven
        ("...#/.B.#/A.#./..#. A", "c3", "loses in 8"),  # b4 loses in two
    ],
)
def test_of_wins_the_shorter_is_played_and_of_losses_the_longer(
    way: str, position: str, name: str, verdict: str
) -> None:
    decision = decide(f"{way}:null,depth=12", game("isolation").position(position))
    assert (decision.name, decision.chosen.verdict) == (name, verdict)


def test_a_move_that_may_at_best_win_is_not_said_to_win() -> None:
    one_win_is_known = game("isolation").position("...#./.#.B./..A#./..#.#/..#.. A")
    decision = decide("open,depth=8", one_win_is_known)
    assert decision.chosen.verdict == "wins in 7"
    others = [one for one in decision.candidates if one.action != decision.action]
    assert {one.verdict for one in others} >= {"at best wins in 7"}
    assert {one.proven for one in others if one.verdict.startswith("at best")} == {None}


def test_a_search_stops_as_soon_as_the_game_is_decided() -> None:
    stuck_if_c4_is_taken = game("isolation").position("B..../...../.#.../...A./..... A")
    assert search("alphabeta:center", stuck_if_c4_is_taken, depth=6).depth == 1


# Budgets


def widest_family(position: Position) -> int:
    return max(len(position.legal), 16 if position.text.endswith("queen") else 8)


@pytest.mark.parametrize("nodes", [1, 7, 50, 2000])
def test_a_node_budget_is_overshot_by_one_family_of_leaves_at_most(nodes: int) -> None:
    for position in positions():
        found = search("alphabeta:next_moves", position, nodes=nodes)
        finished = abs(found.score) > PROVEN
        assert found.nodes <= nodes + widest_family(position), position.text
        assert finished or found.nodes >= nodes, position.text


@pytest.mark.parametrize("nodes", [20, 333, 2000])
def test_a_search_cut_short_answers_with_its_last_whole_iteration(nodes: int) -> None:
    for position in positions():
        cut = search("alphabeta:next_moves", position, nodes=nodes)
        if cut.depth:
            whole = search("alphabeta:next_moves", position, depth=cut.depth)
            assert replace(cut, nodes=0, seconds=0) == replace(whole, nodes=0, seconds=0), position.text


def test_a_budget_too_small_for_one_ply_still_gives_a_legal_move() -> None:
    decision = decide("alphabeta:improved,nodes=1", game("isolation").position("d4 e6"))
    assert decision.action in decision.position.legal
    assert decision.depth == 0
    assert decision.score is None


def test_a_time_budget_is_never_overshot_by_its_double() -> None:
    decide("alphabeta:voronoi,depth=1", position := game("isolation").position(""))  # compiles what is missing
    begun = time.process_time()
    assert decide("alphabeta:voronoi,time=300ms", position).depth >= 1
    assert time.process_time() - begun < 0.6


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("minimax:open,nodes=1000", "minimax looks to a fixed depth: give depth="),
        ("alphabeta:open,nodes=1000,time=10ms", "give nodes= or time=, not both"),
    ],
)
def test_budgets_that_do_not_fit_are_refused(spec: str, says: str) -> None:
    with pytest.raises(SparringError, match=says):
        agent(spec)


# Pausing


@pytest.mark.parametrize("nodes_at_a_time", [1, 3, 10])
@pytest.mark.parametrize("text", ["alphabeta:voronoi", "minimax:center", "alphabeta:open,reference"])
def test_a_search_that_pauses_every_few_nodes_finds_the_same_as_in_one_go(
    text: str, nodes_at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching, go_on, laps = agent(text).search, agent(text).search._search, []

    def go_on_a_little(*memory_and_pause: object) -> None:
        laps.append(nodes_at_a_time)
        go_on(*memory_and_pause[:-1], nodes_at_a_time)

    def all_found() -> list[SearchResult]:
        budgets = [{"depth": 3}, {"depth": 5}, {"depth": 5, "nodes": 333}]
        searches = [search(text, at, seed=2, **budget) for at in positions()[::9] for budget in budgets]
        return [replace(found, seconds=0) for found in searches]

    in_one_go = all_found()
    monkeypatch.setattr(searching, "_search", go_on_a_little)
    paused = all_found()
    assert len(laps) > 4 * len(paused)
    assert paused == in_one_go


# The course's manners


def test_the_reference_search_varies_its_moves_with_the_dice_and_never_its_score() -> None:
    varied = 0
    for position in positions()[::4]:
        found = [search("alphabeta:open,reference", position, depth=3, seed=seed) for seed in range(8)]
        assert len({one.score for one in found}) == 1, position.text
        varied += len({one.line[0] for one in found}) > 1
    assert varied > 8


@pytest.mark.parametrize("way", ["alphabeta", "minimax"])
def test_the_reference_search_finds_our_score_but_does_not_care_when_it_wins(way: str) -> None:
    decided = 0
    for position in positions():
        course, ours = (search(f"{way}:center{option}", position, depth=4) for option in (",reference", ""))
        if abs(ours.score) > PROVEN:
            assert course.score == (WIN if ours.score > 0 else -WIN), position.text
            assert course.depth == 4
            decided += 1
        else:
            assert course.score == ours.score, position.text
    assert decided > 5


# Explaining

EXPLAINED = [
    "next_moves,nodes=3000",
    "center,depth=4",
    "minimax:open,depth=3",
    "voronoi,depth=1",
    "open,depth=3,reference",
]


def minimax_for(text: str) -> str:
    name = text.removeprefix("minimax:").split(",")[0]
    return f"minimax:{name}" + (",reference" if "reference" in text else "")


@pytest.mark.parametrize("text", EXPLAINED)
def test_an_explanation_is_of_the_move_that_is_played_with_the_scores_of_a_full_minimax(text: str) -> None:
    for position in positions()[1::6]:
        explained = explain(position.game, text, position, seed=3)
        full = search(minimax_for(text), position, depth=explained.depth)
        exact = {action: full.scores[action][0] for action in position.legal}
        assert {c.action: c.score for c in explained.candidates if c.exact} == exact, position.text
        played = agent(text).decide(View(position, position.mover, players_dice(3, position.mover)))
        assert explained.action == played.action
        assert explained.score == max(exact.values()) == played.score


def test_the_terms_of_a_candidate_add_up_to_its_score() -> None:
    added = 0
    for position in positions()[::5]:
        decision = explain(position.game, "next_moves(next_moves=0.5),nodes=2000", position)
        for c in decision.candidates:
            end = end_of(position, c.line)
            if not end.over:
                assert sum(decision.weights[term] * part for term, part in c.terms.items()) == c.score
                added += 1
    assert added > 50


def test_why_not_a_worse_move_tells_where_it_leads_and_which_terms_make_the_difference() -> None:
    decision = explain("isolation", "next_moves,depth=4", "d4 e6")
    worst = decision.ranked[-1]
    answer = decision.why_not(worst.action)
    name, *replies = decision.names(worst.line)
    gap = sum(decision.weights[t] * (worst.terms[t] - decision.chosen.terms[t]) for t in decision.weights)
    assert gap == worst.score - decision.score < 0
    assert answer.startswith(f"{name} scores {worst.score:+g}, {decision.name} scores {decision.score:+g}.")
    assert f"After {name} it expects {' '.join(replies)}." in answer
    assert "At the end of the lines: " in answer


def test_an_agent_without_scores_says_so() -> None:
    decision = explain("isolation", "random", "d4 e6")
    other = next(action for action in decision.position.legal if action != decision.action)
    assert decision.why_not(other).endswith(": any legal move is as likely as another.")
    assert "why: any legal move is as likely as another" in str(decision)


def test_a_finished_game_has_nothing_to_explain() -> None:
    with pytest.raises(SparringError, match="the game is over"):
        explain("isolation", "next_moves", "A.#/###/.B# A")


@pytest.mark.parametrize("text", [*EXPLAINED, "random", "improved,nodes=1"])
def test_a_decision_can_be_written_as_json_and_read_back(text: str) -> None:
    for position in positions()[::20]:
        decision = explain(position.game, text, position)
        data = json.loads(json.dumps(decision.to_json()))
        assert data["move"] == decision.name
        assert data["position"] == position.text
        assert [entry["score"] for entry in data["candidates"]] == [c.score for c in decision.ranked]
        assert [entry["line"] for entry in data["candidates"]] == [decision.names(c.line) for c in decision.ranked]


def test_a_decision_in_a_game_keeps_the_line_it_expects() -> None:
    position = game("isolation").position("d4 e6")
    decision = agent("next_moves,depth=5").decide(View(position, position.mover, dice(0)))
    assert len(decision.chosen.line) == 5
    assert decision.names(decision.chosen.line)[0] == decision.name


def test_an_infinite_score_never_passes_for_a_won_game(tmp_path: Path) -> None:
    (tmp_path / "boast.py").write_text(
        "from sparring import heuristic\n"
        '@heuristic("isolation")\ndef boast(s, me):\n    return float("inf") if s.to_move == me else float("-inf")\n'
    )
    decision = explain("isolation", f"{tmp_path / 'boast.py'},depth=3", "d4 e6")
    assert decision.depth == 3
    assert not any(candidate.proven for candidate in decision.candidates)
