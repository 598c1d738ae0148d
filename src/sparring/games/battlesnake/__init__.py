from typing import Any


def __getattr__(name: str) -> Any:
    """Find the class for metadata that was installed before it moved to game.py."""
    if name == "Battlesnake":
        from sparring.games.battlesnake.game import Battlesnake

        return Battlesnake
    raise AttributeError(name)
