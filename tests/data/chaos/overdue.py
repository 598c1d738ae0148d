"""Agents that never answer."""

import contextlib
import os
import signal
import time

from first_seat import in_first_seat

from sparring import agent


@in_first_seat
def loops_forever(view):
    while True:
        pass


@in_first_seat
def ignores_signals(view):
    """Nor can an exception end it."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(1e6)


@in_first_seat
def stops_itself(view):
    os.kill(os.getpid(), signal.SIGSTOP)


@agent("isolation")
def takes_a_while(view):
    time.sleep(0.1)
    return view.legal[0]
