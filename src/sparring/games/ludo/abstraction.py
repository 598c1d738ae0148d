"""The abstractions of Ludo: the tuple of a position, its meaning in words, and its row in a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Any

from numba import types

from sparring.agents.spec import Spec, flag, only_options
from sparring.agents.variants import fixes_of
from sparring.core.amounts import parse_whole_number
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
"""The counts at the end of the tuple of `combined`, and the classes that each counts."""

MOST_STATES = 25_000_000
"""A larger table would need gigabytes."""


@dataclass(frozen=True)
class Abstraction:
    """One of `potential`, `zone` and `combined`, with some fixes. Its tokens are sorted, or stay in the order of their
    numbers, as the document has them."""

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
        """The fixes as bits, for kernels."""
        return sum(features.BIT[fix] for fix in self.fixes) | (features.UNSORTED if self.unsorted else 0)

    @property
    def code(self) -> int:
        """Kind and fixes in one number."""
        return self.kind | self.mask << 2

    @cached_property
    def radix(self) -> tuple[int, int, int]:
        """Numbers of values of P (or EV), T and the context."""
        return tuple(features.radix(self.kind, self.mask))

    @property
    def size(self) -> int:
        """Number of tuples: the counts of four tokens add up to four."""
        classes, threats, contexts = self.radix
        return (classes * threats) ** 4 * contexts * (1 if self.kind == POTENTIAL else len(COUNTS))

    @property
    def states(self) -> int:
        """Number of rows of a table: all tuples, or those with sorted tokens."""
        if self.unsorted:
            return self.size
        classes, threats, contexts = self.radix
        return comb(classes * threats + 3, 4) * contexts * (1 if self.kind == POTENTIAL else len(COUNTS))

    def encode(self, state: Any) -> tuple[int, ...]:
        """Return the tuple of a state after the roll, with tokens in the order of their numbers."""
        codes, counts, context, _ = self._observed(state)
        tokens = [divmod(code, self.radix[1]) for code in _bytes(codes)]
        return self._laid_out(_bytes(counts), tokens, context)

    def row(self, state: Any) -> int:
        """Return the row of a state in a table."""
        return int(self._observed(state)[3])

    def _observed(self, state: Any) -> tuple[int, int, int, int]:
        states = workspace(State, 2)
        states[0] = state
        return _observed()(states, self.kind, self.mask)  # type: ignore[no-any-return]

    def decode(self, row: int, tokens: int = 4) -> tuple[int, ...]:
        """Return the tuple of a row."""
        row = parse_whole_number("row", row, 0, self.states - 1)
        rest, context = divmod(row, self.radix[2])
        counts = (0, 0, 0)
        if self.kind != POTENTIAL:
            rest, place = divmod(rest, len(COUNTS))
            counts = COUNTS[place]
        each = self.radix[0] * self.radix[1]
        codes = [rest // each**place % each for place in (3, 2, 1, 0)] if self.unsorted else _multiset(rest)
        seen = [divmod(code, self.radix[1]) for code in codes]
        return self._laid_out([*counts, tokens - sum(counts)], seen, context)

    @property
    def _places(self) -> tuple[int, int]:
        """Indices of P (or EV) and of T of the first token in a tuple."""
        return (0, 5) if self.kind == POTENTIAL else (4, 8)

    def _laid_out(self, counts: list[int], tokens: list[tuple[int, int]], context: int) -> tuple[int, ...]:
        """Return 9, 12 or 17 numbers in the order of the document, from the class and the threat of each token."""
        classes, threats = zip(*tokens, strict=True)
        if self.kind == POTENTIAL:
            return (*classes, context, *threats)
        if self.kind == ZONE:
            return (*counts, *classes, *threats)
        named = [CLASSES[one] for one in classes]
        return (*counts, *classes, *threats, context, *(sum(map(named.count, of)) for of in AGGREGATES.values()))

    def sorted(self, seen: Sequence[int]) -> tuple[int, ...]:
        """Return the same tuple with sorted tokens."""
        start, threat = self._places
        pairs = sorted(zip(seen[start : start + 4], seen[threat : threat + 4], strict=True))
        twin = list(seen)
        twin[start : start + 4], twin[threat : threat + 4] = zip(*pairs, strict=True)
        return tuple(twin)

    def meaning(self, seen: Sequence[int]) -> str:
        """Return a tuple in words, e.g. `P: kill, null, risk, neutral · trailing · T: 0 1 0 0`."""
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
        """Return a position as a table sees it, in words and as a tuple."""
        seen = self.encode(state)
        return {"sees": self.meaning(seen), "tuple": seen}


def abstraction(text: str) -> Abstraction:
    """Parse the text of an abstraction, such as `potential:corrected,keep=die`."""
    spec = Spec.parse(text)
    only_options(spec, ("fix", "keep", "unsorted"), name=True)
    fixes = fixes_of(spec, features.VARIANTS, features.FIXES)
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
    """Return four sorted codes from their number: the inverse of `features.sorted_row`."""
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
