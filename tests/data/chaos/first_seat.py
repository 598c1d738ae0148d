"""Declares agents that misbehave in the first seat and play the first legal move in the second."""

from functools import wraps

from sparring import agent


def in_first_seat(misbehave):
    @wraps(misbehave)
    def plays(view):
        return view.legal[0] if view.me else misbehave(view)

    return agent("isolation")(plays)
