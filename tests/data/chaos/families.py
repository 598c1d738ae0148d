"""Agents that start what goes on after them: processes and threads."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from first_seat import in_first_seat

from sparring import agent

SLEEP = [sys.executable, "-c", "import time; time.sleep(1e6)"]


@agent("isolation")
def forks_and_goes_on(view):
    """Both copies return a move; only one is the guest."""
    os.fork()
    return view.legal[0]


@agent("isolation")
def leaves_a_sleeper(view):
    if os.fork() == 0:
        time.sleep(1e6)
    return view.legal[0]


@agent("isolation")
def leaves_a_demon(view):
    """A grandchild in a session of its own, which no longer belongs to anybody here."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1e6)
        os._exit(0)
    return view.legal[0]


@agent("isolation")
def leaves_a_demon_and_sleeps(view):
    leaves_a_demon.function(view)
    time.sleep(1e6)


@agent("isolation")
def starts_an_engine(view):
    subprocess.Popen(SLEEP)
    return view.legal[0]


@in_first_seat
def dies_but_its_child_lives(view):
    """The child holds the line to the referee open."""
    if os.fork() == 0:
        time.sleep(1e6)
    os._exit(7)


@in_first_seat
def bombs(view):
    while len(list(Path("/proc").iterdir())) < 400:
        os.fork()
    time.sleep(1e6)


def brood():
    while True:
        time.sleep(0.001)


@agent("isolation")
def thinks_on(view):
    threading.Thread(target=brood, daemon=True).start()
    return view.legal[0]
