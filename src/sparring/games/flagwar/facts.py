"""Facts about a side's commands, for reports to count, and the canonical form of a command.

All facts are found by playing the round again with other commands. Chances are judged by what the enemy did, which the
player could not know: use them to compare players, not to judge a single move.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, cast

from sparring.core.kernel import record
from sparring.games.contract import Action, Game
from sparring.games.flagwar import rules
from sparring.games.flagwar.board import command, parts
from sparring.games.flagwar.game import FlagWar
from sparring.games.flagwar.state import COMMAND_BITS, DISTANCE_BITS, JAILED, LONGEST, NOBODY, ONE_PIECE, STAY, A, Round


def canonical(game: Game, state: Any, player: int, action: Action) -> Action:
    """The action with the same effect in which no command is longer than its path."""
    joint = 0
    for piece, reach in enumerate(cast(FlagWar, game).reach(state, player)[1].tolist()):
        one = action >> COMMAND_BITS * piece & ONE_PIECE
        direction = one >> DISTANCE_BITS
        joint |= command(direction, min(one & LONGEST, reach[direction])) << COMMAND_BITS * piece
    return joint


def observed(
    game: Game, before: Any, actions: Mapping[int, Action], player: int, notes: Mapping[str, Any]
) -> dict[str, bool]:
    """The facts about a side's commands. Without a noted prediction the enemy's actual command counts as predicted.

    `moves`: a piece moved. `duplicate_chase`: two pieces chased one enemy. `takes_flag`: the flag was taken, if one
    command of one piece would have taken it from an enemy that stays, and from what the enemy did. `catches_thief`:
    the thief was caught, if one command of one piece would have caught it.
    """
    noted, own, other = notes.get("predicted"), actions[player], actions[1 - player]
    predicted = game.action_named(before, 1 - player, noted) if isinstance(noted, str) else None
    commands = cast(FlagWar, game).commands(before, player)
    after, log = played(before, player, own, other)
    single, to_flag = _single_commands(before, player, commands, log)
    thief = before.carrier[1 - player]

    def takes(action: Action, reply: Action) -> bool:
        return bool(played(before, player, action, reply)[0].carrier[player] != NOBODY)

    found = {
        "moves": bool(log.planned[player].any()),
        "duplicate_chase": duplicate_chase(before, player, own, other if predicted is None else predicted),
    }
    if before.carrier[player] == NOBODY and any(takes(run, STAY) and takes(run, other) for run in to_flag):
        found["takes_flag"] = bool(after.carrier[player] != NOBODY)
    if thief != NOBODY and any(thief in caught(before, player, one, other) for one in single):
        found["catches_thief"] = bool(after.at[1 - player, thief] == JAILED)
    return found


def _single_commands(s: Any, side: int, commands: Sequence[Any], log: Any) -> tuple[list[Action], list[Action]]:
    """All actions in which one piece moves, and those of them that end on the enemy flag's home."""
    home, single, to_flag = rules.flag_cell(s, 1 - side), [], []
    for piece, listed in enumerate(commands):
        for one in listed.tolist():
            single.append(one << COMMAND_BITS * piece)
            if log.origin[side, piece] + (one & LONGEST) * rules.STEPS[one >> DISTANCE_BITS] == home:
                to_flag.append(single[-1])
    return single, to_flag


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
