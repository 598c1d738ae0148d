"""Agents that never answer when they have the first seat, and that play well in the second."""

import contextlib
import os
import signal
import time

from sparring import agent


@agent("isolation")
def loops_forever(view):
    while view.me == 0:
        pass
    return view.legal[0]


@agent("isolation")
def sleeps_in_c(view):
    time.sleep(0 if view.me else 1e6)
    return view.legal[0]


@agent("isolation")
def ignores_signals(view):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    time.sleep(0 if view.me else 1e6)
    return view.legal[0]


@agent("isolation")
def will_not_be_interrupted(view):
    while view.me == 0:
        with contextlib.suppress(BaseException):
            time.sleep(1e6)
    return view.legal[0]


@agent("isolation")
def stops_itself(view):
    if view.me == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
    return view.legal[0]


@agent("isolation")
def takes_a_while(view):
    time.sleep(0.1)
    return view.legal[0]
