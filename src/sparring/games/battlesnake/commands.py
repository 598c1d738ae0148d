"""The commands of Battlesnake: spar snake and spar serve."""

import time
from typing import Any

import click
from click.core import ParameterSource

from sparring.cli import options, output

host = click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen: 0.0.0.0 is everywhere.")


@click.group()
def snake() -> None:
    """Play served snakes and write Battlesnake logs."""


@snake.command(context_settings=options.GAME_OPTIONS)
@options.words["agents"]
@options.match_options
@click.option("--timeout", metavar="TIME", help="For answers over the network.  [default: 500ms]")
def arena(agents: tuple[str, ...], timeout: str | None, **given: Any) -> None:
    """Let snakes meet that are served over the network, or agents: who is better, and how do they answer?

    Without --seed every run is of other games, since what is behind an address may be another snake by now.

    \b
    spar snake arena http://127.0.0.1:8000 http://127.0.0.1:8001 --games 20
    spar snake arena http://127.0.0.1:8000 random_safe --timeout 200ms
    """
    from sparring import api
    from sparring.agents.spec import Spec
    from sparring.core.amounts import parse_seconds
    from sparring.core.errors import SparringError

    if click.get_current_context().get_parameter_source("seed") == ParameterSource.DEFAULT:
        given["seed"] = int(time.time())
    _, names = options.parse_game_and_rest("battlesnake", agents)
    made, _ = options.parse_game_and_rest("battlesnake", ["--players", str(len(names)), *agents])
    if timeout:
        parse_seconds("timeout", timeout)
        if not any(Spec.parse(name).remote for name in names):
            raise SparringError("--timeout is for answers over the network, and no snake here has an address")
        asked = [(name, Spec.parse(name)) for name in names]
        names = [f"{name},timeout={timeout}" if one.remote and not one.options else name for name, one in asked]
    output.play(api.match, made, names, given)


@snake.command()
@click.argument("source")
@click.argument("file")
@click.option("--game", "number", default=1, show_default=True, help="Which game of it.")
@options.store
def log(source: str, file: str, number: int, store: str | None) -> None:
    """Write a kept game as the official command line does, JSON Lines, for whatever reads such logs.

    \b
    spar snake log last game.jsonl --game 3
    """
    from sparring.core.errors import SparringError
    from sparring.games.battlesnake.game import Battlesnake
    from sparring.games.battlesnake.logs import write_log

    played = output.game_of(source, number, store)
    seen = played.positions()
    game = seen[0].game
    if not isinstance(game, Battlesnake):
        raise SparringError(f"{source} is an experiment of {game.name}, not of battlesnake")
    write_log(output.writable_path(file), game, [position.state for position in seen], played.agents)
    print(f"look at it: spar replay {file}")


@click.group()
def serve() -> None:
    """Serve a snake, or kept games, over HTTP until Ctrl-C."""


@serve.command()
@click.option("--agent", "spec", required=True, metavar="SPEC", help="Who plays.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 is any that is free.")
@host
def battlesnake(spec: str, port: int, host: str) -> None:
    """A Battlesnake, by the official webhook API.

    \b
    spar serve battlesnake --agent random_safe
    spar serve battlesnake --agent my_snake.py --port 8001
    """
    from functools import partial

    from sparring.games.battlesnake.network.webhook import SnakeServer
    from sparring.web.http import listen
    from sparring.web.posts import PostProtocol

    server = SnakeServer(spec)
    listen(
        server.app(),
        host,
        port,
        lambda url: f"{spec} plays at {url}; try: spar snake arena {url} random_safe",
        partial(PostProtocol, queue=server.posts),
        server.opened,
    )


@serve.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 is any that is free.")
@host
@options.store
def games(port: int, host: str, store: str | None) -> None:
    """The kept games of Battlesnake, for the official board viewer.

    \b
    spar serve games
    """
    from sparring.games.battlesnake.network.viewer import app
    from sparring.web.http import listen

    with output.opened(store, new=False) as kept:
        path = kept.path
    listen(app(path), host, port, lambda url: f"games of {path} are at {url}; open that page to choose one")
