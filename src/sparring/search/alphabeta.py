"""Iterative-deepening alpha-beta, and minimax: one player against all others, who act in turn.

A template: the names that are not defined here are the game's kernels, the cursor's parts and the switches of the
search (see tree.py). They get their meaning when the search is bound to a game. The value of a node is that of the
player to move there. The heuristic of a leaf is asked for the player who searches, because a heuristic need not be
zero-sum.
"""

from typing import Any

from sparring.core.bits import lowest
from sparring.core.kernel import with_globals
from sparring.search.tree import INFINITY, PROVEN, finish_iteration, lead_with

PRUNES = 1  # 0 to search every line to the full depth at once, as minimax does


def alphabeta(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Continue a search until it is finished or about `pause` more nodes have been visited."""
    nodes, ply, depth, following = search.nodes, search.ply, search.depth, search.following
    if nodes == 0:  # iterations end with whole turns; at the root a turn may have begun
        depth = min(search.max_depth, (search.max_depth - 1) % PLIES + 1) if DEEPENS and PRUNES else search.max_depth
    stop = min(search.max_nodes, nodes + pause)
    me = search.me
    root_sign = 1.0 if actors(states[0]) >> me & 1 else -1.0
    while nodes < stop:
        state = states[ply]
        frame = frames[ply]
        frame.line_length = 0
        nodes += 1
        acting = actors(state)
        if ALTERNATE:  # 1 where the player who searches is to move, else -1
            sign = -root_sign if ply & 1 else root_sign
        else:
            sign = 1.0 if acting >> me & 1 else -1.0
        if acting and ply < depth and not 0 < ply == depth - 1:
            frame.todo = start(frame, state, lowest(acting))
            frame.best = -INFINITY
            if ALTERNATE == 0:
                frame.sign = sign
            if ply == 0:
                store_roots(search, frame, frame.todo)
            if ply == 0 or PRUNES == 0:
                frame.alpha, frame.beta = -INFINITY, INFINITY
            elif ALTERNATE or sign != frames[ply - 1].sign:
                frame.alpha, frame.beta = -frames[ply - 1].beta, -frames[ply - 1].alpha
            else:
                frame.alpha, frame.beta = frames[ply - 1].alpha, frames[ply - 1].beta
        else:
            if acting == 0:
                value = sign * worth(reward(state, me), ply)
            elif ply == depth:
                value = sign * heuristic(position(state), me, weights)
            else:  # all children are leaves. Evaluate them at once, because most nodes of the tree are leaves
                value = -INFINITY
                if PRUNES == 0:
                    alpha, beta = -INFINITY, INFINITY
                elif ALTERNATE or sign != frames[ply - 1].sign:
                    alpha, beta = -frames[ply - 1].beta, -frames[ply - 1].alpha
                else:
                    alpha, beta = frames[ply - 1].alpha, frames[ply - 1].beta
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
                    if leaf_value > value:
                        value = leaf_value
                        if value > alpha:
                            alpha = value
                            frame.line[0] = action
                            frame.line_length = 1
            # back the value up to the first node with an action left to try
            while ply > 0:
                ply -= 1
                frame = frames[ply]
                following = 0
                if ALTERNATE:
                    value = -value
                elif frame.sign != sign:
                    value, sign = -value, frame.sign
                if ply == 0:
                    place = place_of(search, frame.action)
                    search.trial[place] = value
                    search.trial_exact[place] = value > frame.alpha or PRUNES == 0
                if value > frame.best:
                    frame.best = value
                    if frame.alpha < value:
                        frame.alpha = value
                        if value < frame.beta:
                            lead_with(frame, frames[ply + 1])
                if more(frame, frame.todo) and frame.alpha < frame.beta:
                    break
                value = frame.best
            else:
                finish_iteration(search, frames[0], depth, root_sign * value)
                if depth >= search.max_depth or (STOP_WHEN_PROVEN and abs(value) > PROVEN):
                    search.finished = 1
                    break
                depth += PLIES
                following = BEST_FIRST
                continue
        if following and ply < search.line_length:
            action = int(search.line[ply])
        else:
            action = choose(frame, frame.todo, dice)
        frame.todo = without(frame, frame.todo, action)
        frame.action = action
        child(states[ply + 1], states[ply], action)
        ply += 1
    search.nodes, search.ply, search.depth, search.following = nodes, ply, depth, following


minimax = with_globals(alphabeta, {"PRUNES": 0}, "minimax")
"""Minimax to a fixed depth. It searches every line, so every root action gets its exact score."""
