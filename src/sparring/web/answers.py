"""Answers as bytes: JSON, compressed where it pays; and refusals, one line that names the remedy."""

import gzip
import json

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from sparring.core.errors import SparringError
from sparring.core.table import in_a_line, plain

LEAST = 500
"""Bytes of what is worth compressing."""
QUICKLY = 5
"""How hard, of 9."""
TOLD = 300
"""Letters of an error."""


class Refusal(SparringError):
    """An error with the status that tells a program what kind it is."""

    def __init__(self, status: int, told: str) -> None:
        super().__init__(told)
        self.status = status


def first_fault(error: ValidationError) -> str:
    """What is wrong first in something that does not fit a model."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the request'}: {first['msg']}"


def answered(body: bytes, packed: bool = False, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if packed and len(body) > LEAST:
        body = gzip.compress(body, QUICKLY, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(body, status, headers, media_type="application/json")


def refused(error: Exception) -> Response:
    status, told = error.status if isinstance(error, Refusal) else 400, str(error)
    if isinstance(error, HTTPException):
        status, told = error.status_code, error.detail
    answer = answered(json.dumps({"error": plain(in_a_line(told))[:TOLD]}).encode(), status=status)
    if status in (408, 413):
        answer.headers["Connection"] = "close"  # the rest of what was sent will not be read
    return answer
