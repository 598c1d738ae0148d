"""A whole agent for Isolation as a plain Python function.

Let it play, and see what it does in a position:

    spar match isolation examples/isolation_agent.py:cautious greedy --games 20
    spar explain isolation --agent examples/isolation_agent.py:cautious --position "d4 e6 f5"

It searches by itself and is not compiled. To search a heuristic at full speed, write a heuristic instead, as in
isolation_idea.py.
"""

from sparring import agent

WON = 99  # more than any number of moves


@agent("isolation")
def cautious(view):
    """Looks one move and one reply ahead, and takes the move whose worst reply leaves it the most moves."""
    return max(view.legal, key=lambda action: moves_left(view.position.after(action)))


def moves_left(position):
    """How many moves we have after the opponent's best reply."""
    if position.over:  # the opponent is to move and cannot: we have won
        return WON
    following = [position.after(reply) for reply in position.legal]
    return min(0 if p.over else len(p.legal) for p in following)
