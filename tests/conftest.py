"""Tests keep their games to themselves."""

import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    folder = tempfile.mkdtemp(prefix="sparring-tests-")
    os.environ["SPARRING_STORE"] = f"{folder}/games.db"
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
