"""A mistake in a Python call is told in one line that names the remedy, and never costs more than a game."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring.agents.agent import FunctionAgent, View
from sparring.arena.referee import play
from sparring.arena.store import Store
from sparring.games.isolation import heuristics
from sparring.games.ludo.abstraction import Abstraction

ISOLATION, LUDO = sparring.game("isolation", board="4x5"), sparring.game("ludo", players=2)
SNAKES, FLAGS = sparring.game("battlesnake"), sparring.game("flagwar")
START = ISOLATION.start(1)
OPEN = heuristics.open


def kept() -> Any:
    return Store(Path("games.db"))


def user_file(text: str) -> Any:
    Path("my file.py").write_text(text)
    return sparring.agent("isolation", "my file.py")


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "no game": (lambda: sparring.game("chess"), "unknown game 'chess'"),
    "a game that is no text": (lambda: sparring.game(None), "name a game"),  # type: ignore[arg-type]
    "no option": (lambda: sparring.game("isolation", bord="4x5"), "did you mean board?"),
    "an agent that is a number": (lambda: sparring.agent("isolation", 3), "3 is no agent"),  # type: ignore[call-overload]
    "an unknown fix": (lambda: sparring.agent(LUDO, "rulebased:as_written,fix=nonsense"), "nonsense"),
    "one agent": (lambda: sparring.match(ISOLATION, "random"), "takes two agents, not 1"),
    "agents that are one text": (lambda: sparring.league(ISOLATION, "random"), "must be a list of agents"),
    "no games": (lambda: sparring.match(ISOLATION, "random", "greedy", games=0), "games must be a whole number"),
    "odd games": (lambda: sparring.match(ISOLATION, "random", "greedy", games=3), "an even number"),
    "games in words": (lambda: sparring.match(ISOLATION, "random", "greedy", games="many"), "games must be"),
    "too many games": (lambda: sparring.match(ISOLATION, "random", "greedy", games=10**10), "games"),
    "a negative seed": (lambda: sparring.match(ISOLATION, "random", "greedy", seed=-1), "seed must be"),
    "no workers": (lambda: sparring.match(ISOLATION, "random", "greedy", workers=0), "workers must be"),
    "an unknown setting": (lambda: sparring.match(ISOLATION, "random", "greedy", gmes=2), "unknown setting 'gmes'"),
    "a store that is a text": (lambda: sparring.match(ISOLATION, "random", "greedy", store="x.db"), "store"),
    "a budget without bounds": (lambda: sparring.agent("isolation", "open,nodes=1e400"), "nodes"),
    "half a ply": (lambda: sparring.agent("isolation", "open,depth=2.7"), "depth"),
    "two searches": (lambda: sparring.agent("isolation", "alphabeta:open,search=minimax"), "search"),
    "an option twice": (lambda: sparring.agent("isolation", "open,depth=2,depth=3"), "given twice"),
    "a file that quits": (lambda: user_file("import sys\nsys.exit(0)\n"), "SystemExit"),
    "a bare decorator": (
        lambda: user_file("from sparring import agent\n@agent\ndef idea(view):\n    return 0\n"),
        '@agent("NAME")',
    ),
    "an option of another game": (lambda: sparring.match("isolation", "random", "greedy", players=2), "players"),
    "options beside a game": (lambda: sparring.explain(LUDO, "random", players=3), "sparring.game("),
    "an option that there is not": (lambda: sparring.explain("ludo", "random", player_s=3), "player_s"),
    "no file": (lambda: sparring.run("nowhere.toml"), "no experiment nowhere.toml"),
    "agents of a file in one text": (lambda: sparring.run("seed-003", only="open"), "only must be a list of agents"),
    "a file that is a number": (lambda: sparring.run(3), "name an experiment"),  # type: ignore[arg-type]
    "explain no agent": (lambda: sparring.explain(ISOLATION, None), "None is no agent"),  # type: ignore[arg-type]
    "explain nowhere": (lambda: sparring.explain(ISOLATION, "random", "nonsense"), "nonsense"),
    "explain nobody": (lambda: sparring.explain(ISOLATION, "random", player="C"), "unknown player to move 'C'"),
    "explain by a negative seed": (lambda: sparring.explain(ISOLATION, "random", seed=-1), "seed must be"),
    "explain another game": (lambda: sparring.explain(LUDO, "random", START), "a position of isolation"),
    "solve nowhere": (lambda: sparring.solve(ISOLATION, "nonsense"), "nonsense"),
    "solve from nowhere": (lambda: sparring.solve(ISOLATION, first="z9"), "z9"),
    "grade nobody": (lambda: sparring.grade(ISOLATION, []), "agent"),
    "grade one text": (lambda: sparring.grade(ISOLATION, "random"), "must be a list of agents"),
    "exploit three plies": (lambda: sparring.exploit("flagwar", "seed", plies=3), "plies must be"),
    "exploit in a game without an exploiter": (lambda: sparring.exploit("isolation", "random"), "isolation"),
    "a suite without tries": (lambda: sparring.suite("flagwar", ["seed"], tries=0), "tries must be"),
    "a suite of nobody": (lambda: sparring.suite("flagwar", []), "agent"),
    "a suite of no file": (lambda: sparring.suite("flagwar", ["seed"], cases="none.toml"), "none.toml"),
    "a suite of another game": (lambda: sparring.suite("isolation", ["random"]), "isolation"),
    "tune by no method": (lambda: sparring.tune(ISOLATION, "open,depth=1", method="luck"), "unknown method 'luck'"),
    "tune no term": (lambda: sparring.tune(ISOLATION, "next_moves,depth=1", only=["nothing"]), "nothing"),
    "tune terms in one text": (lambda: sparring.tune(ISOLATION, "open,depth=1", only="moves"), "only must be a list"),
    "tune against one text": (lambda: sparring.tune(ISOLATION, "open", against="x"), "against must be a list of"),
    "tune what is no text": (lambda: sparring.tune(ISOLATION, 5), "the text of an agent"),  # type: ignore[arg-type]
    "tune against an object": (lambda: sparring.tune(ISOLATION, "open", against=[OPEN]), "must be a list of texts"),
    "tune for another game": (lambda: sparring.tune(LUDO, OPEN, games=100), "open is written for isolation, not for"),
    "play another game": (lambda: sparring.match(LUDO, OPEN, "random"), "open is written for isolation, not for ludo"),
    "an option of an agent": (lambda: sparring.agent(ISOLATION, OPEN, nods=3), "did you mean nodes?"),
    "an option too late": (lambda: sparring.agent(ISOLATION, sparring.agent(ISOLATION, OPEN), nodes=3), "already"),
    "keep an object": (lambda: sparring.match(ISOLATION, OPEN, "random", store=kept()), "put your own into a file"),
    "ablate no part": (lambda: sparring.ablate(ISOLATION, "open,depth=1", only=["x"]), "'x'"),
    "reproduce no size": (lambda: sparring.reproduce(size="huge", out="x.md", store=kept()), "unknown size 'huge'"),
    "reproduce no document": (lambda: sparring.reproduce(["999"], out="x.md", store=kept()), "999"),
    "reproduce one text": (lambda: sparring.reproduce("003", out="x.md", store=kept()), "documents must be a list"),
    "a report of nothing": (lambda: sparring.report("abc", store=kept()), "no games are stored"),
    "blunders of nothing": (lambda: sparring.blunders("abc", store=kept()), "no games are stored"),
    "no blunders": (lambda: sparring.blunders("abc", store=kept(), most=0), "most must be"),
    "start by a negative seed": (lambda: ISOLATION.start(-1), "seed must be"),
    "a position that is a number": (lambda: ISOLATION.position(5), "a position"),  # type: ignore[arg-type]
    "no move": (lambda: START.after("nowhere"), "not legal here"),
    "a move of nobody": (lambda: START.after({5: "a1"}), "are to act"),
    "an unknown fix of a state": (lambda: Abstraction("zone", frozenset({"equty"})), "did you mean equity?"),
    **{
        f"{game.name}: {what}": (lambda game=game, data=data: game.from_json(data), "")
        for game in (ISOLATION, LUDO, SNAKES, FLAGS)
        for what, data in {
            "JSON of nothing": {},
            "JSON that is a text": "nonsense",
            "JSON that is a list": [],
            "JSON that is null": None,
            "JSON of strange keys": {"x": 1},
        }.items()
    },
}


@pytest.mark.parametrize("slip", CALLS)
def test_a_bad_call_is_refused_in_a_line(slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, told = CALLS[slip]
    with pytest.raises(sparring.SparringError) as error:
        call()
    assert told in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert not re.search(r"\.toml:\d", str(error.value)), "the call is wrong and not a file"


def test_what_the_command_line_understands_is_understood_here_too(tmp_path: Path) -> None:
    with Store(tmp_path / "games.db") as store:
        match = sparring.match("isolation", "random", "greedy", board="4x5", games="0.02k", store=store)
    assert (match.played, match.contest.game.options()["board"]) == (20, "4x5")
    assert sparring.explain("ludo", "random", players=2).position.game.seats == 2


def test_a_file_edited_within_the_same_second_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    scores = []
    for value in range(1, 4):
        code = f'from sparring import heuristic\n@heuristic("isolation")\ndef idea(s, me):\n    return {value}.0\n'
        Path("idea.py").write_text(code)
        os.utime("idea.py", (1_000_000_000, 1_000_000_000))
        scores.append(sparring.explain(ISOLATION, "idea.py,depth=1").score)
    assert scores == [1, 2, 3]


def test_random_numbers_of_a_view_repeat_with_the_game_and_differ_at_each_move() -> None:
    drawn: list[float] = []

    @sparring.agent("isolation")
    def gambles(view: View) -> Any:
        drawn.append(view.random.random())
        return view.legal[0]

    for seed in (5, 5, 6):
        play(ISOLATION, (FunctionAgent("gambles", gambles), sparring.agent(ISOLATION, "random")), seed)
    half = next(number for number in range(1, len(drawn)) if drawn[number] == drawn[0])
    assert drawn[:half] == drawn[half : 2 * half]
    assert len(set(drawn)) == len(drawn) - half


def test_an_agent_that_quits_the_program_loses_only_its_games() -> None:
    @sparring.agent("isolation")
    def quits(view: View) -> Any:
        sys.exit(0)

    match = sparring.match(ISOLATION, FunctionAgent("quits", quits), "random", games=2)
    assert {game.reason.split(":")[0] for game in match.games} == {"crash"}


def test_the_progress_of_an_experiment_counts_the_games_of_all_its_parts(tmp_path: Path) -> None:
    file, told = tmp_path / "parts.toml", list[tuple[int, int]]()
    parts = '[[parts]]\npart = "one"\n[[parts]]\npart = "two"\nseed = 2\n'
    file.write_text(f'game = "isolation"\nagents = ["random", "greedy"]\ngames = 2\n{parts}')
    sparring.run(file, progress=lambda done, total, known="": told.append((done, total)))
    assert (told[-1], sorted(told)) == ((4, 4), told)
