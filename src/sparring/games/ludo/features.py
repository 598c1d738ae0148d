# mypy: disable-error-code="no-any-return"
"""The features of a Ludo position for a table: the effect of each token's move, its danger, the state of the
race, and the number of tokens in each zone.

Three abstractions share these features: `potential` (P, context, T), `zone` (counts, EV, TV) and `combined` (counts, P,
T, context). Their design document has flaws, and each flaw has a fix. With no fix a position is seen as written, with
all fixes as corrected. Some fixes split a class in two, so that there are more states.

Tokens differ only in their tiles. So the features of the tokens are sorted, which leaves far fewer states, and an
action is a place in that order: tokens that look alike share it. Unsorted, as the document has it, an action is the
number of a token.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from sparring.core.kernel import hot, kernel
from sparring.games.ludo.danger import hit_chance
from sparring.games.ludo.heuristics import stolen
from sparring.games.ludo.rulebased import is_safe
from sparring.games.ludo.rules import can_move, landing, move_token, mover, same_tile, tokens_at
from sparring.games.ludo.state import CORRIDOR, GLOBES, GOAL, HOME, IS_STAR, RING, SIX, START, TURN_OFF

POTENTIAL, ZONE, COMBINED = range(3)
NAMES = ("potential", "zone", "combined")

NULL, NEUTRAL, RISK, BOOST, SAFETY, KILL, REACHES_GOAL = range(7)
SUICIDE, EXIT, BACK, HIGH_RISK, RISKY_BOOST, RISKY_KILL = range(7, 13)
CLASSES = (
    *("null", "neutral", "risk", "boost", "safety", "kill", "goal"),
    *("suicide", "exit", "back", "high risk", "risky boost", "risky kill"),
)
"""Classes of moves. The document has the first seven, tested in the order goal, kill, safety, boost, risk."""
WRITTEN_CLASSES, ALL_CLASSES = 7, len(CLASSES)

TRAILING, LEVEL, LEADING = range(3)
CONTEXTS = ("trailing", "neutral", "leading")
STUCK, MOVES, LEAVES, CAPTURES = range(4)
PROSPECTS = ("stuck", "moves", "leaves", "captures")
"""Values of EV, corrected. As written EV is 1 for a capture, else 0."""
COUNTED = ("home", "path", "safe", "goal")

FIXES = {
    "equity": "a token in goal is worth 157, not 100, which is less than in the corridor",
    "suicide": "a move that sends the token itself home is SUICIDE",
    "boost": "a jump into danger is RISKY_BOOST",
    "kill": "a capture that leaves the token in danger is RISKY_KILL",
    "exit": "leaving home is a class of its own, EXIT; EV sees it, and a capture by it",
    "threat": "danger is the chance to be hit, with stars, blockades, starts, corridors and leaving home",
    "thresholds": "the race is close within 5 points a token, not within 20",
    "die": "a six, which gives another roll, is part of the context; EV says whether the die moves the token",
    "real_move": "the move is played out: a capture on the first star of a jump counts",
    "back": "a move that leads back in the corridor, or nowhere, is BACK and not SAFETY",
    "stakes": "danger has two levels, by the steps that one may expect to lose",
    "left_alone": "breaking a blockade leaves a token alone: the danger of that token counts too; needs threat",
}
"""The effect of each fix."""
BIT = {name: 1 << place for place, name in enumerate(FIXES)}
EQUITY, SEES_SUICIDE, SEES_RISKY_BOOST, SEES_RISKY_KILL, SEES_EXIT, HIT_CHANCE, THRESHOLDS, DIE = (
    1 << place for place in range(8)
)
REAL_MOVE, SEES_BACK, STAKES, LEFT_ALONE = (1 << place for place in range(8, 12))
SPLITS = SEES_SUICIDE | SEES_RISKY_BOOST | SEES_RISKY_KILL | SEES_EXIT | SEES_BACK | STAKES
TRUE_MOVE = REAL_MOVE | SEES_SUICIDE | SEES_BACK | SEES_EXIT
"""The fixes with which rewards classify a move."""
VARIANTS = {"as_written": frozenset[str](), "corrected": frozenset(FIXES)}
UNSORTED = 1 << len(FIXES)
"""A bit beside the fixes: tokens stay in the order of their numbers, as the document has them."""

HEAVY, WAY_OUT = 10.0, 30
"""HEAVY: from this number of expected lost steps the stake is high. WAY_OUT: the cost in steps to leave home again."""
WIDE, NARROW = 20, 5
"""A smaller gap is a neutral race: in points as written, in points a token with the fix."""
POINTS = np.tile(np.arange(GOAL + 1), (2, 1))
POINTS[:, [START, *GLOBES]] += 10
POINTS[:, CORRIDOR:GOAL] += 50
POINTS[:, GOAL] = 100, 100 + GOAL
"""The worth of a token on each tile, without and with the fix `equity`."""

Sight = namedtuple("Sight", ["codes", "counts", "context"])
"""A position as an abstraction sees it: eight bits for each token, with P (or EV) and T as one number; eight bits for
each zone, with the number of tokens there; and the context."""

COUNTS = tuple((h, p, s) for h in range(5) for p in range(5 - h) for s in range(5 - h - p))
"""Numbers of tokens at home, on the path and safe; the rest is in goal or does not take part."""
ALL_COUNTS = len(COUNTS)
COUNTS_INDEX = np.full((5, 5, 5), -1, np.int64)
for _place, _counts in enumerate(COUNTS):
    COUNTS_INDEX[_counts] = _place


@kernel
def radix(kind: int, fixes: int) -> tuple[int, int, int]:
    """Return the numbers of values of P (or EV), T and the context."""
    threats = 3 if fixes & STAKES else 2
    if kind == ZONE:
        return 4 if fixes & (DIE | SEES_EXIT) else 2, threats, 1
    return ALL_CLASSES if fixes & SPLITS else WRITTEN_CLASSES, threats, 6 if fixes & DIE else 3


Move = namedtuple("Move", ["me", "token", "here", "there", "enemies"])
"""A move as it is seen: `there` is the tile where the token is expected to rest; enemies are bits of our tiles."""


# One token


@hot
def enemies_on_ring(s: Any, me: int) -> int:
    """Return our tiles with enemies on them, as bits; 52 is the tile behind our start."""
    found = 0
    for other in range(s.players):
        if other != me:
            for token in range(s.tokens):
                tile = s.at[other, token]
                if HOME < tile <= TURN_OFF:
                    found |= 1 << same_tile(s, other, tile, me)
    return found


@hot
def enemy_behind(enemies: int, tile: int) -> bool:
    """Return whether an enemy is 1 to 6 steps behind a tile, round the ring."""
    if tile > SIX:
        return enemies >> (tile - SIX) & (1 << SIX) - 1 != 0
    return enemies & (1 << tile) - 1 != 0 or enemies >> (tile + RING - SIX) != 0


@hot
def move_seen(s: Any, token: int, enemies: int) -> Any:
    here = s.at[mover(s), token]
    return Move(mover(s), token, here, landing(s, here), enemies)


@hot
def danger(s: Any, m: Any, tile: int, fixes: int) -> int:
    """Return the danger of a token on a tile: 0, 1, or 2 if the stake is high."""
    chance = 0.0
    if fixes & HIT_CHANCE:
        chance = hit_chance(s, m.me, tile)
    elif not is_safe(tile) and enemy_behind(m.enemies, tile):
        chance = 1 / SIX
    return 0 if chance == 0 else 2 if fixes & STAKES and (tile + WAY_OUT) * chance >= HEAVY else 1


@hot
def danger_there(s: Any, after: Any, m: Any, fixes: int) -> int:
    """Return the danger where the move leads, or of a token that it leaves alone, without captured enemies."""
    if fixes & HIT_CHANCE == 0:
        return danger(s, m, m.there, fixes)
    there = danger(after, m, m.there, fixes)
    if fixes & LEFT_ALONE and HOME < m.here <= TURN_OFF and tokens_at(s, m.me, m.here) == 2:
        return max(there, danger(after, m, m.here, fixes))
    return there


@hot
def captures(s: Any, after: Any, m: Any, fixes: int) -> bool:
    """Return whether an enemy is where the token comes to rest, on the own start or a tile that is not safe."""
    if fixes & REAL_MOVE:
        return stolen(s, after, m.me) > 0
    return (m.there == START or not is_safe(m.there)) and m.enemies >> m.there & 1 != 0


@hot
def potential_of(s: Any, after: Any, m: Any, fixes: int) -> int:
    """Return the class of a legal move."""
    if fixes & SEES_SUICIDE and after.at[m.me, m.token] == HOME:
        return SUICIDE
    if m.there == GOAL:
        return REACHES_GOAL
    if captures(s, after, m, fixes):
        return RISKY_KILL if fixes & SEES_RISKY_KILL and danger_there(s, after, m, fixes) else KILL
    if fixes & SEES_EXIT and m.here == HOME:
        return EXIT
    if fixes & SEES_BACK and m.there <= m.here:
        return BACK
    if is_safe(m.there):
        return SAFETY
    if m.here != HOME and m.here + s.die <= TURN_OFF and IS_STAR >> (m.here + s.die) & 1:
        return RISKY_BOOST if fixes & SEES_RISKY_BOOST and danger_there(s, after, m, fixes) else BOOST
    risk = danger_there(s, after, m, fixes)
    return HIGH_RISK if risk == 2 else RISK if risk else NEUTRAL


@kernel
def prospect_of(s: Any, after: Any, m: Any, fixes: int) -> int:
    """Return EV of a legal move."""
    if captures(s, after, m, fixes) and (m.here != HOME or fixes & SEES_EXIT):
        return CAPTURES if fixes & (DIE | SEES_EXIT) else 1
    if fixes & SEES_EXIT and m.here == HOME:
        return LEAVES
    return MOVES if fixes & DIE else 0


@hot
def zone_of(tile: int) -> int:
    """Return 0 for home, 1 for exposed on the ring, 2 for safe on the ring or in the corridor, 3 for goal."""
    return 0 if tile == HOME else 3 if tile == GOAL else 2 if is_safe(tile) else 1


# The race


@hot
def equity(s: Any, player: int, fixes: int) -> int:
    """Return the points of a player: steps, and points for safety."""
    worth = 0
    for token in range(s.tokens):
        worth += POINTS[fixes & EQUITY, s.at[player, token]]
    return worth


@hot
def context_of(s: Any, fixes: int) -> int:
    """Return whether the mover trails or leads the best of the others; with the fix `die`, 3 more after a six."""
    best = 0
    for other in range(s.players):
        if other != mover(s):
            best = max(best, equity(s, other, fixes))
    gap = equity(s, mover(s), fixes) - best
    margin = NARROW * s.tokens if fixes & THRESHOLDS else WIDE
    context = TRAILING if gap < -margin else LEADING if gap > margin else LEVEL
    return context + 3 if fixes & DIE and s.die == SIX else context


# The whole


@hot
def observe(states: Any, kind: int, fixes: int) -> Any:
    """Return what an abstraction sees of the first state, after the roll. The second state is working memory."""
    s, after = states[0], states[1]
    enemies = enemies_on_ring(s, mover(s))
    _, threats, _ = radix(kind, fixes)
    codes, counts = 0, 0
    for token in range(s.tokens):
        here, feature = s.at[mover(s), token], 0
        movable = can_move(s, here)
        if movable and fixes & (REAL_MOVE | SEES_SUICIDE | HIT_CHANCE):
            states[1] = states[0]
            move_token(after, token)
        m = move_seen(s, token, enemies)
        if movable:
            feature = prospect_of(s, after, m, fixes) if kind == ZONE else potential_of(s, after, m, fixes)
        codes |= (feature * threats + danger(s, m, here, fixes)) << 8 * token
        counts += 1 << 8 * zone_of(here)
    return Sight(codes, counts, context_of(s, fixes))


@hot
def row_of(sight: Any, kind: int, fixes: int) -> int:
    """Return the row of the state. Unsorted, the codes of the tokens are its digits."""
    classes, threats, contexts = radix(kind, fixes)
    row = 0
    if fixes & UNSORTED:
        for token in range(4):
            row = row * classes * threats + code_of(sight, token)
    else:
        row = sorted_row(sight)
    if kind != POTENTIAL:
        counts = sight.counts
        row = row * ALL_COUNTS + COUNTS_INDEX[counts & 255, counts >> 8 & 255, counts >> 16 & 255]
    return row if kind == ZONE else row * contexts + sight.context


@hot
def sorted_row(sight: Any) -> int:
    """Return the number of four sorted codes, by binomial coefficients."""
    a, b = ordered(code_of(sight, 0), code_of(sight, 1))
    c, d = ordered(code_of(sight, 2), code_of(sight, 3))
    a, c = ordered(a, c)
    b, d = ordered(b, d)
    b, c = ordered(b, c)
    return a + b * (b + 1) // 2 + c * (c + 1) * (c + 2) // 6 + d * (d + 1) * (d + 2) * (d + 3) // 24


@kernel
def ordered(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


@hot
def code_of(sight: Any, token: int) -> int:
    return sight.codes >> 8 * token & 255


@hot
def place_of(sight: Any, token: int, fixes: int) -> int:
    """Return the column of a token: its number, or its place in the sorted order, which equal tokens share."""
    if fixes & UNSORTED:
        return token
    place = 0
    for other in range(4):
        place += code_of(sight, other) < code_of(sight, token)
    return place


@kernel
def observed(states: Any, kind: int, fixes: int) -> tuple[int, int, int, int]:
    """Return codes, counts, context and row, for Python."""
    sight = observe(states, kind, fixes)
    return sight.codes, sight.counts, sight.context, row_of(sight, kind, fixes)


CONTEXT = 2  # index of the context of the last decision in a player's memory, for rewards


@kernel
def encode(states: Any, code: int, tokens: Any, count: int, columns: Any, memory: Any) -> int:
    """The kernel `encode` of `StateEncoders`. A code is a kind and its fixes."""
    kind, fixes = code & 3, code >> 2
    sight = observe(states, kind, fixes)
    for place in range(count):
        columns[place] = place_of(sight, tokens[place], fixes)
    memory[CONTEXT] = sight.context % 3
    return row_of(sight, kind, fixes)
