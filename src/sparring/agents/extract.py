"""Take a heuristic from the text of a user's file, without running the file.

A heuristic needs only the imports, the constants and the functions that it names. Imports lead to NumPy, `math`,
Sparring's own modules, those of plug-ins, and the user's modules beside the file, which are taken in the same way.
Constants are computed here if that takes no more than arithmetic; a process of their own computes the others.
"""

import ast
import builtins
import collections
import enum
import linecache
import math
import operator
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from sparring.agents.module_tree import AGENT, HEURISTIC, KERNEL, Binding, Declaration, Definition, ModuleTree
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError, unknown
from sparring.core.loops import LATE_ANNOTATIONS
from sparring.core.plugins import roots
from sparring.core.stores import refuse_stores
from sparring.core.terms import Heuristic, Weight, heuristic

MAIN = "sparring_user_{}"
"""The name of the module of a user's main file."""
MOST_BITS, MOST_ITEMS, MOST_BYTES = 4096, 1_000_000, 64 << 20
"""The largest whole number, the longest text or list, and the largest table that are computed here."""
UNSAFE = {"numba", "ctypes", "cffi", "llvmlite", "mmap"}
"""Modules with which compiled code can reach any memory."""
UNSAFE_NUMPY = {"lib", "ctypeslib", "core", "_core", "memmap", "testing", "f2py"}
WITHIN_SPARRING = ("sparring.core.bits", "sparring.core.terms", "sparring.games.")
KERNELS = "sparring.core.kernel"

Want = tuple[str, str]
"""A module and a name in it."""
Ask = Callable[[Mapping[Want, str], str], tuple[dict[Want, Any], Mapping[str, Any]]]
"""Return the values of names, which come with their places in the files, and the weights of the heuristic that is
named, from running the file elsewhere."""


class NotComputedHere(Exception):
    """A value takes more than arithmetic on constants."""


class Extraction:
    """The parts of a file, and of the modules beside it, that some heuristic needs."""

    def __init__(self, file: Path, sources: Mapping[str, bytes]) -> None:
        self.home = file.parent
        self.trees: dict[str, ModuleTree] = {}
        self.main = MAIN.format(file.stem)
        self._texts = {PurePosixPath(name): text for name, text in sources.items()}
        self.folders = {parent for name in self._texts for parent in name.parents}
        self.spaces: dict[str, ModuleType] = {}
        self.missing: dict[Want, str] = {}
        """The names whose values only running the file gives, each with its place."""
        self._computing: list[Want] = []
        self._taken: dict[Want, Heuristic] = {}
        self.tree_of(self.main, PurePosixPath(file.name))

    # Modules

    def tree_of(self, name: str, place: PurePosixPath | None = None) -> ModuleTree | None:
        """The text of a user's module; None if it is not beside the file."""
        if name not in self.trees:
            path = PurePosixPath(*name.split("."))
            package = path / "__init__.py"
            place = place or next((one for one in (package, path.with_suffix(".py")) if one in self._texts), None)
            if place is None:
                return None
            file = Path(self.home, place)
            inside = "" if name == self.main else name if place == package else name.rpartition(".")[0]
            tree = self.trees[name] = ModuleTree(name, file, self._texts[place], inside)
            space = self._new_space(name)
            space.__file__ = str(file)
            lines = tree.text.decode(errors="replace").splitlines(keepends=True)  # for the compiler's messages
            linecache.cache[str(file)] = len(tree.text), None, lines, str(file)
        return self.trees[name]

    def is_own(self, module: str) -> bool:
        """True for a module or a package beside the file."""
        return self.tree_of(module) is not None or PurePosixPath(*module.split(".")) in self.folders - {PurePosixPath()}

    def namespace(self, module: str) -> ModuleType:
        """The namespace of a user's module, into which names are taken when they are needed."""
        if self.tree_of(module) is None and module not in self.spaces:
            space = self._new_space(module)
            space.__path__ = [str(Path(self.home, *module.split(".")))]
        return self.spaces[module]

    def _new_space(self, module: str) -> ModuleType:
        name = module if module == self.main else f"{self.main}.{module}"  # no name of an installed module
        space = self.spaces[module] = sys.modules[name] = ModuleType(name)  # where cached code looks for it
        return space

    @property
    def acts(self) -> bool:
        """True if running one of these modules does more than to define something."""
        return any(tree.acts for tree in [*self.trees.values()])

    # What is taken

    def heuristic(self, declaration: Declaration, state: np.dtype[Any], ask: Ask) -> Heuristic:
        """Return a heuristic of the main file. `ask` is called if that takes values which only running it gives."""
        tree = self.trees[self.main]
        self._read_imports()
        assert declaration.node
        made = self._heuristic(tree, declaration.node)
        weights: Mapping[str, Any] | None = None
        if self.missing or made is None:
            values, weights = ask(self.missing, declaration.name if made is None else "")
            for (module, name), value in values.items():
                vars(self.spaces[module])[name] = value
        if made is None:
            function = vars(self.spaces[self.main])[declaration.name]
            made = self._declared(tree, declaration.node, function, declaration.game, weights or {})
        refuse_stores(made.function, state)  # type: ignore[arg-type]
        return made

    def _read_imports(self) -> None:
        """Read the modules that the main file leads to: code at the top of any of them may change the tables of all."""
        for place in self._texts:
            if place.suffix == ".py" and place != PurePosixPath(self.trees[self.main].file.name):
                parts = place.parent.parts if place.name == "__init__.py" else place.with_suffix("").parts
                self.tree_of(".".join(parts))

    def need(self, tree: ModuleTree, name: str) -> None:
        """Take a name into the namespace of its module, unless it is one of Python's own."""
        space, want = vars(self.spaces[tree.name]), (tree.name, name)
        if name in space or want in self.missing or not (binding := self._binding(tree, name)):
            return
        if want in self._computing:
            raise NotComputedHere
        self._computing.append(want)
        try:
            value = self._value_of(tree, name, binding)
            if name not in space:
                space[name] = value
        except NotComputedHere:
            self.missing[want] = f"{tree.file}:{binding.line}: {name}"
        finally:
            self._computing.remove(want)

    def _binding(self, tree: ModuleTree, name: str) -> Binding | None:
        if name in tree.bound:
            return tree.bound[name]
        for module, statement in reversed(tree.stars):
            if self._exports(module, name, statement, tree):
                return Binding(statement, (module, name))
        return None

    def _exports(self, module: str, name: str, statement: ast.stmt, tree: ModuleTree) -> bool:
        """True if `from module import *` gives a name."""
        if name.startswith("_"):
            return False
        if other := self.tree_of(module):
            if "__all__" in other.bound:
                self.need(other, "__all__")
                return name in vars(self.spaces[module]).get("__all__", ())
            return self._binding(other, name) is not None
        if self.is_own(module) or not self._allowed(module):
            return False
        found = self._imported(tree, statement, module)
        return name in getattr(found, "__all__", vars(found))

    def _value_of(self, tree: ModuleTree, name: str, binding: Binding) -> Any:
        statement = binding.statement
        if binding.imported:
            return self._import(tree, statement, *binding.imported)
        if isinstance(binding.value, ast.Lambda):
            return self._function(tree, _as_function(name, binding.value))
        if binding.value is not None:
            value = self.computed(tree, binding.value)
            if binding.place is not None:
                value = [*value][binding.place]
            if self.acts and not isinstance(value, int | float | str | bytes | bool | tuple | type | None):
                raise NotComputedHere  # a table that may be filled later on
            return value
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            return self._decorated(tree, statement)
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            return self._class(tree, statement)
        if any(isinstance(one, Definition) and one.name == name for one in ast.walk(statement)):
            raise self._error(tree, statement, f"{name} is defined inside another statement; define it at the top")
        raise NotComputedHere

    # Imports

    def _import(self, tree: ModuleTree, statement: ast.stmt, module: str, name: str) -> Any:
        if self.is_own(module):
            other = self.tree_of(module)
            if not name:
                return self.namespace(module)
            if other and self._binding(other, name):
                self.need(other, name)
                space = vars(self.spaces[module])
                if name not in space:
                    raise NotComputedHere
                return space[name]
            if self.is_own(f"{module}.{name}"):
                return self.namespace(f"{module}.{name}")
            raise self._error(tree, statement, f"ImportError: cannot import name {name!r} from {module!r}")
        found = self._imported(tree, statement, module)
        if not name:
            return found
        if not isinstance(found, ModuleType) or not self._allowed(module):
            return _stand_in("function", name)
        if module.startswith("numpy") and name in UNSAFE_NUMPY:
            raise self._unsafe(tree, statement, f"{module}.{name}")
        if not hasattr(found, name):
            raise self._error(tree, statement, f"{unknown(f'name in {module}', name, dir(found))}")
        return self._harmless(tree, statement, getattr(found, name), f"{module}.{name}")

    def _allowed(self, module: str) -> bool:
        root = module.partition(".")[0]
        if root == PACKAGE.name:
            return module in (root, KERNELS) or f"{module}.".startswith(WITHIN_SPARRING)
        return module in ("math", "numpy", "cmath") or root in roots()

    def _imported(self, tree: ModuleTree, statement: ast.AST, module: str) -> Any:
        """An installed module; something that the compiler refuses by its name for those that no heuristic can use."""
        root = module.partition(".")[0]
        if root in UNSAFE or (root == "numpy" and module != "numpy"):
            raise self._unsafe(tree, statement, module)
        if not self._allowed(module):
            if root == PACKAGE.name:
                told = f"a heuristic cannot use {module}, only its game's modules and sparring.core.bits"
                raise self._error(tree, statement, told)
            return ModuleType(module)
        try:
            return import_module(module)
        except ImportError as error:
            raise self._error(tree, statement, f"{type(error).__name__}: {error}") from error

    def _harmless(self, tree: ModuleTree, statement: ast.AST, value: Any, name: str) -> Any:
        """A value of an installed module, unless compiled code could reach any memory with it."""
        plain = getattr(value, "py_func", None) or getattr(value, "_defn", None) or value
        home = getattr(plain, "__module__", None) or getattr(value, "__name__", None)
        if isinstance(home, str) and name.partition(".")[0] != "numpy":
            root, last = home.partition(".")[0], name.rpartition(".")[2]
            if root in UNSAFE or (home == KERNELS and f"{KERNELS}.{last}" not in KERNEL) or hasattr(value, "_defn"):
                raise self._unsafe(tree, statement, name)
        return value

    def _unsafe(self, tree: ModuleTree, node: ast.AST, name: str) -> SparringError:
        root = name.partition(".")[0]
        told = "functions are compiled by themselves, with checks: leave it out" if root == "numba" else "leave it out"
        return self._error(tree, node, f"{name} could read and write any memory; {told}")

    def _error(self, tree: ModuleTree, node: ast.AST, told: object) -> SparringError:
        return SparringError(f"{tree.file}:{getattr(node, 'lineno', 1)}: {told}")

    # Functions and classes

    def _decorated(self, tree: ModuleTree, node: ast.FunctionDef) -> Any:
        for decorator in node.decorator_list:
            origin = tree.origin(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if origin in HEURISTIC:
                if not (made := self._heuristic(tree, node)):
                    raise self._error(tree, decorator, f"{node.name}: write its weights as numbers")
                return made
            if origin in AGENT:
                return _stand_in("function", node.name)
            if origin.partition(".")[0] in UNSAFE:
                raise self._unsafe(tree, decorator, origin)
            if origin not in KERNEL:
                raise self._error(tree, decorator, f"@{ast.unparse(decorator)} above {node.name}: leave it out")
        return self._function(tree, node)

    def _function(self, tree: ModuleTree, node: ast.FunctionDef) -> FunctionType:
        """A function from its text. It is not run, and neither are its decorators and annotations."""
        arguments = node.args
        try:
            defaults = tuple(self.computed(tree, one) for one in arguments.defaults) or None
            by_name = {
                one.arg: self.computed(tree, default)
                for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
                if default is not None
            }
        except NotComputedHere:
            raise self._error(tree, node, f"{node.name}: write its defaults as numbers") from None
        bare = _without_annotations(node)
        flags = LATE_ANNOTATIONS if tree.late_annotations else 0
        module = compile(ast.Module([bare], []), str(tree.file), "exec", flags=flags, dont_inherit=True)
        code = next(one for one in module.co_consts if isinstance(one, CodeType))
        function = FunctionType(code, vars(self.spaces[tree.name]), node.name, defaults)
        function.__kwdefaults__ = by_name or None
        function.__dict__["tree"] = bare
        vars(self.spaces[tree.name])[node.name] = function
        self._take_what_it_names(tree, bare)
        return function

    def _take_what_it_names(self, tree: ModuleTree, function: ast.FunctionDef) -> None:
        local = _local_names(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Import | ast.ImportFrom):
                raise self._error(tree, node, f"{function.name}: import at the top of the file, not in a function")
            if isinstance(node, ast.Name) and node.id not in local:
                self.need(tree, node.id)
            elif isinstance(node, ast.Attribute):
                self._attribute(tree, node, local)

    def _attribute(self, tree: ModuleTree, node: ast.Attribute, local: set[str]) -> Any:
        """Take what a name in a module means, such as `helper.fill` or `np.zeros`; None for all else."""
        if isinstance(node.value, ast.Name):
            if node.value.id in local:
                return None
            self.need(tree, node.value.id)
            owner = vars(self.spaces[tree.name]).get(node.value.id)
        else:
            owner = self._attribute(tree, node.value, local) if isinstance(node.value, ast.Attribute) else None
        if not isinstance(owner, ModuleType):
            return None
        return self._in_module(tree, node, owner, node.attr)

    def _in_module(self, tree: ModuleTree, node: ast.AST, owner: ModuleType, name: str) -> Any:
        if own := next((module for module, space in self.spaces.items() if space is owner), None):
            other = self.tree_of(own)
            if other and self._binding(other, name):
                self.need(other, name)
            elif self.is_own(f"{own}.{name}"):
                vars(owner)[name] = self.namespace(f"{own}.{name}")
            return vars(owner).get(name)
        if owner is np and name in UNSAFE_NUMPY:
            raise self._unsafe(tree, node, f"numpy.{name}")
        value = getattr(owner, name, None)
        return value if value is None else self._harmless(tree, node, value, f"{owner.__name__}.{name}")

    def _class(self, tree: ModuleTree, node: ast.ClassDef) -> Any:
        """An enumeration of constants. Compiled code can use no other class, and is told so by the compiler."""
        base = next((tree.origin(one) for one in node.bases), "")
        kind = {"enum.IntEnum": enum.IntEnum, "enum.Enum": enum.Enum}.get(base)
        if kind is None:
            return type(node.name, (), {"__module__": tree.name})
        members: dict[str, Any] = {}
        for one in node.body:
            match one:
                case ast.Assign([ast.Name(name)], value):
                    members[name] = self.computed(tree, value)
        return kind(node.name, members, module=tree.name)  # type: ignore[call-arg, arg-type]

    def _heuristic(self, tree: ModuleTree, node: Definition) -> Heuristic | None:
        """A heuristic of any of these modules; None if its weights take more than arithmetic."""
        if known := self._taken.get((tree.name, node.name)):
            return known
        assert isinstance(node, ast.FunctionDef)
        decorators = [one for one in node.decorator_list if isinstance(one, ast.Call)]
        call = next((one for one in decorators if tree.origin(one.func) in HEURISTIC), None)
        if call is None or len(node.decorator_list) > 1:
            raise self._error(tree, node, f"{node.name}: write @heuristic(...) alone above it")
        self.need(tree, "Terms")
        function = self._function(tree, node)
        try:
            weights: dict[str, Any] = {}
            for one in call.keywords:
                if one.arg is None:
                    weights |= self.computed(tree, one.value)
                elif one.arg != "game":
                    weights[one.arg] = self.computed(tree, one.value)
            games = [*call.args, *(one.value for one in call.keywords if one.arg == "game")]
            game = self.computed(tree, games[0]) if games else None
        except NotComputedHere:
            return None
        made = self._taken[tree.name, node.name] = self._declared(tree, node, function, game, weights)
        return made

    def _declared(
        self, tree: ModuleTree, node: Definition, function: Any, game: Any, weights: Mapping[str, Any]
    ) -> Heuristic:
        try:
            made = heuristic(game, **weights)(function)
        except (SparringError, TypeError) as error:
            line = next((one.lineno for one in node.decorator_list), node.lineno)
            raise SparringError(f"{tree.file}:{line}: {error}") from error
        made = replace(made, unrun=True)
        vars(self.spaces[tree.name])[node.name] = made
        return made

    # Constants

    def computed(self, tree: ModuleTree, node: ast.expr) -> Any:
        """The value of an expression of constants. Raises NotComputedHere if it takes more."""
        try:
            return _Arithmetic(self, tree).value(node)
        except (NotComputedHere, SparringError):
            raise
        except RecursionError:
            raise NotComputedHere from None
        except Exception as error:
            raise self._error(tree, node, f"{type(error).__name__}: {error}") from error


class _Arithmetic:
    """Computes expressions of constants, with bounds on the size of every result."""

    def __init__(self, taken: Extraction, tree: ModuleTree) -> None:
        self._taken, self._tree = taken, tree

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Tuple() | ast.List() | ast.Set():
                kind = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
                return kind(self._items(node.elts))
            case ast.Dict():
                merged: dict[Any, Any] = {}
                for key, value in zip(node.keys, node.values, strict=True):
                    merged |= {self.value(key): self.value(value)} if key else self.value(value)
                return merged
            case ast.UnaryOp():
                return UNARY[type(node.op)](self._number(node.operand))
            case ast.BinOp():
                return self._binary(type(node.op), self.value(node.left), self.value(node.right))
            case ast.Compare():
                values = [self.value(one) for one in (node.left, *node.comparators)]
                pairs = zip(node.ops, values, values[1:], strict=False)
                return all(COMPARED[type(op)](left, right) for op, left, right in pairs)
            case ast.IfExp():
                return self.value(node.body if self.value(node.test) else node.orelse)
            case ast.Subscript():
                return self.value(node.value)[self._index(node.slice)]
            case ast.Call():
                return self._call(node)
        raise NotComputedHere

    def _name(self, node: ast.Name) -> Any:
        self._taken.need(self._tree, node.id)
        space = vars(self._taken.spaces[self._tree.name])
        if node.id in space:
            return space[node.id]
        if (self._tree.name, node.id) in self._taken.missing or not hasattr(builtins, node.id):
            raise NotComputedHere
        return getattr(builtins, node.id)

    def _attribute(self, node: ast.Attribute) -> Any:
        owner = self.value(node.value)
        if isinstance(owner, ModuleType):
            found = self._taken._in_module(self._tree, node, owner, node.attr)
            if found is None:
                raise NotComputedHere
            return found
        if isinstance(owner, enum.EnumType):
            return owner[node.attr]
        if isinstance(owner, enum.Enum | Weight) and node.attr in ("value", "name", "default", "low", "high"):
            return getattr(owner, node.attr)
        if isinstance(owner, np.ndarray) and node.attr in ("T", "size", "shape", "ndim"):
            return getattr(owner, node.attr)
        raise NotComputedHere

    def _items(self, nodes: list[ast.expr]) -> Iterator[Any]:
        for one in nodes:
            if isinstance(one, ast.Starred):
                yield from self.value(one.value)
            else:
                yield self.value(one)

    def _index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            return slice(*(self.value(one) if one else None for one in (node.lower, node.upper, node.step)))
        if isinstance(node, ast.Tuple):
            return tuple(self._index(one) for one in node.elts)
        return self.value(node)

    def _number(self, node: ast.expr) -> Any:
        value = self.value(node)
        if not isinstance(value, int | float | complex | np.ndarray | np.generic):
            raise NotComputedHere
        return value

    def _binary(self, kind: type[ast.operator], left: Any, right: Any) -> Any:
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            _at_most(math.prod(np.broadcast_shapes(np.shape(left), np.shape(right))) * 16, MOST_BYTES)
        elif isinstance(left, int) and isinstance(right, int):
            if kind is ast.Pow:
                _at_most(left.bit_length() * abs(right), MOST_BITS)
            if kind is ast.LShift:
                _at_most(left.bit_length() + right, MOST_BITS)
            if kind is ast.Mult:
                _at_most(left.bit_length() + right.bit_length(), MOST_BITS)
        elif kind is ast.Mult:
            for listed, times in ((left, right), (right, left)):
                if isinstance(listed, str | bytes | list | tuple) and isinstance(times, int):
                    _at_most(len(listed) * times, MOST_ITEMS)
        elif kind is ast.Mod and isinstance(left, str | bytes):
            raise NotComputedHere
        return BINARY[kind](left, right)

    def _call(self, node: ast.Call) -> Any:
        function = self._method(node) or self.value(node.func)
        given = [*self._items(node.args)]
        named: dict[str, Any] = {}
        for one in node.keywords:
            named |= {one.arg: self.value(one.value)} if one.arg else self.value(one.value)
        if function is np.arange or function is range:
            first, last, step = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
            _at_most(int(abs((last - first) / step)), MOST_ITEMS)
        elif function in FILLED:
            size = given[0] if given else named.get("shape", 0)
            size = size if function is not np.eye else (size, *given[1:2])
            kind = named.get("dtype", given[1] if len(given) > 1 and function in (np.zeros, np.ones) else float)
            _at_most(int(np.prod(size, dtype=float)) * np.dtype(kind).itemsize, MOST_BYTES)
        elif function is np.linspace:
            _at_most((given[2:] or [named.get("num", 50)])[0], MOST_ITEMS)
        elif not self._may_be_called(function):
            raise NotComputedHere
        if function is collections.namedtuple:
            return collections.namedtuple(*given, module=self._tree.name, **named)
        return function(*given, **named)

    def _method(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            owner = self.value(node.func.value)
            return getattr(owner, node.func.attr) if isinstance(owner, np.ndarray | dict) else None
        return None

    def _may_be_called(self, function: Any) -> bool:
        if isinstance(function, type) and issubclass(function, np.generic | enum.Enum | tuple):
            return not issubclass(function, np.void)
        if getattr(function, "__self__", None) is math:
            return function not in (math.factorial, math.comb, math.perm, math.prod)
        bound = isinstance(getattr(function, "__self__", None), np.ndarray | dict)
        return bound or any(function is one for one in CALLED)


FILLED = (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity)
METHODS = ("reshape", "astype", "copy", "ravel", "flatten", "transpose", "keys", "values", "items", "get")
CALLED = (
    *(bool, int, float, len, abs, min, max, sum, round, tuple, list, dict, set, frozenset, sorted, divmod, range),
    *(np.array, np.asarray, np.dtype, np.abs, np.minimum, np.maximum, np.sqrt, np.exp, np.log, np.concatenate),
    *(Weight, collections.namedtuple),
)
UNARY: Mapping[type[ast.unaryop], Any] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
BINARY: Mapping[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.MatMult: operator.matmul,
}
COMPARED: Mapping[type[ast.cmpop], Any] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


def _at_most(size: int, most: int) -> None:
    if size > most:
        raise NotComputedHere


def _stand_in(kind: str, name: str) -> Any:
    """An object that the compiler refuses by its kind and its name."""
    return type(kind, (), {"__name__": name})()


def _as_function(name: str, given: ast.Lambda) -> ast.FunctionDef:
    """`def name(...): return ...` for `name = lambda ...: ...`."""
    (made,) = ast.parse(f"def {name}(): ...").body
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = given.args, [ast.copy_location(ast.Return(given.body), given.body)]
    return ast.fix_missing_locations(ast.copy_location(made, given))


def _without_annotations(node: ast.FunctionDef) -> ast.FunctionDef:
    """The same function without all that runs when it is defined."""
    made = copy(node)
    made.args, made.decorator_list, made.returns = _bare(node.args), [], None
    return ast.fix_missing_locations(made)


def _bare(given: ast.arguments) -> ast.arguments:
    def plain(one: ast.arg) -> ast.arg:
        return ast.copy_location(ast.arg(one.arg), one)

    nothing = ast.Constant(None)
    return ast.arguments(
        posonlyargs=[plain(one) for one in given.posonlyargs],
        args=[plain(one) for one in given.args],
        vararg=plain(given.vararg) if given.vararg else None,
        kwonlyargs=[plain(one) for one in given.kwonlyargs],
        kw_defaults=[nothing if one else None for one in given.kw_defaults],
        kwarg=plain(given.kwarg) if given.kwarg else None,
        defaults=[nothing for _ in given.defaults],
    )


def _local_names(tree: ast.FunctionDef) -> set[str]:
    nodes = [*ast.walk(tree)]
    world = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    inner = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and node is not tree}
    return (stored | inner | {node.arg for node in nodes if isinstance(node, ast.arg)}) - world
