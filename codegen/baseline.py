"""`published.json`: the last published contract, which `publish` writes and `breaking` reads."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codegen.literals import pretty_json
from codegen.problems import ContractError

NAME = "published.json"
_DIGEST = "digest"
"""Tells a file that a merge has put together, or a hand has mended, from what was published."""


def read(folder: Path) -> dict[str, Any] | None:
    """Return what stands in a contract's folder, None when nothing has been published.

    Raises:
        ContractError: the file is there and is not what `publish` writes.
    """
    try:
        values = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ContractError([f"{folder.name}/{NAME}:1: unreadable: {error}"]) from error
    if not isinstance(values, dict) or values.pop(_DIGEST, None) != _digest(values):
        raise damaged(folder)
    return values


def text(values: Mapping[str, Any]) -> str:
    """Return what is to stand in the file."""
    return pretty_json({**values, _DIGEST: _digest(values)})


def _digest(values: Mapping[str, Any]) -> str:
    whole = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()


def damaged(folder: Path) -> ContractError:
    """Return the refusal of a file that `publish` has not written."""
    says = "this is not what `publish` has written; take the file of one revision from git"
    return ContractError([f"{folder.name}/{NAME}:1: unreadable: {says}"])


def releases(folder: Path) -> dict[str, str]:
    """Return the release by hash of every contract that has been published."""
    values = read(folder)
    return dict(values["hashes"]) if values else {}
