"""A session of a program: what it is about, what was said in it, and who has it open."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

from ccweb.clock import from_ms
from ccweb.db.tables.history import Elsewhere
from ccweb.host.history.files import SessionFile
from ccweb_contract.enums import MessageRole

_TITLE: Final = 100
_UNTOLD: Final = (
    *("<command-", "<local-command-", "<bash-", "<system-reminder>", "<task-notification>"),
    *("<environment_context>", "<user_instructions>", "<permissions instructions>"),
    *("<turn_aborted>", "<skill>", "<INSTRUCTIONS>", "<user_shell_command>", "Caveat: "),
    *("# AGENTS.md instructions", "[Request interrupted by user", "[Your previous response had"),
)
"""How the texts begin that a program wrote in a person's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session, as a list shows it."""

    program: str
    file: SessionFile
    title: str
    cwd: str

    @property
    def changed_at(self) -> datetime:
        """Return when something was last written to it."""
        return from_ms(self.file.changed_ns // 1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something that a person or the agent said."""

    role: MessageRole
    text: str
    at: datetime | None


class Archive(Protocol):
    """All sessions of one program on this machine."""

    program: str

    def files(self) -> list[SessionFile]:
        """Return the files of all sessions, those first that changed last."""
        ...

    def describe(self, file: SessionFile) -> Session | None:
        """Return what a session is about, None where no person has said anything in it.

        Raises:
            OSError: its file cannot be read.
        """
        ...

    def said(self, records: Iterable[Mapping[str, Any]], *, whole: bool) -> list[Said]:
        """Return what was said in records of its file; `whole` are those of a whole session."""
        ...

    def elsewhere(self, session_ids: Iterable[str]) -> Mapping[str, Elsewhere]:
        """Return which of these sessions another process has open."""
        ...


def record(line: bytes) -> dict[str, Any]:
    """Return the object in a line, an empty one where there is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def is_of_a_person(text: str) -> bool:
    """Tell whether a text in a person's name was written by a person."""
    return bool(text.strip()) and not text.lstrip().startswith(_UNTOLD)


def clean(text: str) -> str:
    """Return a text without what no text column can hold."""
    return text.replace("\x00", "\ufffd").encode(errors="replace").decode()


def title_of(*candidates: object) -> str:
    """Return the first candidate that says something, as one short line."""
    for candidate in candidates:
        if isinstance(candidate, str) and (line := " ".join(clean(candidate).split())):
            return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
    return ""


def moment_of(value: object) -> datetime | None:
    """Return a time as records write it, None for anything else."""
    try:
        read = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return read if read and read.tzinfo else None


def joined(found: Iterable[Said]) -> list[Said]:
    """Return what was said, with all that one side said in a row as one text."""
    texts: list[Said] = []
    for said in found:
        if texts and texts[-1].role is said.role is MessageRole.ASSISTANT:
            texts[-1] = replace(texts[-1], text=f"{texts[-1].text}\n\n{said.text}")
        else:
            texts.append(said)
    return texts


def texts_of(content: object, kinds: frozenset[str]) -> str:
    """Return the texts in the content of a message, which is a text or a list of blocks."""
    if isinstance(content, str):
        return clean(content)
    blocks = content if isinstance(content, list) else []
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, dict)
        and block.get("type") in kinds
        and isinstance(block.get("text"), str)
    ]
    return clean("\n\n".join(text for text in texts if text.strip()))


def dict_of(value: object) -> dict[str, Any]:
    """Return an object of a record, an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """Return a text of a record, '' where there is none."""
    return clean(value) if isinstance(value, str) else ""


def folder_of(value: object) -> str:
    """Return the folder that a record names, '' where it names none."""
    text = text_of(value)
    return text if text and Path(text).is_absolute() else ""
