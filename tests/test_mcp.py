"""`spar mcp`, asked by the official client over standard input and output."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

pytestmark = pytest.mark.slow


def test_an_assistant_lists_plays_explains_and_reports(tmp_path: Path) -> None:
    async def talk() -> None:
        words = ["-m", "sparring", "mcp"]
        env = {**os.environ, "SPARRING_STORE": str(tmp_path / "games.db")}
        started = StdioServerParameters(command=sys.executable, args=words, env=env)
        async with Client(stdio_client(started)) as client:

            async def ask(tool: str, **given: Any) -> tuple[bool, str]:
                answer = await client.call_tool(tool, given)
                return bool(answer.is_error), "".join(part.text for part in answer.content)

            offered = {tool.name for tool in (await client.list_tools()).tools}
            assert offered == {"games", "agents", "match", "explain", "report", "blunders"}
            assert "isolation: alternating" in (await ask("games"))[1]
            assert "voronoi" in (await ask("agents", game="isolation"))[1]
            small = {"board": "4x4"}
            failed, told = await ask("match", game="isolation", agents=["greedy", "random"], games=8, options=small)
            assert not failed
            assert "8 games" in told
            assert told.splitlines()[0] in (await ask("report"))[1]
            assert "random" in (await ask("blunders", agent="random", most=1))[1]
            _, told = await ask("explain", game="isolation", agent="next_moves,nodes=50", position="d4 e6 f5")
            assert "next_moves" in told
            for given, error in (
                ({"game": "isolaton", "agents": ["random", "random"]}, "did you mean isolation?"),
                (
                    {"game": "isolation", "agents": ["random", "random"], "options": {"save": "x"}},
                    "option of isolation",
                ),
                ({"game": "isolation", "agents": ["--store=/tmp/x", "random"]}, "an agent does not begin with -"),
            ):
                failed, told = await ask("match", **given)
                assert failed
                assert error in told
                assert "Traceback" not in told

    asyncio.run(talk())
