"""The process that answers slow calls for a server, until that is gone: `workers.py` is the other side.

Questions come from the server alone and are pickled. Answers are JSON, because they may hold what agents say.
"""

import inspect
import os
import pickle
import struct
import threading
from collections.abc import Callable
from contextlib import closing
from functools import cache
from queue import SimpleQueue
from typing import Any, BinaryIO

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError
from starlette.exceptions import HTTPException

from sparring.core.errors import SparringError

QUESTION, ANSWER = struct.Struct(">Q"), struct.Struct(">HQ")
"""Heads of messages: the size of the rest, and before that the status of an answer."""
ANSWERED, REFUSED, FAILED = 200, 400, 500


def run() -> None:
    """Answer the questions on standard input. What is printed goes to standard error."""
    from sparring.web.workspace import Thinker

    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    questions: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(incoming, questions), daemon=True).start()
    with closing(Thinker(*pickle.loads(questions.get()))) as thinker:
        while True:
            status, body = _answer(thinker, questions.get())
            outgoing.write(ANSWER.pack(status, len(body)) + body)
            outgoing.flush()


def _read(incoming: BinaryIO, questions: "SimpleQueue[bytes]") -> None:
    """Pass questions on. End the process when the server is gone, also while it thinks."""
    while head := incoming.read(QUESTION.size):
        questions.put(incoming.read(*QUESTION.unpack(head)))
    os._exit(0)


def _answer(thinker: Any, question: bytes) -> tuple[int, bytes]:
    try:
        function, arguments = pickle.loads(question)
        return ANSWERED, written(function, function(thinker, *arguments))
    except HTTPException as error:
        return error.status_code, error.detail.encode(errors="replace")
    except SparringError as error:
        return REFUSED, str(error).encode(errors="replace")
    except BaseException as error:  # an agent may even call sys.exit
        return FAILED, f"{type(error).__name__}: {error}".encode(errors="replace")


def written(function: Callable[..., Any], result: Any) -> bytes:
    """Return the result of a function as JSON. Logs, and names of files, may have what is no Unicode."""
    try:
        return output(function).dump_json(result, exclude_defaults=True, fallback=_plain)
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise SparringError(f"a text of the answer is no Unicode: {error}; give it another name") from error


@cache
def output(function: Callable[..., Any]) -> TypeAdapter[Any]:
    """Return the type of what a function returns or, as a stream, yields."""
    result = inspect.signature(function).return_annotation
    return TypeAdapter(result.__metadata__[0] if inspect.isasyncgenfunction(function) else result)


def _plain(value: Any) -> Any:
    """Return NumPy's numbers as numbers, and any other note of an agent as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
