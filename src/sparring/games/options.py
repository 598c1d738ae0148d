"""Options of games. Every value may be a text, as people write it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError, unknown


def check_options(config: Any, words: Mapping[str, Sequence[str]], numbers: Mapping[str, tuple[int, int]]) -> None:
    """Check options that are words or numbers, and convert them."""
    for option, known in words.items():
        set_option(config, option, word(option, getattr(config, option), known))
    for option, (low, high) in numbers.items():
        set_option(config, option, number(option, getattr(config, option), low, high))


def set_option(config: Any, option: str, value: Any) -> None:
    """Set an option of a frozen configuration."""
    object.__setattr__(config, option, value)


def word(option: str, value: Any, words: Sequence[str]) -> str:
    """A value that must be one of some words. True and False are yes and no."""
    said = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    if said not in words:
        raise unknown(option, said, words)
    return said


def number(option: str, value: Any, low: int, high: int) -> int:
    """A value that must be a whole number within limits."""
    said = str(value)
    if not said.removeprefix("-").isdecimal() or not low <= int(said) <= high:
        raise SparringError(f"{option} must be a number from {low} to {high}, not {value!r}")
    return int(said)


def sides(board: Any, fit: Callable[[int, int], bool], expected: str) -> tuple[int, int]:
    """The two sides of a board such as 11x11."""
    said = str(board).split("x")
    if len(said) != 2 or not all(side.isdecimal() for side in said) or not fit(int(said[0]), int(said[1])):
        raise SparringError(f"no board {board!r}; expected {expected}")
    return int(said[0]), int(said[1])
