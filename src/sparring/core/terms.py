"""Heuristics as weighted sums of named terms.

The same terms give the score for a search, the explanation of a move, and the vector that tuning changes. The author
writes one plain function; this file derives all three from it.
"""

import ast
import inspect
import textwrap
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np

from sparring.core.cache import PACKAGE, depends_on_values
from sparring.core.errors import CompileError, SparringError
from sparring.core.kernel import (
    MAX_TERMS,
    Weights,
    checked,
    compiled_mode,
    heuristic_signature,
    kernel,
    record,
    with_globals,
)
from sparring.core.loops import guarded

MOST = 900_000
"""The largest score. Larger numbers are games played to their end, and infinity would hide them."""
UNWANTED_TIE = -0.95
"""The value of a tie as a share of a loss, for games in which a tie is worse than to play on. Times a million it is
beyond all scores."""


def Terms(**_values: float) -> Any:
    """The named parts of a heuristic's value, returned by the function under `@heuristic`."""
    raise TypeError("Terms(...) belongs in the return statement of a function under @heuristic")


@dataclass(frozen=True)
class Weight:
    """A term's default weight, and the range in which tuning may look for a better one. A range of one number fixes the
    weight."""

    default: float = 1.0
    low: float | None = None
    high: float | None = None

    @property
    def range(self) -> tuple[float, float]:
        """Missing ends are twice the size of the default away: from -1 to 3 times a weight, and from -2 to 2 for 0. A
        default outside given ends extends them."""
        reach = 2 * (abs(self.default) or 1.0)
        low = self.default - reach if self.low is None else min(self.low, self.default)
        return low, self.default + reach if self.high is None else max(self.high, self.default)


@dataclass(frozen=True)
class Heuristic:
    """A named evaluation function of one game. `score` and `terms` see the same code."""

    name: str
    game: str
    function: Callable[..., Any]
    weights: Mapping[str, Weight]
    bare: bool  # it returns a number, which is its only term
    unrun: bool = field(default=False, kw_only=True)
    """True if it was taken from a file that was not run: then its code may run here only once it is compiled."""

    @property
    def description(self) -> str:
        return " ".join((self.function.__doc__ or "").split())

    @property
    def built_in(self) -> bool:
        return Path(self.function.__code__.co_filename).is_relative_to(PACKAGE)

    def weigh(self, chosen: Mapping[str, float] | None = None) -> Any:
        """The record of weights that goes with `score`: the defaults, some of them replaced."""
        chosen = chosen or {}
        for term in chosen:
            if term not in self.weights:
                raise SparringError(f"{self.name} has no term {term!r}; its terms: {', '.join(self.weights) or 'none'}")
        weighed = record(Weights)
        for place, (term, weight) in enumerate(self.weights.items()):
            weighed.of[place] = chosen.get(term, weight.default)
        return weighed

    def judge(self, state: np.dtype[Any], chosen: Mapping[str, float] | None = None) -> "BoundHeuristic":
        """Bind weights, some of them replaced, for calls from compiled code."""
        return BoundHeuristic(self, self.weigh(chosen), self.score(state))

    def terms(self, state: Any, player: int) -> dict[str, float]:
        """The unweighted terms of a position, as a player sees it."""
        try:
            values = self._called_from_python(state, player)
        except (numba.core.errors.NumbaError, KeyError, NameError):
            if self.unrun:
                raise
            self.__dict__["_called_from_python"] = self._plain  # it would be tried anew at every call
            return self.plain_terms(state, player)
        return self._named(values)

    def plain_terms(self, state: Any, player: int) -> dict[str, float]:
        """The same in plain Python."""
        return self._named(self._plain(state, player))

    def _named(self, values: Any) -> dict[str, float]:
        try:
            return dict(zip(self.weights, map(float, (values,) if self.bare else values), strict=True))
        except (TypeError, ValueError) as error:
            code = self.function.__code__
            wanted = "a number, or Terms(name=number, ...)" if self.bare else "Terms(name=number, ...) everywhere"
            raise SparringError(
                f"{code.co_filename}:{code.co_firstlineno}: {self.name} returned {values!r}; return {wanted}"
            ) from error

    def __call__(self, state: Any, player: int) -> float:
        """Return the value of a state with the default weights. Other heuristics may call this in their code."""
        total = sum(
            weight.default * term
            for weight, term in zip(self.weights.values(), self.terms(state, player).values(), strict=True)
        )
        return max(-MOST, min(MOST, float(total)))

    @cached_property
    def as_kernel(self) -> Any:
        """The same as `__call__`, for compiled code."""
        total = " + ".join(
            f"{weight.default!r} * {part}" for weight, part in zip(self.weights.values(), self._parts, strict=True)
        )
        source = (
            f"def value(s, me):\n    value = terms(s, me)\n    return max(-{MOST}.0, min({MOST}.0, float({total})))\n"
        )
        return kernel(self._written(source, self._terms))

    def score(self, state: np.dtype[Any]) -> Any:
        """The function a compiled search calls: `float64 score(state, player, weights)`."""
        if not compiled_mode():
            return self._scorer(self._terms)
        if state not in self._scores:
            compiled = numba.njit(heuristic_signature(state), cache=self._unchanged, nogil=True)
            try:
                self._scores[state] = compiled(self._scorer(self._terms))
            except SparringError:
                raise
            except Exception as error:  # the compiler raises many kinds for code that it does not expect
                if not self.unrun:
                    self.__dict__["_called_from_python"] = self._plain
                raise CompileError(self.name, self.function.__code__, error) from error
        return self._scores[state]

    @cached_property
    def _scores(self) -> dict[np.dtype[Any], Any]:
        """Scorers by state type, compiled once: tuning makes thousands of agents that differ only in weights."""
        return {}

    def plain_score(self, state: np.dtype[Any]) -> Any:
        """The same function for code that does not compile: every call goes back to Python, so it is slow."""
        plain = self._scorer(self._plain)

        def call_back(s: Any, me: int, weights: Any) -> Any:
            with numba.objmode(value="float64"):
                value = plain(s, me, weights)
            return value

        return numba.njit(heuristic_signature(state))(call_back)

    @cached_property
    def _tuple(self) -> Any:
        """The type of the terms' values, which stands for `Terms`."""
        return namedtuple("Terms", list(self.weights))

    @cached_property
    def _plain(self) -> Any:
        """The author's function in plain Python."""
        if self.built_in:
            return with_globals(self.function, {"Terms": self._tuple}, self.name)
        return guarded(self.function, (Terms, self._tuple))

    @cached_property
    def _terms(self) -> Any:
        """The author's function, ready to be compiled into a scorer."""
        if not compiled_mode():
            return self._plain
        if self.built_in:
            return kernel(self._plain)
        terms = guarded(self.function, (Terms, self._tuple), checked)
        terms.py_func.depends_on = depends_on_values(terms.py_func)
        return terms

    @cached_property
    def _called_from_python(self) -> Any:
        if not compiled_mode():
            return self._terms
        twin = with_globals(self._terms.py_func, {}, f"terms_{self.name}")
        return numba.njit(cache=self._unchanged, nogil=True, boundscheck=not self.built_in or None)(twin)

    @property
    def _unchanged(self) -> bool:
        """True if no array has changed since the key of the cache was made from its values."""
        function = self._terms.py_func
        return self.built_in or depends_on_values(function) == function.depends_on

    def _scorer(self, terms: Any) -> Any:
        """Compile the sum of weights times terms."""
        total = " + ".join(f"weights.of[{place}] * {part}" for place, part in enumerate(self._parts))
        return self._written(
            f"def score(s, me, weights):\n    value = terms(s, me)\n    total = {total}\n"
            f"    return total if -{MOST}.0 < total < {MOST}.0 else {MOST}.0 if total > 0 else -{MOST}.0\n",
            terms,
        )

    @cached_property
    def observe(self) -> Any:
        """The terms as features for learning, and one more feature that is always 1: see `Features` in
        games/learnable.py."""
        lines = [
            f"features[{place}], amounts[{place}] = {place}, {part}" for place, part in enumerate([*self._parts, "1"])
        ]
        source = "\n    ".join(["def observe(s, me, features, amounts):", "value = terms(s, me)", *lines])
        return kernel(self._written(f"{source}\n    return {len(lines)}\n", self._terms))

    @property
    def _parts(self) -> list[str]:
        """Compiled code cannot loop over terms of different types, so each term is written out."""
        return ["value"] if self.bare else [f"value[{place}]" for place in range(len(self.weights))]

    def _written(self, source: str, terms: Any) -> Any:
        """A function from source, in which `terms` are those of the heuristic."""
        file = self.function.__code__.co_filename if self.built_in else f"<weights of {self.name}>"
        scope: dict[str, Any] = {"__name__": self.function.__module__}
        exec(compile(source, file, "exec"), scope)
        written = scope[source[len("def ") : source.index("(")]]
        written.depends_on = frozenset()  # but for its terms
        return with_globals(written, {"terms": terms}, f"{written.__name__}_{self.name}")


@cache
def no_score(state: np.dtype[Any]) -> Any:
    """The place of a score for agents that another process runs."""

    def score(s: Any, me: int, weights: Any) -> float:
        if me >= 0:
            raise RuntimeError("only the process of a guest runs this heuristic")
        return 0.0

    return numba.njit(heuristic_signature(state))(score) if compiled_mode() else score


@dataclass(frozen=True)
class BoundHeuristic:
    """A heuristic for compiled code: the score and its weights."""

    heuristic: Heuristic
    weights: Any
    score: Any
    compiled: bool = True
    """True if the score is compiled; otherwise every call goes back to a user's Python."""

    @cached_property
    def tunable(self) -> dict[str, Weight]:
        """Every term with the weight that it has here, and its range."""
        values = self.weights.of.tolist()
        usual = self.heuristic.weights.items()
        return {term: replace(weight, default=values[place]) for place, (term, weight) in enumerate(usual)}

    @cached_property
    def points(self) -> dict[str, float]:
        """The weight of each term."""
        return {term: weight.default for term, weight in self.tunable.items()}


def heuristic(game: str, **weights: float | Weight) -> Callable[[Callable[..., Any]], Heuristic]:
    """Declare a function of (state, player) as a heuristic of a game.

    It returns a number, or `Terms(name=value, ...)`. A keyword gives a term another weight than 1.
    """

    if not isinstance(game, str):
        raise SparringError('say for which game the heuristic is: @heuristic("NAME"); `spar games` lists them')

    def declare(function: Callable[..., Any]) -> Heuristic:
        if not isinstance(function, FunctionType) or function.__code__.co_argcount < 2:
            raise SparringError(f"a heuristic is a function of a state and a player: def {function.__name__}(s, me)")
        if function.__code__.co_freevars:
            inner = ", ".join(function.__code__.co_freevars)
            raise SparringError(
                f"{function.__name__} uses {inner} of a function around it; move that to the file's top"
            )
        written = term_names(function)
        names = written or [function.__name__]
        for name in weights:
            if name not in names:
                raise SparringError(
                    f"{function.__name__} weighs {name!r}, which is none of its terms: {', '.join(names)}"
                )
        given = {name: weights.get(name, 1.0) for name in names}
        full = {name: value if isinstance(value, Weight) else Weight(value) for name, value in given.items()}
        for name, weight in full.items():
            low, high = (weight.default if end is None else end for end in (weight.low, weight.high))
            if not low <= weight.default <= high:
                raise SparringError(
                    f"{function.__name__} weighs {name} {weight.default:g}, which is not from low to high: widen that"
                )
        return Heuristic(function.__name__, game, function, full, bare=not written)

    return declare


def term_names(function: Callable[..., Any]) -> list[str]:
    """The keywords of the function's `Terms(...)`; none if it returns a bare number."""
    found: list[list[str]] = []
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except OSError as error:
        raise SparringError(f"{function.__name__}: write it in a file or a notebook, its source is needed") from error
    for node in ast.walk(ast.parse(source)):
        renamed = isinstance(node, ast.Name) and node.id != "Terms" and function.__globals__.get(node.id) is Terms
        if renamed or (isinstance(node, ast.Attribute) and node.attr == "Terms"):
            raise SparringError(f"{function.__name__}: write `from sparring import Terms` and then Terms(...) alone")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Terms":
            if node.args or any(keyword.arg is None for keyword in node.keywords):
                raise SparringError(f"{function.__name__}: write Terms(name=value, ...), every term with its name")
            found.append([str(keyword.arg) for keyword in node.keywords])
    if not found:
        return []
    if function.__globals__.get("Terms") is not Terms:
        raise SparringError(
            f"{function.__name__} uses Terms; write `from sparring import Terms` at the top of the file"
        )
    names = found[0]
    if any(sorted(other) != sorted(names) for other in found):
        raise SparringError(f"{function.__name__} returns different terms in different places: {found}")
    if not 0 < len(names) <= MAX_TERMS:
        raise SparringError(f"{function.__name__} has {len(names)} terms; between 1 and {MAX_TERMS} are possible")
    return names
