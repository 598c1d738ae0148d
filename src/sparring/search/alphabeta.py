"""Iterative-deepening alpha-beta for two players who move in turn.

A template: the names declared below are the game's kernels and the search's manners (see tree.py), filled in
when the search is bound to a game. Values are the mover's; leaves are judged through the eyes of the player
who searches, for a heuristic need not be zero-sum.
"""

from typing import Any

from sparring.search.tree import INFINITY, PROVEN, lead_with

legal: Any
mover: Any
reward: Any
descend: Any
choose: Any
worth: Any
BEST_FIRST: int
STOP_WHEN_PROVEN: int
DEEPENS: int
PLIES: int  # a turn


def alphabeta(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Go on with a walk until it is finished or about `pause` more nodes have been visited."""
    nodes, ply, depth, following = walk.nodes, walk.ply, walk.depth, walk.following
    if nodes == 0:  # whole turns, of which the first may have begun
        depth = min(walk.max_depth, (walk.max_depth - 1) % PLIES + 1) if DEEPENS else walk.max_depth
    stop = min(walk.max_nodes, nodes + pause)
    me = walk.me
    while nodes < stop:
        state = states[ply]
        frame = frames[ply]
        frame.line_length = 0
        nodes += 1
        moves = legal(state)
        value = 0.0
        if moves and ply < depth and not 0 < ply == depth - 1:
            frame.todo = moves
            frame.best = -INFINITY
            frame.alpha = -frames[ply - 1].beta if ply else -INFINITY
            frame.beta = -frames[ply - 1].alpha if ply else INFINITY
        else:
            if moves == 0:
                value = worth(reward(state, mover(state)), ply)
            elif ply == depth:
                value = heuristic(state, me, weights) * (1.0 if mover(state) == me else -1.0)
            else:  # the children are leaves: look at them here and now, as most nodes of the tree are such
                value = -INFINITY
                alpha, beta = -frames[ply - 1].beta, -frames[ply - 1].alpha
                sign = 1.0 if mover(state) == me else -1.0
                leaf = states[ply + 1]
                while moves and alpha < beta:
                    action = choose(moves, dice)
                    moves &= ~(1 << action)
                    descend(states, ply, action)
                    nodes += 1
                    if legal(leaf):
                        leaf_value = sign * heuristic(leaf, me, weights)
                    else:
                        leaf_value = -worth(reward(leaf, mover(leaf)), ply + 1)
                    if leaf_value > value:
                        value = leaf_value
                        if value > alpha:
                            alpha = value
                            frame.line[0] = action
                            frame.line_length = 1
            # hand the value up until somebody has a move left to try
            while ply > 0:
                ply -= 1
                frame = frames[ply]
                following = 0
                value = -value
                if ply == 0:
                    walk.trial[frame.action] = value
                    walk.trial_exact[frame.action] = value > frame.alpha
                if value > frame.best:
                    frame.best = value
                    if frame.alpha < value:
                        frame.alpha = value
                        if value < frame.beta:
                            lead_with(frame, frames[ply + 1])
                if frame.todo and frame.alpha < frame.beta:
                    break
                value = frame.best
            else:
                walk.completed = depth
                walk.score = value
                walk.scores[:] = walk.trial
                walk.exact[:] = walk.trial_exact
                walk.line_length = frames[0].line_length
                walk.line[:] = frames[0].line
                if depth >= walk.max_depth or (STOP_WHEN_PROVEN and abs(value) > PROVEN):
                    walk.finished = 1
                    break
                depth += PLIES
                following = BEST_FIRST
                continue
        if following and ply < walk.line_length:
            action = int(walk.line[ply])
        else:
            action = choose(frame.todo, dice)
        frame.todo &= ~(1 << action)
        frame.action = action
        descend(states, ply, action)
        ply += 1
    walk.nodes, walk.ply, walk.depth, walk.following = nodes, ply, depth, following
