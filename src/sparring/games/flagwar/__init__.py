from typing import Any


def __getattr__(name: str) -> Any:
    """Find the class for metadata that was installed before it moved to game.py."""
    if name == "FlagWar":
        from sparring.games.flagwar.game import FlagWar

        return FlagWar
    raise AttributeError(name)
