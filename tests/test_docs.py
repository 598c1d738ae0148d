"""The examples of the pages run and print what is shown, and the links lead somewhere.

A page is README.md, CHANGELOG.md or a file in docs/. Its fenced blocks are run in order in a temporary copy of the
repository, so that a page may tell its reader to write files:

    `my_idea.py`:        the block after a line that ends like this is that file; it is written, not run
    ```console           every line that begins with `$ spar` is run and must exit with 0; other commands are not run,
                         but for `$ pip install -e FOLDER`: after it, commands run in processes of their own
    ```console exit=2    the same for commands that are meant to fail
    ```python            is executed; all such blocks of a page share one namespace
    ```output            is what the python block above it prints

Lines shown below a command, or as output, must be among the lines that were printed. There `...` stands for
anything, spaces do not count, and times and speeds may differ: figures before ms, s or M. Blocks of another
language are only looked at. In examples/ the commands are the lines of a docstring that begin with `spar`; those that
begin with `python` have tests of their own.
"""

import ast
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

import sparring
from commands import finished, spar, started

ROOT = Path(__file__).parent.parent
PAGES = [page for page in (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/*.md"))) if page.exists()]
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
EDITABLE = "pip install -e "
FENCE = re.compile(r"```(\w*)(?: exit=(\d+))?")
FILE_NAMED = re.compile(r"`([\w./-]+)`:$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MEASURED = re.compile(r"[\d.,]+(?: v [\d.,]+)? (?=(?:ms|s|M)\b)")


@dataclass(frozen=True)
class Block:
    """A fenced block and what its page says of it."""

    language: str
    exit_code: int
    file: str  # the name of the file that it is, if it is one
    line: int
    text: str


def blocks(page: Path) -> Iterator[Block]:
    before, fence, held = "", None, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if fence is None and (fence := FENCE.match(line)):
            start, held = number, []
        elif fence and line == "```":
            named = FILE_NAMED.search(before)
            yield Block(fence[1], int(fence[2] or 0), named[1] if named else "", start, "\n".join(held) + "\n")
            fence, before = None, ""
        elif fence:
            held.append(line)
        elif line.strip():
            before = line
    assert fence is None, f"{page.name} does not close the block of line {start}"


def commands(console: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block with the lines that are shown below it."""
    for part in re.split(r"(?m)^\$ ", console.replace("\\\n", " "))[1:]:
        command, *shown = part.splitlines()
        if command.startswith(("spar ", EDITABLE)):
            yield command, shown


def install(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have new processes find a package and its edits, as `pip install -e` does for all."""
    subprocess.run(
        [sys.executable, "-c", "import setuptools; setuptools.setup()", "-q", "egg_info"], cwd=folder, check=True
    )
    monkeypatch.setenv("PYTHONPATH", str(Path(folder).absolute()), prepend=os.pathsep)


def run(command: str, own_process: bool = False) -> tuple[int, str]:
    """Run a command as the terminal would: its exit code and all that it printed."""
    words = shlex.split(command)[1:]
    said = finished(started(Path.cwd(), *words)) if own_process else spar(*words)
    return said.code, said.out + said.err


def execute(block: Block, namespace: dict[str, object]) -> str:
    """Run a python block from a file of its own, for heuristics are read from their source: what it printed."""
    file = Path(f"block_at_line_{block.line}.py").absolute()
    file.write_text(block.text)
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(block.text, str(file), "exec"), namespace)
    return printed.getvalue()


def plain(line: str) -> str:
    return " ".join(MEASURED.sub("", line).split())


def missing(shown: list[str], printed: str) -> list[str]:
    """The lines that are shown and were not printed."""
    found = {plain(line) for line in printed.splitlines()}
    wanted = {line: ".*".join(map(re.escape, plain(line).split("..."))) for line in shown}
    return [line for line, pattern in wanted.items() if not any(re.fullmatch(pattern, other) for other in found)]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository without its sources, as the working directory."""
    folder = tmp_path / "repository"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__", "src", "tests", "build", "dist"))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_work_as_written(page: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    namespace: dict[str, object] = {"__name__": page.stem}
    printed, installed = "", False
    for block in blocks(page):
        place = f"{page.name}, line {block.line}"
        if block.file:
            (copy / block.file).write_text(block.text)
        elif block.language == "console":
            for command, shown in commands(block.text):
                if command.startswith(EDITABLE):
                    installed = True
                    install(command.removeprefix(EDITABLE), monkeypatch)
                    continue
                code, printed = run(command, installed)
                assert code == block.exit_code, f"{place}: {command}\n{printed}"
                assert missing(shown, printed) == [], f"{place}: {command}\n{printed}"
        elif block.language == "python":
            printed = execute(block, namespace)
        elif block.language == "output":
            assert missing(block.text.splitlines(), printed) == [], f"{place}\n{printed}"


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_commands_in_an_example_work(example: Path, copy: Path) -> None:
    told = (ast.get_docstring(ast.parse(example.read_text())) or "").splitlines()
    given = [line.strip() for line in told if line.strip().startswith(("spar ", "python "))]
    assert given, f"{example.name} should say by which command to try it"
    for command in (one for one in given if one.startswith("spar ")):
        code, printed = run(command)
        assert code == 0, f"{command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text()) if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_architecture_page_links_to_every_folder_of_the_package() -> None:
    page, package = ROOT / "docs/architecture.md", ROOT / "src/sparring"
    linked = {(page.parent / link).resolve() for link in LINK.findall(page.read_text())}
    folders = {file.parent for file in package.glob("*/*.py")} - {package}
    assert sorted(folder.name for folder in folders - linked) == []


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(ROOT / "docs"), str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert (built.returncode, built.stderr) == (0, "")
    assert "Decision" in (tmp_path / "api.html").read_text()


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*-reference.md")), ids=lambda page: page.stem)
def test_a_reference_page_tells_every_field_of_the_state(page: Path) -> None:
    state, text = sparring.game(page.stem.removesuffix("-reference")).start(seed=0).state, page.read_text()
    assert [name for name in state.dtype.names if not re.search(rf"`s\.{name}\b", text)] == []


def test_the_readme_is_short_and_shows_a_picture() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 120
    assert "![" in text
