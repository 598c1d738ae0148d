"""Slips in Python are told as on the command line: one line that names the remedy, and never a traceback."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring.arena.store import Store
from sparring.games.ludo.abstraction import Abstraction

ISOLATION, LUDO = sparring.game("isolation", board="4x5"), sparring.game("ludo", players=2)
SNAKES, FLAGS = sparring.game("battlesnake"), sparring.game("flagwar")
START = ISOLATION.start(1)


def kept() -> Any:
    return Store(Path("games.db"))


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "no game": (lambda: sparring.game("chess"), "unknown game 'chess'"),
    "a game that is no text": (lambda: sparring.game(None), "name a game"),  # type: ignore[arg-type]
    "no option": (lambda: sparring.game("isolation", bord="4x5"), "did you mean board?"),
    "no board": (lambda: sparring.game("isolation", board="x"), "no board 'x'"),
    "a game that is a number": (lambda: sparring.match(7, "random", "greedy"), "name a game"),  # type: ignore[arg-type]
    "no agent": (lambda: sparring.agent("isolation", "nobody"), "unknown agent"),
    "an agent that is a number": (lambda: sparring.agent("isolation", 3), "3 is no agent"),  # type: ignore[call-overload]
    "unknown fixes": (lambda: sparring.agent(LUDO, "rulebased:as_written,fixes=nonsense"), "fixes"),
    "an unknown fix": (lambda: sparring.agent(LUDO, "rulebased:as_written,fix=nonsense"), "nonsense"),
    "one agent": (lambda: sparring.match(ISOLATION, "random"), "takes two agents, not 1"),
    "agents that are one text": (lambda: sparring.league(ISOLATION, "random"), "must be a list of agents"),
    "agents that are none": (lambda: sparring.league(ISOLATION, None), "must be a list of agents"),  # type: ignore[arg-type]
    "no games": (lambda: sparring.match(ISOLATION, "random", "greedy", games=0), "games must be a whole number"),
    "fewer than no games": (lambda: sparring.match(ISOLATION, "random", "greedy", games=-2), "games must be"),
    "odd games": (lambda: sparring.match(ISOLATION, "random", "greedy", games=3), "an even number"),
    "half a game": (lambda: sparring.match(ISOLATION, "random", "greedy", games=2.5), "games must be"),
    "games in words": (lambda: sparring.match(ISOLATION, "random", "greedy", games="many"), "games must be"),
    "too many games": (lambda: sparring.match(ISOLATION, "random", "greedy", games=10**10), "games"),
    "games that are yes": (lambda: sparring.match(ISOLATION, "random", "greedy", games=True), "games must be"),
    "a negative seed": (lambda: sparring.match(ISOLATION, "random", "greedy", seed=-1), "seed must be"),
    "no workers": (lambda: sparring.match(ISOLATION, "random", "greedy", workers=0), "workers must be"),
    "many workers": (lambda: sparring.match(ISOLATION, "random", "greedy", workers="1k"), "workers must be"),
    "an unknown setting": (lambda: sparring.match(ISOLATION, "random", "greedy", gmes=2), "unknown setting 'gmes'"),
    "no limit": (lambda: sparring.match(ISOLATION, "random", "greedy", limit="soon"), "limit must be"),
    "no test": (lambda: sparring.match(ISOLATION, "random", "greedy", sprt="10"), "a sequential test is such as"),
    "no seating": (lambda: sparring.match(ISOLATION, "random", "greedy", seating="round"), "seating"),
    "a store that is a text": (lambda: sparring.match(ISOLATION, "random", "greedy", store="x.db"), "store"),
    "an option of another game": (lambda: sparring.match("isolation", "random", "greedy", players=2), "players"),
    "options beside a game": (lambda: sparring.explain(LUDO, "random", players=3), "sparring.game("),
    "an option that there is not": (lambda: sparring.explain("ludo", "random", player_s=3), "player_s"),
    "no file": (lambda: sparring.run("nowhere.toml"), "no experiment nowhere.toml"),
    "no games of a file": (lambda: sparring.run("seed-003", games="x"), "games must be"),
    "fewer than no games of a file": (lambda: sparring.run("seed-003", games=-2), "games must be a whole number"),
    "a negative seed for a file": (lambda: sparring.run("seed-003", seed=-1), "seed must be a whole number"),
    "agents of a file in one text": (lambda: sparring.run("seed-003", only="open"), "only must be a list of agents"),
    "a file that is a number": (lambda: sparring.run(3), "name an experiment"),  # type: ignore[arg-type]
    "explain no agent": (lambda: sparring.explain(ISOLATION, None), "None is no agent"),  # type: ignore[arg-type]
    "explain nowhere": (lambda: sparring.explain(ISOLATION, "random", "nonsense"), "nonsense"),
    "explain a number": (lambda: sparring.explain(ISOLATION, "random", 5), "a position"),  # type: ignore[arg-type]
    "explain nobody": (lambda: sparring.explain(ISOLATION, "random", player="C"), "unknown player to move 'C'"),
    "explain by a negative seed": (lambda: sparring.explain(ISOLATION, "random", seed=-1), "seed must be"),
    "explain another game": (lambda: sparring.explain(LUDO, "random", START), "a position of isolation"),
    "solve nowhere": (lambda: sparring.solve(ISOLATION, "nonsense"), "nonsense"),
    "solve a number": (lambda: sparring.solve(ISOLATION, 5), "a position"),  # type: ignore[arg-type]
    "solve from nowhere": (lambda: sparring.solve(ISOLATION, first="z9"), "z9"),
    "solve what has no solver": (lambda: sparring.solve("flagwar"), "flagwar"),
    "grade nobody": (lambda: sparring.grade(ISOLATION, []), "agent"),
    "grade by no games": (lambda: sparring.grade(ISOLATION, ["random"], games=0), "games must be"),
    "grade one text": (lambda: sparring.grade(ISOLATION, "random"), "must be a list of agents"),
    "exploit three plies": (lambda: sparring.exploit("flagwar", "seed", plies=3), "plies must be"),
    "exploit no games": (lambda: sparring.exploit("flagwar", "seed", games=0), "games must be"),
    "exploit in a game without an exploiter": (lambda: sparring.exploit("isolation", "random"), "isolation"),
    "a suite without tries": (lambda: sparring.suite("flagwar", ["seed"], tries=0), "tries must be"),
    "a suite of nobody": (lambda: sparring.suite("flagwar", []), "agent"),
    "a suite of no file": (lambda: sparring.suite("flagwar", ["seed"], cases="none.toml"), "none.toml"),
    "a suite of another game": (lambda: sparring.suite("isolation", ["random"]), "isolation"),
    "tune by no method": (lambda: sparring.tune(ISOLATION, "open,depth=1", method="luck"), "unknown method 'luck'"),
    "tune by no games": (lambda: sparring.tune(ISOLATION, "open,depth=1", games=0), "games must be"),
    "tune no term": (lambda: sparring.tune(ISOLATION, "next_moves,depth=1", only=["nothing"]), "nothing"),
    "tune terms in one text": (lambda: sparring.tune(ISOLATION, "open,depth=1", only="moves"), "only must be a list"),
    "tune against one text": (lambda: sparring.tune(ISOLATION, "open", against="x"), "against must be a list of"),
    "tune what is no text": (lambda: sparring.tune(ISOLATION, 5), "the text of an agent"),  # type: ignore[arg-type]
    "ablate no part": (lambda: sparring.ablate(ISOLATION, "open,depth=1", only=["x"]), "'x'"),
    "ablate by no games": (lambda: sparring.ablate(ISOLATION, "open,depth=1", games="no"), "games must be"),
    "reproduce no size": (lambda: sparring.reproduce(size="huge", out="x.md", store=kept()), "unknown size 'huge'"),
    "reproduce no document": (lambda: sparring.reproduce(["999"], out="x.md", store=kept()), "999"),
    "reproduce one text": (lambda: sparring.reproduce("003", out="x.md", store=kept()), "documents must be a list"),
    "a report of nothing": (lambda: sparring.report("abc", store=kept()), "nothing is kept"),
    "a report without a store": (lambda: sparring.report("abc", store=None), "store"),  # type: ignore[arg-type]
    "blunders of nothing": (lambda: sparring.blunders("abc", store=kept()), "nothing is kept"),
    "no blunders": (lambda: sparring.blunders("abc", store=kept(), most=0), "most must be"),
    "check nothing": (lambda: sparring.check("chess"), "unknown game 'chess'"),
    "bench nothing": (lambda: sparring.bench(None), "name a game"),  # type: ignore[arg-type]
    "start by a negative seed": (lambda: ISOLATION.start(-1), "seed must be"),
    "start by a word": (lambda: ISOLATION.start("one"), "seed must be"),  # type: ignore[arg-type]
    "a position that is a number": (lambda: ISOLATION.position(5), "a position"),  # type: ignore[arg-type]
    "no move": (lambda: START.after("nowhere"), "not legal here"),
    "a move of nobody": (lambda: START.after({5: "a1"}), "are to act"),
    "nothing as a move": (lambda: START.after(None), "not legal here"),  # type: ignore[arg-type]
    "a row below the table": (lambda: Abstraction("potential").decode(-1), "row must be"),
    "a row above the table": (lambda: Abstraction("potential").decode(10**9), "row must be"),
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
