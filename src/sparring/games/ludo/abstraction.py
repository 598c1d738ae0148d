"""The abstractions of Ludo: the tuple of a position, its meaning in words, and its row in a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

from numba import types

from sparring.agents.spec import Spec, flag, only_options
from sparring.agents.variants import fixes_of
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import entry, record_type, workspace
from sparring.games.learnable import StateEncoders
from sparring.games.ludo import features
from sparring.games.ludo.features import CLASSES, CONTEXTS, COUNTED, COUNTS, NAMES, POTENTIAL, PROSPECTS, ZONE
from sparring.games.ludo.rewards import PAYMENT, REWARDS
from sparring.games.ludo.state import State

AGGREGATES = (("kill", "risky kill"), ("risk", "high risk"), ("safety",), ("boost", "risky boost"))
"""The classes that each count at the end of the tuple of `combined` counts."""

MOST_STATES = 25_000_000  # a larger table would need gigabytes


@dataclass(frozen=True)
class Abstraction:
    """One of `potential`, `zone` and `combined`, with fixes. Its tokens are sorted, or unsorted as in the document."""

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
        return features.radix(self.kind, self.mask)

    @property
    def size(self) -> int:
        """Number of tuples: the counts of four tokens add up to four."""
        classes, threats, _ = self.radix
        return (classes * threats) ** 4 * self._others

    @property
    def states(self) -> int:
        """Number of rows of a table: all tuples, or those with sorted tokens."""
        classes, threats, _ = self.radix
        return self.size if self.unsorted else comb(classes * threats + 3, 4) * self._others

    @property
    def _others(self) -> int:
        """Number of values of what is not of a single token."""
        return self.radix[2] * (1 if self.kind == POTENTIAL else len(COUNTS))

    def encode(self, state: Any) -> tuple[int, ...]:
        """Return the tuple of a state after the roll: 9, 12 or 17 numbers in the order of the document."""
        counts, classes, threats, context = self._seen(state)
        if self.kind == POTENTIAL:
            return (*classes, context, *threats)
        if self.kind == ZONE:
            return (*counts, *classes, *threats)
        named = [CLASSES[one] for one in classes]
        return (*counts, *classes, *threats, context, *(sum(map(named.count, of)) for of in AGGREGATES))

    def row(self, state: Any) -> int:
        return self._observed(state)[3]

    def _observed(self, state: Any) -> tuple[int, int, int, int]:
        states = workspace(State, 2)
        states[0] = state
        given = types.Array(record_type(State), 1, "C"), types.int64, types.int64
        return entry(features.observed, types.UniTuple(types.int64, 4)(*given))(states, self.kind, self.mask)  # type: ignore[no-any-return]

    def _seen(self, state: Any) -> tuple[list[int], Sequence[int], Sequence[int], int]:
        """Return the number of tokens in each zone, class and threat of each token, and the context."""
        codes, counts, context, _ = self._observed(state)
        classes, threats = zip(*(divmod(code, self.radix[1]) for code in _bytes(codes)), strict=True)
        return _bytes(counts), classes, threats, context

    def meaning(self, state: Any) -> str:
        """Return the tuple in words, e.g. `P: kill, null, risk, neutral · trailing · T: 0 1 0 0`."""
        counts, classes, threats, context = self._seen(state)
        told, zone = [], self.kind == ZONE
        if self.kind != POTENTIAL:
            told.append(", ".join(f"{count} {where}" for count, where in zip(counts, COUNTED, strict=True)))
        words = CLASSES if not zone else PROSPECTS if self.radix[0] == len(PROSPECTS) else ("-", "captures")
        told.append(f"{'EV' if zone else 'P'}: {', '.join(words[one] for one in classes)}")
        if not zone:
            told.append(CONTEXTS[context % 3] + (" with a six" if context >= 3 else ""))
        return " · ".join([*told, f"{'TV' if zone else 'T'}: {' '.join(map(str, threats))}"])

    def notes(self, state: Any) -> dict[str, Any]:
        """Return a position as a table sees it, in words and as a tuple."""
        return {"sees": self.meaning(state), "tuple": self.encode(state)}


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


def _bytes(packed: int) -> list[int]:
    return [packed >> 8 * place & 255 for place in range(4)]
