"""Agents that die in the first seat."""

import ctypes
import os
import signal
import sys

from sparring import agent


@agent("isolation")
def raises(view):
    if view.me == 0:
        raise ValueError("no idea\nwhat to play")
    return view.legal[0]


@agent("isolation")
def slips(view):
    return view.legal[0] if view.me else view.position.after("nowhere")


@agent("isolation")
def leaves(view):
    if view.me == 0:
        sys.exit("had enough")
    return view.legal[0]


@agent("isolation")
def exits_at_once(view):
    if view.me == 0:
        os._exit(3)
    return view.legal[0]


@agent("isolation")
def segfaults(view):
    return view.legal[0] if view.me else ctypes.string_at(0)


@agent("isolation")
def kills_itself(view):
    if view.me == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return view.legal[0]


@agent("isolation")
def falls_forever(view):
    return view.legal[0] if view.me else falls_forever.function(view)


@agent("isolation")
def asks_the_user(view):
    return view.legal[0] if view.me else input("your move? ")


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("not even that")


@agent("isolation")
def raises_the_unspeakable(view):
    if view.me == 0:
        raise Unspeakable
    return view.legal[0]


@agent("isolation")
def complains_at_length(view):
    if view.me == 0:
        raise RuntimeError("woe! " * 10_000_000)
    return view.legal[0]


@agent("isolation")
def kills_the_forkserver(view):
    if view.me == 0:
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    return view.legal[0]
