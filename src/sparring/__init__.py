"""Sparring: write a heuristic in plain Python, search it at native speed, and know whether it is really better.

Names are imported when first used, so that `import sparring` and `spar --help` do not wait for the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparring.api import ablate as ablate
    from sparring.api import agent as agent
    from sparring.api import bench as bench
    from sparring.api import blunders as blunders
    from sparring.api import check as check
    from sparring.api import explain as explain
    from sparring.api import explain_all as explain_all
    from sparring.api import exploit as exploit
    from sparring.api import game as game
    from sparring.api import grade as grade
    from sparring.api import league as league
    from sparring.api import learn as learn
    from sparring.api import match as match
    from sparring.api import report as report
    from sparring.api import reproduce as reproduce
    from sparring.api import run as run
    from sparring.api import solve as solve
    from sparring.api import suite as suite
    from sparring.api import tune as tune
    from sparring.core.errors import SparringError as SparringError
    from sparring.core.terms import Terms as Terms
    from sparring.core.terms import Weight as Weight
    from sparring.core.terms import heuristic as heuristic

__version__ = "0.1.0"

_HOME = {
    "SparringError": "sparring.core.errors",
    "Terms": "sparring.core.terms",
    "Weight": "sparring.core.terms",
    "heuristic": "sparring.core.terms",
    **dict.fromkeys(
        (
            "ablate",
            "agent",
            "bench",
            "blunders",
            "check",
            "explain",
            "explain_all",
            "exploit",
            "game",
            "grade",
            "league",
            "learn",
            "match",
            "report",
            "reproduce",
            "run",
            "solve",
            "suite",
            "tune",
        ),
        "sparring.api",
    ),
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"sparring has no {name!r}")
    return getattr(import_module(_HOME[name]), name)
