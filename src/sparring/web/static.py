"""The files of the page itself: read once, compressed once, and sent again only when they have changed."""

import gzip
import hashlib
import mimetypes
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from sparring.web.answers import LEAST

FOLDER = Path(__file__).parent / "static"
TEXTS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def file_of(path: str) -> Path | None:
    """The file of a path, of those that there are: nothing that a path says is looked up on the disk."""
    wanted = path.strip("/") or "index.html"
    known = {file.relative_to(FOLDER).as_posix(): file for file in FOLDER.rglob("*") if file.is_file()}
    return known.get(wanted)


def sent(request: Request, file: Path) -> Response:
    stat = file.stat()
    plain, packed, tag = _read(file, stat.st_mtime_ns, stat.st_size)
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    kind = TEXTS.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or file.suffix in TEXTS:
        kind = f"{kind}; charset=utf-8"
    if packed and accepts_gzip(request):
        return Response(packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=kind)
    return Response(plain, headers=headers, media_type=kind)


@lru_cache(maxsize=256)
def _read(file: Path, changed: int, size: int) -> tuple[bytes, bytes, str]:
    """What a file says, the same compressed if that pays, and a tag that stands for it."""
    plain = file.read_bytes()
    packed = gzip.compress(plain, 9, mtime=0) if size > LEAST else b""
    tag = f'"{hashlib.blake2b(plain, digest_size=12).hexdigest()}"'
    return plain, packed if len(packed) < len(plain) else b"", tag


def accepts_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")
