"""Boards of the webhook API and logs of the official command line, read and written."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import spar
from sparring.agents.spec import agent
from sparring.arena.referee import play
from sparring.core.errors import SparringError
from sparring.games.battlesnake import api, logs
from sparring.games.battlesnake.board import body_of, food_of, hazards_of
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import CAUSES, NOBODY
from sparring.games.logs import load


def points(*cells: tuple[int, int]) -> list[dict[str, int]]:
    return [{"x": x, "y": y} for x, y in cells]


def bare() -> dict[str, Any]:
    """As little as a board can say."""
    snakes = [{"id": "one", "body": points((1, 1), (1, 2))}, {"id": "two", "body": points((5, 5))}]
    return {"board": {"width": 7, "height": 7, "snakes": snakes}}


def played(tmp_path: Path, **options: Any) -> tuple[Battlesnake, list[Any], Path]:
    """A game with its states, and its log."""
    made = Battlesnake(**{"players": 4, **options})
    game = play(made, [agent(made, "random_safe")] * made.seats, seed=3)
    states = [position.state for position in game.positions()]
    logs.write_log(tmp_path / "game.jsonl", made, states, ["ann", "bob", "cy", "di"][: made.seats])
    return made, states, tmp_path / "game.jsonl"


# Requests


def test_a_request_has_the_shape_of_the_official_one() -> None:
    made = Battlesnake(players=2, map="royale", hazard_damage=3)
    s = made.parse("t7 A90:b2,b3,c3 B80:e5*3 food:a1,c4 hazards:a2*2")
    sent = api.request(made, s, you=1, ids=["x", "y"], names=["Xa", "Yb"])
    assert list(sent) == ["game", "turn", "board", "you"]
    assert list(sent["game"]) == ["id", "ruleset", "map", "timeout", "source"]
    assert list(sent["game"]["ruleset"]) == ["name", "version", "settings"]
    assert sent["game"]["ruleset"]["settings"] == {
        "foodSpawnChance": 15,
        "minimumFood": 1,
        "hazardDamagePerTurn": 3,
        "hazardMap": "",
        "hazardMapAuthor": "",
        "royale": {"shrinkEveryNTurns": 25},
        "squad": dict.fromkeys(("allowBodyCollisions", "sharedElimination", "sharedHealth", "sharedLength"), False),
    }
    assert list(sent["board"]) == ["height", "width", "snakes", "food", "hazards"]
    assert sent["board"]["food"] == points((0, 0), (2, 3))
    assert sent["board"]["hazards"] == points((0, 1), (0, 1))
    assert sent["you"] == {
        "id": "y",
        "name": "Yb",
        "latency": "0",
        "health": 80,
        "body": points((4, 4), (4, 4), (4, 4)),
        "head": {"x": 4, "y": 4},
        "length": 3,
        "shout": "",
        "squad": "",
        "customizations": {"color": "#888888", "head": "default", "tail": "default"},
    }


def test_a_request_is_read_as_it_was_written() -> None:
    made = Battlesnake(players=2, rules="wrapped", map="hz_rings", board="19x19", food_spawn_chance=25)
    s = made.new(4)
    seen = api.read(json.dumps(api.request(made, s, you=1, ids=["x", "y"], names=["Xa", "Yb"])))
    assert seen.position.game.options() == made.options()
    assert seen.text == made.text(s)
    assert (seen.ids, seen.names, seen.you) == (("x", "y"), ("Xa", "Yb"), 1)


def test_a_board_that_says_next_to_nothing_is_a_standard_game() -> None:
    seen = api.read(bare())
    assert seen.text == "t0 A100:b2,b3 B100:f6"
    assert seen.position.game.options() == Battlesnake(players=2, board="7x7").options()
    assert seen.you == NOBODY


@pytest.mark.parametrize("missing", ["settings", "ruleset", "map", "game"])
def test_what_other_engines_leave_out_is_as_in_official_games(missing: str) -> None:
    sent = api.request(Battlesnake(), Battlesnake().new(1), you=0)
    where = {"settings": sent["game"]["ruleset"], "game": sent}.get(missing, sent["game"])
    del where[missing]
    assert api.read(sent).text == Battlesnake().text(Battlesnake().new(1))


@pytest.mark.parametrize("map", ["arcade_maze", "seed_002"], ids=["unknown", "for another board"])
def test_rules_and_maps_that_cannot_be_are_standard_numbers_have_limits_and_null_is_nothing(map: str) -> None:
    settings = {"foodSpawnChance": 1000, "royale": None}
    data = bare() | {"game": {"ruleset": {"name": "squad", "settings": settings}, "map": map}}
    data["board"] |= {"food": None, "hazards": None}
    seen = api.read(data)
    assert seen.text == "t0 A100:b2,b3 B100:f6"
    assert seen.position.game.options() == Battlesnake(board="7x7", food_spawn_chance=100).options()


def test_food_and_hazards_count_twice_and_hazards_beside_the_board_only_if_they_mean_something() -> None:
    """snail_mode remembers above the board where tails were."""
    data = bare()
    hazards = points((2, 3), (2, 3), (2, 9), (2, 9), (-4, 1), (40, 70))
    data["board"] |= {"food": points((3, 3), (0, 0), (3, 3)), "hazards": hazards}
    s = api.read(data).position.state
    assert food_of(s) == [(3, 3), (0, 0), (3, 3)]
    assert hazards_of(s) == [(2, 3), (2, 3), (2, 9), (2, 9)]


def test_a_decided_board_with_one_snake_is_read_too() -> None:
    data = bare()
    data["board"]["snakes"].pop()
    seen = api.read(data | {"you": {"id": "two"}})
    assert (seen.position.game.seats, seen.you) == (1, NOBODY)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("not json", "this is no JSON"),
        ("[1, 2]", "expected a JSON object"),
        ({"turn": 3}, "'board' is missing"),
        ({"board": {"snakes": []}}, "0 snakes on a board; expected 1 to 8"),
        ({"board": {"snakes": [{"body": points((1, 1))}]}}, "'width' is missing"),
        ({"board": {"width": 7, "height": 7, "snakes": [{"id": "a"}]}}, "'body' is missing"),
        ({"board": {"width": 7, "height": 7, "snakes": [{"body": []}]}}, "snake A has 0 segments"),
        ({"board": {"width": 7, "height": 7, "snakes": [{"body": points((7, 1))}]}}, "not on the board of 7x7"),
    ],
)
def test_a_board_that_cannot_be_one_is_told(data: Any, message: str) -> None:
    with pytest.raises(SparringError, match=message):
        api.read(data)


# Logs


def test_a_log_is_the_game_then_every_turn_then_the_winner(tmp_path: Path) -> None:
    made, states, file = played(tmp_path)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0] == api.game_json(made)
    assert [line["turn"] for line in lines[1:-1]] == list(range(len(states)))
    survivor = [snake["name"] for snake in lines[-2]["board"]["snakes"]]
    assert lines[-1] == {
        "winnerId": survivor[0] if survivor else "",
        "winnerName": survivor[0] if survivor else "",
        "isDraw": not survivor,
    }


@pytest.mark.parametrize(
    "options",
    [
        {"players": 2, "board": "7x7"},
        {"rules": "wrapped", "food_spawn_chance": 50, "map": "hz_rings"},
        {"rules": "constrictor", "map": "empty"},
        {"map": "royale", "shrink_every": 5},
        {"map": "snail_mode"},
    ],
    ids=str,
)
def test_a_log_is_read_back_with_the_deaths_that_it_does_not_tell(tmp_path: Path, options: dict[str, Any]) -> None:
    made, states, file = played(tmp_path, **options)
    log = load(file)
    assert log.agents == ("ann", "bob", "cy", "di")[: made.seats]
    assert log.game.options() == made.options()
    assert [living(step.position.state) for step in log.steps] == [living(s) for s in states]
    assert [step.position.outcome for step in log.steps] == [made.outcome(s) for s in states]
    assert all(step.actions for step in log.steps[:-1])


def living(s: Any) -> list[Any]:
    """All there is to know of the living, and when the others died."""
    return [
        (int(s.health[snake]), body_of(s, snake)) if s.cause[snake] == 0 else int(s.died_on[snake])
        for snake in range(s.snakes)
    ] + [food_of(s), hazards_of(s)]


def test_a_logged_turn_becomes_a_position_to_play_on_from(tmp_path: Path) -> None:
    made, states, file = played(tmp_path)
    text = load(file).at(5).text
    assert text == made.text(states[5])
    position = made.position(text)
    assert position.after(dict.fromkeys(position.actors, "up")).state.turn == 6


def test_deaths_that_no_move_explains_are_unknown(tmp_path: Path) -> None:
    """As in a log of an engine with other rules, or one with turns missing."""
    _, states, file = played(tmp_path)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1], lines[-2], lines[-1]]))
    last = load(file).steps[-1].position.state
    dead = [snake for snake in range(4) if last.cause[snake]]
    assert dead == [snake for snake in range(4) if states[-1].cause[snake]]
    assert {CAUSES[last.cause[snake]] for snake in dead} == {"unknown"}


def test_a_death_that_several_moves_explain_is_not_blamed_on_the_neck(tmp_path: Path) -> None:
    made = Battlesnake(players=2)
    states = [made.parse("t5 A50:a5,a6,a7 B50:h7,h6,h5")]
    states.append(made.copy(states[0]))
    made.play_turn(states[1], {0: 2, 1: 0})
    logs.write_log(tmp_path / "game.jsonl", made, states)
    log = load(tmp_path / "game.jsonl")
    assert log.steps[0].actions == {0: 2, 1: 0}
    assert CAUSES[log.steps[1].position.state.cause[0]] == "wall-collision"


def test_an_official_log_with_a_snake_that_is_alone_is_read(tmp_path: Path) -> None:
    """The official line of a turn, with what it sends for a game of one."""
    made = Battlesnake(players=1)
    turn = api.request(made, made.new(1), you=0)
    file = tmp_path / "solo.jsonl"
    end = {"winnerId": "", "winnerName": "", "isDraw": False}
    file.write_text("\n".join(json.dumps(line) for line in (turn["game"], turn, end)))
    assert load(file).at(0).text == made.text(made.new(1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}\n", "is no log of a game; expected a log of `battlesnake play"),
        (b"\xff\xfe{}", "is not a text in UTF-8"),
        (None, "no file"),
    ],
)
def test_a_file_that_is_no_log_is_told(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content:
        (tmp_path / "bad.jsonl").write_bytes(content)
    with pytest.raises(SparringError, match=message):
        load(tmp_path / "bad.jsonl")


@pytest.mark.slow
def test_a_log_is_stepped_through_and_its_turns_are_explained(tmp_path: Path) -> None:
    _, states, file = played(tmp_path, players=2, board="7x7")
    screens = spar("replay", file).out.split("ann v bob: ")
    assert len(screens) == 1 + len(states)
    assert "turn 1\n" in screens[2]
    said = spar("explain", "battlesnake", "--agent", "random_safe", "--position", f"{file}@1", "--player", "B")
    assert said.code == 0
    assert "random_safe plays" in said.out
    assert "turn 1\n" in said.out
    said = spar("explain", "battlesnake", "--agent", "random_safe", "--position", f"{file}@9999", "--player", "A")
    assert said.code == 2
    assert "no turn 9999 in this game" in said.err


@pytest.mark.slow
def test_a_kept_game_is_written_as_an_official_log(tmp_path: Path) -> None:
    store, file = tmp_path / "games.db", tmp_path / "game.jsonl"
    spar("match", "battlesnake", "random_safe", "random", "--games", 2, "--board", "7x7", "--store", store)
    said = spar("snake", "log", "last", file, "--game", 2, "--store", store)
    assert said.out == f"look at it: spar replay {file}\n"
    log = load(file)
    assert log.agents == ("random", "random_safe")
    assert json.loads(file.read_text().splitlines()[-1])["winnerName"] in ("", *log.agents)


def test_a_game_of_another_kind_is_no_log_of_snakes(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    spar("match", "isolation", "random", "greedy", "--games", 2, "--board", "4x4", "--store", store)
    said = spar("snake", "log", "last", tmp_path / "game.jsonl", "--store", store)
    assert said.code == 2
    assert "not of battlesnake" in said.err
    assert not (tmp_path / "game.jsonl").exists()


def test_a_log_has_one_game(tmp_path: Path) -> None:
    file = tmp_path / "any.jsonl"
    file.touch()
    told = spar("replay", file, "--game", 2).err
    assert told == f"spar: {file} is the log of one game: leave --game and --list out\n"


def test_a_timeout_without_an_address_is_refused() -> None:
    assert "no snake here has an address" in spar("snake", "arena", "random", "random_safe", "--timeout", "200ms").err
    assert "timeout must be such as" in spar("snake", "arena", "random", "random_safe", "--timeout", "bla").err
