"""HTTP bodies: requests are read within limits, answers are JSON, and an error is one line that names the remedy."""

import asyncio
import json

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from sparring.core.table import one_line, plain

ARRIVAL_SECONDS = 10.0
"""Time that a request has to arrive."""
MAX_ERROR = 300
"""Characters of an error message."""


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request. Refuse a body that has more bytes than `limit` or arrives too slowly."""
    body = bytearray()
    try:
        async with asyncio.timeout(ARRIVAL_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise HTTPException(413, f"more than {limit >> 10} kB")
    except TimeoutError:
        raise HTTPException(408, f"the request did not arrive within {ARRIVAL_SECONDS:g} s") from None
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed before the whole request arrived") from None
    return bytes(body)


def json_response(body: bytes, status: int = 200) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, media_type="application/json")


def error_response(error: Exception) -> Response:
    """Answer an HTTPException with its status, and any other error with 400."""
    status, message = (error.status_code, error.detail) if isinstance(error, HTTPException) else (400, str(error))
    response = json_response(json.dumps({"error": plain(one_line(message))[:MAX_ERROR]}).encode(), status)
    if status in (408, 413):
        response.headers["Connection"] = "close"  # the rest of the request will not be read
    return response
