# mypy: disable-error-code="no-any-return"
"""The rule-based agent: instincts, which are rules by priority, and strategy, which are bonuses where no rule speaks.

One kernel a rule, in the order of the document that describes the agent. A move's score is a weighted sum of terms, as
a heuristic's is: the weights are the document's points, the term of the rule that fires is its multiplier, a bonus
counts 1, and risk is negative. So the terms say which rule has fired, in which phase, and what each part is worth.

The document has flaws. Each is mended by a fix of its own; without fixes, the agent is as its authors coded it.
"""

from collections import namedtuple
from typing import Any

from sparring.core.kernel import kernel
from sparring.games.ludo.danger import hit_chance
from sparring.games.ludo.heuristics import stolen
from sparring.games.ludo.rules import landing, mover, same_tile, tokens_at
from sparring.games.ludo.state import CORRIDOR, GOAL, HOME, IS_GLOBE, IS_STAR, RING, SIX, START, TURN_OFF

WEIGHTS = {
    # instincts: the first rule that fires
    "win": 1_000_000.0,
    "capture": 50_000.0,
    "flee": 50_000.0,
    "home_base": 10_000.0,
    "cluster": 4_000.0,
    "form_blockade": 3_500.0,
    "get_out": 7_000.0,
    # strategy: all of them, where no rule fires
    "progress": 1_000.0,
    "star_jump": 5_500.0,
    "globe_hop": 500.0,
    "balanced_front": 350.0,
    "split_blockade": 250.0,
    # penalties
    "risk": 800.0,
    "break_blockade": 500.0,
    "sent_home": 1_000.0,  # a step; only with the fix real_move
}
"""The document's points by term."""
WIN, CAPTURE, FLEE, HOME_BASE, CLUSTER, FORM_BLOCKADE, GET_OUT = range(7)
PROGRESS, STAR_JUMP, GLOBE_HOP, BALANCED_FRONT, SPLIT_BLOCKADE, RISK, BREAK_BLOCKADE, SENT_HOME = range(7, 15)
RULES, TERMS = 7, len(WEIGHTS)
STRATEGY, FAILED = 7, 8
"""What speaks for a move if no rule does: bonuses, or nothing at all, for it sends the token home."""

FIXES = {
    "frames": "enemies stand where they stand: tiles are converted, and only those behind are near",
    "exit": "who leaves home comes to the start, not to tile 6",
    "overshoot": "who overshoots the goal is not in it",
    "order": "of the rules that fire the highest counts, not the first in the list",
    "strategy": "bonuses together are worth less than any rule",
    "win": "only the last token wins the game; others that reach the goal have come home",
    "capture": "a capture is worth more the further the victim has come",
    "flee": "a flight is worth more the further the token has come",
    "progress": "six steps are worth more than one",
    "split": "leaving a blockade is good if it leads to safety and bad if not, never both",
    "bounce": "going backwards in the corridor is no progress",
    "cluster": "only a blockade of our own, with two enemies right behind it, is one",
    "real_move": "the move is played out: who is sent home on the way, and whether it is the mover",
    "risk": "the chance to be hit by the others' next rolls, times the steps it would cost",
    "phases": "all phases that hold count, not the first of them",
    "relief": "a threatened token that does not flee keeps its score, and gains the risk that it leaves behind",
    "no_override": "a threatened token that does not flee keeps its score",
    "rules_first": "a threatened token that does not flee keeps its score if a rule speaks for the move",
    "critical_first": "critical comes before closing and closing before opening",
}
"""What each fix makes true. The last three are other ways to mend what relief and phases mend."""
BIT = {name: 1 << place for place, name in enumerate(FIXES)}
FRAMES, EXIT, OVERSHOOT, ORDER, BELOW_RULES, LAST_WINS, VICTIM, AT_STAKE = (1 << place for place in range(8))
STEPS, SPLIT, FORWARD, OWN_BLOCKADE, REAL_MOVE, HIT_CHANCE, ALL_PHASES, RELIEF = (1 << place for place in range(8, 16))
NO_OVERRIDE, RULES_FIRST, CRITICAL_FIRST = (1 << place for place in range(16, 19))

AS_CODED: frozenset[str] = frozenset()
AS_WRITTEN = frozenset({"frames", "exit", "overshoot"})
CORRECTED = frozenset(FIXES) - {"no_override", "rules_first", "critical_first"}
EDITIONS = {"as_written": AS_WRITTEN, "corrected": CORRECTED, "as_coded": AS_CODED}

FIXES_AT = 31
"""Where a record of weights keeps the agent's fixes, as a number: one kernel plays all of them."""
CODED_EXIT = 6
BONUS_SHARE = 0.375
"""All bonuses together are at most 8,767 points, of which this is less than the lowest rule has."""

OPENING, CLOSING, CRITICAL = 1, 2, 4
PHASES = {OPENING: "opening", CLOSING: "closing", CRITICAL: "critical"}

Move = namedtuple("Move", ["me", "token", "here", "there", "phases", "fixes"])
"""A move as the agent sees it: `there` is where it believes that the token comes to rest."""
FAR = 99


# The board, as the agent reads it


@kernel
def is_safe(tile: int) -> bool:
    """Home, start, globes, corridor and goal."""
    return tile <= START or tile >= CORRIDOR or IS_GLOBE >> tile & 1 != 0


@kernel
def simulated(s: Any, here: int, fixes: int) -> int:
    """Where the agent believes that the die brings a token: by the rules of the game, with nobody in the way."""
    if here == HOME and fixes & EXIT == 0:
        return CODED_EXIT
    if here + s.die > GOAL and fixes & OVERSHOOT == 0:
        return GOAL
    return landing(s, here)


@kernel
def steps_behind(s: Any, m: Any, other: int, theirs: int, tile: int) -> int:
    """How far an enemy's token on its own tile has to go to a tile of ours; FAR if it is not on the ring."""
    if theirs == HOME or theirs > TURN_OFF:
        return FAR
    if m.fixes & FRAMES:
        return (tile - same_tile(s, other, theirs, m.me)) % RING
    gap = abs(tile - theirs)
    return min(gap, TURN_OFF - gap)


@kernel
def is_threatened(s: Any, m: Any, tile: int) -> bool:
    if m.fixes & HIT_CHANCE:
        return hit_chance(s, m.me, tile) > 0
    return written_risk(s, m, tile) > 0


@kernel
def written_risk(s: Any, m: Any, tile: int) -> float:
    """7 less the distance, for every enemy 1 to 6 steps behind."""
    risk = 0.0
    if not is_safe(tile):
        for other in range(s.players):
            if other != m.me:
                for token in range(s.tokens):
                    distance = steps_behind(s, m, other, s.at[other, token], tile)
                    if 1 <= distance <= SIX:
                        risk += 7 - distance
    return risk


@kernel
def in_blockade(s: Any, m: Any) -> bool:
    """With another own token on a tile; at home and in goal there are no blockades."""
    return HOME < m.here < GOAL and tokens_at(s, m.me, m.here) > 1


# Phases


@kernel
def at_home(s: Any, player: int) -> int:
    count = 0
    for token in range(s.tokens):
        count += s.at[player, token] == HOME
    return count


@kernel
def in_home_stretch(s: Any, player: int) -> int:
    count = 0
    for token in range(s.tokens):
        count += s.at[player, token] >= CORRIDOR
    return count


@kernel
def opponent_is_close(s: Any, me: int) -> bool:
    close = False
    for other in range(s.players):
        close |= other != me and tokens_at(s, other, GOAL) >= 2
    return close


@kernel
def phases_of(s: Any, me: int, fixes: int) -> int:
    """The phases that count, as a set of bits; none is midgame."""
    opening = OPENING * (at_home(s, me) >= 2)
    closing = CLOSING * (in_home_stretch(s, me) >= 2)
    critical = CRITICAL * opponent_is_close(s, me)
    if fixes & ALL_PHASES:
        return opening | closing | critical
    if fixes & CRITICAL_FIRST:
        return critical or closing or opening
    return opening or closing or critical


@kernel
def multiplier(phases: int, rule: int) -> float:
    if phases & OPENING and rule == GET_OUT:
        return 5.0
    if phases & CLOSING and rule == HOME_BASE:
        return 5.0
    if phases & CLOSING and rule == WIN:
        return 2.0
    if phases & CRITICAL and rule == CAPTURE:
        return 1.5
    if phases & CRITICAL and rule == CLUSTER:
        return 2.0
    return 1.0


# Instincts


@kernel
def wins(s: Any, m: Any) -> bool:
    """A token reaches the goal."""
    if m.fixes & LAST_WINS and tokens_at(s, m.me, GOAL) + 1 < s.tokens:
        return False
    return m.there == GOAL


@kernel
def captures(s: Any, after: Any, m: Any) -> bool:
    """An enemy stands where the token comes to rest. Globes are no place for that, but the own start is."""
    if m.fixes & REAL_MOVE:
        return stolen(s, after, m.me) > 0
    found = False
    if m.there == START or not is_safe(m.there):
        for other in range(s.players):
            if other != m.me:
                for token in range(s.tokens):
                    found |= steps_behind(s, m, other, s.at[other, token], m.there) == 0
    return found


@kernel
def flees(s: Any, m: Any) -> bool:
    """From a threatened tile to a safe one."""
    return is_safe(m.there) and is_threatened(s, m, m.here)


@kernel
def comes_home(m: Any) -> bool:
    """A move in the corridor or into it; going backwards there counts as well."""
    if m.fixes & FORWARD and m.there <= m.here:
        return False
    return m.there >= CORRIDOR


@kernel
def blocks_cluster(s: Any, m: Any) -> bool:
    """Two tokens of one enemy are within 6 steps, before or behind."""
    if is_safe(m.there):
        return False
    if m.fixes & OWN_BLOCKADE:
        return joins(s, m) and enemies_behind(s, m) >= 2
    found = False
    for other in range(s.players):
        near = 0
        for token in range(s.tokens):
            distance = steps_behind(s, m, other, s.at[other, token], m.there)
            near += min(distance, abs(RING - distance)) <= SIX and distance != FAR
        found |= other != m.me and near >= 2
    return found


@kernel
def enemies_behind(s: Any, m: Any) -> int:
    count = 0
    for other in range(s.players):
        if other != m.me:
            for token in range(s.tokens):
                count += 1 <= steps_behind(s, m, other, s.at[other, token], m.there) <= SIX
    return count


@kernel
def joins(s: Any, m: Any) -> bool:
    """Another own token stands there: a blockade is formed."""
    others = tokens_at(s, m.me, m.there) - (m.there == m.here)
    return HOME < m.there < GOAL and others > 0


@kernel
def gets_out(s: Any, m: Any) -> bool:
    return m.here == HOME and s.die == SIX


@kernel
def fires(s: Any, after: Any, m: Any, rule: int) -> bool:
    if rule == WIN:
        return wins(s, m)
    if rule == CAPTURE:
        return captures(s, after, m)
    if rule == FLEE:
        return flees(s, m)
    if rule == HOME_BASE:
        return comes_home(m)
    if rule == CLUSTER:
        return blocks_cluster(s, m)
    if rule == FORM_BLOCKADE:
        return joins(s, m)
    return gets_out(s, m)


@kernel
def amount(s: Any, after: Any, m: Any, rule: int) -> float:
    """What multiplies the points of a rule that has fired."""
    times = multiplier(m.phases, rule)
    if rule == CAPTURE and m.fixes & VICTIM:
        return times * (1 + stolen(s, after, m.me) / GOAL)
    if rule == FLEE and m.fixes & AT_STAKE:
        return times * m.here / GOAL
    return times


@kernel
def rule_of(s: Any, after: Any, m: Any, weights: Any) -> int:
    """The rule that speaks for a move: the first that fires, or the highest of them."""
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


# Strategy


@kernel
def is_least_advanced(s: Any, m: Any) -> bool:
    """No own token on its way is further behind; those at home and in goal are not on their way."""
    least = True
    for token in range(s.tokens):
        tile = s.at[m.me, token]
        least &= not HOME < tile < GOAL or tile >= m.here
    return least


@kernel
def bonus(s: Any, m: Any, term: int) -> float:
    share = BONUS_SHARE if m.fixes & BELOW_RULES else 1.0
    if term == PROGRESS:
        return share * (m.there - m.here) / SIX if m.fixes & STEPS else share
    if term == STAR_JUMP:
        return share * (m.here + s.die <= TURN_OFF and IS_STAR >> (m.here + s.die) & 1)
    if term == GLOBE_HOP:
        return share * (IS_GLOBE >> m.there & 1)
    if term == BALANCED_FRONT:
        return share * is_least_advanced(s, m)
    return share * (breaks_blockade(s, m) and (m.fixes & SPLIT == 0 or is_safe(m.there)))


# Penalties


@kernel
def breaks_blockade(s: Any, m: Any) -> bool:
    return in_blockade(s, m) and m.there != m.here


@kernel
def risk(s: Any, after: Any, m: Any) -> float:
    """Of the tile on which the token comes to rest, and perhaps less that of the tile it leaves."""
    if m.fixes & HIT_CHANCE:
        landed = after.at[m.me, m.token]
        ahead, behind = landed * hit_chance(after, m.me, landed), m.here * hit_chance(s, m.me, m.here)
    else:
        ahead, behind = written_risk(s, m, m.there), written_risk(s, m, m.here)
    return ahead - behind if m.fixes & RELIEF else ahead


@kernel
def penalty(s: Any, after: Any, m: Any, term: int) -> float:
    if term == RISK:
        return 0.0 - risk(s, after, m)
    if term == BREAK_BLOCKADE:
        return 0.0 - (breaks_blockade(s, m) and (m.fixes & SPLIT == 0 or not is_safe(m.there)))
    return 0.0


@kernel
def only_risk_counts(s: Any, m: Any, rule: int) -> bool:
    """Threatened but not fleeing: whatever else speaks for the move is forgotten."""
    if m.fixes & (NO_OVERRIDE | RELIEF) or (m.fixes & RULES_FIRST and rule < RULES):
        return False
    return rule != FLEE and rule != FAILED and is_threatened(s, m, m.here)


# The score


@kernel
def move_of(s: Any, token: int, weights: Any) -> Any:
    me, fixes = mover(s), int(weights.of[FIXES_AT])
    here = s.at[me, token]
    return Move(me, token, here, simulated(s, here, fixes), phases_of(s, me, fixes), fixes)


@kernel
def term_of(s: Any, after: Any, m: Any, rule: int, only_risk: bool, term: int) -> float:
    """One term of a move for which a rule speaks, or strategy does."""
    if rule == FAILED:
        return 0.0 - m.here if term == SENT_HOME else 0.0
    if only_risk:
        return penalty(s, after, m, RISK) if term == RISK else 0.0
    if term < RULES:
        return amount(s, after, m, term) if term == rule else 0.0
    if term < RISK:
        return bonus(s, m, term) if rule == STRATEGY else 0.0
    return penalty(s, after, m, term)


@kernel
def rulebook(s: Any, after: Any, token: int, weights: Any) -> float:
    """The score of a token's move, which really leads to the state `after`."""
    m = move_of(s, token, weights)
    rule = rule_of(s, after, m, weights)
    only_risk = only_risk_counts(s, m, rule)
    score = 0.0
    for term in range(TERMS):
        score += weights.of[term] * term_of(s, after, m, rule, only_risk, term)
    return score


@kernel
def rulebook_terms(s: Any, after: Any, token: int, weights: Any, terms: Any) -> tuple[int, bool]:
    """Write down the terms of that score. Returns what speaks for the move, and whether only its risk counts."""
    m = move_of(s, token, weights)
    rule = rule_of(s, after, m, weights)
    only_risk = only_risk_counts(s, m, rule)
    for term in range(TERMS):
        terms[term] = term_of(s, after, m, rule, only_risk, term)
    return rule, only_risk
