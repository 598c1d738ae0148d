from pathlib import Path

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("agents", nargs=-1, type=click.UNPROCESSED)
@click.option("--games", default=100, show_default=True, help="Games of each pair of agents, an even number.")
@parsing.seed
@parsing.workers
@parsing.limit
@parsing.strict
@parsing.as_json
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False), help="Write the games to a file for `spar replay`.")
def command(
    game: str,
    agents: tuple[str, ...],
    games: int,
    seed: int,
    workers: int | None,
    limit: str | None,
    strict: bool,
    as_json: bool,
    save: Path | None,
) -> None:
    """Let every agent meet every other: ratings and a cross-table.

    \b
    spar league isolation random minimax:open alphabeta:improved alphabeta:voronoi
    """
    made, names = parsing.game_and_rest(game, agents)
    parsing.play_and_show(made, names, games, seed, workers, limit, strict, as_json, save)
