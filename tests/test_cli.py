"""The `spar` command as a person meets it: what it prints, how it ends, and what it says of a slip."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

import sparring
from sparring.cli import main
from sparring.cli import spar as spar_command
from strangers import installed

COMMANDS = spar_command.list_commands(click.Context(spar_command))
SHORT = ["isolation", "open,depth=1", "random", "--games", "2"]
HEURISTIC = """
from sparring import heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits


@heuristic("isolation")
def my_idea(s, me):
    return count(exits(s, me))


@heuristic("isolation")
def not_compilable(s, me):
    return max([1.0, 2.0], key=lambda value: value * me)
"""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


Spar = Callable[..., Ended]


@pytest.fixture
def spar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Spar:
    """The command in this process, in a folder of its own."""
    (tmp_path / "my_file.py").write_text(HEURISTIC)
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["spar", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return Ended(int(ended.value.code or 0), told.out, told.err.replace("compiling (first run only) ...\n", ""))

    return run


def in_a_process(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command as a shell starts it, with nobody at a terminal."""
    return subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'spar'; from sparring.cli import main; main()", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


# Help


def test_help_lists_every_command_with_what_it_is_for(spar: Spar) -> None:
    told = spar("--help")
    assert told.code == 0
    for command in ["agents", "explain", "games", "league", "match", "replay"]:
        assert re.search(rf"^  {command} +\w+", told.out, re.MULTILINE)


def test_what_a_command_is_for_is_said_in_a_sentence_that_fits(spar: Spar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    told = spar("--help").out
    assert re.findall(r"^  (\w+) .*\.\.\.$", told, re.MULTILINE) == []
    assert told.index("spar new ") < told.index("spar match ")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(spar: Spar, command: str) -> None:
    told = spar(command, "--help")
    assert (told.code, told.err) == (0, "")
    assert re.match(rf"Usage: .* {command} .*\n\n  [A-Z]", told.out)


def test_a_package_may_bring_commands_of_its_own(spar: Spar, tmp_path: Path) -> None:
    code = 'import click\n\n@click.command()\ndef hello():\n    """Greet."""\n    print(\'good morning\')\n'
    files = {"greeting.py": code, "torn.py": "import not_there\n"}
    points = {"sparring.commands": {"hello": "greeting:hello", "torn": "torn:command"}}
    with installed(tmp_path, "greetings", files, points):
        told = spar("--help").out
        assert "  hello        Greet.\n" in told
        assert "  torn         Cannot be loaded.\n" in told
        assert spar("hello").out == "good morning\n"
        broken = spar("torn", "--option", "x")
        assert (broken.code, broken.out) == (2, "")
        assert broken.err.startswith("spar: torn of the package greetings cannot be ")
        assert spar("games").code == 0
    assert spar("hello").err.startswith("spar: unknown command 'hello'")


def test_the_version_is_told(spar: Spar) -> None:
    assert spar("--version").out == f"spar, version {sparring.__version__}\n"


# Typical use


def test_games_lists_a_game_with_its_kind_and_options(spar: Spar) -> None:
    told = spar("games")
    assert told.code == 0
    assert "isolation: alternating, no chance, 2 players\n  --board 7x7 --piece knight --opening random\n" in told.out


def test_games_tells_all_about_one_game(spar: Spar) -> None:
    told = spar("games", "isolation").out
    assert re.search(r"^  --piece knight +knight, queen$", told, re.MULTILINE)
    assert "a game ends by: no moves left\n" in told
    assert re.search(r"^\d+ agents and \d+ heuristics: spar agents isolation$", told, re.MULTILINE)
    assert "  spar solve, spar grade " in told
    assert "spar exploit" not in told
    assert "positions with known answers" in spar("games", "flagwar").out
    about = json.loads(spar("games", "isolation", "--json").out)
    listed = json.loads(spar("agents", "isolation", "--json").out)
    assert (about["agents"], about["heuristics"]) == (len(listed["agents"]), len(listed["heuristics"]))
    assert spar("games", "isolatoin").err == "spar: unknown game 'isolatoin'; did you mean isolation?\n"


@pytest.mark.parametrize("width", [60, 200])
def test_agents_are_described_in_whole_sentences_as_wide_as_the_terminal(
    spar: Spar, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    told = spar("agents", "battlesnake").out
    about = json.loads(spar("agents", "battlesnake", "--json").out)
    for what in [*about["agents"].values(), *about["heuristics"].values()]:
        assert what in " ".join(told.split())
    assert max(map(len, told.split("\n\n")[0].splitlines())) in range(width - 20, width + 1)


def test_agents_lists_what_can_be_named(spar: Spar) -> None:
    told = spar("agents", "isolation")
    assert told.code == 0
    for name in ["random", "perfect", "next_moves", "voronoi"]:
        assert re.search(rf"^  {name} +\w", told.out, re.MULTILINE)


def test_the_match_that_agents_suggests_can_be_played(spar: Spar) -> None:
    suggested = spar("agents", "isolation").out.split("try: spar ")[1].split()
    assert spar(*suggested, "--games", "2").code == 0


def test_a_match_prints_its_result_and_nothing_else(spar: Spar) -> None:
    told = spar("match", *SHORT)
    assert (told.code, told.err) == (0, "")
    again, closer = told.out.splitlines()[-2:]
    assert again.startswith("again: spar match isolation open,depth=1 random --games 2 --seed 1")
    assert re.fullmatch(r"closer: spar report ([0-9a-f]{12}), spar replay \1 --game 1", closer)


def test_a_match_takes_a_heuristic_from_a_file(spar: Spar) -> None:
    told = spar("match", "isolation", "my_file.py:my_idea,depth=1", "random", "--games", "2", "--strict")
    assert (told.code, told.err) == (0, "")


def test_a_league_prints_a_cross_table(spar: Spar) -> None:
    told = spar("league", "isolation", "random", "open,depth=1", "improved,depth=1", "--games", "2")
    assert (told.code, told.err) == (0, "")
    assert "agent" in told.out
    assert "6 games in pairs with sides swapped" in told.out


def test_explain_shows_the_board_the_decision_and_every_candidate(spar: Spar) -> None:
    told = spar("explain", "isolation", "--agent", "next_moves,depth=3", "--position", "d4 e6")
    assert (told.code, told.err) == (0, "")
    assert "   A to move\n" in told.out
    assert re.search(r"^next_moves,depth=3 plays \w\d", told.out, re.MULTILINE)
    rows = re.findall(r"^[> ] {2}(\w\d) +[-+<]", told.out, re.MULTILINE)
    assert sorted(rows) == sorted(["c6", "b5", "f5", "b3", "f3", "c2", "e2"])


def test_explain_says_why_not_another_move(spar: Spar) -> None:
    told = spar("explain", "isolation", "--agent", "open,depth=1", "--position", "d4 e6", "--why-not", "c6")
    assert re.search(r"^why not c6\? c6 ", told.out, re.MULTILINE)


def test_explain_asks_several_agents_about_one_position(spar: Spar) -> None:
    told = spar("explain", "isolation", "--agent", "open,depth=1", "--agent", "improved,depth=1")
    assert "open,depth=1 plays " in told.out
    assert "improved,depth=1 plays " in told.out
    assert told.out.count(" to move\n") == 1


def test_explain_draws_the_candidates(spar: Spar) -> None:
    assert spar("explain", "isolation", "--agent", "open,depth=1", "--svg", "board.svg").code == 0
    assert ElementTree.parse("board.svg").getroot().tag.endswith("svg")


def test_the_options_of_a_game_reach_it(spar: Spar) -> None:
    told = spar("explain", "isolation", "--agent", "random", "--board", "4x5", "--piece=queen")
    rows = told.out.split("\n\n")[0].splitlines()
    assert [len(row.split()) for row in rows[:5]] == [6, 6, 6, 6, 5]
    assert any(mark in told.out for mark in "AB")


def test_the_options_of_a_game_are_in_the_command_to_repeat_it(spar: Spar) -> None:
    told = spar("match", *SHORT, "--board", "6x6")
    assert told.out.splitlines()[-2].endswith(" --board 6x6")


# JSON


def test_a_match_can_be_had_as_json(spar: Spar) -> None:
    told = json.loads(spar("match", *SHORT, "--json").out)
    (pairing,) = told["pairings"]
    assert (told["game"], told["seed"], pairing["games"]) == ("isolation", 1, 2)


def test_a_league_can_be_had_as_json(spar: Spar) -> None:
    told = json.loads(spar("league", *SHORT, "greedy", "--json").out)
    assert len(told["pairings"]) == len(told["ratings"]) == 3


def test_an_explanation_can_be_had_as_json(spar: Spar) -> None:
    told = json.loads(spar("explain", "isolation", "--agent", "open,depth=2", "--position", "d4 e6", "--json").out)
    assert told["move"] == told["candidates"][0]["move"]
    assert len(told["candidates"]) == 7


def test_json_holds_the_answers_to_why_not(spar: Spar) -> None:
    told = spar("explain", "isolation", "--agent", "open,depth=1", "--position", "d4 e6", "--why-not", "c6", "--json")
    assert list(json.loads(told.out)["why_not"]) == ["c6"]


def test_several_explanations_are_one_json_document(spar: Spar) -> None:
    told = spar("explain", "isolation", "--agent", "open,depth=1", "--agent", "greedy", "--json")
    assert [decision["agent"] for decision in json.loads(told.out)] == ["open,depth=1", "greedy"]


def test_listings_can_be_had_as_json(spar: Spar) -> None:
    listed = [game["game"] for game in json.loads(spar("games", "--json").out)]
    assert listed == ["battlesnake", "flagwar", "isolation", "ludo"]
    assert "voronoi" in json.loads(spar("agents", "isolation", "--json").out)["heuristics"]


def test_json_stays_clean_when_games_are_saved(spar: Spar) -> None:
    told = spar("match", *SHORT, "--json", "--save", "games.txt")
    assert json.loads(told.out)["pairings"]
    assert told.err == "look at a game: spar replay games.txt --game 1\n"


# Slips


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("macth isolation open random", "unknown command 'macth'; did you mean match?"),
        ("match", "Missing argument 'GAME'."),
        ("match isolaton open random", "unknown game 'isolaton'; did you mean isolation?"),
        ("match isolation open", "a match takes two agents, not 1; `spar agents isolation`"),
        ("match isolation open random greedy", "a match takes two agents, not 3; `spar agents isolation`"),
        ("match isolation open opn", "unknown agent of isolation 'opn'; did you mean open"),
        ("match isolation open open", "open cannot meet itself; name two different agents"),
        ("match isolation open random --games 3", "games come in pairs with the sides swapped: give an even number"),
        ("match isolation open random --games few", "--games must be a number, such as 0.5 or 20k, not 'few'"),
        ("match isolation open random --workers 0", "--workers must be a whole number from 1 to 256, not '0'"),
        ("match isolation open random --limit 5", "limit must be such as 150ms or 2s, not '5'"),
        ("match isolation open random --bord 6x6", "unknown option '--bord'; did you"),
        ("match isolation open random --gmaes 4", "unknown option '--gmaes'; did you"),
        ("match isolation open random --board", "--board needs a value"),
        ("solve isolation --strict", "unknown option '--strict'; did you mean "),
        ("match isolation open random --board 6", "no board '6'; expected ROWSxCOLUMNS"),
        ("match isolation open random --board 9x9", "no board '9x9'; expected ROWSxCOLUMNS"),
        ("match isolation open random --piece rook", "unknown piece 'rook'; known: knight, queen"),
        ("match isolation open random --opening d4,d4", "no cell 'd4,d4' on a 7x7 board; expected a1 to g7"),
        ("match isolation nowhere.py random", "no file nowhere.py"),
        ("match isolation my_file.py random", "my_file.py declares 2 things; say which: my_file.py:my_idea, "),
        ("league isolation open", "name at least two agents"),
        ("agents", "Missing argument 'GAME'."),
        ("agents ludoo", "unknown game 'ludoo'"),
        ("games isolation extra", "Got unexpected extra argument (extra)"),
        ("games isolatoin", "unknown game 'isolatoin'; did you mean isolation"),
        ("explain isolation", "Missing option '--agent'."),
        ("explain isolation --agent opne", "unknown agent of isolation 'opne'; did you mean open"),
        ("explain isolation --agent open --position d4x", "no cell 'd4x' on a 7x7 board; expected a1 to g7"),
        ("explain isolation --agent open --position ../.A./...", "rows of different lengths in '../.A./...'"),
        ("explain isolation --agent open --position .../.A./B..", "after the rows say who is to move, A or B"),
        ("explain isolation --agent open,depth=1 --why-not z9", "z9 is not legal here; legal: "),
        ("explain isolation extra --agent open", "'extra' is not expected here."),
        ("replay", "Missing argument 'SOURCE'."),
        ("replay nowhere.txt", "no file nowhere.txt; `spar match ... --save nowhere.txt` writes one"),
        ("replay my_file.py", "my_file.py: a game lacks its header [Game ...]"),
        ("replay nowhere.txt --gmae 2", "No such option"),
    ],
)
def test_a_slip_costs_one_line_and_exit_code_2(spar: Spar, words: str, told: str) -> None:
    ended = spar(*words.split())
    assert ended.code == 2
    assert ended.err.startswith(f"spar: {told}")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(("misspelt", "meant"), [("bord", "board"), ("gmaes", "games"), ("sede", "seed")])
def test_a_misspelt_option_is_told_what_was_meant(spar: Spar, misspelt: str, meant: str) -> None:
    assert re.search(rf"did you mean .*\b{meant}\b", spar("match", *SHORT, f"--{misspelt}", "4").err)


def test_a_game_that_is_over_has_nothing_to_explain(spar: Spar) -> None:
    ended = spar("explain", "isolation", "--agent", "open", "--board", "3x3", "--position", "A##/###/##B A")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "spar: the game is over in A##/###/##B A; nobody is to move\n"


def test_strict_refuses_a_heuristic_that_cannot_be_compiled(spar: Spar, tmp_path: Path) -> None:
    ended = spar("match", "isolation", "my_file.py:not_compilable", "random", "--games", "2", "--strict")
    assert (ended.code, ended.out) == (2, "")
    line = HEURISTIC[: HEURISTIC.index("return max(")].count("\n") + 1
    assert ended.err.startswith(f"spar: {tmp_path / 'my_file.py'}:{line}: not_compilable cannot be compiled: ")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    "words", ["run slow.toml", "suite isolation my_file.py:not_compilable,depth=1 --cases cases.toml"]
)
def test_strict_refuses_it_wherever_it_would_play_and_else_it_is_told_once(spar: Spar, words: str) -> None:
    slow = 'game = "isolation"\nagents = ["my_file.py:not_compilable,depth=1", "random"]\ngames = 2'
    Path("slow.toml").write_text(slow)
    case = 'name = "{}"\nposition = "d4 e6"\naccept = ["c6"]\noptions = {{ {} }}\n'
    cases = [f"[[cases]]\n{case.format(name, chosen)}" for name, chosen in (("a", ""), ("b", 'opening = "free"'))]
    Path("cases.toml").write_text("\n".join(cases))
    assert spar(*words.split()).err.count("playing on in plain Python") == 1
    ended = spar(*words.split(), "--strict")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "not_compilable cannot be compiled" in ended.err


def test_a_heuristic_that_cannot_be_compiled_is_not_exploited_if_that_is_strict(spar: Spar) -> None:
    Path("slow.py").write_text(HEURISTIC.replace('"isolation"', '"flagwar"').replace("count(exits(s, me))", "1.0"))
    ended = spar("exploit", "flagwar", "matrix:slow.py:not_compilable", "--games", "2", "--strict")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "not_compilable cannot be compiled" in ended.err


def test_an_agent_that_is_named_twice_is_graded_once(spar: Spar) -> None:
    small = ["isolation", "--board", "4x4", "--games", "12"]
    once = spar("grade", *small, "greedy")
    assert (once.code, spar("grade", *small, "greedy", "greedy").out) == (0, once.out)


def test_an_agent_that_is_named_twice_is_tried_on_a_suite_once(spar: Spar) -> None:
    assert spar("suite", "flagwar", "random", "random").out == spar("suite", "flagwar", "random").out


def test_what_cannot_be_plotted_is_refused_before_the_work(spar: Spar) -> None:
    ended = spar("grade", "ludo", "--players", "2", "--tokens", "2", "random", "--plot", "grades.svg")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "spar: exact grades of ludo are a table; leave out --plot\n"


@pytest.mark.parametrize(
    "words",
    [
        "explain isolation --agent open,depth=1 --svg full.svg",
        "solve isolation --position d4,e6,f5,c5 --svg full.svg",
        "grade isolation random --board 4x4 --games 2 --plot full.svg",
    ],
)
def test_a_picture_for_which_there_is_no_room_costs_one_line(spar: Spar, words: str) -> None:
    Path("full.svg").symlink_to("/dev/full")
    ended = spar(*(word.replace(",", " ") if "e6" in word else word for word in words.split()))
    assert (ended.code, ended.err) == (2, "spar: cannot write full.svg: No space left on device\n")


def test_a_link_to_a_picture_stays_a_link(spar: Spar) -> None:
    Path("board.svg").symlink_to("elsewhere.svg")
    assert spar("explain", "isolation", "--agent", "open,depth=1", "--svg", "board.svg").code == 0
    assert Path("board.svg").is_symlink()
    ElementTree.fromstring(Path("elsewhere.svg").read_text())


@pytest.mark.parametrize(
    "words", ["experiments", "report last", "replay 3f2a", "export 3f2a a.csv", "blunders last", "run --again 3f2a"]
)
def test_whoever_only_reads_makes_no_new_store(spar: Spar, words: str) -> None:
    ended = spar(*words.split(), "--store", "typo.db")
    assert "nothing is kept in typo.db yet" in ended.out + ended.err
    assert not list(Path().glob("typo.db*"))


def test_a_heuristic_that_fails_costs_no_traceback(spar: Spar) -> None:
    Path("wild.py").write_text(HEURISTIC.replace("count(exits(s, me))", "s.at[me + 7]"))
    ended = spar("explain", "isolation", "--agent", "wild.py:my_idea,depth=1")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "spar: wild.py:my_idea,depth=1 failed: IndexError: index is out of bounds\n"


def test_a_slip_in_a_real_process_shows_no_traceback(tmp_path: Path) -> None:
    done = in_a_process("match", "isolation", "voronoy", "random", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "spar: unknown agent of isolation 'voronoy'; did you mean voronoi?\n"


# Replay


@pytest.fixture
def saved(spar: Spar, tmp_path: Path) -> Path:
    spar("match", "isolation", "open,depth=1", "improved,depth=2", "--games", "4", "--seed", "3", "--save", "games.txt")
    return tmp_path / "games.txt"


def test_a_saved_match_lists_its_games(spar: Spar, saved: Path) -> None:
    told = spar("replay", "games.txt", "--list").out.splitlines()
    assert len(told) == 4
    assert told[0].startswith("    1  open,depth=1 v improved,depth=2: ")
    assert told[1].startswith("    2  improved,depth=2 v open,depth=1: ")


def test_without_a_terminal_all_positions_of_a_game_are_printed(saved: Path) -> None:
    done = in_a_process("replay", "games.txt", "--game", "2", cwd=saved.parent)
    assert (done.returncode, done.stderr) == (0, "")
    steps = re.findall(r"^move (\d+) of (\d+): (start|after \w\d)", done.stdout, re.MULTILINE)
    last = int(steps[0][1])
    assert [int(step) for step, _, _ in steps] == list(range(last + 1))
    assert done.stdout.count("   a b c d e f g\n") == last + 1


def test_the_first_game_is_shown_unless_another_is_named(spar: Spar, saved: Path) -> None:
    assert spar("replay", "games.txt").out == spar("replay", "games.txt", "--game", "1").out
    assert spar("replay", "games.txt").out != spar("replay", "games.txt", "--game", "2").out


def test_a_game_that_is_not_in_the_file_is_refused(spar: Spar, saved: Path) -> None:
    ended = spar("replay", "games.txt", "--game", "5")
    assert (ended.code, ended.err) == (2, "spar: games.txt has games 1 to 4; game 5 does not exist\n")


class Terminal:
    """A person at a terminal who presses keys and reads what is shown."""

    def __init__(self, *words: str, cwd: Path) -> None:
        self.shown = ""
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.argv[0] = 'spar'; from sparring.cli import main; main()", *words],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1]), "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def press(self, key: str) -> None:
        """Press a key once the program waits for one: what comes earlier, a terminal may drop."""
        deadline = time.monotonic() + 30
        while termios.tcgetattr(self.master)[3] & termios.ICANON and time.monotonic() < deadline:
            time.sleep(0.002)
        self.shown = ""
        os.write(self.master, key.encode())

    def read_until(self, pattern: str) -> bool:
        """Read what is shown until it matches; false if it never does."""
        deadline = time.monotonic() + 30
        while not re.search(pattern, self.shown) and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.1)[0]:
                self.shown += os.read(self.master, 4096).decode()
        return bool(re.search(pattern, self.shown))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal(saved: Path) -> Iterator[Terminal]:
    opened = Terminal("replay", "games.txt", cwd=saved.parent)
    yield opened
    opened.close()


BOARD_END = r"[^\0]*[AB]\r?\n"
"""A whole screen ends with the position's text, whose last letter says who is to move."""


def test_at_a_terminal_keys_step_through_a_game_and_q_leaves(terminal: Terminal) -> None:
    assert terminal.read_until("move 0 of [0-9]+: start" + BOARD_END)
    last = re.findall(r"move 0 of ([0-9]+)", terminal.shown)[0]
    for key, step in [
        ("\r", "1"),  # enter
        ("\x1b[C", "2"),  # right
        (" ", "3"),
        ("\x1b[D", "2"),  # left
        ("x", "2"),  # no key of ours
        ("\x1b[F", last),  # end
        ("\x1b[C", last),
        ("\x1b[H", "0"),  # home
        ("\x1b[D", "0"),
    ]:
        terminal.press(key)
        assert terminal.read_until(f"move {step} of {last}: " + BOARD_END), (key, terminal.shown)
    terminal.press("q")
    assert terminal.process.wait(timeout=30) == 0


def test_ctrl_c_at_a_terminal_leaves_without_a_traceback(terminal: Terminal) -> None:
    assert terminal.read_until("move 0 of [0-9]+: start" + BOARD_END)
    terminal.press("\x03")
    assert terminal.read_until("spar: stopped")
    assert terminal.process.wait(timeout=30) == 130
    assert "Traceback" not in terminal.shown
