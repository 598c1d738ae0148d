"""Folders for files of the user's programs, and safe reading and writing."""

import os
import shutil
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EPERM, EROFS
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import platformdirs

from sparring.core.errors import SparringError


def user_cache() -> Path:
    """Folder for files that can be made again."""
    return platformdirs.user_cache_path("sparring", appauthor=False)


private: set[Path] = set()
"""Files of this process that users' agents may not read."""


def user_data() -> Path:
    """Folder for files that cannot be made again: that of $SPARRING_STORE, or that of the user's data."""
    chosen = os.environ.get("SPARRING_STORE")
    return Path(chosen).parent if chosen else platformdirs.user_data_path("sparring", appauthor=False)


def cannot_write(place: Path, error: OSError) -> SparringError:
    """Return the error for a file or folder that cannot be written, with the remedy if permission is lacking."""
    remedy = "; name a place that you may write" if error.errno in (EACCES, EPERM, EROFS) else ""
    return SparringError(f"cannot write {place}: {error.strerror or error}{remedy}")


@contextmanager
def atomic_write(file: Path) -> Iterator[Path]:
    """A place to write to that becomes the file at the end: the file is there whole or not at all, even if others write
    it at the same time. It keeps its permissions. A link stays a link; a device or a pipe is written to directly."""
    stream = file.exists() and not file.is_file()
    place = file if stream else file.resolve()
    part = place.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        yield file if stream else part
        if not stream:
            with suppress(FileNotFoundError):
                shutil.copymode(place, part)
            part.replace(place)
    except OSError as error:
        raise cannot_write(file, error) from error
    finally:
        part.unlink(missing_ok=True)


def arrays(file: Path) -> dict[str, Any]:
    """All arrays of an .npz file. Raises ValueError if the file is damaged, of another kind, or cannot be read."""
    import numpy as np  # lists of games do without it

    try:
        with np.load(file) as kept:
            return dict(kept)
    except (OSError, EOFError, TypeError, BadZipFile, zlib.error) as error:
        raise ValueError(str(error)) from error
