"""A store for each run of the tests, a web server for all tests of the page, and a browser for each file of them."""

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import browser as browsers


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--torture", action="store_true", help="Attack as often as `make torture` does.")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script; tests send Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = tempfile.mkdtemp(prefix="sparring-tests-")
    os.environ["SPARRING_STORE"] = f"{folder}/games.db"
    Path(folder, "games.secret").write_bytes(bytes(32))  # games of users' agents are the same in every run of the tests
    gc.set_threshold(100_000, 50, 50)  # else a tenth of the time of compiling goes into it
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture
def attacks(request: pytest.FixtureRequest) -> int:
    """The number of attacks of a test with the mark `torture(usual, long)`."""
    usual, long = request.node.get_closest_marker("torture").args
    return int(long if request.config.getoption("torture") else usual)


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browsers.Web]:
    with browsers.web(tmp_path_factory.mktemp("web")) as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for one file. Its event loop would disturb tests in other files that run loops of their own."""
    with browsers.chromium() as started:
        yield started


@pytest.fixture
def page(browser: Any, web: browsers.Web) -> Iterator[Any]:
    with browsers.opened(browser, web.url) as started:
        yield started
