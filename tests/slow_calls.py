"""Calls for the processes of a server."""

import os
import time
from typing import Any

from sparring.core.errors import SparringError


def echo(thinker: Any, text: str) -> str:
    return text


def hang(thinker: Any) -> None:
    time.sleep(3600.0)


def die(thinker: Any) -> None:
    os._exit(3)


def fail(thinker: Any) -> None:
    raise SparringError("a lone \ud800")
