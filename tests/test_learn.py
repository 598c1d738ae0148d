"""Learning: Q-learning in step with the algorithm in plain Python, rewards by stories, learning that survives a kill,
settings, files, and the agent that plays by a table. test_ludo_value.py has the mathematics of TD(lambda)."""

import json
import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import did, finished, spar, started, uncompiled
from sparring.agents.agent import View
from sparring.agents.q_table import QTable, place_of_row, value_at
from sparring.agents.spec import agent
from sparring.core.dice import Dice, players_dice, seed_dice_plain, throw
from sparring.core.errors import SparringError
from sparring.core.kernel import compiled_mode, record, table_address
from sparring.games.ludo.features import CONTEXT
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.rewards import OUT, REWARDS, STEPS, pay_others, pay_own
from sparring.games.registry import game
from sparring.learning.learner import Learner, Trial, learn
from sparring.learning.qlearning import Pending, QLearner, QSettings, update
from sparring.learning.schedule import Schedule, schedule, scheduled
from sparring.learning.td import DEFAULT_HIDDEN, TdLearner, TdSettings

pytestmark = pytest.mark.slow

QUICK = {"state": "potential:as_written", "games": 60, "alpha": "0.1", "epsilon": "0.2", "gamma": 0.5, "trial_games": 0}


@cache
def ludo(players: int = 2, tokens: int = 4) -> Ludo:
    made = game("ludo", players=players, tokens=tokens)
    assert isinstance(made, Ludo)
    return made


def learner(**changes: Any) -> QLearner:
    return QLearner(ludo(), QSettings(**{**QUICK, **changes}))


def learned(file: Path | None = None, **changes: Any) -> QLearner:
    made = learner(**changes)
    learn(made, file)
    return made


def loaded(file: Path, **changes: Any) -> QLearner:
    """A learner as far as its file."""
    made = learner(**changes)
    made.resume(file)
    return made


def same(one: QLearner, other: QLearner) -> bool:
    tables = np.array_equal(one.values, other.values) and np.array_equal(one.visits, other.visits)
    return tables and one.done == other.done and one.curve == other.curve


# The update


def test_an_update_moves_the_value_towards_reward_and_future() -> None:
    table, visits, pending = np.full((3, 4), 2.0, np.float32), np.zeros((3, 4), np.uint32), record(Pending)
    pending.waiting, pending.row, pending.column, pending.reward = 1, 1, 2, 5.0
    update(table, visits, pending, 0, 0.25, 3.0)
    assert table[1, 2] == 2.0 + 0.25 * (5.0 + 3.0 - 2.0)
    assert visits.sum() == visits[1, 2] == 1 and pending.waiting == 0


def test_averages_are_means_as_long_as_1_n_is_more_than_alpha() -> None:
    table, visits, pending = np.zeros((1, 4), np.float32), np.zeros((1, 4), np.uint32), record(Pending)
    for reward in (4.0, 8.0, 6.0, 16.0):
        pending.waiting, pending.reward = 1, reward
        update(table, visits, pending, 1, 0.3, 0.0)
    assert table[0, 0] == pytest.approx(6.0 + 0.3 * (16.0 - 6.0))


@pytest.mark.parametrize("against", ["random", "self"])
@pytest.mark.parametrize("state", ["combined:corrected", "combined:as_written,unsorted"])
def test_the_compiled_loop_learns_what_the_algorithm_in_plain_python_learns(state: str, against: str) -> None:
    given = QSettings(state=state, games=6, against=against, gamma=0.5, alpha="0.5:0.1", epsilon="0.3", trial_games=0)
    table = QLearner(ludo(2, 2), given)
    expected = plain_learning(table)
    learn(table)
    assert len(table.rows()) == len({row for row, _ in expected})
    for (row, place), value in expected.items():
        assert table.values[row, place] == pytest.approx(value, rel=1e-4, abs=1e-4)


def plain_learning(learner: QLearner) -> dict[tuple[int, int], float]:
    """The same games of two with two tokens, from the same dice, by the words of the algorithm."""
    course, abstraction, made, q = learner.config, learner.encoder, ludo(2, 2), dict[tuple[int, int], float]()
    for number in range(course.games):
        referee_dice, own, foil = (stream(course.seed, 3 * number + place) for place in range(3))
        alpha = 0.5 + (0.1 - 0.5) * number / course.games
        state, last, reward = made.empty(), {}, {0: 0.0, 1: 0.0}
        made.draw(state, referee_dice)
        while moves := made.legal(state, int(state.to_move)):
            me = int(state.to_move)
            if course.against != "self" and me != number % 2:
                token = moves[throw(foil, len(moves))]
            elif len(moves) == 1:
                token = moves[0]
            else:
                row, tokens = abstraction.row(state), features_of(abstraction, state)
                places = {token: sum(other < tokens[token] for other in tokens) for token in moves}
                places = {token: token for token in moves} if abstraction.unsorted else places
                values = {token: q.get((row, places[token]), 0.0) for token in moves}
                best = max(values.values())
                token = first_best(values, own)
                if me in last:
                    move_towards(q, last[me], alpha, reward[me] + 0.5 * best)
                if throw(own, 1 << 24) < 0.3 * (1 << 24):
                    token = moves[throw(own, len(moves))]
                last[me], reward[me] = (row, places[token]), 0.0
            after = made.after_move(state, token)
            for seat in (0, 1):
                steps = int(after.at[seat].sum() - state.at[seat].sum())
                out = int((after.at[seat, :2] > 0).sum() - (state.at[seat, :2] > 0).sum())
                reward[seat] += steps + 30 * out
            reward[me] += 0.7 * int(state.at[1 - me].sum() - after.at[1 - me].sum())
            state = after
            made.draw(state, referee_dice)
        for seat, decision in last.items():
            move_towards(q, decision, alpha, reward[seat])
    return q


def stream(seed: int, number: int) -> Any:
    fresh = record(Dice)
    seed_dice_plain(fresh, seed, number)
    return fresh


def features_of(abstraction: Any, state: Any) -> list[tuple[int, int]]:
    seen = abstraction.encode(state)
    return list(zip(seen[4:8], seen[8:12], strict=True))


def first_best(values: dict[int, float], own: Any) -> int:
    """Any of the best, each as likely as the others."""
    chosen, equals = -1, 0
    for token, value in values.items():
        if chosen < 0 or value > values[chosen]:
            chosen, equals = token, 1
        elif value == values[chosen]:
            equals += 1
            chosen = token if throw(own, equals) == 0 else chosen
    return chosen


def move_towards(q: dict[tuple[int, int], float], decision: tuple[int, int], alpha: float, target: float) -> None:
    q[decision] = q.get(decision, 0.0) + alpha * (target - q.get(decision, 0.0))


# Rewards


def before_its_move(steps: int, out: int, context: int) -> Any:
    """What is remembered of a player."""
    pending = record(Pending)
    pending.memory[[STEPS, OUT, CONTEXT]] = steps, out, context
    return pending


def paid(before: str, token: int, reward: str, context: int = 1) -> float:
    """What a move of A is worth to A."""
    state = ludo().parse(before)
    pending = before_its_move(state.at[0].sum(), (state.at[0] > 0).sum(), context)
    pay_own(state, ludo().after_move(state, token - 1), 0, token - 1, REWARDS[reward], pending)
    return float(pending.reward)


def paid_for_others(reward: str, context: int) -> float:
    """What it is worth to A that B sends one of its tokens home, which had made 17 steps."""
    pending = before_its_move(17 + 20, 2, context)
    pay_others(ludo().parse("0,20,0,0/43,0,0,0 A2"), 0, REWARDS[reward], pending)
    return float(pending.reward)


@pytest.mark.parametrize(
    ("reward", "position", "points"),
    [
        ("shaped", "15,0,0,0/0,0,0,0 A2", [1, 1, 1]),  # trailing, neutral, leading
        ("shaped", "15,0,0,0/0,0,0,0 A3", [10, 10, 10]),
        ("shaped", "20,0,0,0/0,0,0,0 A2", [15, 15, 15]),
        ("shaped", "15,0,0,0/43,0,0,0 A2", [50, 50, 50]),
        ("shaped", "55,0,0,0/0,0,0,0 A2", [100, 100, 100]),
        ("shaped", "20,0,0,0/48,0,0,0 A2", [-10, -10, -10]),
        ("contextual", "15,0,0,0/43,0,0,0 A2", [75, 50, 40]),  # kills count more for a player that trails
        ("contextual", "15,0,0,0/0,0,0,0 A3", [12, 10, 10]),  # boosts too
        ("contextual", "20,0,0,0/0,0,0,0 A2", [12, 15, 30]),  # safety for a player that leads
        ("progress", "15,0,0,0/0,0,0,0 A3", [10, 10, 10]),  # steps made,
        ("progress", "15,0,0,0/43,0,0,0 A2", [2 + 0.7 * 43] * 3),  # steps taken,
        ("progress", "0,15,0,0/0,0,0,0 A6", [31, 31, 31]),  # leaving home,
        ("progress", "20,0,0,0/48,0,0,0 A2", [-50, -50, -50]),  # and steps lost
    ],
)
def test_the_reward_of_a_move(reward: str, position: str, points: list[float]) -> None:
    assert [paid(position, 1, reward, context) for context in range(3)] == pytest.approx(points)


@pytest.mark.parametrize(
    ("reward", "points"),
    [("progress", [-47] * 3), ("shaped", [-20] * 3), ("sparse", [0] * 3), ("contextual", [-10, -20, -30])],
)
def test_a_token_lost_to_others_is_paid_with_the_decision_before(reward: str, points: list[float]) -> None:
    assert [paid_for_others(reward, context) for context in range(3)] == points


# Schedules


def test_schedules_constant_even_and_by_a_factor() -> None:
    def at(text: str, played: int) -> float:
        told = record(Schedule)
        told.first, told.factor, told.last = schedule("epsilon", text)
        return float(scheduled(told, played, 1000))

    assert [at("0.1", 0), at("0.1", 999)] == [0.1, 0.1]
    assert at("0.1:0.02", 500) == pytest.approx(0.06)
    assert at("0.1*0.99:0.01", 10) == pytest.approx(0.1 * 0.99**10)
    assert at("0.1*0.99:0.01", 900) == 0.01


@pytest.mark.parametrize("text", ["much", "0.1*0.9", "2", "0.1:", "-0.1", "0.1:0.2:0.3", ""])
def test_a_schedule_that_cannot_be_read_is_told(text: str) -> None:
    with pytest.raises(SparringError, match="alpha must be"):
        schedule("alpha", text)


# Learning


def test_learning_makes_a_better_player() -> None:
    table = learned(games=4000, state="potential:corrected", gamma=0.0, alpha="1/n:0.01", trial_games=200)
    assert table.curve[-1].low > 0.6
    assert [trial.games for trial in table.curve] == list(range(200, 4001, 200))


def test_the_same_seed_learns_the_same_table_and_another_one_does_not() -> None:
    assert same(learned(), learned())
    assert not np.array_equal(learned().values, learned(seed=2).values)


def test_opponents_may_be_any_compiled_agent_or_the_learner_itself() -> None:
    tables = [learned(against=against, games=20) for against in ("random", "self", "one_ply", "expectimax:cautious")]
    assert all(len(table.rows()) > 20 for table in tables)
    assert len({table.values.tobytes() for table in tables}) == 4  # the depth of expectimax counts


@pytest.mark.parametrize(("players", "tokens"), [(2, 2), (3, 4), (4, 1)])
def test_any_number_of_players_and_tokens(players: int, tokens: int) -> None:
    table = QLearner(game("ludo", players=players, tokens=tokens), QSettings(**{**QUICK, "games": 20}))
    learn(table)
    assert (len(table.rows()) > 5) == (tokens > 1)  # with one token there is nothing to decide


def value(**given: Any) -> TdLearner:
    return TdLearner(ludo(), TdSettings(**{"td": "net", "hidden": 4, "games": 200, "trial_games": 0, **given}))


def numbers(made: Learner) -> dict[str, Any]:
    return {name: np.asarray(array).tolist() for name, array in made.numbers().items()}


@pytest.mark.parametrize("made", [learner, value])
def test_interrupted_learning_resumes_to_the_same_file(made: Callable[[], Learner], tmp_path: Path) -> None:
    def stop(done: int, total: int, known: str) -> None:
        if done >= total / 2:
            raise KeyboardInterrupt

    file, whole, seen = tmp_path / "parts.npz", made(), list[int]()
    half = learn(made(), file, progress=stop)
    assert half.interrupted and whole.config.games / 2 <= half.learner.done < whole.config.games
    learn(whole)
    rest = learn(made(), file, lambda done, *_: seen.append(done)).learner
    assert half.learner.done < seen[0]
    assert numbers(rest) == numbers(whole)
    resumed, before = made(), file.read_bytes()
    learn(resumed, file, lambda *_: seen.clear())  # nothing is left to do
    assert seen and numbers(resumed) == numbers(whole) and file.read_bytes() == before


def test_an_interrupt_while_games_are_learned_loses_and_repeats_none(tmp_path: Path, monkeypatch: Any) -> None:
    """Python notices Ctrl-C when compiled code returns, before it can store what that has done."""
    play = TdLearner.play

    def interrupted(self: TdLearner, last: int, training: Any) -> None:
        play(self, last, training)
        raise KeyboardInterrupt

    parts, whole, once = tmp_path / "parts.npz", value(), value()
    monkeypatch.setattr(TdLearner, "play", interrupted)
    assert learn(value(), parts).interrupted
    monkeypatch.undo()
    learn(whole, parts)
    learn(once)
    assert numbers(whole) == numbers(once)


def test_learning_that_was_interrupted_in_a_trial_makes_up_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupts, tried = [30, 60], QLearner.trial

    def stopped(self: QLearner, games: int) -> Trial:
        if self.done in interrupts:
            interrupts.remove(self.done)
            raise KeyboardInterrupt
        return tried(self, games)

    file = tmp_path / "table.npz"
    monkeypatch.setattr(QLearner, "trial", stopped)
    assert learn(learner(trial_games=10), file).interrupted
    assert loaded(file, trial_games=10).done == 30
    assert learn(learner(trial_games=10), file).interrupted
    assert loaded(file, trial_games=10).done == 60
    assert same(learned(file, trial_games=10), learned(trial_games=10))
    assert same(loaded(file, trial_games=10), learned(trial_games=10))


@pytest.mark.parametrize(("games", "first", "trials"), [(10, 1, 10), (39, 2, 20), (210, 11, 20)])
def test_a_table_is_tried_out_twenty_times_at_most_and_at_the_end(games: int, first: int, trials: int) -> None:
    curve = learned(games=games, trial_games=1).curve
    assert (curve[0].games, curve[-1].games, len(curve)) == (first, games, trials)


def test_learning_that_was_killed_resumes_to_the_same_table(tmp_path: Path) -> None:
    words = ["learn", "ludo", "--players", 2, "--state", "potential:as_written", "--games", "30k", "--trial-games", 100]
    process, file = started(tmp_path, *words, "--out", "table.npz"), tmp_path / "table.npz"
    for _ in range(1200):
        if file.exists():
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    finished(process)
    given = QSettings(state="potential:as_written", games=30_000, trial_games=100)
    kept, uninterrupted = QLearner(ludo(), given), QLearner(ludo(), given)
    kept.resume(file)
    assert 0 < kept.done < 30_000
    learn(kept, file)
    learn(uninterrupted)
    assert same(kept, uninterrupted)


def test_learning_resumes_only_with_its_own_settings(tmp_path: Path) -> None:
    file = tmp_path / "table.npz"
    learned(file)
    with pytest.raises(SparringError, match=r"was learned with gamma 0\.5, not 0\.9"):
        learned(file, gamma=0.9)
    with pytest.raises(SparringError, match="was learned with tokens 4, not 2; name another file"):
        learn(QLearner(ludo(2, 2), QSettings(**QUICK)), file)
    file.write_bytes(b"PK")
    with pytest.raises(SparringError, match="holds no learning to resume"):
        learned(file)


def test_a_slim_table_plays_the_same_where_it_has_been_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = learned(games=2000)
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "benchmarks")
    import_module("ludo_learning").slim(table, visits=50).save(tmp_path / "slim.npz")
    slim = loaded(tmp_path / "slim.npz", games=2000)
    often = (table.visits.sum(axis=1) >= 50) & ((table.visits > 0).sum(axis=1) > 1)
    assert 10 < len(slim.rows()) == often.sum() < len(table.rows())
    tried, values = table.visits[often] > 0, np.where(table.visits[often] > 0, table.values[often], -np.inf)
    less = values.max(axis=1, keepdims=True) - table.values[often]
    near = tried & (less < 15)
    assert np.abs(slim.values[often] + less)[near].max() <= 0.26
    assert (slim.values[often].max(axis=1) == 0).all()


# Settings

TABLE, VALUE = {"state": "potential", "games": 5, "trial_games": 0}, {"td": "linear"}


@pytest.mark.parametrize(
    ("settings", "slip"),
    [
        *(
            ({**kind, "games": games}, "games must be a")
            for kind in (TABLE, VALUE)
            for games in (10.5, 0, "many", True)
        ),
        *(
            ({**kind, "seed": seed}, "seed must be a whole number")
            for kind in (TABLE, VALUE)
            for seed in (-1, 1.5, 10**13)
        ),
        ({**TABLE, "trial_games": -1}, "trial_games must be a whole number from 0"),
        ({**TABLE, "gamma": "much"}, "gamma must be a number"),
        ({**TABLE, "gamma": 2}, "gamma must be from 0 to 1"),
        ({**TABLE, "reward": ["shaped"]}, "unknown reward"),
        ({**TABLE, "reward": "sparze"}, "unknown reward 'sparze'; did you mean sparse"),
        ({**TABLE, "state": 9}, "unknown state of ludo '9'"),
        ({**TABLE, "state": "zones:corrected"}, "unknown state of ludo 'zones'"),
        ({**TABLE, "state": "zone:fixed"}, "unknown .* of zone 'fixed'"),
        ({**TABLE, "state": "zone:corrected,keep=dice"}, "unknown flaw of zone 'dice'"),
        ({**TABLE, "state": "potential,unsorted=yes"}, "unsorted takes no value"),
        ({**TABLE, "against": "sel"}, "unknown agent of ludo 'sel'"),
        ({**TABLE, "epsilon": "0.1*0.9"}, "epsilon must be"),
        ({**VALUE, "alpha": "fast"}, "alpha must be a number"),
        ({**VALUE, "trace": "long"}, "trace must be a number"),
        ({**VALUE, "trace": 2}, "alpha and trace must lie between 0 and 1"),
        ({**VALUE, "epsilon": "often"}, "epsilon must be a number"),
        ({**VALUE, "hidden": 8}, "a linear value has no hidden units"),
        ({"td": "net", "hidden": 2.5}, "hidden must be a whole number"),
        ({"td": "deep"}, "a value is linear or net, not 'deep'"),
        ({**VALUE, "features": "cautios"}, "unknown heuristic of ludo 'cautios'; did you mean cautious"),
        ({**VALUE, "features": "td_net"}, "td_net has no terms to learn from"),
        ({**VALUE, "gamma": 0.5}, "unknown setting of --td 'gamma'"),
    ],
)
def test_a_setting_that_makes_no_sense_is_told(settings: dict[str, Any], slip: str, tmp_path: Path) -> None:
    with pytest.raises(SparringError, match=slip) as told:
        sparring.learn("ludo", out=tmp_path / "x.npz", **settings)
    assert "\n" not in str(told.value)


def test_numbers_may_be_written_as_on_the_command_line() -> None:
    assert (QSettings(games="2k").games, QSettings(gamma="0.5").gamma) == (2000, 0.5)  # type: ignore[arg-type]
    assert (QSettings(games=2e3).games, TdSettings(games="2k").games) == (2000, 2000)  # type: ignore[arg-type]
    assert QSettings(alpha=0.1, epsilon=0.2) == QSettings(alpha="0.1", epsilon="0.2")  # type: ignore[arg-type]


# The agent


def test_the_raw_table_of_the_document_is_learned_and_played(tmp_path: Path) -> None:
    """115,248 states, of tokens by their numbers: the best move of a row is that of its token."""
    state, file = "potential:as_written,unsorted", tmp_path / "raw.npz"
    table = learned(state=state, games=300, file=file)
    assert table.values.shape == (115_248, 4)
    assert len(table.rows()) > len(learned(state="potential:as_written", games=300).rows()) > 20
    assert same(loaded(file, state=state, games=300), table)
    position = ludo().position(KILL_OR_SAFETY)
    row = table.encoder.row(position.state)
    for better, name in enumerate(("t1_15x17", "t2_20to22")):
        table.values[row], table.visits[row] = [better == 0, better == 1, 9, 9], 1
        table.save(file)
        decision = agent(ludo(), f"tabular:{file}").explain(View(position, 0, players_dice(1, 0)))
        assert decision.name == name
        assert decision.notes["tuple"] == (5, 4, 0, 0, 2, 0, 1, 0, 0)


KILL_OR_SAFETY = "15,20,0,57/43,0,0,0 A2"


@pytest.fixture(scope="module")
def table_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table written by hand, which knows one position."""
    table, file = learner(), tmp_path_factory.mktemp("tables") / "table.npz"
    row = table.encoder.row(ludo().parse(KILL_OR_SAFETY))
    table.values[row], table.visits[row] = [0.0, 0.0, 7.0, 9.5], [0, 0, 60, 12]
    table.save(file)
    return file


def decided(file: Path, position: str, seed: int = 1) -> Any:
    at = ludo().position(position)
    return agent(ludo(), f"tabular:{file}").explain(View(at, 0, players_dice(seed, 0)))


def test_the_agent_tells_what_it_sees_and_its_values(table_file: Path) -> None:
    decision = decided(table_file, KILL_OR_SAFETY)
    assert decision.name == "t1_15x17"
    assert [candidate.score for candidate in decision.ranked] == [9.5, 7.0]
    assert "sees: P: kill, safety, null, null · leading · T: 0 1 0 0" in str(decision)
    assert "visits: 72" in str(decision)
    assert json.loads(json.dumps(decision.to_json()))["notes"]["tuple"] == [5, 4, 0, 0, 2, 0, 1, 0, 0]


def test_moves_that_look_alike_are_shuffled_by_the_players_own_dice(table_file: Path) -> None:
    names = {decided(table_file, "15,28,0,0/0,0,0,0 A1", seed).name for seed in range(20)}
    assert names == {"t1_15to16", "t2_28to29"}
    result = sparring.match(ludo(), f"tabular:{table_file}", "random", games=20)
    assert result.played == 20 and not any(result.failures().values())


def test_a_table_is_for_its_number_of_tokens_and_any_number_of_players(table_file: Path) -> None:
    assert agent(ludo(4), f"tabular:{table_file}").compiled_policy(ludo(4))
    with pytest.raises(SparringError, match="was learned with tokens 4, not 2; learn another one"):
        agent(ludo(2, 2), f"tabular:{table_file}")


def test_another_table_in_the_same_file_is_another_agent(table_file: Path, tmp_path: Path) -> None:
    hashes, table = [], learner()
    for done in (1, 2):
        table.values[done], table.visits[done] = done, 1
        table.save(tmp_path / "mine.npz")
        hashes.append(agent(ludo(), f"tabular:{tmp_path / 'mine.npz'}").sources)
    assert hashes[0] != hashes[1]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("tabular", "tabular needs a table"),
        ("tabular:nowhere.npz", "there is no file nowhere.npz"),
        ("tabular:combind", "unknown table of ludo 'combind'"),
    ],
)
def test_a_slip_in_the_name_of_a_table_is_told(spec: str, said: str) -> None:
    with pytest.raises(SparringError, match=said):
        agent(ludo(), spec)


def damaged(table: Path, damage: str, file: Path) -> None:
    """Write the rest of a damaged table, or something else that NumPy can read."""
    whole = table.read_bytes()
    third = len(whole) // 3
    flipped = whole[:third] + bytes(byte ^ 0x55 for byte in whole[third : third + 200]) + whole[third + 200 :]
    if raw := {"text": b"hello", "half": whole[: len(whole) // 2], "flipped": flipped}.get(damage):
        file.write_bytes(raw)
    elif damage == "npy":
        with file.open("wb") as out:
            np.save(out, np.zeros(3))
    else:
        other = {"rows": {"steps": np.array([10**6], np.uint32)}, "about": {"about": np.array("[]")}}[damage]
        np.savez(file, **{**np.load(table), **other})


@pytest.mark.parametrize("damage", ["text", "half", "flipped", "npy", "rows", "about"])
def test_a_file_that_is_no_table_is_told(damage: str, table_file: Path, tmp_path: Path) -> None:
    damaged(table_file, damage, tmp_path / "x.npz")
    with pytest.raises(SparringError, match="is no table of ludo"):
        agent(ludo(), f"tabular:{tmp_path}/x.npz")


@pytest.mark.parametrize(("name", "low", "high"), [("combined", 0.68, 0.75), ("zone_as_written", 0.23, 0.31)])
def test_the_tables_of_the_package_play_as_the_page_says(name: str, low: float, high: float) -> None:
    """Of 4000 games against three random, three standard deviations to either side and some more."""
    match = sparring.match(ludo(4), f"tabular:{name}", "random", "random", "random", games=4000)
    assert low < next(one.wins for one in match.placings if one.name != "random") < high


def test_the_tables_as_written_play_better_than_chance() -> None:
    """And the document's better than that of zones, which sees less of a move."""
    for name in ("zone_as_written", "combined_as_written", "potential_as_written"):
        (against_random,) = sparring.match(ludo(), f"tabular:{name}", "random", games=4000).pairings
        assert against_random.score.mean > 0.51
    (duel,) = sparring.match(ludo(), "tabular:potential_as_written", "tabular:zone_as_written", games=4000).pairings
    assert duel.score.mean > 0.52


def test_a_player_keeps_its_table_when_the_agent_is_gone() -> None:
    made = ludo(2)
    player = agent(made, "tabular:potential").compiled_policy(made)
    assert player
    at = player.holds.ctypes.data
    assert at == player.weights.tables[0] == table_address(player.holds)
    others = [np.full(len(player.holds), np.nan, np.float32) for _ in range(4)]
    assert at not in [other.ctypes.data for other in others]


def test_a_table_is_looked_up_row_by_row(tmp_path: Path) -> None:
    table = learned(games=300)
    table.save(tmp_path / "table.npz")
    kept, states = QTable.load(ludo(), tmp_path / "table.npz"), table.encoder.states
    numbers, pages = kept.numbers(), kept.pages
    rows = np.concatenate([kept.rows, kept.rows + 1, [0, states - 1]])
    for row in rows[rows < states].tolist():
        place = place_of_row(table_address(numbers), pages, row)
        assert (place >= 0) == bool(table.visits[row].any())
        first = pages + 1 + len(kept.rows) + 4 * place
        assert [value_at(table_address(numbers), first, place, move) for move in range(4)] == table.values[row].tolist()
        assert kept.visits_of(row) == table.visits[row].sum()


# The command


def test_the_command_learns_tells_and_draws(tmp_path: Path) -> None:
    words = ["learn", "ludo", "--players", 2, "--games", "40", "--trial-games", 10, "--out", tmp_path / "t.npz"]
    told = did(*words, "--state", "zone:corrected,keep=die", "--plot", tmp_path / "curve.svg")
    assert "zone:corrected,keep=die learned against random from 40 games" in told
    assert "40  " in told.splitlines()[-1]
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    stored = json.loads(did(*words, "--state", "zone:corrected,keep=die", "--json"))
    assert (stored["games"], len(stored["curve"]), stored["settings"]["games"]) == (40, 20, 40)


@pytest.mark.parametrize("options", [["--players", "2", "--tokens", "2"], ["--players", "3"], []])
def test_what_was_learned_can_be_played_as_the_command_says(options: list[str], tmp_path: Path) -> None:
    file = tmp_path / "t.npz"
    few = ["--games", "3", "--trial-games", "5"]  # each is kept, of millions of states
    for kind in (few, [*few, "--td", "linear"], [*few, "--td", "net", "--hidden", "4"]):
        told = spar("learn", "ludo", *options, *kind, "--out", file).err.splitlines()[-1]
        assert told.startswith("play it: spar match ludo")
        did(*told.split()[3:], "--games", "12", "--store", tmp_path / "games.db")
        file.unlink()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "table"], "--out must look like table.npz, not 'table'"),
        (["--out", "a,b.npz"], "--out must look like table.npz"),
        (["--out", "t.npz", "--plot", "t.gif"], "--plot draws a file .svg or .png, not t.gif"),
        (["--out", "t.npz", "--plot", "t.svg", "--trial-games", "0"], "leave --trial-games 0 out"),
        (["--out", "t.npz", "--players", "7"], "players must be a number"),
        (["--out", "t.npz", "--seed", str(10**20)], "--seed must be a whole number from 0 to 1000000000000"),
    ],
)
def test_slips_that_are_told_before_anything_is_learned(words: list[str], said: str) -> None:
    answer = spar("learn", "ludo", *words)
    assert answer.code == 2 and said in answer.err and answer.err.count("\n") == 1


# The plain twin


def transcript() -> list[Any]:
    """The tables of two short courses, as bytes in hexadecimal."""
    told: list[Any] = [compiled_mode()]
    for state in ("potential:as_written", "combined:corrected"):
        table = QLearner(ludo(2, 2), QSettings(state=state, games=3, alpha="1/n:0.1", epsilon="0.3:0.1", trial_games=2))
        learn(table)
        rows = table.rows()
        told.append([rows.tolist(), table.values[rows].tobytes().hex(), table.visits[rows].tolist()])
    return told


def test_the_plain_twin_learns_the_same_table_bit_for_bit() -> None:
    assert uncompiled(__file__) == [False, *transcript()[1:]]


def test_the_help_tells_what_is_assumed() -> None:
    told = " ".join(spar("learn", "--help").out.split())
    for name, assumed in asdict(QSettings(state="the game's", reward="the game's")).items():
        if name != "seed":
            option = f"--{name.replace('_', '-')}"
            assert re.search(rf"{option} [^\[]*\[default: {re.escape(str(assumed))}[;\]]", told), option
    assert f"--td {TdSettings.games}]" in told
    assert f"--td {TdSettings.alpha}]" in told
    assert f"--td {TdSettings.trial_games}]" in told
    assert f"--trace FLOAT The lambda of --td. [default: {TdSettings.trace}]" in told
    assert f"--hidden N Hidden units of --td net. [default: {DEFAULT_HIDDEN}]" in told


if __name__ == "__main__":
    print(json.dumps(transcript()))
