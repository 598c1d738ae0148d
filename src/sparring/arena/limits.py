"""What an agent may use in a game, and what it is called to use more."""

from dataclasses import dataclass

ILLEGAL, CRASH, STALL, TIMEOUT = "illegal move", "crash", "stall", "timeout"
OUT_OF_MEMORY, TOO_MUCH_OUTPUT = "out of memory", "too much output"
VERDICTS = (ILLEGAL, CRASH, STALL, TIMEOUT, OUT_OF_MEMORY, TOO_MUCH_OUTPUT)


@dataclass(frozen=True)
class Limits:
    """With `move`, a move has that many seconds and what it takes beyond comes out of the game's `bank`. Without, an
    agent that is silent for `stall` seconds is given up. Memory and output are those of an agent's own process."""

    move: float | None = None
    bank: float = 0.0
    stall: float = 60.0
    memory: int = 1 << 30
    output: int = 16 << 20


NO_CLOCK = Limits()


class Failed(Exception):
    """A player that cannot be allowed to go on: it loses the game it plays."""

    def __init__(self, verdict: str, detail: str = "", output: str = "") -> None:
        super().__init__(f"{verdict}: {detail}" if detail else verdict)
        self.verdict = verdict
        self.output = output
