"""A `codex app-server` of one conversation: its process, its connection and its thread."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio

from ccweb.conversations.model import Conversation
from ccweb.host.codex import home as codex_home
from ccweb.host.codex.home import SERVER, CodexHome
from ccweb.host.codex.json_lines_rpc import Handle, Params, Rpc, Take
from ccweb.host.codex.modes import RIGHTS
from ccweb.host.process import Process
from ccweb.tools.catalog import dynamic_tools, mcp_tools
from ccweb_contract import prompts
from ccweb_contract.enums import Lang

_CLIENT: Final = {"name": "ccweb", "title": "ccweb", "version": "1"}
_MCP_STARTED: Final = "mcpServer/startupStatus/updated"
_MCP_S: Final = 10.0
"""The longest that a turn waits for our MCP server; it then goes on without its tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What a process was started with; a turn that needs anything else gets another process."""

    credential: str
    url: str | None
    conversation: Conversation
    forks: bool = False
    """The thread was begun outside ccweb: a copy goes on, with an id of its own."""

    @property
    def parts(self) -> tuple[object, ...]:
        """Return what matters of it."""
        of = self.conversation
        return self.credential, self.url, of.cwd, of.model, of.permission_mode


class SessionMissing(RuntimeError):
    """Codex has no such thread any more."""


@dataclass(slots=True, kw_only=True)
class AppServer:
    """A running app-server; it outlives the turn that it was started for."""

    process: Process
    fit: Fit
    rpc: Rpc
    thread_id: str = ""
    model: str | None = None
    idle_since: float | None = None
    """When its last turn ended; None while one runs."""
    ending: bool = False
    ended: anyio.Event = field(default_factory=anyio.Event)
    _mcp_settled: anyio.Event = field(default_factory=anyio.Event)

    def fits(self, needed: Fit) -> bool:
        """Tell whether it can run a turn that needs this."""
        session = needed.conversation.agent_session
        return self.fit.parts == needed.parts and (not session or session == self.thread_id)

    @asynccontextmanager
    async def served(self, take: Take, handle: Handle) -> AsyncIterator[None]:
        """Listen to it while the block runs; what it asks is answered in tasks of their own."""

        def heard(method: str, params: Params) -> None:
            is_ours = method == _MCP_STARTED and params.get("name") == SERVER
            if is_ours and params.get("status") != "starting":
                self._mcp_settled.set()
            take(method, params)

        async with anyio.create_task_group() as tasks:

            async def serve() -> None:
                await self.rpc.serve(tasks, take=heard, handle=handle)

            tasks.start_soon(serve)
            yield
            tasks.cancel_scope.cancel()

    async def greet(self) -> None:
        """Begin the conversation with the program."""
        await self.rpc.ask("initialize", clientInfo=_CLIENT, capabilities={"experimentalApi": True})
        await self.rpc.tell("initialized")

    async def open_thread(self, home: CodexHome, started: Callable[[], Any], *, lang: Lang) -> None:
        """Load the conversation's thread, or start one with the dynamic tools.

        Args:
            home: Where its file is.
            lang: Of what its model is told.
            started: Called before a new thread is started: from then on it holds our tools.

        Raises:
            SessionMissing: the thread is gone.
        """
        of = self.fit.conversation
        if of.agent_session:
            rollout = home.rollout(of.agent_session, forks=self.fit.forks)
            if rollout is None:
                raise SessionMissing
            given = self._settings(codex_home.stored_tools(rollout))
            params = {"threadId": of.agent_session, "excludeTurns": True, **given}
            method = "thread/fork" if self.fit.forks else "thread/resume"
            answer = await self.rpc.ask(method, **params)
        else:
            await started()
            ours = dynamic_tools()
            given = self._settings(codex_home.names(ours)) | said_anew(of, lang)
            answer = await self.rpc.ask("thread/start", dynamicTools=ours, **given)
        self.thread_id, self.model = answer["thread"]["id"], answer.get("model")
        if "config" in given:
            with anyio.move_on_after(_MCP_S):
                await self._mcp_settled.wait()

    def _settings(self, stored: frozenset[str]) -> dict[str, Any]:
        """Return what a thread is loaded with; MCP shows what it does not hold itself (R-A2)."""
        of = self.fit.conversation
        rights = RIGHTS[of.permission_mode]
        settings: dict[str, Any] = {
            "cwd": of.cwd,
            "approvalPolicy": rights.approval,
            "sandbox": rights.sandbox,
        }
        if of.model:
            settings["model"] = of.model
        lacking = [tool["name"] for tool in mcp_tools() if tool["name"] not in stored]
        if self.fit.url and lacking:
            entry = {**codex_home.mcp_entry(self.fit.url), "enabled_tools": lacking}
            settings["config"] = {f"mcp_servers.{SERVER}": entry}
        return settings


def said_anew(conversation: Conversation, lang: Lang) -> dict[str, str]:
    """Return what a new thread is told in place of one that Codex has lost."""
    if conversation.agent_session != "":
        return {}
    told = prompts.begun_anew(lang, conversation_id=conversation.id)
    return {"developerInstructions": told}
