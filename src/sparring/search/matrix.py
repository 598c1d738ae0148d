"""Matrix games: two choose at once, a row and a column, and what the one gains the other loses.

The best that can be done is a mix: each choice with a chance of its own, so that the other may know the mix and gains
nothing by it. It is found exactly by linear programming, or nearly by regret matching, which compiled code can do too.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from sparring.core.dice import throw
from sparring.core.errors import SparringError
from sparring.core.kernel import entry, kernel

Floats = npt.NDArray[np.float64]
NEGLIGIBLE = 1e-9
"""Chances below are none: what arithmetic leaves behind."""
CERTAIN = 1 << 30
"""Chances are thrown in parts of this."""


@dataclass(frozen=True)
class Mixes:
    """A mix of rows and a mix of columns, and the payoffs they are about, which are those of the rows' player."""

    payoffs: Floats
    rows: Floats
    columns: Floats

    @cached_property
    def row_values(self) -> Floats:
        """What each row pays on average against the mix of columns."""
        return self.payoffs @ self.columns

    @cached_property
    def column_values(self) -> Floats:
        return self.rows @ self.payoffs

    @property
    def value(self) -> float:
        """What the mixes pay against each other."""
        return float(self.rows @ self.row_values)

    @property
    def exploitability(self) -> float:
        """What both together would gain if each knew the other's mix; 0 if the mixes are the best that can be done."""
        return float(self.row_values.max() - self.column_values.min())


def solve(payoffs: Floats) -> Mixes:
    """The best mixes of both, exactly: the rows' from the linear program, the columns' from its dual."""
    from scipy.optimize import linprog

    rows, columns = payoffs.shape
    size = max(1.0, float(np.abs(payoffs).max()))
    found = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoffs.T / size, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs-ds",
    )
    if found.x is None:
        raise SparringError(f"no solution of a matrix game of {rows} x {columns}: {found.message}")
    return Mixes(payoffs, proper(found.x[:rows]), proper(-found.ineqlin.marginals))


def proper(mix: Floats, least: float = NEGLIGIBLE) -> Floats:
    """Chances that add up to one, without the crumbs; a mix of nothing but crumbs is left as it is."""
    kept = np.where(mix > least, mix, 0.0)
    return kept / kept.sum() if kept.any() else mix


@kernel
def match_regrets(payoffs: Any, iterations: int, rows: Any, columns: Any) -> float:
    """Regret matching+: both play, in turn, what they regret not to have played, regrets never fall below zero, and
    later rounds count more in the averages, which are the mixes. Returns what these pay against each other."""
    high, wide = payoffs.shape
    row_regrets, column_regrets = np.zeros(high), np.zeros(wide)
    row, column = np.full(high, 1.0 / high), np.full(wide, 1.0 / wide)
    paid_rows, paid_columns = np.zeros(high), np.zeros(wide)
    rows[:] = 0.0
    columns[:] = 0.0
    for t in range(iterations):
        for i in range(high):
            paid_rows[i] = 0.0
            for j in range(wide):
                paid_rows[i] += payoffs[i, j] * column[j]
        regret(row_regrets, paid_rows, row)
        for j in range(wide):
            paid_columns[j] = 0.0
            for i in range(high):
                paid_columns[j] -= payoffs[i, j] * row[i]
        regret(column_regrets, paid_columns, column)
        for i in range(high):
            rows[i] += (t + 1) * row[i]
        for j in range(wide):
            columns[j] += (t + 1) * column[j]
    total, value = iterations * (iterations + 1) / 2, 0.0
    for i in range(high):
        rows[i] /= total
    for j in range(wide):
        columns[j] /= total
    for i in range(high):
        for j in range(wide):
            value += rows[i] * payoffs[i, j] * columns[j]
    return value


@kernel
def regret(regrets: Any, paid: Any, mix: Any) -> None:
    """Add what each choice would have paid more than the mix did, and mix anew in proportion to the sums."""
    average, total = 0.0, 0.0
    for i in range(len(mix)):
        average += mix[i] * paid[i]
    for i in range(len(mix)):
        regrets[i] = max(0.0, regrets[i] + paid[i] - average)
        total += regrets[i]
    for i in range(len(mix)):
        mix[i] = regrets[i] / total if total > 0.0 else 1.0 / len(mix)


class RegretMatching:
    """`match_regrets` from Python."""

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        floats = types.float64[::1]
        self._match = entry(match_regrets, types.float64(types.float64[:, ::1], types.int64, floats, floats))

    def __call__(self, payoffs: Floats) -> Mixes:
        rows, columns = np.zeros(payoffs.shape[0]), np.zeros(payoffs.shape[1])
        self._match(np.ascontiguousarray(payoffs), self.iterations, rows, columns)
        return Mixes(payoffs, rows, columns)


def drawn(mix: Floats, dice: Any) -> int:
    """One of the choices, each by its chance."""
    left = throw(dice, CERTAIN) / CERTAIN
    for place, chance in enumerate(mix.tolist()):
        left -= chance
        if left < 0:
            return place
    return int(mix.argmax())
