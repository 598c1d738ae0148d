"""Agents that take all they can get when they have the first seat."""

import contextlib
import os
import tempfile
import threading

import numpy as np

from sparring import agent


@agent("isolation")
def allocates_without_end(view):
    hoard = []
    while view.me == 0:
        hoard.append(bytearray(1 << 20))
    return view.legal[0]


HOARD = []


@agent("isolation")
def keeps_to_the_last_byte(view):
    """Nothing is free again when the exception has passed."""
    for size in (1 << 20, 1 << 12, 1 << 8, 1):
        with contextlib.suppress(MemoryError):
            while view.me == 0:
                HOARD.append(bytearray(size))
    return view.legal[0] if view.me else HOARD * 2


@agent("isolation")
def wants_a_terabyte(view):
    if view.me == 0:
        np.ones(1 << 37)
    return view.legal[0]


@agent("isolation")
def dies_of_its_hoard(view):
    """As a C library does that cannot go on: a message, then abort."""
    if view.me == 0:
        os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
        os.abort()
    return view.legal[0]


@agent("isolation")
def prints_gigabytes(view):
    print("my first thought")
    while view.me == 0:
        print("so much to say " * 1000)
    return view.legal[0]


@agent("isolation")
def floods_the_disk(view):
    with tempfile.TemporaryFile() as file:
        while view.me == 0:
            file.write(bytes(1 << 20))
    return view.legal[0]


@agent("isolation")
def chatters(view):
    """Within the limit in every game, beyond it in all of them together."""
    print("hm" * 2000)
    return view.legal[0]


@agent("isolation")
def starts_threads_without_end(view):
    over = threading.Event()
    try:
        while view.me == 0:
            threading.Thread(target=over.wait, daemon=True).start()
    finally:
        over.set()
    return view.legal[0]


@agent("isolation")
def thinks_on_many_threads(view):
    """Each of which needs a little memory of its own."""
    together = threading.Barrier(24)

    def think():
        thought = [[number] for number in range(1000)]
        together.wait(10)
        return thought

    thinkers = [threading.Thread(target=think) for _ in range(24)]
    for thinker in thinkers:
        thinker.start()
    for thinker in thinkers:
        thinker.join()
    return view.legal[0]
