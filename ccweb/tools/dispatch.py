"""The dispatcher: the only way in to the tools, the same for every door (R-D1, R-D2)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import anyio
import anyio.to_thread
import structlog
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.access.model import Agent, Caller, Script, holder_of
from ccweb.clock import Moment, moment
from ccweb.db.engine import Database
from ccweb.errors import CcwebError, Forbidden, TurnOver
from ccweb.ids import new_id
from ccweb.settings import Settings
from ccweb.tools import arguments as rules
from ccweb.tools import catalog
from ccweb.tools.answer import Answer, Result, refusal_of, refused
from ccweb.tools.catalog import Found
from ccweb.tools.context import Context
from ccweb.tools.handlers import HANDLERS, Handler
from ccweb.tools.runlog import Opened, RunLog
from ccweb_contract.aliases import FIELD_ALIASES, LEGACY_DEFAULTS, LEGACY_NOTICES, Notice
from ccweb_contract.enums import Door, TokenScope
from ccweb_contract.errors import ErrorCode
from ccweb_contract.models import INPUT_MODELS
from ccweb_contract.version import CONTRACT_HASH

log = structlog.get_logger()

_NO_ARGUMENTS: Final[dict[str, Any]] = {}
_PREPARED_AT_ONCE: Final = 4
"""Calls whose slow work goes on at once: one that waits for a network holds no other up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call, as a door understood it."""

    tool: str
    arguments: Any
    door: Door
    caller: Caller
    run_id: str | None = None
    """The run that the call says it goes on with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """A call whose arguments are good."""

    found: Found
    arguments: dict[str, Any]
    notices: tuple[Notice, ...] = ()


class Dispatcher:
    """Carries calls out; one for each process that has doors."""

    def __init__(
        self,
        db: Database,
        s: Settings,
        *,
        host_id: str,
        clock: Callable[[], Moment] = moment,
    ) -> None:
        self._db = db
        self._s = s
        self._host_id = host_id
        self._clock = clock
        self._preparing = anyio.CapacityLimiter(_PREPARED_AT_ONCE)
        self.run_log = RunLog(db=db, clock=clock)

    async def call(self, call: Call) -> Answer:
        """Carry a call out and return its answer; it never raises for what a caller did."""
        run: Opened | None = None
        try:
            ready = self._ready(call)
            run = await self._run_of(call, ready)
            return Answer(result=self._noticed(ready, await self._run(call, ready, run)))
        except CcwebError as error:
            self._note_refused(call, run, error.code)
            return refusal_of(error, self._s.lang)
        except Exception:
            error_id = new_id("err")
            log.exception("tool_call_failed", error_id=error_id, door=call.door.value)
            self._note_refused(call, run, ErrorCode.INTERNAL)
            return refused(ErrorCode.INTERNAL, f"Internal error {error_id}.", self._s.lang)

    def _ready(self, call: Call) -> _Ready:
        found = admitted(call.tool, call.door, call.caller)
        given = _NO_ARGUMENTS if call.arguments is None else call.arguments
        if isinstance(given, dict):
            given = _with_fixed(found, given)
        rules.checked(found.tool, given)
        ready = _Ready(found=found, arguments=_renamed(found, given))
        ready = self._with_defaults(call, ready)
        rules.complete(found.tool, ready.arguments)
        return ready

    def _with_defaults(self, call: Call, ready: _Ready) -> _Ready:
        """Fill in what old definitions did not know, for callers that may hold one (R-D4)."""
        tool = ready.found.tool
        defaults = LEGACY_DEFAULTS.get(tool.name, {})
        lacking = [name for name in defaults if name not in ready.arguments]
        if lacking and self._is_current(call):
            raise rules.missing(tool, lacking[0])
        return replace(
            ready,
            arguments=ready.arguments | {name: defaults[name] for name in lacking},
            notices=tuple(LEGACY_NOTICES[tool.name][name] for name in lacking),
        )

    def _is_current(self, call: Call) -> bool:
        holder_id = holder_of(call.caller)
        if holder_id is None:
            return False
        loaded = access.loaded_contract(self._db.reader, holder_id=holder_id, door=call.door)
        return loaded == CONTRACT_HASH

    async def _run_of(self, call: Call, ready: _Ready) -> Opened | None:
        return await self.run_log.run_of(
            ready.found.tool,
            door=call.door,
            caller=call.caller,
            arguments=ready.arguments,
            given=call.run_id,
        )

    def _note_refused(self, call: Call, run: Opened | None, code: ErrorCode) -> None:
        run = run or self.run_log.going_on(
            call.tool,
            door=call.door,
            caller=call.caller,
            arguments=call.arguments,
            given=call.run_id,
        )
        if run is not None:
            self.run_log.note(run, {}, code)

    async def _run(self, call: Call, ready: _Ready, run: Opened | None) -> Result:
        handler = HANDLERS[ready.found.tool.name]
        given = INPUT_MODELS[ready.found.tool.name].model_validate(ready.arguments)
        taken = await self._prepared(handler, call, given)
        m = self._clock()

        def work(c: Connection) -> Result:
            result = handler.run(self._context(c, m, call), taken)
            return result if run is None or not handler.writes else run.kept(c, m, result)

        if handler.writes:
            return await self._db.write(work)
        result = await self._db.read(work)
        return result if run is None else self.run_log.noted(run, result)

    async def _prepared(self, handler: Handler, call: Call, given: Any) -> Any:
        """Return what the handler takes; slow work is done here, where nobody waits for it."""
        prepare = handler.prepare
        if prepare is None:
            return given
        m = self._clock()
        work = await self._db.read(lambda c: prepare(self._context(c, m, call), given))
        return await anyio.to_thread.run_sync(work, limiter=self._preparing)

    def _context(self, c: Connection, m: Moment, call: Call) -> Context:
        return Context(c=c, m=m, s=self._s, host_id=self._host_id, caller=call.caller)

    def _noticed(self, ready: _Ready, result: Result) -> Result:
        aliased = (ready.found.notice,) if ready.found.notice else ()
        notices = [notice(self._s.lang) for notice in (*aliased, *ready.notices)]
        return {**result, "notice": "\n".join(notices)} if notices else result


def admitted(tool: str, door: Door, caller: Caller) -> Found:
    """Return the tool that a caller may use by a name: what is checked before any argument.

    Raises:
        UnknownTool: there is none with this name at this door.
        TurnOver: it belongs to an agent's turn that is over.
        Forbidden: it is a token without that scope.
    """
    if isinstance(caller, Agent) and not caller.current:
        raise TurnOver(turn_id=caller.lease.turn_id if caller.lease else None)
    if isinstance(caller, Script) and TokenScope.TOOLS not in caller.scopes:
        raise Forbidden(why="This token does not allow calling tools.")
    return catalog.find(tool, door)


def _with_fixed(found: Found, given: dict[str, Any]) -> dict[str, Any]:
    """Let what an old tool name fixes stand, under whatever name the call sends another value."""
    old = FIELD_ALIASES.get(found.tool.name, {})
    free = {name: value for name, value in given.items() if old.get(name) not in found.fixed}
    return {**free, **found.fixed}


def _renamed(found: Found, given: dict[str, Any]) -> dict[str, Any]:
    """Give old field names their present ones; a present name that is there as well wins."""
    old = FIELD_ALIASES.get(found.tool.name, {})
    renamed = {old[name]: value for name, value in given.items() if name in old}
    return renamed | {name: value for name, value in given.items() if name not in old}
