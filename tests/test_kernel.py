"""Compiled code that is never stale, never silent and never reads garbage; and dice that repeat."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import sparring
from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.core.cache import FOLDERS_KEPT, code_hash, code_in
from sparring.core.dice import dice, roll, throw
from sparring.core.errors import CompileError
from sparring.core.kernel import kernel, number_at, table_address

PACKAGE = Path(sparring.__file__).parent
NOTICE = "compiling (first run only)"

MOVES_AND_SCORE = """
import sparring
from sparring.agents.spec import heuristics

game = sparring.game("isolation")
at = game.position("d4 e6")
mobility = heuristics(game)["open"]
print(len(at.legal), mobility.score(game.state)(at.state, 0, mobility.weigh()))
"""
"""Prints `7 7.0`: a knight on d4 of an empty 7x7 board has 8 moves, of which e6 is taken."""

SEARCHED_SCORES = """
import sparring

decision = sparring.explain("isolation", "open,depth=2", "d4 e6")
print(*(candidate.score for candidate in decision.candidates))
"""


EDITS = [
    ("games/isolation/state.py", "KNIGHT_STEPS = [(-2, -1), ", "KNIGHT_STEPS = [", "6 6.0"),
    ("core/bits.py", "lambda cells: _population(cells)", "lambda cells: 2 * _population(cells)", "7 14.0"),
]
"""A file, an edit of it, and the answer after it."""


def python(program: str, package: Path = PACKAGE, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own that imports the package from the given place."""
    around = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHONDONT"))}
    around |= {"PYTHONPATH": str(package.parent), **environment}
    done = subprocess.run([sys.executable, "-c", program], env=around, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done


def copied(package: Path, place: Path, with_compiled_code: bool) -> Path:
    ignored = [] if with_compiled_code else ["kernels"]
    return Path(shutil.copytree(package, place / "sparring", ignore=shutil.ignore_patterns(*ignored)))


def edit(package: Path, file: str, old: str, new: str) -> None:
    path = package / file
    text = path.read_text()
    assert text.count(old) == 1, f"{file} no longer holds {old!r} once: adapt this test"
    path.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def compiled_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package whose kernels have been compiled by a first run."""
    package = copied(PACKAGE, tmp_path_factory.mktemp("package"), with_compiled_code=False)
    first = python(MOVES_AND_SCORE, package)
    assert first.stdout == "7 7.0\n"
    assert NOTICE in first.stderr
    return package


# The cache


@pytest.mark.slow
def test_the_first_run_says_that_it_compiles_and_the_second_has_nothing_to_say(compiled_package: Path) -> None:
    again = python(MOVES_AND_SCORE, compiled_package)
    assert (again.stdout, again.stderr) == ("7 7.0\n", "")


@pytest.mark.slow
def test_the_next_run_sees_edits_of_any_file_and_rewording_or_undoing_them_compiles_nothing(
    compiled_package: Path, tmp_path: Path
) -> None:
    package = copied(compiled_package, tmp_path, with_compiled_code=True)
    for file in ("games/isolation/rules.py", "games/kernels.py", "core/kernel.py", "core/bits.py"):
        first, *rest = (package / file).read_text().split('"""', 2)
        (package / file).write_text(f'{first}"""Other words,\n\non three lines."""\n# and a remark\n{rest[1]}')
    for file in ("games/flagwar/commands.py", "games/isolation/agents/course.py", "api.py"):
        (package / file).write_text(
            (package / file).read_text() + "\nRATHER = 1\n"
        )  # the code does not come from there
    reworded = python(MOVES_AND_SCORE, package)
    assert (reworded.stdout, reworded.stderr) == ("7 7.0\n", "")
    for file, old, new, answer in EDITS:
        edit(package, file, old, new)
        assert python(MOVES_AND_SCORE, package).stdout == f"{answer}\n"
        edit(package, file, new, old)
    back = python(MOVES_AND_SCORE, package)
    assert (back.stdout, back.stderr) == ("7 7.0\n", "")


HASHED = '''"""Rules."""

SIZE = 3
WORDS = [word + "x" for word in ("a", "b")]


class Board:
    """A board."""

    side = 5


def corner(cell, step=1):
    """Whether it is one."""
    return cell + step in {"a", "b", "c"} or (lambda: "d")()
'''


@pytest.mark.parametrize(
    ("old", "new", "the_same"),
    [
        ('"""Rules."""', '"""Rules,\n\nreworded."""', True),
        ("SIZE = 3", 'SIZE = 3  # cells\n"""About it."""', True),
        ('"""A board."""', '"""Another."""', True),
        ('    """Whether it is one."""\n', "", True),
        ("SIZE = 3", "SIZE = 4", False),
        ('"x"', '"y"', False),
        ("side = 5", "side = 8", False),
        ("step=1", "step=2", False),
        ('"c"}', '"e"}', False),
        ('lambda: "d"', 'lambda: "e"', False),
        ("    return", "    assert step\n    return", False),
    ],
)
def test_rewording_keeps_the_hash_of_a_file_a_change_does_not(
    tmp_path: Path, old: str, new: str, the_same: bool
) -> None:
    assert old in HASHED
    hashes = []
    for name, text in (("before.py", HASHED), ("after.py", HASHED.replace(old, new))):
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (0, 0))  # not since this process began
        hashes.append(code_in(str(tmp_path / name)))
    assert (hashes[0] == hashes[1]) is the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("class Board: side = 1", "\nclass Board: side = 2"),  # both the line of the class
        ("try: a()\nexcept E: pass\nelse: b()", "try:\n a()\n b()\nexcept E: pass"),
    ],
)
def test_codes_that_hardly_differ_have_other_hashes(one: str, other: str) -> None:
    assert code_hash(compile(one, "", "exec")) != code_hash(compile(other, "", "exec"))


PLUG_IN_FROM_A_USERS_FILE = """
import sys
from pathlib import Path

from numba import types
from sparring.core import cache
from sparring.core.kernel import entry

cache.INSTALLED.add(Path(sys.path[1]) / "site")
sys.path.append(str(Path(sys.path[1]) / "site"))
from mine import double

print(entry(double, types.int64(types.int64))(10))
"""


@pytest.mark.slow
def test_an_edit_of_an_installed_plug_in_is_seen_by_a_users_heuristic(compiled_package: Path, tmp_path: Path) -> None:
    """Libraries that are installed are not looked at, but plug-ins are, with all that they import."""
    package = copied(compiled_package, tmp_path, with_compiled_code=True)
    metadata = tmp_path / "site/stranger-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[sparring.games]\nstranger = stranger.game:Stranger\n")
    plug_in = tmp_path / "site/stranger"
    plug_in.mkdir()
    (plug_in / "__init__.py").touch()
    (plug_in / "numbers.py").write_text("PRIZE = 5\n")
    (plug_in / "rules.py").write_text("from .numbers import PRIZE\n")
    (tmp_path / "mine.py").write_text(
        "from sparring.core.kernel import kernel\nfrom stranger.rules import PRIZE\n\n\n"
        "@kernel\ndef double(cells):\n    return 2 * PRIZE * cells\n"
    )
    assert python(PLUG_IN_FROM_A_USERS_FILE, package).stdout == "100\n"
    kept = python(PLUG_IN_FROM_A_USERS_FILE, package)
    assert (kept.stdout, kept.stderr) == ("100\n", "")
    (plug_in / "numbers.py").write_text("PRIZE = 7\n")
    assert python(PLUG_IN_FROM_A_USERS_FILE, package).stdout == "140\n"


@pytest.mark.slow
def test_compiled_code_that_was_not_used_for_longest_is_thrown_away(compiled_package: Path, tmp_path: Path) -> None:
    package = copied(compiled_package, tmp_path, with_compiled_code=True)
    kernels = package / "__pycache__" / "kernels"
    used = {folder.name for folder in kernels.iterdir()}
    for number in range(FOLDERS_KEPT):
        (kernels / f"{number}").mkdir()
        os.utime(kernels / f"{number}", (number, number))
    edit(package, *EDITS[1][:3])
    python(MOVES_AND_SCORE, package)
    left = {folder.name for folder in kernels.iterdir()}
    assert len(left) <= FOLDERS_KEPT
    assert used <= left and "0" not in left


@pytest.mark.slow
def test_a_compiled_search_plays_by_an_edited_rule(tmp_path: Path) -> None:
    package = copied(PACKAGE, tmp_path, with_compiled_code=True)
    edit(package, "games/isolation/rules.py", "s.blocked |= 1 << cell", "s.blocked |= 0")
    after = python(SEARCHED_SCORES, package)
    usual = sparring.explain("isolation", "open,depth=2", "d4 e6").candidates
    assert after.stdout.split() != [str(candidate.score) for candidate in usual]
    for file in ("games/contract.py", "core/markup.py", "agents/decision.py"):  # nothing compiled comes from there
        (package / file).write_text((package / file).read_text() + "\nRATHER = 1\n")
    unchanged = python(SEARCHED_SCORES, package)
    assert (unchanged.stdout, unchanged.stderr) == (after.stdout, "")


# Starting


def test_the_package_help_and_slips_do_not_wait_for_the_compiler() -> None:
    done = python("""
import contextlib, io, sys
import sparring
from sparring.cli import main

for words in ("--help", "--version", "match --help", "timeline --help", "match chess open improved", "macth"):
    sys.argv = ["spar", *words.split()]
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        main()
    print("numba" in sys.modules)
""")
    assert done.stdout.split() == ["False"] * 6


# Users' heuristics

HEURISTICS = """\
import numpy as np

from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits, opponent

TABLE = np.arange(64.0)


def ahead(s, me):
    return mobility(s, me) - mobility(s, opponent(me))


def mobility(s, player):
    return count(exits(s, player))


def far_away(s, place):
    return s.at[place]


@heuristic("isolation")
def with_helpers(s, me):
    return ahead(s, me)


@heuristic("isolation")
def wild_table(s, me):
    return TABLE[s.at[me] + 64]


@heuristic("isolation")
def wild_field(s, me):
    return s.at[me + 2]


@heuristic("isolation")
def wild_helper(s, me):
    return far_away(s, 1_000_000)


@heuristic("isolation")
def from_the_right_end(s, me):
    return s.at[me - 2]


@heuristic("isolation")
def chooses_by_key(s, me):
    mine = max([0, 1], key=lambda player: player == me)
    return count(exits(s, mine)) - count(exits(s, 1 - mine))


@heuristic("isolation")
def keeps_lists(s, me):
    found = {"mine": [], "yours": []}
    found["mine"].append(count(exits(s, me)))
    found["yours"].append(count(exits(s, opponent(me))))
    return found["mine"][0] - found["yours"][0]


@heuristic("isolation")
def misspells_a_function(s, me):
    return cuont(exits(s, me))


@heuristic("isolation")
def misspells_a_field(s, me):
    return s.blokced
"""


def line_of(text: str) -> int:
    return HEURISTICS[: HEURISTICS.index(text)].count("\n") + 1


@pytest.fixture
def ideas(tmp_path: Path) -> Path:
    file = tmp_path / "ideas.py"
    file.write_text(HEURISTICS)
    return file


def moves_of(first: str, second: str) -> list[str]:
    """The moves of two games, whoever played them."""
    match = sparring.match(sparring.game("isolation", opening="d4 e6"), first, second, games=2, workers=1)
    return [" ".join(turn.action for turn in game.turns) for game in match.games]


def test_a_heuristic_with_helpers_is_compiled_and_plays_like_the_same_formula_in_one_piece(ideas: Path) -> None:
    assert sparring.agent("isolation", f"{ideas}:with_helpers", strict=True).compiled
    played, expected = (moves_of(f"{one},depth=4", "voronoi,depth=3") for one in (f"{ideas}:with_helpers", "improved"))
    assert played == expected


def decided(spec: str) -> Decision:
    """What an agent decides in a position as the referee would ask it."""
    at = sparring.game("isolation").position("d4 e6")
    return sparring.agent("isolation", spec).decide(View(at, at.mover, dice(1)))


@pytest.mark.parametrize("name", ["wild_table", "wild_field", "wild_helper"])
def test_a_wild_index_is_an_error_and_not_garbage(ideas: Path, name: str) -> None:
    with pytest.raises(IndexError):
        decided(f"{ideas}:{name},depth=1")


def test_a_negative_index_counts_from_the_end_as_in_python(ideas: Path) -> None:
    candidates = decided(f"minimax:{ideas}:from_the_right_end,depth=1").candidates
    assert [candidate.score for candidate in candidates] == [candidate.action for candidate in candidates]


def test_a_wild_index_loses_the_game_as_a_crash_of_the_heuristic_that_is_named(ideas: Path) -> None:
    match = sparring.match("isolation", f"{ideas}:wild_table,depth=1", "open,depth=1", games=2)
    assert all(game.reason.startswith("crash: IndexError: index is out of bounds") for game in match.games)
    assert f"{ideas}:wild_table,depth=1 lost 2 games by crash (first: crash: IndexError" in str(match)


NOT_COMPILABLE = [("chooses_by_key", "mine = max("), ("keeps_lists", 'found = {"mine"')]


@pytest.mark.parametrize(("name", "culprit"), NOT_COMPILABLE)
def test_what_cannot_be_compiled_plays_on_in_plain_python_after_a_warning_unless_strict(
    ideas: Path, name: str, culprit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not sparring.agent("isolation", f"{ideas}:{name}").compiled
    *_notice, warning, consequence = capsys.readouterr().err.splitlines()
    assert warning.startswith(f"{ideas}:{line_of(culprit)}: {name} cannot be compiled: ")
    assert consequence == "playing on in plain Python, with the same moves but far fewer nodes a second"
    with pytest.raises(CompileError) as refused:
        sparring.agent("isolation", f"{ideas}:{name}", strict=True)
    assert str(refused.value) == warning


@pytest.mark.slow
def test_plain_python_plays_the_same_moves_as_the_same_formula_compiled(ideas: Path) -> None:
    played, compiled = (moves_of(f"{one},depth=2", "voronoi,depth=2") for one in (f"{ideas}:keeps_lists", "improved"))
    assert played == compiled


@pytest.mark.slow
def test_a_process_that_finds_everything_compiled_can_fall_back_to_plain_python(ideas: Path) -> None:
    agents = f"{ideas}:keeps_lists,depth=1", "random"
    sparring.match("isolation", *agents, games=2)  # compiles what is missing
    again = python(f"import sparring; sparring.match('isolation', *{agents}, games=2)")
    *_notice, warning, consequence = again.stderr.splitlines()
    assert "keeps_lists cannot be compiled" in warning
    assert consequence.startswith("playing on in plain Python")


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("name", "culprit", "told"),
    [
        ("misspells_a_function", "return cuont", "name 'cuont' is not defined"),
        ("misspells_a_field", "return s.blokced", "blokced"),
    ],
)
def test_a_misspelt_name_is_told_with_its_line(ideas: Path, name: str, culprit: str, told: str, strict: bool) -> None:
    with pytest.raises(sparring.SparringError, match=told) as refused:
        sparring.agent("isolation", f"{ideas}:{name}", strict=strict)
    assert str(refused.value).startswith(f"{ideas}:{line_of(culprit)}: ")


def test_explaining_a_heuristic_that_fails_blames_it(ideas: Path) -> None:
    with pytest.raises(sparring.SparringError, match="wild_table,depth=1 failed: IndexError: index is out of bounds"):
        sparring.explain("isolation", f"{ideas}:wild_table,depth=1")


# Dice


def numbers(cast: Any, path: tuple[int | str, ...], sides: int = 6, many: int = 50) -> list[int]:
    own = dice(*path)
    return [int(cast(own, sides)) for _ in range(many)]


def test_the_same_path_gives_the_same_dice() -> None:
    assert numbers(throw, (7, "opening")) == numbers(throw, (7, "opening"))


@pytest.mark.parametrize("other", [(8, "opening"), (7, "referee"), (7,), (7, "opening", 0), ("7", "opening")])
def test_another_path_gives_other_dice(other: tuple[int | str, ...]) -> None:
    assert numbers(throw, (7, "opening")) != numbers(throw, other)


@pytest.mark.parametrize("sides", [1, 2, 6, 49, 1_000_003])
def test_compiled_and_plain_dice_roll_the_same_numbers(sides: int) -> None:
    assert numbers(roll, (7, "both"), sides) == numbers(throw, (7, "both"), sides)


def test_what_comes_next_does_not_depend_on_what_came_before() -> None:
    cast = numbers(roll, (2, "pairs"), sides=4, many=64_000)
    following = Counter(pairwise(cast))
    assert all(abs(times - 4_000) < 260 for times in following.values()), following


def test_a_large_die_reaches_both_of_its_ends() -> None:
    cast = numbers(roll, (3, "ends"), sides=1 << 20, many=2_000)
    assert 0 <= min(cast) < 10_000
    assert (1 << 20) - 10_000 < max(cast) < 1 << 20


def test_compiled_code_reads_a_table_where_it_lies() -> None:
    table = np.arange(8, dtype=np.float32) / 4
    assert [number_at(table_address(table), index) for index in (0, 3, 7)] == [0.0, 0.75, 1.75]
    with pytest.raises(ValueError, match="float32 in one piece"):
        table_address(np.zeros(3))  # type: ignore[arg-type]


@kernel
def talking(x: int) -> int:
    if x > 5:
        raise ValueError("too large: " + str(x))
    print("asked for", x)
    return x


def asking(x: int) -> int:
    return talking(x) + 1


def test_a_kernel_may_print_and_raise_a_text_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    compiled = numba.njit(numba.int64(numba.int64))(asking)
    assert compiled(4) == 5
    assert capfd.readouterr().out == "asked for 4\n"
    with pytest.raises(ValueError, match="too large: 6"):
        compiled(6)
