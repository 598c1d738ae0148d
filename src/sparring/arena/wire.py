"""Messages of guests. Nothing in them is trusted: neither that they are JSON, nor a type, a number or a character."""

import json
import math
import re
from typing import Any

import numpy as np

from sparring.agents.agent import View
from sparring.agents.decision import Candidate, Decision, EstimatedCandidate
from sparring.agents.sandbox import MOST_DETAIL
from sparring.core.dice import Dice

NO_ANSWER = "it sent an invalid answer"
UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
"""Characters that cannot be stored, or that a terminal obeys: half characters, controls, changes of direction."""
MAY_BE_UNFIT = re.compile(rb"\\[ubfr]|[\x7f-\xff]")
"""A sign in an encoded message that texts in it may have such characters."""
DEEPEST = 8
"""How deeply notes may be nested."""
MOST_WARNINGS = 20
INVALID = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What reading an answer of a wrong form may raise."""


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


JSON = json.JSONDecoder(parse_constant=_refuse)


def clean(text: str) -> str:
    """Return a text with a question mark for every character that is unfit to be stored or shown."""
    return UNFIT.sub("?", text)


def one_line(text: Any) -> str:
    """Return the beginning of a text as one line."""
    return " ".join(str(text)[:MOST_DETAIL].split())


def opened(data: bytes, turn: int) -> dict[str, Any]:
    """Return the answer to the question of a turn, with clean texts. Raise ConnectionError if it is none."""
    try:
        answer = JSON.decode(data.decode())
        if MAY_BE_UNFIT.search(data):
            answer = cleaned(answer)
    except (ValueError, RecursionError):
        raise ConnectionError(NO_ANSWER) from None
    if not isinstance(answer, dict) or type(answer.get("turn")) is not int or answer["turn"] != turn:
        raise ConnectionError(NO_ANSWER)
    return answer


def cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(one) for one in value]
    if isinstance(value, dict):
        return {clean(name): cleaned(one) for name, one in value.items()}
    return value


def warnings(answer: dict[str, Any]) -> list[str]:
    """The warnings of a guest that was loaded."""
    told = answer.get("warned")
    return [one_line(one) for one in told[:MOST_WARNINGS]] if isinstance(told, list) else []


def decision_in(answer: dict[str, Any], view: View, agent: str, seconds: float) -> Decision:
    """Return the decision that an answer holds. Raise SparringError if its action is not legal, one of INVALID if
    something else in it is wrong."""
    return Decision(
        agent=agent,
        position=view.position,
        player=view.me,
        action=view.position.action(answer.get("action", ""), view.me),
        candidates=tuple(_candidate(view, *told) for told in answer["candidates"]),
        depth=_whole(answer["depth"]),
        nodes=_whole(answer["nodes"]),
        seconds=min(_number(answer["seconds"]), seconds),
        weights=_numbers(answer["weights"]),
        notes={name: _note(value) for name, value in answer["notes"].items()},
    )


def dice_in(answer: dict[str, Any]) -> Any:
    """The dice after a decision of a compiled agent."""
    (after,) = np.frombuffer(bytes.fromhex(answer["dice"]), Dice)
    return after


def _candidate(
    view: View, action: Any, score: Any, exact: Any, line: Any, terms: Any, note: Any, judged: Any
) -> Candidate:
    if type(action) is not int or not view.position.game.is_legal(view.state, view.me, action):
        raise ValueError(action)
    known = None if score is None else _number(score)
    kind = EstimatedCandidate if judged else Candidate
    return kind(action, known, bool(exact), tuple(_whole(reply) for reply in line), _numbers(terms), one_line(note))


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise ValueError(value)
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def _numbers(named: Any) -> dict[str, float]:
    return {name: _number(value) for name, value in named.items()}


def _note(value: Any, depth: int = 0) -> Any:
    """A note: texts, numbers, yes and no, and lists and tables of these."""
    if depth > DEEPEST:
        raise ValueError("notes nested too deeply")
    if isinstance(value, list):
        return [_note(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {name: _note(one, depth + 1) for name, one in value.items()}
    if isinstance(value, int | float) and not isinstance(value, bool):
        _number(value)
    return value
