"""Logs of games, read by the installed game that recognises them."""

import json
from pathlib import Path
from typing import Any

from sparring.core.errors import SparringError
from sparring.games import registry
from sparring.games.capabilities import LoggedGame, LogReader, offered


def readers() -> list[LogReader]:
    found = (offered(game, LogReader) for game in registry.working())
    return [reader for reader in found if reader]


def load(file: Path | str) -> LoggedGame:
    """The game of a log file."""
    return read(text_of(Path(file), f"expected {expected()}"), str(file))


def text_of(file: Path, remedy: str) -> str:
    if not file.is_file():
        raise SparringError(f"no file {file}; {remedy}")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SparringError(f"{file} is not a text in UTF-8") from error


def read(text: str, file: str) -> LoggedGame:
    """The game of a log. Messages call it `file`."""
    for reader in readers():
        if reader.is_log(text):
            return reader.read_log(text, file)
    raise SparringError(f"{file} is no log of a game; expected {expected()}")


def expected() -> str:
    """The kinds of logs that can be read, for messages."""
    return " or ".join(reader.LOGS for reader in readers())


def first_json_object(text: str) -> dict[str, Any]:
    """The object in the first line of a log in JSON Lines; an empty object if there is none."""
    try:
        found = json.loads(text.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
