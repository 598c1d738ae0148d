"""Where a user's programs keep things, and how they write them."""

import os
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparring.errors import SparringError

NO_ARRAYS = (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error)
"""What NumPy may raise over a file that is not there, is damaged, or holds something else."""


def user_cache() -> Path:
    """The folder for what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sparring"


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A place to write to that becomes the file once all is well: it is there whole or not at all, whoever else may be
    writing the same."""
    part = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        yield part
        part.replace(file)
    except OSError as error:
        raise SparringError(f"cannot write {file}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
