"""Agents that take all they can get."""

import contextlib
import os
import tempfile
import threading

import numpy as np
from first_seat import in_first_seat

from sparring import agent


@in_first_seat
def allocates_without_end(view):
    hoard = []
    while True:
        hoard.append(bytearray(1 << 20))


HOARD = []


@in_first_seat
def keeps_to_the_last_byte(view):
    """Nothing is free again when the exception has passed."""
    for size in (1 << 20, 1 << 12, 1 << 8, 1):
        with contextlib.suppress(MemoryError):
            while True:
                HOARD.append(bytearray(size))
    return HOARD * 2


@in_first_seat
def wants_a_terabyte(view):
    np.ones(1 << 37)


@in_first_seat
def dies_of_its_hoard(view):
    """As a C library does that cannot go on: a message, then abort."""
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


@in_first_seat
def prints_gigabytes(view):
    print("my first thought")
    while True:
        print("so much to say " * 1000)


@in_first_seat
def floods_the_disk(view):
    with tempfile.TemporaryFile() as file:
        while True:
            file.write(bytes(1 << 20))


@agent("isolation")
def chatters(view):
    """Within the limit in every game, beyond it in all of them together."""
    print("hm" * 2000)
    return view.legal[0]


@in_first_seat
def starts_threads_without_end(view):
    over = threading.Event()
    try:
        while True:
            threading.Thread(target=over.wait, daemon=True).start()
    finally:
        over.set()


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
