"""Facts about the installed games, kept between runs: to find them all games are imported, which takes a second."""

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from sparring.core import plugins
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write, sealed, unsealed, user_cache

if TYPE_CHECKING:
    from sparring.games.contract import Game


def remembered(find: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what a function returns, in JSON's types, until an installed file changes.

    What it returns after a warning was printed, such as one about a broken package, is not kept.
    """

    @wraps(find)
    def recall(*words: str) -> Any:
        file, stamp, key = user_cache() / "listings.json", _stamp(), " ".join([find.__name__, *words])
        kept: dict[str, Any] = {}
        with suppress(OSError, ValueError):
            kept = json.loads(unsealed(file.read_bytes(), stamp))
        if key not in kept:
            kept[key] = find(*words)
            if not plugins.warn_once.cache_info().currsize:
                with suppress(OSError, SparringError):
                    file.parent.mkdir(parents=True, exist_ok=True)
                    with atomic_write(file) as place:
                        place.write_bytes(sealed(json.dumps(kept).encode(), stamp))
        return kept[key]

    return recall


def _stamp() -> str:
    """Hash the places, sizes and times of all files of Sparring and of the plug-ins."""
    files = [file for root in sorted(plugins.roots() | {plugins.OURS}) for file in plugins.files_of(root)]
    told = [(str(file), (known := file.stat()).st_size, known.st_mtime_ns) for file in files]
    return hashlib.blake2b(repr((sys.version, told)).encode(), digest_size=16).hexdigest()


@remembered
def games() -> list[dict[str, Any]]:
    """Return each game with its kind and its options."""
    from sparring.games.registry import working

    return [{"game": one.name, "kind": str(one.kind), "options": one.options()} for one in working()]


@remembered
def about(name: str) -> dict[str, Any]:
    from sparring.games import registry

    game = registry.game(name)
    from sparring.agents.spec import example, heuristics, named_agents

    choices = {option: ", ".join(words) for option, words in game.words.items()}
    choices |= {option: f"{low} to {high}" for option, (low, high) in game.numbers.items()}
    return {
        "game": game.name,
        "kind": str(game.kind),
        "options": game.options(),
        "choices": choices,
        "endings": list(game.endings),
        "agents": len(named_agents(game)),
        "heuristics": len(heuristics(game)),
        "can": _abilities(game),
        "example": f"spar match {game.name} {example(game)}",
    }


def _abilities(game: "Game") -> dict[str, str]:
    """Return the commands that not every game has, and what each does here."""
    from sparring.agents.spec import has_exploiter
    from sparring.analysis.suite import cases
    from sparring.games.capabilities import Solver, offered

    can = {"spar explain, spar blunders": "show why an agent plays a move, and which move lost a game"}
    can["spar tune, spar ablate"] = "find better weights, and what each term is worth"
    if offered(game, Solver):
        can["spar solve, spar grade"] = "give exact answers, and measure agents by them"
    with suppress(SparringError):
        can["spar suite"] = f"try agents on {len(cases(game.name))} positions with known answers"
    if has_exploiter(game):
        can["spar exploit"] = "play an agent against an opponent that knows it"
    return can


@remembered
def agents(name: str) -> dict[str, Any]:
    """Return the agents, heuristics and searches of a game with their descriptions."""
    from sparring.games.registry import game

    made = game(name)
    from sparring.agents.spec import example, heuristics, named_agents, searches

    known = heuristics(made)
    return {
        "agents": named_agents(made),
        "heuristics": {name: one.description for name, one in known.items()},
        "weights": {
            name: {term: weight.default for term, weight in one.weights.items()} for name, one in known.items()
        },
        "searches": {**searches(made)},
        "example": example(made),
    }
