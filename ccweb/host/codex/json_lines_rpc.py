"""JSON-RPC over the lines of a process, both sides asking: the client of `codex app-server`."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import structlog
from anyio.abc import TaskGroup

from ccweb.host.process import LineTooLong, Process

log = structlog.get_logger()

NOT_FOUND: Final = -32601
_INTERNAL: Final = -32603

Params = Mapping[str, Any]
Id = int | str


class Gone(RuntimeError):
    """The other side has ended."""


class Refused(RuntimeError):
    """The other side answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the other side asks; its ids are a space of their own and start at 0."""

    id: Id
    method: str
    params: Params


@dataclass(slots=True)
class _Waiting:
    """One of our requests."""

    answered: anyio.Event = field(default_factory=anyio.Event)
    answer: Mapping[str, Any] | None = None


Take = Callable[[str, Params], None]
"""Takes a notification, without waiting."""
Handle = Callable[[Request], Awaitable[Any]]
"""Returns the answer to a request; None when it needs none any more.

It may take as long as it likes: each runs in a task of its own.
"""


class Rpc:
    """A connection; it lives from turn to turn, and is served only while somebody listens."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._last_id = 0
        self._waiting: dict[Id, _Waiting] = {}
        self._gone = anyio.Event()
        self.why_gone = ""
        """What went wrong, where it did not simply end."""

    @property
    def gone(self) -> bool:
        """Tell whether the other side has ended."""
        return self._gone.is_set()

    async def until_gone(self) -> None:
        """Wait for the end of the other side; it is noticed while this is served."""
        await self._gone.wait()

    async def serve(self, tasks: TaskGroup, *, take: Take, handle: Handle) -> None:
        """Read until the other side ends; cancelled between two lines, nothing is lost."""
        try:
            while (line := await self._process.line()) is not None:
                self._dispatch(tasks, line, take, handle)
        except LineTooLong as error:
            self.why_gone = str(error)
        self._gone.set()
        for waiting in self._waiting.values():
            waiting.answered.set()

    async def ask(self, method: str, **params: Any) -> Any:
        """Return the result of a request.

        Raises:
            Refused: it was answered with an error.
            Gone: the other side has ended.
        """
        if self.gone:
            raise Gone
        self._last_id += 1
        number, waiting = self._last_id, _Waiting()
        self._waiting[number] = waiting
        try:
            await self._write({"id": number, "method": method, "params": params})
            await waiting.answered.wait()
        finally:
            del self._waiting[number]
        if waiting.answer is None:
            raise Gone
        if (error := waiting.answer.get("error")) is not None:
            said = error if isinstance(error, Mapping) else {"message": error}
            raise Refused(said.get("code", _INTERNAL), str(said.get("message", "")))
        return waiting.answer.get("result")

    async def tell(self, method: str) -> None:
        """Send a notification."""
        await self._write({"method": method})

    def _dispatch(self, tasks: TaskGroup, line: str, take: Take, handle: Handle) -> None:
        """Take a line to whom it concerns; one that means nothing is passed over."""
        message = _parsed(line)
        method, number = message.get("method"), message.get("id")
        if method is None:
            if isinstance(number, Id) and (waiting := self._waiting.get(number)) is not None:
                waiting.answer = message
                waiting.answered.set()
        elif number is None:
            try:
                take(method, message.get("params") or {})
            except (AttributeError, KeyError, TypeError, ValueError):
                log.warning("rpc_line_unread", size_bytes=len(line), exc_info=True)
        else:
            request = Request(id=number, method=method, params=message.get("params") or {})
            tasks.start_soon(self._answer, request, handle)

    async def _answer(self, request: Request, handle: Handle) -> None:
        try:
            result = await handle(request)
        except Refused as refused:
            error = {"code": refused.code, "message": refused.message}
            await self._write({"id": request.id, "error": error})
        except Exception:
            log.exception("rpc_request_failed", method=request.method)
            error = {"code": _INTERNAL, "message": "internal error"}
            await self._write({"id": request.id, "error": error})
        else:
            if result is not None:
                await self._write({"id": request.id, "result": result})

    async def _write(self, message: Mapping[str, Any]) -> None:
        """Write one line in one piece, so that answers never mix."""
        await self._process.write(json.dumps(message, ensure_ascii=False) + "\n")


def _parsed(line: str) -> Mapping[str, Any]:
    """Return a line as an object, an empty one when it is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    log.warning("rpc_line_unread", size_bytes=len(line))
    return {}
