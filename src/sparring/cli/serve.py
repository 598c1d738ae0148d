"""spar serve"""

import click

from sparring.cli import parsing

host = click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen: 0.0.0.0 is everywhere.")


@click.group()
def command() -> None:
    """Answer over HTTP until Ctrl-C: as a snake, or with games."""


@command.command()
@click.option("--agent", "spec", required=True, metavar="SPEC", help="Who plays.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 is any that is free.")
@host
def battlesnake(spec: str, port: int, host: str) -> None:
    """A Battlesnake, by the official webhook API.

    \b
    spar serve battlesnake --agent random_safe
    spar serve battlesnake --agent my_snake.py --port 8001
    """
    from sparring.games.battlesnake.network.webhook import SnakeServer
    from sparring.web.listen import listen

    server = SnakeServer(spec, warn=lambda told: click.echo(told, err=True))
    server.warm_up()
    listen(server.app(), host, port, lambda url: f"{spec} plays at {url}; try: spar snake arena {url} random_safe")


@command.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 is any that is free.")
@host
@parsing.store
def games(port: int, host: str, store: str | None) -> None:
    """The kept games of Battlesnake, for the official board viewer.

    \b
    spar serve games
    """
    from sparring.games.battlesnake.network.viewer import app
    from sparring.web.listen import listen

    with parsing.opened(store, new=False) as kept:
        path = kept.path
    listen(app(path), host, port, lambda url: f"games of {path} are at {url}; open that page to choose one")
