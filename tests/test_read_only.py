"""Commands where nothing can be written: they work, or say in one line what to do."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparring
from commands import Said, did
from sparring.core import cache

BINDING = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
"""Root, but bound by the permissions of files."""
RUN_ALL = """
import json, sys
from commands import spar
print(json.dumps([spar(*command.split()) for command in json.loads(sys.argv[1])]))
"""
OWN = 'from sparring import agent\n\n\n@agent("isolation")\ndef last(view):\n    return view.legal[-1]\n'
WORKING = {
    "games": "isolation",
    "agents isolation": "greedy",
    "report last --store old.db": "greedy",
    "experiments --store old.db": "random v greedy",
    "replay last --game 1 --store old.db": "A to move",
    "run --again last --store old.db": "greedy beats random",
    "explain isolation --agent own.py": "own.py plays",
    "completion bash": "complete",
}
STORE = "cannot be used as a store: .*; name another by --store"
FILE = "cannot write {}; name a file in a folder that exists and can be written"
PLACE = "cannot write {}: Permission denied; name a place that you may write"
REFUSED = {
    "match isolation random greedy --games 2": STORE,
    "match isolation random greedy --games 2 --store old.db": STORE,
    "match isolation random greedy --games 2 --save games.txt": FILE.format("games.txt"),
    "report last --store old.db --html page.html": FILE.format("page.html"),
    "explain isolation --agent greedy --svg board.svg": FILE.format("board.svg"),
    "export last games.csv --store old.db": FILE.format("games.csv"),
    "new isolation mine.py": PLACE.format("mine.py"),
    "new --game my_game my_folder": PLACE.format("my_folder"),
    "tune isolation next_moves,nodes=10 --games 100": FILE.format("next_moves_tuned.toml"),
    "ablate isolation next_moves,nodes=10 --games 100 --plot plot.svg": FILE.format("plot.svg"),
    "learn ludo --out table.npz": FILE.format("table.npz"),
    "reproduce 003 --out page.md": FILE.format("page.md"),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Said]]:
    """What each command says in a folder that cannot be written, with a home that cannot be written either."""
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("permissions do not bind root")
    folder = tmp_path_factory.mktemp("locked")
    did("match", "isolation", "random", "greedy", "--games", 20, "--store", folder / "old.db")
    (folder / "own.py").write_text(OWN)
    (folder / "home").mkdir()
    made = [folder, *folder.rglob("*")]
    for one in made:
        one.chmod(one.stat().st_mode & ~0o222)
    commands = [*WORKING, *REFUSED]
    places = os.pathsep.join([str(Path(sparring.__file__).parents[1]), str(Path(__file__).parent)])
    run = subprocess.run(
        [*(BINDING if os.geteuid() == 0 else ()), sys.executable, "-c", RUN_ALL, json.dumps(commands)],
        cwd=folder,
        env={"HOME": str(folder / "home"), "PYTHONPATH": places, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=300,
    )
    for one in made:
        one.chmod(one.stat().st_mode | 0o200)
    assert run.returncode == 0, run.stderr
    yield {command: Said(*told) for command, told in zip(commands, json.loads(run.stdout), strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("command", WORKING)
def test_what_only_reads_works(command: str, said: dict[str, Said]) -> None:
    assert said[command].code == 0, said[command]
    assert WORKING[command] in said[command].out


@pytest.mark.slow
@pytest.mark.parametrize("command", REFUSED)
def test_what_writes_is_refused_in_a_line_with_a_remedy(command: str, said: dict[str, Said]) -> None:
    code, out, err = said[command]
    assert (code, out) == (2, "")
    assert re.fullmatch(f"spar: .*{REFUSED[command]}\n", err), err


def test_the_notice_of_compiling_says_why_every_run_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(cache, "_lasting", lambda: [tmp_path / "file/a", tmp_path / "file/b"])
    cache._root.cache_clear()
    try:
        assert cache._root().is_dir(), "for this run alone"
        assert cache.when_compiled() == (
            f"in every run, because {tmp_path / 'file/b'} cannot be written; set HOME to a folder that can"
        )
    finally:
        cache._root.cache_clear()
    monkeypatch.undo()
    assert cache.when_compiled() == "first run only"
