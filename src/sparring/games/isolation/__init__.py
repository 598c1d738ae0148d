from typing import Any


def __getattr__(name: str) -> Any:
    """Find the class for metadata that was installed before it moved to game.py."""
    if name == "Isolation":
        from sparring.games.isolation.game import Isolation

        return Isolation
    raise AttributeError(name)
