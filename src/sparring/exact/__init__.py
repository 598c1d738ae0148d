"""Exact answers: solvers that say who wins, used as oracles."""

from importlib import import_module
from types import ModuleType

from sparring.errors import SparringError


def solver(game: str) -> ModuleType:
    """The module that solves a game."""
    try:
        return import_module(f"sparring.exact.{game}")
    except ModuleNotFoundError as error:
        raise SparringError(f"{game} has no exact solver") from error
