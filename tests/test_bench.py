"""The signature of each game: one number that shows if play changed."""

import json
from pathlib import Path

import pytest

import sparring

SIGNATURES = json.loads((Path(__file__).parent / "data" / "signatures.json").read_text())


@pytest.mark.slow
def test_every_game_has_its_stored_signature() -> None:
    """A refactoring must not change it. After an intended change, put what `spar bench` prints into the file."""
    from sparring.games.registry import names

    assert {name: sparring.bench(name).signature for name in names()} == SIGNATURES


def test_the_signature_tells_boards_apart() -> None:
    assert sparring.bench(sparring.game("isolation", board="6x6")).signature != SIGNATURES["isolation"]
