"""A heuristic for Battlesnake: how good is a position for a snake?

Why does it move as it does, and is it any better than others?

    spar explain battlesnake --agent idea.py --position "t41 A54:f5,f6,e6,e7*2 B97:h5,h6,h7,i7 food:g4,a11"
    spar match battlesnake idea.py,nodes=2000 steady,nodes=2000 --games 40
"""

from sparring import Terms, Weight, heuristic
from sparring.games.battlesnake.heuristics import length_lead
from sparring.games.battlesnake.rules import head, steps_between, whole
from sparring.games.battlesnake.territory import territory


# The value of a position is the sum of its terms, each times its weight. A weight is 1 if none is named here; a Weight
# also says between which bounds `spar tune` may look for a better one.
@heuristic(
    "battlesnake", room=Weight(3, low=0, high=10), lead=Weight(20, low=0, high=100), food=Weight(1, low=0, high=5)
)
def idea(s, me):
    """Room to live in, a longer body than the others, and something to eat near by."""
    mine, theirs = territory(s, me)
    return Terms(
        room=mine - theirs,
        lead=length_lead(s, me),
        food=0 - steps_to_food(s, me),
    )


def steps_to_food(s, me):
    """Steps to the nearest food if nothing is in the way. Your own functions are compiled too."""
    steps = s.width + s.height
    for place in range(s.foods):
        steps = min(steps, steps_between(s, head(s, me), whole(s.food[place])))
    return steps


# What there is to see. Cells are numbers; column(s, cell) and row(s, cell) tell where they are.
#
#   s.snakes, s.living      how many there were, and how many are left; `me` is one of 0 to s.snakes - 1
#   s.health[me]            0 to 100
#   s.turn, s.width, s.height
#   s.foods, s.food[place]  how much food there is, and the cells of it; whole(...) makes a number of such a field
#   alive(s, snake), size(s, snake), head(s, snake), tail(s, snake)      from sparring.games.battlesnake.rules
#   segment(s, snake, 0)    the cells of a body from the head on: 0 to s.length[snake] - 1, from there
#   safe_moves(s, snake)    a set of bits: up, down, left, right that lead into no body, from there
#   territory(s, me)        the cells that one reaches first, and those that others do
#
# Numbers, if, while and for ... in range(...) compile; dictionaries and lists do not.
