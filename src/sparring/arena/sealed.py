"""Seeds that users' agents cannot find out, although the code of this package and the experiment's seed are public.

A guest sees openings and rolls. With these it could try all small seeds until one fits, and would know every roll to
come. So games with guests get seeds that depend on a secret of the user too. The same command gives the same games
wherever the secret is the same.
"""

import hashlib
import os
import secrets
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from sparring.core.errors import SparringError
from sparring.core.files import private, user_data
from sparring.core.plugins import warn_once

SECRET_BYTES = 32
SEED_BITS = 52
"""Numbers of so many bits are exact in JavaScript too, with the number of a block added."""
WRITING_SECONDS = 2.0
"""The time that another process has to write the secret."""


def secret_file() -> Path:
    """The user's secret, beside the user's store. Only the user may read it, and guests may not."""
    return user_data() / "games.secret"


def sealed_seed(seed: int) -> int:
    """The first of the seeds of an experiment's games, as a keyed one-way function of the experiment's seed."""
    digest = hashlib.blake2b(f"{seed}".encode(), key=_secret(secret_file()), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 64 - SEED_BITS


@cache
def _secret(file: Path) -> bytes:
    """Read the secret, or make one."""
    private.add(file)
    fresh = secrets.token_bytes(SECRET_BYTES)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            made = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(made, "wb") as new:
                new.write(fresh)
        deadline = time.monotonic() + WRITING_SECONDS
        while len(known := file.read_bytes()) < SECRET_BYTES and time.monotonic() < deadline:
            time.sleep(0.01)
    except OSError as error:
        told = f"{file} cannot be kept ({error.strerror or error}), so users' agents in Python play on other seeds"
        warn_once(f"{told} in every run; set SPARRING_STORE to a file in a folder that can be written")
        return fresh
    if len(known) != SECRET_BYTES:
        raise SparringError(f"{file} is damaged; remove it, and users' agents play on other seeds from now on")
    return known
