"""The abstractions of Ludo as values: how a position becomes a tuple, what the tuple means, and which number it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Any

from numba import types

from sparring.agents.editions import fixes_of
from sparring.agents.spec import Spec, flag, only_options
from sparring.core.amounts import whole_number
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import entry, record_type, workspace
from sparring.games.learnable import StateEncoders
from sparring.games.ludo import features
from sparring.games.ludo.features import CLASSES, CONTEXTS, COUNTED, COUNTS, NAMES, POTENTIAL, PROSPECTS, ZONE
from sparring.games.ludo.rewards import PAYMENT, REWARDS
from sparring.games.ludo.state import State

AGGREGATES = {
    "kill": ("kill", "risky kill"),
    "risk": ("risk", "high risk"),
    "safety": ("safety",),
    "boost": ("boost", "risky boost"),
}
"""The counts that end the tuple of `combined`, and the classes that each counts."""

MOST_STATES = 25_000_000
"""A table of more of them would need gigabytes."""


@dataclass(frozen=True)
class Abstraction:
    """One of `potential`, `zone` and `combined`, with some of the flaws of its document mended. Its tokens are sorted,
    or stay in the order of their numbers, as the document has them."""

    name: str
    fixes: frozenset[str] = frozenset()
    unsorted: bool = False

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise unknown("state of ludo", self.name, NAMES)
        for fix in self.fixes:
            if fix not in features.BIT:
                raise unknown(f"flaw of {self.name}", fix, features.BIT)
        if self.states > MOST_STATES:
            raise SparringError(f"unsorted, this {self.name} has {self.size:,} states, too many for a table; sort it")

    @property
    def kind(self) -> int:
        return NAMES.index(self.name)

    @property
    def mask(self) -> int:
        """The fixes as kernels take them."""
        return sum(features.BIT[fix] for fix in self.fixes) | (features.UNSORTED if self.unsorted else 0)

    @property
    def code(self) -> int:
        """Kind and fixes in one number."""
        return self.kind | self.mask << 2

    @cached_property
    def radix(self) -> tuple[int, int, int]:
        """How many values P (or EV), T and the context have."""
        return tuple(features.radix(self.kind, self.mask))

    @property
    def size(self) -> int:
        """How many tuples there are: the counts of four tokens add up to four."""
        classes, threats, contexts = self.radix
        return (classes * threats) ** 4 * contexts * (1 if self.kind == POTENTIAL else len(COUNTS))

    @property
    def states(self) -> int:
        """The rows of a table: all tuples, or those that are left once tokens are sorted."""
        if self.unsorted:
            return self.size
        classes, threats, contexts = self.radix
        return comb(classes * threats + 3, 4) * contexts * (1 if self.kind == POTENTIAL else len(COUNTS))

    def encode(self, state: Any) -> tuple[int, ...]:
        """The tuple of a state in which the mover has rolled, tokens in the order of their numbers."""
        codes, counts, context, _ = self._observed(state)
        tokens = [divmod(code, self.radix[1]) for code in _bytes(codes)]
        return self._laid_out(_bytes(counts), tokens, context)

    def row(self, state: Any) -> int:
        """The number of the state in a table: that of its tuple, or once its tokens are sorted."""
        return int(self._observed(state)[3])

    def _observed(self, state: Any) -> tuple[int, int, int, int]:
        states = workspace(State, 2)
        states[0] = state
        return _observed()(states, self.kind, self.mask)  # type: ignore[no-any-return]

    def decode(self, row: int, tokens: int = 4) -> tuple[int, ...]:
        """The tuple of a row."""
        if self.unsorted:
            return self.at_index(row, tokens)
        row = whole_number("row", row, 0, self.states - 1)
        rest, counts, context = self._taken_apart(row)
        return self._put_together(_multiset(rest), counts, context, tokens)

    def index(self, seen: Sequence[int]) -> int:
        """The number of a tuple among all of them, from 0 to `size` - 1."""
        classes, threats, contexts = self.radix
        start, threat = self._places
        number = 0
        for token in range(4):
            number = number * classes * threats + seen[start + token] * threats + seen[threat + token]
        if self.kind != POTENTIAL:
            number = number * len(COUNTS) + COUNTS.index(tuple(seen[:3]))
        return number if self.kind == ZONE else number * contexts + seen[4 if self.kind == POTENTIAL else 12]

    def at_index(self, index: int, tokens: int = 4) -> tuple[int, ...]:
        """The tuple of a number: `index` undone."""
        index = whole_number("index", index, 0, self.size - 1)
        rest, counts, context = self._taken_apart(index)
        codes = []
        for _ in range(4):
            rest, code = divmod(rest, self.radix[0] * self.radix[1])
            codes.append(code)
        return self._put_together(codes[::-1], counts, context, tokens)

    def _taken_apart(self, number: int) -> tuple[int, tuple[int, ...], int]:
        """The tokens' part of a row or an index, the counts but for the goal, and the context."""
        rest, context = divmod(number, self.radix[2])
        if self.kind == POTENTIAL:
            return rest, (0, 0, 0), context
        rest, place = divmod(rest, len(COUNTS))
        return rest, COUNTS[place], context

    def _put_together(self, codes: Sequence[int], counts: Sequence[int], context: int, tokens: int) -> tuple[int, ...]:
        seen = [divmod(code, self.radix[1]) for code in codes]
        return self._laid_out([*counts, tokens - sum(counts)], seen, context)

    @property
    def _places(self) -> tuple[int, int]:
        """Where P (or EV) and T of the first token are in a tuple."""
        return (0, 5) if self.kind == POTENTIAL else (4, 8)

    def _laid_out(self, counts: list[int], tokens: list[tuple[int, int]], context: int) -> tuple[int, ...]:
        """9, 12 or 17 numbers in the order of the document, from the class and the threat of each token."""
        classes, threats = zip(*tokens, strict=True)
        if self.kind == POTENTIAL:
            return (*classes, context, *threats)
        if self.kind == ZONE:
            return (*counts, *classes, *threats)
        named = [CLASSES[one] for one in classes]
        return (*counts, *classes, *threats, context, *(sum(map(named.count, of)) for of in AGGREGATES.values()))

    def sorted(self, seen: Sequence[int]) -> tuple[int, ...]:
        """The same tuple with its tokens sorted, as a sorted row decodes."""
        start, threat = self._places
        pairs = sorted(zip(seen[start : start + 4], seen[threat : threat + 4], strict=True))
        twin = list(seen)
        twin[start : start + 4], twin[threat : threat + 4] = zip(*pairs, strict=True)
        return tuple(twin)

    def meaning(self, seen: Sequence[int]) -> str:
        """A tuple in words, e.g. `P: kill, null, risk, neutral · trailing · T: 0 1 0 0`."""
        told = []
        if self.kind != POTENTIAL:
            told.append(", ".join(f"{count} {where}" for count, where in zip(seen, COUNTED, strict=False)))
        start, threat = self._places
        words = PROSPECTS if self.radix[0] == len(PROSPECTS) else ("", "captures")
        named = [words[one] if self.kind == ZONE else CLASSES[one] for one in seen[start : start + 4]]
        told.append(f"{'EV' if self.kind == ZONE else 'P'}: {', '.join(name or '-' for name in named)}")
        threats = seen[threat : threat + 4]
        if self.kind != ZONE:
            context = seen[4 if self.kind == POTENTIAL else 12]
            told.append(CONTEXTS[context % 3] + (" with a six" if context >= 3 else ""))
        told.append(f"{'TV' if self.kind == ZONE else 'T'}: {' '.join(map(str, threats))}")
        return " · ".join(told)

    def notes(self, state: Any) -> dict[str, Any]:
        """A position as a table sees it, in words and as a tuple."""
        seen = self.encode(state)
        return {"sees": self.meaning(seen), "tuple": seen}


def abstraction(text: str) -> Abstraction:
    """The abstraction that a text names, such as `potential:corrected,keep=die`."""
    spec = Spec.parse(text)
    only_options(spec, ("fix", "keep", "unsorted"), name=True)
    fixes = fixes_of(spec, features.EDITIONS, features.FIXES)
    return Abstraction(spec.name.partition(":")[0], fixes, flag(spec, "unsorted"))


ENCODERS = StateEncoders(
    encoder=abstraction,
    usual="combined:corrected",
    columns=4,
    encode=features.encode,
    fitting=("tokens",),
    rewards=REWARDS,
    payment=PAYMENT,
)


def _multiset(rank: int) -> list[int]:
    """Four sorted codes from their number: `features.row_of` undone."""
    codes = []
    for k in (4, 3, 2, 1):
        n = k - 1
        while comb(n + 1, k) <= rank:
            n += 1
        rank -= comb(n, k)
        codes.append(n - k + 1)
    return codes[::-1]


def _bytes(packed: int) -> list[int]:
    return [packed >> 8 * place & 255 for place in range(4)]


@cache
def _observed() -> Any:
    states = types.Array(record_type(State), 1, "C")
    return entry(features.observed, types.UniTuple(types.int64, 4)(states, types.int64, types.int64))
