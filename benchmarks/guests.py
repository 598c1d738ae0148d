"""What it costs that users' Python agents play in processes of their own: here beside an older commit, in turns.

    python benchmarks/guests.py [REVISION]

Games a second of two agents that play at once, and milliseconds from the wish for an agent's process to its first move.
Each is the best of some rounds, because load can only make it worse.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import copytree, ignore_patterns

from sparring.core.table import columns

ROOT = Path(__file__).parents[1]
ROUNDS = 9
AGENT = """\
from sparring import agent


@agent("isolation")
def first(view):
    return view.legal[0]
"""
MEASURE = """\
import time
import sparring
from sparring.agents.agent import View
from sparring.arena.referee import play
from sparring.arena.supervisor import Supervisor
from sparring.core.dice import players_dice

game, games, starts = sparring.game("isolation"), 60, 40
with Supervisor() as supervisor:
    pair = [supervisor.guest(game, sparring.agent(game, "first.py")) for _ in range(2)]
    play(game, pair, 0)
    began = time.perf_counter()
    for seed in range(games):
        play(game, pair, seed)
    played = time.perf_counter()
    for seed in range(starts):
        one, position = supervisor.guest(game, "first.py"), game.start(seed)
        with one.seated(players_dice(seed, 0)) as player:
            player.decide(View(position, position.mover, players_dice(seed, 0)))
        one.dismiss()
    print(games / (played - began), 1000 * (time.perf_counter() - played) / starts)
"""


def main(revision: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folders = {name: Path(place) / name for name in ("before", "now")}
        for folder in folders.values():
            folder.mkdir()
            (folder / "first.py").write_text(AGENT)
        copytree(ROOT / "src", folders["now"] / "src", ignore=ignore_patterns("__pycache__"))
        archive = subprocess.run(["git", "archive", revision, "src"], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folders["before"]], input=archive.stdout, check=True)
        best = dict.fromkeys(folders, (0.0, 1000000000.0))
        for number in range(ROUNDS + 1):
            for name, folder in folders.items():
                env = {**os.environ, "PYTHONPATH": f"{folder / 'src'}", "SPARRING_STORE": f"{folder / 'games.db'}"}
                command = [sys.executable, "-c", MEASURE]
                told = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True).stdout
                rate, start = map(float, told.split())
                if number:  # the first round compiles
                    best[name] = max(best[name][0], rate), min(best[name][1], start)
        rows = [["", "games a second", "ms to the first move"]]
        rows += [[name, f"{rate:.1f}", f"{start:.1f}"] for name, (rate, start) in best.items()]
        print(columns(rows, right={1, 2}))
        print(f"games a second: {best['now'][0] / best['before'][0] - 1:+.1%}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "HEAD~1")
