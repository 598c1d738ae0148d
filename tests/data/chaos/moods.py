"""Agents whose play depends on what lives outside of them: global generators, globals, the order of a set."""

import random

import mood
import numpy as np

from sparring import agent

calls = 0


@agent("isolation")
def moody(view):
    global calls
    calls += 1
    mood.calls += 1
    words = list({f"word {number}" for number in range(20)})
    whim = random.randrange(1000) + np.random.randint(1000) + view.random.randrange(1000) + len(words[0])
    whim += int(np.random.default_rng().integers(1000))
    return view.legal[(whim + calls + 3 * mood.calls) % len(view.legal)]
