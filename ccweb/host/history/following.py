"""Sessions that conversations show: opened, followed while they go on outside, and gone on with."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import anyio
import structlog
from sqlalchemy import Connection

from ccweb.clock import Moment, moment
from ccweb.conversations import outside, service, store
from ccweb.conversations.model import Conversation
from ccweb.conversations.outside import OutsideSession
from ccweb.conversations.service import NewConversation
from ccweb.db.engine import Database
from ccweb.db.tables.history import Elsewhere
from ccweb.host.history.files import lines_from
from ccweb.host.history.listing import Sessions
from ccweb.host.history.session import Archive, Said, Session, record
from ccweb.host.programs import CLAUDE
from ccweb_contract.enums import AgentKind, PermissionMode

log = structlog.get_logger()

_LISTED: Final = 200
_SHOWN: Final = 1000
"""So many texts of an opened session become messages; the agent knows them all."""
_READ_BYTES: Final = 32 * 1024 * 1024
"""So much of the end of a session's file is read for them."""


class History:
    """What a host does with the sessions of its person: it reads, and writes nothing of them."""

    def __init__(self, db: Database, host_id: str, able: Callable[[], Sequence[AgentKind]]) -> None:
        self._db = db
        self._host_id = host_id
        self._able = able
        self._sessions = Sessions()

    # --- listing ------------------------------------------------------------------------------

    async def listed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the sessions that fit a query."""
        own = await self._db.read(lambda c: outside.own_sessions(c, self._host_id))
        shown = await self._db.read(lambda c: outside.shown(c, self._host_id))
        query = str(given.get("query", ""))
        found = await anyio.to_thread.run_sync(self._list, query, own)
        return {
            "more": len(found) > _LISTED,
            "sessions": [
                _told(session, elsewhere, shown.get(session.file.session_id))
                for session, elsewhere in found[:_LISTED]
            ],
        }

    def _list(self, query: str, own: set[str]) -> list[tuple[Session, Elsewhere]]:
        found = self._sessions.find(query, without=own, limit=_LISTED + 1)
        elsewhere = self._elsewhere((one.program, one.file.session_id) for one in found)
        return [(one, elsewhere.get(one.file.session_id, Elsewhere.CLOSED)) for one in found]

    def _elsewhere(self, sessions: Iterable[tuple[str, str]]) -> dict[str, Elsewhere]:
        by_program: dict[str, list[str]] = {}
        for program, session_id in sessions:
            by_program.setdefault(program, []).append(session_id)
        found: dict[str, Elsewhere] = {}
        for program, ids in by_program.items():
            found |= self._sessions.archives[program].elsewhere(ids)
        return found

    # --- opening ------------------------------------------------------------------------------

    async def open(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the conversation that shows a session, which is made unless there is one."""
        program, session_id = str(given.get("program", "")), str(given.get("sessionId", ""))
        shown = await self._db.read(lambda c: outside.shown(c, self._host_id))
        if session_id in shown:
            return {"conversationId": shown[session_id]}
        session = await anyio.to_thread.run_sync(self._sessions.get, program, session_id)
        if session is None:
            return {"conversationId": None}
        read = await anyio.to_thread.run_sync(self._read_whole, session)
        person_id = str(given.get("personId", ""))
        made = await self._db.write(lambda c: self._make(c, session, read, person_id))
        return {"conversationId": made}

    def _read_whole(self, session: Session) -> "_Read":
        start, session_id = max(0, session.file.size_bytes - _READ_BYTES), session.file.session_id
        elsewhere = self._elsewhere([(session.program, session_id)])
        read = self._read(session.program, session.file.path, start, whole=True)
        return replace(read, elsewhere=elsewhere.get(session_id, Elsewhere.CLOSED))

    def _make(self, c: Connection, session: Session, read: "_Read", person_id: str) -> str:
        m, session_id = moment(), session.file.session_id
        if there := outside.shown(c, self._host_id).get(session_id):  # a second press
            return there
        new = NewConversation(
            title=session.title,
            agent=self._agent(session.program),
            cwd=session.cwd or str(Path.home()),
            permission_mode=PermissionMode.ASK,
            host_id=self._host_id,
        )
        made = service.create(c, m, new)
        store.set_agent_session(c, made.id, session_id)
        shown = OutsideSession(
            conversation_id=made.id,
            program=session.program,
            session_id=session_id,
            path=str(session.file.path),
            read_bytes=read.read_bytes,
            elsewhere=read.elsewhere,
        )
        outside.add(c, shown)
        _write(c, m, made.id, read.said[-_SHOWN:], person_id)
        store.touch(c, made.id, session.changed_at)
        log.info("session_opened", conversation_id=made.id, program=session.program)
        return made.id

    def _agent(self, program: str) -> AgentKind:
        """Return the kind that goes on with a program's sessions: the one that can ask people."""
        if program == CLAUDE.name:
            return AgentKind.CLAUDE
        able = self._able()
        is_exec = AgentKind.CODEX in able and AgentKind.CODEX_APP not in able
        return AgentKind.CODEX if is_exec else AgentKind.CODEX_APP

    # --- following ----------------------------------------------------------------------------

    async def follow(self) -> None:
        """Bring in what was said in sessions that go on outside since they were last looked at."""
        sessions = await self._db.read(lambda c: outside.followed(c, self._host_id))
        if sessions:
            await self._catch_up(sessions)

    async def _catch_up(self, sessions: Sequence[OutsideSession]) -> None:
        for session, read in await anyio.to_thread.run_sync(self._read_on, sessions):
            await self._db.write(
                lambda c, session=session, read=read: self._bring_in(c, session, read)  # type: ignore[misc]
            )

    def _read_on(self, sessions: Sequence[OutsideSession]) -> list[tuple[OutsideSession, "_Read"]]:
        """Return what is new in those sessions in which something is."""
        elsewhere = self._elsewhere((one.program, one.session_id) for one in sessions)
        found = []
        for session in sessions:
            who = elsewhere.get(session.session_id, Elsewhere.CLOSED)
            if who is session.elsewhere and _size(session.path) == session.read_bytes:
                continue
            read = self._read(session.program, Path(session.path), session.read_bytes)
            if who is not session.elsewhere or read.read_bytes != session.read_bytes:
                found.append((session, replace(read, elsewhere=who)))
        return found

    def _bring_in(self, c: Connection, session: OutsideSession, read: "_Read") -> None:
        m = moment()
        now = replace(session, elsewhere=read.elsewhere)
        conversation = store.get(c, session.conversation_id)
        is_over = conversation is None or outside.is_continued(c, session.conversation_id)
        if is_over or not outside.advance(c, m, now, read_bytes=read.read_bytes):
            return
        person_id = outside.person_of(c, session.conversation_id)
        _write(c, m, session.conversation_id, read.said, person_id)
        if read.said:
            store.touch(c, session.conversation_id, m.now)

    def _read(self, program: str, path: Path, start: int, *, whole: bool = False) -> "_Read":
        """Return what was said from a position on; `whole` is that of a whole session."""
        archive: Archive = self._sessions.archives[program]
        records, position = [], start
        try:
            for line, after in lines_from(path, start):
                records.append(record(line))
                position = after
        except OSError:
            return _Read(said=(), read_bytes=start)
        return _Read(said=tuple(archive.said(records, whole=whole)), read_bytes=position)

    # --- going on -----------------------------------------------------------------------------

    async def before_turn(self, conversation: Conversation) -> Elsewhere | None:
        """Bring in the last of a session, and return who has it open, before it is gone on with.

        None where the conversation was not made from one, or has a session of its own by now.
        """
        session = await self._db.read(lambda c: outside.get(c, conversation.id))
        if session is None or session.session_id != conversation.agent_session:
            return None
        if await self._db.read(lambda c: outside.is_continued(c, conversation.id)):
            return Elsewhere.CLOSED
        await self._catch_up([session])
        now = await self._db.read(lambda c: outside.get(c, conversation.id))
        return now.elsewhere if now else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    said: tuple[Said, ...]
    read_bytes: int
    elsewhere: Elsewhere = Elsewhere.CLOSED


def _size(path: str) -> int:
    try:
        return Path(path).lstat().st_size
    except OSError:
        return -1


def _told(session: Session, elsewhere: Elsewhere, conversation_id: str | None) -> dict[str, Any]:
    return {
        "program": session.program,
        "sessionId": session.file.session_id,
        "title": session.title,
        "cwd": session.cwd,
        "folderIsGone": bool(session.cwd) and not Path(session.cwd).is_dir(),
        "changedAt": session.file.changed_ns // 1_000_000,
        "sizeBytes": session.file.size_bytes,
        "elsewhere": elsewhere.value,
        "conversationId": conversation_id,
    }


def _write(
    c: Connection, m: Moment, conversation_id: str, found: Sequence[Said], person_id: str
) -> None:
    """Write what was said, each text with its time, which never goes back and is never ahead."""
    at = outside.last_said_at(c, conversation_id)
    for said in found:
        at = min(max(said.at or m.now, at), m.now)
        outside.say(
            c, replace(m, now=at), conversation_id, said.role, said.text, person_id=person_id
        )
