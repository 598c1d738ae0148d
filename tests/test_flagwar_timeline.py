"""The timeline of Flag War shows what the rules did: real ends with their reasons, predictions beside what came."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

import sparring
from commands import at_home, did, spar
from flagwar_situations import Situation, as_orders, made, ordered, situations
from pages import Page
from sparring.agents.agent import View
from sparring.agents.decision import Candidate, Decision
from sparring.agents.spec import heuristics
from sparring.arena import gametext
from sparring.arena.referee import PlayedGame, play
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.games.contract import Position
from sparring.games.flagwar.account import account
from sparring.games.flagwar.board import pieces_of
from sparring.games.flagwar.picture import middle, round_svg
from sparring.games.flagwar.timeline.html import page
from sparring.games.flagwar.timeline.timeline import RoundTold, Timeline, read, timeline
from sparring.games.replay import Turn

EVIL = "<script>alert(1)</script> \"&'"
USERS_FILE = """
from sparring import agent


@agent("flagwar")
def charges(view):
    return "1d31_2l3" if view.me == 0 else "1r31_3u8"
"""


def tracks(position: str, orders: str, **options: str) -> dict[str, str]:
    """What a round's account says of each piece, by its name."""
    game = made(**options)
    s = game.parse(position)
    told = account(game, s, dict(enumerate(ordered(s, orders))))
    return {track.name: str(track) for track in told.tracks}


def as_played(
    start: str, *rounds: str, notes: dict[int, dict[str, Any]] | None = None, agents: tuple[str, str] = ("one", "two")
) -> PlayedGame:
    """A game from orders such as `A1d3 B2r1`, with decisions of the players of whom there are notes."""
    position, turns, decisions = made().position(start), [], []
    for orders in rounds:
        actions = dict(enumerate(ordered(position.state, orders)))
        for player, action in actions.items():
            turns.append(Turn(player, made().action_name(position.state, player, action), action))
            decisions += [decided(position, player, action, notes[player], agents[player])] if notes else []
        position = position.after(actions)
    text = made().position(start).text
    scores = position.outcome or (0.5, 0.5)
    return PlayedGame("flagwar", {}, 1, agents, text, tuple(turns), scores, "over", decisions=tuple(decisions))


def decided(position: Position, player: int, action: int, notes: dict[str, Any], agent: str) -> dict[str, Any]:
    weights = {term: weight.default for term, weight in heuristics(made())["detailed_corrected"].weights.items()}
    others = Candidate(action, 40.0), Candidate(position.action("1u1", player), 30.0)
    return Decision(agent, position, player, action, others, seconds=0.002, weights=weights, notes=notes).to_json()


def rounds(start: str, *orders: str) -> tuple[RoundTold, ...]:
    return timeline(as_played(start, *orders)).rounds


# What each piece did


def test_a_command_cut_by_the_own_zone_or_a_contact_shows_the_real_end_and_why() -> None:
    told = tracks("A1:4,8 A2:8,9 A3:0,7 B1:4,3 B2:1,5 B3:9,2", "A1d6 A2l5 A3l4 B2r3")
    assert told["A1"] == "A1 down 6: planned (4,2), actual (4,5) X, jailed by contact with B2 at (4,5), tick 3"
    assert told["A2"] == "A2 left 5: planned (7,9) [own zone], actual (7,9), done"
    assert told["A3"] == "A3 left 4: planned (0,7) [edge], actual (0,7), done"
    assert told["B1"] == "B1 stay: planned (4,3), actual (4,3), stays"


def test_who_holds_its_ground_stops_at_the_contact() -> None:
    told = tracks("A1:3,8 B1:4,7", "A1r6 B1u3")
    assert told["A1"] == "A1 right 6: planned (9,8), actual (4,8), contact with B1 at (4,8), tick 1"
    assert told["B1"] == "B1 up 3: planned (4,10), actual (4,8) X, jailed by contact with A1 at (4,8), tick 1"


def test_a_crossing_is_told_by_where_they_came_from() -> None:
    told = tracks("A1:3,9 B1:3,6", "A1d4 B1u4")
    assert told["A1"] == "A1 down 4: planned (3,5), actual (3,8), contact with B1 in crossing from (3,8), tick 2"
    assert told["B1"].endswith("actual (3,7) X, jailed by contact with A1 in crossing from (3,7), tick 2")
    bounced = tracks("A1:3,9 B1:3,6", "A1d4 B1u4", swap="bounce")
    assert bounced["B1"] == "B1 up 4: planned (3,10), actual (3,7), bounced off A1, tick 2"


def test_who_stands_in_a_zone_that_comes_on_is_put_out_of_it() -> None:
    told = tracks("A1:5,8 A2:5,9 A3:6,9 B1:5,10+flag", "B1d5")
    assert told["A2"] == "A2 stay: planned (5,9), actual (5,8), stays; put out of its zone"
    assert told["B1"].endswith("jailed by contact with A2 at (5,9), tick 1")


def test_the_jailed_keep_the_cell_where_they_were_caught_until_they_are_freed() -> None:
    caught, later, freed, home = rounds("A1:4,8 A3:9,3 B1:4,2", "A1d3 B1u3", "A1u2", "A3d2", "A3d1")
    assert str(caught.account.tracks[0]).startswith("A1 down 3: planned (4,5), actual (4,5) X, jailed")
    assert str(later.account.tracks[0]) == "A1 up 2: actual (4,5) X, in jail"
    assert str(freed.account.tracks[0]) == "A1 stay: actual (4,8), in jail; freed"
    assert freed.account.happened == ["A3 uses A's key at (9,1)", "A1 is freed and stands at (4,8)"]
    assert str(home.account.tracks[2]) == "A3 down 1: planned (6,7), actual (6,7), reset to (6,8); done"
    assert home.account.tracks[2].began == (9, 1)


def test_the_event_line_tells_pick_ups_zones_and_the_score() -> None:
    taken, scored = rounds("A1:0,0 B1:5,2 B2:6,2 B3:10,2", "A1r5", "A1u10 B1r9 B2r9")
    assert taken.account.happened == ["A1 takes B's flag at (5,0)", "B's zone is off"]
    assert scored.account.happened == ["A1 brings B's flag home to (5,10)", "A has won"]
    lost = rounds("A1:5,1+flag B1:5,4", "A1u1 B1d2")[0]
    assert lost.account.happened[1:] == ["B's flag is at home again", "B's zone is on"]


@settings(max_examples=60, deadline=None)
@given(situations())
def test_the_account_of_any_round_is_what_the_rules_did(situation: Situation) -> None:
    game, position, orders = situation
    s = game.parse(position)
    actions = dict(enumerate(ordered(s, as_orders(orders))))
    told = account(game, s, actions)
    events = game.play_round(s, actions)
    assert [*told.events] == events
    assert told.after.tobytes() == s.tobytes()
    for track in told.tracks:
        where = pieces_of(s, track.side)[track.piece]
        assert track.in_jail == (where is None)
        if where is not None:
            assert track.end == where
        elif track.jailed is not None:
            assert track.end == track.path[-1]
    ElementTree.fromstring(round_svg(told))


# What was predicted


PREDICTS = {0: {"predicted": "1u3", "evaluations": 110, "mix": {"1d3": 0.625, "stay": 0.375}}, 1: {"predicted": "stay"}}


def test_a_prediction_that_holds_is_what_came() -> None:
    (told,) = timeline(as_played("A1:4,8 B1:4,2", "A1d3 B1u3", notes=PREDICTS)).rounds
    first, second = told.thoughts
    assert first.predicted == "predicted B1 up 3 to (4,5) X: right"
    assert first.judgement.predicted == first.judgement.actual
    assert second.predicted == "predicted all stay: it was 1d3"


def test_a_prediction_is_right_if_it_comes_to_the_same_however_far_it_was_told() -> None:
    notes = {0: {"predicted": "1u3_2d31"}, 1: {"predicted": "1d4_2u1"}}
    (told,) = timeline(as_played("A1:4,8 B1:4,7 B2:5,2", "A1d4 B1u31", notes=notes)).rounds
    assert told.thoughts[0].predicted.endswith(": right")  # the edge is three steps away, and B2's zone ahead of it
    assert told.thoughts[1].predicted.endswith(": right")
    (told,) = timeline(as_played("A1:4,8 B1:4,7 B2:5,2", "A1d4 B1u2", notes=notes)).rounds
    assert told.thoughts[0].predicted.endswith(": it was 1u2")


def test_predicted_and_actual_deltas_stand_side_by_side_and_differing_rows_are_marked() -> None:
    (told,) = timeline(as_played("A1:4,8 B1:4,2", "A1d3", notes=PREDICTS)).rounds
    lines = str(told).splitlines()
    assert "A one: before +0, predicted +0 (delta +0), actual +0 (delta +0) by detailed_corrected" in lines
    (told,) = timeline(as_played("A1:4,8 B1:4,2", "A1d8 B1l1 B2l1", notes={0: {}, 1: PREDICTS[1]})).rounds
    second = told.thoughts[1].judgement
    assert second.scores == "before +0, predicted +0 (delta +0), actual +1,200 (delta +1,200)"
    marked = [line.split() for line in str(told).splitlines() if line.startswith("  !")]
    assert marked == [["!", "pieces", "+0", "+200"], ["!", "captures", "+0", "+1,000"]]


def test_a_thought_tells_effort_runner_up_and_mix() -> None:
    (told,) = timeline(as_played("A1:4,8 B1:4,2", "A1d3", notes=PREDICTS)).rounds
    assert told.thoughts[0].lines[0] == "110 evaluations, 2.0 ms · runner-up 1u1 (+30) · mix 1d3 62 %, stay 38 %"


def test_scores_that_an_agent_notes_are_those_of_the_timeline() -> None:
    """With captures in earlier rounds, which count in theirs alone."""
    captures = 0
    for seed in range(3):
        players = [sparring.agent(made(), spec) for spec in ("repo64", "random")]
        told = timeline(play(made(), players, seed, decisions=True)).rounds
        captures += sum("is jailed by A" in event for one in told[:-1] for event in one.account.happened)
        notes = [note for one in told for thought in one.thoughts for note in thought.notes]
        assert not [note for note in notes if note.startswith(("score", "predicted score", "delta"))]
    assert captures


def test_gains_are_those_over_staying_whatever_a_command_has_to_beat() -> None:
    """Here it has to be better than now, which no command of piece 2 is, since piece 1 is caught if it stays."""
    position = made().position("A1:5,3 B1:5,5 B2:0,0 B3:1,0")
    found = sparring.agent(position.game, "seed,keep=baseline").decide(View(position, 0, players_dice(1, 0)))
    assert found.notes["pieces"]["2"] == {"delta": 0, "runner_up": "2l4", "runner_up_delta": 700}


def test_of_who_chooses_piece_by_piece_each_piece_has_its_gain_and_its_runner_up() -> None:
    players = [sparring.agent(made(), spec) for spec in ("seed", "repo64")]
    here = made().position("A1:3,8")
    taken = [one.decide(View(here, side, players_dice(1, side))) for side, one in enumerate(players)]
    assert taken[1].name == "1u8_3l3"
    turns = tuple(Turn(one.player, one.name, one.action) for one in taken)
    kept = tuple(one.to_json() for one in taken)
    played = PlayedGame("flagwar", {}, 1, ("seed", "repo64"), here.text, turns, (0.5, 0.5), "", decisions=kept)
    told = timeline(played)
    (first,) = told.rounds
    assert first.head[-2:] == ["delta", "runner-up"]
    beside = {row[0]: tuple(row[5:7]) for row in first.rows}
    assert beside["A1"] == ("+1,700", "1d8 +500")
    assert beside["B1"] == ("+1,500", "1l1 +1,700")
    assert beside["B3"] == ("+1,700", "stay +0")
    assert not [thought.runner_up for thought in first.thoughts if thought.runner_up]
    assert "runner-up" in Page(page(told)).texts("th")


def test_an_evaluator_that_is_not_the_games_is_not_said_to_be_the_agents_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(
        "from sparring import heuristic\n\n\n"
        '@heuristic("flagwar")\ndef leftmost(s, me):\n    return -(s.at[me, 0] & 31) + (s.at[1 - me, 0] & 31)\n'
    )
    monkeypatch.chdir(tmp_path)
    players = [sparring.agent(made(), spec) for spec in ("matrix:mine.py:leftmost,size=4", "matrix,size=4")]
    first = str(timeline(play(made(), players, 1, decisions=True)).rounds[0])
    users, own = (line for line in first.splitlines() if line[:8] in ("A matrix", "B matrix"))
    assert users.endswith(" by detailed_corrected, for the agent's own evaluator is not at hand")
    assert " · score 0 · predicted score " in first
    assert own.endswith(" by raid")


@pytest.mark.parametrize("predicted", [7, None, "jump", {"1u3": 0.5}, ["1u3", "stay"]])
def test_notes_of_another_form_are_shown_as_they_are(predicted: Any) -> None:
    odd = {"predicted": predicted, "delta": [1.5, {"B1": 2}], "why": "a\nb", "pieces": {"1": predicted, "2": {}}}
    notes = dict.fromkeys((0, 1), odd)
    (told,) = timeline(as_played("", "A1d1", notes=notes)).rounds
    assert told.thoughts[0].expected is None
    assert "delta 1.5, B1 2 · why a b" in str(told)


def test_without_decisions_every_round_still_has_its_score() -> None:
    told = rounds("A1:5,5 B1:5,7", "A1u2", "")
    assert "worth to A: before +0, actual +1,200 (delta +1,200)\n  pieces +200, captures +1,000" in str(told[0])
    assert "worth to A: before +200, actual +200 (delta +0)" in str(told[1])


# Files


@pytest.fixture
def whole() -> Timeline:
    """Contacts, a rescue, a reset, a flag that goes home, and a score."""
    orders = "A1d3 B1u3", "A3d2", "A2l5 B2u3", "A2d8 B2u9", "A2r5", "A2l9 B3u2", "A2u10"
    agents = (EVIL, "two")
    return timeline(as_played("A1:4,8 A3:9,3 B1:4,2", *orders, notes=PREDICTS, agents=agents))


def test_json_lines_replay_to_the_same_events(whole: Timeline, tmp_path: Path) -> None:
    whole.write(tmp_path / "game.jsonl")
    again = read(tmp_path / "game.jsonl")
    assert [told.account.events for told in again.rounds] == [told.account.events for told in whole.rounds]
    assert str(again) == str(whole)
    lines = [json.loads(line) for line in (tmp_path / "game.jsonl").read_text().splitlines()]
    assert lines[1]["tracks"][0]["why"] == "jailed by contact with B1 at (4,5), tick 3"
    assert lines[1]["judgements"][0]["delta_actual"] == whole.rounds[0].judgements[0].to_json()["delta_actual"]


def test_json_lines_that_come_out_otherwise_are_refused(whole: Timeline, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    whole.write(file)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1].replace('"1d3"', '"1d2"', 1), *lines[2:]]))
    with pytest.raises(SparringError, match="round 1 does not come out as it was written"):
        read(file)
    for broken in ("", "[]", "{}", "no JSON", f"{lines[0]}\n[]", lines[0].replace("[", "7, [", 1)):
        file.write_text(broken)
        with pytest.raises(SparringError, match="is no timeline"):
            read(file)


def test_the_page_stands_alone_and_takes_names_for_text(whole: Timeline) -> None:
    shown = Page(page(whole))
    shown.check_that_it_stands_alone()
    assert shown.texts("h1") == [f"Flag War: {EVIL} v two"]
    assert {f"round-{told.number}" for told in whole.rounds} <= {one.get("id") for one in shown.all("section")}
    assert len(shown.all("svg")) == len(whole.rounds) + 1
    assert "back_wall ≠" in shown.texts("th")


def test_the_picture_draws_intention_dashed_the_way_full_and_the_jailing_with_its_tick() -> None:
    (told,) = rounds("A1:4,8 B1:4,2 B2:1,5", "A1d6 B2r3")
    picture = ElementTree.fromstring(round_svg(told.account))
    s, name = told.account.before, "{http://www.w3.org/2000/svg}"
    way = next(group for group in picture.iter(f"{name}g") if str(group.findtext(f"{name}title")).startswith("A1 down"))
    intended, _, walked = way.findall(f"{name}line") + way.findall(f"{name}polyline")
    down = [int(intended.get(at, "")) for at in ("y1", "y2")]
    assert down[1] - down[0] == middle(s, (4, 2))[1] - middle(s, (4, 8))[1]
    assert intended.get("stroke-dasharray")
    assert len(walked.get("points", "").split()) == 4  # three steps
    assert not walked.get("stroke-dasharray")
    assert [text.text for text in picture.iter(f"{name}text") if text.get("font-size") == "12"] == ["3", "3"]


def test_marks_are_those_of_the_player_whose_decision_it_is() -> None:
    position = made().start()
    for player, point in ((0, (4, 8)), (1, (4, 2))):
        picture = Decision("me", position, player, position.action("1l2", player))._repr_svg_()
        (line,) = ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}line")
        assert (int(line.get("x1", "")), int(line.get("y1", ""))) == middle(position.state, point)
    snakes = sparring.game("battlesnake").start(1)
    pictures = [Decision("me", snakes, player, 0)._repr_svg_() for player in (0, 1)]
    assert pictures[0] != pictures[1]


# The command


def test_the_command_shows_a_kept_game_a_saved_one_and_its_own_lines(
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


def test_the_command_tells_what_it_cannot_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, USERS_FILE)
    isolation = sparring.game("isolation", board="4x4")
    random = sparring.agent(isolation, "random")
    gametext.save([play(isolation, [random, random], seed) for seed in (1, 2)], tmp_path / "isolation.txt")
    (tmp_path / "bad.jsonl").write_text("{}")
    for words, message in [
        (("isolation.txt",), "timelines are of games of flagwar, not of isolation; `spar replay` shows this one"),
        (("isolation.txt", "--game", 3), "has games 1 to 2; game 3 does not exist"),
        (("none.txt",), "no file none.txt"),
        (("none.jsonl",), "no file none.jsonl"),
        (("bad.jsonl",), "bad.jsonl is no timeline"),
        (("bad.jsonl", "--game", 2), "has one game; game 2 does not exist"),
        (("isolation.txt", "--html", "nowhere/page.html"), "cannot write nowhere/page.html"),
    ]:
        said = spar("timeline", *words)
        assert (said.code, message in said.err) == (2, True), said
