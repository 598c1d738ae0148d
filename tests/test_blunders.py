"""Blunders: where games were lost, and the suites made from them."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sparring
from commands import at_home, did, spar
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision
from sparring.agents.spec import agent, default_judge
from sparring.analysis.blunders import Blunders, LostGame, blunders, losses
from sparring.arena.result import Tournament
from sparring.games.contract import Action, Position
from sparring.games.isolation.solver import winning_moves
from sparring.search.tree import WIN


def looked_at(result: Tournament, judge: Agent | None = None, most: int = 100) -> Blunders:
    game = result.contest.game
    return blunders(result, judge or agent(game, default_judge(game)), None, None, most, seed=1)


def decisions(result: Tournament, loss: LostGame) -> list[tuple[int, Position, Action]]:
    """Return the decisions of the loser, each with its number in the game."""
    passed = enumerate(result.game(loss.number).steps(), 1)
    return [(step, one.position, one.actions[loss.seat]) for step, one in passed if loss.seat in one.actions]


@pytest.fixture(scope="module")
def isolation() -> Tournament:
    return sparring.match(sparring.game("isolation", board="6x6"), "greedy", "improved,nodes=200", games=20, seed=3)


def test_the_move_that_lost_a_won_game_is_found_in_every_loss_that_has_one(isolation: Tournament) -> None:
    thrown = {}
    for loss in losses(isolation):
        won = [step for step, position, _ in decisions(isolation, loss) if any(winning_moves(position.state).values())]
        thrown |= {loss: won[-1]} if won else {}
    found = looked_at(isolation)
    assert sum(found.looked.values()) == 20
    assert {one.loss: one.step for one in found.found} == thrown
    for one in found.found:
        verdicts = winning_moves(one.position.state)
        assert not verdicts[one.played.action]
        assert {one.position.name(action) for action, wins in verdicts.items() if wins} == set(one.accept)


@pytest.mark.slow
def test_in_a_game_of_dice_the_move_that_cost_the_largest_chance_is_found() -> None:
    game = sparring.game("ludo", players=2, tokens=2)
    result = sparring.match(game, "random", "furthest", games=2)
    found = looked_at(result)
    assert found.judge == "perfect"
    assert len(found.found) == 2
    for one in found.found:
        cost = {}
        for step, position, action in decisions(result, one.loss):
            chances: Any = sparring.solve(game, position)
            cost[step] = max(chances.chances.values()) - chances.chances[action]
        assert one.step == max(cost, key=lambda step: cost[step])
        assert one.drop == pytest.approx(100 * cost[one.step], abs=1e-4)


class Told(Agent):
    """A judge whose answers are given."""

    spec = "told"

    def __init__(self, says: Any) -> None:
        self.says = says

    def decide(self, view: View) -> Decision:
        scored = tuple(Candidate(action, -0.1 * place) for place, action in enumerate(view.legal))
        return Decision(self.spec, view.position, view.me, view.legal[0], scored)

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        said: tuple[Candidate, Candidate] = self.says(view, action)
        return said


def test_the_difference_is_told_in_digits(isolation: Tournament) -> None:
    found = looked_at(isolation, most=5)
    one = replace(found.found[0], played=Candidate(0, -85_200.0), better=Candidate(1, 0.5))
    assert one.told.endswith(" scores +0.5, 85,200 more")


def test_ctrl_c_keeps_what_was_found(isolation: Tournament) -> None:
    seen = []

    def interrupted(view: View, action: Action) -> tuple[Candidate, Candidate]:
        seen.append(action)
        if len(seen) > 40:
            raise KeyboardInterrupt
        return Candidate(action, 1.0), Candidate(action, 0.5)

    found = looked_at(isolation, Told(interrupted))
    assert found.interrupted
    assert 0 < len(found.found) == sum(found.looked.values()) < 20
    assert str(found).startswith("interrupted")


def test_a_move_after_which_all_lose_has_lost_the_game_though_the_judge_did_not_see_it(isolation: Tournament) -> None:
    loss = losses(isolation)[0]
    *_, before, last = [one for one in decisions(isolation, loss) if len(one[1].legal) > 1]

    def says(view: View, action: Action) -> tuple[Candidate, Candidate]:
        seen = Candidate(action, -WIN if view.position.text == last[1].text else 0.0)
        return seen, seen

    (found,) = blunders(isolation, Told(says), loss.number, loss.agent, 1, seed=1).found
    assert (found.step, found.played.score) == (before[0], -WIN)
    assert found.better.action != found.played.action


def test_the_seed_draws_which_losses_are_looked_at(isolation: Tournament) -> None:
    judge = Told(lambda view, action: (Candidate(action, 1.0), Candidate(action, 0.0)))
    found = [blunders(isolation, judge, None, None, 5, seed).found for seed in (1, 1, 2)]
    drawn = [sorted(one.loss.number for one in some) for some in found]
    assert drawn[0] == drawn[1] != drawn[2]
    assert [len(numbers) for numbers in drawn] == [5, 5, 5]


def test_a_game_that_was_lost_by_a_failure_is_not_judged() -> None:
    @sparring.agent("isolation")
    def broken(view: View) -> Action:
        raise RuntimeError("not today")

    assert losses(sparring.match("isolation", broken, "random", games=2)) == []


MATCHES = {
    "isolation": ("greedy", "improved,nodes=200", "--board", "5x5"),
    "ludo": ("random", "semi_smart", "--players", "2", "--tokens", "2"),
    "battlesnake": ("central,depth=2", "steady,nodes=500", "--board", "7x7"),
    "flagwar": ("seed", "utility"),
}
JUDGES = {"battlesnake": "strongest,nodes=20k"}


@pytest.mark.slow
@pytest.mark.parametrize("game", MATCHES)
def test_blunders_open_in_explain_and_make_a_suite(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, "")
    did("match", game, *MATCHES[game], "--games", 2)
    judged = ("--judge", JUDGES[game]) if game in JUDGES else ()
    found = json.loads(did("blunders", "last", *judged, "--most", 2, "--save", "mine.toml", "--json"))
    assert found["blunders"]
    for one in found["blunders"]:
        assert f"{one['agent']} plays" in did(*shlex.split(one["explain"])[1:])
    if game == "flagwar":  # it has too many moves to try, so only the played commands are known to be wrong
        assert all(one["forbid"] for one in found["blunders"])
        return
    solved = json.loads(did("suite", game, found["judge"], "--cases", "mine.toml", "--tries", 2, "--json"))["solved"]
    assert set(solved[found["judge"]].values()) == {2}


@pytest.mark.slow
def test_the_same_blunders_are_added_to_a_suite_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, "idea = 1")
    did("match", "isolation", *MATCHES["isolation"], "--games", 8)
    assert " added to mine.toml; run them: spar suite isolation " in spar("blunders", "last", "--save", "mine.toml").err
    before = f"# hard ones\n{Path('mine.toml').read_text()}"
    Path("mine.toml").write_text(before)
    assert re.match(
        r"0 cases added to mine.toml, \d were there already; run", spar("blunders", "last", "--save", "mine.toml").err
    )
    assert Path("mine.toml").read_text() == before
    assert "greedy plays" in did("suite", "isolation", "greedy", "--cases", "mine.toml")


def test_mistakes_in_the_command_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, "idea = 1")
    did("match", "isolation", "greedy", "random", "--games", 2)
    said = spar("blunders", "last", "--save", "mine.py")
    assert (said.code, said.out) == (2, "")
    assert said.err == "spar: mine.py has no cases; each is written under [[cases]]\n"
    assert "did you mean greedy?" in spar("blunders", "last", "--agent", "greddy").err
    assert "its games are 1 to 2" in spar("blunders", "last", "--game", 3).err
    assert "keeps no scores, so it cannot judge" in spar("blunders", "last", "--judge", "random").err


CASE = '[[cases]]\nname = "one"\nposition = "d4 e6 f5"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f'game = "ludo"\n{CASE}accept = ["c5"]', "has cases of ludo, not of isolation"),
        ("", "has no cases; each is written under [[cases]]"),
        (CASE, "case 1: say which moves solve it"),
        (f'{CASE}accept = ["e4"]', "case 1: e4 is not legal here"),
        (f'{CASE}accept = ["c5"]\nplayer = 0', "case 1: player 0 is not to act"),
        (f'{CASE}acept = ["c5"]', "case 1: unknown setting 'acept'; did you mean accept"),
        (f'{CASE}accept = ["c5"]\n{CASE}accept = ["c5"]', "case 2: 'one' is the name of another case"),
        ("[[cases]\n", "mine.toml:1: "),
    ],
)
def test_a_mistake_in_a_suite_is_told_first(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(text)
    said = spar("suite", "isolation", "greedy", "--cases", "mine.toml")
    assert (said.code, said.out) == (2, "")
    assert says in said.err
