"""One turn in a `codex app-server`: from its beginning to its end, its interrupt or its crash."""

from typing import Any, Final, Protocol

import anyio
import structlog

from ccweb.clock import moment
from ccweb.conversations.model import TurnEnd
from ccweb.host.agent import Answer, Job, SessionId, Started, Tell, Took
from ccweb.host.codex import asks as codex_asks
from ccweb.host.codex.app_server import AppServer, SessionMissing
from ccweb.host.codex.app_turn import AppTurn
from ccweb.host.codex.exec import hung, session_missing
from ccweb.host.codex.failures import Trouble, crashed, of_message, of_stderr
from ccweb.host.codex.json_lines_rpc import NOT_FOUND, Gone, Params, Refused, Request

log = structlog.get_logger()

_TOOL_CALL: Final = "item/tool/call"
_INTERRUPT_S: Final = 2.0
_LAST_WORDS_S: Final = 1.0


class Means(Protocol):
    """What a turn needs of its agent."""

    @property
    def start_s(self) -> float:
        """Return the seconds in which a thread must be loaded."""
        ...

    async def open_thread(self, server: AppServer) -> None:
        """Load the conversation's thread, or start one."""
        ...

    async def call_tool(self, job: Job, params: Params) -> dict[str, Any]:
        """Answer a call of a dynamic tool."""
        ...


class AppRun:
    """One turn in an app-server."""

    def __init__(self, agent: Means, server: AppServer, job: Job, tell: Tell) -> None:
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
