"""Minimax to a fixed depth: every line is looked at, so every root move gets its exact score.

A template like alpha-beta, which finds the same best score sooner.
"""

from typing import Any

from sparring.search.tree import INFINITY, lead_with

legal: Any
mover: Any
reward: Any
descend: Any
choose: Any
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
        moves = legal(state)
        if moves and ply < depth:
            frame.todo = moves
            frame.best = -INFINITY
        else:
            if moves == 0:
                value = worth(reward(state, mover(state)), ply)
            else:
                value = heuristic(state, me, weights) * (1.0 if mover(state) == me else -1.0)
            # hand the value up until somebody has a move left to try
            while ply > 0:
                ply -= 1
                frame = frames[ply]
                value = -value
                if ply == 0:
                    walk.scores[frame.action] = value
                    walk.exact[frame.action] = 1
                if value > frame.best:
                    frame.best = value
                    lead_with(frame, frames[ply + 1])
                if frame.todo:
                    break
                value = frame.best
            else:
                walk.completed = depth
                walk.score = value
                walk.line_length = frames[0].line_length
                walk.line[:] = frames[0].line
                walk.finished = 1
                break
        action = choose(frame.todo, dice)
        frame.todo &= ~(1 << action)
        frame.action = action
        descend(states, ply, action)
        ply += 1
    walk.nodes, walk.ply = nodes, ply
