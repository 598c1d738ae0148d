"""Requests to the API and its answers, as pydantic models: `...Request` and `...Body`.

They check requests, write answers, and give the description of the API its types. An answer may be made from any object
with attributes of the same names.
"""

from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from sparring.core import defaults
from sparring.games import registry

MAX_MOVES = 6000
"""Steps of a game; the longest games of the package have fewer."""
MAX_FRAMES = 500
"""Positions in one answer."""
MAX_LINE = 200
"""Moves of an expected line."""
MAX_SECONDS = 5.0
"""Time for a move. Explaining it takes as long again."""
MAX_GAMES = 1_000_000
MAX_SEATS = 8
MAX_FILE = 1 << 18
"""Characters of a user's file."""

Word = Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
OptionValue = Annotated[str, Field(max_length=200)]
Seat = Annotated[str, Field(pattern=r"^[0-7]$")]
Player = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Move = Annotated[str, Field(min_length=1, max_length=80)]
Spec = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^-\s]", examples=["random"])]
"""The text of an agent. It must not look like an option of a command."""
Id = Annotated[str, Field(pattern=r"^[0-9a-f]{1,64}$")]
Number = Annotated[int, Field(ge=1, le=10**12)]
FILE_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,60}\.py$"
FileName = Annotated[str, Field(pattern=FILE_NAME, examples=["mine.py"])]
Box = tuple[float, float, float, float]


def first_error(error: ValidationError) -> str:
    """Return the first thing that does not fit a model."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the request'}: {first['msg']}"


class Request(BaseModel):
    """Base of messages from a client. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Body(BaseModel):
    """Base of messages to a client."""

    model_config = ConfigDict(from_attributes=True, serialize_by_alias=True)


class ErrorBody(Body):
    error: str


class IdBody(Body):
    id: str


# Games


class OptionBody(Body):
    """An option of a game: one of `values`, a number from `least` to `most`, or a text."""

    name: str
    default: str
    values: list[str] | None = None
    about: str | None = None
    least: int | None = None
    most: int | None = None


class AgentBody(Body):
    spec: str
    about: str


class GameInfoBody(Body):
    """A game that can be played, with its options and agents."""

    name: str
    title: str
    about: str
    simultaneous: bool
    chance: bool
    players: tuple[int, int]
    seats: int
    player_names: list[str]
    options: list[OptionBody]
    agents: list[AgentBody]
    best: str
    """A strong agent that answers quickly."""
    exact: bool
    """True if the game has a solver."""


class RulesRequest(Request):
    """A game with its options."""

    game: Word = Field(json_schema_extra={"enum": list(registry.names())})
    options: dict[Word, OptionValue] = Field(default={}, max_length=40)


class GameRequest(RulesRequest):
    """A game as a value: its start, and for each step the moves by player."""

    seed: int = Field(default=defaults.SEED, ge=0, lt=1 << 62)
    start: str | None = Field(default=None, max_length=20_000)
    moves: list[dict[Seat, Move]] = Field(default=[], max_length=MAX_MOVES)


class FramesRequest(GameRequest):
    first: int | None = Field(default=None, ge=0, le=MAX_MOVES)
    last: int | None = Field(default=None, ge=0, le=MAX_MOVES)


class EventBody(Body):
    kind: str
    text: str


class FrameBody(Body):
    """A position, and the events that led to it."""

    turn: int
    svg: str
    text: str
    actors: list[int]
    outcome: list[float] | None
    ending: str
    events: list[EventBody]
    dice: int | None


class ChoiceBody(Body):
    """A legal move, or a command to one piece, and the part of the picture that chooses it."""

    move: str
    at: Box
    label: str
    piece: str = ""
    held: Box | None = Field(default=None, serialization_alias="from")


class PlayerBody(Body):
    name: str
    colour: str


class FramesBody(Body):
    """Some positions of a game, and the choices in its last position."""

    total: int
    frames: list[FrameBody]
    players: list[PlayerBody]
    choices: dict[str, list[ChoiceBody]]
    joined: bool = False


# Decisions


class DecisionRequest(GameRequest):
    player: Player
    agent: Spec
    seconds: float | None = Field(default=None, gt=0, le=MAX_SECONDS)
    explain: bool = False
    why_not: Move | None = None


class EndBody(Body):
    """A proven end of the game: 1 for a win, 0 for a tie, -1 for a loss, and the plies until then."""

    result: int
    plies: int | None = None


class ProspectBody(Body):
    """The score of a player, its meaning in words, and the proven end, if there is one."""

    score: float | None
    verdict: str
    proven: EndBody | None = None


class CandidateBody(ProspectBody):
    move: str
    exact: bool
    line: list[str]
    terms: dict[str, float | None]
    note: str
    chance: float | None = None


class MatrixBody(Body):
    """The payoff of each pair of choices, and the probability of each choice."""

    rows: list[str]
    columns: list[str]
    payoffs: list[list[float | None]]
    row_chances: list[float]
    column_chances: list[float]


class DecisionBody(Body):
    move: str
    agent: str
    score: float | None
    verdict: str
    depth: int
    nodes: int
    seconds: float
    weights: dict[str, float | None]
    notes: dict[str, Any]
    candidates: list[CandidateBody]
    svg: str
    why_not: str | None = None
    matrix: MatrixBody | None = None
    solver: dict[str, str] | None = None
    """The exact value of each move, in words."""


class LineRequest(GameRequest):
    player: Player
    line: list[Move] = Field(max_length=MAX_LINE)


class LinePositionBody(Body):
    move: str
    svg: str
    text: str


class EvaluationRequest(GameRequest):
    agent: Spec


class PlayerLuckBody(Body):
    """Changes of a player's chance to win: by luck, by its own choices, and by the choices of others."""

    player: str
    luck: float
    skill: float
    others: float


class LuckBody(Body):
    by: str
    """Source of the chances to win."""
    players: list[PlayerLuckBody]


class BlunderBody(EventBody):
    """A move that gave the game away, and the turn after it."""

    turn: int
    player: int


class EvaluationBody(Body):
    """The prospects of each player that the agent has scored, for each position."""

    scores: list[list[ProspectBody | None] | None]
    events: list[BlunderBody]
    luck: LuckBody | None = None


# Experiments


class ExperimentEntryBody(Body):
    id: str
    begun: str
    title: str
    game: str
    agents: list[str]
    games: int = Field(validation_alias="kept")
    running: bool


class RankedBody(Body):
    """An agent in a ranking; of games with more than two players `score` is its share of wins."""

    name: str
    spec: str
    elo: float | None
    low: float | None
    high: float | None
    score: float | None = Field(validation_alias=AliasChoices("score", "wins"))
    games: int = Field(validation_alias=AliasChoices("games", "seats"))


class MeetingBody(Body):
    games: int
    score: float


class SprtBody(Body):
    path: list[tuple[int, float]]
    lower: float
    upper: float
    hypotheses: tuple[str, str]
    """The hypotheses that the lower and the upper bound accept."""
    verdict: str


class FailureBody(Body):
    agent: str
    detail: str
    number: int
    output: str


class ExperimentBody(Body):
    """The results of an experiment so far."""

    id: str
    title: str
    game: str
    options: dict[str, str]
    command: str
    seed: int
    done: int
    total: int
    verdict: list[str]
    ranking: list[RankedBody]
    cross: list[list[MeetingBody | None]]
    llr: SprtBody | None = None
    endings: dict[str, int]
    failures: list[FailureBody]
    running: bool
    ours: bool
    """True if the page can stop it."""


class EventsRequest(Request):
    experiment: Id


class GamesRequest(Request):
    a: str | None = Field(default=None, max_length=300)
    b: str | None = Field(default=None, max_length=300)
    page: int = Field(default=1, ge=1, le=10**8)


class GameEntryBody(Body):
    number: int
    agents: list[str]
    scores: list[float]
    turns: int = Field(validation_alias="length")
    reason: str = Field(validation_alias="ending")


class GamesBody(Body):
    games: list[GameEntryBody]
    pages: int


class FinishedGameBody(Body):
    """A game as a value, its agents and its result."""

    game: str
    options: dict[str, str]
    seed: int = Field(ge=0, lt=1 << 62)
    start: str | None = None
    moves: list[dict[str, str]]
    agents: list[str]
    scores: list[float]
    reason: str


class NoteBody(EventBody):
    """An event that the moves do not show: a note of an agent, or the verdict of a judge."""

    step: int


class FailedBody(Body):
    player: int
    detail: str
    output: str


class StoredGameBody(FinishedGameBody):
    decisions: list[dict[str, Any]]
    events: list[NoteBody]
    failed: FailedBody | None = None


class UploadedGameBody(FinishedGameBody):
    frames: list[FrameBody] | None = None
    """The positions of the log, if the moves alone do not lead to them."""


class UploadBody(Body):
    games: list[UploadedGameBody]
    note: str | None = None


class MatchRequest(RulesRequest):
    agents: list[Spec] = Field(min_length=2, max_length=32)
    games: int = Field(default=defaults.GAMES, ge=2, le=MAX_GAMES)
    seed: int = Field(default=defaults.SEED, ge=0, le=10**9)
    sprt: bool = False


# Files


class FileEntryBody(Body):
    """A file of the user's folder and what it declares."""

    name: str
    heuristics: list[str]
    agents: list[str]


class FolderBody(Body):
    folder: str | None
    files: list[FileEntryBody]


class SavedFileBody(Body):
    """A file, and a tag of its content."""

    name: str
    changed: str


class FileBody(SavedFileBody):
    text: str


class StarterBody(Body):
    text: str


class FileRequest(Request):
    text: str = Field(max_length=MAX_FILE)
    changed: str | None = Field(default=None, max_length=64)


class FileErrorBody(Body):
    line: int | None
    message: str


class CheckBody(Body):
    """The check of a file: its heuristics and agents that work, and its errors."""

    ok: bool
    errors: list[FileErrorBody]
    specs: list[str]
