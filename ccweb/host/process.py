"""Processes: the only code that starts any, and the one way in which they end."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
import anyio.abc
import psutil

from ccweb.host.identity import Birth, birth
from ccweb.host.tree import MARK, end_tree

MAX_LINE_BYTES: Final = 32 * 1024 * 1024
_READ_BYTES: Final = 256 * 1024
_TAIL_BYTES: Final = 64 * 1024
_DISCARD_S: Final = 1.0
_HELD_S: Final = 1.0
"""So soon after the end of a process, and of what it says, its output is over, whoever holds it."""

_GATE: Final = ("/bin/sh", "-c", 'read -r _ || exit 125; exec "$@"', "ccweb")
"""Waits for one line before it becomes the real command; if we die before, it ends by itself."""

_ALLOWED: Final = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
        *("http_proxy", "https_proxy", "no_proxy"),
    }
)


class CommandMissing(RuntimeError):
    """There is no such command on this machine."""


class LineTooLong(RuntimeError):
    """A process wrote a line over the limit."""


def environment(parent: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of an agent: what is allowed of the parent's, and `extra`."""
    kept = {k: v for k, v in parent.items() if k in _ALLOWED or k.startswith(("LC_", "XDG_"))}
    return {"PYTHONUTF8": "1", **kept, **extra}


class Lines:
    """Cuts bytes into lines, in whatever pieces they come, and decodes each line as UTF-8."""

    def __init__(self, limit_bytes: int = MAX_LINE_BYTES) -> None:
        self._limit = limit_bytes
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that `data` completes.

        Raises:
            LineTooLong: a line has more than the limit.
        """
        searched = len(self._rest)
        self._rest += data
        end = self._rest.rfind(b"\n", searched)
        if end < 0:
            if len(self._rest) > self._limit:
                raise LineTooLong(f"It wrote a line of more than {self._limit} bytes.")
            return []
        lines = [_text(line) for line in self._rest[:end].split(b"\n")]
        del self._rest[: end + 1]
        return lines

    def finish(self) -> list[str]:
        """Return what came after the last newline, if anything did."""
        rest, self._rest = self._rest, bytearray()
        return [_text(rest)] if rest else []


def _text(line: bytes | bytearray) -> str:
    return line.decode(errors="replace").removesuffix("\r")


class Process:
    """A child in a session of its own; `end` leaves nothing of its tree behind."""

    def __init__(self, inner: anyio.abc.Process, born: Birth, mark: str) -> None:
        self._inner = inner
        self._lines = Lines()
        self._ready: list[str] = []
        self._tail = bytearray()
        self._drained = anyio.Event()
        self._input_closed = inner.stdin is None
        self.born = born
        self.mark = mark

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path | str,
        env: Mapping[str, str],
        mark: str,
        own_stderr: bool = True,
        gated: bool = False,
    ) -> "Process":
        """Start a command.

        Args:
            command: The program and its arguments; no secret and no prompt belongs among them.
            cwd: Folder that it works in.
            env: Its whole environment; `mark` is added.
            mark: Name of its tree, unique for ever.
            own_stderr: False lets it write to our stderr.
            gated: It waits for `open_gate` before it does anything.

        Raises:
            CommandMissing: there is no such program or folder.
        """
        program = shutil.which(command[0], path=env.get("PATH"))
        if program is None:
            raise CommandMissing(f"{command[0]} is not installed, or not in PATH.")
        try:
            inner = await anyio.open_process(
                [*(_GATE if gated else ()), program, *command[1:]],
                stderr=subprocess.PIPE if own_stderr else None,
                cwd=cwd,
                env={**env, MARK: mark},
                start_new_session=True,
            )
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise CommandMissing(f"{command[0]} cannot be started in {cwd}: {why}.") from error
        return cls(inner, _birth_of(inner.pid), mark)

    async def open_gate(self) -> None:
        """Let a gated command begin."""
        await self.write("\n")

    async def write(self, text: str) -> None:
        """Write to its standard input; nothing happens when it does not listen any more."""
        if self._inner.stdin is not None:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await self._inner.stdin.send(text.encode())

    async def close_input(self) -> None:
        """End its standard input."""
        if self._inner.stdin is not None and not self._input_closed:
            self._input_closed = True
            with suppress(anyio.BrokenResourceError, OSError):
                await self._inner.stdin.aclose()

    async def line(self) -> str | None:
        """Return the next line of its output, None at the end.

        Raises:
            LineTooLong: the line has more than `MAX_LINE_BYTES`.
        """
        while not self._ready:
            try:
                data = await self._more()
            except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._ready = self._lines.finish()
                break
            self._ready = self._lines.feed(data)[::-1]
        return self._ready.pop() if self._ready else None

    async def _more(self) -> bytes:
        """Return what comes next; what it has started and left behind may say nothing for ever."""
        while True:
            with anyio.move_on_after(_HELD_S):
                return await self._inner.stdout.receive(_READ_BYTES)  # type: ignore[union-attr]
            if self.code is not None:
                raise anyio.EndOfStream

    async def drain_errors(self) -> None:
        """Read its standard error to the end and keep the tail; run it beside everything else."""
        if self._inner.stderr is not None:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                async for data in self._inner.stderr:
                    self._tail += data
                    del self._tail[:-_TAIL_BYTES]
        self._drained.set()

    @property
    def error_tail(self) -> str:
        """Return the last part of its standard error."""
        return self._tail.decode(errors="ignore")

    async def last_words(self, within_s: float) -> str:
        """Return the tail of its standard error once that has ended, or after `within_s`."""
        with anyio.move_on_after(within_s):
            await self._drained.wait()
        return self.error_tail

    def interrupt(self) -> None:
        """Send it what Ctrl-C would, together with what it has started in its group."""
        if self.code is None:
            with suppress(ProcessLookupError):
                os.killpg(self.born.pid, signal.SIGINT)

    async def wait(self) -> int:
        """Return its exit code once it has ended; negative is the signal that ended it."""
        return await self._inner.wait()

    @property
    def code(self) -> int | None:
        """Return its exit code, None while it runs."""
        return self._inner.returncode

    async def end(self, *, grace_s: float) -> None:
        """End the whole tree: end of input, SIGTERM, SIGKILL, with `grace_s` after each.

        A process whose input has ended before gets no time for noticing that.
        """
        with anyio.CancelScope(shield=True):
            if not self._input_closed:
                await self.close_input()
                with anyio.move_on_after(grace_s):
                    await self.wait()
            await end_tree(self.born, self.mark, grace_s=grace_s)
            await self.wait()
            with anyio.move_on_after(grace_s or _DISCARD_S):
                await self._discard_output()
            for stream in (self._inner.stdin, self._inner.stdout, self._inner.stderr):
                if stream is not None:
                    with suppress(OSError, anyio.BrokenResourceError):
                        await stream.aclose()

    async def _discard_output(self) -> None:
        """Read what nobody has read: a pipe is closed at its end only, whoever closes the stream.

        Where somebody else is reading it (`RuntimeError`), the end is theirs.
        """
        if self._inner.stdout is not None:
            with suppress(
                anyio.EndOfStream,
                anyio.ClosedResourceError,
                anyio.BrokenResourceError,
                RuntimeError,
            ):
                while True:
                    await self._inner.stdout.receive(_READ_BYTES)


def _birth_of(pid: int) -> Birth:
    try:
        return birth(pid)
    except psutil.NoSuchProcess:  # it has ended already and was reaped
        return Birth(pid=pid, started=0.0)
