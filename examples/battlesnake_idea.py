"""A heuristic for Battlesnake: grow first, then keep the others in a small part of the board.

Let it play a built-in heuristic, and ask it about the first turn of a game:

    spar match battlesnake examples/battlesnake_idea.py:squeeze,nodes=1000 central,nodes=1000 --games 20
    spar explain battlesnake --agent examples/battlesnake_idea.py:squeeze --player A
"""

from sparring import Terms, Weight, heuristic
from sparring.core.bits import count
from sparring.games.battlesnake.heuristics import length_lead, next_meal
from sparring.games.battlesnake.rules import alive, safe_moves
from sparring.games.battlesnake.territory import territory

GROWN = 10  # a body of this length is long enough to cut off others


# The weights. A term without one weighs 1. Weight also gives the range for tuning.
@heuristic("battlesnake", territory=3, lead=30, meal=Weight(4, low=0, high=10), exits=Weight(5, low=0, high=20))
def squeeze(s, me):
    """Territory, length, food while we are short or hungry, and more exits than the others."""
    mine, theirs = territory(s, me)
    hungry = s.length[me] < GROWN or s.health[me] < 30
    return Terms(
        territory=mine - theirs,
        lead=length_lead(s, me),
        meal=next_meal(s, me) if hungry else 0,
        exits=count(safe_moves(s, me)) - exits_of_others(s, me),
    )


def exits_of_others(s, me):
    """The exits of the opponent that has most of them.

    A plain function of the same file. It is compiled together with the heuristic that calls it.
    """
    most = 0
    for snake in range(s.snakes):
        if snake != me and alive(s, snake):
            most = max(most, count(safe_moves(s, snake)))
    return most
