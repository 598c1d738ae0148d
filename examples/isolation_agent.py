"""A whole agent for Isolation as a plain Python function.

Let it play, and see its move in a position:

    spar match isolation examples/isolation_agent.py:cautious greedy --games 20
    spar explain isolation --agent examples/isolation_agent.py:cautious --position "d4 e6 f5"

It does its own search and is not compiled. For a search at full speed write a heuristic, as in isolation_idea.py.
"""

from sparring import agent

WON = 99  # more than any number of moves


@agent("isolation")
def cautious(view):
    """Looks one move and one reply ahead. It takes the move with most own moves after the worst reply."""
    return max(view.legal, key=lambda action: moves_left(view.position.after(action)))


def moves_left(position):
    """The number of our moves after the opponent's best reply."""
    if position.over:  # the opponent cannot move: we have won
        return WON
    following = [position.after(reply) for reply in position.legal]
    return min(0 if p.over else len(p.legal) for p in following)
