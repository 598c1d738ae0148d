"""Minimax to a fixed depth: every line is looked at, so every root move gets its exact score.

A template like alpha-beta, which finds the same best score sooner.
"""

from typing import Any

from sparring.core.bits import lowest
from sparring.search.tree import INFINITY, lead_with

actors: Any
child: Any
reward: Any
position: Any
start: Any
more: Any
choose: Any
without: Any
note_roots: Any
place_of: Any
worth: Any


def minimax(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Go on with a walk until it is finished or `pause` more nodes have been visited."""
    nodes, ply, depth = walk.nodes, walk.ply, walk.max_depth
    stop = min(walk.max_nodes, nodes + pause)
    me = walk.me
    while nodes < stop:
        state = states[ply]
        frame = frames[ply]
        frame.line_length = 0
        nodes += 1
        acting = actors(state)
        if acting and ply < depth:
            frame.todo = start(frame, state, lowest(acting))
            frame.sign = 1.0 if lowest(acting) == me else -1.0
            frame.best = -INFINITY
            if ply == 0:
                note_roots(walk, frame, frame.todo)
        else:
            value = heuristic(position(state), me, weights) if acting else worth(reward(state, me), ply)
            # hand the value up until somebody has a move left to try
            while ply > 0:
                ply -= 1
                frame = frames[ply]
                here = frame.sign * value
                if ply == 0:
                    place = place_of(walk, frame.action)
                    walk.scores[place] = here
                    walk.exact[place] = 1
                if here > frame.best:
                    frame.best = here
                    lead_with(frame, frames[ply + 1])
                if more(frame, frame.todo):
                    break
                value = frame.sign * frame.best
            else:
                walk.completed = depth
                walk.score = value
                walk.line_length = frames[0].line_length
                walk.line[:] = frames[0].line
                walk.finished = 1
                break
        frame.action = choose(frame, frame.todo, dice)
        frame.todo = without(frame, frame.todo, frame.action)
        child(states[ply + 1], states[ply], frame.action)
        ply += 1
    walk.nodes, walk.ply = nodes, ply
