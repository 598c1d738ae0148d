"""Results as plain bytes: nothing is lost on the way, and whatever does not fit its job is refused."""

import random

import pytest

import sparring
from sparring.arena.batch import ResultBatch
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.arena.schedule import Job
from sparring.arena.transfer import opened, opened_error, packed, packed_error
from sparring.core.errors import SparringError

MINE = """
from sparring import agent

@agent("isolation")
def fails(view):
    if len(view.legal) < 3:
        raise ValueError("a lone \\ud800")
    return view.legal[0]
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Tournament:
    """Games with decisions, and some with failures."""
    mine = tmp_path_factory.mktemp("mine") / "mine.py"
    mine.write_text(MINE)
    return sparring.match("isolation", str(mine), "greedy", games=4, board="4x5", decisions=True)


def sent(batch: ResultBatch) -> tuple[bytes, Job]:
    return packed(batch), Job(batch.table, batch.block, batch.blocks)


def test_a_batch_arrives_whole(played: Tournament) -> None:
    assert any(batch.failures for batch in played.batches)
    for batch in played.batches:
        there = opened(*sent(batch), played.contest)
        assert there.packed() == batch.packed()
        assert (there.failures, there.seconds, there.voids) == (batch.failures, batch.seconds, batch.voids)
        assert [list(one) for one in there.decisions] == [list(one) for one in batch.decisions]


def test_whatever_does_not_fit_is_refused_in_a_line(played: Tournament) -> None:
    rng = random.Random(5)
    data, job = sent(played.batches[0])
    for job_of_another in (Job(job.table, job.block, job.blocks + 1), Job(job.table, job.block + 9, job.blocks)):
        refused_or_read(data, job_of_another, played.contest)
    for _ in range(2000):
        wrong = bytearray(data)
        for _ in range(rng.choice((1, 3, 30))):
            wrong[rng.randrange(len(wrong))] = rng.randrange(256)
        refused_or_read(bytes(wrong[: rng.choice((len(wrong), rng.randrange(len(wrong))))]), job, played.contest)
    for text in ("[" * 100_000, "{}", "null", '{"failures": 1}', "[9" + "9" * 9000):
        assert refused_or_read(len(text).to_bytes(8, "big") + bytes(8) + text.encode(), job, played.contest)


def refused_or_read(data: bytes, job: Job, contest: Contest) -> bool:
    try:
        opened(data, job, contest)
    except SparringError as error:
        assert str(error).startswith("a node sent no ")
        return True
    except RuntimeError:
        pass  # it reads as an error of a node
    return False


def test_an_error_arrives_as_text() -> None:
    ours, other = (opened_error(packed_error(one)) for one in (SparringError("no file x"), KeyError("y")))
    assert (type(ours), str(ours)) == (SparringError, "no file x")
    assert (type(other), str(other)) == (RuntimeError, "KeyError: 'y'")
    assert opened_error(b"junk").args[0].startswith("a node sent no error")
