"""Learning in any game: the terms of a heuristic are features, also of a user's; players may move at once; and a game
of a test has states for a table."""

import json
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sparring
from commands import did, spar
from sparring.agents.agent import View
from sparring.agents.learned_value import open_value
from sparring.agents.spec import agent, heuristics
from sparring.core.bits import count
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.core.kernel import kernel, with_globals
from sparring.games.isolation.game import Isolation
from sparring.games.isolation.rules import exits, opponent, reach
from sparring.games.learnable import StateEncoders
from sparring.games.registry import game
from sparring.learning.learner import learn
from sparring.learning.qlearning import QLearner, QSettings
from sparring.learning.td import SAMPLES, TdLearner, TdSettings, best_by_value, learning_rates

pytestmark = pytest.mark.slow

# Values from the terms of a heuristic


@cache
def small() -> Any:
    return game("isolation", board="5x5")


def value(features: str, **given: Any) -> TdLearner:
    return TdLearner(small(), TdSettings(features=features, **{"games": 1000, "trial_games": 0, **given}))


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A value of next_moves."""
    file = tmp_path_factory.mktemp("values") / "value.npz"
    learn(value("next_moves", trial_games=100), file)
    return file


def test_a_value_learned_from_terms_beats_random_because_more_moves_are_better(learned: Path) -> None:
    made = value("next_moves", trial_games=100)
    told = str(learn(made, learned))
    assert "linear value of next_moves learned in self-play from 1,000 games\n3 features: moves" in told
    assert made.curve[-1].low > 0.65
    found = made.facts()["weights"]
    assert list(found) == ["moves", "next_moves", "bias"]
    assert found["moves"] + found["next_moves"] > 3 * abs(found["bias"])
    match = sparring.match(small(), f"{learned},depth=1", "random", games=100)
    assert match.total(f"{learned},depth=1").interval[0] > 0.7


def test_a_net_learns_from_terms_too() -> None:
    made = value("next_moves", td="net", hidden=3)
    before = made.trial(200)
    learn(made)
    assert made.trial(200).low > before.high


def test_the_terms_of_a_learned_value_are_logarithmic_odds(learned: Path) -> None:
    with pytest.raises(SparringError, match=r"value\.npz holds a value of isolation, not of ludo"):
        agent(game("ludo"), f"{learned}")
    position, weights = small().start(3), open_value(learned, "isolation")[1].tolist()
    terms = agent(small(), f"{learned}").search.judge.heuristic.terms(position.state, 0)  # type: ignore[attr-defined]
    found = heuristics(small())["next_moves"].terms(position.state, 0)
    expected = {name: weights[place] * found[name] for place, name in enumerate(found)} | {"bias": weights[-1]}
    assert terms == pytest.approx(expected, abs=1e-6)


def test_the_steps_of_large_terms_are_smaller() -> None:
    """The steps of `cautious` are in hundreds, its tokens out at most four."""
    rates = learning_rates(game("ludo", players=2), TdSettings(features="cautious"))
    assert rates[0] < rates[1] / 100 and rates[-1] == 1


def test_the_command_learns_a_value_tells_and_draws(tmp_path: Path) -> None:
    words = ["learn", "isolation", "--board", "5x5", "--td", "net", "--hidden", 3, "--features", "next_moves"]
    words += ["--games", 40, "--trial-games", 10, "--out", tmp_path / "v.npz", "--plot", tmp_path / "c.svg", "--json"]
    told = json.loads(did(*words))
    assert (told["games"], len(told["curve"]), told["features"], told["hidden"]) == (40, 20, 3, 3)
    assert told["settings"]["options"]["board"] == "5x5"
    command = "spar learn isolation --board 5x5 --td net --features next_moves --hidden 3 --games 40"
    assert told["command"].startswith(command)
    assert (tmp_path / "c.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["isolation", "--td", "linear"], "isolation has no features of its own: name a heuristic, as in --features"),
        (["isolation"], "isolation has no states for tables: learn a value, with --td linear --features HEURISTIC"),
        (
            ["battlesnake", "--rng", "go", "--td", "linear", "--features", "steady"],
            "battlesnake --rng go cannot be learned: its rules are not all compiled",
        ),
    ],
)
def test_slips_are_told_in_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    answer = spar("learn", *words, "--out", tmp_path / "v.npz")
    assert answer.code == 2 and said in answer.err and answer.err.count("\n") == 1


IDEA = """
from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits, opponent
from {module} import factor

@heuristic("isolation")
def idea(s, me):
    return Terms(mine=count(exits(s, me)), yours=factor(count(exits(s, opponent(me)))))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with idea.py, which imports parts.py beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "idea.py").write_text(IDEA.format(module="parts"))
    (tmp_path / "parts.py").write_text("def factor(exits):\n    return 0.5 * exits\n")
    return tmp_path


def test_the_terms_of_a_users_heuristic_are_features_until_it_changes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, file = value("idea.py:idea", games=300), home / "value.npz"
    learn(made, file)
    weights = made.facts()["weights"]
    assert list(weights) == ["mine", "yours", "bias"]
    assert weights["mine"] > 0 > weights["yours"]
    match = sparring.match(small(), "value.npz,depth=1", "random", games=100)
    assert match.total("value.npz,depth=1").mean > 0.7
    for edited in (home / "idea.py", home / "parts.py"):
        before = edited.read_text()
        edited.write_text(f"{before}\n# another\n")
        changed = r"idea\.py:idea has changed since .*value\.npz was learned from it; "
        with pytest.raises(SparringError, match=f"{changed}learn"):
            agent(small(), "value.npz")
        with pytest.raises(SparringError, match=f"{changed}name"):
            learn(value("idea.py:idea", games=300), file)
        edited.write_text(before)
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    assert agent(small(), "../value.npz")
    (home / "idea.py").unlink()
    with pytest.raises(SparringError, match=r"no file .*idea\.py"):
        agent(small(), "../value.npz")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return Terms(a={}['x'], b=1)", r"idea\.py.*idea cannot be compiled"),
        ("while me >= 0:\n        me += 0\n    return Terms(a=me, b=2)", r"idea\.py:5: the loops did not end"),
        ("return Terms(a=s.blocked // (me - me), b=1)", "idea.py: ZeroDivisionError"),
    ],
)
def test_a_users_slip_is_told_in_one_line(body: str, said: str, home: Path) -> None:
    head = 'from sparring import Terms, heuristic\n\n@heuristic("isolation")\ndef idea(s, me):\n    '
    (home / "idea.py").write_text(f"{head}{body}\n")
    answer = spar("learn", "isolation", "--td", "linear", "--features", "idea.py", "--games", 5, "--out", "v.npz")
    assert answer.code == 2 and answer.err.count("\n") <= 2, answer.err
    assert re.search(said, answer.err), answer.err


@pytest.mark.parametrize(("acting", "unlisted", "chosen"), [(0b11, 0, 1), (0b01, 0, 0), (0b11, 1, 2)])
def test_an_action_is_scored_by_its_mean_over_actions_of_the_others(acting: int, unlisted: int, chosen: int) -> None:
    """Action 0 is good against action 0 of the other alone, 1 is fair against all, 2 is good and not listed."""
    worth = {0: [0.9, 0.0, 0.0], 1: [0.4] * 3, 2: [0.8] * 3}
    drawn = iter([2] * unlisted + [0, 1, 2] * SAMPLES)

    def actions(s: Any, player: int, found: Any) -> int:
        found[:2] = [0, 1]
        return 2

    def apply(s: Any, joint: Any) -> None:
        s.value = worth[joint.of[0]][joint.of[1]]

    names = {
        **{"actions": actions, "apply": apply, "copy_record": lambda target, source: None, "UNLISTED": unlisted},
        "value": lambda s, me, weights: s.value,
        "random_action": lambda s, player, found, dice: next(drawn),
    }
    joints = [SimpleNamespace(of=[0, 0]) for _ in range(SAMPLES)]
    best = with_globals(best_by_value, names, "best")
    assert best([SimpleNamespace()] * 2, 0, acting, None, joints, np.zeros((2, 3), int), None) == chosen


def test_a_value_of_a_game_of_moves_at_once_beats_random() -> None:
    made = TdLearner(game("flagwar"), TdSettings(features="quick_corrected", games=20, trial_games=40))
    learn(made)
    assert made.curve[-1].low > 0.8


def test_flag_war_draws_commands_to_several_pieces() -> None:
    made = game("flagwar")
    state, own = made.start(1).state, players_dice(1, 0)
    any_action = getattr(made.kernels["any_action"], "py_func", made.kernels["any_action"])
    drawn = {int(any_action(state, 0, own)) for _ in range(100)}
    assert len(drawn) > 90 and all(made.is_legal(state, 0, action) for action in drawn)
    assert max(made.action_name(state, 0, action).count("_") for action in drawn) > 1


def test_the_worth_of_a_dead_snake_is_known_while_the_others_play_on() -> None:
    made = game("battlesnake", players=3, board="7x7")
    stake, state = made.kernels["stake"], made.start(1).state
    plain = getattr(stake, "py_func", stake)
    assert plain(state, 0) == 1.0
    state.cause[0], state.living = 1, 2
    assert (plain(state, 0), plain(state, 1)) == (0.0, 0.5)


class Exits:
    """The one encoder of the game below."""

    code, states, size = 0, 81, 81

    def row(self, state: Any) -> int:
        return int(row_of(state))

    def notes(self, state: Any) -> dict[str, Any]:
        return {"sees": divmod(self.row(state), 9)}


@kernel
def row_of(s: Any) -> int:
    return 9 * min(count(exits(s, s.to_move)), 8) + min(count(exits(s, opponent(s.to_move))), 8)  # type: ignore[no-any-return]


@kernel
def encode(states: Any, code: int, actions: Any, found: int, columns: Any, memory: Any) -> int:
    for place in range(found):
        columns[place] = min(count(reach(states[0], actions[place]) & ~(1 << actions[place])), 8)
    return row_of(states[0])


ENCODERS = StateEncoders(lambda text: Exits(), "exits", 9, encode)


class Learnable(Isolation):
    offers = {**Isolation.offers, StateEncoders: f"{__name__}:ENCODERS"}


def test_a_table_of_another_game_learns_against_random_or_a_search_and_plays(tmp_path: Path) -> None:
    made, file = Learnable(board="5x5"), tmp_path / "table.npz"
    table = QLearner(made, QSettings(games=3000, alpha="0.1:0.01", gamma=0.9, trial_games=200))
    told = str(learn(table, file))
    assert "exits learned against random from 3,000 games" in told
    assert (table.config.reward, table.curve[-1].low > 0.6) == ("result", True)
    player, position = agent(made, f"tabular:{file}"), made.start(1)
    decision = player.explain(View(position, 0, players_dice(1, 0)))
    assert decision.notes["sees"] == divmod(int(row_of(position.state)), 9)
    assert decision.chosen.score == max(candidate.score or -1 for candidate in decision.candidates)
    match = sparring.match(made, player, agent(made, "random"), games=100)
    assert match.total(player.name).mean > 0.6
    learn(against_a_search := QLearner(made, QSettings(against="improved,nodes=50", games=30, trial_games=0)))
    assert len(against_a_search.rows()) > 10
