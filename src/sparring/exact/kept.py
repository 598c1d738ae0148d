"""What was computed once is kept in the user's cache, as arrays in a file of its own."""

import contextlib
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sparring.kernel import PACKAGE, user_cache

Arrays = Mapping[str, Any]
FILES_KEPT = 3
"""Of each name, so that two versions of the package do not drive each other out."""


def kept(name: str, sources: list[str], make: Callable[[], Arrays]) -> Arrays:
    """The arrays of a name, made anew if there are none, or damaged ones, or if a source file that they follow from has
    changed since."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sources:
        digest.update((PACKAGE / source).read_bytes())
    file = user_cache() / f"{name}-{digest.hexdigest()}.npz"
    with contextlib.suppress(OSError, ValueError, EOFError, zipfile.BadZipFile), np.load(file) as found:
        return dict(found)
    made = make()
    with contextlib.suppress(OSError):
        _write(file, made)
        for old in sorted(file.parent.glob(f"{name}-*.npz"), key=lambda path: path.stat().st_mtime)[:-FILES_KEPT]:
            old.unlink()
    return made


def _write(file: Path, arrays: Arrays) -> None:
    """Whole or not at all, whoever else may be writing the same."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=file.parent, prefix=file.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez(stream, **arrays)
        Path(unfinished).replace(file)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
