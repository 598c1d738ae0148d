"""Agents that play with the line between them and the referee when they have the first seat."""

import json
import os
import time

from sparring import agent
from sparring.games.contract import Position
from sparring.games.isolation.game import Isolation

LINE = 3


@agent("isolation")
def closes_everything(view):
    if view.me == 0:
        os.closerange(0, 1000)
    return view.legal[0]


@agent("isolation")
def hangs_up_and_sleeps(view):
    if view.me == 0:
        os.close(LINE)
        time.sleep(1e6)
    return view.legal[0]


@agent("isolation")
def talks_garbage(view):
    if view.me == 0:
        os.write(LINE, b"\0\0\0\7garbage")
    return view.legal[0]


@agent("isolation")
def announces_gigabytes(view):
    if view.me == 0:
        os.write(LINE, b"\xff\xff\xff\xff")
    return view.legal[0]


@agent("isolation")
def nests_deeply(view):
    if view.me == 0:
        os.write(LINE, (100_000).to_bytes(4, "big") + b"[" * 100_000)
    return view.legal[0]


@agent("isolation")
def answers_beforehand(view):
    if view.me == 0:
        fake = json.dumps({"action": view.legal[0], "turn": 3}).encode()
        os.write(LINE, len(fake).to_bytes(4, "big") + fake)
    return view.legal[0]


def say(turn, **answer):
    whole = {"candidates": [], "depth": 0, "nodes": 0, "seconds": 0, "weights": {}, "notes": {}, "dice": "00" * 32}
    told = json.dumps({**whole, **answer, "turn": turn}).encode()
    os.write(LINE, len(told).to_bytes(4, "big") + told)
    time.sleep(1e6)


@agent("isolation")
def thinks_negatively(view):
    return view.legal[0] if view.me else say(2, action=view.legal[0], nodes=-5)


@agent("isolation")
def fails_in_its_own_words(view):
    return view.legal[0] if view.me else say(2, failed=["not guilty"], detail={"a": 1})


@agent("isolation")
def scores_in_words(view):
    return view.legal[0] if view.me else say(2, action=view.legal[0], candidates=[[view.legal[0], "good", 1, [], {}]])


@agent("isolation")
def scores_without_end(view):
    return view.legal[0] if view.me else say(2, action=view.legal[0], notes={"score": 1e999})


@agent("isolation")
def says_nothing(view):
    return view.legal[0] if view.me else say(2)


@agent("isolation")
def loads_its_dice(view):
    return view.legal[0] if view.me else say(2, action=view.legal[0], dice="66")


@agent("isolation")
def rewrites_the_rules(view):
    if view.me == 0:
        Isolation.legal = lambda self, state, player: [99]
        Position.action = lambda self, name, player=None: name
    return view.legal[0]
