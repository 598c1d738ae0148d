"""Bound the loops of users' heuristics: an endless loop is an error that names its line, not a hung program.

The functions are compiled again from their source, with a counter in every loop that is not short. The loops of a
function may take MOST_ROUNDS rounds in one call. They count in a local number, which costs compiled code almost
nothing. Functions called in loops would multiply their rounds, so they get the budget of their caller as an argument
and take their rounds from it. Functions that call each other in a circle are refused.
"""

import __future__

import ast
import dis
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from sparring.core.cache import codes, is_followed, is_users, places
from sparring.core.errors import EndlessLoop, SparringError
from sparring.core.kernel import InnerDispatcher, bounds_checked

LATE_ANNOTATIONS = __future__.annotations.compiler_flag
MOST_ROUNDS = 1_000_000
MOST_ITEMS = 100_000
"""The longest list or array that a heuristic may ask for at once."""
SHORT = 1_000
"""A loop with a known number of rounds is not counted if it makes at most this number of steps."""
MOST_STEPS = 10_000
"""Calls of the user's functions, and rounds of short loops, in one call of a heuristic or one round of a loop."""
MANY_CALLS = 100
"""A function that is called outside loops counts for itself if there are at most this number of such calls."""
BUDGET, LEFT, ERROR = "_sparring_budget", "_sparring_left", "_sparring_endless_loop"
MAKE, READ, WRITE, TAKE = "_sparring_make", "_sparring_read", "_sparring_write", "_sparring_take"
Function = ast.FunctionDef | ast.Lambda
MAKING = (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity)
"""Functions that make an array of the size that is given first."""
SPACING = (np.arange, np.linspace, np.repeat)
REPEATED = (
    Function | ast.For | ast.While | ast.comprehension | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
)
JUMPS = {dis.opname[code] for code in (*dis.hasjrel, *dis.hasjabs)}

WORD, POINTER = ir.IntType(64), types.CPointer(types.int64)


@intrinsic  # type: ignore[untyped-decorator]
def _make(typing_context: Any) -> Any:
    """A budget of rounds in the frame of the function that asks for it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = cgutils.alloca_once(builder, WORD)
        builder.store(WORD(MOST_ROUNDS), place)
        return place

    return POINTER(), generate


@intrinsic  # type: ignore[untyped-decorator]
def _read(typing_context: Any, budget: Any) -> Any:
    return types.int64(POINTER), lambda context, builder, signature, args: builder.load(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def _write(typing_context: Any, budget: Any, left: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[1], args[0])
        return context.get_dummy_value()

    return types.void(POINTER, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _take(typing_context: Any, budget: Any) -> Any:
    """Take one round, and return how many are left."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left = builder.sub(builder.load(args[0]), WORD(1))
        builder.store(left, args[0])
        return left

    return types.int64(POINTER), generate


def _plain_write(budget: list[int], left: int) -> None:
    budget[0] = left


def _plain_take(budget: list[int]) -> int:
    budget[0] -= 1
    return budget[0]


def _total(size: Any) -> float:
    """The number of items in an array of a shape."""
    return float(math.prod(size) if isinstance(size, tuple) else size)


@overload(_total)
def _compiled_total(size):  # type: ignore[no-untyped-def]
    if not isinstance(size, types.BaseTuple):
        return lambda size: float(size)
    return {
        0: lambda size: 1.0,
        1: lambda size: float(size[0]),
        2: lambda size: float(size[0]) * size[1],
        3: lambda size: float(size[0]) * size[1] * size[2],
    }.get(len(size))


def _room(told: str) -> Any:
    """A function that returns a size unless it is too large."""

    def room(size: Any) -> Any:
        if _total(size) > MOST_ITEMS:
            raise EndlessLoop(told)
        return size

    return room


def _rest(told: str) -> Any:
    """A function that returns what a comprehension goes through unless it is too long."""

    def rest(items: Any) -> Any:
        if len(items) > MOST_ITEMS:
            raise EndlessLoop(told)
        return items

    return rest


COMPILED = {MAKE: _make, READ: _read, WRITE: _write, TAKE: _take, ERROR: EndlessLoop}
PLAIN = {
    MAKE: lambda: [MOST_ROUNDS],
    READ: lambda budget: budget[0],
    WRITE: _plain_write,
    TAKE: _plain_take,
    ERROR: EndlessLoop,
}


def guarded(heuristic: Any, means: tuple[Any, Any], compiled: Callable[[Any], Any] | None = None) -> Any:
    """A user's heuristic with bounded loops, and all functions of the user that it may call.

    `compiled` is called with each of these functions; without it they stay plain Python. `means` is an object and its
    replacement wherever it is named.
    """
    return _Guard(heuristic, means, compiled).twin(heuristic)


class _Guard:
    """The functions of one heuristic: their calls, their loops, and their twins."""

    def __init__(self, heuristic: Any, means: tuple[Any, Any], compiled: Callable[[Any], Any] | None) -> None:
        self._heuristic, self._means, self._compiled = heuristic, means, compiled
        self._heuristics: set[Any] = {heuristic}
        self._trees: dict[Any, ast.FunctionDef | None] = {}
        self._calls: dict[Any, list[Any]] = {}
        self._read(heuristic)
        self._steps, self._short, self._loops = dict[Any, int](), set[ast.AST](), dict[Any, bool]()
        for one in self._in_order():
            self._measure(one)
        nodes = (node for tree in self._trees.values() if tree for node in ast.walk(tree))
        self._careful = any(isinstance(node, ast.Try) for node in nodes)
        self._shared = self._which_share()
        functions = (one for one in self._calls if isinstance(one, FunctionType))
        self._named = {name for one in functions for code in codes(one.__code__) for name in code.co_names}
        self._twins: dict[Any, Any] = {}
        self._modules: dict[int, ModuleType] = {}

    def _read(self, function: Any) -> None:
        """Note the calls of a function, and their calls."""
        if function in self._calls:
            return
        tree = self._trees[function] = definition(function)
        known = self._calls[function] = []
        if tree is None:  # a lambda, or code that is in no file
            code = function.__code__  # the jumps back of a lambda are comprehensions
            if code.co_name != "<lambda>" and any("BACKWARD" in step.opname for step in dis.get_instructions(code)):
                raise SparringError(f"{_place(function)}: to bound its loops, write this function at the top of a file")
            meant = [function.__globals__.get(name) for one in codes(code) for name in one.co_names]
        else:
            local = local_names(tree)
            meant = [meaning(node, function, local) for node in ast.walk(tree)]
            self._heuristics.update(value.function for value in meant if is_heuristic(value))
            known += [(function, name) for name in _inner(tree)]
            for name, inner in _inner(tree).items():
                self._calls[function, name] = [(function, other) for other in _inner(tree) if other in _loaded(inner)]
        known += [plain for value in meant if (plain := users_function(value))]
        for callee in known:
            if isinstance(callee, FunctionType):
                self._read(callee)

    def _in_order(self) -> list[Any]:
        """The functions in an order in which each follows those that it calls. Raises SparringError for a circle."""
        try:
            return list(TopologicalSorter(self._calls).static_order())
        except CycleError as error:
            circle = error.args[1][::-1]
            names = [one[1] if isinstance(one, tuple) else one.__name__ for one in circle]
            told = f"{names[0]} calls itself" if len(names) == 2 else " calls ".join(names)
            raise SparringError(f"{_place(circle[0])}: {told}, which may never end; write a loop instead") from None

    def _measure(self, one: Any) -> None:
        """Note the number of steps of a function without its counted loops, and whether it has any."""
        tree = None if isinstance(one, tuple) else self._trees[one]
        called = sum(self._steps[callee] for callee in self._calls[one])
        self._steps[one] = 1 + (called if tree is None else self._steps_in(tree, one, local_names(tree), _inner(tree)))
        if self._steps[one] > MOST_STEPS:
            raise SparringError(f"{_place(one)}: a call of this function leads to more than {MOST_STEPS:,} others")
        counted = tree is not None and any(loop not in self._short for loop in _loops(tree))
        self._loops[one] = counted or any(self._loops[callee] for callee in self._calls[one])

    def _steps_in(self, node: ast.AST, function: FunctionType, local: set[str], inner: Any) -> int:
        steps = sum(self._steps_in(part, function, local, inner) for part in ast.iter_child_nodes(node))
        if callee := users_function(meaning(node, function, local)):
            return steps + self._steps[callee]
        if isinstance(node, ast.For) and not inner and not any(self._calls_a_loop(node, function, local)):
            whole = _rounds(node.iter, function, local) * (1 + steps)
            if whole <= SHORT and all(loop in self._short for loop in _loops(node) if loop is not node):
                self._short.add(node)
                return int(whole)
        return steps

    def _calls_a_loop(self, tree: ast.AST, function: FunctionType, local: set[str]) -> Iterator[FunctionType]:
        called = (users_function(meaning(node, function, local)) for node in ast.walk(tree))
        return (callee for callee in called if callee and self._loops[callee])

    def _which_share(self) -> set[FunctionType]:
        """The functions that get the budget of their callers: those that are called in loops."""
        found, calls = set[FunctionType](), dict[Any, int]()
        for function, tree in reversed(self._trees.items()):
            if tree is not None:
                repeated = [node for node in ast.walk(tree) if isinstance(node, REPEATED) and node is not tree]
                for node in [tree] if self._careful else repeated:
                    found.update(self._calls_a_loop(node, function, local_names(tree)))
        for one in self._in_order():
            calls[one] = 1 + sum(calls[callee] for callee in self._calls[one] if self._loops[callee])
        if calls[self._heuristic] > MANY_CALLS:
            found = {one for one, loops in self._loops.items() if loops and isinstance(one, FunctionType)}
        for one in reversed(self._in_order()):
            if one in found:
                found.update(callee for callee in self._calls[one] if self._loops[callee] and callee in self._trees)
        for one in found & self._heuristics - {self._heuristic}:
            told = f"{one.__name__} loops, and a loop calls it: write a function for what is wanted of it there"
            raise SparringError(f"{_place(one)}: {told}")
        return found - {self._heuristic}

    def twin(self, function: Any) -> Any:
        """The function with counters, whose names mean the twins of the other functions."""
        scope = vars(self._module(function.__globals__))
        if function not in self._twins:
            code, tree = function.__code__, self._trees[function]
            if tree is not None:
                sized = _Sizes(function, local_names(tree))
                tree = sized.visit(tree)
                for name, guard in sized.guards.items():
                    scope[name] = self._compiled(guard) if self._compiled else guard
                whole = self._counted(function, tree) if self._loops[function] else ast.Module([tree], [])
                if self._loops[function] or sized.guards:
                    code = _code(ast.fix_missing_locations(whole), code)
            twin = FunctionType(code, scope, function.__name__, function.__defaults__, function.__closure__)
            twin.__kwdefaults__ = function.__kwdefaults__
            self._twins[function] = self._compiled(twin) if self._compiled else twin
        return self._twins[function]

    def _module(self, names: dict[str, Any]) -> ModuleType:
        """The twin of a user's module, given by its names."""
        if id(names) not in self._modules:
            twin = self._modules[id(names)] = ModuleType(str(names.get("__name__")))
            vars(twin).update(names, **(COMPILED if self._compiled else PLAIN))
            for name, value in names.items():
                if value is self._means[0]:
                    vars(twin)[name] = self._means[1]
                elif is_heuristic(value):
                    if self._compiled and (value.built_in or value.function in self._calls.keys() - {self._heuristic}):
                        vars(twin)[name] = self._with_checks(value) if value.built_in else value.as_kernel
                elif users_function(value) in self._loops:
                    vars(twin)[name] = self.twin(users_function(value))
                elif isinstance(value, ModuleType) and any(map(is_users, places(value))):
                    vars(twin)[name] = self._module(vars(value))
                elif self._compiled and name in self._named:
                    vars(twin)[name] = self._with_checks(value)
        return self._modules[id(names)]

    def _with_checks(self, value: Any) -> Any:
        """A kernel of a package with bounds checks; a module of a package with such kernels, by the names in use."""
        if isinstance(value, InnerDispatcher):
            return bounds_checked(value)
        if is_heuristic(value):
            return bounds_checked(value.as_kernel)
        if not isinstance(value, ModuleType) or not is_followed(value.__name__):
            return value
        if id(vars(value)) not in self._modules:
            twin = self._modules[id(vars(value))] = ModuleType(value.__name__)
            for name in self._named & vars(value).keys():
                vars(twin)[name] = self._with_checks(vars(value)[name])
        return self._modules[id(vars(value))]

    def _counted(self, function: FunctionType, tree: ast.FunctionDef) -> ast.Module:
        local = local_names(tree)

        def shares(node: ast.AST) -> bool:
            return users_function(meaning(node, function, local)) in self._shared

        nested = any(isinstance(node, Function) for node in ast.walk(tree) if node is not tree)
        made = nested or any(map(shares, ast.walk(tree)))
        budget = made or function in self._shared
        counter = _Counter(
            Path(function.__code__.co_filename).name, shares, self._short, budget, self._careful or nested
        )
        counter.generic_visit(tree)
        if function in self._shared:
            (tree.args.posonlyargs or tree.args.args).insert(0, ast.arg(BUDGET))
        else:
            first = 1 if ast.get_docstring(tree, clean=False) is not None else 0
            tree.body[first:first] = _at(tree, f"{BUDGET} = {MAKE}()" if made else f"{LEFT} = {MOST_ROUNDS}")
        return ast.Module([tree], [])


class _Sizes(ast.NodeTransformer):
    """Bounds the lists and arrays that a function asks for, and what its comprehensions go through."""

    def __init__(self, function: FunctionType, local: set[str]) -> None:
        self._function, self._local = function, local
        self.guards: dict[str, Any] = {}

    def _guard(self, kind: str, make: Callable[[str], Any], node: ast.expr) -> ast.expr:
        name = f"_sparring_{kind}_{node.lineno}"
        file = Path(self._function.__code__.co_filename).name
        self.guards[name] = make(f"{file}:{node.lineno}: more than {MOST_ITEMS:,} items at once")
        called = ast.Call(ast.Name(name, ast.Load()), [node], [])
        return ast.copy_location(called, node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.iter, ast.Tuple | ast.List)):
            node.iter = self._guard("rest", _rest, node.iter)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = meaning(node.func, self._function, self._local)
        if node.args and any(function is one for one in MAKING):
            node.args[0] = self._guard("room", _room, node.args[0])
        for place, one in enumerate(node.args):
            if any(function is many for many in SPACING):
                node.args[place] = self._guard("room", _room, one)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult):
            if isinstance(node.left, ast.List | ast.Tuple):
                node.right = self._guard("room", _room, node.right)
            elif isinstance(node.right, ast.List | ast.Tuple):
                node.left = self._guard("room", _room, node.left)
        return node


class _Counter(ast.NodeTransformer):
    """Puts a counter into every loop, and the budget before the arguments of functions that share it."""

    def __init__(
        self, file: str, shares: Callable[[ast.AST], bool], short: set[ast.AST], budget: bool, careful: bool
    ) -> None:
        self._file, self._shares, self._short, self._budget, self._careful = file, shares, short, budget, careful
        self._counting = False
        """True inside a loop that counts in a local number."""

    def _visit_loop(self, node: ast.For | ast.While) -> Any:
        if node in self._short:
            return self.generic_visit(node)
        outer = self._counting
        self._counting = outer or not (self._careful or any(map(self._shares, ast.walk(node))))
        self.generic_visit(node)
        counting, self._counting = self._counting, outer
        take = f"{LEFT} -= 1\nif {LEFT}" if counting else f"if {TAKE}({BUDGET})"
        told = f"{self._file}:{node.lineno}: the loops did not end within {MOST_ROUNDS:,} rounds"
        node.body[:0] = _at(node, f"{take} <= 0: raise {ERROR}({told!r})")
        if not self._budget or outer or not counting:
            return node
        return [*_at(node, f"{LEFT} = {READ}({BUDGET})"), node, *_at(node, f"{WRITE}({BUDGET}, {LEFT})")]

    visit_For = visit_While = _visit_loop  # noqa: N815

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        return [*_at(node, f"{WRITE}({BUDGET}, {LEFT})"), node] if self._budget and self._counting else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._counting = self._counting, False
        self.generic_visit(node)
        self._counting = outer
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not self._shares(node.func):
            return self.generic_visit(node)
        node.args = [ast.copy_location(ast.Name(BUDGET, ast.Load()), node), *map(self.visit, node.args)]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def _visit_name(self, node: ast.Name | ast.Attribute) -> ast.AST:
        """A function with loops that is passed as a value."""
        if not self._shares(node):
            return self.generic_visit(node)
        called = f"lambda *given, **named: {ast.unparse(node)}({BUDGET}, *given, **named)"
        (statement,) = _at(node, called)
        value: ast.expr = statement.value  # type: ignore[attr-defined]
        return value

    visit_Name = visit_Attribute = _visit_name  # noqa: N815


def _at(node: ast.expr | ast.stmt, source: str) -> list[ast.stmt]:
    """Statements at the place of a node."""
    statements = ast.parse(source).body
    for statement in statements:
        for part in ast.walk(statement):
            ast.copy_location(part, node)
    return statements


def definition(function: FunctionType) -> ast.FunctionDef | None:
    """The definition of a function; None if its source is missing or has changed."""
    code = function.__code__
    known: ast.FunctionDef | None = deepcopy(function.__dict__.get("tree"))
    if known:
        return known
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, TypeError):
        return None
    if not isinstance(definition := tree.body[0], ast.FunctionDef):
        return None
    definition.decorator_list = []
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    return definition if _steps(_code(tree, code)) == _steps(code) else None


def _steps(code: CodeType) -> list[Any]:
    """The instructions of code, without the lengths of jumps and the ways of calling functions of a module."""
    steps = [step for step in dis.get_instructions(code) if step.opname != "PUSH_NULL"]
    told = [("LOAD_ATTR" if step.opname == "LOAD_METHOD" else step.opname, step.argval) for step in steps]
    return [name if name in JUMPS or isinstance(value, CodeType) else (name, value) for name, value in told]


def _code(tree: ast.Module, like: CodeType) -> CodeType:
    """The code of the one function in a tree. The function is not created, so its defaults stay as they are."""
    made = compile(tree, like.co_filename, "exec", flags=like.co_flags & LATE_ANNOTATIONS, dont_inherit=True)
    return next(one for one in made.co_consts if isinstance(one, CodeType))


def _loops(tree: ast.AST) -> Iterator[ast.AST]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.While | ast.For))


def _rounds(iterated: ast.expr, function: FunctionType, local: set[str]) -> float:
    """Number of rounds of a loop over `range(7)`, `range(SIZE)` or a constant; infinity if unknown."""
    match iterated:
        case ast.Call(ast.Name("range"), arguments, []) if "range" not in local | function.__globals__.keys():
            given: list[Any] = [
                one.value if isinstance(one, ast.Constant) else meaning(one, function, local) for one in arguments
            ]
            return len(range(*given)) if given and all(isinstance(one, int) for one in given) else math.inf
        case ast.Name() | ast.Attribute():
            value = meaning(iterated, function, local)
            return len(value) if isinstance(value, tuple) else math.inf
    return math.inf


def _inner(tree: ast.FunctionDef) -> dict[str, ast.AST]:
    """The functions inside a function, by name."""
    named = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one is not tree}
    given = [one for one in ast.walk(tree) if isinstance(one, ast.Assign) and isinstance(one.value, ast.Lambda)]
    return {
        **named,
        **{target.id: one.value for one in given for target in one.targets if isinstance(target, ast.Name)},
    }


def _loaded(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def local_names(tree: ast.FunctionDef) -> set[str]:
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | _inner(tree).keys()


def meaning(node: ast.AST, function: FunctionType, local: set[str]) -> Any:
    """The object of a name, or of a name in a module."""
    if isinstance(node, ast.Attribute):
        module = meaning(node.value, function, local)
        return getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
    return function.__globals__.get(node.id) if isinstance(node, ast.Name) and node.id not in local else None


def plain_function(value: Any) -> FunctionType | None:
    """The plain function behind a function that can be compiled, a user's or not."""
    plain = getattr(value, "py_func", value)
    return plain if isinstance(plain, FunctionType) else None


def users_function(value: Any) -> FunctionType | None:
    """The plain function behind a function or a heuristic, if it is in a user's file."""
    plain = getattr(value, "py_func", value.function if is_heuristic(value) else value)
    return plain if isinstance(plain, FunctionType) and is_users(plain.__code__.co_filename) else None


def is_heuristic(value: Any) -> bool:
    return hasattr(type(value), "as_kernel")


def _place(one: Any) -> str:
    code = (one[0] if isinstance(one, tuple) else one).__code__
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}"
