"""Files of what was learned from play: how far learning has come, by which settings, and the numbers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring.core.errors import SparringError
from sparring.core.files import arrays, written_whole


class Trial(NamedTuple):
    """The share of games that a learner wins against random players, after so many games of learning."""

    games: int
    won: float  # with its 95 % interval
    low: float
    high: float


@dataclass(frozen=True)
class LearnedFile:
    """The content of a file."""

    settings: Mapping[str, Any]
    """The settings that made it, with the game's options; from these follow the numbers to the last bit."""
    command: str
    games: int
    """Games learned from so far."""
    curve: list[Trial]
    numbers: Mapping[str, Any]

    def save(self, file: Path) -> None:
        """Write the file whole or not at all."""
        with written_whole(file) as part, part.open("wb") as stream:
            np.savez_compressed(
                stream,
                about=np.array(json.dumps({"settings": dict(self.settings), "command": self.command})),
                games=np.array(self.games),
                curve=np.array(self.curve, np.float64).reshape(-1, len(Trial._fields)),
                **self.numbers,
            )

    @classmethod
    def load(cls, file: Path) -> "LearnedFile":
        """Read a file; ValueError if it is damaged or something else."""
        kept = arrays(file)
        try:
            about = json.loads(str(kept.pop("about")))
            games, curve = int(kept.pop("games")), kept.pop("curve")
            settings, command = about["settings"], about.get("command", "")
            return cls(settings, command, games, [Trial(int(row[0]), *map(float, row[1:])) for row in curve], kept)
        except (KeyError, IndexError, TypeError) as error:
            raise ValueError(f"nothing learned: {error}") from error

    def refuse_other(self, file: Path, settings: Mapping[str, Any]) -> None:
        """An error if learning with these settings cannot go on from here."""
        before, now = ({**one, **one["options"], "options": None} for one in (self.settings, settings))
        for name, value in now.items():
            if before.get(name) != value:
                told = f"{file} was learned with {name} {before.get(name)}, not {value}"
                raise SparringError(f"{told}; name another file, or delete it")
