"""Files with the result of learning: progress, settings and the learned numbers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring.core.errors import SparringError
from sparring.core.files import arrays, atomic_write


class Trial(NamedTuple):
    """A point of a learning curve: the share of games won against random players after some games of learning."""

    games: int
    won: float
    low: float  # of the 95 % interval
    high: float


@dataclass(frozen=True)
class LearningFile:
    """The content of a file."""

    settings: Mapping[str, Any]
    """The settings of the learner and the options of its game. The same settings give the same numbers, bit for bit."""
    command: str
    games: int
    """How many games it has learned from so far."""
    curve: list[Trial]
    numbers: Mapping[str, Any]

    def save(self, file: Path) -> None:
        """Write the file, whole or not at all."""
        with atomic_write(file) as part, part.open("wb") as stream:
            np.savez_compressed(
                stream,
                about=np.array(json.dumps({"settings": dict(self.settings), "command": self.command})),
                games=np.array(self.games),
                curve=np.array(self.curve, np.float64).reshape(-1, len(Trial._fields)),
                **self.numbers,
            )

    @classmethod
    def load(cls, file: Path) -> "LearningFile":
        """Read a file. Raise ValueError if it is damaged or of another kind."""
        kept = arrays(file)
        try:
            about = json.loads(str(kept.pop("about")))
            games, curve = int(kept.pop("games")), kept.pop("curve")
            settings, command = dict(about["settings"]), str(about.get("command", ""))
            if not all(array.dtype.kind in "iuf" and np.isfinite(array).all() for array in kept.values()):
                raise ValueError("not all of it are numbers")
            return cls(settings, command, games, [Trial(int(row[0]), *map(float, row[1:])) for row in curve], kept)
        except (KeyError, IndexError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"nothing learned: {error}") from error

    def refuse_other(self, file: Path, settings: Mapping[str, Any]) -> None:
        """Raise an error if learning with these settings cannot continue from this file."""
        before, now = ({**one, **one["options"], "options": None} for one in (self.settings, settings))
        for name, value in now.items():
            if before.get(name) != value:
                told = f"{file} was learned with {name} {before.get(name)}, not {value}"
                if name == "features_hash":
                    told = f"{settings['features']} has changed since {file} was learned from it"
                raise SparringError(f"{told}; name another file, or delete it")
