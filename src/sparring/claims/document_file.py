"""The file of a design document: its claims, and the experiments that answer them."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from sparring.arena.experiment import (
    DOCUMENT,
    Contest,
    Experiment,
    experiment_file,
    first_error,
    load,
    packaged_experiments,
)
from sparring.arena.toml_source import TomlSource, toml
from sparring.claims.claims import ALIKE, Claim, Document, Question, Size, settings_at
from sparring.claims.instruments import INSTRUMENTS, instrument
from sparring.claims.measures import DECISION_MEASURES, GAME_MEASURES, MEETING_MEASURES, PAIR_MEASURES
from sparring.core.errors import SparringError, unknown
from sparring.games.contract import Game
from sparring.games.registry import game as make_game

Part = tuple[Experiment, TomlSource]
PREFIX = "seed-"
BETTER_THE_MORE = ("share", "lead", "solved", "keeps_won", "learned")
"""Measures by which one of two agents can be better."""


@dataclass(frozen=True)
class DocumentFile:
    """The claims, and the experiments by the names of their parts."""

    name: str
    document: Document
    parts: dict[str, Part]
    places: TomlSource
    options: dict[str, str]  # options of the game, unless a part has others

    @classmethod
    def of(cls, name: str | Path) -> "DocumentFile":
        """Read a file, or find one that comes with a game by its number."""
        file = experiment_file(f"{PREFIX}{name!s:0>3}" if str(name).isdigit() else name)
        told, text = toml(file)
        places = TomlSource(str(file), text)
        if DOCUMENT not in told:
            raise SparringError(f"{file} has no design document; write its claims under [{DOCUMENT}]")
        try:
            document = Document.model_validate(told[DOCUMENT])
        except ValidationError as error:
            path = error.errors()[0]["loc"]
            with places.attributed_to(DOCUMENT, *path):
                raise SparringError(first_error(error, settings_at(path))) from error
        options = {key: str(value) for key, value in told.get("options", {}).items()}
        parts = {one.part: (one, where) for one, where in load(file)}
        found = cls(file.stem.removeprefix(PREFIX), document, parts, places, options)
        found._take_figures()
        found._check()
        return found

    def _take_figures(self) -> None:
        """Take the figure of a share from the agent's entry if the claim has none."""
        for claim in self.document.claims.values():
            entries = self.parts[claim.part][0].entries if claim.part in self.parts else {}
            if claim.open_ended and claim.measure == "share" and claim.agent in entries:
                claim.figure = entries[claim.agent].claim

    @property
    def seed(self) -> int:
        return self._first.seed

    @property
    def _first(self) -> Experiment:
        return next(iter(self.parts.values()))[0]

    def game_of(self, part: str) -> Game:
        """Set up the game with the options of a part, or with those of the file."""
        if part not in self.parts:
            return make_game(self._first.game, **self.options)
        played, places = self.parts[part]
        with places.attributed_to("options"):
            return make_game(played.game, **played.options)

    def sized(self, quick: bool) -> list[Part]:
        """Return the experiments that the questions need, with the games and agents of a size."""
        size = self.document.quick if quick else self.document.full
        asked = {self.document.strongest.part, *(question.part for question in self.document.questions.values())}
        found = []
        for name, (experiment, places) in self.parts.items():
            games = size.parts.get(name, size.games) if size else experiment.games
            if name in asked and games:
                chosen = experiment.among(size.only) if size and size.only else experiment
                found.append((chosen.model_copy(update={"games": games}), places))
        return found

    def _check(self) -> None:
        """Check that every name is known, before thousands of games are played."""
        document = self.document
        for said, size in {"quick": document.quick, "full": document.full}.items():
            if size:
                self._check_size(size, said)
        if document.strongest.part:
            self._known("part", document.strongest.part, self.parts, "strongest", "part")
        for path, question in document.questions.items():
            if not (isinstance(question, Claim) and question.never):
                self._check_question(question, *path)

    def _check_size(self, size: Size, said: str) -> None:
        agents = [name for one, _ in self.parts.values() for name in one.entries]
        for name in size.only:
            self._known("agent", name, agents, said, "only")
        for name in size.parts:
            self._known("part", name, self.parts, said, "parts")
        for experiment, _ in self.sized(quick=said == "quick"):
            game = self.game_of(experiment.part)
            with self._at(said, "parts" if experiment.part in size.parts else "games"):
                Contest.between(experiment, game, ())

    def _check_question(self, question: Question, *path: str) -> None:
        measure, is_claim = question.measure, isinstance(question, Claim)
        self._known("measure", measure, [*GAME_MEASURES, *INSTRUMENTS], *path, "measure")
        if not is_claim and measure not in BETTER_THE_MORE:
            with self._at(*path, "measure"):
                raise SparringError(f"to compare two agents, use one of {', '.join(BETTER_THE_MORE)}")
        if question.part or measure in GAME_MEASURES:
            self._known("part", question.part, self.parts, *path, "part")
        for said in ("settings", "quick"):
            with self._at(*path, said):
                if measure in INSTRUMENTS:
                    instrument(question, quick=said == "quick").check(self.game_of(question.part))
                elif getattr(question, said):
                    raise SparringError(f"{said} are for {', '.join(INSTRUMENTS)}; {measure} has none")
        self._check_name(question, "agent", *path)
        if question.against or measure in PAIR_MEASURES:
            self._check_name(question, "against", *path)
        with self._at(*path):
            if isinstance(question, Claim) and question.open_ended:
                raise SparringError("a claim needs figure = ..., above = ... or below = ...")
            if not is_claim and not question.against:
                raise SparringError("a correction compares two agents: write agent = ... and against = ...")
            if measure not in GAME_MEASURES:
                return
            played = self.parts[question.part][0]
            league = not played.tables and self.game_of(question.part).seats == 2
            if measure in MEETING_MEASURES and not played.contestants and (measure == ALIKE or not league):
                raise SparringError(f"{measure} needs [contestants] that meet [opponents]")
            if measure in DECISION_MEASURES and not played.decisions:
                raise SparringError(f"{measure} needs the reasons of agents: write decisions = true")

    def _check_name(self, question: Question, said: str, *path: str) -> None:
        name, measure = getattr(question, said), question.measure
        if measure in INSTRUMENTS:
            with self._at(*path, said):
                instrument(question, quick=False).looks_at(self.game_of(question.part), name)
            return
        played = self.parts[question.part][0]
        compared = played.contestants if measure in MEETING_MEASURES else played.entries
        met = played.opponents if said == "against" and measure == "share" else compared
        self._known("agent of the experiment", name, list(played.agents or met), *path, said)

    def _at(self, *path: str) -> AbstractContextManager[None]:
        """Add the line of a setting to errors."""
        return self.places.attributed_to(DOCUMENT, *path)

    def _known(self, what: str, name: str, known: Iterable[str], *path: str) -> None:
        if name not in known:
            with self._at(*path):
                raise unknown(what, name, known)


def numbers() -> list[str]:
    """Return the numbers of the documents that come with the installed games."""
    return [name.removeprefix(PREFIX) for name in packaged_experiments() if name.startswith(PREFIX)]
