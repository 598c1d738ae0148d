"""Agents that answer with what is no move."""

import math

from first_seat import in_first_seat

ANSWERS = {
    "nothing": lambda: None,
    "a_float": lambda: 3.0,
    "not_a_number": lambda: math.nan,
    "a_list": lambda: [1],
    "yes": lambda: True,
    "an_object": object,
    "no_cell": lambda: 1 << 70,
    "negative": lambda: -1,
    "a_novel": lambda: "e" * 50_000_000,
    "no_name": lambda: "z99",
}


def declared(name):
    def answers(view):
        return ANSWERS[name]()

    answers.__name__ = name
    return in_first_seat(answers)


globals().update({name: declared(name) for name in ANSWERS})


@in_first_seat
def the_cell_it_stands_on(view):
    return int(view.state.at[0])
