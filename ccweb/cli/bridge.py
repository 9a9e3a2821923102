"""`ccweb mcp`: MCP over standard input and output, pumped line by line to the hub's `/mcp`.

What comes back is the hub's own bytes, so both transports show the same. Standard output is the
wire: nothing else is ever written there.
"""

import json
import os
import select
import sys
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from ccweb.client.connection import AnswerLost, Connection, HubAway, Reply, address_of
from ccweb.client.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    PATH,
    SERVER_ERROR,
    error_text,
    headers_of,
)
from ccweb_contract.errors import ErrorCode

LINE_LIMIT_BYTES: Final = 32 * 1024 * 1024
_ANSWER_S: Final = 60.0
_IDLE_S: Final = 30.0
_MOST_AT_ONCE: Final = 16
_READ_BYTES: Final = 1024 * 1024


@dataclass(slots=True, kw_only=True)
class _Exchange:
    """A message on its way to the hub."""

    line: bytes
    message: dict[str, Any]
    connection: Connection
    deadline: float
    repeated: bool = False

    @property
    def id(self) -> Any:
        """Return the message's id, None for a notification."""
        return self.message.get("id")

    @property
    def may_repeat(self) -> bool:
        """Tell whether nothing can happen twice when the message is sent again."""
        return not self.repeated and self.message.get("method") != "tools/call"


def run(url: str, token: str) -> int:
    """Pump until standard input ends and return the exit code.

    Raises:
        ValueError: `url` is no http or https URL.
    """
    wire = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        Bridge(url, token, source=sys.stdin.fileno(), sink=wire).pump()
    except (BrokenPipeError, KeyboardInterrupt):
        return 1
    finally:
        os.close(wire)
    return 0


class Bridge:
    """The pump: one loop, as many connections as there are requests at the same moment."""

    def __init__(self, url: str, token: str, *, source: int, sink: int) -> None:
        self._url = url
        self._address = address_of(url)
        self._token = token
        self._source = source
        self._sink = sink
        self._lines: deque[bytes] = deque()
        self._partial = bytearray()
        self._too_long = False
        self._ended = False
        self._idle: list[tuple[float, Connection]] = []
        self._open: dict[int, _Exchange] = {}
        self._version: str | None = None

    def pump(self) -> None:
        """Run until the input has ended and everything is answered."""
        while not self._ended or self._lines or self._open:
            self._send_waiting()
            if self._open or not self._ended:
                self._wait()

    # --- input --------------------------------------------------------------------------------

    def _wait(self) -> None:
        poll = select.poll()
        reads = not self._ended and len(self._open) < _MOST_AT_ONCE
        for fd in (*([self._source] if reads else []), *self._open):
            poll.register(fd, select.POLLIN)
        for fd, _ in poll.poll(self._patience_ms()):
            if fd == self._source:
                self._read()
            else:
                self._receive(self._open[fd])
        for late in [x for x in self._open.values() if x.deadline < time.monotonic()]:
            self._lose(late, f"no answer came within {_ANSWER_S:.0f} seconds")

    def _patience_ms(self) -> float | None:
        if not self._open:
            return None
        first = min(exchange.deadline for exchange in self._open.values())
        return max(0.0, first - time.monotonic()) * 1000 + 1

    def _read(self) -> None:
        part = os.read(self._source, _READ_BYTES)
        self._ended = not part
        *lines, rest = part.split(b"\n")
        for line in lines:
            self._take(self._partial + line)
            self._partial.clear()
        self._partial += rest
        if self._ended and self._partial:
            self._take(bytes(self._partial))
            self._partial.clear()
        elif len(self._partial) > LINE_LIMIT_BYTES:
            self._partial.clear()
            self._too_long = True

    def _take(self, line: bytes | bytearray) -> None:
        if self._too_long or len(line) > LINE_LIMIT_BYTES:
            self._too_long = False
            why = f"A message is longer than {LINE_LIMIT_BYTES} bytes."
            self._write(error_text(None, INVALID_REQUEST, why, ErrorCode.CONTENT_TOO_LARGE))
        elif line.strip():
            self._lines.append(bytes(line))

    # --- to the hub ---------------------------------------------------------------------------

    def _send_waiting(self) -> None:
        while self._lines and len(self._open) < _MOST_AT_ONCE:
            line = self._lines.popleft()
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                self._write(error_text(None, PARSE_ERROR, f"This is no JSON: {str(error)[:120]}"))
                continue
            if not isinstance(message, dict):
                why = "A message must be one JSON object; batches are not part of MCP."
                self._write(error_text(None, INVALID_REQUEST, why))
            elif isinstance(message.get("method"), str):
                self._begin(line, message)
            elif "result" not in message and "error" not in message:
                why = "A message needs a method."
                self._write(error_text(message.get("id"), INVALID_REQUEST, why))

    def _begin(self, line: bytes, message: dict[str, Any], *, repeated: bool = False) -> None:
        headers = headers_of(message, self._version)
        try:
            connection = self._send(line, headers)
        except HubAway as error:
            why = f"The ccweb hub cannot be reached at {self._url}; is `ccweb serve` running?"
            self._refuse(message, f"{why} ({error})", ErrorCode.UNAVAILABLE)
            return
        self._open[connection.fileno()] = _Exchange(
            line=line,
            message=message,
            connection=connection,
            deadline=time.monotonic() + _ANSWER_S,
            repeated=repeated,
        )

    def _send(self, line: bytes, headers: dict[str, str]) -> Connection:
        """Send on a connection that is open, or on a new one when it turns out to be broken."""
        while (connection := self._kept()) is not None:
            try:
                connection.send(PATH, line, headers)
            except HubAway:
                connection.close()
                continue
            return connection
        connection = Connection(self._address, self._token)
        connection.send(PATH, line, headers)
        return connection

    def _kept(self) -> Connection | None:
        """Return an open connection that the hub has not closed meanwhile."""
        while self._idle:
            since, connection = self._idle.pop()
            ended = select.select([connection], [], [], 0)[0]
            if not ended and time.monotonic() - since < _IDLE_S:
                return connection
            connection.close()
        return None

    # --- from the hub -------------------------------------------------------------------------

    def _receive(self, exchange: _Exchange) -> None:
        try:
            reply = exchange.connection.receive()
        except AnswerLost as error:
            self._lose(exchange, str(error))
            return
        if reply is not None:
            self._finish(exchange)
            self._answer(exchange, reply)

    def _finish(self, exchange: _Exchange) -> None:
        connection = exchange.connection
        del self._open[connection.fileno()]
        if connection.reusable:
            self._idle.append((time.monotonic(), connection))
        else:
            connection.close()

    def _lose(self, exchange: _Exchange, why: str) -> None:
        del self._open[exchange.connection.fileno()]
        exchange.connection.close()
        if exchange.may_repeat:
            self._begin(exchange.line, exchange.message, repeated=True)
            return
        detail = f"The ccweb hub went away before it answered ({why}); it may have acted already."
        self._refuse(exchange.message, detail, ErrorCode.UNAVAILABLE)

    def _answer(self, exchange: _Exchange, reply: Reply) -> None:
        if reply.status == 202 or exchange.id is None:
            return
        if reply.status == 200 and reply.json:
            if exchange.message["method"] == "initialize":
                self._learn_version(_object(reply))
            self._write(reply.body.replace(b"\n", b" "))
            return
        told = _object(reply)
        if "jsonrpc" in told:
            self._write(json.dumps(told | {"id": exchange.id}, ensure_ascii=False).encode())
        else:
            self._refuse_by_status(exchange, reply, told)

    def _learn_version(self, told: dict[str, Any]) -> None:
        result = told.get("result")
        if isinstance(result, dict):
            self._version = result.get("protocolVersion")

    def _refuse_by_status(
        self, exchange: _Exchange, reply: Reply, envelope: dict[str, Any]
    ) -> None:
        detail = envelope.get("detail") or f"The ccweb hub answered with HTTP {reply.status}."
        known = envelope.get("error_code") in set(ErrorCode)
        code = ErrorCode(envelope["error_code"]) if known else ErrorCode.UNAVAILABLE
        self._refuse(exchange.message, str(detail), code)

    def _refuse(self, message: dict[str, Any], detail: str, code: ErrorCode) -> None:
        if message.get("id") is None:
            print(detail, file=sys.stderr)
        else:
            self._write(error_text(message["id"], SERVER_ERROR, detail, code))

    def _write(self, line: bytes) -> None:
        left = memoryview(line + b"\n")
        while left:
            left = left[os.write(self._sink, left) :]


def _object(reply: Reply) -> dict[str, Any]:
    """Return the JSON object of a reply, an empty one for anything else."""
    try:
        told = json.loads(reply.body) if reply.json else None
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
