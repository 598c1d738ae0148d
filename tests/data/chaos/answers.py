"""Agents that answer with what is no move in the first seat."""

import math

from sparring import agent

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
    "a_class": lambda: dict,
}


def answer(name, view):
    return view.legal[0] if view.me else ANSWERS[name]()


@agent("isolation")
def nothing(view):
    return answer("nothing", view)


@agent("isolation")
def a_float(view):
    return answer("a_float", view)


@agent("isolation")
def not_a_number(view):
    return answer("not_a_number", view)


@agent("isolation")
def a_list(view):
    return answer("a_list", view)


@agent("isolation")
def yes(view):
    return answer("yes", view)


@agent("isolation")
def an_object(view):
    return answer("an_object", view)


@agent("isolation")
def no_cell(view):
    return answer("no_cell", view)


@agent("isolation")
def negative(view):
    return answer("negative", view)


@agent("isolation")
def a_novel(view):
    return answer("a_novel", view)


@agent("isolation")
def no_name(view):
    return answer("no_name", view)


@agent("isolation")
def a_class(view):
    return answer("a_class", view)


@agent("isolation")
def the_cell_it_stands_on(view):
    return view.legal[0] if view.me else int(view.state.at[0])
