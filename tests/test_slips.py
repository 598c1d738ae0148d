"""Slips that people make, and what must not happen then: no traceback, no lost games, no silent guess."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring.agents.agent import FunctionAgent, View
from sparring.arena import gametext
from sparring.arena.referee import play
from sparring.cli import main

GAME = sparring.game("isolation")

IDEAS = """\
from sparring import heuristic


@heuristic("isolation")
def idea(s, me):
    return 1.0
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ideas.py").write_text(IDEAS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def process(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'spar'; from sparring.cli import main; main()", *words],
        env={**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1]), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def spar(*words: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["spar", *words])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0)


def function_agent(function: Any) -> FunctionAgent:
    return FunctionAgent(function.__name__, sparring.agent("isolation")(function))


def test_a_file_edited_within_the_same_second_is_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    text = 'from sparring import heuristic\n@heuristic("isolation")\ndef idea(s, me):\n    return {}.0\n'
    scores = []
    for value in range(1, 5):
        (folder / "idea.py").write_text(text.format(value))
        os.utime(folder / "idea.py", (1_000_000_000, 1_000_000_000))
        scores.append(sparring.explain(GAME, "idea.py,depth=1").score)
    assert scores == [1, 2, 3, 4]


def test_a_number_beyond_all_bounds_is_refused() -> None:
    with pytest.raises(sparring.SparringError):
        sparring.agent(GAME, "open,nodes=1e400")


def test_half_a_ply_is_refused() -> None:
    with pytest.raises(sparring.SparringError):
        sparring.agent(GAME, "open,depth=2.7")


def test_two_searches_in_one_spec_are_refused() -> None:
    with pytest.raises(sparring.SparringError):
        sparring.agent(GAME, "alphabeta:open,search=minimax")


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(sparring.SparringError):
        sparring.agent(GAME, "open,depth=2,depth=3")


def test_a_path_may_hold_blanks(folder: Path) -> None:
    (folder / "my ideas.py").write_text(IDEAS)
    assert sparring.agent(GAME, "my ideas.py:idea")


def test_a_file_that_quits_is_told_so(folder: Path) -> None:
    (folder / "quits.py").write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(sparring.SparringError):
        sparring.agent(GAME, "quits.py")


def test_agent_without_parentheses_is_told_how_to_write_it(folder: Path) -> None:
    (folder / "bare.py").write_text("from sparring import agent\n@agent\ndef idea(view):\n    return view.legal[0]\n")
    with pytest.raises(sparring.SparringError, match=r'@agent\("NAME"\)'):
        sparring.agent(GAME, "bare.py")


def test_random_numbers_of_a_view_repeat_with_the_game() -> None:
    def gambles(view: View) -> int:
        return view.random.choice(view.legal)

    def moves(seed: int) -> list[str]:
        opponent = sparring.agent(GAME, "random")
        return [turn.action for turn in play(GAME, (function_agent(gambles), opponent), seed).turns]

    assert moves(5) == moves(5) != moves(6)


def test_an_agent_draws_other_random_numbers_at_every_move() -> None:
    drawn: list[float] = []

    def gambles(view: View) -> int:
        drawn.append(view.random.random())
        return view.legal[0]

    play(GAME, (function_agent(gambles), sparring.agent(GAME, "random")), seed=1)
    assert len(set(drawn)) == len(drawn) > 1


def test_an_agent_that_quits_the_program_loses_only_its_games(folder: Path) -> None:
    def quits(view: View) -> int:
        sys.exit(0)

    match = sparring.match(GAME, function_agent(quits), "random", games=2)
    assert {game.reason.split(":")[0] for game in match.games} == {"crash"}


def test_a_legal_move_stays_legal_after_scribbling_over_the_state() -> None:
    def scribbles(view: View) -> int:
        move = view.legal[0]
        view.state.blocked = -1
        return move

    match = sparring.match(GAME, function_agent(scribbles), "random", games=2)
    assert {game.reason for game in match.games} == {"no moves left"}


def test_agents_that_are_objects_need_no_second_name() -> None:
    one, two = function_agent(lambda view: view.legal[0]), function_agent(lambda view: view.legal[-1])
    one.spec, two.spec = "one", "two"
    assert sparring.match(GAME, one, two, games=2).names == ["one", "two"]


def test_a_game_read_back_knows_who_moved() -> None:
    game = sparring.match(GAME, "open,depth=1", "random", games=2).games[0]
    assert gametext.read(gametext.write(game)).turns == game.turns


@pytest.mark.parametrize(
    ("old", "new"),
    [('[Seed "', '[Seed "x'), ('[Result "', '[Result "x'), ('[Options "board=7x7', '[Options "board')],
)
def test_a_damaged_header_is_told_what_is_wrong_with_it(old: str, new: str) -> None:
    game = sparring.match(GAME, "open,depth=1", "random", games=2).games[0]
    damaged = gametext.write(game).replace(old, new, 1)
    assert damaged != gametext.write(game)
    with pytest.raises(sparring.SparringError):
        gametext.read(damaged)


def test_a_file_that_is_no_text_is_told_so(folder: Path) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(sparring.SparringError):
        gametext.load(folder / "picture.png")


@pytest.mark.slow
@pytest.mark.parametrize(("games", "after"), [(20_000_000, 0.0), (20_000_000, 0.1), (100_000_000, 0.5)])
def test_ctrl_c_ends_a_very_long_match_at_once(games: int, after: float, tmp_path: Path) -> None:
    match = ["match", "isolation", "open,depth=1", "random", "--store", "games.db"]
    running = subprocess.Popen(
        [sys.executable, "-c", "from sparring.cli import main; main()", *match, "--games", str(games)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        kept, deadline = tmp_path / "games.db-wal", time.monotonic() + 60
        while not (kept.exists() and kept.stat().st_size > 500_000) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(after)
        running.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.communicate(timeout=10)
        assert running.returncode == 130
    finally:
        running.kill()
        running.communicate()


def test_a_place_that_cannot_be_written_is_told_before_the_games_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    done = process("match", "isolation", "open,depth=1", "random", "--games", "2", "--save", "/nowhere/games.txt")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_picture_that_cannot_be_written_shows_no_traceback() -> None:
    done = process("explain", "isolation", "--agent", "open,depth=1", "--svg", "/nowhere/board.svg")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_spar_alone_shows_the_help_and_no_error() -> None:
    done = process()
    assert "spar: Usage" not in done.stdout + done.stderr
    assert "Commands:" in done.stdout + done.stderr


def test_a_misspelt_command_is_told_what_was_meant() -> None:
    assert "match" in process("macth", "isolation", "open", "random").stderr


def test_a_short_option_nobody_knows_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    spar("match", "isolation", "open", "random", "-x")
    assert "-x" in capsys.readouterr().err


def test_few_names_are_suggested_for_a_short_one(capsys: pytest.CaptureFixture[str]) -> None:
    spar("match", "isolation", "a", "random")
    assert capsys.readouterr().err.count(" or ") < 5


def test_a_reader_that_leaves_early_sees_no_error(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    around = {**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1])}
    around.pop("PYTHONUNBUFFERED", None)
    done = subprocess.run(
        [sys.executable, "-c", "from sparring.cli import main; main()", "games"],
        env=around,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert done.stderr == ""
