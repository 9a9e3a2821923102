"""The rules of access: the form of a secret, its hash, and how often a password may be tried."""

import hashlib
from datetime import timedelta
from typing import Final

TOKEN_PREFIX: Final = "ccw_"  # noqa: S105 - a prefix is no secret
AGENT_PREFIX: Final = "cca_"

MAX_FAILURES: Final = 5
FAILURE_WINDOW: Final = timedelta(minutes=15)
MIN_PASSWORD_LENGTH: Final = 8


def hash_of(secret: str) -> str:
    """Return what the database keeps of a secret of 256 random bits."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def is_locked(failures: int) -> bool:
    """Tell whether a name may not try a password any more within the window."""
    return failures >= MAX_FAILURES
