"""A user's heuristic that cannot be compiled: every agent that takes one plays by it in plain Python, or refuses it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring.agents.agent import Agent, View
from sparring.agents.spec import agent
from sparring.agents.userfile import from_snapshot, sources
from sparring.core.dice import Dice, dice, guests_dice
from sparring.core.errors import CompileError
from sparring.games.contract import Game

pytestmark = pytest.mark.slow

FILE = """\
from sparring import heuristic
from sparring.games.{game}.rules import *
from sparring.games.{game}.heuristics import *
from sparring.core.bits import count

ONE = {{"one": 1.0}}


@heuristic("{game}")
def slow(s, me):
    return ONE["one"] * ({worth})


@heuristic("{game}")
def quick(s, me):
    return 1.0 * ({worth})
"""
WORTH = {
    "isolation": "count(exits(s, me)) - count(exits(s, 1 - me))",
    "ludo": "steps_walked(s, me) + tokens_out(s, me)",
    "battlesnake": "count(safe_moves(s, me)) + s.health[me]",
    "flagwar": "living(s, me) - living(s, 1 - me) - s.at[me, 1]",
}
GAMES = {
    "isolation": sparring.game("isolation"),
    "ludo": sparring.game("ludo", players=2),
    "battlesnake": sparring.game("battlesnake", players=2, board="7x7"),
    "flagwar": sparring.game("flagwar"),
}
SIX = "0,0,20,1/45,33,0,0 A6"
AGENTS = [
    ("isolation", "IDEA,nodes=200"),
    ("isolation", "minimax:IDEA,depth=2"),
    ("ludo", "one_ply:IDEA"),
    ("ludo", "expectimax:IDEA,depth=2,samples=2"),
    ("ludo", "rollouts:one_ply:IDEA,games=1"),
    ("battlesnake", "one_ply:IDEA"),
    ("battlesnake", "best_reply:IDEA,nodes=200"),
    ("battlesnake", "mcts:IDEA,iterations=50"),
    ("battlesnake", "rhea:IDEA,evolutions=1,population=5"),
    ("flagwar", "IDEA,size=4"),
    ("flagwar", "regret:IDEA,size=4"),
    ("flagwar", "level_k:IDEA,levels=1"),
    ("flagwar", "double_oracle:IDEA,size=4,plies=1,rounds=1,starts=1"),
    ("flagwar", "maximin_sampled:IDEA,own=5,others=5"),
    ("flagwar", "mcts:IDEA,iterations=5,size=4,select=regret"),
]


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A file for each game, whose heuristics are compiled once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("plain"))
        for game, worth in WORTH.items():
            Path(f"{game}.py").write_text(FILE.format(game=game, worth=worth))
        with from_snapshot({f"{game}.py": sources(Path(f"{game}.py")) for game in WORTH}):
            yield


def judged(player: Agent, game: Game) -> tuple[object, list[tuple[object, float | None]]]:
    """The decision after a turn in which nobody runs into anything, or with a six to use. Agents that are no guests get
    the dice that a guest would."""
    position, own = game.position(SIX) if game.name == "ludo" else game.start(3), dice(1)
    s = position.state
    if game.name != "ludo":
        game.play(s, {player: game.legal(s, player)[0] for player in game.actors(s)}, own)
    if player.trusted:
        own = np.array(np.frombuffer(guests_dice(own), Dice)).view(np.recarray)[0]
    decision = player.decide(View.of(position, game.actors(s)[0], own))
    return decision.action, [(c.action, c.score) for c in decision.candidates]


@pytest.mark.parametrize(("name", "text"), AGENTS)
def test_what_cannot_be_compiled_plays_the_same_moves_in_plain_python_or_is_refused(name: str, text: str) -> None:
    game, told = GAMES[name], list[str]()
    slow = agent(game, text.replace("IDEA", f"{name}.py:slow"), warn=told.append)
    quick = agent(game, text.replace("IDEA", f"{name}.py:quick"), warn=told.append)
    (warning,) = told
    assert f"{name}.py:11: slow cannot be compiled: ONE is a dict; use numbers" in warning
    assert "playing on in plain Python" in warning
    assert judged(slow, game) == judged(quick, game)
    assert (slow.trusted, quick.trusted) == (False, True)
    assert slow.compiled_policy(game) is None
    with pytest.raises(CompileError, match=f"{name}.py:11: slow cannot be compiled"):
        agent(game, text.replace("IDEA", f"{name}.py:slow"), strict=True)
