# ruff: noqa: F821
"""Today's kernels of games whose players move in turn under the names of the new vocabulary. To be replaced by
games/kernels.py."""

from typing import Any

from sparring.core.bits import lowest
from sparring.core.dice import roll
from sparring.core.kernel import kernel, rebound, records
from sparring.games.contract import Game

CHANCE = 1 << 62
legal: Any
mover: Any
play: Any
move: Any
rolled: Any
over: Any
FACES: Any


def actors_with_chance(s: Any) -> int:
    return 0 if over(s) else 1 << mover(s) if legal(s) else CHANCE


def actors_alone(s: Any) -> int:
    return 1 << mover(s) if legal(s) else 0


def actions(s: Any, player: int, found: Any) -> int:
    bits, count = legal(s), 0
    while bits:
        found[count] = lowest(bits)
        bits &= bits - 1
        count += 1
    return count


def settle_with_chance(s: Any, dice: Any) -> int:
    while legal(s) == 0 and not over(s):
        rolled(s, 1 + roll(dice, FACES))
    return 1 << mover(s) if legal(s) else 0


def settle_alone(s: Any, dice: Any) -> int:
    return 1 << mover(s) if legal(s) else 0


def apply_with_chance(s: Any, joint: Any) -> None:
    move(s, joint)


def apply_alone(s: Any, joint: Any) -> None:
    play(s, joint, 0)


@kernel
def alone(action: int) -> int:
    return action


def vocabulary(game: Game) -> dict[str, Any]:
    known = dict(game.kernels)
    if game.kind.simultaneous:
        return {}
    templates = {
        "actors": actors_with_chance if game.kind.chance else actors_alone,
        "settle": settle_with_chance if game.kind.chance else settle_alone,
        "actions": actions,
        "apply": apply_with_chance if game.kind.chance else apply_alone,
    }
    return {
        **known,
        **{name: kernel(rebound(one, known, f"{name}_{game.name}")) for name, one in templates.items()},
        "alone": alone,
    }


def openings(game: Game, seeds: Any) -> Any:
    made: Any = game
    if hasattr(game, "empty"):
        states = records(game.state, len(seeds))
        states[:] = made.empty()
        return states
    return game.starts(seeds)
