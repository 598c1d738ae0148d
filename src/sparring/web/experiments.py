"""Calls for experiments: start and stop them, what their games prove, the games, and news while they are played."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

import numpy as np
from starlette.exceptions import HTTPException

from sparring.agents.spec import default_judge
from sparring.analysis.blunders import blunders as find_blunders
from sparring.analysis.report import Report
from sparring.arena.referee import PlayedGame
from sparring.arena.result import Tournament
from sparring.arena.store import Store
from sparring.core import defaults
from sparring.core.errors import SparringError
from sparring.games.registry import game as make_game
from sparring.web import bodies
from sparring.web.server import Server, full_id
from sparring.web.workspace import Thinker, Workspace, set_up

GAMES_PER_PAGE = 100
MAX_POINTS = 400
"""Points of the path of a sequential test."""
POLL_SECONDS, HEARTBEAT_SECONDS = 0.5, 15.0
"""Time between two looks for news, and between two signs of life if there is no news."""
PAUSE_FACTOR = 4
"""After a message the server waits at least so many times as long as the message took to make."""
MAX_LISTENERS = 32


def try_out(server: Thinker, request: bodies.MatchRequest) -> None:
    """Let each agent of a match make a first move. Users' code has ten seconds."""
    for spec in dict.fromkeys(request.agents):
        server.agents.try_out(set_up(request), spec)


def start(server: Server, request: bodies.MatchRequest) -> bodies.IdBody:
    """Start a match, or a league. Its agents are tried out first."""
    return bodies.IdBody(id=server.matches.start(request, set_up(request)))


def stop(server: Server, id: bodies.Id) -> bodies.IdBody:
    """Stop a match that was started here."""
    server.matches.stop(id)
    return bodies.IdBody(id=id)


def experiments(server: Server) -> list[bodies.ExperimentEntryBody]:
    """List the stored experiments, the latest first."""
    with Store(server.store) as store:
        entries = store.listed()
    return [
        bodies.ExperimentEntryBody.model_validate(one._asdict() | {"running": server.running(one.id)})
        for one in reversed(entries)
    ]


def experiment(server: Server, id: bodies.Id) -> bodies.ExperimentBody:
    """Return what an experiment proves so far."""
    report = server.reports.get(id)
    result, summary = report.result, report.summary
    contest, played = result.contest, result.played
    lines = [
        summary.verdict,
        *summary.evidence,
        *summary.metrics,
        summary.test,
        summary.repeats,
        summary.voids,
        *summary.failures,
    ]
    running = played < result.due and server.running(result.id)
    ranking = _ranking(result)
    return bodies.ExperimentBody(
        id=result.id,
        title=contest.experiment.title,
        game=contest.game.name,
        options=contest.game.options(),
        command=result.command(),
        seed=contest.experiment.seed,
        done=played,
        total=result.due,
        verdict=[line for line in lines if line],
        ranking=ranking,
        cross=_cross_table(report, [one.name for one in ranking]),
        llr=_sequential_test(result),
        endings=result.endings(),
        failures=[bodies.FailureBody.model_validate(one) for one in report.faults],
        running=running,
        ours=running and server.matches.running(result.id) is not None,
    )


def _ranking(result: Tournament) -> list[bodies.RankedBody]:
    """Return the agents, best first; before the first game is over, in the order of the experiment."""
    unknown: dict[str, Any] = dict.fromkeys(("elo", "low", "high", "score"))
    specs = {member.name: member.spec for member in result.contest.participants}
    rows = [unknown | {"name": name, "games": 0} for name in specs]
    if result.played:
        rows = [vars(one) for one in (result.ratings if result.contest.game.seats == 2 else result.placings)]
    return [bodies.RankedBody.model_validate(row | {"spec": specs[row["name"]]}) for row in rows]


def _cross_table(report: Report, names: list[str]) -> list[list[bodies.MeetingBody | None]]:
    """Return for each pair the score of the first agent; with more than two players, how often it was ahead."""
    met = report.meetings.items()
    pairs = {pair: bodies.MeetingBody(games=games, score=score) for pair, (games, score) in met}
    return [[pairs.get((one, other)) for other in names] for one in names]


def _sequential_test(result: Tournament) -> bodies.SprtBody | None:
    test = result.contest.experiment.sprt
    if not test or not result.sprt_state:
        return None
    contest, path = result.contest, result.sprt_state.path
    games = sum(contest.games_a_block(table) for table in range(len(contest.tables)))
    shown: Any = np.unique(np.linspace(0, len(path) - 1, MAX_POINTS).astype(int)) if len(path) else []
    lower, upper = test.bounds
    points = [(games * (int(place) + 1), float(path[place])) for place in shown]
    return bodies.SprtBody(path=points, lower=lower, upper=upper, hypotheses=test.words[:2], verdict=result.why())


# Games


def games(server: Server, id: bodies.Id, request: bodies.GamesRequest) -> bodies.GamesBody:
    """List the games of an experiment that count: all, those of one agent, or those of two, by their numbers."""
    report = server.reports.get(id)
    result = report.result
    wanted = {name for name in (request.a, request.b) if name is not None}
    if unknown := wanted - set(result.names):
        raise SparringError(f"{min(unknown)!r} does not play in {result.id}")
    numbers = np.sort(np.concatenate([np.zeros(0, np.int64), *_numbers(result, wanted)]))
    page = numbers[(request.page - 1) * GAMES_PER_PAGE : request.page * GAMES_PER_PAGE]
    entries = [report.seen(*result.place(int(number))) for number in page]
    return bodies.GamesBody(
        games=[bodies.GameEntryBody.model_validate(one) for one in entries], pages=-(-len(numbers) // GAMES_PER_PAGE)
    )


def _numbers(result: Tournament, wanted: set[str]) -> Iterator[Any]:
    """Yield the numbers of the games at each table where all of some agents play."""
    for table, seated in enumerate(result.contest.tables):
        if wanted <= {result.names[number] for number in seated}:
            blocks, results = result.blocks[table]
            first, stride = result.number(table, 0, 0), result.number(table, 1, 0) - result.number(table, 0, 0)
            yield (first + stride * blocks[:, None] + np.arange(results.shape[1])).ravel()


def game(server: Server, id: bodies.Id, number: bodies.Number) -> bodies.StoredGameBody:
    """Return one game of an experiment, with the decisions of its agents if they were stored."""
    result = _result_of_game(server, id, number)
    played, contest = result.game(number), result.contest
    table, block, place = result.place(number)
    names = [contest.names[agent] for agent in contest.seating(table, block, place)]
    decisions = list(_decisions(played))
    failed = bodies.FailedBody(player=played.failed, detail=played.reason, output=played.output)
    return bodies.StoredGameBody(
        **game_fields(played, names),
        decisions=decisions,
        events=[_override(one) for one in decisions if one["notes"].get("override")],
        failed=failed if played.failed >= 0 else None,
    )


def _result_of_game(server: Workspace, prefix: str, number: int) -> Tournament:
    """Return an experiment with only the batch that has a game."""
    with Store(server.store) as store:
        id = full_id(store, prefix)
        contest = store.contest(id)
        table, block, _ = Tournament(contest, ()).place(number)
        batch = store.batch(id, table, block) if block < contest.blocks(table) else None
    if batch is None:
        raise HTTPException(404, f"game {number} of {id} was not played, or not yet")
    return Tournament(contest, (batch,))


def blunders(server: Thinker, id: bodies.Id, number: bodies.Number) -> list[bodies.NoteBody]:
    """Return where a game was lost: the worst decision of each player that lost, according to a judge."""
    result = _result_of_game(server, id, number)
    game = result.contest.game
    found = find_blunders(result, server.agents.get(game, default_judge(game)), number, None, game.seats, defaults.SEED)
    return [bodies.NoteBody(step=one.step, kind="blunder", text=one.told) for one in found.found]


def game_fields(played: PlayedGame, names: list[str]) -> dict[str, Any]:
    """Return the fields of a `FinishedGameBody`. A last step in which only some players moved is left out."""
    game = make_game(played.game, **played.options)
    usual = game.start(played.seed).text == played.start
    return {
        "game": played.game,
        "options": game.chosen(),
        "seed": played.seed,
        "start": None if usual else played.start,
        "moves": [{str(turn.player): turn.action for turn in turns} for _, turns in played.steps()[:-1]],
        "agents": names,
        "scores": list(played.scores),
        "reason": played.reason,
    }


def _decisions(played: PlayedGame) -> Iterator[dict[str, Any]]:
    """Yield the stored decisions, each with its step and player."""
    stored = iter(played.decisions)
    for step, (_, turns) in enumerate(played.steps()[:-1], 1):
        for turn, decision in zip(turns, stored, strict=False):
            yield decision | {"step": step, "player": turn.player}


def _override(decision: dict[str, Any]) -> bodies.NoteBody:
    rejected = decision["notes"].get("rejected")
    text = f"{decision['move']}{f' in place of {rejected}' if rejected else ''}"
    return bodies.NoteBody(step=decision["step"], kind="override", text=text)


# News


async def events(
    server: Server, request: bodies.EventsRequest
) -> Annotated[AsyncIterator[bytes], bodies.ExperimentBody]:
    """Send an experiment, and again whenever it has changed."""
    if server.listeners >= MAX_LISTENERS:
        raise HTTPException(429, f"{MAX_LISTENERS} pages listen already; close some of them")
    server.listeners += 1
    id, sent, quiet_since = request.experiment, None, time.monotonic()
    try:
        while True:
            started = time.monotonic()
            if (state := (server.watcher.batches(id), server.running(id))) != sent:
                body = await asyncio.to_thread(experiment, server, id)
                id = body.id
                yield b"data: " + body.model_dump_json(exclude_defaults=True).encode() + b"\n\n"
                sent, quiet_since = state, time.monotonic()
            elif started - quiet_since > HEARTBEAT_SECONDS:
                yield b": nothing new\n\n"
                quiet_since = started
            await asyncio.sleep(max(POLL_SECONDS, PAUSE_FACTOR * (time.monotonic() - started)))
    finally:
        server.listeners -= 1
