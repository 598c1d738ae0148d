"""Matrix games: two players choose a row and a column at once, and one gains what the other loses.

The best play is a mixed strategy: a probability for each choice, so that an opponent who knows it gains nothing. Linear
programming finds it exactly. Regret matching finds it approximately, also in compiled code.
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
NEGLIGIBLE = 1e-9  # smaller probabilities are rounding errors
CERTAIN = 1 << 30  # dice throw probabilities in parts of this


@dataclass(frozen=True)
class MixedStrategies:
    """A strategy of the rows' player and one of the columns' player, with the payoffs of the rows' player."""

    payoffs: Floats
    rows: Floats
    columns: Floats

    @cached_property
    def row_values(self) -> Floats:
        """The average payoff of each row against the columns' strategy."""
        return self.payoffs @ self.columns

    @property
    def value(self) -> float:
        """The average payoff of the two strategies against each other."""
        return float(self.rows @ self.row_values)

    @property
    def exploitability(self) -> float:
        """The gain of both players together if each knew the other's strategy; 0 in an equilibrium."""
        return float(self.row_values.max() - (self.rows @ self.payoffs).min())


def solve(payoffs: Floats) -> MixedStrategies:
    """The equilibrium: the rows' strategy from the linear program, the columns' from its dual."""
    import highspy

    rows, columns = payoffs.shape
    size, infinity = max(1.0, float(np.abs(payoffs).max())), highspy.kHighsInf
    program = highspy.HighsLp()  # maximise the last variable, the least payoff of a column
    program.num_col_, program.num_row_ = rows + 1, columns + 1
    program.col_cost_ = np.append(np.zeros(rows), -1.0)
    program.col_lower_ = np.append(np.zeros(rows), -infinity)
    program.col_upper_ = np.full(rows + 1, infinity)
    program.row_lower_ = np.append(np.full(columns, -infinity), 1.0)
    program.row_upper_ = np.append(np.zeros(columns), 1.0)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.arange(columns + 2) * (rows + 1)
    program.a_matrix_.index_ = np.tile(np.arange(rows + 1), columns + 1)
    below_columns = np.hstack([-payoffs.T / size, np.ones((columns, 1))])
    program.a_matrix_.value_ = np.vstack([below_columns, np.append(np.ones(rows), 0.0)]).ravel()
    solver = highspy.Highs()
    for option, value in (("output_flag", False), ("solver", "simplex"), ("threads", 1)):
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    status, found = solver.getModelStatus(), solver.getSolution()
    if status != highspy.HighsModelStatus.kOptimal:
        raise SparringError(f"no solution of a matrix game of {rows} x {columns}: {solver.modelStatusToString(status)}")
    return MixedStrategies(
        payoffs, proper(np.array(found.col_value[:rows])), proper(-np.array(found.row_dual[:columns]))
    )


def proper(mix: Floats, least: float = NEGLIGIBLE) -> Floats:
    """A strategy without negligible probabilities, scaled to a sum of 1; unchanged if all are negligible."""
    kept = np.where(mix > least, mix, 0.0)
    return kept / kept.sum() if kept.any() else mix


@kernel
def match_regrets(payoffs: Any, iterations: int, rows: Any, columns: Any) -> float:
    """Regret matching+: the players in turn play in proportion to their regrets, which never fall below zero. `rows`
    and `columns` become the averages, in which later rounds count more. Returns their value."""
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
    """Add to each regret what the choice would have paid more than the strategy, and update the strategy."""
    average, total = 0.0, 0.0
    for i in range(len(mix)):
        average += mix[i] * paid[i]
    for i in range(len(mix)):
        regrets[i] = max(0.0, regrets[i] + paid[i] - average)
        total += regrets[i]
    for i in range(len(mix)):
        mix[i] = regrets[i] / total if total > 0.0 else 1.0 / len(mix)


class RegretMatching:
    """`match_regrets` for Python."""

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        floats = types.float64[::1]
        self._match = entry(match_regrets, types.float64(types.float64[:, ::1], types.int64, floats, floats))

    def __call__(self, payoffs: Floats) -> MixedStrategies:
        rows, columns = np.zeros(payoffs.shape[0]), np.zeros(payoffs.shape[1])
        self._match(np.ascontiguousarray(payoffs), self.iterations, rows, columns)
        return MixedStrategies(payoffs, rows, columns)


def drawn(mix: Floats, dice: Any) -> int:
    """A random choice by the probabilities of a strategy."""
    left = throw(dice, CERTAIN) / CERTAIN
    for place, chance in enumerate(mix.tolist()):
        left -= chance
        if left < 0:
            return place
    return int(mix.argmax())
