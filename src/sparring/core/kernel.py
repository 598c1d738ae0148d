"""Compile plain functions, and keep them plain when compilation is switched off.

Rules are written once, as ordinary functions on one NumPy record, and marked with `@kernel`. A search is a template:
ordinary code that calls its game's kernels by name. `bind` gives it the kernels of one game and compiles it. With
NUMBA_DISABLE_JIT=1 nothing is compiled, and the same code plays the same games, slowly: the plain twin.
"""

import ctypes
import hashlib
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from types import CellType, FrameType, FunctionType
from typing import Any, ClassVar, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import caching, cgutils, codegen, compiler, event
from numba.core.registry import CPUDispatcher, cpu_target
from numba.extending import intrinsic
from numba.np import linalg
from numba.np.numpy_support import from_dtype

from sparring.core.cache import PACKAGE, codes, content, depends_on, when_compiled
from sparring.core.errors import SparringError

MAX_TERMS = 32

Function = TypeVar("Function", bound=Callable[..., Any])

Weights = np.dtype([("of", np.float64, (MAX_TERMS,)), ("tables", np.int64, (4,))], align=True)
"""The weights of a heuristic's terms, and the addresses of tables that are too large to be terms: see `number_at`. A
record, because passing a record to compiled code costs one pointer."""


def compiled_mode() -> bool:
    return not numba.config.DISABLE_JIT


class LinkedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that is only linked into its callers. They are optimised together with it, so it is neither
    optimised nor turned into machine code by itself, which would take a third of the compile time."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Keep the environment, which code that prints or makes texts needs, until machine code has a place for it."""
        _Environments.waiting[name] = environment


class _Environments(event.Listener):  # type: ignore[misc]
    """Gives linked code its environments when the code that it is linked into has been compiled."""

    waiting: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: Any) -> None:
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            machine = cpu_target.target_context.codegen()
            for name in [name for name in self.waiting if machine._engine.is_symbol_defined(name)]:
                machine.set_env(name, self.waiting.pop(name))


class LinkedCompiler(compiler.Compiler):  # type: ignore[misc]
    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any) -> None:
        library = LinkedLibrary(target_context.codegen(), "linked")
        super().__init__(typing_context, target_context, library, *rest)


class InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel for compiled callers, without the wrappers for Python and C, which take a fifth of the compile time.

    A call from Python goes to a cached copy that has them.
    """

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._for_python(*given, **named)

    @cached_property
    def _for_python(self) -> Any:
        if self.py_func.__code__.co_freevars:
            return numba.njit(nogil=True)(self.py_func)
        twin = with_globals(self.py_func, {}, f"python_{self.py_func.__name__}")
        return numba.njit(cache=True, nogil=True)(twin)


def _inner(function: Function, cached: bool = False, **options: Any) -> Function:
    if not compiled_mode():
        return function
    options |= dict.fromkeys(("nopython", "nogil", "no_cpython_wrapper", "no_cfunc_wrapper"), True)
    if not cached:
        return InnerDispatcher(function, targetoptions=options, pipeline_class=LinkedCompiler)
    made = InnerDispatcher(function, targetoptions=options)
    if cached:
        made.enable_caching()
    return made


def kernel(function: Function) -> Function:
    """Mark a rule, or a helper of one: compiled into whatever calls it.

    It is never cached by itself: a cache keeps machine code, from which nothing can be inlined.
    """
    return _inner(function)


def hot(function: Function) -> Function:
    """Mark a kernel that every move passes through: inlined wherever it is called, even if it is large."""
    return _inner(function, forceinline=True)


def cold(function: Function) -> Function:
    """Mark a kernel that is large and seldom called: compiled once and cached, and therefore never inlined."""
    return _inner(function, cached=True)


def checked(function: Function) -> Function:
    """Mark a user's function: a kernel with bounds checks. Without them a wrong index would read other memory."""
    return _inner(function, boundscheck=True)


def bounds_checked(function: Any) -> Any:
    """The same kernel with bounds checks, also in the kernels that it calls: for calls from users' code, which may pass
    any number."""
    if function in _CHECKED:
        return _CHECKED[function]
    plain, closure = function.py_func, function.py_func.__closure__ or ()
    scope, cells = dict(plain.__globals__), tuple(CellType() for _ in closure)
    twin = FunctionType(plain.__code__, scope, plain.__name__, plain.__defaults__, cells or None)
    twin.__kwdefaults__, twin.__module__ = plain.__kwdefaults__, plain.__module__
    twin.__dict__["depends_on"] = depends_on(plain)
    inlined = {"forceinline": True} if function.targetoptions.get("forceinline") else {}
    made = _CHECKED[function] = _inner(twin, boundscheck=True, **inlined)
    for cell, original in zip(cells, closure, strict=True):  # only now, for a kernel may call itself
        cell.cell_contents = _checked_value(original.cell_contents)
    called = {name for one in codes(plain.__code__) for name in one.co_names}
    scope.update({name: _checked_value(scope[name]) for name in called & scope.keys()})
    return made


_CHECKED: dict[Any, Any] = {}
"""The kernels with bounds checks by those without."""


def _checked_value(value: Any) -> Any:
    return bounds_checked(value) if isinstance(value, InnerDispatcher) else value


@cache
def entry(function: Any, signature: Any) -> Any:
    """A kernel for calls from Python: compiled for one signature, once a process, and found on disk by later ones."""
    if not compiled_mode():
        return function
    plain = function.py_func
    return numba.njit(signature, cache=True, nogil=True)(with_globals(plain, {}, f"entry_{plain.__name__}"))


class CompiledKernel:
    """A kernel as an attribute of a game: compiled for that game's states when it is first called from Python."""

    def __init__(self, function: Any, signature: Callable[[Any], Any]) -> None:
        self._function, self._signature = function, signature

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, game: Any, owner: type) -> Any:
        compiled = entry(self._function, self._signature(record_type(game.state)))
        game.__dict__[self._name] = compiled  # which is found before this from now on
        return compiled


@intrinsic  # type: ignore[untyped-decorator]
def _clock(typing_context: Any) -> Any:
    """The C library's clock_gettime, which Python's own clock reads too; a call takes some 20 ns."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, number = ir.IntType(64), ir.IntType(32)
        read = cgutils.alloca_once(builder, ir.ArrayType(word, 2))
        called = ir.FunctionType(number, [number, read.type])
        clock_gettime = cgutils.get_or_insert_function(builder.module, called, "clock_gettime")
        builder.call(clock_gettime, [number(time.CLOCK_MONOTONIC), read])
        seconds, rest = (builder.extract_value(builder.load(read), place) for place in (0, 1))
        return builder.add(builder.mul(seconds, word(1_000_000_000)), rest)

    return types.int64(), generate


def nanoseconds() -> int:
    """Monotonic time in nanoseconds, callable from compiled code."""
    return _clock()  # type: ignore[no-any-return]


def _pythons_nanoseconds() -> int:
    """The same by Python's clock, for systems whose C library has none; a call takes a microsecond."""
    with numba.objmode(now="int64"):
        now = time.monotonic_ns()
    return now


if not compiled_mode():
    nanoseconds = time.monotonic_ns
elif hasattr(time, "CLOCK_MONOTONIC"):
    nanoseconds = kernel(nanoseconds)
else:
    nanoseconds = numba.njit(_pythons_nanoseconds)


@intrinsic  # type: ignore[untyped-decorator]
def _float32_at(typing_context: Any, address: Any, index: Any) -> Any:
    """The number at an index behind an address."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.inttoptr(args[0], ir.FloatType().as_pointer())
        return builder.load(builder.gep(first, [args[1]]))

    return types.float32(types.int64, types.int64), generate


def number_at(address: int, index: int) -> float:
    """A number of the table whose address `table_address` gave. Nothing checks that the table still exists."""
    return _float32_at(address, index)  # type: ignore[no-any-return]


def _plain_number_at(address: int, index: int) -> float:
    return ctypes.c_float.from_address(int(address) + 4 * int(index)).value


number_at = kernel(number_at) if compiled_mode() else _plain_number_at


def table_address(table: np.ndarray[Any, np.dtype[np.float32]]) -> int:
    """The address of a table for compiled code, valid as long as the table is referenced."""
    if table.dtype != np.float32 or not table.flags.c_contiguous:
        raise ValueError(f"a table is read as float32 in one piece, not as {table.dtype}")
    return int(table.ctypes.data)


def record_type(dtype: np.dtype[Any]) -> Any:
    return from_dtype(dtype)


# Records by address: compiled code takes a number ten times sooner than a record

SCALAR = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
"""Offset of the address of the memory in NumPy's object of a record."""


def address(one: Any) -> int:
    """The memory address of a record, valid as long as the record is referenced."""
    return _POINTER(id(one) + SCALAR).value  # type: ignore[return-value]


_POINTER = ctypes.c_void_p.from_address


def _asked_for(one: Any) -> int:
    return int(one.__array_interface__["data"][0])


if address(_PROBE := np.zeros(2, np.dtype([("word", np.int64)]))[1]) != _asked_for(_PROBE):
    address = _asked_for  # another NumPy: slower, and as good


def _itself(one: Any) -> Any:
    """The address of a record in plain mode: the record itself."""
    return one


if not compiled_mode():
    address = _itself


@cache
def record_at(dtype: np.dtype[Any]) -> Any:
    """A function for templates that turns an address into a record."""
    if not compiled_mode():
        return _itself
    kind = record_type(dtype)

    @intrinsic  # type: ignore[untyped-decorator]
    def at(typing_context: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(kind))

        return kind(types.int64), generate

    return at


WORDS = 16
"""Records up to this size are copied word by word. A block copy would wait for words that were just written."""


@intrinsic  # type: ignore[untyped-decorator]
def _copy_record(typing_context: Any, target: Any, source: Any) -> Any:
    """Copy with loads that the optimiser may not join into wider ones."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, (words, rest) = ir.IntType(64), divmod(source.size, 8)
        to, start = (builder.bitcast(one, word.as_pointer()) for one in args)
        if rest or words > WORDS:
            cgutils.raw_memcpy(builder, to, start, word(source.size), 1)
            return context.get_dummy_value()
        places = [ir.Constant(ir.IntType(32), place) for place in range(words)]
        read = [builder.load_atomic(builder.gep(start, [at]), ordering="monotonic", align=8) for at in places]
        for at, value in zip(places, read, strict=True):
            builder.store(value, builder.gep(to, [at]), align=8)
        return context.get_dummy_value()

    return types.void(target, source), generate


def copy_record(target: Any, source: Any) -> None:
    """Make one record equal to another of the same kind."""
    _copy_record(target, source)


def _plain_copy(target: Any, source: Any) -> None:
    for field in source.dtype.names:
        target[field] = source[field]


copy_record = kernel(copy_record) if compiled_mode() else _plain_copy


def heuristic_signature(state: np.dtype[Any]) -> Any:
    """Every compiled heuristic is `float64 score(state, player, weights)`."""
    return types.float64(record_type(state), types.int64, record_type(Weights))


def signature_of(result: Any, *given: Any) -> Any:
    """The signature of code that takes these arguments; other compiled functions are taken by their signatures."""

    def kind(one: Any) -> Any:
        if isinstance(one, tuple):
            return types.Tuple([kind(part) for part in one])
        return types.FunctionType(one.nopython_signatures[0]) if callable(one) else numba.typeof(one)

    return result(*map(kind, given)) if compiled_mode() else None


def records(dtype: np.dtype[Any], length: int) -> Any:
    """An array of zeroed records whose fields are attributes, compiled or not."""
    return np.zeros(length, dtype).view(np.recarray)


def record(dtype: np.dtype[Any]) -> Any:
    return records(dtype, 1)[0]


def workspace(dtype: np.dtype[Any], length: int) -> Any:
    """Records for kernels. In plain mode their fields are attributes, which are slow to make."""
    return np.zeros(length, dtype) if compiled_mode() else records(dtype, length)


def with_globals(function: Any, names: Mapping[str, Any], called: str) -> Any:
    """The same code with other values for some of its global names."""
    twin = FunctionType(function.__code__, {**function.__globals__, **names}, called, function.__defaults__)
    twin.__qualname__ = called
    twin.__module__ = function.__module__
    twin.__dict__["depends_on"] = depends_on(function).union(*map(depends_on, names.values()))
    return twin


_BOUND: dict[tuple[Any, ...], Any] = {}


def bind(
    template: Callable[..., Any], names: Mapping[str, Any], called: str, signature: Any, **parts: Callable[..., Any]
) -> Any:
    """Compile a search template with one game's kernels in place of its free names, once a process.

    This is not a closure, whose code no cache would find again; `called` names its own cache entry. `parts` are
    templates too, and each can use those before it.
    """
    key = (template, called, signature)
    if key not in _BOUND:
        known = dict(names)
        for name, part in parts.items():
            known[name] = kernel(with_globals(part, known, f"{part.__name__}_{called}"))
        _BOUND[key] = numba.njit(signature, cache=True, nogil=True)(with_globals(template, known, called))
    return _BOUND[key]


@cache
def fingerprint() -> str:
    """A hash of every source file and table of the package and of the switches that change generated code."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.npz")]):
        digest.update(str(file.relative_to(PACKAGE)).encode() + b"\0" + content(str(file)))
    digest.update(repr((numba.config.BOUNDSCHECK, numba.config.OPT)).encode())
    return digest.hexdigest()


class _CompileNotice(event.Listener):  # type: ignore[misc]
    """Tells, once a command, why the first run takes seconds. As a text it says what is being compiled just now."""

    def __init__(self) -> None:
        self.said = False
        """Set this in child processes, so that they leave the notice to their parent."""
        self._depth = self._functions = 0
        self._began = 0.0
        self._what = ""

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if not self.said and isinstance(getattr(dispatcher, "_cache", None), caching.FunctionCache):
            self.said = True
            print(f"compiling ({when_compiled()}) ...", file=sys.stderr, flush=True)
        if self._depth == 0:
            self._what, self._began = dispatcher.py_func.__name__.replace("_", " "), self._began or time.monotonic()
        self._depth += 1
        self._functions += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1

    def __str__(self) -> str:
        if not self._depth:
            return ""
        spent = f"{self._functions} functions in {time.monotonic() - self._began:.0f} s"
        return f"compiling {self._what}: {spent}, {when_compiled()}"


class _HeardAfterwards(event.Listener):  # type: ignore[misc]
    """Delays Ctrl-C while numba compiles or loads something.

    LLVM calls Python code on its way. An interrupt raised just there cannot get out through LLVM: it would be printed
    as ignored, and the match would go on. A second Ctrl-C takes effect at once.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._usual: Any = None
        self._heard = False

    def on_start(self, event: Any) -> None:
        if threading.current_thread() is not threading.main_thread():  # which alone hears signals
            return
        self._depth += 1
        usual = signal.getsignal(signal.SIGINT)
        if self._depth == 1 and callable(usual):
            self._usual, self._heard = usual, False
            signal.signal(signal.SIGINT, self._hear)

    def on_end(self, event: Any) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._depth == 0 and self._usual:
            signal.signal(signal.SIGINT, self._usual)
            self._usual = None
            if self._heard:
                signal.raise_signal(signal.SIGINT)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._heard:
            self._usual(number, frame)
        self._heard = True


def _check_numba() -> None:
    """Refuse a Numba that lacks one of the private parts that this file and cache.py use."""
    for part, names in {
        caching: ("_CacheLocator", "FunctionCache", "IndexDataCacheFile"),
        caching.IndexDataCacheFile: ("_data_name", "_data_path", "_dump", "_open_for_write"),
        caching.CacheImpl: ("_locator_classes",),
        codegen.JITCodeLibrary: ("_get_module_for_linking", "_raise_if_finalized", "_finalize_dynamic_globals"),
        linalg: ("ensure_blas",),
    }.items():
        for name in names:
            if not hasattr(part, name):
                told = f"Numba {numba.__version__} has no {part.__name__}.{name}"
                raise SparringError(f"{told}; install a version that Sparring knows: pip install 'numba>=0.68,<0.69'")


def _without_blas_check() -> None:
    """Load Numba's array functions without their check for SciPy's linear algebra, which would import it."""
    usual = linalg.ensure_blas
    try:
        linalg.ensure_blas = lambda: None if find_spec("scipy") else usual()
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = usual


_check_numba()
_without_blas_check()
warnings.filterwarnings("ignore", "Cannot cache compiled function", numba.errors.NumbaWarning)
warnings.filterwarnings("ignore", "First-class function", numba.errors.NumbaExperimentalFeatureWarning)
compile_notice = _CompileNotice()
event.register("numba:compile", compile_notice)
event.register("numba:compile", _Environments())
event.register("numba:compiler_lock", _HeardAfterwards())
