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
    theirs = 0
    for player in range(s.players):
        if player != me:
            theirs += steps_walked(s, player)
    return steps_walked(s, me) - theirs / (s.players - 1)


@heuristic("ludo", out=30, rivals=0.7)
def cautious(s, me):
    """Own progress, less the progress of others and the steps that their next rolls may cost."""
    theirs = 0.0
    for player in range(s.players):
        if player != me:
            theirs += steps_walked(s, player)
    return Terms(steps=steps_walked(s, me), out=tokens_out(s, me), rivals=-theirs, danger=0.0 - expected_loss(s, me))


td_linear = shipped("td_linear", 0)
td_net = shipped("td_net", HIDDEN)


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
    steps = 0
    for player in range(s.players):
        if player != me:
            steps += steps_walked(s, player) - steps_walked(after, player)
    return steps


# Terms of a move

MOVE_TERMS = ("capture", "get_out", "step", "sent_home", "place")


@kernel
def instinct(s: Any, after: Any, token: int, weights: Any) -> float:
    """Return the score of a move that leads to the state `after`, from the terms below."""
    score = 0.0
    for term in range(len(MOVE_TERMS)):
        score += weights.of[term] * move_term(s, after, token, term)
    return score


@kernel
def instinct_terms(s: Any, after: Any, token: int, weights: Any, terms: Any) -> None:
    for term in range(5):
        terms[term] = move_term(s, after, token, term)


@kernel
def move_term(s: Any, after: Any, token: int, term: int) -> float:
    """Return a term. capture: another token is sent home. get_out: the token leaves home. step: its steps. sent_home:
    the token itself is sent home. place: its tile before."""
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
