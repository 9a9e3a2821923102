"""The demo agent: what it does for each directive, alone and as a client of a real hub."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, text

from ccweb.clock import moment
from ccweb.conversations.model import Conversation, Turn
from ccweb.host import address
from ccweb.host.demo import DemoAgent
from ccweb.hub.app import create_app, server
from ccweb.relay import service as relay
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, Outcome, ReplyStatus, TurnStatus
from tests.host.workshop import Workshop, a_workshop

in_each_language = pytest.mark.parametrize("lang", Lang)


@asynccontextmanager
async def a_hub(workshop: Workshop) -> AsyncIterator[None]:
    """Run a real hub on a port of its own until the block ends."""
    db = workshop.again().db
    listener = socket.create_server(("127.0.0.1", 0))
    hub = server(create_app(db, workshop.s, host_id=workshop.host.id), workshop.s)
    address.publish(workshop.s, f"http://127.0.0.1:{listener.getsockname()[1]}")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: hub.serve(sockets=[listener]))
        try:
            yield
        finally:
            hub.should_exit = True
    db.close()


async def answered(workshop: Workshop, prompt: str) -> tuple[Turn, str]:
    """Return the ended turn and the final text that a person's message leads to."""
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, prompt)
    async with workshop.hosting(DemoAgent(workshop.s)):
        turn = await workshop.until_ended(turn_id)
    return turn, workshop.texts(conversation)[-1]


@pytest.mark.requirement("R-A3")
async def test_it_says_what_it_is_told_to_say(workshop: Workshop) -> None:
    turn, said = await answered(workshop, "/say 你好，世界\n/say twice\n/say 🎉")
    assert (turn.status, said) == (TurnStatus.COMPLETED, "你好，世界\n\ntwice\n\n🎉")


@pytest.mark.requirement("R-A3", "FC-2")
async def test_it_can_end_well_with_nothing_said(workshop: Workshop) -> None:
    turn, _ = await answered(workshop, "/say")
    assert turn.status is TurnStatus.EMPTY


@pytest.mark.requirement("R-A3", "FC-68")
async def test_it_fails_with_the_reason_given_and_keeps_what_it_had_said(
    workshop: Workshop,
) -> None:
    turn, said = await answered(workshop, "/say first\n/fail 没有钱\n/say never")
    assert (turn.status, said) == (TurnStatus.FAILED, "first")
    assert turn.error == prompts.demo_failed(Lang.EN, reason="没有钱")


@pytest.mark.requirement("R-A3", "R-M9")
@pytest.mark.parametrize("kib", [0.5, 3, 300])
async def test_it_writes_as_much_as_it_is_told(workshop: Workshop, kib: float) -> None:
    turn, said = await answered(workshop, f"/long {kib}")
    assert (turn.status, len(said.encode())) == (TurnStatus.COMPLETED, int(kib * 1024))


@pytest.mark.requirement("R-A3")
@in_each_language
async def test_it_answers_an_ordinary_message_and_says_what_it_can_do(
    tmp_path: Path, lang: Lang
) -> None:
    workshop = a_workshop(tmp_path)
    workshop = replace(workshop, s=replace(workshop.s, lang=lang))
    _, said = await answered(workshop, "what now?")
    workshop.db.close()
    read = prompts.demo_answer(lang, message="what now?")
    assert said == f"{read}\n\n{prompts.demo_help(lang)}"


@pytest.mark.requirement("R-A3", "R-A4")
async def test_a_wait_ends_as_soon_as_it_is_stopped(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "/wait 3600")
    async with workshop.hosting(DemoAgent(workshop.s)):
        await workshop.until_running(turn_id)
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, conversation.id)
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.INTERRUPTED


@pytest.mark.requirement("R-A3", "FC-4", "FC-9", "FC-18")
async def test_a_request_comes_back_without_any_hub(workshop: Workshop) -> None:
    source, target = workshop.conversation("A"), workshop.conversation("B")
    workshop.request(source, target, "/say the result")
    async with workshop.hosting(DemoAgent(workshop.s)):
        await workshop.until(continued(source))
    repeated = prompts.demo_reply(
        Lang.EN, target_title="B", outcome=Outcome.COMPLETED, reply_text="the result"
    )
    final = prompts.demo_continued(Lang.EN, replies=[repeated])
    assert workshop.texts(source) == ["the result", final]


def continued(source: Conversation, *, count: int = 1) -> Callable[[Connection], bool]:
    """Return a query for the ends of that many continuations of a conversation."""

    def query(c: Connection) -> bool:
        found = c.execute(
            text("""SELECT count(*) FROM turn WHERE conversation_id = :id
                AND kind = 'continuation' AND status = 'completed'"""),
            {"id": source.id},
        ).scalar_one()
        return bool(found == count)

    return query


@pytest.mark.requirement("R-A3", "AC3", "FC-9")
async def test_it_delegates_as_a_client_of_the_hub_and_is_continued(workshop: Workshop) -> None:
    source, target = workshop.conversation("甲"), workshop.conversation("乙")
    async with a_hub(workshop), workshop.hosting(DemoAgent(workshop.s)):
        workshop.write(source, "/delegate 乙：/say 完成")
        await workshop.until(continued(source))
    (row,) = workshop.rows("SELECT request_id, status, reply_text FROM pending_reply")
    said = workshop.texts(source)[1]
    delegated = prompts.demo_delegated(Lang.EN, target_title="乙", request_id=str(row[0]))
    assert said.startswith(delegated)
    assert row[1:] == (ReplyStatus.RETURNED.value, "完成")
    assert workshop.texts(target) == ["/say 完成", "完成"]


@pytest.mark.requirement("R-A3", "R-M5", "AC3")
async def test_a_chain_of_three_returns_to_its_first_source(workshop: Workshop) -> None:
    first, _, _ = [workshop.conversation(title) for title in "ABC"]
    async with a_hub(workshop), workshop.hosting(DemoAgent(workshop.s)):
        workshop.write(first, r"/delegate B: /delegate C: /say deep")
        await workshop.until(continued(first))
    rows = workshop.rows("SELECT status, hop_count FROM pending_reply ORDER BY hop_count")
    assert rows == [("returned", 1), ("returned", 2)]
    assert "deep" in workshop.texts(first)[-1]


@pytest.mark.requirement("R-A3", "AC3")
async def test_it_tells_one_way_and_nothing_comes_back(workshop: Workshop) -> None:
    source, target = workshop.conversation("A"), workshop.conversation("B")
    async with a_hub(workshop), workshop.hosting(DemoAgent(workshop.s)):
        turn = await workshop.until_ended(workshop.write(source, "/tell B: /say heard"))
        await workshop.until(
            lambda c: c.execute(text("SELECT 1 FROM message WHERE text = 'heard'")).first()
        )
    assert turn.status is TurnStatus.COMPLETED
    assert workshop.texts(source)[-1] == prompts.demo_told(Lang.EN, target_title="B")
    assert workshop.texts(target) == ["/say heard", "heard"]
    assert workshop.rows("SELECT count(*) FROM pending_reply") == [(0,)]


@pytest.mark.requirement("R-A3")
async def test_it_says_so_when_there_is_no_such_conversation(workshop: Workshop) -> None:
    async with a_hub(workshop):
        _, said = await answered(workshop, "/delegate Nobody: hello")
    assert said == prompts.demo_target_missing(Lang.EN, target_title="Nobody")


@pytest.mark.requirement("R-A3", "R-M2")
async def test_it_says_why_it_was_refused(workshop: Workshop) -> None:
    async with a_hub(workshop):
        _, said = await answered(workshop, "/delegate A: hello")
    assert "`target_is_source`" in said


@pytest.mark.requirement("R-A3", "R-A4")
async def test_a_call_waits_for_a_hub_that_is_just_starting(workshop: Workshop) -> None:
    source, _ = workshop.conversation("A"), workshop.conversation("B")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address.publish(workshop.s, f"http://127.0.0.1:{nobody.getsockname()[1]}")
    async with workshop.hosting(DemoAgent(workshop.s)):
        turn_id = workshop.write(source, "/tell B: /say heard")
        await workshop.until_running(turn_id)
        async with a_hub(workshop):
            turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.COMPLETED
    assert workshop.texts(source)[-1] == prompts.demo_told(Lang.EN, target_title="B")
