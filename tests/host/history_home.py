"""A person's home with sessions of the real programs, and everything else that may lie there."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[1] / "fakes" / "recordings" / "history"
"""Two sessions as the real programs wrote them, with long texts cut."""

CLAUDE_ID = "9930ce5a-36df-4181-8121-45faf473ac12"
CODEX_ID = "01a22cf4-e55c-74d2-baf5-b79785b83147"

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A home; what is put into it is as old as it is told to be."""

    path: Path

    def claude(
        self, session_id: str, records: Sequence[Record] | bytes, *, age_s: float = 0
    ) -> Path:
        """Put a session of Claude Code."""
        return self._put(
            self.path / ".claude/projects/-srv/" / f"{session_id}.jsonl", records, age_s
        )

    def codex(
        self, session_id: str, records: Sequence[Record] | bytes, *, age_s: float = 0
    ) -> Path:
        """Put a session of Codex."""
        name = f"rollout-2026-11-30T14-56-16-{session_id}.jsonl"
        return self._put(self.path / ".codex/sessions/2026/11/30" / name, records, age_s)

    def recorded(self) -> None:
        """Put the sessions that were recorded: Claude Code's is older."""
        self.claude(CLAUDE_ID, (RECORDINGS / "claude.jsonl").read_bytes(), age_s=60)
        self.codex(CODEX_ID, (RECORDINGS / "codex.jsonl").read_bytes(), age_s=30)

    def note(self, session_id: str, *, pid: int, status: str, started_ms: int) -> None:
        """Put the note that a running Claude Code keeps of itself."""
        note = {"pid": pid, "sessionId": session_id, "startedAt": started_ms, "status": status}
        path = self.path / ".claude/sessions" / f"{pid}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(note))

    def lock(self, session_id: str) -> Path:
        """Put the lock that a running Codex keeps of a session, and return it."""
        path = self.path / ".codex/thread-writer-locks" / f"{session_id}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    def everything(self) -> dict[str, tuple[bytes, int]]:
        """Return content and time of every file."""
        return {
            str(path): (path.read_bytes(), path.lstat().st_mtime_ns)
            for path in sorted(self.path.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def _put(self, path: Path, records: Sequence[Record] | bytes, age_s: float) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(records, bytes):
            path.write_bytes(records)
        else:
            path.write_text("".join(f"{json.dumps(one)}\n" for one in records))
        at = path.stat().st_mtime - age_s
        os.utime(path, (at, at))
        return path


def claude_said(role: str, text: str, uuid: str, parent: str | None, **more: Any) -> Record:
    """Return a record in which Claude Code keeps what somebody said."""
    return {
        "type": role,
        "uuid": uuid,
        "parentUuid": parent,
        "cwd": "/srv/project",
        "timestamp": "2026-11-30T14:56:16.011Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}]},
        **more,
    }


def codex_said(role: str, text: str) -> Record:
    """Return a record in which Codex keeps what somebody said."""
    kind = "input_text" if role == "user" else "output_text"
    content = [{"type": kind, "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return {"type": "response_item", "timestamp": "2026-11-30T14:56:16Z", "payload": payload}


def codex_event(kind: str, **more: Any) -> Record:
    """Return a record in which Codex keeps that something happened."""
    return {"type": "event_msg", "payload": {"type": kind, **more}}
