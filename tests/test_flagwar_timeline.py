"""The timeline of Flag War: real ends with their reasons, and predictions beside what came."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

import sparring
from commands import at_home, did, spar
from flagwar_situations import USERS_FILE, Situation, as_orders, decided, made, ordered, situations
from pages import Page
from sparring.agents.decision import Candidate, Decision
from sparring.agents.spec import heuristics
from sparring.arena.referee import PlayedGame, play
from sparring.core.errors import SparringError
from sparring.games.contract import Position
from sparring.games.flagwar.board import pieces_of
from sparring.games.flagwar.picture import middle, round_svg
from sparring.games.flagwar.timeline import RoundReport, Timeline, read, timeline
from sparring.games.flagwar.timeline_page import page
from sparring.games.flagwar.trace import trace_round
from sparring.games.replay import Turn

EVIL = "<script>alert(1)</script> \"&'"


def as_played(
    start: str, *rounds: str, notes: dict[int, dict[str, Any]] | None = None, agents: tuple[str, str] = ("one", "two")
) -> PlayedGame:
    """A game from orders such as `A1d3 B2r1`, with decisions of the players that have notes."""
    position, turns, decisions = made().position(start), [], []
    for orders in rounds:
        actions = dict(enumerate(ordered(position.state, orders)))
        for player, action in actions.items():
            turns.append(Turn(player, made().action_name(position.state, player, action), action))
            decisions += [decision(position, player, action, notes[player], agents[player])] if notes else []
        position = position.after(actions)
    text = made().position(start).text
    scores = position.outcome or (0.5, 0.5)
    return PlayedGame("flagwar", {}, 1, agents, text, tuple(turns), scores, "over", decisions=tuple(decisions))


def decision(position: Position, player: int, action: int, notes: dict[str, Any], agent: str) -> dict[str, Any]:
    weights = {term: weight.default for term, weight in heuristics(made())["detailed_corrected"].weights.items()}
    others = Candidate(action, 40.0), Candidate(position.action("1u1", player), 30.0)
    return Decision(agent, position, player, action, others, seconds=0.002, weights=weights, notes=notes).to_json()


def rounds(start: str, *orders: str) -> tuple[RoundReport, ...]:
    return timeline(as_played(start, *orders)).rounds


NEIGHBOURS, CROSSING = ("A1:3,8 B1:4,7", "A1r6 B1u3"), ("A1:3,9 B1:3,6", "A1d4 B1u4")
CUT = ("A1:4,8 A2:8,9 A3:0,7 B1:4,3 B2:1,5 B3:9,2", "A1d6 A2l5 A3l4 B2r3")
PUT_OUT, BOUNCE = ("A1:5,8 A2:5,9 A3:6,9 B1:5,10+flag", "B1d5"), {"swap": "bounce"}
TRACES: dict[str, tuple[Any, ...]] = {
    "jailed on the way": (CUT, "A1 down 6: planned (4,2), actual (4,5) X, jailed by contact with B2 at (4,5), tick 3"),
    "cut by the own zone": (CUT, "A2 left 5: planned (7,9) [own zone], actual (7,9), done"),
    "cut by the edge": (CUT, "A3 left 4: planned (0,7) [edge], actual (0,7), done"),
    "stays": (CUT, "B1 stay: planned (4,3), actual (4,3), stays"),
    "stops": (NEIGHBOURS, "A1 right 6: planned (9,8), actual (4,8), contact with B1 at (4,8), tick 1"),
    "jailed in a crossing": (
        CROSSING,
        "B1 up 4: planned (3,10), actual (3,7) X, jailed by contact with A1 in crossing from (3,7), tick 2",
    ),
    "bounces": (CROSSING, "B1 up 4: planned (3,10), actual (3,7), bounced off A1, tick 2", BOUNCE),
    "put out of its zone": (PUT_OUT, "A2 stay: planned (5,9), actual (5,8), stays; put out of its zone"),
}


@pytest.mark.parametrize("case", TRACES)
def test_a_trace_shows_the_real_end_and_why(case: str) -> None:
    (position, orders), expected, *options = TRACES[case]
    game = made(**dict(*options))
    s = game.parse(position)
    assert expected in map(str, trace_round(game, s, dict(enumerate(ordered(s, orders)))).pieces)


def test_jailed_pieces_keep_the_cell_where_they_were_caught_until_they_are_freed() -> None:
    caught, later, freed, home = rounds("A1:4,8 A3:9,3 B1:4,2", "A1d3 B1u3", "A1u2", "A3d2", "A3d1")
    assert str(caught.trace.pieces[0]).startswith("A1 down 3: planned (4,5), actual (4,5) X, jailed")
    assert str(later.trace.pieces[0]) == "A1 up 2: actual (4,5) X, in jail"
    assert str(freed.trace.pieces[0]) == "A1 stay: actual (4,8), in jail; freed"
    assert freed.trace.happened == ["A3 uses A's key at (9,1)", "A1 is freed and stands at (4,8)"]
    assert str(home.trace.pieces[2]) == "A3 down 1: planned (6,7), actual (6,7), reset to (6,8); done"
    assert home.trace.pieces[2].began == (9, 1)


def test_events_tell_flags_zones_and_the_score() -> None:
    taken, scored = rounds("A1:0,0 B1:5,2 B2:6,2 B3:10,2", "A1r5", "A1u10 B1r9 B2r9")
    assert taken.trace.happened == ["A1 takes B's flag at (5,0)", "B's zone is off"]
    assert scored.trace.happened == ["A1 brings B's flag home to (5,10)", "A has won"]
    lost = rounds("A1:5,1+flag B1:5,4", "A1u1 B1d2")[0]
    assert lost.trace.happened[1:] == ["B's flag is at home again", "B's zone is on"]


@settings(max_examples=30, deadline=None)
@given(situations())
def test_the_trace_of_any_round_is_what_the_rules_did(situation: Situation) -> None:
    game, position, orders = situation
    s = game.parse(position)
    actions = dict(enumerate(ordered(s, as_orders(orders))))
    told = trace_round(game, s, actions)
    events = game.play_round(s, actions)
    assert [*told.events] == events
    assert told.after.tobytes() == s.tobytes()
    for track in told.pieces:
        where = pieces_of(s, track.side)[track.piece]
        assert track.in_jail == (where is None)
        if where is not None:
            assert track.end == where
        elif track.jailed is not None:
            assert track.end == track.path[-1]
    ElementTree.fromstring(round_svg(told))


PREDICTS = {0: {"predicted": "1u3", "evaluations": 110, "mix": {"1d3": 0.625, "stay": 0.375}}, 1: {"predicted": "stay"}}


def test_a_prediction_that_holds_is_what_came() -> None:
    (told,) = timeline(as_played("A1:4,8 B1:4,2", "A1d3 B1u3", notes=PREDICTS)).rounds
    first, second = told.decisions
    assert first.predicted == "predicted B1 up 3 to (4,5) X: right"
    assert first.evaluation.predicted == first.evaluation.actual
    assert second.predicted == "predicted all stay: it was 1d3"
    assert first.lines[0] == "110 evaluations, 2.0 ms · runner-up 1u1 (+30) · mix 1d3 62 %, stay 38 %"


def test_a_prediction_is_right_if_it_has_the_same_effect() -> None:
    """The edge is three steps away from B1, and B2's zone is ahead of it."""
    notes = {0: {"predicted": "1u3_2d31"}, 1: {"predicted": "1d4_2u1"}}
    for orders, endings in (("A1d4 B1u31", [": right"] * 2), ("A1d4 B1u2", [": it was 1u2", ": right"])):
        (told,) = timeline(as_played("A1:4,8 B1:4,7 B2:5,2", orders, notes=notes)).rounds
        assert [one.predicted.endswith(end) for one, end in zip(told.decisions, endings, strict=True)] == [True, True]


def test_predicted_and_actual_deltas_stand_side_by_side_and_differing_rows_are_marked() -> None:
    (told,) = timeline(as_played("A1:4,8 B1:4,2", "A1d3", notes=PREDICTS)).rounds
    lines = str(told).splitlines()
    assert "A one: before +0, predicted +0 (delta +0), actual +0 (delta +0) by detailed_corrected" in lines
    (told,) = timeline(as_played("A1:4,8 B1:4,2", "A1d8 B1l1 B2l1", notes={0: {}, 1: PREDICTS[1]})).rounds
    second = told.decisions[1].evaluation
    assert second.scores == "before +0, predicted +0 (delta +0), actual +1,200 (delta +1,200)"
    marked = [line.split() for line in str(told).splitlines() if line.startswith("  !")]
    assert marked == [["!", "pieces", "+0", "+200"], ["!", "captures", "+0", "+1,000"]]


def test_scores_that_an_agent_notes_are_those_of_the_timeline() -> None:
    """With captures in earlier rounds, which count only once."""
    players = [sparring.agent(made(), spec) for spec in ("repo64", "random")]
    told = timeline(play(made(), players, 0, decisions=True)).rounds
    assert any("is jailed by A" in event for one in told[:-1] for event in one.trace.happened)
    notes = [note for one in told for thought in one.decisions for note in thought.notes]
    assert not [note for note in notes if note.startswith(("score", "predicted score", "delta"))]


def test_gains_are_those_over_staying_whatever_a_command_has_to_beat() -> None:
    """Here it has to be better than now, and no command of piece 2 is, because piece 1 is caught if it stays."""
    found = decided("seed,keep=baseline", "A1:5,3 B1:5,5 B2:0,0 B3:1,0")
    assert found.notes["pieces"]["2"] == {"delta": 0, "runner_up": "2l4", "runner_up_delta": 700}


def test_agents_that_choose_piece_by_piece_show_a_gain_and_a_runner_up_for_each_piece() -> None:
    taken = [decided(spec, "A1:3,8", side) for side, spec in enumerate(("seed", "repo64"))]
    turns = tuple(Turn(one.player, one.name, one.action) for one in taken)
    kept, start = tuple(one.to_json() for one in taken), taken[0].position.text
    told = timeline(PlayedGame("flagwar", {}, 1, ("seed", "repo64"), start, turns, (0.5, 0.5), "", decisions=kept))
    (first,) = told.rounds
    assert first.head[-2:] == ["delta", "runner-up"]
    beside = {row[0]: row[5:7] for row in first.rows}
    assert [beside["A1"], beside["B1"]] == [["+1,700", "1d8 +500"], ["+1,500", "1l1 +1,700"]]
    assert beside["B3"] == ["+1,700", "stay +0"]
    assert not any("runner-up" in line for one in first.decisions for line in one.lines)


def test_an_evaluator_of_a_user_is_named_as_not_available(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, USERS_FILE)
    players = [sparring.agent(made(), spec) for spec in ("matrix:mine.py:leftmost,size=4", "matrix,size=4")]
    first = str(timeline(play(made(), players, 1, decisions=True)).rounds[0])
    users, own = (line for line in first.splitlines() if line[:8] in ("A matrix", "B matrix"))
    assert users.endswith(" by detailed_corrected, for the agent has an evaluator that is not available")
    assert " · score 0 · predicted score " in first
    assert own.endswith(" by raid")


@pytest.mark.parametrize("predicted", [None, "jump", {"1u3": 0.5}])
def test_notes_of_another_form_are_shown_as_they_are(predicted: Any) -> None:
    odd = {"predicted": predicted, "delta": [1.5, {"B1": 2}], "why": "a\nb", "pieces": {"1": predicted, "2": {}}}
    notes = dict.fromkeys((0, 1), odd)
    (told,) = timeline(as_played("", "A1d1", notes=notes)).rounds
    assert told.decisions[0].expected is None
    assert "delta 1.5, B1 2 · why a b" in str(told)


def test_without_decisions_every_round_still_has_its_score() -> None:
    told = rounds("A1:5,5 B1:5,7", "A1u2", "")
    assert "worth to A: before +0, actual +1,200 (delta +1,200)\n  pieces +200, captures +1,000" in str(told[0])
    assert "worth to A: before +200, actual +200 (delta +0)" in str(told[1])


@pytest.fixture
def whole() -> Timeline:
    """A game with contacts, a rescue, a reset, a flag that returns, and a score."""
    orders = "A1d3 B1u3", "A3d2", "A2l5 B2u3", "A2d8 B2u9", "A2r5", "A2l9 B3u2", "A2u10"
    agents = (EVIL, "two")
    return timeline(as_played("A1:4,8 A3:9,3 B1:4,2", *orders, notes=PREDICTS, agents=agents))


def test_json_lines_replay_to_the_same_events(whole: Timeline, tmp_path: Path) -> None:
    whole.write(tmp_path / "game.jsonl")
    again = read(tmp_path / "game.jsonl")
    assert [told.trace.events for told in again.rounds] == [told.trace.events for told in whole.rounds]
    assert str(again) == str(whole)
    lines = [json.loads(line) for line in (tmp_path / "game.jsonl").read_text().splitlines()]
    assert lines[1]["tracks"][0]["why"] == "jailed by contact with B1 at (4,5), tick 3"
    evaluation = whole.rounds[0].decisions[0].evaluation.to_json()
    assert lines[1]["judgements"][0]["delta_actual"] == evaluation["delta_actual"]


def test_json_lines_with_other_events_are_refused(whole: Timeline, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    whole.write(file)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1].replace('"1d3"', '"1d2"', 1), *lines[2:]]))
    with pytest.raises(SparringError, match="round 1 does not come out as it was written"):
        read(file)
    for broken in ("", "[]", "no JSON", f"{lines[0]}\n[]", lines[0].replace("[", "7, [", 1)):
        file.write_text(broken)
        with pytest.raises(SparringError, match="is no timeline"):
            read(file)


def test_the_page_stands_alone_and_escapes_names(whole: Timeline) -> None:
    shown = Page(page(whole))
    shown.check_that_it_stands_alone()
    assert shown.texts("h1") == [f"Flag War: {EVIL} v two"]
    assert {f"round-{told.number}" for told in whole.rounds} <= {one.get("id") for one in shown.all("section")}
    assert len(shown.all("svg")) == len(whole.rounds) + 1
    assert "wall ≠" in shown.texts("th")


def test_the_picture_draws_commands_dashed_walks_full_and_jailings_with_their_ticks() -> None:
    (told,) = rounds("A1:4,8 B1:4,2 B2:1,5", "A1d6 B2r3")
    picture = ElementTree.fromstring(round_svg(told.trace))
    s, name = told.trace.before, "{http://www.w3.org/2000/svg}"
    way = next(group for group in picture.iter(f"{name}g") if str(group.findtext(f"{name}title")).startswith("A1 down"))
    intended, _, walked = way.findall(f"{name}line") + way.findall(f"{name}polyline")
    down = [int(intended.get(at, "")) for at in ("y1", "y2")]
    assert down[1] - down[0] == middle(s, (4, 2))[1] - middle(s, (4, 8))[1]
    assert intended.get("stroke-dasharray")
    assert len(walked.get("points", "").split()) == 4  # three steps
    assert not walked.get("stroke-dasharray")
    assert [text.text for text in picture.iter(f"{name}text") if text.get("font-size") == "12"] == ["3", "3"]


def test_marks_belong_to_the_player_of_the_decision() -> None:
    position = made().start()
    for player, point in ((0, (4, 8)), (1, (4, 2))):
        picture = Decision("me", position, player, position.action("1l2", player)).svg()
        (line,) = ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}line")
        assert (int(line.get("x1", "")), int(line.get("y1", ""))) == middle(position.state, point)


@pytest.mark.slow
def test_the_command_shows_kept_and_saved_games_and_its_own_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(tmp_path, monkeypatch, USERS_FILE)
    did("match", "flagwar", "mine.py:charges", "still", "--games", 2, "--decisions", "--save", "games.txt")
    kept = did("timeline", "last", "--game", 2)
    assert kept.startswith("A is still B is mine.py:charges\n")
    assert "B mine.py:charges: before +0, actual" in kept
    assert "worth to A: before +0" in did("timeline", "games.txt", "--game", 2)
    assert did("timeline", "last", "--game", 2, "--html", "page.html", "--jsonl", "game.jsonl") == ""
    assert did("timeline", "game.jsonl") == kept
    assert did("replay", "game.jsonl") == did("replay", "last", "--game", 2)
    Page((tmp_path / "page.html").read_text()).check_that_it_stands_alone()


def test_the_command_refuses_what_it_cannot_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, USERS_FILE)
    did("match", "isolation", "random", "open,depth=1", "--board", "4x4", "--games", 2, "--save", "isolation.txt")
    (tmp_path / "bad.jsonl").write_text("{}")
    for words, message in [
        (("isolation.txt",), "timelines are of games of flagwar, not of isolation; `spar replay` shows this one"),
        (("isolation.txt", "--game", 3), "has games 1 to 2; game 3 does not exist"),
        (("none.jsonl",), "no file none.jsonl"),
        (("bad.jsonl",), "bad.jsonl is no timeline"),
        (("bad.jsonl", "--game", 2), "has one game; game 2 does not exist"),
        (("isolation.txt", "--html", "nowhere/page.html"), "cannot write nowhere/page.html"),
    ]:
        said = spar("timeline", *words)
        assert (said.code, message in said.err) == (2, True), said
