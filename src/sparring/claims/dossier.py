"""A design document together with the experiments that answer it, from their file."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from sparring.arena.experiment import DOCUMENT, Contest, Experiment, file_named, load, packaged, slip
from sparring.arena.places import Places, toml
from sparring.claims.claims import ALIKE, Claim, Document, Question, Size, settings_at
from sparring.claims.instruments import INSTRUMENTS, instrument
from sparring.claims.measures import OF_DECISIONS, OF_GAMES, OF_MEETINGS, OF_TWO
from sparring.core.errors import SparringError, unknown
from sparring.games.contract import Game
from sparring.games.registry import game as make_game

Part = tuple[Experiment, Places]
PREFIX = "seed-"
BETTER_THE_MORE = ("share", "lead", "solved", "keeps_won", "learned")
"""Measures by which it can be told of two who is the better."""


@dataclass(frozen=True)
class Dossier:
    """What is claimed and what is played, by the names of the parts of the file."""

    name: str
    document: Document
    parts: dict[str, Part]
    places: Places
    options: dict[str, str]
    """Of the game, where no part says others."""

    @classmethod
    def of(cls, name: str | Path) -> "Dossier":
        """From a file, or by the number of one that comes with a game."""
        file = file_named(f"{PREFIX}{name!s:0>3}" if str(name).isdigit() else name)
        told, text = toml(file)
        places = Places(str(file), text)
        if DOCUMENT not in told:
            raise SparringError(f"{file} tells of no design document; say under [{DOCUMENT}] what is claimed")
        try:
            document = Document.model_validate(told[DOCUMENT])
        except ValidationError as error:
            path = error.errors()[0]["loc"]
            raise SparringError(f"{file}:{places.line((DOCUMENT, *path))}: {slip(error, settings_at(path))}") from error
        parts = {one.part: (one, where) for one, where in load(file)}
        claims = {title: _figured(claim, parts) for title, claim in document.claims.items()}
        said = {key: str(value) for key, value in told.get("options", {}).items()}
        answering = document.model_copy(update={"claims": claims})
        found = cls(file.stem.removeprefix(PREFIX), answering, parts, places, said)
        found._check()
        return found

    @property
    def seed(self) -> int:
        return self._first.seed

    @property
    def _first(self) -> Experiment:
        return next(iter(self.parts.values()))[0]

    def game_of(self, part: str) -> Game:
        """As a part has it, or as the file has it for all of them."""
        if part not in self.parts:
            return make_game(self._first.game, **self.options)
        played, places = self.parts[part]
        with places.blaming("options"):
            return make_game(played.game, **played.options)

    def sized(self, quick: bool) -> list[Part]:
        """The experiments that some question needs, with the games and agents of a size."""
        document = self.document
        size = document.quick if quick else document.full
        questions = [*document.claims.values(), *document.corrections.values()]
        asked = {document.strongest.part, *(question.part for question in questions)}
        wanted = {name: part for name, part in self.parts.items() if name in asked}
        if size is None:
            return list(wanted.values())
        found = []
        for name, (experiment, places) in wanted.items():
            chosen = experiment.among(size.only) if size.only else experiment
            if games := size.parts.get(name, size.games):
                found.append((chosen.model_copy(update={"games": games}), places))
        return found

    def _check(self) -> None:
        """Whatever is named is there: better told before thousands of games than after."""
        for said in ("quick", "full"):
            if size := getattr(self.document, said):
                self._check_size(size, said)
        if self.document.strongest.part:
            with self.places.blaming(DOCUMENT, "strongest", "part"):
                self._known("part", self.document.strongest.part, list(self.parts))
        groups: dict[str, dict[str, Question]] = {
            "claims": {title: claim for title, claim in self.document.claims.items() if not claim.never},
            "corrections": self.document.corrections,
        }
        for group, questions in groups.items():
            for title, question in questions.items():
                self._check_question(question, (DOCUMENT, group, title))

    def _check_size(self, size: Size, said: str) -> None:
        everybody = [name for one, _ in self.parts.values() for name in one.entries]
        for name in size.only:
            with self.places.blaming(DOCUMENT, said, "only"):
                self._known("agent", name, everybody)
        for name in size.parts:
            with self.places.blaming(DOCUMENT, said, "parts"):
                self._known("part", name, list(self.parts))
        for experiment, _ in self.sized(quick=said == "quick"):
            game = self.game_of(experiment.part)
            with self.places.blaming(DOCUMENT, said, "parts" if experiment.part in size.parts else "games"):
                Contest.between(experiment, game, ())

    def _check_question(self, question: Question, path: tuple[str, ...]) -> None:
        with self.places.blaming(*path, "measure"):
            self._known("measure", question.measure, [*OF_GAMES, *INSTRUMENTS])
            if not isinstance(question, Claim) and question.measure not in BETTER_THE_MORE:
                raise SparringError(f"whether one is better can be told by {', '.join(BETTER_THE_MORE)}")
        if question.part or question.measure in OF_GAMES:
            with self.places.blaming(*path, "part"):
                self._known("part", question.part, list(self.parts))
        for said in ("settings", "quick"):
            with self.places.blaming(*path, said):
                if question.measure in INSTRUMENTS:
                    instrument(question, quick=said == "quick").check(self.game_of(question.part))
                elif getattr(question, said):
                    raise SparringError(f"{said} are for {', '.join(INSTRUMENTS)}; {question.measure} has none")
        for said in ("agent", "against"):
            with self.places.blaming(*path, said):
                if getattr(question, said) or said == "agent" or question.measure in OF_TWO:
                    self._check_name(question, said)
        with self.places.blaming(*path):
            if isinstance(question, Claim) and question.open_ended:
                raise SparringError("say what is claimed: figure = ..., above = ... or below = ...")
            if not isinstance(question, Claim) and not question.against:
                raise SparringError("a correction compares two: say agent = ... and against = ...")
            if question.measure not in OF_GAMES:
                return
            played = self.parts[question.part][0]
            league = not played.tables and self.game_of(question.part).seats == 2
            if question.measure in OF_MEETINGS and not played.contestants and (question.measure == ALIKE or not league):
                raise SparringError(f"{question.measure} needs [contestants] that meet [opponents]")
            if question.measure in OF_DECISIONS and not played.decisions:
                raise SparringError(f"{question.measure} needs what agents thought: say decisions = true")

    def _check_name(self, question: Question, said: str) -> None:
        name, measure = getattr(question, said), question.measure
        if measure in INSTRUMENTS:
            instrument(question, quick=False).looks_at(self.game_of(question.part), name)
        else:
            played = self.parts[question.part][0]
            compared = played.contestants if measure in OF_MEETINGS else played.entries
            met = played.opponents if said == "against" and measure == "share" else compared
            self._known("agent of the experiment", name, list(played.agents or met))

    @staticmethod
    def _known(what: str, name: str, known: list[str]) -> None:
        if name not in known:
            raise unknown(what, name, known)


def numbers() -> list[str]:
    """Of the documents that come with the installed games."""
    return [name.removeprefix(PREFIX) for name in packaged() if name.startswith(PREFIX)]


def _figured(claim: Claim, parts: dict[str, Part]) -> Claim:
    """With the figure that the experiment gives of the agent, where the claim itself says none."""
    entries = parts[claim.part][0].entries if claim.part in parts and claim.measure == "share" else {}
    if not claim.open_ended or claim.agent not in entries:
        return claim
    return claim.model_copy(update={"figure": entries[claim.agent].claim})
