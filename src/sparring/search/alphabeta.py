"""Iterative-deepening alpha-beta: one player against all others, who act in turn.

A template: the names declared below are the game's kernels, the cursor's parts and the switches of the search (see
tree.py), filled in when the search is bound to a game. Values in a frame are those of the player to move there; leaves
are judged through the eyes of the player who searches, for a heuristic need not be zero-sum.
"""

from typing import Any

from sparring.core.bits import lowest
from sparring.search.tree import INFINITY, PROVEN, lead_with

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
        acting = actors(state)
        value = 0.0  # in the eyes of the player who searches
        if acting and ply < depth and not 0 < ply == depth - 1:
            frame.todo = start(frame, state, lowest(acting))
            frame.sign = 1.0 if lowest(acting) == me else -1.0
            frame.best = -INFINITY
            if ply == 0:
                note_roots(walk, frame, frame.todo)
                frame.alpha, frame.beta = -INFINITY, INFINITY
            elif frame.sign == frames[ply - 1].sign:
                frame.alpha, frame.beta = frames[ply - 1].alpha, frames[ply - 1].beta
            else:
                frame.alpha, frame.beta = -frames[ply - 1].beta, -frames[ply - 1].alpha
        else:
            if acting == 0:
                value = worth(reward(state, me), ply)
            elif ply == depth:
                value = heuristic(position(state), me, weights)
            else:  # the children are leaves: look at them here and now, as most nodes of the tree are such
                best = -INFINITY
                sign = 1.0 if lowest(acting) == me else -1.0
                if sign == frames[ply - 1].sign:
                    alpha, beta = frames[ply - 1].alpha, frames[ply - 1].beta
                else:
                    alpha, beta = -frames[ply - 1].beta, -frames[ply - 1].alpha
                leaf = states[ply + 1]
                todo = start(frame, state, lowest(acting))
                while more(frame, todo) and alpha < beta:
                    action = choose(frame, todo, dice)
                    todo = without(frame, todo, action)
                    child(leaf, state, action)
                    nodes += 1
                    if actors(leaf):
                        leaf_value = sign * heuristic(position(leaf), me, weights)
                    else:
                        leaf_value = sign * worth(reward(leaf, me), ply + 1)
                    if leaf_value > best:
                        best = leaf_value
                        if best > alpha:
                            alpha = best
                            frame.line[0] = action
                            frame.line_length = 1
                value = sign * best
            # hand the value up until somebody has a move left to try
            while ply > 0:
                ply -= 1
                frame = frames[ply]
                following = 0
                here = frame.sign * value
                if ply == 0:
                    place = place_of(walk, frame.action)
                    walk.trial[place] = here
                    walk.trial_exact[place] = here > frame.alpha
                if here > frame.best:
                    frame.best = here
                    if frame.alpha < here:
                        frame.alpha = here
                        if here < frame.beta:
                            lead_with(frame, frames[ply + 1])
                if more(frame, frame.todo) and frame.alpha < frame.beta:
                    break
                value = frame.sign * frame.best
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
            action = choose(frame, frame.todo, dice)
        frame.todo = without(frame, frame.todo, action)
        frame.action = action
        child(states[ply + 1], states[ply], action)
        ply += 1
    walk.nodes, walk.ply, walk.depth, walk.following = nodes, ply, depth, following
