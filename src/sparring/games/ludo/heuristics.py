"""What Ludo players value."""

from sparring.games.ludo.rules import steps_walked
from sparring.terms import heuristic


@heuristic("ludo")
def progress(s, me):
    """Steps of the own tokens less those of the others, on average."""
    theirs = 0
    for player in range(s.players):
        if player != me:
            theirs += steps_walked(s, player)
    return steps_walked(s, me) - theirs / (s.players - 1)
