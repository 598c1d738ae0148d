"""Compiled calls with the same arguments each time. To look at functions and records takes Numba far longer than to run
a step of a game, so the arguments are stored once, and each call passes only their address."""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from sparring.core.kernel import bind, compiled_mode, kernel, with_globals

ROOM = 4096
"""Bytes for the arguments of a call."""


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing_context: Any, at: Any, arguments: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        kind = context.get_value_type(signature.args[1])
        if context.get_abi_sizeof(kind) > ROOM:
            raise ValueError(f"the arguments of a prepared call take more than {ROOM} bytes")
        at, given = values
        for place, one in enumerate(signature.args[1].types):
            if isinstance(one, types.Array):  # Python keeps it alive, so Numba need not count who uses it
                nobody = ir.Constant(context.get_value_type(one).elements[0], None)
                given = builder.insert_value(given, nobody, [place, 0])
        builder.store(given, builder.inttoptr(at, kind.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, arguments), generate


def _loader(kind: Any) -> Any:
    """A function for templates that loads arguments of a type."""

    @intrinsic  # type: ignore[untyped-decorator]
    def load(typing_context: Any, at: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
            place = builder.inttoptr(values[0], context.get_value_type(kind).as_pointer())
            return impl_ret_borrowed(context, builder, kind, builder.load(place))

        return kind(types.int64), generate

    return load


def _keep(at: int, arguments: Any) -> None:
    _store(at, arguments)


def _run(at: int) -> None:
    call(*load(at))


def prepared(
    template: Callable[..., None], names: Mapping[str, Any], called: str, kinds: tuple[Any, ...], given: tuple[Any, ...]
) -> Callable[[], None]:
    """A template bound to a game as by `bind`, and to arguments of some types."""
    if not compiled_mode():
        bound = bind(template, names, called, types.void(*kinds))
        return lambda: bound(*given)
    memory, kind = np.zeros(ROOM, np.uint8), types.Tuple(kinds)
    at, called = memory.ctypes.data, f"{called}_{blake2b(str(kind).encode(), digest_size=8).hexdigest()}"
    bind(_keep, {}, f"keep_{called}", types.void(types.int64, kind))(at, given)
    whole = kernel(with_globals(template, names, called))
    run = bind(_run, {"load": _loader(kind), "call": whole}, f"run_{called}", types.void(types.int64))

    def run_prepared(held: Any = (memory, given)) -> None:
        run(at)

    return run_prepared
