"""The `codex_app` agent: one warm `codex app-server` a conversation, with dynamic tools."""

import time
from pathlib import Path
from typing import Any, Final

import anyio
import structlog
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.access.model import Agent as AgentCaller
from ccweb.access.model import Caller
from ccweb.clock import moment
from ccweb.conversations import store
from ccweb.conversations.model import Conversation, TurnEnd
from ccweb.errors import AuthenticationFailed
from ccweb.host.address import hub_url
from ccweb.host.agent import Job, Tell
from ccweb.host.codex import home as codex_home
from ccweb.host.codex.app_run import AppRun
from ccweb.host.codex.app_server import AppServer, Fit
from ccweb.host.codex.exec import not_started
from ccweb.host.codex.home import TOKEN
from ccweb.host.codex.json_lines_rpc import Params, Rpc
from ccweb.host.identity import identity
from ccweb.host.process import CommandMissing
from ccweb.host.processes import Processes
from ccweb.settings import Settings
from ccweb.tools import dynamic
from ccweb.tools.answer import refusal_of
from ccweb.tools.dispatch import Dispatcher
from ccweb_contract.enums import AgentKind, Door
from ccweb_contract.version import CONTRACT_HASH

log = structlog.get_logger()


class CodexAppAgent:
    """Keeps a conversation's app-server between turns, and ends it when nobody needs it."""

    kind: Final = AgentKind.CODEX_APP

    def __init__(
        self, s: Settings, processes: Processes, program: Path | str, *, start_s: float = 60.0
    ) -> None:
        """Make the agent.

        Args:
            s: Settings.
            processes: Of this run of the host.
            program: Codex, by path or name.
            start_s: Seconds in which the program must have loaded its thread.
        """
        self._s = s
        self._processes = processes
        self._db = processes.db
        self._program = program
        self._start_s = start_s
        self._home = codex_home.home_of(s)
        self._tools = Dispatcher(self._db, s, host_id=identity(s.data_dir).id)
        self._servers: dict[str, AppServer] = {}
        processes.attend(self._end_unneeded)

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        """Run one turn; stopped, it interrupts Codex and keeps the process if that obeys."""
        try:
            server = await self._server(job)
        except CommandMissing as missing:
            return not_started(job.conversation, missing)
        turn = AppRun(self, server, job, tell)
        keep = False
        try:
            end, keep = await turn.run(), not server.rpc.gone
            return end
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                keep = await turn.interrupt() and await self._may_go_on(job)
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await self._put_aside(server, keep=keep and turn.is_good)

    async def aclose(self) -> None:
        """End every app-server that is kept."""
        async with anyio.create_task_group() as tasks:
            for server in list(self._servers.values()):
                tasks.start_soon(self._end, server)

    async def call_tool(self, job: Job, params: Params) -> dict[str, Any]:
        """Answer a call of a dynamic tool, with the rights of the turn that makes it."""
        try:
            caller = await self._caller(job)
        except AuthenticationFailed as error:
            return dynamic.shown(refusal_of(error, self._s.lang))
        return await dynamic.call(self._tools, caller, params)

    async def open_thread(self, server: AppServer) -> None:
        """Load the conversation's thread, or start one and note what it holds (R-D7)."""
        holder_id = server.fit.conversation.id

        async def started() -> None:
            await self._db.write(lambda c: _record(c, holder_id))

        await server.open_thread(self._home, started, lang=self._s.lang)

    @property
    def start_s(self) -> float:
        """Return the seconds in which a thread must be loaded."""
        return self._start_s

    # --- processes ------------------------------------------------------------------------------

    async def _server(self, job: Job) -> AppServer:
        """Return the conversation's app-server: the warm one if it fits, else a new one."""
        fit = Fit(
            credential=job.credential,
            url=hub_url(self._s),
            conversation=job.conversation,
            forks=job.forks,
        )
        warm = self._servers.get(job.conversation.id)
        if warm is not None:
            if self._is_good(warm) and warm.fits(fit):
                return await self._again(warm, job)
            await self._end(warm)
        return await self._start(job, fit)

    async def _again(self, warm: AppServer, job: Job) -> AppServer:
        """Take the warm app-server for a turn that begins with this."""
        warm.idle_since = None
        try:
            await self._processes.begin(job.turn)
        except BaseException:
            warm.idle_since = time.monotonic()
            raise
        return warm

    def _is_good(self, server: AppServer) -> bool:
        return not (server.ending or server.rpc.gone) and server.process.code is None

    async def _start(self, job: Job, fit: Fit) -> AppServer:
        env = {**self._home.prepare(), TOKEN: fit.credential}
        process = await self._processes.start(
            job.turn,
            [codex_home.native(self._program), "app-server"],
            cwd=job.conversation.cwd,
            env=env,
        )
        server = AppServer(process=process, fit=fit, rpc=Rpc(process))
        self._servers[job.conversation.id] = server
        return server

    async def _put_aside(self, server: AppServer, *, keep: bool) -> None:
        """Keep an app-server for the next turn, or end it."""
        if keep:
            server.idle_since = time.monotonic()
        else:
            await self._end(server)

    async def _end(self, server: AppServer) -> None:
        """End an app-server with its tree; whoever comes second waits until it is gone."""
        if server.ending:
            await server.ended.wait()
            return
        server.ending = True
        with anyio.CancelScope(shield=True):
            try:
                await self._processes.end(server.process)
            finally:
                if self._servers.get(server.fit.conversation.id) is server:
                    del self._servers[server.fit.conversation.id]
                server.ended.set()

    async def _end_unneeded(self) -> None:
        """End, now and then, what is idle for too long, whose conversation or right is gone."""
        while True:
            await anyio.sleep(self._s.heartbeat_s)
            for server in list(self._servers.values()):
                try:
                    if server.idle_since is not None and await self._is_unneeded(server):
                        await self._end(server)
                except Exception:
                    log.exception("app_server_not_ended")

    async def _is_unneeded(self, server: AppServer) -> bool:
        since = server.idle_since or 0.0
        if not self._is_good(server) or time.monotonic() - since > self._s.agent_idle_s:
            return True
        fit = server.fit
        over = await self._db.read(lambda c: _is_over(c, fit.conversation, fit.credential))
        return over and server.idle_since is not None

    async def _may_go_on(self, job: Job) -> bool:
        """Tell whether the turn was this host's until now: else nothing of it may live on."""
        try:
            caller = await self._caller(job)
        except AuthenticationFailed:
            return False
        return isinstance(caller, AgentCaller) and caller.current

    async def _caller(self, job: Job) -> Caller:
        return await self._db.read(lambda c: access.authenticate(c, moment(), job.credential))


def _record(c: Connection, conversation_id: str) -> None:
    access.record_contract(
        c, moment(), holder_id=conversation_id, door=Door.DYNAMIC, contract_hash=CONTRACT_HASH
    )


def _is_over(c: Connection, conversation: Conversation, credential: str) -> bool:
    """Tell whether a conversation was deleted, or its agent's credential taken back."""
    if store.get(c, conversation.id) is None:
        return True
    caller = access.authenticate(c, moment(), credential)
    return isinstance(caller, AgentCaller) and caller.lease is None
