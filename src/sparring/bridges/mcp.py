"""A server of the Model Context Protocol, through which an assistant runs experiments: `spar mcp`.

Each tool runs a command of `spar` in a process of its own and returns what it prints. So a tool that hangs can be
ended, and what it prints never mixes with the protocol.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from sparring import __version__
from sparring.core.errors import SparringError
from sparring.games import registry

MOST_SECONDS = 600
"""The longest time of a tool. A match that takes longer is kept as far as it came; asked again, it goes on."""
MOST_TEXT = 20_000
GRACE_SECONDS = 10
ABOUT = """Sparring compares game-playing agents. An agent is a text such as `random`, `voronoi,nodes=2000` or a file
such as `my_idea.py`. `games` and `agents` list what there is. Every match is kept: `report` shows it again, `blunders`
finds where its games were lost, and `explain` shows why an agent moves as it does."""
server = MCPServer("sparring", version=__version__, instructions=ABOUT)


async def spar(*words: str) -> str:
    """Run a command and return what it prints. Raise ToolError with its one line if it fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sparring", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        printed, errors = await asyncio.wait_for(process.communicate(), MOST_SECONDS)
    except (TimeoutError, asyncio.CancelledError) as error:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), GRACE_SECONDS)
        except TimeoutError:
            process.kill()
        if isinstance(error, asyncio.CancelledError):
            raise
        raise ToolError(f"not finished after {MOST_SECONDS} seconds; ask for fewer games") from error
    if process.returncode:
        raise ToolError(errors.decode(errors="replace").strip()[-MOST_TEXT:])
    text = printed.decode(errors="replace")
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n... (cut)"


def plain(what: str, words: Sequence[str]) -> list[str]:
    """Texts that a command takes as arguments, not as options."""
    for word in words:
        if word.startswith("-"):
            raise ToolError(f"{what} does not begin with -: {word!r}")
    return list(words)


def game_words(game: str, options: Mapping[str, str] | None) -> list[str]:
    """A game and its options for a command. Other options of the command, such as files to write, are not offered."""
    try:
        return [game, *registry.game(game, **(options or {})).option_words()]
    except SparringError as error:
        raise ToolError(str(error)) from error


@server.tool()
async def games() -> str:
    """List the installed games with their options."""
    return await spar("games")


@server.tool()
async def agents(game: str) -> str:
    """List the agents and heuristics of a game, and the options of each search."""
    return await spar("agents", *game_words(game, None))


@server.tool()
async def match(
    game: str, agents: list[str], games: int = 200, seed: int = 1, options: dict[str, str] | None = None
) -> str:
    """Compare two agents, or as many as the game seats: a verdict with its uncertainty. `options` are those of the
    game, such as {"board": "5x5"}."""
    words = [*game_words(game, options), *plain("an agent", agents)]
    return await spar("match", *words, f"--games={games}", f"--seed={seed}")


@server.tool()
async def explain(
    game: str, agent: str, position: str = "", player: str = "", options: dict[str, str] | None = None
) -> str:
    """Show why an agent plays its move in a position: the score, terms and line of each candidate. Without a position,
    the opening is taken; where several players move at once, `player` names one, such as A."""
    at = [f"--{name}={value}" for name, value in (("position", position), ("player", player)) if value]
    return await spar("explain", *game_words(game, options), f"--agent={agent}", *at)


@server.tool()
async def report(experiment: str = "last") -> str:
    """Show a kept experiment: verdict, ratings, cross-table. `last` is the one played last."""
    return await spar("report", *plain("an experiment", [experiment]))


@server.tool()
async def blunders(experiment: str = "last", agent: str = "", most: int = 20) -> str:
    """Find where the games of an experiment were lost, and the better move there."""
    chosen = [f"--agent={agent}"] if agent else []
    return await spar("blunders", *plain("an experiment", [experiment]), *chosen, f"--most={most}")
