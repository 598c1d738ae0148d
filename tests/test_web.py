"""Calls of the page's API: games as values, decisions and evaluations of agents, logs, and users' files."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from commands import did
from web_pages import TEXT, Web, page

pytestmark = pytest.mark.slow

GAMES: dict[str, dict[str, Any]] = {
    "isolation": {"board": "5x5"},
    "ludo": {"players": "2", "tokens": "2"},
    "battlesnake": {"board": "7x7"},
    "flagwar": {},
}
MINE = '''
from sparring import agent, heuristic

@heuristic("isolation")
def idea(s, me):
    """The number of the player, which decides nothing."""
    return me

@heuristic("isolation")
def uncompiled(s, me):
    return float(len({}))

@agent("isolation")
def crashes(view):
    return view.nonsense
'''


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine.py").write_text(MINE)
    with page(folder, "--folder", ".", "--store", folder / "games.db", solver_seconds=600) as served:
        yield served


def game(name: str, moves: list[dict[str, str]] | None = None, **more: Any) -> dict[str, Any]:
    return {"game": name, "options": GAMES[name], "seed": 7, "moves": moves or [], **more}


@pytest.fixture(scope="module", params=GAMES)
def played(web: Web, request: pytest.FixtureRequest) -> dict[str, Any]:
    """A whole game, made by nothing but choices on the board."""
    one = game(request.param)
    frame = web.play(one, random.Random(1))
    assert frame["events"][-1] == {"kind": "end", "text": frame["ending"]}
    assert all(0 <= score <= 1 for score in frame["outcome"])
    return one


def decide(web: Web, name: str, agent: str, player: int = 0, **more: Any) -> Any:
    return web.get("/api/decide", game(name, player=player, agent=agent) | {"explain": True} | more)


# Games


def test_the_list_of_games_has_what_a_page_needs_to_set_a_game_up(web: Web) -> None:
    games = {one["name"]: one for one in web.get("/api/games")}
    assert [one["title"] for one in games.values()] == ["Battlesnake", "Flag War", "Isolation", "Ludo"]
    ludo = games["ludo"]
    assert (ludo["players"], ludo["chance"], ludo["simultaneous"], ludo["exact"]) == ([2, 4], True, False, True)
    assert (ludo["best"], games["flagwar"]["player_names"]) == ("strongest", ["A", "B"])
    options = {option["name"]: option for option in ludo["options"]}
    assert options["overshoot"]["values"] == ["reflect", "ludopy", "stay"]
    assert (options["tokens"]["default"], options["tokens"]["least"], options["tokens"]["most"]) == ("4", 1, 4)
    for name, one in games.items():
        assert {agent["spec"]: agent["about"] for agent in one["agents"]}["random"].startswith("Plays any legal action")
        assert web.get("/api/frames", {"game": name})["total"] == 1


def test_a_whole_game_comes_frame_by_frame(web: Web, played: dict[str, Any]) -> None:
    found, moves = web.get("/api/frames", played), played["moves"]
    frames = found["frames"]
    assert found["total"] == len(moves) + 1 == len(frames)
    assert [frame["turn"] for frame in frames] == list(range(found["total"]))
    assert all(frame["svg"].startswith("<svg ") for frame in frames)
    assert [bool(frame["actors"]) for frame in frames] == [True] * len(moves) + [False]
    for frame, step in zip(frames, moves, strict=False):
        assert set(step) == {str(player) for player in frame["actors"]}
        assert (frame["dice"] is not None) == (played["game"] == "ludo")
    if played["game"] != "isolation":
        kinds = {event["kind"] for frame in frames for event in frame["events"]}
        assert kinds & {"capture", "goal", "elimination", "flag"}
    some = web.get("/api/frames", {**played, "first": 1, "last": 2})
    assert (some["frames"], some["choices"]) == (frames[1:3], {})
    assert [player["name"] for player in some["players"]] == ["A", "B"]
    assert all(f'"{player["colour"]}"' in frames[0]["svg"] for player in some["players"])
    half = len(moves) // 2
    undone = web.last({**played, "moves": moves[:half]})
    assert undone["frames"][0] == frames[half]
    assert undone["choices"]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (game("isolation", start="?? A"), "no cell"),
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
def test_a_game_that_cannot_be_played_is_refused(web: Web, request_: Any, error: str) -> None:
    assert web.ask("/api/frames", request_).error.startswith(error)


# Decisions


def test_a_decision_is_repeatable_and_explained_by_lines_terms_and_a_solver(web: Web) -> None:
    question = game("isolation", player=0, agent="next_moves,depth=4")
    first = web.get("/api/decide", question)
    assert not {"matrix", "solver", "why_not"} & set(first)
    found = decide(web, "isolation", "next_moves,depth=4")
    moves, best = [one["move"] for one in found["candidates"]], found["candidates"][0]
    assert found["move"] == first["move"] == moves[0] == best["line"][0]
    assert found["score"] == first["score"]
    assert set(moves) == {choice["move"] for choice in web.last(game("isolation"))["choices"]["0"]}
    after = [web.last(game("isolation", [{"0": move}]))["frames"][0]["text"] for move in moves]
    assert len(set(after)) == len(moves)
    assert found["verdict"] == best["verdict"]
    assert set(best["terms"]) == set(found["weights"])
    assert set(found["solver"]) == set(moves)
    assert set(found["solver"].values()) <= {"wins", "loses"}
    assert web.get("/api/decide", {**question, "why_not": moves[-1]})["why_not"].startswith(moves[-1])
    assert "z9 is not legal here" in web.ask("/api/decide", {**question, "why_not": "z9"}).error


def test_a_line_leads_from_board_to_board_and_holds_legal_moves_alone(web: Web) -> None:
    for name in GAMES:
        question = game(name, player=web.last(game(name))["frames"][0]["actors"][0], line=["nonsense"])
        assert web.ask("/api/line", question).error.startswith("nonsense is not a move of a line here")
    line = decide(web, "isolation", "improved,depth=4")["candidates"][0]["line"]
    boards = web.get("/api/line", game("isolation", player=0, line=line))
    assert [board["move"] for board in boards] == line
    moves = [{str(ply % 2): move} for ply, move in enumerate(line)]
    assert boards[-1]["text"] == web.last(game("isolation", moves))["frames"][0]["text"]


def test_in_a_line_of_a_simultaneous_game_the_other_player_answers(web: Web) -> None:
    line = decide(web, "battlesnake", "strongest,depth=4", player=1)["candidates"][0]["line"]
    assert line[1] in [f"(A {way})" for way in ("up", "down", "left", "right")]
    boards = web.get("/api/line", game("battlesnake", player=1, line=line))
    heads = [board["text"].split("B")[1].split(":")[1][:2] for board in boards]
    assert len(boards) == len(line)
    assert heads[0] != heads[1]


def test_a_move_that_loses_although_another_does_not_is_a_blunder(web: Web) -> None:
    agent, moves = "improved,depth=4", list[dict[str, str]]()
    for ply in range(30):
        found = decide(web, "isolation", agent, ply % 2, moves=moves)
        worst = found["candidates"][-1]
        if worst["verdict"].startswith("loses") and not found["verdict"].startswith("loses"):
            break
        moves.append({str(ply % 2): found["move"]})
    moves.append({str(ply % 2): worst["move"]})
    (event,) = web.get("/api/evaluate", game("isolation", moves, agent=agent))["events"]
    assert (event["turn"], event["kind"], event["player"]) == (len(moves), "blunder", ply % 2)
    assert event["text"].startswith(f"{worst['move']} loses")


HOME_IN_ONE = {"options": {"players": "2"}, "seed": 1, "start": "0,45,0,0/35,35,44,29 A6"}
ALL_TIE, FACING = (
    {"seed": 1, "start": "t9 A97:b7,a7,a6,a5 B97:c6,c5,c4,d4 food:e7,e2"},
    {"seed": 1, "start": "t30 A90:c4,b4,a4,a5 B90:e4,f4,g4,g5 food:d7"},
)
"""A can only die together with B, or alone; and A can move between the heads."""


def test_a_large_score_of_a_rule_is_no_proof(web: Web) -> None:
    agent = "rulebased:as_written"
    found = decide(web, "ludo", agent, explain=False, **HOME_IN_ONE)
    assert (found["score"], found["verdict"], found["candidates"][0]["verdict"]) == (1e6, "+1,000,000", "+1,000,000")
    assert not any("proven" in one for one in found["candidates"])
    (scores,) = web.get("/api/evaluate", game("ludo", agent=agent) | HOME_IN_ONE)["scores"]
    assert scores[0] == {"score": 1e6, "verdict": "+1,000,000"}


def test_proven_ties_and_losses_are_told_apart_and_a_tie_is_no_blunder(web: Web) -> None:
    agent = "alphabeta:voronoi,depth=2"
    found = decide(web, "battlesnake", agent, **ALL_TIE)
    proven = {one["verdict"]: one["proven"] for one in found["candidates"]}
    assert [*proven.values()] == [{"result": 0, "plies": 2}, {"result": -1, "plies": 2}]
    (scores,) = web.get("/api/evaluate", game("battlesnake", agent=agent) | ALL_TIE)["scores"]
    assert (scores[0]["verdict"], scores[0]["proven"]) == next(iter(proven.items()))
    found = decide(web, "battlesnake", agent, **FACING)
    assert next(iter(proven)) in [one["verdict"] for one in found["candidates"] if one["move"] == "right"]
    ended = game("battlesnake", [{"0": "right", "1": "left"}], agent=agent) | FACING
    assert web.get("/api/evaluate", ended)["events"] == []


def test_a_decision_in_ludo_has_the_rule_the_phase_the_table_and_exact_values(web: Web) -> None:
    mover = web.last(game("ludo"))["frames"][0]["actors"][0]
    rules = decide(web, "ludo", "rulebased:corrected", mover)
    assert rules["notes"]["phase"]
    assert all(one["note"] for one in rules["candidates"])
    assert all(verdict.startswith("wins ") for verdict in rules["solver"].values())
    table = decide(web, "ludo", "tabular:combined_2p2t", mover)
    assert isinstance(table["notes"]["tuple"], list)
    assert all(isinstance(one["score"], float) for one in table["candidates"])


def test_a_mixed_strategy_comes_with_its_matrix(web: Web) -> None:
    found = decide(web, "flagwar", "matrix,size=16", moves=[{"0": "2d1", "1": "2u1"}])
    matrix = found["matrix"]
    rows, columns = len(matrix["rows"]), len(matrix["columns"])
    assert 1 < rows <= 12
    assert [len(row) for row in matrix["payoffs"]] == [columns] * rows
    assert matrix["row_chances"] == sorted(matrix["row_chances"], reverse=True)
    assert sum(matrix["row_chances"]) == pytest.approx(1, abs=1e-3)
    chances = {one["move"]: one["chance"] for one in found["candidates"] if "chance" in one}
    assert chances[matrix["rows"][0]] == pytest.approx(matrix["row_chances"][0], abs=1e-4)


def test_an_agent_that_thinks_for_hours_costs_its_own_answers_only(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as threads, page(tmp_path) as web:
        (mover,) = web.last({"game": "ludo", "moves": []})["frames"][0]["actors"]
        long = {"game": "ludo", "player": mover, "agent": "rollouts:one_ply,games=100000"}
        waiting = [threads.submit(web.ask, "/api/decide", long) for _ in range(10)]
        assert web.get("/api/decide", game("isolation", player=0, agent="greedy"))["move"]
        assert not any(one.done() for one in waiting)


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"agent": "nobody"}, "unknown agent of isolation 'nobody'"),
        ({"player": 1}, "player 1 is not to move here; 0 is"),
        ({"agent": "http://127.0.0.1:9/"}, "agents with an address play in the terminal only"),
        ({"agent": "/tmp/mine.py:idea"}, "no file '/tmp/mine.py' in the folder of the page"),
        ({"agent": "../mine.py:idea"}, "no file '../mine.py' in the folder of the page"),
        ({"agent": "/tmp/tuned.toml"}, "no file '/tmp/tuned.toml' in the folder of the page"),
        ({"agent": "-x"}, "agent: String should match pattern"),
        ({"seconds": 3600}, "seconds: Input should be less than or equal to 5"),
    ],
)
def test_an_agent_that_cannot_be_asked_is_refused(web: Web, more: Any, error: str) -> None:
    assert web.ask("/api/decide", game("isolation", player=0, agent="random") | more).error.startswith(error)


def test_an_agent_evaluates_a_whole_game(web: Web, played: dict[str, Any]) -> None:
    agents = {"isolation": "next_moves,depth=2", "ludo": "one_ply", "battlesnake": "flood_fill", "flagwar": "utility"}
    found = web.get("/api/evaluate", {**played, "agent": agents[played["game"]]})
    assert len(found["scores"]) == len(played["moves"]) + 1
    assert found["scores"][-1] is None
    assert {len(scores) for scores in found["scores"] if scores} == {2}
    if played["game"] == "isolation":
        assert all(first["score"] == -second["score"] for first, second in found["scores"][:-1])
    assert ("luck" in found) == (played["game"] == "ludo")


def test_luck_skill_and_the_choices_of_others_add_up_to_the_result(web: Web) -> None:
    """The chances are exact: the player to roll first is a little ahead, and one of the two wins."""
    one = game("ludo")
    outcome = web.play(one, random.Random(3))["outcome"]
    luck = web.get("/api/evaluate", {**one, "agent": "furthest"})["luck"]
    assert luck["by"] == "exact chances"
    changes = [player["luck"] + player["skill"] + player["others"] for player in luck["players"]]
    first = [result - change for result, change in zip(outcome, changes, strict=True)]
    assert sum(first) == pytest.approx(1)
    assert 0.4 < first[0] < 0.7
    assert all(player["skill"] < 0 < player["others"] for player in luck["players"])
    perfect = game("ludo", seed=3)
    for _ in range(12):
        (mover,) = web.last(perfect)["frames"][0]["actors"]
        move = web.get("/api/decide", {**perfect, "player": mover, "agent": "perfect"})["move"]
        perfect["moves"].append({str(mover): move})
    luck = web.get("/api/evaluate", {**perfect, "agent": "furthest"})["luck"]
    assert [player["skill"] for player in luck["players"]] == pytest.approx([0, 0])


# Logs


def uploaded(web: Web, file: Path) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = web.get("/api/upload", file.read_text(), kind=TEXT)["games"]
    return games


def as_value(found: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the part of a finished game that requests have."""
    return {name: found[name] for name in ("game", "options", "seed", "start", "moves") if name in found} | more


def test_saved_and_exported_games_can_be_opened(web: Web) -> None:
    store = ("--store", web.folder / "logs.db")
    did("match", "isolation", "greedy", "random", "--games", 4, "--save", web.folder / "games.txt", *store)
    did("export", "last", web.folder / "games.jsonl", *store)
    saved, exported = (uploaded(web, web.folder / name) for name in ("games.txt", "games.jsonl"))
    assert [one["moves"] for one in saved] == [one["moves"] for one in exported]
    assert (len(saved), saved[0]["agents"], saved[1]["agents"]) == (4, ["greedy", "random"], ["random", "greedy"])
    assert web.last(as_value(saved[0]))["frames"][0]["outcome"] == saved[0]["scores"]


@pytest.mark.parametrize(
    ("agents", "words", "replayable"),
    [
        (["flagwar", "utility", "random"], ["timeline", "last", "--jsonl"], True),
        (["battlesnake", "random_safe", "random"], ["snake", "log", "last"], False),
    ],
)
def test_a_log_of_a_game_can_be_opened(web: Web, agents: list[str], words: Any, replayable: bool) -> None:
    store, file = ("--store", web.folder / "logs.db"), web.folder / f"{agents[0]}.jsonl"
    did("match", *agents, "--games", 2, *store)
    did(*words, file, *store)
    (found,) = uploaded(web, file)
    assert [found["game"], *found["agents"]] == agents
    if replayable:
        assert web.last(as_value(found))["frames"][0]["outcome"] == found["scores"]
    else:
        frames = found["frames"]
        assert len(frames) == len(found["moves"]) + 1
        assert frames[-1]["outcome"] == found["scores"]
        assert web.last(as_value(found, moves=[]))["frames"][0]["svg"] == frames[0]["svg"]


@pytest.mark.parametrize(
    ("log", "error"),
    [
        ("", "this is no log of a game; expected games of `--save`"),
        ("[1, 2]", "this is no log of a game"),
        ('{"moves": []}', "a line of an export: rules: Field required"),
        ('[Game "isolation"]', "the upload: a game lacks its header [Seed ...]"),
        ('[Game "isolation"]\n[Seed "1"]\n[Start "../... A"]\n[Result "1-0"]', "rows of different lengths"),
        ('{"board": 1}', "'board' is 1; expected an object"),
    ],
)
def test_a_file_that_is_no_log_is_refused(web: Web, log: str, error: str) -> None:
    assert error in web.ask("/api/upload", log, kind=TEXT).error


# Users' files


def test_a_file_is_written_whole_and_not_over_the_text_of_somebody_else(web: Web) -> None:
    listed = web.get("/api/files")
    assert listed["folder"] == web.folder.name
    assert {"name": "mine.py", "heuristics": ["idea", "uncompiled"], "agents": ["crashes"]} in listed["files"]
    new = web.get("/api/files/new.py", {"text": "first = 1\r\n"}, method="PUT")
    assert (web.folder / "new.py").read_bytes() == b"first = 1\r\n"
    assert web.get("/api/files/new.py") == {**new, "text": "first = 1\r\n"}
    later = web.get("/api/files/new.py", {"text": "second = 2", "changed": new["changed"]}, method="PUT")
    assert later["changed"] != new["changed"]
    for text in ({"text": "third"}, {"text": "third", "changed": new["changed"]}):
        answer = web.ask("/api/files/new.py", text, method="PUT")
        assert (answer.status, answer.error) == (409, "new.py has changed since it was read; read it again")
    assert (web.folder / "new.py").read_text() == "second = 2"


def test_a_new_file_starts_from_the_annotated_example_of_its_game(web: Web) -> None:
    for name in ("isolation", "ludo"):
        did("new", name, web.folder / "fresh.py")
        text = (web.folder / "fresh.py").read_text()
        (web.folder / "fresh.py").unlink()
        began = web.get("/api/files/fresh.py/begin", {"game": name})["text"]
        assert began == text.replace(f"{web.folder}/", "")
        assert f'@heuristic("{name}"' in began and "def fresh(s, me):" in began
    assert not (web.folder / "fresh.py").exists()
    assert "exits means something else" in web.ask("/api/files/exits.py/begin", {"game": "isolation"}).error


def test_a_heuristic_is_checked_and_its_errors_have_their_line(web: Web) -> None:
    assert set(decide(web, "isolation", "mine.py:idea,depth=2")["candidates"][0]["terms"]) == {"idea"}
    file, head = web.folder / "wrong.py", "from sparring import agent, heuristic\n"

    def check(text: str, game: str = "ludo") -> Any:
        file.write_text(head + text)
        return web.get("/api/files/wrong.py/check", {"game": game})

    rest = "@heuristic('ludo')\ndef f(s, me):\n    return 1"
    assert check("def f(:\n")["errors"][0]["line"] == 2
    runs = "@agent('ludo')\ndef f(view):\n    return view.legal[0]"
    for line, text in ((3, f"\nraise KeyError('x')\n{runs}"), (4, rest.replace("1", "one"))):
        found = check(text)
        assert (found["ok"], found["errors"][0]["line"], found["specs"]) == (False, line, ["wrong.py:f"])
    assert check(rest) == {"ok": True, "errors": [], "specs": ["wrong.py:f"]}
    (error,) = check(rest, "isolation")["errors"]
    assert error["message"].startswith("it declares nothing for isolation")


def test_a_toml_file_stands_for_the_agent_in_it(web: Web) -> None:
    tuned, question = web.folder / "tuned.toml", game("isolation", player=0, agent="tuned.toml")
    tuned.write_text('game = "isolation"\nagent = "habit.py"\n')
    habit = 'from sparring import agent\n\n@agent("isolation")\ndef habit(view):\n    return view.legal[{}]\n'
    moves = []
    for choice in (0, -1):
        (web.folder / "habit.py").write_text(habit.format(choice))
        moves.append(web.get("/api/decide", question)["move"])
    assert moves[0] != moves[1]
    tuned.write_text('game = "isolation"\nagent = "/tmp/habit.py"\n')
    assert web.ask("/api/decide", question).error.startswith("no file '/tmp/habit.py' in the folder of the page")


def test_code_that_crashes_is_an_error_and_the_server_goes_on(web: Web) -> None:
    found = web.get("/api/files/mine.py/check", {"game": "isolation"})
    errors = {one["message"]: one["line"] for one in found["errors"]}
    assert found["ok"] is False
    assert [line for message, line in errors.items() if "uncompiled cannot be compiled" in message] == [11]
    crash = web.ask("/api/decide", game("isolation", player=0, agent="mine.py:crashes")).error
    assert crash.endswith("(mine.py:15)")
    assert decide(web, "isolation", "mine.py:idea,depth=2", explain=False)["move"]
