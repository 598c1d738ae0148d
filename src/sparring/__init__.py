"""Sparring: write a heuristic in plain Python, search it at native speed, and know whether it is really better.

Names are imported when first used, so that `import sparring` and `spar --help` do not wait for the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparring.errors import SparringError as SparringError
    from sparring.terms import Terms as Terms
    from sparring.terms import Weight as Weight
    from sparring.terms import heuristic as heuristic
    from sparring.workbench import ablate as ablate
    from sparring.workbench import agent as agent
    from sparring.workbench import bench as bench
    from sparring.workbench import blunders as blunders
    from sparring.workbench import check as check
    from sparring.workbench import explain as explain
    from sparring.workbench import explain_all as explain_all
    from sparring.workbench import exploit as exploit
    from sparring.workbench import game as game
    from sparring.workbench import grade as grade
    from sparring.workbench import league as league
    from sparring.workbench import learn as learn
    from sparring.workbench import learn_value as learn_value
    from sparring.workbench import match as match
    from sparring.workbench import report as report
    from sparring.workbench import reproduce as reproduce
    from sparring.workbench import run as run
    from sparring.workbench import solve as solve
    from sparring.workbench import suite as suite
    from sparring.workbench import tune as tune

__version__ = "0.1.0"

_HOME = {
    "SparringError": "sparring.errors",
    "Terms": "sparring.terms",
    "Weight": "sparring.terms",
    "heuristic": "sparring.terms",
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
            "learn_value",
            "match",
            "report",
            "reproduce",
            "run",
            "solve",
            "suite",
            "tune",
        ),
        "sparring.workbench",
    ),
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"sparring has no {name!r}")
    return getattr(import_module(_HOME[name]), name)
