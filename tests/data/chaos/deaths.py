"""Agents that die."""

import ctypes
import os
import signal
import sys

from first_seat import in_first_seat


@in_first_seat
def raises(view):
    raise ValueError("no idea\nwhat to play")


@in_first_seat
def slips(view):
    view.position.after("nowhere")


@in_first_seat
def leaves(view):
    sys.exit("had enough")


@in_first_seat
def exits_at_once(view):
    os._exit(3)


@in_first_seat
def segfaults(view):
    ctypes.string_at(0)


@in_first_seat
def kills_itself(view):
    os.kill(os.getpid(), signal.SIGKILL)


@in_first_seat
def falls_forever(view):
    return falls_forever.function(view)


@in_first_seat
def asks_the_user(view):
    return input("your move? ")


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("not even that")


@in_first_seat
def raises_the_unspeakable(view):
    raise Unspeakable


@in_first_seat
def complains_at_length(view):
    raise RuntimeError("woe! " * 10_000_000)


@in_first_seat
def kills_the_forkserver(view):
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()
