"""Sessions made outside, as conversations: opened, followed, and gone on with in a copy."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import psutil
import pytest

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations import errands, hosts, messages, outside, store
from ccweb.conversations.errands import ErrandKind
from ccweb.conversations.model import Conversation
from ccweb.db.tables.history import Elsewhere
from ccweb.host.agent import Job, SessionId, Started, Tell
from ccweb.host.errands import Errands
from ccweb.host.history.continuing import Continuing
from ccweb.host.history.following import History
from ccweb.relay import service as relay
from ccweb_contract.enums import AgentKind, Lang, MessageRole, PermissionMode, TurnStatus
from tests.host.history_home import CLAUDE_ID, CODEX_ID, Home, claude_said, codex_said
from tests.host.workshop import WAIT_S, ScriptedAgent, Workshop, a_workshop, done

USER, ASSISTANT = MessageRole.USER, MessageRole.ASSISTANT


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return a home with the two recorded sessions."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = Home(path=tmp_path / "home")
    home.recorded()
    return home


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Workshop]:
    """Return a workshop beside that home."""
    (tmp_path / "data").mkdir()
    shop = a_workshop(tmp_path / "data")
    with shop.db.begin() as c:
        hosts.ensure(c, moment(), shop.host.id, shop.host.name)
    yield shop
    shop.db.close()


def a_history(shop: Workshop, *able: AgentKind) -> History:
    return History(shop.db, shop.host.id, lambda: able)


def a_person(shop: Workshop) -> str:
    with shop.db.begin() as c:
        return access.owner(c, moment()).id


async def opened(
    shop: Workshop, history: History, session_id: str = CLAUDE_ID, program: str = "claude"
) -> Conversation:
    given = {"program": program, "sessionId": session_id, "personId": a_person(shop)}
    answer = await history.open(given)
    return conversation_of(shop, answer["conversationId"])


def conversation_of(shop: Workshop, conversation_id: str) -> Conversation:
    with shop.db.connect() as c:
        found = store.get(c, conversation_id)
    assert found is not None
    return found


def elsewhere(shop: Workshop, conversation: Conversation) -> Elsewhere:
    with shop.db.connect() as c:
        session = outside.get(c, conversation.id)
    assert session is not None
    return session.elsewhere


def work_elsewhere(home: Home, *, status: str = "busy", session_id: str = CLAUDE_ID) -> None:
    started_ms = int(psutil.Process().create_time() * 1000)
    home.note(session_id, pid=os.getpid(), status=status, started_ms=started_ms)


def append(home: Home, *records: Any) -> None:
    """Let the program go on with its session."""
    path = home.path / ".claude/projects/-srv" / f"{CLAUDE_ID}.jsonl"
    written = Home(path=home.path / "draft").claude(CLAUDE_ID, records)
    with path.open("ab") as session:
        session.write(written.read_bytes())


async def test_a_session_opens_as_a_conversation_with_all_that_was_said(
    home: Home, shop: Workshop
) -> None:
    before = home.everything()
    talk = await opened(shop, a_history(shop))
    assert (talk.title, talk.cwd, talk.agent) == (
        "hello there",
        "/srv/ada/project",
        AgentKind.CLAUDE,
    )
    assert (talk.permission_mode, talk.agent_session) == (PermissionMode.ASK, CLAUDE_ID)
    assert shop.texts(talk) == [
        "hello there",
        "I look first\n\n你好 done",
        "and then?",
        "nothing more",
    ]
    with shop.db.connect() as c:
        first, answer, *_ = messages.page(c, talk.id)
    assert first.sender is not None
    assert (first.sender.id, first.created_at.year) == (a_person(shop), 2026)
    assert (answer.role, answer.sender) == (ASSISTANT, None)
    assert home.everything() == before


async def test_a_session_is_opened_once(home: Home, shop: Workshop) -> None:
    history = a_history(shop)
    first, second = await opened(shop, history), await opened(shop, history)
    assert first.id == second.id
    listed = await history.listed({"query": ""})
    shown = {one["sessionId"]: one["conversationId"] for one in listed["sessions"]}
    assert shown == {CLAUDE_ID: first.id, CODEX_ID: None}


@pytest.mark.parametrize(
    ("able", "kind"),
    [
        ((AgentKind.CODEX, AgentKind.CODEX_APP), AgentKind.CODEX_APP),
        ((AgentKind.CODEX,), AgentKind.CODEX),
        ((), AgentKind.CODEX_APP),
    ],
)
async def test_codex_goes_on_with_the_kind_that_can_ask_people(
    home: Home, shop: Workshop, able: tuple[AgentKind, ...], kind: AgentKind
) -> None:
    history = a_history(shop, *able)
    assert (await opened(shop, history, CODEX_ID, "codex")).agent is kind


@pytest.mark.parametrize(
    ("program", "session_id"),
    [("claude", CODEX_ID), ("claude", "../../secret"), ("other", CLAUDE_ID), ("", "")],
)
async def test_only_what_is_listed_can_be_opened(
    home: Home, shop: Workshop, program: str, session_id: str
) -> None:
    given = {"program": program, "sessionId": session_id, "personId": a_person(shop)}
    assert await a_history(shop).open(given) == {"conversationId": None}


async def test_what_conversations_have_begun_themselves_is_not_listed(
    home: Home, shop: Workshop
) -> None:
    own = shop.conversation("own", AgentKind.CLAUDE)
    with shop.db.begin() as c:
        store.set_agent_session(c, own.id, CLAUDE_ID)
    listed = await a_history(shop).listed({"query": ""})
    assert [one["sessionId"] for one in listed["sessions"]] == [CODEX_ID]


@pytest.mark.parametrize(
    ("program", "session_id", "goes_on", "is_listed"),
    [
        ("claude", CLAUDE_ID, False, True),
        ("claude", CLAUDE_ID, True, True),
        ("codex", CODEX_ID, False, True),
        ("codex", CODEX_ID, True, False),
    ],
)
async def test_a_session_whose_conversation_was_deleted_can_be_opened_again_unless_its_copy_went_on(
    home: Home, shop: Workshop, program: str, session_id: str, goes_on: bool, is_listed: bool
) -> None:
    history = a_history(shop)
    talk = await opened(shop, history, session_id, program)
    if goes_on:
        await a_turn(shop, history, talk, own="" if program == "codex" else "of-its-own")
    with shop.db.begin() as c:
        relay.delete(c, moment(), shop.s, talk.id)
    listed = await history.listed({"query": ""})
    assert (session_id in {one["sessionId"] for one in listed["sessions"]}) is is_listed


async def test_the_list_tells_whose_folder_is_gone_and_what_is_at_work(
    home: Home, shop: Workshop, tmp_path: Path
) -> None:
    new = str(uuid4())
    home.claude(new, [claude_said("user", "here", "a", None, cwd=str(tmp_path))])
    work_elsewhere(home, session_id=new)
    listed = await a_history(shop).listed({"query": ""})
    told = {one["sessionId"]: one for one in listed["sessions"]}
    assert (told[new]["folderIsGone"], told[CLAUDE_ID]["folderIsGone"]) == (False, True)
    assert (told[new]["elsewhere"], told[CLAUDE_ID]["elsewhere"]) == ("at work", "closed")


async def test_what_is_said_outside_appears_in_the_conversation(home: Home, shop: Workshop) -> None:
    history = a_history(shop)
    talk = await opened(shop, history)
    work_elsewhere(home)
    append(home, claude_said("user", "more", "x", None))
    await history.follow()
    assert (elsewhere(shop, talk), shop.texts(talk)[-1]) == (Elsewhere.AT_WORK, "more")
    append(home, claude_said("assistant", "of course", "y", "x"))
    work_elsewhere(home, status="idle")
    await history.follow()
    await history.follow()
    assert (elsewhere(shop, talk), shop.texts(talk)[-2:]) == (Elsewhere.OPEN, ["more", "of course"])


async def test_what_is_said_later_never_stands_before_what_was_said(
    home: Home, shop: Workshop
) -> None:
    history = a_history(shop)
    talk = await opened(shop, history)
    for at in ("2001-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "yesterday", None):
        append(home, claude_said("user", str(at), "x", None, timestamp=at))
        await history.follow()
    rows = shop.rows("SELECT claimed_at FROM turn WHERE conversation_id = :id", id=talk.id)
    times = [row[0] for row in rows]
    assert times == sorted(times, key=str)
    assert len(times) == 6


async def test_nothing_is_written_while_nothing_happens(home: Home, shop: Workshop) -> None:
    history = a_history(shop)
    await opened(shop, history)
    before = shop.rows("SELECT max(position) FROM event")
    await history.follow()
    assert shop.rows("SELECT max(position) FROM event") == before


async def test_a_session_whose_file_shrinks_or_goes_is_left_as_it_is(
    home: Home, shop: Workshop
) -> None:
    history = a_history(shop)
    talk = await opened(shop, history)
    path = home.path / ".claude/projects/-srv" / f"{CLAUDE_ID}.jsonl"
    texts = shop.texts(talk)
    path.write_bytes(path.read_bytes()[:100])
    await history.follow()
    path.unlink()
    await history.follow()
    assert shop.texts(talk) == texts


async def a_turn(
    shop: Workshop, history: History, talk: Conversation, *, own: str = "of-its-own"
) -> tuple[list[Job], Any]:
    """Write to a conversation; return the jobs that its agent got, and the ended turn."""

    async def run(job: Job, tell: Tell) -> Any:
        tell(Started())
        if own:
            tell(SessionId(session_id=own))
        return done()

    agent = ScriptedAgent(run)
    agent.kind = talk.agent
    async with shop.hosting(Continuing(agent, history, Lang.EN)):
        turn = await shop.until_ended(shop.write(talk, "go on"))
    return agent.jobs, turn


async def test_a_conversation_goes_on_with_a_copy_and_then_with_its_own_session(
    home: Home, shop: Workshop
) -> None:
    history = a_history(shop)
    talk = await opened(shop, history)
    append(home, claude_said("user", "said last", "x", None))
    [first], _ = await a_turn(shop, history, talk)
    [second], _ = await a_turn(shop, history, talk)
    assert (first.forks, first.conversation.agent_session) == (True, CLAUDE_ID)
    assert (second.forks, second.conversation.agent_session) == (False, "of-its-own")
    assert "said last" in shop.texts(talk)
    append(home, claude_said("user", "said elsewhere", "y", "x"))
    await history.follow()
    assert "said elsewhere" not in shop.texts(talk)


async def test_a_session_that_is_at_work_elsewhere_is_not_gone_on_with(
    home: Home, shop: Workshop
) -> None:
    history = a_history(shop)
    talk = await opened(shop, history)
    work_elsewhere(home)
    jobs, refused = await a_turn(shop, history, talk)
    assert (jobs, refused.status) == ([], TurnStatus.FAILED)
    assert "outside ccweb" in refused.error
    append(home, claude_said("user", "still followed", "x", None))
    await history.follow()
    assert shop.texts(talk)[-1] == "still followed"
    work_elsewhere(home, status="idle")
    [job], turn = await a_turn(shop, history, talk)
    assert (job.forks, turn.status) == (True, TurnStatus.COMPLETED)


async def test_other_conversations_run_as_ever(home: Home, shop: Workshop) -> None:
    talk = shop.conversation(agent=AgentKind.CLAUDE)
    [job], turn = await a_turn(shop, a_history(shop), talk)
    assert (job.forks, turn.status) == (False, TurnStatus.COMPLETED)


async def test_a_long_session_opens_with_its_last_texts(home: Home, shop: Workshop) -> None:
    records = [codex_said("user" if n % 2 else "assistant", f"text {n}") for n in range(3000)]
    home.codex(CODEX_ID, records)
    talk = await opened(shop, a_history(shop), CODEX_ID, "codex")
    [(count,)] = shop.rows("SELECT count(*) FROM message WHERE conversation_id = :id", id=talk.id)
    assert (count, shop.texts(talk)[-1]) == (1000, "text 2999")


async def test_a_host_does_the_errands_that_it_is_asked_for_and_no_old_ones(
    home: Home, shop: Workshop
) -> None:
    history = a_history(shop)
    does = {ErrandKind.LIST_SESSIONS: history.listed, ErrandKind.OPEN_SESSION: history.open}
    work = Errands(shop.db, shop.host.id, does)
    asked = {"query": "codex"}

    def ask(c: Any, age_s: float = 0) -> str:
        m = replace(moment(), now=moment().now - timedelta(seconds=age_s))
        return errands.ask(c, m, shop.host.id, ErrandKind.LIST_SESSIONS, asked)

    async with anyio.create_task_group() as tasks:

        async def run() -> None:
            while True:
                await work.do_next()

        tasks.start_soon(run)
        old = await shop.db.write(lambda c: ask(c, 60))
        errand_id = await shop.db.write(ask)
        with anyio.fail_after(WAIT_S):
            answer = await shop.until(lambda c: errands.answered(c, errand_id))
        tasks.cancel_scope.cancel()
    assert [one["sessionId"] for one in answer["sessions"]] == [CODEX_ID]
    with shop.db.connect() as c:
        assert errands.answered(c, old) is None
        assert not errands.any_waiting(c, shop.host.id)
