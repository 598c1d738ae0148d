"""The body of a request: not too long, and not too long in coming."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

SECONDS = 10.0
"""For a request to arrive."""


async def received(request: Request, most: int) -> bytes:
    """What was sent, of at most so many bytes."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(SECONDS):
            async for part in request.stream():
                parts.append(part)
                size += len(part)
                if size > most:
                    raise HTTPException(413, f"more than {most >> 10} kB")
    except TimeoutError:
        raise HTTPException(408, f"the request did not arrive within {SECONDS:g} s") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request was broken off") from None
    return b"".join(parts)
