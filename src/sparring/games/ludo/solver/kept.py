"""Keep computed arrays in files of the user's cache."""

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError
from sparring.core.files import arrays, atomic_write, user_cache

Arrays = Mapping[str, Any]
FILES_KEPT = 3  # files of each name, so that two versions of the package do not remove each other's


def kept(name: str, sources: list[str], make: Callable[[], Arrays]) -> Arrays:
    """The arrays of a name, computed anew if the file is missing or damaged, or if a source file has changed."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sources:
        digest.update((PACKAGE / source).read_bytes())
    file = user_cache() / f"{name}-{digest.hexdigest()}.npz"
    with contextlib.suppress(ValueError):
        return arrays(file)
    made = make()
    with contextlib.suppress(OSError, SparringError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(file) as part, part.open("wb") as stream:
            np.savez(stream, **made)
        for old in sorted(file.parent.glob(f"{name}-*.npz"), key=lambda path: path.stat().st_mtime)[:-FILES_KEPT]:
            old.unlink()
    return made
