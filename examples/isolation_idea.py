"""A heuristic for Isolation: room to move now, room to move later, and territory.

Let it play one of the built-in heuristics:

    spar match isolation examples/isolation_idea.py:roomy next_moves --games 20

See what it thinks of a position, and try another weight without editing the file:

    spar explain isolation --agent examples/isolation_idea.py:roomy --position "d4 e6 f5"
    spar match isolation "examples/isolation_idea.py:roomy(territory=0)" next_moves --games 20
"""

from sparring import Terms, Weight, heuristic
from sparring.core.bits import count
from sparring.games.isolation.heuristics import second_exits, spread
from sparring.games.isolation.rules import exits, free, opponent


# The weights: 1 for a term that is not named here; Weight also says where a tuner may look.
@heuristic("isolation", later=0.5, territory=Weight(0.25, low=0, high=2))
def roomy(s, me):
    """Moves now, moves later and territory, each less the opponent's."""
    you = opponent(me)
    return Terms(
        moves=count(exits(s, me)) - count(exits(s, you)),
        later=count(second_exits(s, me)) - count(second_exits(s, you)),
        territory=territory(s, me),
    )


def territory(s, me):
    """Free cells that we reach first, less those that the opponent does.

    A plain function of the same file: it is compiled together with the heuristic that calls it.
    """
    first, second = s.to_move, opponent(s.to_move)
    front, rival_front = exits(s, first), exits(s, second)  # cells reached by the next move of each
    won, lost, unclaimed = 0, 0, free(s)
    while front | rival_front:
        won |= front
        unclaimed &= ~front
        rival_front &= unclaimed  # the player to move comes first and takes what both could reach
        lost |= rival_front
        unclaimed &= ~rival_front
        front, rival_front = spread(s, front) & unclaimed, spread(s, rival_front) & unclaimed
    lead = count(won) - count(lost)
    return lead if first == me else -lead
