from pathlib import Path

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("agents", nargs=-1, type=click.UNPROCESSED)
@click.option("--games", default=200, show_default=True, help="An even number: each opening is played with both sides.")
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
    """Let two agents meet: which one is better, and how sure is that?

    \b
    spar match isolation my_file.py:my_idea next_moves
    spar match isolation alphabeta:voronoi,nodes=3000 alphabeta:improved,nodes=3000 --games 2000
    spar match isolation voronoi improved --board 6x6 --opening free
    """
    made, names = parsing.game_and_rest(game, agents)
    if len(names) != 2:
        raise click.UsageError(f"a match takes two agents, not {len(names)}.", click.get_current_context())
    parsing.play_and_show(made, names, games, seed, workers, limit, strict, as_json, save)


