"""Passwords: hashed and verified by argon2, which takes long on purpose."""

from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_HASHER: Final = PasswordHasher()


def hash_password(password: str) -> str:
    """Return what the database keeps of a password."""
    return _HASHER.hash(password)


def is_right(password_hash: str | None, password: str) -> bool:
    """Tell whether a password is the one that was hashed; without a hash it takes as long."""
    try:
        _HASHER.verify(password_hash or _nobody(), password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


@cache
def _nobody() -> str:
    return _HASHER.hash("")
