"""Whatever a user's agent does costs its own game and nothing else: every mishap has its verdict, and the next game
goes well. The agents misbehave in the first seat only."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.agents.agent import RandomAgent
from sparring.arena.limits import AgentFailure, Limits
from sparring.arena.referee import play, play_block
from sparring.arena.supervisor import Supervisor
from sparring.core.dice import players_dice
from test_supervisor import CHAOS, GAME, first_view, guest, leaving_nobody, moves

pytestmark = pytest.mark.slow

LIMITS = Limits(stall=1.5, memory=256 << 20, output=1 << 20)


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with leaving_nobody(LIMITS) as watched:
        play(GAME, [guest(watched, "tampering.py:honest"), RandomAgent()], 0)  # starts the forkserver
        yield watched


@pytest.fixture(scope="module")
def as_ever(supervisor: Supervisor) -> list[str]:
    """The moves of a game in which nothing goes wrong."""
    return moves(play(GAME, [RandomAgent(), guest(supervisor, "overdue.py:stops_itself")], 1))


MISHAPS = {
    "overdue.py:loops_forever": "stall: no answer after 1.5 s",
    "overdue.py:ignores_signals": "stall: no answer",
    "overdue.py:stops_itself": "stall: no answer",
    "greedy.py:allocates_without_end": "out of memory: MemoryError (greedy.py:18)",
    "greedy.py:keeps_to_the_last_byte": "out of memory: MemoryError",
    "greedy.py:wants_a_terabyte": "out of memory: MemoryError: Unable to allocate 1.00 TiB",
    "greedy.py:starts_threads_without_end": "out of memory: RuntimeError: can't start new thread (greedy.py:",
    "greedy.py:dies_of_its_hoard": "out of memory: its process was ended by SIGABRT",
    "greedy.py:prints_gigabytes": "too much output: it wrote more than 1 MiB",
    "greedy.py:floods_the_disk": "too much output: it wrote more than 1 MiB",
    "deaths.py:raises": "crash: ValueError: no idea what to play (deaths.py:13)",
    "deaths.py:slips": "crash: RuntimeError: nowhere is not legal here",
    "deaths.py:leaves": "crash: SystemExit: had enough (deaths.py:23)",
    "deaths.py:exits_at_once": "crash: its process exited with status 3",
    "deaths.py:segfaults": "crash: its process was ended by SIGSEGV",
    "deaths.py:kills_itself": "crash: its process was ended by SIGKILL",
    "deaths.py:falls_forever": "crash: RecursionError: maximum recursion depth exceeded",
    "deaths.py:asks_the_user": "crash: EOFError: EOF when reading a line (deaths.py:48)",
    "deaths.py:raises_the_unspeakable": "crash: Unspeakable: (a message that cannot be read) (deaths.py:58)",
    "deaths.py:complains_at_length": "crash: RuntimeError: woe! woe! ",
    "deaths.py:kills_the_forkserver": "crash: ",
    "answers.py:nothing": "illegal move: None is not legal here; legal: ",
    "answers.py:a_float": "illegal move: 3.0 is not legal here",
    "answers.py:not_a_number": "illegal move: nan is not legal here",
    "answers.py:a_list": "illegal move: [1] is not legal here",
    "answers.py:yes": "illegal move: True is not legal here",
    "answers.py:an_object": "illegal move: <object object at ",
    "answers.py:no_cell": "illegal move: 1180591620717411303424 is not legal here",
    "answers.py:negative": "illegal move: -1 is not legal here",
    "answers.py:a_novel": "illegal move: eeee",
    "answers.py:no_name": "illegal move: z99 is not legal here",
    "answers.py:the_cell_it_stands_on": "illegal move: ",
    "wires.py:closes_everything": "crash: ",
    "wires.py:hangs_up_and_sleeps": "crash: it closed its connection to the referee",
    "wires.py:talks_garbage": "crash: it sent an invalid answer",
    "wires.py:announces_gigabytes": "crash: it sent an invalid answer",
    "wires.py:nests_deeply": "crash: it sent an invalid answer",
    "wires.py:answers_beforehand": "crash: it sent an invalid answer",
    "wires.py:thinks_negatively": "crash: it sent an invalid decision",
    "wires.py:fails_in_its_own_words": "crash: {'a': 1}",
    "wires.py:scores_in_words": "crash: it sent an invalid decision",
    "wires.py:scores_without_end": "crash: it sent an invalid answer",
    "wires.py:says_nothing": "illegal move: ",
    "wires.py:rewrites_the_rules": "illegal move: 99 is not legal here",
    "families.py:dies_but_its_child_lives": "crash: its process exited with status 7",
    "families.py:bombs": ("stall: no answer", "crash: BlockingIOError"),  # the system may limit processes
}


@pytest.mark.parametrize(("file", "verdict"), MISHAPS.items(), ids=MISHAPS)
def test_a_mishap_costs_its_own_game_and_the_next_goes_well(
    supervisor: Supervisor, as_ever: list[str], file: str, verdict: str | tuple[str, ...]
) -> None:
    rogue = guest(supervisor, file)
    ((lost,), _) = play_block(GAME, [[rogue, RandomAgent()]], 1)
    assert lost.reason.startswith(verdict)
    assert len(lost.reason) < 400
    assert "\n" not in lost.reason
    assert (lost.failed, lost.scores) == (0, (0.0, 1.0))
    after = play(GAME, [RandomAgent(), rogue], 1)
    assert (after.failed, after.reason) == (-1, "no moves left")
    assert moves(after) == as_ever


LOADING = {
    "hangs_while_loading.py": "stall: while loading: no answer after 1.5 s",
    "dies_while_loading.py": "crash: while loading: its process exited with status 5",
    "raises_while_loading.py": f"crash: while loading: {CHAOS / 'raises_while_loading.py'}:3: KeyError: 'best'",
    "hoards_while_loading.py": "out of memory: while loading: ",
    "not_there.py": "crash: while loading: no file ",
}


@pytest.mark.parametrize(("file", "verdict"), LOADING.items(), ids=LOADING)
def test_a_file_that_cannot_be_loaded_loses_the_game(supervisor: Supervisor, file: str, verdict: str) -> None:
    lost = play(GAME, [RandomAgent(), supervisor.guest(GAME, f"{CHAOS / file}")], 1)
    assert lost.reason.startswith(verdict)
    assert (lost.failed, lost.scores) == (1, (1.0, 0.0))


def test_what_it_printed_last_is_kept_with_its_failure(supervisor: Supervisor) -> None:
    assert (
        "reading the weights"
        in play(GAME, [supervisor.guest(GAME, f"{CHAOS / 'raises_while_loading.py'}"), RandomAgent()], 1).output
    )
    raised = play(GAME, [guest(supervisor, "deaths.py:raises"), RandomAgent()], 1).output
    assert 'deaths.py", line 13, in raises' in raised
    flood = play(GAME, [guest(supervisor, "greedy.py:prints_gigabytes"), RandomAgent()], 1).output
    assert flood.endswith("so much to say ") or len(flood) == 4000


@pytest.mark.parametrize(
    ("name", "games"),
    [("chatters", 30), ("thinks_on_many_threads", 2)],
    ids=["output is limited by the game and not by the match", "threads reserve little of the memory"],
)
def test_who_takes_much_but_not_too_much_plays_on(supervisor: Supervisor, name: str, games: int) -> None:
    modest = guest(supervisor, f"greedy.py:{name}")
    for seed in range(games):
        played = play(GAME, [modest, RandomAgent()], seed)
        assert (played.failed, played.reason) == (-1, "no moves left")


def test_a_thread_that_cannot_be_started_for_another_reason_is_a_crash(supervisor: Supervisor, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'from sparring import agent\n\n@agent("isolation")\ndef mine(view):\n'
        """    raise RuntimeError("can't start new thread")\n"""
    )
    lost = play(GAME, [supervisor.guest(GAME, f"{tmp_path}/mine.py"), RandomAgent()], 0)
    assert lost.reason.startswith("crash: RuntimeError: can't start new thread")


def test_processes_that_an_agent_starts_do_not_outlive_its_games() -> None:
    with leaving_nobody(LIMITS) as supervisor:
        for name in ("forks_and_goes_on", "leaves_a_sleeper", "leaves_a_demon", "starts_an_engine"):
            parent = guest(supervisor, f"families.py:{name}")
            for seed in range(2):
                assert play(GAME, [parent, RandomAgent()], seed).failed == -1


@pytest.mark.parametrize("name", ["thinks_on", "leaves_a_sleeper"])
def test_what_an_agent_started_does_not_meet_the_next_game(supervisor: Supervisor, name: str) -> None:
    parent = guest(supervisor, f"families.py:{name}")
    used = set()
    for _ in range(3):
        with parent.seated(players_dice(0, 0)) as player:
            player.decide(first_view())
            used.add(player.process.pid)
    assert len(used) == 3


def test_a_failure_stays_one(supervisor: Supervisor) -> None:
    with guest(supervisor, "deaths.py:exits_at_once").seated(players_dice(0, 0)) as player:
        for _ in range(2):
            with pytest.raises(AgentFailure, match="exited with status 3"):
                player.decide(first_view())
