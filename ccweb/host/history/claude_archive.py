"""The sessions of Claude Code: one file each below `projects`, a tree of records."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psutil

from ccweb.db.tables.history import Elsewhere
from ccweb.host.history.files import SessionFile, ends, find
from ccweb.host.history.session import (
    Said,
    Session,
    dict_of,
    folder_of,
    is_of_a_person,
    joined,
    moment_of,
    record,
    text_of,
    texts_of,
    title_of,
)
from ccweb.host.programs import CLAUDE
from ccweb_contract.enums import MessageRole

_NAME: Final = re.compile(r"(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl")
_TEXT: Final = frozenset({"text"})
_STARTED_S: Final = 5.0
"""A process that began so long after a note was written is another one with the same number."""
_NOTE_BYTES: Final = 64 * 1024


class ClaudeArchive:
    """All sessions of Claude Code of the person that runs the host."""

    program = CLAUDE.name

    def __init__(self) -> None:
        self.home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")

    def files(self) -> list[SessionFile]:
        """Return the files of all sessions, those first that changed last."""
        return find(self.home / "projects", depth=1, name=_NAME)

    def describe(self, file: SessionFile) -> Session | None:
        """Return what a session is about, None where no person has said anything in it."""
        head, tail = ends(file)
        opening = [record(line) for line in head if b'"user"' in line or b'"cwd"' in line]
        first = next((said for said in _said_in(opening) if said.role is MessageRole.USER), None)
        names = _names(tail)
        title = title_of(
            names.get("customTitle"),
            names.get("aiTitle"),
            first.text if first else names.get("lastPrompt"),
        )
        cwd = next((folder for one in opening if (folder := folder_of(one.get("cwd")))), "")
        if not title:
            return None
        return Session(program=self.program, file=file, title=title, cwd=cwd)

    def said(self, records: Iterable[Mapping[str, Any]], *, whole: bool) -> list[Said]:
        """Return what was said; of a whole session only what was not taken back."""
        known = list(records)
        return joined(_said_in(_branch(known) if whole else known))

    def elsewhere(self, session_ids: Iterable[str]) -> Mapping[str, Elsewhere]:
        """Return which sessions a process has noted as its own, by the notes of live ones."""
        wanted = set(session_ids)
        found: dict[str, Elsewhere] = {}
        for note in self._notes():
            session_id = text_of(note.get("sessionId"))
            if session_id in wanted and _is_alive(note):
                rests = note.get("status") == "idle"
                found[session_id] = Elsewhere.OPEN if rests else Elsewhere.AT_WORK
        return found

    def _notes(self) -> Iterator[dict[str, Any]]:
        """Yield what each running process has noted of itself."""
        with suppress(OSError), os.scandir(self.home / "sessions") as entries:
            for entry in entries:
                if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False):
                    with suppress(OSError), Path(entry.path).open("rb") as note:
                        yield record(note.read(_NOTE_BYTES))


def _is_alive(note: Mapping[str, Any]) -> bool:
    pid, started_ms = note.get("pid"), note.get("startedAt")
    if not isinstance(pid, int) or not isinstance(started_ms, int):
        return False
    try:
        return psutil.Process(pid).create_time() <= started_ms / 1000 + _STARTED_S
    except (psutil.Error, ValueError, OverflowError):
        return False


def _names(tail: list[bytes]) -> dict[str, Any]:
    """Return the last title of each kind near the end of a file."""
    names: dict[str, Any] = {}
    for line in tail:
        if b'itle"' in line or b'"last-prompt"' in line:
            known = record(line)
            names |= {key: known[key] for key in ("customTitle", "aiTitle") if key in known}
            if known.get("type") == "last-prompt":
                names["lastPrompt"] = known.get("lastPrompt")
    return names


def _said_in(records: Iterable[Mapping[str, Any]]) -> Iterator[Said]:
    for one in records:
        if any(one.get(key) for key in ("isSidechain", "isMeta", "isCompactSummary")):
            continue
        content = dict_of(one.get("message")).get("content")
        text, at = texts_of(content, _TEXT), moment_of(one.get("timestamp"))
        if one.get("type") == "user" and is_of_a_person(text):
            yield Said(role=MessageRole.USER, text=text, at=at)
        elif one.get("type") == "assistant" and text and not one.get("isApiErrorMessage"):
            yield Said(role=MessageRole.ASSISTANT, text=text, at=at)


def _branch(records: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the records from the first to the last one of the branch that goes on.

    Each names the one before it. Where that one is not known, all that stands before is kept.
    """
    by_id = {
        one["uuid"]: one
        for one in records
        if isinstance(one.get("uuid"), str) and not one.get("isSidechain")
    }
    at = next(reversed(by_id.values()), None)
    kept: set[str] = set()
    while at is not None and at["uuid"] not in kept:
        kept.add(at["uuid"])
        before = at.get("parentUuid") or at.get("logicalParentUuid")
        if before is not None and before not in by_id:
            first = records.index(at)
            return [*records[:first], *(one for one in records[first:] if one.get("uuid") in kept)]
        at = by_id.get(before) if before else None
    return [one for one in records if one.get("uuid") in kept]
