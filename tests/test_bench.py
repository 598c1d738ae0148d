"""One number that tells whether play changed."""

import json
from pathlib import Path

import pytest

import sparring

SIGNATURES = json.loads((Path(__file__).parent / "data" / "signatures.json").read_text())


@pytest.mark.slow
def test_every_game_plays_as_its_stored_signature_says() -> None:
    """A refactoring must not change it. If play is meant to change, put what `spar bench` prints in the file."""
    from sparring.games.registry import names

    assert {name: sparring.bench(name).signature for name in names()} == SIGNATURES


def test_the_signature_tells_boards_apart() -> None:
    assert sparring.bench(sparring.game("isolation", board="6x6")).signature != SIGNATURES["isolation"]
