"""Facts about a side's commands, for reports to count, and the canonical form of a command.

All facts are found by playing the round again with other commands. Chances are judged by what the enemy did, which the
player could not know: use them to compare players, not to judge a single move.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from sparring.core.kernel import record
from sparring.games.contract import Action
from sparring.games.flagwar import rules
from sparring.games.flagwar.board import command, parts
from sparring.games.flagwar.state import COMMAND_BITS, DISTANCE_BITS, JAILED, LONGEST, NOBODY, ONE_PIECE, STAY, A, Round


def canonical(game: Any, state: Any, player: int, action: Action) -> Action:
    """The action with the same effect in which no command is longer than its path."""
    joint = STAY
    for piece, reach in enumerate(game.reach(state, player).tolist()):
        one = action >> COMMAND_BITS * piece & ONE_PIECE
        direction = one >> DISTANCE_BITS
        joint |= command(direction, min(one & LONGEST, reach[direction])) << COMMAND_BITS * piece
    return joint


def observed(
    game: Any, before: Any, actions: Mapping[int, Action], player: int, notes: Mapping[str, Any]
) -> dict[str, bool]:
    """The facts about a side's commands. Without a noted prediction the enemy's actual command counts as predicted.

    `moves`: a piece moved. `duplicate_chase`: two pieces chased one enemy. `takes_flag`: the flag was taken, if one
    command of one piece would have taken it from an enemy that stays, and from what the enemy did. `catches_thief`:
    the thief was caught, if one command of one piece would have caught it.
    """
    noted, own, other = notes.get("predicted"), actions[player], actions[1 - player]
    predicted = game.action_named(before, 1 - player, noted) if isinstance(noted, str) else None
    after, log = played(before, player, own, other)
    ends = {
        one << COMMAND_BITS * piece: log.origin[player, piece] + (one & LONGEST) * rules.STEPS[one >> DISTANCE_BITS]
        for piece, commands in enumerate(game.commands(before, player))
        for one in commands.tolist()
    }
    to_flag = [single for single, end in ends.items() if end == rules.flag_cell(before, 1 - player)]
    thief = before.carrier[1 - player]

    def takes(action: Action, reply: Action) -> bool:
        return bool(played(before, player, action, reply)[0].carrier[player] != NOBODY)

    found = {
        "moves": bool(log.planned[player].any()),
        "duplicate_chase": duplicate_chase(before, player, own, other if predicted is None else predicted),
    }
    if before.carrier[player] == NOBODY and any(takes(run, STAY) and takes(run, other) for run in to_flag):
        found["takes_flag"] = bool(after.carrier[player] != NOBODY)
    if thief != NOBODY and any(thief in caught(before, player, single, other) for single in ends):
        found["catches_thief"] = bool(after.at[1 - player, thief] == JAILED)
    return found


def played(s: Any, side: int, own: Action, other: Action) -> tuple[Any, Any]:
    """The position after a round, and the record of the round."""
    after, log = s.copy(), record(Round)
    rules.play_round(after, *((own, other) if side == A else (other, own)), log)
    return after, log


def duplicate_chase(s: Any, side: int, action: Action, other: Action) -> bool:
    """True if two pieces, each alone, would catch the same enemy, which would not be caught if all pieces stayed."""
    anyway = caught(s, side, STAY, other)
    chased = [caught(s, side, one, other) - anyway for one in parts(action)]
    return any(one & two for one, two in combinations(chased, 2))


def caught(s: Any, side: int, own: Action, other: Action) -> set[int]:
    """The enemy pieces that a round would jail."""
    now, then = s.at[1 - side], played(s, side, own, other)[0].at[1 - side]
    return {piece for piece in range(s.pieces) if now[piece] != JAILED and then[piece] == JAILED}
