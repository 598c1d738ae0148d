"""What Ludo players value."""

from typing import Any

from sparring.core.kernel import kernel
from sparring.core.terms import Terms, heuristic
from sparring.games.ludo.danger import expected_loss
from sparring.games.ludo.rules import steps_walked
from sparring.games.ludo.state import HOME
from sparring.games.ludo.value import HIDDEN, shipped


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


td_linear = shipped("td_linear", 0)
td_net = shipped("td_net", HIDDEN)


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
