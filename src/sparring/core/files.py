"""Where a user's programs keep things, and how they write and read them."""

import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sparring.core.errors import SparringError


def user_cache() -> Path:
    """The folder for what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sparring"


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A place to write to that becomes the file once all is well: it is there whole or not at all, whoever else may be
    writing the same. A link stays one; a device, or a pipe, is written to as it is."""
    stream = file.exists() and not file.is_file()
    place = file if stream else file.resolve()
    part = place.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        yield file if stream else part
        if not stream:
            part.replace(place)
    except OSError as error:
        raise SparringError(f"cannot write {file}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


def arrays(file: Path) -> dict[str, Any]:
    """All that an .npz file holds; a ValueError if it is none, or damaged, or cannot be read."""
    try:
        with np.load(file) as kept:
            return dict(kept)
    except (OSError, EOFError, TypeError, BadZipFile, zlib.error) as error:
        raise ValueError(str(error)) from error
