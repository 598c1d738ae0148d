"""Heuristics of Ludo."""

from typing import Any

from sparring.core.kernel import kernel
from sparring.core.terms import Terms, heuristic
from sparring.games.ludo.danger import expected_loss
from sparring.games.ludo.rules import steps_walked
from sparring.games.ludo.state import HOME
from sparring.games.ludo.value import HIDDEN, shipped


@heuristic("ludo")
def progress(s, me):
    """Steps of the own tokens, less those of the others on average."""
    return steps_walked(s, me) - steps_of_others(s, me) / (s.players - 1)


@heuristic("ludo", out=30, rivals=0.7)
def cautious(s, me):
    """Own progress, less the progress of others and the steps that their next rolls may cost."""
    rivals, danger = 0.0 - steps_of_others(s, me), 0.0 - expected_loss(s, me)
    return Terms(steps=steps_walked(s, me), out=tokens_out(s, me), rivals=rivals, danger=danger)


td_linear = shipped("td_linear", 0)
td_net = shipped("td_net", HIDDEN)


@kernel
def steps_of_others(s: Any, me: int) -> int:
    steps = 0
    for player in range(s.players):
        if player != me:
            steps += steps_walked(s, player)
    return steps


@kernel
def tokens_out(s: Any, player: int) -> int:
    """Return the number of tokens that have left home."""
    return s.tokens - tokens_home(s, player)


@kernel
def tokens_home(s: Any, player: int) -> int:
    count = 0
    for token in range(s.tokens):
        count += s.at[player, token] == HOME
    return count


@kernel
def stolen(s: Any, after: Any, me: int) -> int:
    """Return the number of steps that a move has taken from the others."""
    return steps_of_others(s, me) - steps_of_others(after, me)
