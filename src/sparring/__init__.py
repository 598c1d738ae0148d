"""Sparring: write a heuristic in plain Python, search it at native speed, and know whether it is really better.

Names are imported when first used, so that `import sparring` and `spar --help` do not wait for the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparring.api import *  # noqa: F403
    from sparring.arena.store import Store as Store
    from sparring.core.errors import SparringError as SparringError
    from sparring.core.terms import Terms as Terms
    from sparring.core.terms import Weight as Weight
    from sparring.core.terms import heuristic as heuristic

__version__ = "0.2.0"

_NAMES = {
    "sparring.arena.store": "Store",
    "sparring.core.errors": "SparringError",
    "sparring.core.terms": "Terms Weight heuristic",
    "sparring.api": "ablate again agent bench blunders check explain explain_all exploit game grade league learn match "
    "report reproduce run solve suite tune",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"sparring has no {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
