"""Ids: a prefix that says what it names, and 60 random bits that a model can copy."""

import secrets
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH: Final = 12


def new_id(prefix: str) -> str:
    """Return a fresh id such as `conv_5h0w3kq9xb2m`."""
    bits = secrets.randbits(5 * _LENGTH)
    return f"{prefix}_" + "".join(_ALPHABET[(bits >> (5 * i)) & 31] for i in range(_LENGTH))
