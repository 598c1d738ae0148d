"""What can be seen of a side's commands, whoever gave them: reports count it over all turns.

All of it is found by playing the round again with other commands. Chances are judged by what the enemy did, which
nobody could know beforehand: they are for comparing players, not for blaming one.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, cast

from sparring.core.kernel import record
from sparring.games.contract import Action, Game
from sparring.games.flagwar import rules
from sparring.games.flagwar.board import command
from sparring.games.flagwar.game import FlagWar
from sparring.games.flagwar.state import COMMAND_BITS, DISTANCE_BITS, JAILED, LONGEST, NOBODY, ONE_PIECE, STAY, A, Round


def canonical(game: Game, state: Any, player: int, action: Action) -> Action:
    """No command is longer than its path, and a piece that cannot go there stays."""
    joint = 0
    for piece, longest in enumerate(cast(FlagWar, game).reach(state, player)[1]):
        told = action >> COMMAND_BITS * piece & ONE_PIECE
        way = told >> DISTANCE_BITS
        far = min(told & LONGEST, longest[way])
        joint |= (command(way, far) if far else 0) << COMMAND_BITS * piece
    return joint


def observed(
    game: Game, before: Any, actions: Mapping[int, Action], player: int, notes: Mapping[str, Any]
) -> dict[str, bool]:
    """What reports count of a side's commands. A player who noted no prediction is held to what came."""
    said = notes.get("predicted")
    predicted = game.action_named(before, 1 - player, said) if isinstance(said, str) else None
    commands = cast(FlagWar, game).commands(before, player)
    return seen(before, player, actions[player], actions[1 - player], predicted, commands)


def seen(
    s: Any, side: int, action: Action, other: Action, predicted: Action | None, commands: Sequence[Any]
) -> dict[str, bool]:
    """Whether anybody moved, and whether two chased one: by what was predicted of the enemy, or else by what it did.
    Whether the flag was taken, where it was free: one command would have done it against an enemy who stays and against
    what it did. And whether the thief was caught, where one command would have. `commands` are all of each piece."""
    came, log = played(s, side, action, other)
    home, thief = rules.flag_cell(s, 1 - side), s.carrier[1 - side]
    runs, lone = [], []
    for piece, told in enumerate(commands):
        for one in told.tolist():
            lone.append(one << COMMAND_BITS * piece)
            steps = (one & LONGEST) * rules.STEPS[one >> DISTANCE_BITS]
            runs += [lone[-1]] if log.origin[side, piece] + steps == home else []

    def takes(own: Action, reply: Action) -> bool:
        return bool(played(s, side, own, reply)[0].carrier[side] != NOBODY)

    found = {
        "moves": bool(log.planned[side].any()),
        "duplicate_chase": duplicate_chase(s, side, action, other if predicted is None else predicted),
    }
    if s.carrier[side] == NOBODY and any(takes(run, STAY) and takes(run, other) for run in runs):
        found["takes_flag"] = bool(came.carrier[side] != NOBODY)
    if thief != NOBODY and any(thief in caught(s, side, one, other) for one in lone):
        found["catches_thief"] = bool(came.at[1 - side, thief] == JAILED)
    return found


def played(s: Any, side: int, own: Action, other: Action) -> tuple[Any, Any]:
    """The position after a round, and what was noted of it."""
    after, log = s.copy(), record(Round)
    rules.play_round(after, *((own, other) if side == A else (other, own)), log)
    return after, log


def duplicate_chase(s: Any, side: int, action: Action, other: Action) -> bool:
    """Whether two pieces are sent after one: each alone, all others staying, would catch the same enemy, who would not
    be caught if nobody went."""
    anyway = caught(s, side, STAY, other)
    alone = [action & ONE_PIECE << COMMAND_BITS * piece for piece in range(s.pieces)]
    chased = [caught(s, side, one, other) - anyway for one in alone if one]
    return any(one & two for one, two in combinations(chased, 2))


def caught(s: Any, side: int, own: Action, other: Action) -> set[int]:
    """The enemies that a round would jail."""
    now, then = s.at[1 - side], played(s, side, own, other)[0].at[1 - side]
    return {piece for piece in range(s.pieces) if now[piece] != JAILED and then[piece] == JAILED}
