"""Experiments of the store: what they prove, their games, and the same told again whenever something was played."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.agents.spec import judged_by
from sparring.analysis.report import Report
from sparring.api import report
from sparring.arena.referee import PlayedGame
from sparring.arena.result import Tournament
from sparring.arena.store import Store
from sparring.core import defaults
from sparring.core.errors import SparringError
from sparring.games.registry import game as make_game
from sparring.web import bodies
from sparring.web.answers import Refusal
from sparring.web.recent import Recent

if TYPE_CHECKING:
    from sparring.web.server import Server

GAMES_A_PAGE = 100
POINTS = 400
"""Of the path of a sequential test."""
HELD = 4
"""Experiments whose results stay in memory."""
PAUSE, HEARTBEAT = 0.5, 15.0
"""Seconds between two looks for news, and between two signs of life when there are none."""
SHARE = 4
"""News are told so seldom that working them out takes at most one of so many parts of the time."""
MOST_LISTENERS = 32


class Reports:
    """What was worked out last, as long as nothing more was played."""

    def __init__(self) -> None:
        self._held: Recent[str, tuple[int, Report]] = Recent(HELD)
        self.listeners = 0

    def of(self, server: "Server", start: str) -> Report:
        with Store(server.store) as kept:
            id = found(kept, start)
            sheets, held = kept.sheet_count(id), self._held.get(id)
            if held and held[0] == sheets:
                return held[1]
            made = Report(report(id, store=kept), kept.begun(id))
        self._held.keep(id, (sheets, made))
        return made


def found(kept: Store, start: str) -> str:
    try:
        return kept.find(start)
    except SparringError as error:
        raise Refusal(404, str(error)) from error


def experiments(server: "Server") -> list[bodies.Listed]:
    """The latest first."""
    with Store(server.store) as kept:
        listed = kept.listed()
    return [
        bodies.Listed(
            id=one.id,
            begun=one.begun,
            title=one.title,
            game=one.game,
            agents=list(one.agents),
            games=one.kept,
            running=server.running(one.id),
        )
        for one in reversed(listed)
    ]


# One of them


def experiment(server: "Server", start: str) -> bodies.Experiment:
    told = server.reports.of(server, start)
    result = told.result
    contest, found = result.contest, told.summary
    verdict = [found.verdict, *found.evidence, *found.metrics, found.test, found.repeats, *found.failures]
    running = result.played < result.due and server.running(result.id)
    return bodies.Experiment(
        id=result.id,
        title=contest.experiment.title,
        game=contest.game.name,
        options=contest.game.options(),
        command=result.command(),
        seed=contest.experiment.seed,
        done=result.played,
        total=result.due,
        verdict=[line for line in verdict if line],
        ranking=(ranking := _ranking(result)),
        cross=_cross(told, [one.name for one in ranking]),
        llr=_llr(result),
        endings=[bodies.Ending(reason=ending, count=count) for ending, count in _endings(result).items()],
        failures=[
            bodies.Failure(agent=one.agent, detail=one.detail, number=one.number, output=one.output)
            for one in told.faults
        ],
        running=running,
        ours=running and server.matches.is_ours(result.id),
    )


def _ranking(result: Tournament) -> list[bodies.Ranked]:
    """Best first; before the first game is over, as they were named."""
    specs = {member.name: member.spec for member in result.contest.members}
    if not result.played:
        nothing: dict[str, Any] = dict.fromkeys(("elo", "low", "high", "score"))
        return [bodies.Ranked(name=name, spec=spec, games=0, **nothing) for name, spec in specs.items()]
    two = result.contest.game.seats == 2
    rated: Any = result.ratings if two else result.placings
    return [
        bodies.Ranked(
            name=one.name,
            spec=specs[one.name],
            elo=one.elo,
            low=one.low,
            high=one.high,
            score=one.score if two else one.wins,
            games=one.games if two else one.seats,
        )
        for one in rated
    ]


def _cross(told: Report, names: list[str]) -> list[list[bodies.Met | None]]:
    """Of two players the points of one against the other; of more, how often it was ahead."""
    met = told.meetings if told.result.played else {}
    pairs = {pair: bodies.Met(games=games, score=score) for pair, (games, score) in met.items()}
    return [[pairs.get((one, other)) for other in names] for one in names]


def _llr(result: Tournament) -> bodies.SequentialTest | None:
    test = result.contest.experiment.sprt
    if not test or not result.standing:
        return None
    contest, path = result.contest, result.standing.path
    games = sum(contest.games_a_block(table) for table in range(len(contest.tables)))
    places: Any = np.unique(np.linspace(0, len(path) - 1, POINTS).astype(int)) if len(path) else []
    lower, upper = test.bounds
    points = [(games * (int(place) + 1), float(path[place])) for place in places]
    return bodies.SequentialTest(path=points, lower=lower, upper=upper, hypotheses=test.words[:2], verdict=result.why())


def _endings(result: Tournament) -> dict[str, int]:
    return result.endings() if result.played else {}


# Its games


def games(server: "Server", start: str, asked: bodies.GamesAsked) -> bodies.GamesListed:
    """Those that count, of two agents or of one or of all, in the order in which they are numbered."""
    told = server.reports.of(server, start)
    result = told.result
    wanted = {name for name in (asked.a, asked.b) if name is not None}
    if strangers := wanted - set(result.names):
        raise SparringError(f"{min(strangers)!r} does not take part in {result.id}")
    numbers = np.sort(np.concatenate([np.zeros(0, np.int64), *_numbers(result, wanted)]))
    page = numbers[(asked.page - 1) * GAMES_A_PAGE : asked.page * GAMES_A_PAGE]
    seen = [told.seen(*result.place(int(number))) for number in page]
    return bodies.GamesListed(
        games=[
            bodies.GameListed(
                number=one.number, agents=list(one.agents), scores=list(one.scores), turns=one.length, reason=one.ending
            )
            for one in seen
        ],
        pages=-(-len(numbers) // GAMES_A_PAGE),
    )


def _numbers(result: Tournament, wanted: set[str]) -> list[Any]:
    """Of the games at each table where all of some agents sit."""
    found = []
    for table, seated in enumerate(result.contest.tables):
        if wanted <= {result.names[number] for number in seated}:
            blocks, results = result.blocks[table]
            first, stride = result.number(table, 0, 0), result.number(table, 1, 0) - result.number(table, 0, 0)
            found.append((first + stride * blocks[:, None] + np.arange(results.shape[1])).ravel())
    return found


def game(server: "Server", start: str, number: int) -> bodies.GameKept:
    """One game with what its agents thought, if that was kept."""
    result = _around(server, start, number)
    played, contest = result.game(number), result.contest
    table, _, place = result.place(number)
    names = [contest.names[agent] for agent in contest.seatings(table)[place]]
    decisions = list(_thoughts(played))
    failed = bodies.Failed(player=played.failed, detail=played.reason, output=played.output)
    return bodies.GameKept(
        **told_game(played, names),
        decisions=decisions,
        events=[_override(one) for one in decisions if one["notes"].get("override")],
        failed=failed if played.failed >= 0 else None,
    )


def _around(server: "Server", start: str, number: int) -> Tournament:
    """The experiment of a game. Of its sheets only that of the game is read."""
    with Store(server.store) as kept:
        id = found(kept, start)
        contest = kept.contest(id)
        table, block, _ = Tournament(contest, ()).place(number)
        sheet = kept.sheet(id, table, block) if block < contest.blocks(table) else None
    if sheet is None:
        raise Refusal(404, f"game {number} of {id} was not played, or not yet")
    return Tournament(contest, (sheet,))


def blunders(server: "Server", start: str, number: int) -> list[bodies.Noted]:
    """Where a game was lost: the worst decision of everybody who lost it."""
    from sparring.analysis.blunders import blunders as worst

    result = _around(server, start, number)
    game = result.contest.game
    told = worst(result, server.agents.agent(game, judged_by(game)), number, None, game.seats, defaults.SEED)
    return [bodies.Noted(step=one.step, kind="blunder", text=one.told) for one in told.found]


def told_game(played: PlayedGame, names: list[str]) -> dict[str, Any]:
    """What `GameTold` has of a finished game. A last step in which not all have acted led nowhere and is left out."""
    game = make_game(played.game, **played.options)
    own = game.start(played.seed).text == played.start
    return {
        "game": played.game,
        "options": game.chosen(),
        "seed": played.seed,
        "start": None if own else played.start,
        "moves": [{str(turn.player): turn.action for turn in turns} for _, turns in played.steps()[:-1]],
        "agents": names,
        "scores": list(played.scores),
        "reason": played.reason,
    }


def _thoughts(played: PlayedGame) -> Any:
    """The decisions that were kept, each with the step in which it was made."""
    place = 0
    for step, (_, turns) in enumerate(played.steps()[:-1], 1):
        for turn, decision in zip(turns, played.decisions[place : place + len(turns)], strict=False):
            yield decision | {"step": step, "player": turn.player}
        place += len(turns)


def _override(decision: dict[str, Any]) -> bodies.Noted:
    rejected = decision["notes"].get("rejected")
    told = f"{decision['move']}{f' in place of {rejected}' if rejected else ''}"
    return bodies.Noted(step=decision["step"], kind="override", text=told)


# Live


def _standing(server: "Server", id: str) -> tuple[int, bool]:
    """What changes whenever there is news. Ask on a thread: the first look at the store may have to wait."""
    return server.watch.sheets(id), server.running(id)


async def events(server: "Server", asked: bodies.EventsAsked) -> AsyncIterator[bytes]:
    """The experiment as it stands, and again whenever that has changed."""
    reports = await asyncio.to_thread(lambda: server.reports)
    if reports.listeners >= MOST_LISTENERS:
        raise Refusal(429, f"{MOST_LISTENERS} pages listen already; close some of them")
    seen, id = None, asked.experiment
    reports.listeners += 1
    try:
        quiet = time.monotonic()
        while True:
            started = time.monotonic()
            now = await asyncio.to_thread(_standing, server, id)
            if now != seen:
                told = await asyncio.to_thread(experiment, server, id)
                id = told.id
                yield b"data: " + told.model_dump_json(exclude_defaults=True).encode() + b"\n\n"
                seen, quiet = now, time.monotonic()
            elif started - quiet > HEARTBEAT:
                yield b": nothing new\n\n"
                quiet = started
            await asyncio.sleep(max(PAUSE, SHARE * (time.monotonic() - started)))
    finally:
        reports.listeners -= 1
