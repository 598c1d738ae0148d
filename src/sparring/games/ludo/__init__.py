from typing import Any


def __getattr__(name: str) -> Any:
    """Find the class for metadata that was installed before it moved to game.py."""
    if name == "Ludo":
        from sparring.games.ludo.game import Ludo

        return Ludo
    raise AttributeError(name)
