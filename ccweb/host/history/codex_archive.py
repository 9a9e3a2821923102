"""The sessions of Codex: one file each below `sessions`, by day, a list of records."""

import fcntl
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

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
    texts_of,
    title_of,
)
from ccweb.host.programs import CODEX
from ccweb_contract.enums import MessageRole

_NAME: Final = re.compile(
    r"rollout-[0-9T-]+-(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl"
)
_TEXTS: Final = frozenset({"input_text", "output_text", "text"})
_BEGUN: Final = b'"task_started"'
_ENDED: Final = (b'"task_complete"', b'"turn_aborted"')
_PERSON: Final = "user.text"
_INDEX_BYTES: Final = 4 * 1024 * 1024


class CodexArchive:
    """All sessions of Codex of the person that runs the host."""

    program = CODEX.name

    def __init__(self) -> None:
        self.home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
        self._names: dict[str, str] = {}
        self._names_at = 0

    def files(self) -> list[SessionFile]:
        """Return the files of all sessions, those first that changed last."""
        self._read_names()
        return find(self.home / "sessions", depth=3, name=_NAME)

    def describe(self, file: SessionFile) -> Session | None:
        """Return what a session is about, None where no person has said anything in it."""
        head, _ = ends(file)
        records = [record(line) for line in head]
        meta = next((one for one in records if one.get("type") == "session_meta"), {})
        about = dict_of(meta.get("payload"))
        if isinstance(about.get("source"), dict):  # an agent's own helper, which it started itself
            return None
        first = next((said for said in _said_in(records) if said.role is MessageRole.USER), None)
        title = title_of(self._names.get(file.session_id), first.text if first else "")
        if not title:
            return None
        return Session(
            program=self.program, file=file, title=title, cwd=folder_of(about.get("cwd"))
        )

    def said(self, records: Iterable[Mapping[str, Any]], *, whole: bool) -> list[Said]:
        """Return what was said; of a whole session only what was not taken back."""
        known = records if not whole else _kept(records)
        return joined(_said_in(known))

    def elsewhere(self, session_ids: Iterable[str]) -> Mapping[str, Elsewhere]:
        """Return which sessions a process holds the lock of; their files tell which are at work."""
        held = [one for one in session_ids if _is_held(self._lock(one))]
        if not held:
            return {}
        files = {file.session_id: file for file in self.files()}
        return {
            one: Elsewhere.AT_WORK
            if one not in files or _is_at_work(files[one])
            else Elsewhere.OPEN
            for one in held
        }

    def _lock(self, session_id: str) -> Path:
        return self.home / "thread-writer-locks" / f"{session_id}.lock"

    def _read_names(self) -> None:
        """Take over the names that people have given to sessions."""
        path = self.home / "session_index.jsonl"
        with suppress(OSError):
            changed = path.stat().st_mtime_ns
            if changed != self._names_at:
                self._names_at = changed
                with path.open("rb") as index:
                    lines = index.read(_INDEX_BYTES).split(b"\n")
                named = [record(line) for line in lines]
                self._names = {
                    str(one["id"]): str(one["thread_name"])
                    for one in named
                    if one.get("id") and one.get("thread_name")
                }


def _is_held(lock: Path) -> bool:
    """Tell whether a process holds a lock; one that died has left the file behind at most."""
    try:
        handle = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def _is_at_work(file: SessionFile) -> bool:
    """Tell whether the last turn in a file has begun and not ended."""
    try:
        _, tail = ends(file)
    except OSError:
        return True
    for line in reversed(tail):
        if any(mark in line for mark in _ENDED):
            return False
        if _BEGUN in line:
            return True
    return True


def _said_in(records: Iterable[Mapping[str, Any]]) -> Iterator[Said]:
    for one in records:
        payload = dict_of(one.get("payload"))
        if one.get("type") != "response_item" or payload.get("type") != "message":
            continue
        text, at = texts_of(payload.get("content"), _TEXTS), moment_of(one.get("timestamp"))
        if payload.get("role") == "assistant" and text:
            yield Said(role=MessageRole.ASSISTANT, text=text, at=at)
        elif payload.get("role") == "user" and _is_of_a_person(payload, text):
            yield Said(role=MessageRole.USER, text=text, at=at)


def _is_of_a_person(payload: Mapping[str, Any], text: str) -> bool:
    """Tell whether a person wrote it; newer versions say so, older ones do not."""
    kinds = dict_of(payload.get("internal_chat_message_metadata_passthrough")).get(
        "content_item_kinds"
    )
    return is_of_a_person(text) and (not isinstance(kinds, list) or _PERSON in kinds)


def _kept(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the records without the turns that were rolled back."""
    kept: list[Mapping[str, Any]] = []
    for one in records:
        payload = dict_of(one.get("payload"))
        turns = payload.get("num_turns")
        if payload.get("type") == "thread_rolled_back" and isinstance(turns, int):
            for _ in range(min(turns, len(kept))):
                while kept and not _opens_turn(kept.pop()):
                    pass
        else:
            kept.append(one)
    return kept


def _opens_turn(one: Mapping[str, Any]) -> bool:
    return any(said.role is MessageRole.USER for said in _said_in([one]))
