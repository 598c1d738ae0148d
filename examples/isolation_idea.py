"""A heuristic for Isolation: room to move now, room to move later, and territory.

Let it play a built-in heuristic:

    spar match isolation examples/isolation_idea.py:roomy next_moves --games 20

See its scores in a position, and try another weight without editing the file:

    spar explain isolation --agent examples/isolation_idea.py:roomy --position "d4 e6 f5"
    spar match isolation "examples/isolation_idea.py:roomy(territory=0)" next_moves --games 20
"""

from sparring import Terms, Weight, heuristic
from sparring.core.bits import count
from sparring.games.isolation.heuristics import second_exits, spread
from sparring.games.isolation.rules import exits, free, opponent


# The weights. A term without one weighs 1. Weight also gives the range for tuning.
@heuristic("isolation", later=0.5, territory=Weight(0.25, low=0, high=2))
def roomy(s, me):
    """Moves now, moves later and territory, each minus the opponent's."""
    you = opponent(me)
    return Terms(
        moves=count(exits(s, me)) - count(exits(s, you)),
        later=count(second_exits(s, me)) - count(second_exits(s, you)),
        territory=territory(s, me),
    )


def territory(s, me):
    """Free cells that we reach first, minus those that the opponent reaches first.

    A plain function of the same file. It is compiled together with the heuristic that calls it.
    """
    first, second = s.to_move, opponent(s.to_move)
    front, rival_front = exits(s, first), exits(s, second)  # cells reached by the next move of each
    won, lost, unclaimed = 0, 0, free(s)
    while front | rival_front:
        won |= front
        unclaimed &= ~front
        rival_front &= unclaimed  # the player to move takes what both could reach
        lost |= rival_front
        unclaimed &= ~rival_front
        front, rival_front = spread(s, front) & unclaimed, spread(s, rival_front) & unclaimed
    lead = count(won) - count(lost)
    return lead if first == me else -lead
