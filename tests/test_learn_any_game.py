"""Learning in other games: the terms of any heuristic are features, and a game of a test has states for a table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import did, spar
from sparring.agents.agent import View
from sparring.agents.spec import agent, heuristics
from sparring.core.bits import count
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.core.kernel import kernel
from sparring.games.isolation.game import Isolation
from sparring.games.isolation.rules import exits, opponent, reach
from sparring.games.learnable import StateEncoders
from sparring.games.registry import game
from sparring.learning.course import learn
from sparring.learning.qlearning import QLearner, QSettings
from sparring.learning.td import TdLearner, TdSettings

# Values from the terms of a heuristic


def value(features: str, **given: Any) -> TdLearner:
    return TdLearner(game("isolation"), TdSettings(features=features, **{"games": 1000, "trial_games": 0, **given}))


def test_a_value_of_isolation_learned_from_terms_beats_random(tmp_path: Path) -> None:
    made, file = value("next_moves", trial_games=200), tmp_path / "value.npz"
    told = str(learn(made, file))
    assert "linear value of next_moves learned in self-play from 1,000 games\n3 features: moves" in told
    assert made.curve[-1].low > 0.8
    match = sparring.match("isolation", f"{file},depth=1", "random", games=100)
    assert match.total(f"{file},depth=1").interval[0] > 0.7


def test_more_exits_are_found_to_be_better() -> None:
    made = value("improved")
    learn(made)
    weights = made.facts()["weights"]
    assert list(weights) == ["improved", "bias"]
    assert weights["improved"] > 10 * abs(weights["bias"])


def test_a_net_learns_from_terms_too() -> None:
    made = value("next_moves", td="net", hidden=4)
    before = made.trial(200)
    learn(made)
    assert made.trial(200).low > before.high


def test_the_terms_of_a_learned_value_are_logarithmic_odds(tmp_path: Path) -> None:
    made, file = value("next_moves"), tmp_path / "value.npz"
    learn(made, file)
    position = game("isolation").start(3)
    learned = agent(position.game, f"{file}").search.judge.heuristic  # type: ignore[attr-defined]
    found = heuristics(position.game)["next_moves"].terms(position.state, 0)
    weights = made.table.astype(np.float16).tolist()
    expected = {name: weights[place] * found[name] for place, name in enumerate(found)} | {"bias": weights[-1]}
    assert learned.terms(position.state, 0) == pytest.approx(expected, abs=1e-6)


def test_large_terms_are_learned_as_well_as_small_ones() -> None:
    """The steps of `cautious` are in hundreds, its tokens out at most four."""
    made = TdLearner(game("ludo", players=2), TdSettings(features="cautious", games=1000, trial_games=200))
    learn(made)
    assert made.curve[-1].low > 0.6
    assert made.rates[0] < made.rates[1] / 100


def test_the_same_seed_learns_the_same_value() -> None:
    tables = []
    for seed in (1, 1, 2):
        made = value("next_moves", seed=seed, games=200)
        learn(made)
        tables.append(made.table)
    assert (tables[0] == tables[1]).all() and (tables[0] != tables[2]).any()


def test_the_command_learns_a_value_tells_and_draws(tmp_path: Path) -> None:
    words = ["learn", "isolation", "--board", "5x5", "--td", "linear", "--features", "next_moves", "--games", 40]
    words += ["--trial-games", 10, "--out", tmp_path / "v.npz", "--plot", tmp_path / "curve.svg", "--json"]
    told = json.loads(did(*words))
    assert told["games"] == 40 and len(told["curve"]) == 20 and told["features"] == 3
    assert told["settings"]["options"]["board"] == "5x5"
    assert told["command"].startswith("spar learn isolation --board 5x5 --td linear --features next_moves --games 40")
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["isolation", "--td", "linear"], "isolation has no features of its own: name a heuristic, as in --features"),
        (
            ["flagwar", "--td", "linear", "--features", "balanced"],
            "in which players move in turn, which flagwar is not",
        ),
    ],
)
def test_slips_are_told_in_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    answer = spar("learn", *words, "--out", tmp_path / "v.npz")
    assert answer.code == 2 and said in answer.err and answer.err.count("\n") == 1


def test_a_value_of_another_game_is_refused(tmp_path: Path) -> None:
    learn(value("improved", games=20), tmp_path / "v.npz")
    with pytest.raises(SparringError, match=r"v\.npz holds a value of isolation, not of ludo"):
        agent(game("ludo"), f"{tmp_path}/v.npz")


# A table: the state is how many exits both have, an action is how many exits it leads to


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


def test_a_table_of_another_game_learns_and_plays(tmp_path: Path) -> None:
    made, file = Learnable(board="5x5"), tmp_path / "table.npz"
    table = QLearner(made, QSettings(games=3000, alpha="0.1:0.01", gamma=0.9, trial_games=200))
    told = str(learn(table, file))
    assert "exits learned against random from 3,000 games" in told
    assert (table.given.reward, table.curve[-1].low > 0.6) == ("result", True)
    player, position = agent(made, f"tabular:{file}"), made.start(1)
    decision = player.explain(View(position, 0, players_dice(1, 0)))
    assert decision.notes["sees"] == divmod(int(row_of(position.state)), 9)
    assert decision.chosen.score == max(candidate.score or -1 for candidate in decision.candidates)
    match = sparring.match(made, player, agent(made, "random"), games=100)
    assert match.total(player.name).mean > 0.6


def test_a_table_learns_against_a_search() -> None:
    table = QLearner(Learnable(board="5x5"), QSettings(against="improved,nodes=50", games=30, trial_games=0))
    learn(table)
    assert len(table.rows()) > 10
