"""Sessions that the real programs made outside ccweb: opened, followed, and gone on with."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import anyio
import pytest
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations import errands, hosts, outside, service
from ccweb.conversations.errands import ErrandKind
from ccweb.conversations.model import Conversation
from ccweb.db.tables.history import Elsewhere
from ccweb_contract.enums import AgentKind, TurnStatus
from scripts.install_node_tools import program
from tests.fakes.model_script import Step, script
from tests.real_agents.harness import Workspace

PROGRAMS = ("claude", "codex")
ASKED = {"claude": "/v1/messages", "codex": "/v1/responses"}
FOLDERS = {"claude": ".claude/projects", "codex": ".codex/sessions"}
COMMANDS = {
    "claude": ("-p",),
    "codex": ("exec", "--skip-git-repo-check", "-"),
}
END_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """One of the programs as a person runs it in a terminal, beside ccweb."""

    workspace: Workspace
    name: str

    def run(self, prompt: str) -> None:
        """Let it do one turn in a session of its own."""
        with self.running(prompt) as process:
            assert process.wait(END_S) == 0

    @contextmanager
    def running(self, prompt: str) -> Iterator[subprocess.Popen[bytes]]:
        """Let it run while the block does; it is ended with the block."""
        process = subprocess.Popen(
            [program(self.name), *COMMANDS[self.name]],
            env=self.workspace.machine.environ,
            cwd=self.workspace.machine.folder(uuid4().hex),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        try:
            process.stdin.write(prompt.encode())
            process.stdin.close()
            yield process
        finally:
            process.kill()
            process.wait(END_S)

    def files(self) -> dict[str, bytes]:
        """Return every session that it has written."""
        folder = self.workspace.machine.home / FOLDERS[self.name]
        return {str(path): path.read_bytes() for path in folder.rglob("*.jsonl")}


async def answer(workspace: Workspace, kind: ErrandKind, **given: Any) -> dict[str, Any]:
    """Return what the real host answers to what a page asks."""
    host_id = workspace.host.id
    with workspace.db.begin() as c:
        errand_id = errands.ask(c, moment(), host_id, kind, given)
    return await workspace.until(lambda c: errands.answered(c, errand_id))


async def opened(workspace: Workspace, title: str) -> Conversation:
    """Open the session with this title, as a person does in the page, once it is listed."""
    listed: dict[str, Any] = {"sessions": []}
    with anyio.fail_after(END_S):
        while not listed["sessions"]:  # a program writes down what it was told a moment later
            listed = await answer(workspace, ErrandKind.LIST_SESSIONS, query=title)
    [session] = listed["sessions"]
    with workspace.db.begin() as c:
        person_id = access.owner(c, moment()).id
    given = {"program": session["program"], "sessionId": session["sessionId"]}
    told = await answer(workspace, ErrandKind.OPEN_SESSION, personId=person_id, **given)
    with workspace.db.connect() as c:
        return service.existing(c, told["conversationId"])


def a_title() -> str:
    return f"task {uuid4().hex}"


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_session_made_outside_is_gone_on_with_and_stays_as_it_is(
    workspace: Workspace, name: str
) -> None:
    person, title = Outside(workspace=workspace, name=name), a_title()
    person.run(f"{title} {script(Step(text='the first answer'))}")
    before = person.files()

    talk = await opened(workspace, title)
    since = len(await workspace.model.asked())
    first = await workspace.run(talk, Step(text="the second answer"), before="and then?")
    second = await workspace.run(talk, Step(text="the third answer"), before="at last?")

    assert [first.status, second.status] == [TurnStatus.COMPLETED] * 2
    assert workspace.texts(talk)[1::2] == [
        "the first answer",
        "the second answer",
        "the third answer",
    ]
    [asked, again] = [
        json.dumps(one["body"], ensure_ascii=False)
        for one in await workspace.model.asked(ASKED[name], since=since)
    ]
    assert "the first answer" in asked
    assert "the first answer" in again
    assert "the second answer" in again
    assert workspace.conversation_now(talk).agent_session != talk.agent_session
    after = person.files()
    assert {path: after[path] for path in before} == before


@pytest.mark.requirement("R-A2")
async def test_codex_exec_goes_on_with_it_too(workspace: Workspace) -> None:
    person, title = Outside(workspace=workspace, name="codex"), a_title()
    person.run(f"{title} {script(Step(text='the first answer'))}")
    before = person.files()
    talk = await opened(workspace, title)
    with workspace.db.begin() as c:
        c.exec_driver_sql("UPDATE conversation SET agent = 'codex' WHERE id = ?", (talk.id,))
    since = len(await workspace.model.asked())
    turn = await workspace.run(talk, Step(text="the second answer"), before="and then?")
    [asked] = await workspace.model.asked(ASKED["codex"], since=since)
    assert turn.status is TurnStatus.COMPLETED
    assert "the first answer" in json.dumps(asked["body"])
    assert workspace.conversation_now(talk).agent_session != talk.agent_session
    assert person.files() == before


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_session_at_work_is_followed_and_only_gone_on_with_when_it_rests(
    workspace: Workspace, name: str
) -> None:
    person, title, gate = Outside(workspace=workspace, name=name), a_title(), uuid4().hex
    with person.running(f"{title} {script(Step(text='half and whole', gate=gate))}") as process:
        await workspace.model.reached(gate)
        talk = await opened(workspace, title)
        await workspace.until(lambda c: stands(c, talk) is Elsewhere.AT_WORK)
        refused = await workspace.run(talk, Step(text="never"), before="me too")
        await workspace.model.open(gate)
        assert process.wait(END_S) == 0
    await workspace.until(lambda c: stands(c, talk) is Elsewhere.CLOSED)
    await workspace.until(lambda _: "half and whole" in workspace.texts(talk))
    before = person.files()
    turn = await workspace.run(talk, Step(text="after it"), before="and now?")

    assert (refused.status, refused.started_at) == (TurnStatus.FAILED, None)
    assert turn.status is TurnStatus.COMPLETED
    assert workspace.texts(talk)[-1] == "after it"
    after = person.files()
    assert {path: after[path] for path in before} == before


def stands(c: Connection, talk: Conversation) -> Elsewhere | None:
    session = outside.get(c, talk.id)
    return session.elsewhere if session else None


@pytest.mark.requirement("R-A5")
async def test_the_real_host_offers_what_the_machine_has(workspace: Workspace) -> None:
    kinds: Sequence[AgentKind] = (AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.CODEX_APP)

    def offered(c: Connection) -> bool:
        host = hosts.get(c, workspace.host.id)
        versions = {one.agent: one.version for one in (host.offers if host else ())}
        return bool(host and host.agents.issuperset(kinds) and all(map(versions.get, kinds)))

    assert await workspace.until(offered)
