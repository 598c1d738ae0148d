"""What Ludo players value."""

from typing import Any

from sparring.games.ludo.rules import (
    SIX,
    same_tile,
    stands_firm,
    steps_walked,
    tokens_at,
    tokens_on_ring,
)
from sparring.games.ludo.state import GOAL, HOME, IS_STAR, NEXT_STAR, START, TURN_OFF
from sparring.kernel import kernel
from sparring.terms import Terms, heuristic


@heuristic("ludo")
def progress(s, me):
    """Steps of the own tokens less those of the others, on average."""
    theirs = 0
    for player in range(s.players):
        if player != me:
            theirs += steps_walked(s, player)
    return steps_walked(s, me) - theirs / (s.players - 1)


@heuristic("ludo", out=30, rivals=0.7)
def cautious(s, me):
    """Own progress, what others have left of theirs, and the chance to lose one's own to their next rolls."""
    theirs = 0.0
    for player in range(s.players):
        if player != me:
            theirs += steps_walked(s, player)
    return Terms(steps=steps_walked(s, me), out=tokens_out(s, me), rivals=-theirs, danger=0.0 - expected_loss(s, me))


@kernel
def tokens_out(s: Any, player: int) -> int:
    """How many tokens have left home."""
    return s.tokens - tokens_home(s, player)


@kernel
def tokens_home(s: Any, player: int) -> int:
    count = 0
    for token in range(s.tokens):
        count += s.at[player, token] == HOME
    return count


@kernel
def stolen(s: Any, after: Any, me: int) -> int:
    """How many steps a move has taken from the others."""
    steps = 0
    for player in range(s.players):
        if player != me:
            steps += steps_walked(s, player) - steps_walked(after, player)
    return steps


# The danger to be sent home


@kernel
def expected_loss(s: Any, me: int) -> float:
    """The steps of each own token times the chance that it is hit."""
    loss = 0.0
    for token in range(s.tokens):
        tile = s.at[me, token]
        loss += tile * hit_chance(s, me, tile)
    return loss


@kernel
def hit_chance(s: Any, me: int, tile: int) -> float:
    """The chance that some opponent can send home who stands there, with its next roll. What a six adds, another roll,
    is not counted."""
    if tile == HOME or tile > TURN_OFF:
        return 0.0
    spared = 1.0
    for other in range(s.players):
        if other != me:
            spared *= 1 - hitting_rolls(s, other, me, tile) / SIX
    return 1 - spared


LONGEST_STEP = 13
"""A six to a star and on to the next one."""


@kernel
def hitting_rolls(s: Any, other: int, me: int, tile: int) -> int:
    """How many of the six numbers let a player send home who stands on a tile of mine."""
    aim = same_tile(s, me, tile, other)
    if aim > TURN_OFF or stands_firm(s, tokens_at(s, me, tile), tile, aim):
        return 0
    near = False
    for token in range(s.tokens):
        near |= s.at[other, token] < aim <= s.at[other, token] + LONGEST_STEP
    if not near:
        return 0
    count = 0
    for die in range(1, SIX + 1):
        hits = False
        for token in range(s.tokens):
            hits |= strikes(s, other, s.at[other, token], die, aim)
        count += hits
    return count


@kernel
def strikes(s: Any, player: int, here: int, die: int, aim: int) -> bool:
    """Whether a token lands on a tile with a number, be it the first or the second star of a jump."""
    if here == GOAL or (here == HOME and die != SIX):
        return False
    tile = START if here == HOME else here + die
    if tile > TURN_OFF:
        return False
    if IS_STAR >> tile & 1 == 0:
        return tile == aim
    if s.first_stop_counts and (tile == aim or barred(s, player, tile)):
        return tile == aim
    return NEXT_STAR[tile] == aim


@kernel
def barred(s: Any, player: int, tile: int) -> bool:
    """Whether somebody stands firm on a tile of a player."""
    found = False
    for other in range(s.players):
        if other != player:
            own_tile = same_tile(s, player, tile, other)
            count = tokens_on_ring(s, other, own_tile)
            found |= count > 0 and stands_firm(s, count, own_tile, tile)
    return found


# What can be said of a move alone

MOVE_TERMS = ("capture", "get_out", "step", "sent_home", "place")


@kernel
def instinct(s: Any, after: Any, token: int, weights: Any) -> float:
    """The score of a move that really leads to the state `after`, from the terms below."""
    score = 0.0
    for term in range(5):
        score += weights.of[term] * move_term(s, after, token, term)
    return score


@kernel
def instinct_terms(s: Any, after: Any, token: int, weights: Any, terms: Any) -> None:
    for term in range(5):
        terms[term] = move_term(s, after, token, term)


@kernel
def move_term(s: Any, after: Any, token: int, term: int) -> float:
    """capture: somebody is sent home. get_out: the token leaves home. step: how far it comes. sent_home: it is the one.
    place: where it stands before."""
    me = s.to_move & 3
    here, there = s.at[me, token], after.at[me, token]
    if term == 0:
        return 1.0 * (stolen(s, after, me) > 0)
    if term == 1:
        return 1.0 * (here == HOME and there > HOME)
    if term == 2:
        return 1.0 * max(0, there - here)
    if term == 3:
        return 0.0 - (there == HOME)
    return 1.0 * here
