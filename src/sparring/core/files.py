"""Folders for files of the user's programs, and safe reading and writing."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EPERM, EROFS
from hashlib import blake2b
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import platformdirs

from sparring.core.errors import SparringError

SUM = 16
"""Bytes of a checksum."""
MOST_BYTES = 1 << 30
"""The most memory that the arrays of a file may take. A small file may hold any number of zeros."""


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


def sealed(data: bytes, name: str) -> bytes:
    """Data behind a checksum of it and of a name, so that neither damage nor exchanged files go unnoticed."""
    return blake2b(name.encode() + b"\0" + data, digest_size=SUM).digest() + data


def unsealed(data: bytes, name: str) -> bytes:
    """The data that was sealed under a name. Raise ValueError if it is not what was sealed."""
    if sealed(data[SUM:], name) != data:
        raise ValueError(f"{name} is damaged")
    return data[SUM:]


def arrays(file: Path) -> dict[str, Any]:
    """All arrays of an .npz file. Raises ValueError if the file is damaged, of another kind, or cannot be read."""
    import numpy as np  # lists of games do without it

    try:
        with ZipFile(file) as packed:
            _check_sizes(packed)
        with np.load(file) as kept:
            return dict(kept)
    except Exception as error:  # a file may hold anything
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _check_sizes(packed: ZipFile) -> None:
    """Raise ValueError if an array would take other memory than its file says, or all of them too much."""
    from numpy.lib import format

    if sum(one.file_size for one in packed.infolist()) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES:,} bytes")
    for one in packed.infolist():
        with packed.open(one) as stream:
            if format.read_magic(stream) != (1, 0):
                raise ValueError(f"{one.filename} is no array of version 1.0")
            shape, _, dtype = format.read_array_header_1_0(stream)
            if prod(shape) * dtype.itemsize != one.file_size - stream.tell():
                raise ValueError(f"{one.filename} has not the size of its shape")
