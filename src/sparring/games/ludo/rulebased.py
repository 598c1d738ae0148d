# mypy: disable-error-code="no-any-return"
"""The rule-based agent: rules by priority, and bonuses for moves to which no rule applies.

The rules are in the order of the agent's design document. As in a heuristic, the score of a move is a weighted sum of
terms. The weights are the points of the document. The term of the rule that fires is its multiplier, a bonus counts 1,
and risk is negative. So the terms say which rule fires, in which phase, and what each part is worth.

The document has flaws. Each has a fix with a name. Without fixes, the agent is as its authors coded it.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from sparring.core.kernel import kernel
from sparring.games.ludo.danger import hit_chance
from sparring.games.ludo.heuristics import stolen, tokens_home
from sparring.games.ludo.rules import landing, mover, same_tile, tokens_at
from sparring.games.ludo.state import CORRIDOR, GOAL, HOME, IS_GLOBE, IS_STAR, RING, SIX, START, TURN_OFF

WEIGHTS = {
    # rules: one of them
    "win": 1_000_000.0,
    "capture": 50_000.0,
    "flee": 50_000.0,
    "home_base": 10_000.0,
    "cluster": 4_000.0,
    "form_blockade": 3_500.0,
    "get_out": 7_000.0,
    # bonuses: all of them, where no rule fires
    "progress": 1_000.0,
    "star_jump": 5_500.0,
    "globe_hop": 500.0,
    "balanced_front": 350.0,
    "split_blockade": 250.0,
    # penalties
    "risk": 800.0,
    "break_blockade": 500.0,
    "sent_home": 1_000.0,  # for each step; only with the fix real_move
}
"""The points of the document by term."""
WIN, CAPTURE, FLEE, HOME_BASE, CLUSTER, FORM_BLOCKADE, GET_OUT = range(7)
PROGRESS, STAR_JUMP, GLOBE_HOP, BALANCED_FRONT, SPLIT_BLOCKADE, RISK, BREAK_BLOCKADE, SENT_HOME = range(7, 15)
RULES, TERMS = 7, len(WEIGHTS)
STRATEGY, FAILED = 7, 8
"""Values in place of a rule: only bonuses count, or nothing counts, because the move sends its token home."""

FIXES = {
    "frames": "enemies stand where they stand: tiles are converted, and only enemies behind are near",
    "exit": "a token that leaves home comes to the start, not to tile 6",
    "overshoot": "a token that overshoots the goal is not in it",
    "order": "of the rules that fire the highest counts, not the first in the list",
    "strategy": "all bonuses together are worth less than any rule",
    "win": "only the last token wins the game; other tokens that reach the goal have come home",
    "capture": "a capture is worth more the further the victim has come",
    "flee": "a flight is worth more the further the token has come",
    "progress": "six steps are worth more than one",
    "split": "leaving a blockade is good if it leads to safety and bad if not, never both",
    "bounce": "going backwards in the corridor is no progress",
    "cluster": "only an own blockade with two enemies right behind it counts",
    "real_move": "the move is played out: who is sent home on the way, and whether its token is",
    "risk": "the chance to be hit by the others' next rolls, times the steps it would cost",
    "phases": "all phases that hold count, not the first of them",
    "relief": "a threatened token that does not flee keeps its score, and gains the risk that it leaves behind",
    "no_override": "a threatened token that does not flee keeps its score",
    "rules_first": "a threatened token that does not flee keeps its score if a rule fires",
    "critical_first": "critical comes before closing and closing before opening",
}
"""The effect of each fix. The last three correct the same flaws as relief and phases in other ways."""
BIT = {name: 1 << place for place, name in enumerate(FIXES)}
FRAMES, EXIT, OVERSHOOT, ORDER, BELOW_RULES, LAST_WINS, VICTIM, AT_STAKE = (1 << place for place in range(8))
STEPS, SPLIT, FORWARD, OWN_BLOCKADE, REAL_MOVE, HIT_CHANCE, ALL_PHASES, RELIEF = (1 << place for place in range(8, 16))
NO_OVERRIDE, RULES_FIRST, CRITICAL_FIRST = (1 << place for place in range(16, 19))

AS_WRITTEN = frozenset({"frames", "exit", "overshoot"})
CORRECTED = frozenset(FIXES) - {"no_override", "rules_first", "critical_first"}
VARIANTS = {"as_written": AS_WRITTEN, "corrected": CORRECTED, "as_coded": frozenset[str]()}

FIXES_AT = 31  # the index of the fixes, as a number, among the weights
CODED_EXIT = 6
BONUS_SHARE = 0.375
"""The factor of bonuses with the fix `strategy`: this share of all bonuses, 8,767 points, is less than any rule."""

OPENING, CLOSING, CRITICAL = 1, 2, 4
PHASES = {OPENING: "opening", CLOSING: "closing", CRITICAL: "critical"}
FACTORS = {
    **{(OPENING, GET_OUT): 5.0, (CLOSING, HOME_BASE): 5.0, (CLOSING, WIN): 2.0},
    **{(CRITICAL, CAPTURE): 1.5, (CRITICAL, CLUSTER): 2.0},
}
MULTIPLIERS = np.array(
    [[max(FACTORS.get((bits & phase, rule), 1.0) for phase in PHASES) for rule in range(RULES)] for bits in range(8)]
)
"""The factor of a rule's points by the phases, as bits, and the rule."""

Move = namedtuple("Move", ["me", "token", "here", "there", "phases", "fixes"])
"""A move as the agent sees it: `there` is the tile where it expects the token to come to rest."""
FAR = 99


# The board as the agent reads it


@kernel
def is_safe(tile: int) -> bool:
    """Return whether a tile is home, start, globe, corridor or goal."""
    return tile <= START or tile >= CORRIDOR or IS_GLOBE >> tile & 1 != 0


@kernel
def simulated(s: Any, here: int, fixes: int) -> int:
    """Return where the agent expects the die to bring a token: by the rules of the game, with no other token there."""
    if here == HOME and fixes & EXIT == 0:
        return CODED_EXIT
    if here + s.die > GOAL and fixes & OVERSHOOT == 0:
        return GOAL
    return landing(s, here)


@kernel
def steps_behind(s: Any, m: Any, other: int, token: int, tile: int) -> int:
    """Return how far an enemy's token has to go to a tile of ours; FAR if it is not on the ring."""
    theirs = s.at[other, token]
    if theirs == HOME or theirs > TURN_OFF:
        return FAR
    if m.fixes & FRAMES:
        return (tile - same_tile(s, other, theirs, m.me)) % RING
    gap = abs(tile - theirs)
    return min(gap, TURN_OFF - gap)


@kernel
def is_threatened(s: Any, m: Any, tile: int) -> bool:
    return (hit_chance(s, m.me, tile) if m.fixes & HIT_CHANCE else written_risk(s, m, tile)) > 0


@kernel
def written_risk(s: Any, m: Any, tile: int) -> float:
    """Return the sum of 7 less the distance, for every enemy 1 to 6 steps behind."""
    risk = 0.0
    for other in range(s.players):
        for token in range(s.tokens):
            distance = steps_behind(s, m, other, token, tile)
            if other != m.me and 1 <= distance <= SIX:
                risk += 7 - distance
    return 0.0 if is_safe(tile) else risk


@kernel
def in_blockade(s: Any, m: Any) -> bool:
    """Return whether the token shares a tile with another own token. There are no blockades at home and in goal."""
    return HOME < m.here < GOAL and tokens_at(s, m.me, m.here) > 1


# Phases


@kernel
def phases_of(s: Any, me: int, fixes: int) -> int:
    """Return the phases that count, as bits; none is midgame."""
    in_home_stretch, close = 0, False
    for token in range(s.tokens):
        in_home_stretch += s.at[me, token] >= CORRIDOR
    for other in range(s.players):
        close |= other != me and tokens_at(s, other, GOAL) >= 2
    opening, closing, critical = OPENING * (tokens_home(s, me) >= 2), CLOSING * (in_home_stretch >= 2), CRITICAL * close
    if fixes & ALL_PHASES:
        return opening | closing | critical
    if fixes & CRITICAL_FIRST:
        return critical or closing or opening
    return opening or closing or critical


# Rules


@kernel
def captures(s: Any, after: Any, m: Any) -> bool:
    """Return whether an enemy is where the token comes to rest, on the own start or a tile that is not safe."""
    if m.fixes & REAL_MOVE:
        return stolen(s, after, m.me) > 0
    found = False
    for other in range(s.players):
        for token in range(s.tokens):
            found |= other != m.me and steps_behind(s, m, other, token, m.there) == 0
    return found and (m.there == START or not is_safe(m.there))


@kernel
def blocks_cluster(s: Any, m: Any) -> bool:
    """Return whether two tokens of one enemy are within 6 steps, before or behind."""
    if is_safe(m.there):
        return False
    found, behind = False, 0
    for other in range(s.players):
        if other != m.me:
            near = 0
            for token in range(s.tokens):
                distance = steps_behind(s, m, other, token, m.there)
                near += min(distance, abs(RING - distance)) <= SIX and distance != FAR
                behind += 1 <= distance <= SIX
            found |= near >= 2
    return joins(s, m) and behind >= 2 if m.fixes & OWN_BLOCKADE else found


@kernel
def joins(s: Any, m: Any) -> bool:
    """Return whether another own token is there, so that the move forms a blockade."""
    others = tokens_at(s, m.me, m.there) - (m.there == m.here)
    return HOME < m.there < GOAL and others > 0


@kernel
def fires(s: Any, after: Any, m: Any, rule: int) -> bool:
    if rule == WIN:
        return m.there == GOAL and (m.fixes & LAST_WINS == 0 or tokens_at(s, m.me, GOAL) + 1 == s.tokens)
    if rule == CAPTURE:
        return captures(s, after, m)
    if rule == FLEE:
        return is_safe(m.there) and is_threatened(s, m, m.here)
    if rule == HOME_BASE:
        return m.there >= CORRIDOR and (m.fixes & FORWARD == 0 or m.there > m.here)
    if rule == CLUSTER:
        return blocks_cluster(s, m)
    if rule == FORM_BLOCKADE:
        return joins(s, m)
    return m.here == HOME and s.die == SIX


@kernel
def amount(s: Any, after: Any, m: Any, rule: int) -> float:
    """Return the factor of the points of a rule that fires."""
    times = MULTIPLIERS[m.phases, rule]
    if rule == CAPTURE and m.fixes & VICTIM:
        return times * (1 + stolen(s, after, m.me) / GOAL)
    if rule == FLEE and m.fixes & AT_STAKE:
        return times * m.here / GOAL
    return times


@kernel
def rule_of(s: Any, after: Any, m: Any, weights: Any) -> int:
    """Return the rule of a move: the first that fires, or with the fix `order` the highest of them."""
    if m.fixes & REAL_MOVE and after.at[m.me, m.token] == HOME:
        return FAILED
    chosen, most = STRATEGY, 0.0
    for rule in range(RULES):
        if fires(s, after, m, rule):
            worth = weights.of[rule] * amount(s, after, m, rule)
            if m.fixes & ORDER == 0:
                return rule
            if chosen == STRATEGY or worth > most:
                chosen, most = rule, worth
    return chosen


# Bonuses and penalties


@kernel
def is_least_advanced(s: Any, m: Any) -> bool:
    """Return whether no other own token on its way is further behind."""
    least = True
    for token in range(s.tokens):
        tile = s.at[m.me, token]
        least &= not HOME < tile < GOAL or tile >= m.here
    return least


@kernel
def risk(s: Any, after: Any, m: Any) -> float:
    """Return the risk of the tile where the token lands, with the fix `relief` less that of the tile it leaves."""
    if m.fixes & HIT_CHANCE:
        landed = after.at[m.me, m.token]
        ahead, behind = landed * hit_chance(after, m.me, landed), m.here * hit_chance(s, m.me, m.here)
    else:
        ahead, behind = written_risk(s, m, m.there), written_risk(s, m, m.here)
    return ahead - behind if m.fixes & RELIEF else ahead


@kernel
def only_risk_counts(s: Any, m: Any, rule: int) -> bool:
    """Return whether the token is threatened and does not flee, so that only its risk counts."""
    if m.fixes & (NO_OVERRIDE | RELIEF) or (m.fixes & RULES_FIRST and rule < RULES):
        return False
    return rule != FLEE and is_threatened(s, m, m.here)


# The score


@kernel
def move_of(s: Any, token: int, weights: Any) -> Any:
    me, fixes = mover(s), int(weights.of[FIXES_AT])
    here = s.at[me, token]
    return Move(me, token, here, simulated(s, here, fixes), phases_of(s, me, fixes), fixes)


@kernel
def write_terms(s: Any, after: Any, token: int, weights: Any, terms: Any) -> tuple[int, bool]:
    """Write the terms of a token's move to the state `after`. Return its rule, and whether only its risk counts."""
    m = move_of(s, token, weights)
    rule = rule_of(s, after, m, weights)
    if rule == FAILED:
        terms[SENT_HOME] = 0.0 - m.here
        return rule, False
    terms[RISK] = 0.0 - risk(s, after, m)
    if only_risk_counts(s, m, rule):
        return rule, True
    splits, safely = in_blockade(s, m) and m.there != m.here, is_safe(m.there)
    terms[BREAK_BLOCKADE] = 0.0 - (splits and (m.fixes & SPLIT == 0 or not safely))
    if rule < RULES:
        terms[rule] = amount(s, after, m, rule)
        return rule, False
    share, tile = BONUS_SHARE if m.fixes & BELOW_RULES else 1.0, m.here + s.die
    terms[PROGRESS] = share * (m.there - m.here) / SIX if m.fixes & STEPS else share
    terms[STAR_JUMP] = share * (tile <= TURN_OFF and IS_STAR >> tile & 1)
    terms[GLOBE_HOP] = share * (IS_GLOBE >> m.there & 1)
    terms[BALANCED_FRONT] = share * is_least_advanced(s, m)
    terms[SPLIT_BLOCKADE] = share * (splits and (m.fixes & SPLIT == 0 or safely))
    return rule, False


@kernel
def rulebook(s: Any, after: Any, token: int, heuristic: Any, weights: Any) -> float:
    terms = np.zeros(TERMS)
    write_terms(s, after, token, weights, terms)
    score = 0.0
    for term in range(TERMS):
        score += weights.of[term] * terms[term]
    return score
