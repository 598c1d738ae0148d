"""What was computed once is kept in the user's cache, as arrays in a file of its own."""

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError
from sparring.core.files import arrays, user_cache, written_whole

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
    with contextlib.suppress(ValueError):
        return arrays(file)
    made = make()
    with contextlib.suppress(OSError, SparringError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(file) as part, part.open("wb") as stream:
            np.savez(stream, **made)
        for old in sorted(file.parent.glob(f"{name}-*.npz"), key=lambda path: path.stat().st_mtime)[:-FILES_KEPT]:
            old.unlink()
    return made
