"""Options of games as people write them: every value may come as a text."""

from typing import Any

from sparring.errors import SparringError


def number(option: str, value: Any, low: int, high: int) -> int:
    """A whole number within its limits."""
    said = str(value)
    if not said.removeprefix("-").isdecimal() or not low <= int(said) <= high:
        raise SparringError(f"{option} must be a number from {low} to {high}, not {value!r}")
    return int(said)
