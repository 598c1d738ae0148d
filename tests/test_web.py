"""The page's server: games are values, whatever is asked about them; what agents think of them; logs; users' files."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import did
from web_pages import TEXT, Web, page, touched

pytestmark = pytest.mark.slow

GAMES: dict[str, dict[str, Any]] = {
    "isolation": {"board": "5x5"},
    "ludo": {"players": "2", "tokens": "2"},
    "battlesnake": {"board": "7x7"},
    "flagwar": {},
}
MINE = '''
import time
from sparring import agent, heuristic

@heuristic("isolation")
def idea(s, me):
    """The own number, which decides nothing."""
    return me

@heuristic("isolation")
def uncompiled(s, me):
    return float(len({}))

@agent("isolation")
def hangs(view):
    while True:
        time.sleep(1)

@agent("isolation")
def crashes(view):
    return view.nonsense
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine.py").write_text(MINE)
    return folder


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[Web]:
    with page(folder, "--folder", ".", "--store", folder / "games.db") as served:
        yield served


def game(name: str, moves: list[dict[str, str]] | None = None, **more: Any) -> dict[str, Any]:
    return {"game": name, "options": GAMES[name], "seed": 7, "moves": moves or [], **more}


@pytest.fixture(scope="module", params=GAMES)
def played(web: Web, request: pytest.FixtureRequest) -> dict[str, Any]:
    """A whole game, played by touching alone."""
    rng, one = random.Random(1), game(request.param)
    while (told := web.last(one))["choices"]:
        one["moves"].append(touched(told, rng))
    (frame,) = told["frames"]
    assert frame["events"][-1] == {"kind": "end", "text": frame["ending"]}
    assert all(0 <= score <= 1 for score in frame["outcome"])
    return one


# Games are values


def test_the_shelf_tells_what_a_page_needs_to_set_a_game_up(web: Web) -> None:
    shelf = {one["name"]: one for one in web.told("/api/games")}
    assert [one["title"] for one in shelf.values()] == ["Battlesnake", "Flag War", "Isolation", "Ludo"]
    assert set(shelf) == set(GAMES)
    ludo = shelf["ludo"]
    assert (ludo["players"], ludo["chance"], ludo["simultaneous"], ludo["exact"]) == ([2, 4], True, False, True)
    options = {option["name"]: option for option in ludo["options"]}
    assert options["overshoot"]["values"] == ["reflect", "ludopy", "stay"]
    assert (options["tokens"]["default"], options["tokens"]["least"], options["tokens"]["most"]) == ("4", 1, 4)
    assert shelf["flagwar"]["player_names"] == ["A", "B"]
    assert {name: one["best"] for name, one in shelf.items()}["ludo"] == "strongest"
    for name, one in shelf.items():
        assert {agent["spec"]: agent["about"] for agent in one["agents"]}["random"].startswith("Any legal action")
        assert web.told("/api/frames", {"game": name})["total"] == 1


def test_a_whole_game_is_told_frame_by_frame(web: Web, played: dict[str, Any]) -> None:
    told = web.told("/api/frames", played)
    assert told["total"] == len(played["moves"]) + 1 == len(told["frames"])
    assert [frame["turn"] for frame in told["frames"]] == list(range(told["total"]))
    assert all(frame["svg"].startswith("<svg ") for frame in told["frames"])
    assert [bool(frame["actors"]) for frame in told["frames"]] == [True] * len(played["moves"]) + [False]
    for frame, step in zip(told["frames"], played["moves"], strict=False):
        assert set(step) == {str(player) for player in frame["actors"]}
        assert (frame["dice"] is not None) == (played["game"] == "ludo")
    if played["game"] in ("ludo", "flagwar", "battlesnake"):
        kinds = {event["kind"] for frame in told["frames"] for event in frame["events"]}
        assert kinds & {"capture", "goal", "elimination", "flag"}
    some = web.told("/api/frames", {**played, "first": 1, "last": 2})
    assert some["frames"] == told["frames"][1:3]
    assert [player["name"] for player in some["players"]] == ["A", "B"]
    assert all(f'"{player["colour"]}"' in told["frames"][0]["svg"] for player in some["players"])
    assert some["choices"] == {}


def test_to_undo_is_to_leave_moves_out_and_the_same_seed_rolls_the_same(web: Web, played: dict[str, Any]) -> None:
    frames = web.told("/api/frames", played)["frames"]
    half = len(played["moves"]) // 2
    back = web.last({**played, "moves": played["moves"][:half]})
    assert back["frames"][0] == frames[half]
    assert back["choices"]


def test_a_game_may_begin_from_any_position(web: Web) -> None:
    begun = game("isolation", [{"0": "e1"}], start="...../.B.../...../..A../..... A")
    (frame,) = web.last(begun)["frames"]
    assert (frame["text"], frame["actors"]) == ("...../.B.../...../..#../....A B", [1])
    assert web.ask("/api/frames", game("isolation", start="?? A")).error


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (game("isolation", [{"0": "z9"}]), "move 1 cannot be played: z9 is not legal here; legal: "),
        (game("isolation", [{"1": "a1"}]), "move 1 cannot be played: players [0] are to act, not [1]"),
        (game("battlesnake", [{"0": "up"}]), "move 1 cannot be played: players [0, 1] are to act, not [0]"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": "ludo", "options": {"players": "9"}}, "players must be a number from 2 to 4"),
        ({"game": "ludo", "colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"game": "ludo", "seed": -1}, "seed: Input should be greater than or equal to 0"),
        ([], "the request: Input should be"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_line(web: Web, asked: Any, told: str) -> None:
    assert web.ask("/api/frames", asked).error.startswith(told)


# What agents think


def test_an_agent_answers_the_same_whenever_it_is_asked_the_same(web: Web) -> None:
    asked = game("isolation", player=0, agent="next_moves,nodes=2000")
    first, again = (web.told("/api/decide", asked) for _ in range(2))
    assert (first["move"], first["score"]) == (again["move"], again["score"])
    assert first["move"] in {choice["move"] for choice in web.last(game("isolation"))["choices"]["0"]}
    assert not {"matrix", "solver", "why_not"} & set(first)


def test_a_decision_is_explained_by_lines_terms_and_a_solver(web: Web) -> None:
    asked = game("isolation", player=0, agent="next_moves,depth=4", explain=True)
    told = web.told("/api/decide", asked)
    moves = [one["move"] for one in told["candidates"]]
    assert told["move"] == moves[0]
    assert told["verdict"] == told["candidates"][0]["verdict"]
    assert set(told["candidates"][0]["terms"]) == set(told["weights"])
    assert told["candidates"][0]["line"][0] == moves[0]
    assert set(told["solver"]["verdicts"]) == set(moves)
    assert set(told["solver"]["verdicts"].values()) <= {"wins", "loses"}
    why = web.told("/api/decide", {**asked, "why_not": moves[-1]})["why_not"]
    assert why.startswith(moves[-1])
    assert "z9 is not legal here" in web.ask("/api/decide", {**asked, "why_not": "z9"}).error


def test_a_line_leads_from_board_to_board(web: Web) -> None:
    start = game("isolation")
    line = web.told("/api/decide", {**start, "player": 0, "agent": "improved,depth=4", "explain": True})
    line = line["candidates"][0]["line"]
    boards = web.told("/api/line", {**start, "player": 0, "line": line})["frames"]
    assert [board["move"] for board in boards] == line
    moves = [{str(ply % 2): move} for ply, move in enumerate(line)]
    assert boards[-1]["text"] == web.last(game("isolation", moves))["frames"][0]["text"]


def test_in_a_line_of_snakes_the_others_answer(web: Web) -> None:
    start = game("battlesnake")
    told = web.told("/api/decide", {**start, "player": 1, "agent": "strongest,depth=4", "explain": True})
    line = told["candidates"][0]["line"]
    assert line[1] in [f"(A {way})" for way in ("up", "down", "left", "right")]
    boards = web.told("/api/line", {**start, "player": 1, "line": line})["frames"]
    heads = [board["text"].split("B")[1].split(":")[1][:2] for board in boards]
    assert len(boards) == len(line)
    assert heads[0] != heads[1]


def test_a_move_that_is_of_no_line_is_told_in_a_line(web: Web) -> None:
    for name in GAMES:
        asked = game(name, player=web.last(game(name))["frames"][0]["actors"][0], line=["nonsense"])
        assert web.ask("/api/line", asked).error.startswith("nonsense is no move of a line here")


def test_a_move_that_was_seen_to_lose_when_another_did_not_is_a_blunder(web: Web) -> None:
    agent, moves = "improved,depth=4", list[dict[str, str]]()
    for ply in range(30):
        told = web.told("/api/decide", {**game("isolation", moves), "player": ply % 2, "agent": agent, "explain": True})
        worst = told["candidates"][-1]
        if worst["verdict"].startswith("loses") and not told["verdict"].startswith("loses"):
            break
        moves.append({str(ply % 2): told["move"]})
    moves.append({str(ply % 2): worst["move"]})
    found = web.told("/api/evaluate", {**game("isolation", moves), "agent": agent})["events"]
    assert [(one["turn"], one["kind"], one["player"]) for one in found] == [(len(moves), "blunder", ply % 2)]
    assert found[0]["text"].startswith(f"{worst['move']} loses")


HOME_IN_ONE = {"game": "ludo", "options": {"players": "2"}, "seed": 1, "start": "0,45,0,0/35,35,44,29 A6"}
HEAD_ON = {"game": "battlesnake", "options": {"board": "7x7"}, "seed": 1}
"""Here all that A can do is to die with B, or alone; and here it may do so between the heads."""
ALL_DRAWN, FACING = "t9 A97:b7,a7,a6,a5 B97:c6,c5,c4,d4 food:e7,e2", "t30 A90:c4,b4,a4,a5 B90:e4,f4,g4,g5 food:d7"


def test_points_of_rules_are_no_proof_however_many(web: Web) -> None:
    asked = {**HOME_IN_ONE, "moves": [], "agent": "rulebased:as_written"}
    told = web.told("/api/decide", {**asked, "player": 0})
    assert (told["score"], told["verdict"], told["candidates"][0]["verdict"]) == (1e6, "+1,000,000", "+1,000,000")
    assert not any("proven" in one for one in told["candidates"])
    (seen,) = web.told("/api/evaluate", asked)["scores"]
    assert seen[0] == {"score": 1e6, "verdict": "+1,000,000"}


def test_a_proven_draw_is_told_as_one_and_a_proven_loss_as_one(web: Web) -> None:
    asked = {**HEAD_ON, "start": ALL_DRAWN, "moves": [], "agent": "alphabeta:voronoi,depth=2"}
    told = web.told("/api/decide", {**asked, "player": 0, "explain": True})
    proven = {one["verdict"]: one["proven"] for one in told["candidates"]}
    assert proven == {"draws in 2": {"result": 0, "plies": 2}, "loses in 2": {"result": -1, "plies": 2}}
    (seen,) = web.told("/api/evaluate", asked)["scores"]
    assert (seen[0]["verdict"], seen[0]["proven"]) == ("draws in 2", {"result": 0, "plies": 2})


def test_to_let_a_game_be_drawn_is_no_loss(web: Web) -> None:
    asked = {**HEAD_ON, "start": FACING, "agent": "alphabeta:voronoi,depth=2"}
    told = web.told("/api/decide", {**asked, "moves": [], "player": 0, "explain": True})
    assert "draws in 2" in [one["verdict"] for one in told["candidates"] if one["move"] == "right"]
    assert web.told("/api/evaluate", {**asked, "moves": [{"0": "right", "1": "left"}]})["events"] == []


def test_users_of_ludo_see_the_rule_the_phase_the_table_and_the_truth(web: Web) -> None:
    mover = web.last(game("ludo"))["frames"][0]["actors"][0]
    rules = web.told("/api/decide", game("ludo", player=mover, agent="rulebased:corrected", explain=True))
    assert rules["notes"]["phase"]
    assert all(one["note"] for one in rules["candidates"])
    assert all(verdict.startswith("wins ") for verdict in rules["solver"]["verdicts"].values())
    table = web.told("/api/decide", game("ludo", player=mover, agent="tabular:combined_2p2t", explain=True))
    assert isinstance(table["notes"]["tuple"], list)
    assert all(isinstance(one["score"], float) for one in table["candidates"])


def test_players_who_mix_show_what_they_mix_by(web: Web) -> None:
    begun = [{"0": "2d1", "1": "2u1"}]
    told = web.told("/api/decide", game("flagwar", begun, player=0, agent="matrix,size=16", explain=True))
    matrix = told["matrix"]
    rows, columns = len(matrix["rows"]), len(matrix["columns"])
    assert 1 < rows <= 12
    assert [len(row) for row in matrix["payoffs"]] == [columns] * rows
    assert matrix["row_chances"] == sorted(matrix["row_chances"], reverse=True)
    assert sum(matrix["row_chances"]) == pytest.approx(1, abs=1e-3)
    chances = {one["move"]: one["chance"] for one in told["candidates"] if "chance" in one}
    assert chances[matrix["rows"][0]] == pytest.approx(matrix["row_chances"][0], abs=1e-4)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"agent": "nobody"}, "unknown agent of isolation 'nobody'"),
        ({"player": 1}, "player 1 is not to move here; 0 is"),
        ({"agent": "http://127.0.0.1:9/"}, "players with an address meet in the terminal"),
        ({"agent": "/tmp/mine.py:idea"}, "no file '/tmp/mine.py' in the folder of the page"),
        ({"agent": "../mine.py:idea"}, "no file '../mine.py' in the folder of the page"),
        ({"agent": "/tmp/tuned.toml"}, "no file '/tmp/tuned.toml' in the folder of the page"),
        ({"agent": "-x"}, "agent: String should match pattern"),
        ({"seconds": 3600}, "seconds: Input should be less than or equal to 5"),
    ],
)
def test_who_cannot_be_asked_is_told_in_a_line(web: Web, more: Any, told: str) -> None:
    asked = game("isolation", player=0, agent="random") | more
    assert web.ask("/api/decide", asked).error.startswith(told)


def test_a_game_is_seen_through_the_eyes_of_an_agent(web: Web, played: dict[str, Any]) -> None:
    agents = {"isolation": "next_moves,depth=2", "ludo": "one_ply", "battlesnake": "flood_fill", "flagwar": "utility"}
    told = web.told("/api/evaluate", {**played, "agent": agents[played["game"]]})
    assert len(told["scores"]) == len(played["moves"]) + 1
    assert told["scores"][-1] is None
    assert {len(scores) for scores in told["scores"] if scores} == {2}
    if played["game"] == "isolation":
        assert all(first["score"] == -second["score"] for first, second in told["scores"][:-1])
    assert ("luck" in told) == (played["game"] == "ludo")


def test_luck_skill_and_the_mistakes_of_others_add_up_to_the_result(web: Web) -> None:
    """Of Ludo, by exact chances: who rolls the first six is ahead a little, and one of two wins."""
    rng, one = random.Random(3), game("ludo")
    while (told := web.last(one))["choices"]:
        one["moves"].append(touched(told, rng))
    luck = web.told("/api/evaluate", {**one, "agent": "furthest"})["luck"]
    assert luck["by"] == "exact chances"
    changes = [player["luck"] + player["skill"] + player["others"] for player in luck["players"]]
    first = [result - change for result, change in zip(told["frames"][0]["outcome"], changes, strict=True)]
    assert sum(first) == pytest.approx(1)
    assert 0.4 < first[0] < 0.7
    assert all(player["skill"] < 0 < player["others"] for player in luck["players"])
    perfect = {"game": "ludo", "options": GAMES["ludo"], "seed": 3, "moves": []}
    for _ in range(12):
        (mover,) = web.last(perfect)["frames"][0]["actors"]
        move = web.told("/api/decide", {**perfect, "player": mover, "agent": "perfect"})["move"]
        perfect["moves"] = [*perfect["moves"], {str(mover): move}]
    luck = web.told("/api/evaluate", {**perfect, "agent": "furthest"})["luck"]
    assert [player["skill"] for player in luck["players"]] == pytest.approx([0, 0])


# Logs


def as_value(told: dict[str, Any]) -> dict[str, Any]:
    """What frames can be asked for."""
    return {name: told[name] for name in ("game", "options", "seed", "start", "moves") if name in told}


def test_saved_and_exported_games_can_be_looked_at(web: Web, folder: Path) -> None:
    kept = ("--store", folder / "logs.db")
    did("match", "isolation", "greedy", "random", "--games", 4, "--save", folder / "games.txt", *kept)
    did("export", "last", folder / "games.jsonl", *kept)
    texts = [(folder / name).read_text() for name in ("games.txt", "games.jsonl")]
    saved, exported = (web.told("/api/upload", text, kind=TEXT)["games"] for text in texts)
    assert [one["moves"] for one in saved] == [one["moves"] for one in exported]
    assert (len(saved), saved[0]["agents"], saved[1]["agents"]) == (4, ["greedy", "random"], ["random", "greedy"])
    assert web.last(as_value(saved[0]))["frames"][0]["outcome"] == saved[0]["scores"]


def test_a_round_by_round_log_of_flag_war_can_be_looked_at(web: Web, folder: Path) -> None:
    kept = ("--store", folder / "logs.db")
    did("match", "flagwar", "utility", "random", "--games", 2, *kept)
    did("timeline", "last", "--jsonl", folder / "timeline.jsonl", *kept)
    (told,) = web.told("/api/upload", (folder / "timeline.jsonl").read_text(), kind=TEXT)["games"]
    assert (told["game"], told["agents"]) == ("flagwar", ["utility", "random"])
    assert web.last(as_value(told))["frames"][0]["outcome"] == told["scores"]


def test_a_log_of_the_official_engine_is_shown_as_it_is(web: Web, folder: Path) -> None:
    kept = ("--store", folder / "logs.db")
    did("match", "battlesnake", "random_safe", "random", "--games", 2, "--board", "7x7", *kept)
    did("snake", "log", "last", folder / "log.jsonl", *kept)
    (told,) = web.told("/api/upload", (folder / "log.jsonl").read_text(), kind=TEXT)["games"]
    assert (told["game"], told["agents"]) == ("battlesnake", ["random_safe", "random"])
    assert len(told["frames"]) == len(told["moves"]) + 1
    assert told["frames"][-1]["outcome"] == told["scores"]
    assert web.last({**as_value(told), "moves": []})["frames"][0]["svg"] == told["frames"][0]["svg"]


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("", "this is no log of a game; expected games of `--save`"),
        ("[1, 2]", "this is no log of a game"),
        ('{"moves": []}', "a line of an export: seed: Field required"),
        ('[Game "isolation"]', "the upload: a game lacks its header [Seed ...]"),
        ('[Game "isolation"]\n[Seed "1"]\n[Start "../... A"]\n[Result "1-0"]', "rows of different lengths"),
        ('{"board": 1}', "'board' is 1; expected an object"),
    ],
)
def test_what_is_no_log_is_refused_in_a_line(web: Web, log: str, told: str) -> None:
    assert told in web.ask("/api/upload", log, kind=TEXT).error


# Users' files


def test_files_are_read_and_written_whole(web: Web, folder: Path) -> None:
    listed = web.told("/api/files")
    assert listed["folder"] == folder.name
    assert {"name": "mine.py", "heuristics": ["idea", "uncompiled"], "agents": ["hangs", "crashes"]} in listed["files"]
    new = web.told("/api/files/new.py", {"text": "first = 1\r\n"}, method="PUT")
    assert (folder / "new.py").read_bytes() == b"first = 1\r\n"
    assert web.told("/api/files/new.py") == {**new, "text": "first = 1\r\n"}
    later = web.told("/api/files/new.py", {"text": "second = 2", "changed": new["changed"]}, method="PUT")
    assert later["changed"] != new["changed"]
    for text in ({"text": "third"}, {"text": "third", "changed": new["changed"]}):
        answer = web.ask("/api/files/new.py", text, method="PUT")
        assert (answer.status, answer.error) == (409, "new.py has changed since it was read; read it again")
    assert (folder / "new.py").read_text() == "second = 2"


def test_an_idea_is_tried_and_its_slips_are_told_at_their_line(web: Web, folder: Path) -> None:
    told = web.told("/api/decide", game("isolation", player=0, agent="mine.py:idea,depth=2", explain=True))
    assert set(told["candidates"][0]["terms"]) == {"idea"}
    slip, head = folder / "slip.py", "from sparring import heuristic\n"
    rest = "@heuristic('ludo')\ndef f(s, me):\n    return 1"
    slip.write_text(f"{head}def f(:\n")
    assert web.told("/api/files/slip.py/check", {"game": "isolation"})["errors"][0]["line"] == 2
    slip.write_text(f"{head}\nraise KeyError('x')\n{rest}")
    told = web.told("/api/files/slip.py/check", {"game": "ludo"})
    assert (told["ok"], told["errors"][0]["line"]) == (False, 3)
    assert told["heuristics"] == [{"name": "f", "spec": "slip.py:f", "game": "ludo"}]
    slip.write_text(f"{head}{rest}")
    assert web.told("/api/files/slip.py/check", {"game": "ludo"}) == {**told, "ok": True, "errors": []}
    (fault,) = web.told("/api/files/slip.py/check", {"game": "isolation"})["errors"]
    assert fault["message"].startswith("it declares nothing for isolation")


def test_an_agent_in_a_file_is_asked_like_the_one_it_names(web: Web, folder: Path) -> None:
    tuned, asked = folder / "tuned.toml", game("isolation", player=0, agent="tuned.toml")
    tuned.write_text('game = "isolation"\nagent = "habit.py"\n')
    habit = 'from sparring import agent\n\n@agent("isolation")\ndef habit(view):\n    return view.legal[{}]\n'
    moves = []
    for choice in (0, -1):
        (folder / "habit.py").write_text(habit.format(choice))
        moves.append(web.told("/api/decide", asked)["move"])
    assert moves[0] != moves[1]
    tuned.write_text('game = "isolation"\nagent = "/tmp/habit.py"\n')
    assert web.ask("/api/decide", asked).error.startswith("no file '/tmp/habit.py' in the folder of the page")
    for file in (tuned, folder / "habit.py"):
        file.unlink()


def test_code_that_hangs_costs_an_error_line_and_not_the_server(web: Web) -> None:
    told = web.told("/api/files/mine.py/check", {"game": "isolation"})
    faults = {one["message"]: one["line"] for one in told["errors"]}
    assert told["ok"] is False
    assert any("hangs: stall: no answer after 10 s" in message for message in faults)
    assert [line for message, line in faults.items() if "uncompiled cannot be compiled" in message] == [12]
    crash = web.ask("/api/decide", game("isolation", player=0, agent="mine.py:crashes")).error
    assert crash.endswith("(mine.py:21)")
    assert web.told("/api/decide", game("isolation", player=0, agent="mine.py:idea,depth=2"))["move"]
