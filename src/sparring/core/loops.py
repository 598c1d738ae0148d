"""Bounds the loops of users' functions, so that one that never ends is an error with a line and not a hung program.

The function is compiled again from its source, with a counter in each of its loops. A counter is a local number, so it
costs compiled code next to nothing, and every call starts anew.
"""

import __future__

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from sparring.core.cache import PACKAGE, installed
from sparring.core.errors import EndlessLoop

LATE_ANNOTATIONS = __future__.annotations.compiler_flag
MOST_ROUNDS = 1_000_000
"""Rounds that the loops of one function may take in one call."""
COUNTER, ERROR = "_sparring_rounds", "_sparring_endless_loop"


def users_scope(
    names: Mapping[str, Any], made: Callable[[Any], Any], means: tuple[Any, Any], known: "Scopes | None" = None
) -> dict[str, Any]:
    """The names of a user's module, with every function of the user's own bounded, in the user's other modules too.

    `made` is called with each plain function, whose own names lead to what was made of the others. `means` is something
    that stands for something else wherever it is named.
    """
    known = {} if known is None else known
    if id(names) not in known:
        scope = known[id(names)] = {**names, ERROR: EndlessLoop}
        old, new = means
        for name, value in names.items():
            plain = getattr(value, "py_func", value)
            if value is old:
                scope[name] = new
            elif isinstance(plain, FunctionType) and _of_a_user(plain) and not plain.__code__.co_freevars:
                around = users_scope(plain.__globals__, made, means, known)
                twin = FunctionType(bounded(plain).__code__, around, plain.__name__, plain.__defaults__)
                twin.__kwdefaults__ = plain.__kwdefaults__
                scope[name] = made(twin)
    return known[id(names)]


Scopes = dict[int, dict[str, Any]]


def _of_a_user(function: FunctionType) -> bool:
    file = function.__code__.co_filename
    return not Path(file).is_relative_to(PACKAGE) and not installed(file)


def bounded(function: Any) -> Any:
    """The same function, raising EndlessLoop where a loop does not end; its globals must know that as `ERROR`.

    A function whose source is not at hand, or has changed since, stays as it is.
    """
    code = function.__code__
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, TypeError):  # a lambda, or code that was never in a file
        return function
    if not isinstance(tree.body[0], ast.FunctionDef) or not any(_loops(tree)) or code.co_freevars:
        return function
    tree.body[0].decorator_list = []
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    if not _same(_compiled(tree, code), code):
        return function
    counted = ast.fix_missing_locations(_Counted(Path(code.co_filename).name).visit(tree))
    scope = {**function.__globals__, ERROR: EndlessLoop}
    return FunctionType(_compiled(counted, code), scope, function.__name__, function.__defaults__)


def _compiled(tree: ast.Module, like: CodeType) -> CodeType:
    """The code of the one function in a tree. The function itself is not made: its defaults stay as they are."""
    made = compile(tree, like.co_filename, "exec", flags=like.co_flags & LATE_ANNOTATIONS, dont_inherit=True)
    return next(one for one in made.co_consts if isinstance(one, CodeType))


def _same(one: CodeType, other: CodeType) -> bool:
    return (one.co_code, one.co_names, one.co_varnames) == (other.co_code, other.co_names, other.co_varnames)


def _loops(tree: ast.AST) -> Iterable[ast.AST]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.While | ast.For))


class _Counted(ast.NodeTransformer):
    """Puts a counter into every loop, and sets it to zero where a function begins."""

    def __init__(self, file: str) -> None:
        self._file = file

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        after_docstring = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body.insert(after_docstring, self._at(node, f"{COUNTER} = {MOST_ROUNDS}")[0])
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        self._count(node)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self._count(node)
        return node

    def _count(self, node: ast.For | ast.While) -> None:
        self.generic_visit(node)
        told = f"{self._file}:{node.lineno}: this loop did not end within {MOST_ROUNDS:,} rounds"
        check = f"{COUNTER} -= 1\nif {COUNTER} <= 0: raise {ERROR}({told!r})"
        node.body[:0] = self._at(node, check)

    @staticmethod
    def _at(node: ast.stmt, source: str) -> list[ast.stmt]:
        statements = ast.parse(source).body
        for statement in statements:
            for part in ast.walk(statement):
                ast.copy_location(part, node)
        return statements
