"""Amounts as people write them: 20k, 150ms, 512MB."""

import math
import re
from numbers import Integral

from sparring.core.defaults import LIMITS
from sparring.core.errors import SparringError


def parse_number(what: str, text: str) -> float:
    """A number from a text such as 0.5, 20000, 20k or 1e6."""
    shape = re.fullmatch(r"([+-]?\d*\.?\d+(?:e[+-]?\d+)?)([kM]?)", text)
    value = float(shape[1]) * {"": 1, "k": 1e3, "M": 1e6}[shape[2]] if shape else math.nan
    if not math.isfinite(value):
        raise SparringError(f"{what} must be a number, such as 0.5 or 20k, not {text or 'nothing'!r}")
    return value


def parse_whole_number(what: str, given: object, least: int = 1, most: float = 1e15) -> int:
    """A whole number within its limits, from a number or from a text such as 20k."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        value: float = int(given)
    else:
        value = parse_number(what, given if isinstance(given, str) else repr(given))
    if not least <= value <= most or value != int(value):
        named = "1e15" if most == 1e15 else most
        raise SparringError(f"{what} must be a whole number from {least} to {named}, not {given!r}")
    return int(value)


def setting(name: str, given: object, what: str = "") -> int:
    """A setting that is a whole number within its own limits; `what` is its name if that differs."""
    return parse_whole_number(what or name, given, *LIMITS.get(name, ()))


def parse_seconds(what: str, text: str) -> float:
    """Seconds from a text such as 150ms or 2s."""
    shape = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s)", text)
    seconds = float(shape[1]) * (0.001 if shape[2] == "ms" else 1) if shape else 0.0
    if not 0 < seconds <= 3600:
        raise SparringError(f"{what} must be such as 150ms or 2s, not {text!r}")
    return seconds


def parse_bytes(what: str, text: str) -> int:
    """Bytes from a text such as 512MB or 1GB."""
    shape = re.fullmatch(r"(\d+)\s*(kB|MB|GB)", text)
    size = int(shape[1]) << {"kB": 10, "MB": 20, "GB": 30}[shape[2]] if shape else 0
    if not 0 < size <= 1 << 40:
        raise SparringError(f"{what} must be such as 512MB or 1GB, not {text!r}")
    return size
