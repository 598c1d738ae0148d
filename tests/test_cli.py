"""The `spar` command as a person meets it: what it prints, how it ends, and what it says of a slip."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
import xml.etree.ElementTree as ElementTree
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import sparring
from commands import Said, did, finished, started
from commands import spar as here
from sparring.arena.store import Store
from sparring.cli import output
from sparring.cli import spar as spar_command
from strangers import installed

GAMES = ["battlesnake", "flagwar", "isolation", "ludo"]
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


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_file.py").write_text(HEURISTIC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spar(*words: str) -> Said:
    said = here(*words)
    return said._replace(err=said.err.replace("compiling (first run only) ...\n", ""))


# Help, versions, completion


def test_help_lists_every_command_in_its_group_with_a_sentence_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    told = spar("--help")
    groups = re.findall(r"(?m)^(\w[\w ]*):\n((?:  \w+ +[A-Z].*\n?)+)", told.out)
    listed = {title: re.findall(r"(?m)^  (\w+)", text) for title, text in groups}
    assert (told.code, sorted(name for names in listed.values() for name in names)) == (0, COMMANDS)
    assert [*listed][:5] == ["Play and compare", "Understand", "Improve", "Look", "Develop"]
    assert (listed["Only for battlesnake"], listed["Only for flagwar"]) == (["serve", "snake"], ["timeline"])
    assert not re.findall(r"(?m)^  \w+ .*\.\.\.$", told.out)
    assert told.out.index("spar new ") < told.out.index("spar match ")
    assert spar().out == told.out


def test_help_and_mistakes_need_no_compiler_however_spar_is_started(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))  # other tests list other games
    bare = home / "bare"
    bare.mkdir()
    (bare / "sitecustomize.py").write_text("import sys; sys.modules.update(numba=None, numpy=None)")
    around = {**os.environ, "PYTHONPATH": f"{bare}{os.pathsep}{Path(sparring.__file__).parents[1]}", "COLUMNS": "80"}
    module, script = ("-m", "sparring"), ("-c", "from sparring.cli import main; main()")

    def run(*words: str) -> tuple[int, str, str]:
        done = subprocess.run([sys.executable, *words], env=around, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    assert run(*module, "--version") == (0, f"spar, version {sparring.__version__}\n", "")
    assert run(*script, "match", "--help")[0] == run(*module, "completion", "fish")[0] == 0
    assert run(*script, "matcth") == (2, "", "spar: unknown command 'matcth'; did you mean match?\n")
    assert run(*module, "agents", "isolatoin")[2].startswith("spar: unknown game 'isolatoin'; did you mean isolation?")
    for words in (("games",), ("agents", "isolation", "--json")):
        kept = finished(started(home, *words))
        assert run(*module, *words) == (0, kept.out, "")


def test_there_is_one_version() -> None:
    cited = re.search(r"(?m)^version: (.*)$", (Path(__file__).parents[1] / "CITATION.cff").read_text())
    assert cited
    assert cited[1] == sparring.__version__


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store and the only experiment in it."""
    file = tmp_path_factory.mktemp("kept") / "games.db"
    with Store(file) as store:
        return file, sparring.match("isolation", "random", "greedy", games=2, store=store).id


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("ma", ["plain,match"]),
        ("match iso", ["plain,isolation"]),
        ("match solation", ["file,solation"]),
        ("mach iso", []),
        ("match isolation vor", ["plain,voronoi"]),
        ("match isolation --boa", ["plain,--board"]),
        ("match isolation my_", ["file,my_"]),
        ("match nothing vor", ["file,vor"]),
        ("tune isolation open --against vor", ["plain,voronoi"]),
        ("run seed-00", [f"plain,seed-00{number}" for number in range(5)]),
        ("reproduce 003", ["plain,003"]),
        ("report las", ["plain,last"]),
        ("report ID", ["plain,ID"]),
        ("report --store nowhere.db las", ["file,las"]),
        ("completion f", ["plain,fish"]),
    ],
)
def test_a_shell_completes_all_that_can_be_named(line: str, found: list[str], kept: tuple[Path, str]) -> None:
    store, id = kept
    words = f"spar {line.replace('ID', id[:6])}", str(len(line.split()))
    around = {"_SPAR_COMPLETE": "bash_complete", "SPARRING_STORE": str(store), "COMP_WORDS": words[0]}
    said = CliRunner().invoke(spar_command, prog_name="spar", env={**around, "COMP_CWORD": words[1]})
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout.split() == [one.replace("ID", id) for one in found]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    told = spar(command, "--help")
    assert (told.code, told.err) == (0, "")
    assert re.match(rf"Usage: .* {command} .*\n\n  [A-Z]", told.out)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell_asks_spar_what_to_complete(shell: str) -> None:
    assert f"_SPAR_COMPLETE={shell}_complete" in spar("completion", shell).out


def test_a_package_may_bring_commands_of_its_own(tmp_path: Path) -> None:
    code = 'import click\n\n@click.command()\ndef hello():\n    """Greet."""\n    print(\'good morning\')\n'
    files = {"greeting.py": code, "torn.py": "import not_there\n"}
    points = {"sparring.commands": {"hello": "greeting:hello", "torn": "torn:command"}}
    with installed(tmp_path, "greetings", files, points):
        told = spar("--help").out
        assert "Only for greetings:\n  hello        Greet.\n  torn         Cannot be loaded.\n" in told
        assert spar("hello").out == "good morning\n"
        broken = spar("torn", "--option", "x")
        assert (broken.code, broken.out) == (2, "")
        assert broken.err.startswith("spar: torn of the package greetings cannot be ")
        assert spar("games").code == 0
    assert spar("hello").err.startswith("spar: unknown command 'hello'")


# Typical use


def test_games_lists_all_and_tells_more_about_one() -> None:
    first = "isolation: alternating, no chance, 2 players\n  --board 7x7 --piece knight --opening random\n"
    assert first in spar("games").out
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


@pytest.mark.parametrize("width", [60, 80, 200])
def test_agents_are_described_in_sentences_as_wide_as_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    told = spar("agents", "battlesnake").out
    about = json.loads(spar("agents", "battlesnake", "--json").out)
    for what in [*about["agents"].values(), *about["heuristics"].values()]:
        assert what in " ".join(told.split())
    assert max(map(len, told.split("\n\n")[0].splitlines())) in range(width - 20, width + 1)
    assert width < 80 or max(map(len, told.splitlines())) <= width


def test_agents_lists_what_can_be_named_and_suggests_a_match_that_can_be_played() -> None:
    told = spar("agents", "isolation").out
    for name in ["random", "perfect", "next_moves", "voronoi"]:
        assert re.search(rf"^  {name} +\w", told, re.MULTILINE)
    for search in ["alphabeta +nodes=", "mcts +iterations=", "minimax +depth="]:
        assert re.search(rf"^  {search}", told, re.MULTILINE)
    assert spar(*told.split("try: spar ")[1].split(), "--games", "2").code == 0


def test_a_match_prints_its_result_and_how_to_repeat_it_and_look_closer() -> None:
    told = spar(
        "match", "isolation", "my_file.py:my_idea,depth=1", "random", "--games", "2", "--board", "6x6", "--strict"
    )
    assert (told.code, told.err) == (0, "")
    again, closer = told.out.splitlines()[-2:]
    assert again.startswith("again: spar match isolation my_file.py:my_idea,depth=1 random --games 2 --seed 1")
    assert again.endswith(" --board 6x6 --strict") or again.endswith(" --board 6x6")
    assert re.fullmatch(r"details: spar report ([0-9a-f]{12}), spar replay \1 --game 1", closer)


def test_long_work_without_a_terminal_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "FIRST_LINE_SECONDS", 0.01)
    monkeypatch.setattr(output, "SECONDS_BETWEEN", (0.01, 0.02))
    said = ""

    def await_line(line: str) -> None:
        nonlocal said
        deadline = time.monotonic() + TERMINAL_SECONDS
        while line not in said.splitlines() and time.monotonic() < deadline:
            said += capsys.readouterr().err
        assert line in said.splitlines()

    with output.progress("solving", "positions") as tell:
        await_line("solving ...")
        tell(1200, 5000, "all won")
        await_line("solving: 1,200 of 5,000 positions all won")
    said = capsys.readouterr().out
    with output.progress("playing") as tell:
        tell(1, 2)
    assert said == capsys.readouterr().out == "", "standard output is for the result"


def test_explain_shows_the_board_the_decision_and_every_candidate() -> None:
    words = ["explain", "isolation", "--agent", "next_moves,depth=3", "--position", "d4 e6", "--svg", "board.svg"]
    told = spar(*words, "--why-not", "c6")
    assert (told.code, told.err) == (0, "")
    assert told.out.count("   A to move\n") == 1
    assert ElementTree.parse("board.svg").getroot().tag.endswith("svg")
    assert re.search(r"^why not c6\? c6 ", told.out, re.MULTILINE)
    assert re.search(r"^next_moves,depth=3 plays \w\d", told.out, re.MULTILINE)
    rows = re.findall(r"^[> ] {2}(\w\d) +[-+<]", told.out, re.MULTILINE)
    assert sorted(rows) == sorted(["c6", "b5", "f5", "b3", "f3", "c2", "e2"])


def test_the_options_of_a_game_reach_it() -> None:
    told = spar("explain", "isolation", "--agent", "random", "--board", "4x5", "--piece=queen")
    rows = told.out.split("\n\n")[0].splitlines()
    assert [len(row.split()) for row in rows[:5]] == [6, 6, 6, 6, 5]
    assert any(mark in told.out for mark in "AB")


def test_results_and_listings_can_be_had_as_json() -> None:
    match = spar("match", *SHORT, "--json", "--save", "games.txt")
    (pairing,) = json.loads(match.out)["pairings"]
    assert (json.loads(match.out)["seed"], pairing["games"]) == (1, 2)
    assert match.err == "look at a game: spar replay games.txt --game 1\n"
    league = json.loads(spar("league", *SHORT, "greedy", "--json").out)
    assert len(league["pairings"]) == len(league["ratings"]) == 3
    asked = ["explain", "isolation", "--agent", "open,depth=1", "--position", "d4 e6", "--why-not", "c6", "--json"]
    one, two = json.loads(spar(*asked).out), json.loads(spar(*asked, "--agent", "greedy").out)
    assert (one["move"], len(one["candidates"]), [*one["why_not"]]) == (one["candidates"][0]["move"], 7, ["c6"])
    assert [decision["agent"] for decision in two] == ["open,depth=1", "greedy"]
    assert [game["game"] for game in json.loads(spar("games", "--json").out)] == GAMES


def test_an_agent_that_is_named_twice_is_measured_once() -> None:
    for words in (["grade", "isolation", "--board", "4x4", "--games", "12", "random"], ["suite", "flagwar", "random"]):
        once = spar(*words)
        assert (once.code, spar(*words, "random").out) == (0, once.out)


# Slips


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("matcth isolation open random", "unknown command 'matcth'; did you mean match?"),
        ("match", "Missing argument 'GAME'."),
        ("match isolaton open random", "unknown game 'isolaton'; did you mean isolation?"),
        ("match isolation open opn", "unknown agent of isolation 'opn'; did you mean open"),
        ("match isolation open open", "open cannot meet itself; name two different agents"),
        ("match isolation open random --games few", "--games must be a number, such as 0.5 or 20k, not 'few'"),
        ("match isolation open random --workers 0", "--workers must be a whole number from 1 to 256, not '0'"),
        ("match isolation open random --limit 5", "limit must be such as 150ms or 2s, not '5'"),
        ("match isolation open random --bord 6x6", "unknown option '--bord'; did you mean --board"),
        ("match isolation open random --gmaes 4", "unknown option '--gmaes'; did you mean --games"),
        ("match isolation open random -x", "unknown option -x; options look like --board 6x6"),
        ("match isolation open random --save /nowhere/games.txt", "cannot write /nowhere/games.txt"),
        ("match isolation open random --workers 2 --cluster auto", "a cluster has its own workers"),
        ("run seed-003 --workers 2 --cluster auto", "a cluster has its own workers"),
        ("run", "name a file, or an experiment by --again."),
        ("run --again 3f2a --games 4", "--again plays the same games: change nothing."),
        ("tune isolation", "name one agent."),
        ("grade isolation", "name at least one agent."),
        ("grade ludo --players 2 --tokens 2 random --plot grades.svg", "exact grades of ludo are a table; leave out"),
        ("solve isolation --first c3 --position d4", "--first belongs to a whole board, not to a --position."),
        ("explain isolation --agent open --agent greedy --svg a.svg", "--svg draws one decision: name one --agent"),
        ("explain isolation --agent open --svg /nowhere/board.svg", "cannot write /nowhere/board.svg"),
        (
            "explain isolation --agent wild.py:my_idea,depth=1",
            "wild.py:my_idea,depth=1 failed: IndexError: index is out",
        ),
        ("explain isolation --agent open --board 3x3 --position A##/###/##B+A", "the game is over in A##/###/##B A;"),
        (
            "exploit flagwar matrix:slow.py:not_compilable --games 2 --strict",
            "slow.py:14: not_compilable cannot be compiled",
        ),
        ("match isolation open random --board", "--board needs a value"),
        ("solve isolation --strict", "unknown option '--strict'; did you mean "),
        ("match isolation open random --board 6", "no board '6'; expected ROWSxCOLUMNS"),
        ("match isolation open random --piece rook", "unknown piece 'rook'; known: knight, queen"),
        ("match isolation open random --opening d4,d4", "no cell 'd4,d4' on a 7x7 board; expected a1 to g7"),
        ("match isolation nowhere.py random", "no file nowhere.py"),
        ("match isolation my_file.py random", "my_file.py declares 2 things; say which: my_file.py:my_idea, "),
        ("league isolation open", "name at least two agents"),
        ("games isolatoin", "unknown game 'isolatoin'; did you mean isolation?"),
        ("games isolation extra", "Got unexpected extra argument (extra)"),
        ("explain isolation", "Missing option '--agent'."),
        ("explain isolation --agent open --position d4x", "no cell 'd4x' on a 7x7 board; expected a1 to g7"),
        ("explain isolation --agent open,depth=1 --why-not z9", "z9 is not legal here; legal: "),
        ("explain isolation extra --agent open", "'extra' is not expected here."),
        ("replay nowhere.txt", "no file nowhere.txt; `spar match ... --save nowhere.txt` writes one"),
        ("replay my_file.py", "my_file.py: a game lacks its header [Game ...]"),
        ("replay nowhere.txt --gmae 2", "No such option"),
    ],
)
def test_a_mistake_costs_one_line_and_exit_code_2(words: str, told: str, home: Path) -> None:
    Path("wild.py").write_text(HEURISTIC.replace("count(exits(s, me))", "s.at[me + 7]"))
    Path("slow.py").write_text(HEURISTIC.replace('"isolation"', '"flagwar"').replace("count(exits(s, me))", "1.0"))
    ended = spar(*(word.replace("+", " ") for word in words.split()))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.replace(f"{home}/", "").startswith(f"spar: {told}")
    assert ended.err.count("\n") == 1


def test_few_names_are_suggested_for_a_short_one() -> None:
    assert spar("match", "isolation", "a", "random").err.count(" or ") < 5


@pytest.mark.slow
def test_a_reader_that_leaves_early_sees_no_error(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    around = {**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1])}
    around.pop("PYTHONUNBUFFERED", None)
    done = subprocess.run(
        [sys.executable, "-m", "sparring", "games"], env=around, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "match isolation my_file.py:not_compilable,depth=1 random --games 2",
        "run slow.toml",
        "suite isolation my_file.py:not_compilable,depth=1 --cases cases.toml",
    ],
)
def test_strict_refuses_a_slow_heuristic_wherever_it_would_play_else_it_is_told_once(words: str, home: Path) -> None:
    slow = 'game = "isolation"\nagents = ["my_file.py:not_compilable,depth=1", "random"]\ngames = 2'
    Path("slow.toml").write_text(slow)
    case = 'name = "{}"\nposition = "d4 e6"\naccept = ["c6"]\noptions = {{ {} }}\n'
    cases = [f"[[cases]]\n{case.format(name, chosen)}" for name, chosen in (("a", ""), ("b", 'opening = "free"'))]
    Path("cases.toml").write_text("\n".join(cases))
    assert spar(*words.split()).err.count("playing on in plain Python") == 1
    ended = spar(*words.split(), "--strict")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert f"{home / 'my_file.py'}:14: not_compilable cannot be compiled: " in ended.err


@pytest.mark.parametrize(
    "words",
    [
        "explain isolation --agent open,depth=1 --svg full.svg",
        "solve isolation --position d4,e6,f5,c5 --svg full.svg",
        "grade isolation random --board 4x4 --games 2 --plot full.svg",
    ],
)
def test_a_picture_for_which_there_is_no_room_costs_one_line(words: str) -> None:
    Path("full.svg").symlink_to("/dev/full")
    ended = spar(*(word.replace(",", " ") if "e6" in word else word for word in words.split()))
    assert (ended.code, ended.err) == (2, "spar: cannot write full.svg: No space left on device\n")


def test_a_link_to_a_picture_stays_a_link() -> None:
    Path("board.svg").symlink_to("elsewhere.svg")
    assert spar("explain", "isolation", "--agent", "open,depth=1", "--svg", "board.svg").code == 0
    assert Path("board.svg").is_symlink()
    ElementTree.fromstring(Path("elsewhere.svg").read_text())


@pytest.mark.parametrize(
    "words", ["experiments", "report last", "replay 3f2a", "export 3f2a a.csv", "blunders last", "run --again 3f2a"]
)
def test_a_command_that_only_reads_makes_no_new_store(words: str) -> None:
    ended = spar(*words.split(), "--store", "typo.db")
    assert "no games are stored in typo.db yet" in ended.out + ended.err
    assert not list(Path().glob("typo.db*"))


# Replay


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("saved") / "games.txt"
    did("match", "isolation", "open,depth=1", "improved,depth=2", "--games", 4, "--seed", 3, "--save", file)
    return file


def test_a_saved_match_lists_its_games_and_shows_the_first_unless_another_is_named(saved: Path) -> None:
    first, last = (did("replay", saved, "--game", number) for number in (1, 4))
    assert did("replay", saved) == first != last
    assert spar("replay", str(saved), "--game", "5").err == f"spar: {saved} has games 1 to 4; game 5 does not exist\n"
    listed = did("replay", saved, "--list").splitlines()
    assert len(listed) == 4
    assert listed[0].startswith("    1  open,depth=1 v improved,depth=2: ")
    assert listed[1].startswith("    2  improved,depth=2 v open,depth=1: ")
    steps = re.findall(r"^move (\d+) of (\d+): (start|after \w\d)", first, re.MULTILINE)
    end = int(steps[0][1])
    assert [int(step) for step, _, _ in steps] == list(range(end + 1))
    assert first.count("   a b c d e f g\n") == end + 1


TERMINAL_SECONDS = 120
"""Time for anything to happen, on a busy machine."""
BOARD_END = r"[^\0]*[AB]\r?\n"
"""A whole screen ends with the position's text, whose last letter says who is to move."""


class Terminal:
    """A person at a terminal who presses keys and reads what is shown."""

    def __init__(self, *words: str | Path) -> None:
        self.shown = ""
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sparring", *words],
            env={**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1]), "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def press(self, key: str) -> None:
        """Press a key once the program waits for one: what comes earlier, a terminal may drop."""
        deadline = time.monotonic() + TERMINAL_SECONDS
        while termios.tcgetattr(self.master)[3] & termios.ICANON and time.monotonic() < deadline:
            time.sleep(0.002)
        self.shown = ""
        os.write(self.master, key.encode())

    def read_until(self, pattern: str) -> bool:
        """Read what is shown until it matches; false if it never does."""
        deadline = time.monotonic() + TERMINAL_SECONDS
        while not re.search(pattern, self.shown) and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.1)[0]:
                self.shown += os.read(self.master, 4096).decode()
        return bool(re.search(pattern, self.shown))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.mark.parametrize(("key_to_leave", "code", "told"), [("q", 0, ""), ("\x03", 130, "spar: stopped")])
def test_at_a_terminal_keys_step_through_a_game(saved: Path, key_to_leave: str, code: int, told: str) -> None:
    with closing(Terminal("replay", saved)) as terminal:
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
        terminal.press(key_to_leave)
        assert terminal.read_until(told)
        assert terminal.process.wait(timeout=TERMINAL_SECONDS) == code
        assert "Traceback" not in terminal.shown


@pytest.mark.slow
def test_ctrl_c_ends_a_very_long_match_at_once(tmp_path: Path) -> None:
    match = ["match", "isolation", "open,depth=1", "random", "--store", "games.db", "--games", "100000000"]
    running = started(tmp_path, *match)
    try:
        kept, deadline = tmp_path / "games.db-wal", time.monotonic() + 60
        while not (kept.exists() and kept.stat().st_size > 500_000) and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        assert running.returncode == 130
    finally:
        running.kill()
