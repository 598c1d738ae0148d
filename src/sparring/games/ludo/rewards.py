# mypy: disable-error-code="no-any-return"
"""Rewards for Q-learning in Ludo.

`progress` pays for steps: made, lost to others before the next decision, and taken from others; leaving home is worth
30. `shaped` pays by the class of a move. `contextual` pays the same by the race: captures count more for a player that
trails, safety and lost tokens for one that leads. `sparse` pays for the result alone. The design document names no
rewards: these are choices.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sparring.core.kernel import kernel, record
from sparring.games.ludo.features import ALL_CLASSES, CLASSES, CONTEXT, CONTEXTS, TRUE_MOVE, move_seen, potential_of
from sparring.games.ludo.heuristics import stolen, tokens_out
from sparring.games.ludo.rules import steps_walked

Rewards = np.dtype(
    [
        ("by_class", np.int64),  # moves are paid by their class
        ("move", np.float64, (3, ALL_CLASSES)),  # by context and class of the true move
        ("death", np.float64, (3,)),  # an own token is captured; by context
        ("step", np.float64),  # each own step forward, less those lost
        ("out", np.float64),  # each own token that leaves home, less those sent back
        ("stolen", np.float64),  # each step taken from others
        ("win", np.float64),
        ("loss", np.float64),
    ],
    align=True,
)

SHAPED = {
    **{"neutral": 1.0, "risk": 1.0, "high risk": 1.0, "boost": 10.0, "risky boost": 10.0, "goal": 100.0},
    **{"safety": 15.0, "exit": 15.0, "back": 15.0, "kill": 50.0, "risky kill": 50.0, "suicide": -10.0},
}
MULTIPLIERS = {
    "trailing": {"kill": 1.5, "risky kill": 1.5, "boost": 1.2, "risky boost": 1.2, "safety": 0.8, "death": 0.5},
    "leading": {"kill": 0.8, "risky kill": 0.8, "safety": 2.0, "death": 1.5},
}


def rewards(
    moves: Mapping[str, float] | None = None,
    death: float = 0.0,
    multipliers: Mapping[str, Mapping[str, float]] | None = None,
    **others: float,
) -> Any:
    """Make a record of rewards. Moves are paid by their class; multipliers are by context, then class or `death`."""
    paid = record(Rewards)
    paid.by_class = bool(moves)
    for context, name in enumerate(CONTEXTS):
        times = (multipliers or {}).get(name, {})
        paid.death[context] = death * times.get("death", 1.0)
        for place, event in enumerate(CLASSES):
            paid.move[context, place] = (moves or {}).get(event, 0.0) * times.get(event, 1.0)
    for name, value in others.items():
        paid[name] = value
    return paid


REWARDS = {
    "progress": rewards(step=1.0, out=30.0, stolen=0.7),
    "sparse": rewards(win=100.0, loss=-100.0),
    "shaped": rewards(SHAPED, death=-20.0),
    "contextual": rewards(SHAPED, death=-20.0, multipliers=MULTIPLIERS),
}
STEPS, OUT = 0, 1
"""Indices in a player's memory: its steps, and its tokens out of home, when it was last paid."""


@kernel
def pay_progress(s: Any, player: int, rewards: Any, pending: Any) -> int:
    """Pay for steps and tokens gained or lost since the last pay. Return the increase of tokens at home."""
    steps, out = steps_walked(s, player), tokens_out(s, player)
    back = pending.memory[OUT] - out
    pending.reward += rewards.step * (steps - pending.memory[STEPS]) - rewards.out * back
    pending.memory[STEPS], pending.memory[OUT] = steps, out
    return back


@kernel
def pay_others(s: Any, player: int, rewards: Any, pending: Any) -> None:
    """Pay for the moves of others since the player's own last move."""
    captured = pay_progress(s, player, rewards, pending)
    pending.reward += rewards.death[pending.memory[CONTEXT]] * captured


@kernel
def pay_own(s: Any, after: Any, player: int, token: int, rewards: Any, pending: Any) -> None:
    pay_progress(after, player, rewards, pending)
    pending.reward += rewards.stolen * stolen(s, after, player)
    if rewards.by_class:
        done = potential_of(s, after, move_seen(s, token, 0), TRUE_MOVE)
        pending.reward += rewards.move[pending.memory[CONTEXT], done]


@kernel
def pay_end(s: Any, player: int, rewards: Any, pending: Any) -> None:
    pay_others(s, player, rewards, pending)
    pending.reward += rewards.win if s.place[player] == 1 else rewards.loss


PAYMENT = {"pay_own": pay_own, "pay_others": pay_others, "pay_end": pay_end}
