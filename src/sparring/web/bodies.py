"""What is asked of the page's server and what it answers, as pydantic models.

They check what comes, and the description of the API is made from them. Nothing here needs the games, which take a
second to load.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sparring.core import defaults
from sparring.games import registry

MOST_MOVES = 6000
"""Of a game: more than the longest of ours has."""
MOST_FRAMES = 500
"""Of one answer."""
MOST_LINE = 200
"""Moves ahead."""
MOST_SECONDS = 5.0
"""For a move; who explains takes as long again."""
MOST_GAMES = 1_000_000
MOST_SEATS = 8
MOST_LETTERS = 1 << 18
"""Of a user's file."""

Word = Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
Value = Annotated[str, Field(max_length=200)]
Seat = Annotated[str, Field(pattern=r"^[0-7]$")]
Player = Annotated[int, Field(ge=0, lt=MOST_SEATS)]
Move = Annotated[str, Field(min_length=1, max_length=80)]
Spec = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^-\s]", examples=["random"])]
"""An agent's text; on a command line, too, it is no option."""
Id = Annotated[str, Field(pattern=r"^[0-9a-f]{1,64}$")]
Number = Annotated[int, Field(ge=1, le=10**12)]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,60}\.py$", examples=["mine.py"])]
Box = tuple[float, float, float, float]


class Asked(BaseModel):
    """What comes from a page: nothing in it that is not known."""

    model_config = ConfigDict(extra="forbid")


class Told(BaseModel):
    """What goes to a page."""


class Error(Told):
    """What was wrong, and the remedy."""

    error: str


# Games


class Option(Told):
    """An option of a game: one of some values, or what is told about it."""

    name: str
    default: str
    values: list[str] | None = None
    about: str | None = None
    least: int | None = None
    most: int | None = None


class Agent(Told):
    spec: str
    about: str


class Shelved(Told):
    """A game that can be played."""

    name: str
    title: str
    about: str
    simultaneous: bool
    chance: bool
    players: tuple[int, int]
    seats: int
    player_names: list[str]
    options: list[Option]
    agents: list[Agent]
    best: str
    """Of these, a strong one that answers quickly."""
    searches: dict[str, str]
    """What may stand before a heuristic, and the options it takes, for example."""
    exact: bool


class Rules(Asked):
    """A game, set up by its options."""

    game: Word = Field(json_schema_extra={"enum": list(registry.names())})
    options: dict[Word, Value] = Field(default={}, max_length=40)


class Game(Rules):
    """A game is a value: what it began from, and the moves of all who acted in each step, by player."""

    seed: int = Field(default=defaults.SEED, ge=0, lt=1 << 62)
    start: str | None = Field(default=None, max_length=20_000)
    moves: list[dict[Seat, Move]] = Field(default=[], max_length=MOST_MOVES)


class FramesAsked(Game):
    first: int | None = Field(default=None, ge=0, le=MOST_MOVES)
    last: int | None = Field(default=None, ge=0, le=MOST_MOVES)
    player: Player | None = None


class Happened(Told):
    kind: str
    text: str


class Frame(Told):
    """A position as it is shown."""

    turn: int
    svg: str
    text: str
    actors: list[int]
    outcome: list[float] | None
    ending: str
    events: list[Happened]
    dice: int | None


class Choice(Told):
    """A legal move, or what one piece may be told, and what to touch for it in the picture."""

    model_config = ConfigDict(serialize_by_alias=True)
    move: str
    at: Box
    label: str
    piece: str | None = None
    held: Box | None = Field(default=None, serialization_alias="from")


class Seated(Told):
    """What the board calls a player, and shows it in."""

    name: str
    colour: str


class Frames(Told):
    """Some positions of a game, and what can be done in the last of all."""

    total: int
    frames: list[Frame]
    players: list[Seated]
    choices: dict[str, list[Choice]]
    joined: bool = False


# Decisions


class DecisionAsked(Game):
    player: Player
    agent: Spec
    seconds: float | None = Field(default=None, gt=0, le=MOST_SECONDS)
    explain: bool = False
    why_not: Move | None = None


class End(Told):
    """An end of the game that a search has proven: 1 for a win, 0 for a draw, -1 for a loss, and in how many plies."""

    result: int
    plies: int | None = None


class Candidate(Told):
    move: str
    score: float | None
    verdict: str
    proven: End | None = None
    exact: bool
    line: list[str]
    terms: dict[str, float | None]
    note: str
    chance: float | None = None


class Matrix(Told):
    """What players who mix choose from: what each pair of choices pays the player, and how often each is made."""

    rows: list[str]
    columns: list[str]
    payoffs: list[list[float | None]]
    row_chances: list[float]
    column_chances: list[float]


class Solved(Told):
    """What is known for certain of each move."""

    verdicts: dict[str, str]


class Decided(Told):
    move: str
    agent: str
    score: float | None
    verdict: str
    depth: int
    nodes: int
    seconds: float
    weights: dict[str, float | None]
    notes: dict[str, Any]
    candidates: list[Candidate]
    svg: str
    why_not: str | None = None
    matrix: Matrix | None = None
    solver: Solved | None = None


class LineAsked(Game):
    """A line as a candidate of a player has it."""

    player: Player
    line: list[Move] = Field(max_length=MOST_LINE)


class Ahead(Told):
    """A position along a line."""

    move: str
    svg: str
    text: str


class Line(Told):
    frames: list[Ahead]


class EvaluationAsked(Game):
    agent: Spec


class Luck(Told):
    """What changed a player's chance to win: its rolls and those of others, its own choices, and those of others."""

    player: str
    luck: float
    skill: float
    others: float


class Luckiness(Told):
    by: str
    """Where the chances come from."""
    players: list[Luck]


class Blunder(Happened):
    """A move that gave the game away, and the turn that it led to."""

    turn: int
    player: int


class Prospect(Told):
    """A player's score in a position, what it means in words, and the end that is proven, if one is."""

    score: float | None
    verdict: str
    proven: End | None = None


class Evaluation(Told):
    """For each position the prospects of each player, as far as an agent gives any."""

    scores: list[list[Prospect | None] | None]
    events: list[Blunder]
    luck: Luckiness | None = None


# Experiments


class Listed(Told):
    id: str
    begun: str
    title: str
    game: str
    agents: list[str]
    games: int
    running: bool


class Ranked(Told):
    name: str
    spec: str
    elo: float | None
    low: float | None
    high: float | None
    score: float | None
    games: int


class Met(Told):
    games: int
    score: float


class SequentialTest(Told):
    path: list[tuple[int, float]]
    lower: float
    upper: float
    hypotheses: tuple[str, str]
    """The ones that are accepted at the lower and at the upper bound, of the agent that the verdict names first."""
    verdict: str


class Ending(Told):
    reason: str
    count: int


class Failure(Told):
    agent: str
    detail: str
    number: int
    output: str


class Experiment(Told):
    """What a kept experiment proves so far."""

    id: str
    title: str
    game: str
    options: dict[str, str]
    command: str
    seed: int
    done: int
    total: int
    verdict: list[str]
    ranking: list[Ranked]
    cross: list[list[Met | None]]
    llr: SequentialTest | None = None
    endings: list[Ending]
    failures: list[Failure]
    running: bool
    ours: bool
    """Whether it can be stopped from the page."""


class EventsAsked(Asked):
    experiment: Id


class GamesAsked(Asked):
    a: str | None = Field(default=None, max_length=300)
    b: str | None = Field(default=None, max_length=300)
    page: int = Field(default=1, ge=1, le=10**8)


class GameListed(Told):
    number: int
    agents: list[str]
    scores: list[float]
    turns: int
    reason: str


class GamesListed(Told):
    games: list[GameListed]
    pages: int


class GameTold(Told):
    """A game as a value that frames can be asked for, who played it, and how it went."""

    game: str
    options: dict[str, str]
    seed: int
    start: str | None = None
    moves: list[dict[str, str]]
    agents: list[str]
    scores: list[float]
    reason: str


class Noted(Told):
    """An event that the moves alone do not tell: what an agent noted when it decided, or what a judge says of it."""

    step: int
    kind: str
    text: str


class Failed(Told):
    player: int
    detail: str
    output: str


class GameKept(GameTold):
    decisions: list[dict[str, Any]]
    events: list[Noted]
    failed: Failed | None = None


class GameUploaded(GameTold):
    frames: list[Frame] | None = None
    """The positions as a log gives them, where the moves alone do not lead there."""


class Uploaded(Told):
    games: list[GameUploaded]
    note: str | None = None


class MatchAsked(Rules):
    agents: list[Spec] = Field(min_length=2, max_length=32)
    games: int = Field(default=defaults.GAMES, ge=2, le=MOST_GAMES)
    seed: int = Field(default=defaults.SEED, ge=0, le=10**9)
    sprt: bool = False


class Started(Told):
    id: str


class Nothing(Told):
    pass


# Files


class FileListed(Told):
    name: str
    heuristics: list[str]
    agents: list[str]


class Folder(Told):
    folder: str | None
    files: list[FileListed]


class File(Told):
    name: str
    text: str
    changed: str


class FileWritten(Asked):
    text: str = Field(max_length=MOST_LETTERS)
    changed: str | None = Field(default=None, max_length=64)


class FileSaved(Told):
    name: str
    changed: str


class Fault(Told):
    line: int | None
    message: str


class Declared(Told):
    name: str
    spec: str
    game: str


class Checked(Told):
    """Whether a file can be used, what is wrong where, and what it declares for a game."""

    ok: bool
    errors: list[Fault]
    heuristics: list[Declared]
    agents: list[Declared]
