"""Sets of up to 63 cells as one integer, and the operations on them that rules and heuristics use.

Each function is plain Python and, inside compiled code, one machine instruction.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def count(cells: int) -> int:
    """Number of cells in the set."""
    return int(cells).bit_count()


def lowest(cells: int) -> int:
    """The smallest cell of a set that is not empty."""
    return (int(cells) & -int(cells)).bit_length() - 1


@intrinsic  # type: ignore[untyped-decorator]
def _population(_context: Any, cells: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _trailing_zeros(_context: Any, cells: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        zero_is_undefined = ir.Constant(ir.IntType(1), 1)
        return builder.cttz(args[0], zero_is_undefined)

    return types.int64(types.int64), generate


@overload(count)
def _compiled_count(cells):  # type: ignore[no-untyped-def]
    return lambda cells: _population(cells)


@overload(lowest)
def _compiled_lowest(cells):  # type: ignore[no-untyped-def]
    return lambda cells: _trailing_zeros(cells)
