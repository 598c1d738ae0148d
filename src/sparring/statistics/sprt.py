"""Sequential tests: play until one of two hypotheses fits the blocks clearly better than the other.

After each block the log likelihood ratio (LLR) of the hypotheses is compared with Wald's bounds. Everything else that a
hypothesis leaves open, such as the share of ties, is set to the best fit.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from sparring.core.amounts import parse_number
from sparring.core.errors import SparringError, unknown
from sparring.core.table import counted
from sparring.statistics.intervals import ELO_PER_LOGIT, Array, expected

NORMALISED, LOGISTIC = "normalised", "logistic"
NORMALISED_ELO = 2 * ELO_PER_LOGIT
"""Elo of one standard deviation of a game above 1/2: the slope of logistic Elo if no game is tied."""
FARTHEST_ELO = 500.0
FARTHEST_EFFECT = 2.0
PAIR_POINTS = np.arange(5) / 2
EMPTY = 0.001  # count for a pair outcome that never happened, so that no hypothesis is impossible
ROWS_AT_ONCE = 4096
MOST_STEPS = 100
CAUTION = 50.0
LARGE_EFFECT = 0.15
OTHER_GUESSES = (0.25, 0.5)
"""Further guesses of the root mean square score: far from 0, the nearest solution may not be the likeliest."""
MISFIT_ERROR = 1e-12
STEP_ERROR = 1e-20
BIAS = "The difference measured at such a stop is biased away from the truth; to measure it, play a fixed number."


@dataclass(frozen=True)
class Stop:
    """The end of a test: the block, the LLR, and the accepted hypothesis."""

    blocks: int
    llr: float
    accepted: int


@dataclass(frozen=True, kw_only=True)
class SequentialTest(ABC):
    """Base of all tests. `alpha` and `beta` are the chances to accept 1 when 0 is true, and 0 when 1 is true."""

    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise SparringError(f"{name} is a chance of error: give one between 0 and 0.5, not {chance:g}")

    @abstractmethod
    def path(self, blocks: npt.ArrayLike) -> Array:
        """The LLR after each block."""

    @property
    @abstractmethod
    def words(self) -> tuple[str, str, str]:
        """The two hypotheses and the name of a block."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds: hypothesis 0 is accepted at the lower one, hypothesis 1 at the upper one."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def stop(self, path: Array) -> Stop | None:
        """The first place where the LLR reached a bound; later blocks are ignored. None if the test goes on."""
        low, high = self.bounds
        ended = np.flatnonzero((path <= low) | (path >= high))
        if not ended.size:
            return None
        llr = float(path[ended[0]])
        return Stop(int(ended[0]) + 1, llr, int(llr > 0))

    def why(self, path: Array, over: bool = False) -> str:
        """Explain why the test ended, or that it goes on, or that it had too few games to end."""
        low, high = self.bounds
        null, alternative, unit = self.words
        stop = self.stop(path)
        if stop is None:
            now = f"LLR {path[-1] if len(path) else 0.0:.2f} after {counted(len(path), unit)}"
            end = "all games are played and the test is undecided" if over else "the test goes on"
            return f"{now} is between {low:.2f} and {high:.2f}: {end}"
        bound, fits, other = (high, alternative, null) if stop.accepted else (low, null, alternative)
        times = f"{math.exp(abs(stop.llr)):.3g}"
        after = f"LLR {stop.llr:.2f} passed {bound:.2f} after {counted(stop.blocks, unit)}"
        return f"{after}: {fits} fits the games {times} times better than {other}. {BIAS}"


@dataclass(frozen=True)
class Sprt(SequentialTest):
    """Test whether the first agent of a match is `elo1` stronger rather than `elo0`, on pairs of games with seats
    swapped.

    Normalised Elo measures the mean score in standard deviations of a game, so that a test takes equally long whatever
    the share of ties. Logistic Elo is the Elo of ratings. Both agree if no game is tied.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    model: str = NORMALISED

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model not in (NORMALISED, LOGISTIC):
            raise SparringError(f"unknown Elo model {self.model!r}; take {NORMALISED} or {LOGISTIC}")
        if not -FARTHEST_ELO <= self.elo0 < self.elo1 <= FARTHEST_ELO:
            raise SparringError(_misplaced("elo", self.elo0, self.elo1, FARTHEST_ELO))

    @property
    def words(self) -> tuple[str, str, str]:
        unit = "normalised Elo" if self.model == NORMALISED else "Elo"
        return f"{_signed(self.elo0)} {unit}", f"{_signed(self.elo1)} {unit}", "pair"

    def llr(self, counts: npt.ArrayLike) -> float:
        """The LLR of the numbers of pairs in which the first agent got 0, 1/2, 1, 3/2 and 2 points."""
        return float(self._llrs(np.asarray(counts, float).reshape(len(PAIR_POINTS), 1))[0])

    def path(self, blocks: npt.ArrayLike) -> Array:
        """The LLR after each pair, given the first agent's points in each."""
        outcome = PAIR_POINTS[:, None] == np.asarray(blocks, float)
        if not outcome.any(axis=0).all():
            raise ValueError("a pair gives 0, 0.5, 1, 1.5 or 2 points")
        counts = np.cumsum(outcome, axis=1, dtype=float)
        pieces = [counts[:, k : k + ROWS_AT_ONCE] for k in range(0, counts.shape[1], ROWS_AT_ONCE)]
        return np.concatenate([np.empty(0), *map(self._llrs, pieces)])

    def _llrs(self, counts: Array) -> Array:
        """The LLR of every column of counts: pairs times the mean log ratio of the two best-fitting distributions."""
        played, won, lost = counts.sum(axis=0), counts[-1], counts[0]
        counts = np.where(counts > 0, counts, EMPTY)
        pairs = counts.sum(axis=0)
        llr: Array = pairs * (self._misfit(counts / pairs, self.elo0) - self._misfit(counts / pairs, self.elo1))
        llr = np.where(won == played, np.maximum(llr, self._sweep(played, self.elo0)), llr)
        return np.where(lost == played, np.minimum(llr, -self._sweep(played, -self.elo1)), llr)

    def _sweep(self, pairs: Array, elo: float) -> Array:
        """Evidence of a clean sweep against a difference of `elo` or less, whatever else may be true.

        Neither hypothesis explains a sweep well, so their ratio hardly grows. But an agent that scores no more than
        `elo` promises cannot win a pair outright more often than `most`. CAUTION keeps the error rates of the test.
        """
        effect = math.sqrt(2) * elo / NORMALISED_ELO
        most = expected(elo) if self.model == LOGISTIC else (1 + effect / math.hypot(1, effect)) / 2
        return -pairs * math.log(most) - math.log(CAUTION)

    def _misfit(self, seen: Array, elo: float) -> Array:
        score = PAIR_POINTS[:, None] / 2
        if self.model == LOGISTIC:
            return _misfit(seen, np.broadcast_to(score - expected(elo), seen.shape))[0]
        return _normalised_misfit(seen, score - 0.5, math.sqrt(2) * elo / NORMALISED_ELO)


def _normalised_misfit(seen: Array, score: Array, effect: float) -> Array:
    """Mean log of the observed over the most likely shares, if the mean score is `effect` standard deviations.

    That is the case if the mean is `ratio` times the root mean square. A root r is the least of (r²/c + c)/2 over all
    c, taken at c = r. So for each guess c of the root mean square the hypothesis is linear in the shares: a mean `lean`
    of zero. Each solution gives a better guess.
    """
    ratio = effect / math.hypot(1, effect)
    square = score**2
    observed = np.maximum(np.sqrt((seen * square).sum(axis=0)), abs(ratio) / 2)
    best = np.array(np.inf)
    for first in (observed, *(OTHER_GUESSES if abs(effect) > LARGE_EFFECT else ())):
        guess, before, start = np.broadcast_to(first, observed.shape), best, None
        for _ in range(MOST_STEPS):
            misfit, likely, start = _misfit(seen, score - ratio / 2 * (square / guess + guess), start)
            if np.all(np.abs(misfit - before) <= MISFIT_ERROR):
                break
            before, guess = misfit, np.sqrt((likely * square).sum(axis=0))
        best = np.minimum(best, misfit)
    return best


def _misfit(seen: Array, lean: Array, start: Array | None = None) -> tuple[Array, Array, Array]:
    """Mean log of the observed over the most likely shares, if the mean `lean` is zero; these shares; and x.

    The shares are seen / (1 + x lean). Shares are at most 1, which holds x between two poles. A Newton step that leaves
    the known bounds of x is replaced by halving them.
    """
    with np.errstate(divide="ignore", over="ignore"):
        ends = (seen - 1) / lean
    low = np.where(lean > 0, ends, -np.inf).max(axis=0)
    high = np.where(lean < 0, ends, np.inf).min(axis=0)
    if start is None:
        start = (seen * lean).sum(axis=0) / (seen * lean**2).sum(axis=0)
    x = np.clip(start, low, high)
    for _ in range(MOST_STEPS):
        factors = 1 + x * lean
        pull = lean / factors
        slope = (seen * pull).sum(axis=0)
        step = slope / (seen * pull**2).sum(axis=0)
        if np.all(slope * step <= STEP_ERROR):
            break
        low, high = np.where(slope > 0, x, low), np.where(slope < 0, x, high)
        x = np.where((x + step < low) | (x + step > high), (low + high) / 2, x + step)
    return (seen * np.log(factors)).sum(axis=0), seen / factors, x


@dataclass(frozen=True)
class TableSprt(SequentialTest):
    """Test whether A does better than B at these tables, on blocks of games for any number of players.

    A block's observation is A's mean score minus B's, which may be any number. A hypothesis is its mean in standard
    deviations of a block, so that the scale of scores does not matter: a t-test that may be read after every block.
    """

    effect0: float = 0.0
    effect1: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -FARTHEST_EFFECT <= self.effect0 < self.effect1 <= FARTHEST_EFFECT:
            raise SparringError(_misplaced("effect", self.effect0, self.effect1, FARTHEST_EFFECT))

    @property
    def words(self) -> tuple[str, str, str]:
        return f"an effect of {_signed(self.effect0)}", f"an effect of {_signed(self.effect1)}", "block"

    def path(self, blocks: npt.ArrayLike) -> Array:
        """The LLR after each block, given A's lead over B in each."""
        leads = np.asarray(blocks, float)
        largest = np.abs(leads).max(initial=0.0)
        leads = leads / largest if largest > 0 else leads
        played = np.arange(1, leads.size + 1)
        mean, square = np.cumsum(leads) / played, np.cumsum(leads**2) / played
        ratio = np.divide(mean, np.sqrt(square), out=np.zeros_like(mean), where=square > 0)
        llr: Array = played * (_log_likelihood(ratio, self.effect1) - _log_likelihood(ratio, self.effect0))
        return llr


def _log_likelihood(ratio: Array, effect: float) -> Array:
    """Log likelihood of a normal observation, up to a constant; `ratio` is the mean over the root mean square.

    For a fixed effect the likeliest deviation solves a quadratic; `scale` is the root mean square divided by it.
    """
    scale = (effect * ratio + np.sqrt((effect * ratio) ** 2 + 4)) / 2
    found: Array = np.log(scale) - scale**2 / 2 + effect * ratio * scale - effect**2 / 2
    return found


def _signed(number: float) -> str:
    return f"{number:+g}" if number else "0"


def _misplaced(what: str, low: float, high: float, farthest: float) -> str:
    return f"{what}0 must be below {what}1, both within {farthest:g} of 0; they are {low:g} and {high:g}"


def parse_sprt(text: str) -> Sprt | TableSprt:
    """Parse a test such as 0:10, 0:5,model=logistic,alpha=0.01 or, for tables, effect=0:0.1."""
    bounds, *rest = text.split(",")
    name, _, pair = bounds.rpartition("=")
    low, colon, high = pair.partition(":")
    if not colon or name not in ("", "elo", "effect") or not all("=" in part for part in rest):
        raise SparringError(f"a sequential test is such as 0:10 or 0:5,model=logistic,alpha=0.01, not {text!r}")
    more = dict(part.split("=", 1) for part in rest)
    if len(more) < len(rest):
        raise SparringError(f"a setting is given twice in the sequential test {text!r}")
    unit = name or "elo"
    ends = {f"{unit}0": parse_number("lower bound", low), f"{unit}1": parse_number("upper bound", high)}
    told = {key: value if key == "model" else parse_number(key, value) for key, value in more.items()}
    return sprt_from_settings({**ends, **told})


def sprt_from_settings(settings: Mapping[str, Any]) -> Sprt | TableSprt:
    """Make a test in Elo, or in effects for games of more than two."""
    kind = TableSprt if any(key.startswith("effect") for key in settings) else Sprt
    known = [field.name for field in fields(kind)]
    given: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in known:
            raise unknown("setting of a sequential test", key, known)
        if isinstance(value, bool) or not isinstance(value, str if key == "model" else int | float):
            raise SparringError(f"{key} of a sequential test cannot be {value!r}")
        given[key] = value if key == "model" else float(value)
    return kind(**given)


def sprt_text(test: Sprt | TableSprt) -> str:
    """Write the text of a test, which `parse_sprt` reads."""
    told, usual = asdict(test), asdict(type(test)())
    unit = "effect" if isinstance(test, TableSprt) else "elo"
    low, high = (repr(told[f"{unit}{end}"]).removesuffix(".0") for end in (0, 1))
    changed = [f"{key}={told[key]}" for key in ("model", "alpha", "beta") if told.get(key) != usual.get(key)]
    return ",".join([f"{'effect=' if unit == 'effect' else ''}{low}:{high}", *changed])
