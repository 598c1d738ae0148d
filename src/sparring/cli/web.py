"""spar web"""

import os
import re
import secrets
from pathlib import Path

import click

from sparring.cli import parsing
from sparring.core.errors import SparringError


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 is any that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Elsewhere only who has a token may enter.")
@click.option("--token", metavar="TEXT", help="What must be known to enter.  [default: none here, else a new one]")
@click.option("--folder", metavar="DIR", help="Your own heuristics and agents, to be edited and tried on the page.")
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@parsing.store
def command(port: int, host: str, token: str | None, folder: str | None, no_browser: bool, store: str | None) -> None:
    """Open the page: play, replay, understand, compare, write. Until Ctrl-C.

    \b
    spar web
    spar web --folder my_agents
    """
    from sparring.web.app import app
    from sparring.web.guard import Door, is_loopback
    from sparring.web.listen import listen
    from sparring.web.server import Server

    token = token or ("" if is_loopback(host) else secrets.token_urlsafe(16))
    if not re.fullmatch(r"[\w-]*", token, re.ASCII):
        raise SparringError("a token is made of letters, digits, - and _")
    games = store or os.environ.get("SPARRING_STORE")
    server = Server(Path(games).resolve() if games else None, _entered(folder) if folder else None)

    def told(url: str) -> str:
        link = f"{url}/?token={token}" if token else url
        if not no_browser:
            click.launch(link)
        return f"the page is at {link}"

    listen(app(server, Door(host, token)), host, port, told)


def _entered(folder: str) -> Path:
    """The user's folder, from now on the one in which everything runs, so that files are named as in a terminal."""
    home = Path(folder).resolve()
    try:
        os.chdir(home)
    except OSError as error:
        raise SparringError(f"no folder {folder}: {error.strerror}; name one that exists") from error
    return home
