"""What is good in Goofspiel."""

from goofspiel.rules import MOST_CARDS
from sparring import Terms, heuristic


@heuristic("goofspiel", cards=0.3)
def greedy(s, me):
    """Points, and the worth of the cards still in the hand, each less the opponent's."""
    you, cards = 1 - me, 0
    for card in range(1, MOST_CARDS + 1):
        cards += card * ((s.hands[me] >> card & 1) - (s.hands[you] >> card & 1))
    return Terms(points=s.points[me] - s.points[you], cards=cards)
