"""The run of a call: which workflow it belongs to, and what is written down of it (R-P1)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import structlog
from sqlalchemy import Connection

from ccweb.access.model import Caller
from ccweb.clock import Moment
from ccweb.db.engine import Database
from ccweb.planning import runs
from ccweb.planning.errors import RunNotFound
from ccweb.planning.runs import MadeCall
from ccweb.tools import catalog
from ccweb.tools.answer import RUN_FIELD, Result
from ccweb_contract.enums import Door
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import Tool, ToolGroup, ToolName

log = structlog.get_logger()

_RUN_ID: Final = re.compile(rf"{runs.PREFIX}_[0-9a-z]{{1,32}}")
_ID: Final = re.compile(r"[\x21-\x7e]{1,128}")
_BATCH_S: Final = 0.05
_ABOUT: Final = ("blueprint_artifact_id", "artifact_id", "session_id", "context_id")
"""Fields that name what a call is about, in answers and in arguments; the first one counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A run with the call that is being made in it."""

    run_id: str
    tool: ToolName
    door: Door
    caller: Caller
    arguments: Mapping[str, Any]

    def kept(self, c: Connection, m: Moment, result: Result) -> Result:
        """Write the call down in the transaction in which it changed something, and answer."""
        runs.record(c, m, [self.made(m, result)])
        return self.answer(result)

    def answer(self, result: Result) -> Result:
        """Return a tool's result with the run that it belongs to."""
        return {RUN_FIELD: self.run_id, **result}

    def made(self, m: Moment, result: Result, refused: ErrorCode | None = None) -> MadeCall:
        """Return the call as it is written down."""
        return MadeCall(
            run_id=self.run_id,
            tool=self.tool,
            door=self.door,
            caller_id=runs.caller_id(self.caller),
            refused=refused,
            about_id=_about(result) or _about(self.arguments),
            created_at_ms=m.now_ms,
        )


@dataclass(slots=True, kw_only=True)
class RunLog:
    """Finds and opens runs, and writes calls that change nothing in batches.

    A call that changes something is written in its own transaction; for the others a transaction
    each would cost more than the call.
    """

    db: Database
    clock: Callable[[], Moment]
    _noted: list[MadeCall] = field(default_factory=list)
    _wake: anyio.Event = field(default_factory=anyio.Event)

    async def run_of(
        self,
        tool: Tool,
        *,
        door: Door,
        caller: Caller,
        arguments: Mapping[str, Any],
        given: str | None,
    ) -> Opened | None:
        """Return the run that a call goes on with or begins, None for tools that have none.

        Raises:
            RunNotFound: the caller has no run with the id that it gives.
        """
        if tool.group is not ToolGroup.FRIDAY:
            return None
        holder_id = runs.holder_id(caller)
        run_id = self._held(holder_id, given) or self._latest(door, holder_id, arguments)
        if run_id is None:
            m = self.clock()
            run_id = await self.db.write(lambda c: runs.begin(c, m, holder_id=holder_id))
        return Opened(run_id=run_id, tool=tool.name, door=door, caller=caller, arguments=arguments)

    def going_on(
        self, name: str, *, door: Door, caller: Caller, arguments: Any, given: str | None
    ) -> Opened | None:
        """Return the run of a call that was refused before it could begin one."""
        if not given or not catalog.is_known(name, door):
            return None
        tool, run_id = catalog.find(name, door).tool, self._found(runs.holder_id(caller), given)
        if run_id is None or tool.group is not ToolGroup.FRIDAY:
            return None
        said = arguments if isinstance(arguments, dict) else {}
        return Opened(run_id=run_id, tool=tool.name, door=door, caller=caller, arguments=said)

    def noted(self, run: Opened, result: Result) -> Result:
        """Take down a call that has changed nothing, and answer."""
        self.note(run, result)
        return run.answer(result)

    def note(self, run: Opened, result: Result, refused: ErrorCode | None = None) -> None:
        """Take a call down, to be written soon."""
        self._noted.append(run.made(self.clock(), result, refused))
        self._wake.set()

    async def keep(self) -> None:
        """Write what is noted, again and again, and at the end what is left."""
        try:
            while True:
                await self._wake.wait()
                await anyio.sleep(_BATCH_S)
                await self.flush()
        finally:
            with anyio.CancelScope(shield=True):
                await self.flush()

    async def flush(self) -> None:
        """Write what is noted."""
        noted, self._noted, self._wake = self._noted, [], anyio.Event()
        if not noted:
            return
        m = self.clock()
        try:
            await self.db.write(lambda c: runs.record(c, m, noted))
        except Exception:
            log.exception("run_calls_lost", calls=len(noted))

    def _held(self, holder_id: str, given: str | None) -> str | None:
        if not given:
            return None
        found = self._found(holder_id, given)
        if found is None:
            raise RunNotFound(run_id=given[:64])
        return found

    def _found(self, holder_id: str, given: str) -> str | None:
        if not _RUN_ID.fullmatch(given):
            return None
        found = runs.find(self.db.reader, given, holder_id=holder_id)
        return None if found is None else found.id

    def _latest(self, door: Door, holder_id: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the caller's last run about the same thing, where a call cannot name one.

        A model chooses the arguments of a tool and never a header of the request.
        """
        about_id = _about(arguments)
        if door is Door.HTTP or about_id is None:
            return None
        return runs.latest_about(self.db.reader, about_id, holder_id=holder_id)


def _about(values: Mapping[str, Any]) -> str | None:
    found = (values.get(name) for name in _ABOUT)
    return next((value for value in found if _is_id(value)), None)


def _is_id(value: Any) -> bool:
    """Tell whether an argument that nobody has checked yet may stand in the list."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None
