"""What is asked of the page's server and what it answers, as pydantic models.

They check what comes, and the description of the API is made from them. Nothing here needs the games, which take a
second to load.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sparring import defaults

MOST_MOVES = 6000
"""Of a game: more than the longest of ours has."""
MOST_FRAMES = 500
"""Of one answer."""
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
    about: str
    simultaneous: bool
    chance: bool
    players: tuple[int, int]
    seats: int
    player_names: list[str]
    options: list[Option]
    agents: list[Agent]
    exact: bool


class Game(Asked):
    """A game is a value: what it began from, and the moves of all who acted in each step, by player."""

    game: Word = Field(examples=["isolation"])
    options: dict[Word, Value] = Field(default={}, max_length=40)
    seed: int = Field(default=defaults.SEED, ge=0, le=10**12)
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


class Frames(Told):
    """Some positions of a game, and what can be done in the last of all."""

    total: int
    frames: list[Frame]
    choices: dict[str, list[Choice]]
    joined: bool = False


# Decisions


class DecisionAsked(Game):
    player: Player
    agent: Spec
    seconds: float | None = Field(default=None, gt=0, le=MOST_SECONDS)
    explain: bool = False
    why_not: Move | None = None


class Candidate(Told):
    move: str
    score: float | None
    verdict: str
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
