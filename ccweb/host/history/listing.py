"""The list of sessions: those of all programs together, those first that changed last."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from heapq import merge
from pathlib import Path

from ccweb.host.history.claude_archive import ClaudeArchive
from ccweb.host.history.codex_archive import CodexArchive
from ccweb.host.history.files import SessionFile
from ccweb.host.history.session import Archive, Session


class Sessions:
    """All sessions on this machine; what one is about is read again only when it has changed."""

    def __init__(self) -> None:
        self.archives: dict[str, Archive] = {
            archive.program: archive for archive in (ClaudeArchive(), CodexArchive())
        }
        self._known: dict[Path, tuple[SessionFile, Session | None]] = {}

    def find(self, query: str, *, without: Collection[str], limit: int) -> list[Session]:
        """Return the first sessions that fit.

        Args:
            query: Words that all stand in title or folder, in any case.
            without: Ids of sessions to leave out.
            limit: Most sessions to return.
        """
        words = query.casefold().split()
        found: list[Session] = []
        for session in self._sessions(without):
            about = f"{session.title} {session.cwd} {session.program}".casefold()
            if all(word in about for word in words):
                found.append(session)
                if len(found) == limit:
                    break
        return found

    def get(self, program: str, session_id: str) -> Session | None:
        """Return a session, None where there is none that can be read."""
        archive = self.archives.get(program)
        files = archive.files() if archive else []
        file = next((one for one in files if one.session_id == session_id), None)
        return self._describe(archive, file) if archive and file else None

    def _sessions(self, without: Collection[str]) -> Iterator[Session]:
        lists = [
            [(file, archive) for file in archive.files() if file.session_id not in without]
            for archive in self.archives.values()
        ]
        for file, archive in _merged(lists):
            if session := self._describe(archive, file):
                yield session

    def _describe(self, archive: Archive, file: SessionFile) -> Session | None:
        known, session = self._known.get(file.path, (None, None))
        if known == file:
            return session
        session = None
        with suppress(OSError):
            session = archive.describe(file)
        self._known[file.path] = (file, session)
        return session


def _merged(
    lists: Sequence[list[tuple[SessionFile, Archive]]],
) -> Iterator[tuple[SessionFile, Archive]]:
    return merge(*lists, key=lambda one: one[0].changed_ns, reverse=True)
