"""Resource limits of an agent, and the verdict for exceeding each."""

from dataclasses import dataclass

from sparring.core.errors import SparringError

ILLEGAL, CRASH, STALL, TIMEOUT = "illegal move", "crash", "stall", "timeout"
OUT_OF_MEMORY, TOO_MUCH_OUTPUT = "out of memory", "too much output"
VERDICTS = (ILLEGAL, CRASH, STALL, TIMEOUT, OUT_OF_MEMORY, TOO_MUCH_OUTPUT)


@dataclass(frozen=True)
class Limits:
    """Seconds and bytes. A move may take `move` seconds; more is taken from the `bank` of the game. Without `move`, an
    agent that does not answer for `stall` seconds loses. Memory and output are limits of an agent's own process."""

    move: float | None = None
    bank: float = 0.0
    stall: float = 60.0
    memory: int = 1 << 30
    output: int = 16 << 20


NO_CLOCK = Limits()


class AgentFailure(Exception):
    """An agent failed and loses the game."""

    def __init__(self, verdict: str, detail: str = "", output: str = "") -> None:
        super().__init__(f"{verdict}: {detail}" if detail else verdict)
        self.verdict = verdict
        self.output = output


class VoidGame(SparringError):
    """A game was disturbed from outside, which is not charged to an agent: it is played again. `failure` is what the
    agent that was asked loses by if this happens whenever it is asked."""

    def __init__(self, reason: str, failure: AgentFailure | None = None) -> None:
        super().__init__(f"{reason}; try again")
        self.reason = reason
        self.failure = failure
