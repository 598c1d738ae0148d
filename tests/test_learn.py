"""Learning: Q-learning in step with the algorithm in plain Python, rewards by stories, learning that survives a kill,
settings, files, and the agent that plays by a table. test_ludo_value.py has the mathematics of TD(lambda)."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import did, spar
from sparring.agents.agent import View
from sparring.agents.q_table import QTable, place_of_row, value_at
from sparring.agents.spec import agent
from sparring.core.dice import Dice, players_dice, seed_dice_plain, throw
from sparring.core.errors import SparringError
from sparring.core.kernel import record, table_address
from sparring.games.ludo.features import CONTEXT
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.rewards import OUT, REWARDS, STEPS, pay_others, pay_own
from sparring.games.registry import game
from sparring.learning.learner import Learner, Schedule, Trial, learn, schedule, scheduled
from sparring.learning.qlearning import Pending, QLearner, QSettings
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
    learn(made := learner(**changes), file)
    return made


def loaded(file: Path, **changes: Any) -> QLearner:
    """A learner as far as its file."""
    made = learner(**changes)
    made.resume(file)
    return made


def same(one: QLearner, other: QLearner) -> bool:
    tables = np.array_equal(one.values, other.values) and np.array_equal(one.visits, other.visits)
    return tables and one.done == other.done and one.curve == other.curve


# The algorithm


@pytest.mark.parametrize(
    ("state", "against", "alpha"),
    [
        ("combined:corrected", "random", "0.5:0.1"),
        ("combined:as_written,unsorted", "self", "0.5:0.1"),
        ("combined:corrected", "self", "1/n:0.3"),
    ],
)
def test_the_compiled_loop_learns_what_the_algorithm_in_python_learns(state: str, against: str, alpha: str) -> None:
    given = QSettings(state=state, games=6, against=against, gamma=0.5, alpha=alpha, epsilon="0.3", trial_games=0)
    table = QLearner(ludo(2, 2), given)
    expected, visits = plain_learning(table)
    learn(table)
    assert table.visits.sum() == visits.total() and max(visits.values()) > 3
    for (row, place), value in expected.items():
        assert table.values[row, place] == pytest.approx(value, rel=1e-4, abs=1e-4)
        assert table.visits[row, place] == visits[row, place]


def plain_learning(learner: QLearner) -> tuple[dict[tuple[int, int], float], Counter[tuple[int, int]]]:
    """The same games of two with two tokens, from the same dice, by the words of the algorithm: values and visits."""
    course, abstraction, made = learner.config, learner.encoder, ludo(2, 2)
    q, visits = dict[tuple[int, int], float](), Counter[tuple[int, int]]()

    def move_towards(decision: tuple[int, int], target: float) -> None:
        visits[decision] += 1
        alpha = 0.5 + (0.1 - 0.5) * number / course.games
        if course.alpha == "1/n:0.3":
            alpha = max(0.3, 1 / visits[decision])
        q[decision] = q.get(decision, 0.0) + alpha * (target - q.get(decision, 0.0))

    for number in range(course.games):
        referee_dice, own, foil = (stream(course.seed, 3 * number + place) for place in range(3))
        state, last, reward = made.new(0), {}, {0: 0.0, 1: 0.0}
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
                    move_towards(last[me], reward[me] + 0.5 * best)
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
            move_towards(decision, reward[seat])
    return q, visits


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


# Rewards


def paid(reward: str, position: str, context: int, before: str = "") -> float:
    """What the first token's move is worth to A, or what others did to A since its move in a position before."""
    state, pending = ludo().parse(position), record(Pending)
    own = (ludo().parse(before) if before else state).at[0]
    pending.memory[[STEPS, OUT, CONTEXT]] = own.sum(), (own > 0).sum(), context
    if before:
        pay_others(state, 0, REWARDS[reward], pending)
    else:
        pay_own(state, ludo().after_move(state, 0), 0, 0, REWARDS[reward], pending)
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
    assert [paid(reward, position, context) for context in range(3)] == pytest.approx(points)


@pytest.mark.parametrize(
    ("reward", "points"),
    [("progress", [-47] * 3), ("shaped", [-20] * 3), ("sparse", [0] * 3), ("contextual", [-10, -20, -30])],
)
def test_a_token_lost_to_others_is_paid_with_the_decision_before(reward: str, points: list[float]) -> None:
    """B sends a token of A home that had made 17 steps."""
    before, after = "17,20,0,0/0,0,0,0 A2", "0,20,0,0/43,0,0,0 A2"
    assert [paid(reward, after, context, before) for context in range(3)] == points


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


def test_a_schedule_that_cannot_be_read_is_told() -> None:
    for text in ("much", "0.1*0.9", "2", "0.1:", "-0.1", "0.1:0.2:0.3", ""):
        with pytest.raises(SparringError, match="alpha must be"):
            schedule("alpha", text)


# Learning


def test_learning_makes_a_better_player() -> None:
    table = learned(games=4000, state="potential:corrected", gamma=0.0, alpha="1/n:0.01", trial_games=200)
    assert table.curve[-1].low > 0.6
    assert [trial.games for trial in table.curve] == list(range(200, 4001, 200))


def test_opponents_may_be_any_compiled_agent_or_the_learner_itself() -> None:
    tables = [learned(against=against, games=20) for against in ("random", "self", "one_ply", "expectimax:cautious")]
    tables.append(learned(games=20, seed=2))
    assert all(len(table.rows()) > 20 for table in tables)
    assert len({table.values.tobytes() for table in tables}) == 5  # the depth of expectimax and the seed count


@pytest.mark.parametrize(("players", "tokens"), [(3, 4), (4, 1)])
def test_any_number_of_players_and_tokens(players: int, tokens: int) -> None:
    table = QLearner(ludo(players, tokens), QSettings(**{**QUICK, "games": 20}))
    learn(table)
    assert (len(table.rows()) > 5) == (tokens > 1)  # with one token there is nothing to decide


def value(**given: Any) -> TdLearner:
    return TdLearner(ludo(), TdSettings(**{"td": "net", "hidden": 8, "games": 200, "trial_games": 0, **given}))


def numbers(made: Learner) -> dict[str, Any]:
    return {name: np.asarray(array).tolist() for name, array in made.numbers().items()}


@pytest.mark.parametrize("made", [learner, value])
def test_interrupted_learning_resumes_to_the_same_file(made: Callable[[], Learner], tmp_path: Path) -> None:
    """Python notices Ctrl-C when compiled code returns, before it can store what that has done."""
    file, whole, seen, started = tmp_path / "parts.npz", made(), list[int](), made()
    play = started.play

    def interrupted(last: int, training: Any) -> None:
        play(last, training)
        if last >= whole.config.games / 2:
            raise KeyboardInterrupt

    started.play = interrupted  # type: ignore[method-assign, assignment]
    half = learn(started, file)
    assert half.interrupted and whole.config.games / 2 <= half.learner.done < whole.config.games
    learn(whole)
    rest = learn(made(), file, lambda done, *_: seen.append(done)).learner
    assert half.learner.done < seen[0]
    assert numbers(rest) == numbers(whole)
    resumed, before = made(), file.read_bytes()
    learn(resumed, file, lambda *_: seen.clear())  # nothing is left to do
    assert seen and numbers(resumed) == numbers(whole) and file.read_bytes() == before


def test_learning_interrupted_in_a_trial_makes_up_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupts, tried, file = [30, 60], QLearner.trial, tmp_path / "table.npz"

    def stopped(self: QLearner, games: int) -> Trial:
        if self.done in interrupts:
            interrupts.remove(self.done)
            raise KeyboardInterrupt
        return tried(self, games)

    monkeypatch.setattr(QLearner, "trial", stopped)
    for done in (30, 60):
        assert learn(learner(trial_games=10), file).interrupted
        assert loaded(file, trial_games=10).done == done
    assert same(learned(file, trial_games=10), learned(trial_games=10))
    assert same(loaded(file, trial_games=10), learned(trial_games=10))


def test_a_table_is_tried_out_twenty_times_at_most_and_at_the_end() -> None:
    for games, first, trials in ((10, 1, 10), (39, 2, 20), (210, 11, 20)):
        curve = learned(games=games, trial_games=1).curve
        assert (curve[0].games, curve[-1].games, len(curve)) == (first, games, trials)


def test_learning_that_was_killed_resumes_from_the_last_twentieth_to_the_same_table(tmp_path: Path) -> None:
    def die(done: int, total: int, known: str) -> None:
        if done > 70:
            raise SystemExit

    file = tmp_path / "table.npz"
    with pytest.raises(SystemExit):
        learn(learner(games=200, trial_games=10), file, die)
    assert loaded(file, games=200, trial_games=10).done == 70
    assert same(learned(file, games=200, trial_games=10), learned(games=200, trial_games=10))


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


# Settings

TABLE, VALUE = {"state": "potential", "games": 5, "trial_games": 0}, {"td": "linear"}


@pytest.mark.parametrize(
    ("settings", "slip"),
    [
        ({**TABLE, "games": 10.5}, "games must be a whole number from 1"),
        ({**TABLE, "games": True}, "games must be a number"),
        ({**TABLE, "seed": 10**13}, "seed must be a whole number from 0"),
        ({**TABLE, "trial_games": -1}, "trial_games must be a whole number from 0"),
        ({**VALUE, "games": 0}, "games must be a whole number from 1"),
        ({**VALUE, "seed": -1}, "seed must be a whole number from 0"),
        ({**VALUE, "trial_games": -1}, "trial_games must be a whole number from 0"),
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
    with pytest.raises(SparringError, match="was learned with tokens 4, not 2; learn another one"):
        agent(ludo(2, 2), f"tabular:{table_file}")


def test_moves_that_look_alike_are_shuffled_by_the_players_own_dice(table_file: Path) -> None:
    names = {decided(table_file, "15,28,0,0/0,0,0,0 A1", seed).name for seed in range(20)}
    assert names == {"t1_15to16", "t2_28to29"}
    result = sparring.match(ludo(), f"tabular:{table_file}", "random", games=20)
    assert result.played == 20 and not any(result.failures().values())


def test_a_name_or_a_file_without_a_table_is_told(table_file: Path, tmp_path: Path) -> None:
    """A text, half a table, one with flipped bits, an array, a row that no state has, and no settings."""
    whole, file = table_file.read_bytes(), tmp_path / "x.npz"
    third, array = len(whole) // 3, io.BytesIO()
    np.save(array, np.zeros(3))
    flipped = whole[:third] + bytes(byte ^ 0x55 for byte in whole[third : third + 200]) + whole[third + 200 :]
    for spec, said in (
        ("tabular", "tabular needs a table"),
        ("tabular:nowhere.npz", "there is no file nowhere.npz"),
        ("tabular:combind", "unknown table of ludo 'combind'"),
    ):
        with pytest.raises(SparringError, match=said):
            agent(ludo(), spec)
    damaged = [b"hello", whole[: len(whole) // 2], flipped, array.getvalue()]
    for other in ({"steps": np.array([10**6], np.uint32)}, {"about": np.array("[]")}):
        np.savez(file, **{**np.load(table_file), **other})
        damaged.append(file.read_bytes())
    for content in damaged:
        file.write_bytes(content)
        with pytest.raises(SparringError, match="is no table of ludo"):
            agent(ludo(), f"tabular:{file}")


@pytest.mark.parametrize(("name", "low", "high"), [("combined", 0.67, 0.76), ("zone_as_written", 0.22, 0.32)])
def test_the_tables_of_the_package_play_as_the_page_says(name: str, low: float, high: float) -> None:
    """Of 1000 games against three random, three standard deviations to either side."""
    match = sparring.match(ludo(4), f"tabular:{name}", "random", "random", "random", games=1000)
    assert low < next(one.wins for one in match.placings if one.name != "random") < high


def test_the_tables_as_written_play_better_than_chance() -> None:
    """And the document's better than that of zones, which sees less of a move."""
    for name, games in (("zone_as_written", 1000), ("combined_as_written", 4000), ("potential_as_written", 1000)):
        (against_random,) = sparring.match(ludo(), f"tabular:{name}", "random", games=games).pairings
        assert against_random.score.mean > 0.51
    (duel,) = sparring.match(ludo(), "tabular:potential_as_written", "tabular:zone_as_written", games=1000).pairings
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


# The command


def test_the_command_learns_tells_and_draws(tmp_path: Path) -> None:
    words = ["learn", "ludo", "--players", 2, "--games", "40", "--trial-games", 10, "--out", tmp_path / "t.npz"]
    told = did(*words, "--state", "zone:corrected,keep=die", "--plot", tmp_path / "curve.svg")
    assert "zone:corrected,keep=die learned against random from 40 games" in told
    assert "40  " in told.splitlines()[-1]
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    stored = json.loads(did(*words, "--state", "zone:corrected,keep=die", "--json"))
    assert (stored["games"], len(stored["curve"]), stored["settings"]["games"]) == (40, 20, 40)


@pytest.mark.parametrize(
    "options", [["--players", 2, "--tokens", 2], ["--players", 3, "--td", "linear"], ["--td", "net", "--hidden", 8]]
)
def test_what_was_learned_can_be_played_as_the_command_says(options: list[Any], tmp_path: Path) -> None:
    few = ["--games", 3, "--trial-games", 5, "--out", tmp_path / "t.npz"]
    told = spar("learn", "ludo", *options, *few).err.splitlines()[-1]
    assert told.startswith("play it: spar match ludo")
    did(*told.split()[3:], "--games", 12, "--store", tmp_path / "games.db")


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


# The plain twin and the help


def transcript() -> list[Any]:
    """The table after a few games, as bytes in hexadecimal."""
    given = QSettings(state="combined:corrected", games=3, alpha="1/n:0.1", epsilon="0.3:0.1", trial_games=2)
    table = QLearner(ludo(2, 2), given)
    learn(table)
    rows = table.rows()
    return [rows.tolist(), table.values[rows].tobytes().hex(), table.visits[rows].tolist()]


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
