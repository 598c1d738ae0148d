"""Agents that take their time, each in its own way, and then play well-behaved."""

import time

from sparring import agent


def choice(view):
    return view.legal[int(view.state.blocked) % len(view.legal)]


@agent("isolation")
def first(view):
    time.sleep(0.002)
    return choice(view)


@agent("isolation")
def second(view):
    time.sleep(0.002)
    return choice(view)


@agent("isolation")
def calculates(view):
    """A tenth of a second of a processor, however long that takes."""
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    return choice(view)


@agent("isolation")
def calculates_long(view):
    end = time.process_time() + 2.0
    while time.process_time() < end:
        pass
    return choice(view)


@agent("isolation")
def sleeps_long(view):
    time.sleep(5)
    return choice(view)
