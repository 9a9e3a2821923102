"""The `codex_app` agent: one warm `codex app-server` a conversation, with dynamic tools."""

import time
from pathlib import Path
from typing import Any, Final

import anyio
import structlog
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.access.model import Agent as AgentCaller
from ccweb.clock import moment
from ccweb.conversations import store
from ccweb.conversations.model import Conversation, TurnEnd
from ccweb.errors import AuthenticationFailed
from ccweb.host import codex_asks, codex_home
from ccweb.host.address import hub_url
from ccweb.host.agent import Answer, Job, SessionId, Started, Tell, Took
from ccweb.host.codex_app_server import AppServer, Fit, SessionMissing
from ccweb.host.codex_app_turn import AppTurn
from ccweb.host.codex_exec import hung, not_started, session_missing
from ccweb.host.codex_failures import Trouble, crashed, of_message, of_stderr
from ccweb.host.codex_home import TOKEN
from ccweb.host.identity import identity
from ccweb.host.json_lines_rpc import NOT_FOUND, Gone, Params, Refused, Request, Rpc
from ccweb.host.process import CommandMissing
from ccweb.host.processes import Processes
from ccweb.settings import Settings
from ccweb.tools import dynamic
from ccweb.tools.answer import refusal_of
from ccweb.tools.dispatch import Dispatcher
from ccweb_contract.enums import AgentKind, Door
from ccweb_contract.version import CONTRACT_HASH

log = structlog.get_logger()

_TOOL_CALL: Final = "item/tool/call"
_INTERRUPT_S: Final = 2.0
_LAST_WORDS_S: Final = 1.0


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
        turn = _Turn(self, server, job, tell)
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
            caller = await self._db.read(lambda c: access.authenticate(c, moment(), job.credential))
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
        fit = Fit(credential=job.credential, url=hub_url(self._s), conversation=job.conversation)
        warm = self._servers.get(job.conversation.id)
        if warm is not None:
            if self._is_good(warm) and warm.fits(fit):
                warm.idle_since = None
                await self._processes.begin(job.turn)
                return warm
            await self._end(warm)
        return await self._start(job, fit)

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
        caller = await self._db.read(lambda c: access.authenticate(c, moment(), job.credential))
        return isinstance(caller, AgentCaller) and caller.current


class _Turn:
    """One turn in an app-server."""

    def __init__(self, agent: CodexAppAgent, server: AppServer, job: Job, tell: Tell) -> None:
        self._agent = agent
        self._server = server
        self._job = job
        self._tell = tell
        self._turn: AppTurn | None = None
        self.is_good = False
        """True while the process is in a state from which the next turn can go on."""

    async def run(self) -> TurnEnd:
        """Run it to its end."""
        async with self._server.served(self._take, self._handle):
            try:
                with anyio.move_on_after(self._agent.start_s) as patience:
                    await self._begin()
                    patience.deadline = float("inf")
                if patience.cancelled_caught:
                    return hung(self._agent.start_s)
                return await self._followed()
            except SessionMissing:
                return session_missing(self._tell, self._job.conversation.agent_session or "")
            except Refused as refused:
                return self._failed(of_message(refused.message, now=moment().now))
            except Gone:
                return await self._crashed()

    async def interrupt(self) -> bool:
        """Stop the turn softly; False when Codex does not obey in time."""
        turn, server = self._turn, self._server
        if turn is None or turn.id is None:
            return False
        self.is_good = False
        with anyio.move_on_after(_INTERRUPT_S):
            async with server.served(self._take, self._ignore):
                try:
                    await server.rpc.ask(
                        "turn/interrupt", threadId=server.thread_id, turnId=turn.id
                    )
                except Refused:  # it has ended at this very moment
                    log.info("codex_turn_over_before_interrupt", turn_id=self._job.turn.id)
                except Gone:
                    return False
                await turn.until_completed()
                self.is_good = True
        self._tell(Took(facts=turn.facts))
        return self.is_good

    async def _begin(self) -> None:
        server, job = self._server, self._job
        if not server.thread_id:
            await server.greet()
            await self._agent.open_thread(server)
        turn = self._turn = AppTurn(server.thread_id, model=server.model)
        effort = {"effort": job.conversation.effort} if job.conversation.effort else {}
        text = {"type": "text", "text": job.turn.prompt, "text_elements": []}
        answer = await server.rpc.ask(
            "turn/start", threadId=server.thread_id, input=[text], **effort
        )
        turn.id = answer["turn"]["id"]
        self._tell(Started())
        if job.conversation.agent_session != server.thread_id:
            self._tell(SessionId(session_id=server.thread_id))

    async def _followed(self) -> TurnEnd:
        """Return the end of the turn, or that of the program if it comes first."""
        turn = self._turn
        assert turn is not None  # noqa: S101 - it has begun
        async with anyio.create_task_group() as tasks:

            async def until_gone() -> None:
                await self._server.rpc.until_gone()
                tasks.cancel_scope.cancel()

            tasks.start_soon(until_gone)
            await turn.until_completed()
            tasks.cancel_scope.cancel()
        if not turn.is_completed:
            return await self._crashed()
        self.is_good = True
        return turn.end(now=moment().now)

    async def _crashed(self) -> TurnEnd:
        process = self._server.process
        with anyio.move_on_after(_LAST_WORDS_S):
            await process.wait()
        said = self._server.rpc.why_gone or await process.last_words(_LAST_WORDS_S)
        if self._turn is None:
            return self._failed(of_stderr(process.code, said, now=moment().now))
        return self._failed(crashed(process.code, said))

    def _failed(self, why: Trouble) -> TurnEnd:
        turn = self._turn or AppTurn("", model=self._job.conversation.model)
        return turn.failed(why)

    def _take(self, method: str, params: Params) -> None:
        if self._turn is not None:
            for event in self._turn.take(method, params):
                self._tell(event)

    async def _handle(self, request: Request) -> Any:
        """Answer what Codex asks, however long that takes."""
        if request.method == _TOOL_CALL:
            return await self._agent.call_tool(self._job, request.params)
        if request.method not in codex_asks.ASKS:
            raise Refused(NOT_FOUND, f"ccweb does not answer {request.method}")
        known = self._turn.item(str(request.params.get("itemId"))) if self._turn else {}
        question = codex_asks.question_of(request, known)
        if question is None:
            return codex_asks.declined(request)
        answer = await self._job.ask(question)
        await self._pass_on(answer)
        return codex_asks.answer_to(request, answer)

    async def _ignore(self, _: Request) -> None:
        """Answer nothing: the turn is being interrupted, and Codex lets go of what it asked."""

    async def _pass_on(self, answer: Answer) -> None:
        """Give Codex what a person says to it beside a decision, as a word in its turn."""
        if answer.note and self._turn is not None and self._turn.id is not None:
            text = {"type": "text", "text": answer.note, "text_elements": []}
            try:
                await self._server.rpc.ask(
                    "turn/steer",
                    threadId=self._server.thread_id,
                    expectedTurnId=self._turn.id,
                    input=[text],
                )
            except Refused as refused:
                log.info("codex_note_refused", turn_id=self._job.turn.id, why=refused.message)


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
