"""`published.json`: the last published contract, which `publish` writes and `breaking` reads."""

import json
from pathlib import Path
from typing import Any

from codegen.problems import ContractError

NAME = "published.json"


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
    if not isinstance(values, dict) or not isinstance(values.get("hashes"), dict):
        raise damaged(folder)
    return values


def damaged(folder: Path) -> ContractError:
    """Return the refusal of a file that `publish` has not written."""
    text = "this is not what `publish` writes; take the file from git"
    return ContractError([f"{folder.name}/{NAME}:1: unreadable: {text}"])


def releases(folder: Path) -> dict[str, str]:
    """Return the release by hash of every contract that has been published."""
    values = read(folder)
    return dict(values["hashes"]) if values else {}
