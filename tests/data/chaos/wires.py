"""Agents that play with the line between them and the referee."""

import json
import os
import time

from first_seat import in_first_seat

from sparring.games.contract import Position
from sparring.games.isolation.game import Isolation

LINE = 3


def sends(data, view):
    os.write(LINE, data)
    return view.legal[0]


def framed(message):
    return len(message).to_bytes(4, "big") + message


@in_first_seat
def closes_everything(view):
    os.closerange(0, 1000)
    return view.legal[0]


@in_first_seat
def hangs_up_and_sleeps(view):
    os.close(LINE)
    time.sleep(1e6)


@in_first_seat
def talks_garbage(view):
    return sends(framed(b"garbage"), view)


@in_first_seat
def announces_gigabytes(view):
    return sends(b"\xff\xff\xff\xff", view)


@in_first_seat
def nests_deeply(view):
    return sends(framed(b"[" * 100_000), view)


@in_first_seat
def answers_beforehand(view):
    return sends(framed(json.dumps({"action": view.legal[0], "turn": 3}).encode()), view)


def say(**answer):
    """Answer the second question, the first after loading, in words of its own."""
    whole = {"candidates": [], "depth": 0, "nodes": 0, "seconds": 0, "weights": {}, "notes": {}}
    os.write(LINE, framed(json.dumps({**whole, **answer, "turn": 2}).encode()))
    time.sleep(1e6)


@in_first_seat
def thinks_negatively(view):
    say(action=view.legal[0], nodes=-5)


@in_first_seat
def fails_in_its_own_words(view):
    say(failed=["not guilty"], detail={"a": 1})


@in_first_seat
def scores_in_words(view):
    say(action=view.legal[0], candidates=[[view.legal[0], "good", 1, [], {}]])


@in_first_seat
def scores_without_end(view):
    say(action=view.legal[0], notes={"score": 1e999})


@in_first_seat
def says_nothing(view):
    say()


@in_first_seat
def rewrites_the_rules(view):
    Isolation.legal = lambda self, state, player: [99]
    Position.action = lambda self, name, player=None: name
    return view.legal[0]
