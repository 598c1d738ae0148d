"""Refuse heuristics that write into the state: it is the state of the search, which goes on from it."""

import ast
from types import FunctionType
from typing import Any

import numpy as np

from sparring.core.errors import SparringError
from sparring.core.loops import definition, local_names, meaning, plain_function

VIEWS = {"reshape", "ravel", "view", "transpose", "squeeze", "T", "flat"}
"""Attributes of an array that lead to the same numbers."""
ALIASES = {
    "asarray",
    "ascontiguousarray",
    "ravel",
    "reshape",
    "transpose",
    "squeeze",
    "expand_dims",
    "atleast_1d",
    "flip",
}
"""Functions of NumPy that may return the same numbers."""
CHANGING = {"fill", "sort", "partition", "put", "itemset", "copyto", "place", "putmask", "fill_diagonal"}
"""Methods of an array, and functions of NumPy, that change an array."""


def refuse_stores(heuristic: FunctionType, state: np.dtype[Any]) -> None:
    """Raise SparringError with the line if a heuristic, or a function that it calls, changes the state."""
    _Stores(heuristic.__name__).follow(heuristic, (state,))


class _Stores:
    """Follows the state, and arrays that are parts of it, through the names of functions."""

    def __init__(self, heuristic: str) -> None:
        self._heuristic = heuristic
        self._known: dict[Any, Any] = {}

    def follow(self, function: FunctionType, given: tuple[Any, ...]) -> Any:
        """Return what part of the state a function returns, given parts of the state; None if it returns none."""
        key = function, given
        if key not in self._known:
            self._known[key] = None  # for functions that call each other in a circle, which is refused elsewhere
            if tree := definition(function):
                self._known[key] = _Follower(self, function, tree, given).returned()
        return self._known[key]

    def error(self, function: FunctionType, node: ast.AST) -> SparringError:
        place = f"{function.__code__.co_filename}:{getattr(node, 'lineno', function.__code__.co_firstlineno)}"
        told = f"{self._heuristic} changes the state, `{ast.unparse(node).splitlines()[0]}`"
        return SparringError(f"{place}: {told}; it may only read it: change a copy")


class _Follower:
    """The parts of the state that one function names."""

    def __init__(self, stores: _Stores, function: FunctionType, tree: ast.FunctionDef, given: tuple[Any, ...]) -> None:
        self._stores, self._function, self._tree = stores, function, tree
        self._local = local_names(tree)
        names = [one.arg for one in (*tree.args.posonlyargs, *tree.args.args)]
        self._parts = {name: part for name, part in zip(names, given, strict=False) if part is not None}

    def returned(self) -> Any:
        nodes = [*ast.walk(self._tree)]
        before = -1
        while before < len(self._parts):  # until no assignment brings another name
            before = len(self._parts)
            for node in nodes:
                self._assigned(node)
        for node in nodes:
            self._refuse(node)
        parts = (self._part(node.value) for node in nodes if isinstance(node, ast.Return) and node.value)
        return next((part for part in parts if part is not None), None)

    def _assigned(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target, _, ast.expr() as value) | ast.NamedExpr(target, value):
                self._bind(target, value)
            case ast.For(ast.Name(name), iterated) | ast.comprehension(ast.Name(name), iterated):
                part = self._part(iterated)
                self._name(name, None if part is None else _item(part, 1))

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._bind(one, other)
        elif isinstance(target, ast.Tuple):
            part = self._part(value)
            for one in target.elts:
                if isinstance(one, ast.Name):
                    self._name(one.id, None if part is None else _item(part, 1))
        elif isinstance(target, ast.Name):
            self._name(target.id, self._part(value))

    def _name(self, name: str, part: Any) -> None:
        if part is not None:
            self._parts.setdefault(name, part)

    def _refuse(self, node: ast.AST) -> None:
        match node:
            case ast.Attribute(value, _, ast.Store()) | ast.Subscript(value, _, ast.Store()):
                if self._part(value) is not None:
                    raise self._stores.error(self._function, node)
            case ast.AugAssign(ast.Name(name)):
                if name in self._parts:
                    raise self._stores.error(self._function, node)
            case ast.Call(ast.Attribute(value, method), given):
                changed = [value, *given[:1]] if method in CHANGING else []
                if any(self._part(one) is not None for one in changed):
                    raise self._stores.error(self._function, node)
        if isinstance(node, ast.Call):
            self._called(node)

    def _called(self, node: ast.Call) -> Any:
        """Follow the state into a function that is called with a part of it. Return what that returns."""
        callee = plain_function(meaning(node.func, self._function, self._local))
        if callee is None:
            return None
        given = [self._part(one) for one in node.args]
        names = callee.__code__.co_varnames[: callee.__code__.co_argcount]
        named = {str(one.arg): self._part(one.value) for one in node.keywords}
        given += [named.get(name) for name in names[len(given) :]]
        if all(part is None for part in given):
            return None
        try:
            return self._stores.follow(callee, tuple(given))
        except SparringError:
            if definition(callee) is not None and "tree" in vars(callee):
                raise
            raise self._stores.error(self._function, node) from None

    def _part(self, node: ast.AST) -> Any:
        """What part of the state an expression may be: the type of a record or of an array; None if it is none."""
        match node:
            case ast.Name(name):
                return self._parts.get(name)
            case ast.Attribute(value, name):
                whole = self._part(value)
                if whole is None:
                    return None
                if whole.fields:
                    return _view(whole.fields[name][0]) if name in whole.fields else None
                return whole if name in VIEWS else None
            case ast.Subscript(value, index):
                whole = self._part(value)
                if whole is None:
                    return None
                if whole.fields:
                    field = str(index.value) if isinstance(index, ast.Constant) else ""
                    return _view(whole.fields[field][0]) if field in whole.fields else None
                places = index.elts if isinstance(index, ast.Tuple) else [index]
                return _item(whole, sum(not isinstance(one, ast.Slice) for one in places))
            case ast.IfExp(_, left, right):
                return self._first(left, right)
            case ast.BoolOp(_, values):
                return self._first(*values)
            case ast.NamedExpr(_, value) | ast.Starred(value):
                return self._part(value)
            case ast.Call(ast.Attribute(value, method)) if method in VIEWS and self._part(value) is not None:
                return self._part(value)
            case ast.Call(ast.Attribute(_, name), given) if name in ALIASES and given:
                return self._part(given[0])
            case ast.Call():
                return self._called(node)
        return None

    def _first(self, *nodes: ast.expr) -> Any:
        return next((part for node in nodes if (part := self._part(node)) is not None), None)


def _view(kind: np.dtype[Any]) -> Any:
    """The type itself if it is a record or an array; a number is a copy."""
    return kind if kind.fields or kind.subdtype else None


def _item(kind: np.dtype[Any], places: int) -> Any:
    """The type of what an array has at some places."""
    if not kind.subdtype:
        return None
    base, shape = kind.subdtype
    return _view(np.dtype((base, shape[places:])) if len(shape) > places else base)
