"""Minimax to a fixed depth. It searches every line, so every root action gets its exact score.

A template like alpha-beta, which finds the same best score with fewer nodes.
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
store_roots: Any
place_of: Any
worth: Any


def minimax(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Continue a search until it is finished or `pause` more nodes have been visited."""
    nodes, ply, depth = search.nodes, search.ply, search.max_depth
    stop = min(search.max_nodes, nodes + pause)
    me = search.me
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
                store_roots(search, frame, frame.todo)
        else:
            value = heuristic(position(state), me, weights) if acting else worth(reward(state, me), ply)
            # back the value up to the first node with an action left to try
            while ply > 0:
                ply -= 1
                frame = frames[ply]
                here = frame.sign * value
                if ply == 0:
                    place = place_of(search, frame.action)
                    search.scores[place] = here
                    search.exact[place] = 1
                if here > frame.best:
                    frame.best = here
                    lead_with(frame, frames[ply + 1])
                if more(frame, frame.todo):
                    break
                value = frame.sign * frame.best
            else:
                search.completed = depth
                search.score = value
                search.line_length = frames[0].line_length
                for place in range(search.line_length):
                    search.line[place] = frames[0].line[place]
                search.finished = 1
                break
        frame.action = choose(frame, frame.todo, dice)
        frame.todo = without(frame, frame.todo, frame.action)
        child(states[ply + 1], states[ply], frame.action)
        ply += 1
    search.nodes, search.ply = nodes, ply
