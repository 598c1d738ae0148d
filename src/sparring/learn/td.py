"""Learning what positions of Ludo are worth: TD(lambda) on the positions after moves, in self-play.

Every player moves to the position that the value likes best for it; the dice see to it that all kinds of positions
come up. When the game is over it is walked back from its end. In every position, the value of each player moves a step
towards what followed: the next position's value or, the larger lambda the more, what followed there. The only reward is
the result.
"""

from typing import Any

from sparring.bits import lowest
from sparring.dice import roll, sow
from sparring.games.ludo.rules import legal, move_token, mover, over, roll_on, score
from sparring.games.ludo.value import (
    FEATURES,
    HIDDEN,
    add_up_hidden,
    chance_of,
    linear_sum,
    linear_value,
    net_value,
    observe,
)
from sparring.kernel import kernel
from sparring.search.tree import shuffled

LONGEST = 4000
"""Of a longer game only so many positions are learned from."""


@kernel
def best_move(s: Any, after: Any, net: int, address: int) -> int:
    """The move that leads to the position with the best value for the mover."""
    me, moves = mover(s), legal(s)
    chosen, best = lowest(moves), -1.0
    if moves & (moves - 1) == 0:
        return chosen
    while moves:
        token = lowest(moves)
        moves &= moves - 1
        after[0] = s
        move_token(after[0], token)
        value = net_value(after[0], me, address) if net else linear_value(after[0], me, address)
        if value > best:
            chosen, best = token, value
    return chosen


@kernel
def play_game(s: Any, after: Any, alone: int, net: int, address: int, dice: Any, history: Any) -> int:
    """Play a game to its end and write down the positions after moves; returns how many. If a seat is given, its player
    is alone among others who make any move."""
    length = 0
    roll_on(s[0], dice)
    while not over(s[0]):
        if alone >= 0 and mover(s[0]) != alone:
            token = shuffled(legal(s[0]), dice)
        else:
            token = best_move(s[0], after, net, address)
        move_token(s[0], token)
        history[min(length, LONGEST - 1)] = s[0]
        length += 1
        roll_on(s[0], dice)
    return min(length, LONGEST)


@kernel
def draw_nearer(
    s: Any, me: int, target: float, rate: float, net: int, table: Any, address: int, features: Any, amounts: Any, units: Any
) -> float:
    """Draw the value of a position towards a target; returns what it was."""
    found = observe(s, me, features, amounts)
    total = linear_sum(features, amounts, found, address)
    if net:
        total += add_up_hidden(features, amounts, found, address, units)
    value = chance_of(total)
    step = rate * (target - value)
    for place in range(found):
        table[features[place]] += step * amounts[place]
    if net:
        for unit in range(HIDDEN):
            active = max(units[unit], 0.0)
            units[unit] = step * table[FEATURES + unit] if active > 0 else 0.0
            table[FEATURES + unit] += step * active
        for place in range(found):
            row = FEATURES + HIDDEN + features[place] * HIDDEN
            for unit in range(HIDDEN):
                table[row + unit] += amounts[place] * units[unit]
    return value


@kernel
def learn(
    start: Any,
    first: int,
    games: int,
    of: int,
    rate: float,
    trace: float,
    strangers: float,
    seed: int,
    net: int,
    table: Any,
    address: int,
    s: Any,
    history: Any,
    dice: Any,
    features: Any,
    amounts: Any,
    units: Any,
) -> int:
    positions = 0
    for number in range(first, first + games):
        sow(dice, seed, number)
        alone = -1
        if roll(dice, 1000) < strangers * 1000:
            alone = roll(dice, start.players)
        s[0] = start
        s[0].to_move = roll(dice, start.players)
        length = play_game(s[:1], s[1:], alone, net, address, dice, history)
        for player in range(start.players):
            if alone < 0 or player == alone:
                target = score(s[0], player)
                for place in range(length - 2, -1, -1):
                    value = draw_nearer(
                        history[place], player, target, rate * (1 - number / of), net, table, address, features, amounts, units
                    )
                    target = (1 - trace) * value + trace * target
        positions += length
    return positions
