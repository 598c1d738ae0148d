"""`spar check`: test that a game keeps the contract."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.core.dice import dice, throw
from sparring.core.errors import SparringError
from sparring.games.capabilities import PieceCommands, canonical, offered
from sparring.games.contract import Action, Game, Position

TRIED = 64
NEVER = 1 << 62  # no action of any game
HIDDEN_DICE = "only chance depends on the dice, and no state holds them"


@dataclass(frozen=True)
class ContractReport:
    """The promises of the contract, and what broke them."""

    game: str
    faults: dict[str, str]  # by promise; an empty text if it holds

    @property
    def passed(self) -> bool:
        return not any(self.faults.values())

    def __str__(self) -> str:
        lines = [
            f"{'broken' if fault else 'holds':7} {promise}{': ' + fault if fault else ''}"
            for promise, fault in self.faults.items()
        ]
        return "\n".join([f"{self.game} {'keeps' if self.passed else 'BREAKS'} the contract", *lines])

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        return {"game": self.game, "passed": self.passed, "faults": self.faults}


def check(game: Game, games: int = 10) -> ContractReport:
    """Test every promise in the positions of some random games."""
    rolls_matter = False
    promises: dict[str, Callable[[Game, Position], str]] = {
        "a copy shares nothing with its original": _copies_are_deep,
        "bytes, text and JSON restore the state": _restores,
        "every legal action applies": _legal_actions_apply,
        "illegal actions are refused": _illegal_actions_are_refused,
        "an action does what its canonical one does": _canonical_does_the_same,
        "action names are one to one": _names_are_unique,
        "a game is over when, and only when, it has an outcome": _outcome_ends_it,
        "a game ends in one of the ways it names": _ends_as_named,
        "two players alternate, if the rules say so": _alternate,
        HIDDEN_DICE: _no_dice_without_chance,
        "the board draws as text and SVG": _draws,
        "every action can be chosen in the picture": _touchable,
    }
    broken = dict.fromkeys(promises, "")
    try:
        for seed in range(games):
            for position in random_game(game, seed):
                for promise, test in promises.items():
                    broken[promise] = broken[promise] or _fault(test, game, position)
                rolls_matter = rolls_matter or _rolls_matter(game, position)
        if game.kind.chance and not rolls_matter:
            broken[HIDDEN_DICE] = "the referee's dice change nothing, so the game must have dice of its own"
        same = transcript(game, games)
        broken["the same seed plays the same game"] = "" if same == transcript(game, games) else "a second run differed"
        plain = _plain_transcript(game, games)
        broken["compiled and plain rules agree"] = "" if same == plain else f"their games differ: {plain}"
    except Exception as error:
        broken["a game can be played to its end"] = f"{type(error).__name__}: {error}"
    return ContractReport(game.name, broken)


def _fault(test: Callable[[Game, Position], str], game: Game, position: Position) -> str:
    try:
        found = test(game, position)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return f"{found} in {position.text}" if found else ""


def random_game(game: Game, seed: int, purpose: str = "check") -> Iterator[Position]:
    position, choice = game.start(seed), dice(seed, purpose)
    yield position
    while not position.over:
        actions = {player: game.legal(position.state, player) for player in position.actors}
        position = position.after({player: legal[throw(choice, len(legal))] for player, legal in actions.items()})
        yield position


def transcript(game: Game, games: int) -> str:
    """A hash of every state of some random games."""
    digest = hashlib.blake2b(digest_size=16)
    for seed in range(games):
        for position in random_game(game, seed):
            digest.update(game.to_bytes(position.state))
    return digest.hexdigest()


def _plain_transcript(game: Game, games: int) -> str:
    code = (
        "from sparring.games.registry import game; from sparring.games.check import transcript; "
        f"print(transcript(game({game.name!r}, **{game.options()!r}), {games}))"
    )
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    answer = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or answer.stderr.strip()[-200:]


def _copies_are_deep(game: Game, position: Position) -> str:
    before = game.to_bytes(position.state)
    for twin in (game.seen(position.state), game.copy(position.state)):
        twin[twin.dtype.names[0]] += 1
    return "" if game.to_bytes(position.state) == before else "writing to a copy or a view changed the original"


def _restores(game: Game, position: Position) -> str:
    wanted = game.to_bytes(position.state)
    forms = {
        "bytes": game.from_bytes(wanted),
        "text": game.parse(game.text(position.state)),
        "JSON": game.from_json(game.to_json(position.state)),
    }
    return ", ".join(f"{form} gives another state" for form, state in forms.items() if game.to_bytes(state) != wanted)


def _legal_actions_apply(game: Game, position: Position) -> str:
    first = _first_actions(game, position)
    for player in position.actors:
        for action in _some(game.legal(position.state, player)):
            position.after({**first, player: action})
    return ""


def _first_actions(game: Game, position: Position) -> dict[int, Action]:
    return {player: game.legal(position.state, player)[0] for player in position.actors}


def _some(legal: Sequence[Action]) -> Sequence[Action]:
    """All actions, or some of them where there are thousands."""
    return legal[:: 1 + len(legal) // TRIED]


def _illegal_actions_are_refused(game: Game, position: Position) -> str:
    first = _first_actions(game, position)
    for player in position.actors:
        beyond = max(game.legal(position.state, player)) + 1
        for action in (-1, NEVER if game.is_legal(position.state, player, beyond) else beyond):
            try:
                position.after({**first, player: action})
            except SparringError:
                continue
            return f"{action} of player {player} was accepted"
    return ""


def _canonical_does_the_same(game: Game, position: Position) -> str:
    """Tested with the listed actions, which are canonical, and with legal actions that are listed at the start."""
    first = _first_actions(game, position)
    for player in position.actors:
        for action in _some(game.legal(position.state, player)):
            if canonical(game, position.state, player, action) != action:
                return f"{action} of player {player} is listed, but another action is canonical"
        for action in _some(game.legal(game.start().state, player)):
            if game.is_legal(position.state, player, action):
                twin = canonical(game, position.state, player, action)
                one, two = (position.after({**first, player: same}).state for same in (action, twin))
                if game.to_bytes(one) != game.to_bytes(two):
                    return f"{action} and {twin} of player {player} lead to different states"
    return ""


def _names_are_unique(game: Game, position: Position) -> str:
    """Names are unique, and `action_named` is the inverse of `action_name`."""
    for player in position.actors:
        legal = _some(game.legal(position.state, player))
        if len({game.action_name(position.state, player, action) for action in legal}) < len(legal):
            return f"two actions of player {player} have one name"
        for action in legal:
            if game.action_named(position.state, player, game.action_name(position.state, player, action)) != action:
                return f"the name of {action} of player {player} is that of another"
    return ""


def _outcome_ends_it(game: Game, position: Position) -> str:
    outcome = position.outcome
    if position.over != (outcome is not None):
        return "over without an outcome, or an outcome before the end"
    if outcome and (len(outcome) != game.seats or not all(0 <= score <= 1 for score in outcome)):
        return f"not a score from 0 to 1 for each player: {outcome}"
    return ""


def _ends_as_named(game: Game, position: Position) -> str:
    ending = game.ending(position.state)
    return f"{ending!r} is none of {game.endings}" if position.over and ending not in game.endings else ""


def _alternate(game: Game, position: Position) -> str:
    if not game.written or not game.kernels["ALTERNATE"] or position.over:
        return ""
    if game.seats != 2 or game.kind.chance or len(position.actors) != 1:
        return "they do not: two players act in turn, and nothing is left to chance"
    followers = [position.after(action) for action in _some(position.legal)]
    again = [one.text for one in followers if one.actors == position.actors]
    return f"the same player acts again in {again[0]}" if again else ""


def _no_dice_without_chance(game: Game, position: Position) -> str:
    return "the dice change a game without chance" if not game.kind.chance and _rolls_matter(game, position) else ""


def _rolls_matter(game: Game, position: Position) -> bool:
    """True if the same actions lead elsewhere with other dice."""
    if position.over:
        return False
    followers = set()
    for number in range(8):
        state = game.copy(position.state)
        game.play(state, _first_actions(game, position), dice("check", number))
        followers.add(game.to_bytes(state))
    return len(followers) > 1


def _draws(game: Game, position: Position) -> str:
    if not game.drawing(position.state).strip():
        return "an empty drawing"
    return "" if game.svg(position.state).startswith("<svg") else "no SVG"


def _touchable(game: Game, position: Position) -> str:
    """Each action can be chosen in the picture, by a place inside it."""
    shape = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', game.svg(position.state))
    if not shape:
        return "the picture has no viewBox"
    width, height = map(float, shape.groups())
    for player in position.actors:
        touch_targets = game.touch_targets(position.state, player)
        legal = {game.action_name(position.state, player, action) for action in game.legal(position.state, player)}
        if offered(game, PieceCommands):
            legal = {name for name in legal if name != "stay" and "_" not in name}
        if {touch.move for touch in touch_targets} != legal:
            return f"the places to choose actions of player {player} are not its legal actions"
        for x, y, wide, high in (box for touch in touch_targets for box in (touch.at, touch.held) if box):
            if x < 0 or y < 0 or x + wide > width or y + high > height:
                return f"{(x, y, wide, high)} is outside of the picture"
    return ""
