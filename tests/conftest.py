"""Tests keep their games to themselves; those of the page share a server, and each file of them a browser."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

import browser as browsers


def pytest_configure(config: pytest.Config) -> None:
    folder = tempfile.mkdtemp(prefix="sparring-tests-")
    os.environ["SPARRING_STORE"] = f"{folder}/games.db"
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browsers.Web]:
    with browsers.web(tmp_path_factory.mktemp("web")) as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Not longer than a file: the loop that it runs would be in the way of tests with loops of their own."""
    with browsers.chromium() as started:
        yield started


@pytest.fixture
def page(browser: Any, web: browsers.Web) -> Iterator[Any]:
    with browsers.opened(browser, web.url) as started:
        yield started
