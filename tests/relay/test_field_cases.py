"""What users of such systems report, each as a case that cannot happen here."""

import json

import pytest
from sqlalchemy import text

from ccweb.conversations.model import TurnEnd
from ccweb.relay import service as relay
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, Outcome, ReplyStatus, TurnStatus
from tests.relay.world import World


def a_returned_request(world: World, output: str = "the answer") -> tuple[str, str, str]:
    """Return source, target and request after a whole delegation, its continuation queued."""
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b, "count the files")
    world.end(source)
    world.end(world.claim_in(b), output)
    return a, b, request


def feed(world: World) -> list[tuple[str, str, str]]:
    rows = world.db.reader.execute(
        text("SELECT conversation_id, kind, data FROM event ORDER BY position")
    )
    return [(row.conversation_id, row.kind, row.data) for row in rows]


@pytest.mark.requirement("AC10", "R-M3")
def test_a_row_from_before_original_requests_were_kept_loads_and_the_prompt_says_so(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b, "never to be seen again")
    with world.tx() as c:
        c.execute(text("UPDATE pending_reply SET original_request = NULL"))
    assert world.reply(request).original_request == ""
    world.end(source)
    world.end(world.claim_in(b), "the answer")
    prompt = world.claim_in(a).prompt
    kept_nothing = prompts.returned_reply(
        Lang.EN,
        request_id=request,
        target_title="B",
        target_id=b,
        original_request="",
        outcome=Outcome.COMPLETED,
        stop_reason="",
        reply_text="the answer",
        cuts=[],
    )
    assert "never to be seen again" not in prompt
    assert kept_nothing in prompt


@pytest.mark.requirement("FC-4", "FC-35")
def test_a_reply_is_delivered_in_the_transaction_that_ends_the_target_with_nobody_looking(
    world: World,
) -> None:
    a, _, request = a_returned_request(world)
    row = world.reply(request)
    assert row.returned_at == row.completed_at
    assert [t.status for t in world.open_turns(a)] == [TurnStatus.QUEUED]


@pytest.mark.requirement("FC-6")
def test_the_end_and_its_text_are_written_together(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    target = world.claim_in(b)
    end = TurnEnd(status=TurnStatus.COMPLETED, text="whole")
    with pytest.raises(KeyboardInterrupt), world.tx() as c:
        relay.turn_ended(c, world.m, world.settings, target.lease, end)
        raise KeyboardInterrupt
    assert world.turn(target.id).status is TurnStatus.RUNNING
    assert world.reply(request).status is ReplyStatus.WAITING
    world.end(target, "whole")
    assert (world.turn(target.id).status, world.reply(request).reply_text) == (
        TurnStatus.COMPLETED,
        "whole",
    )


@pytest.mark.requirement("FC-7")
def test_a_message_shown_in_the_target_is_in_the_prompt_that_its_model_gets(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    world.send(world.started(a), b, "read me")
    [shown], turn = world.messages(b), world.claim_in(b)
    assert (shown.text, turn.message_id) == ("read me", shown.id)
    assert shown.text in turn.prompt


@pytest.mark.requirement("FC-21")
def test_the_link_to_the_requester_is_kept_from_the_start(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    row = world.reply(world.request(source, b))
    assert (row.source_conversation_id, row.opened_by_turn_id) == (a, source.id)
    world.end(world.claim_in(b), "while you were busy")
    world.end(source)
    assert "while you were busy" in world.claim_in(a).prompt


@pytest.mark.requirement("FC-23", "FC-30")
def test_two_triggers_at_once_deliver_once_and_reading_consumes_nothing(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(world.claim_in(b), "the answer")
    with world.tx() as c:
        end = TurnEnd(status=TurnStatus.COMPLETED, text="over")
        relay.turn_ended(c, world.m, world.settings, source.lease, end)
        relay.sweep(c, world.m, world.settings)
        relay.go_on(c, world.m, world.settings, a)
    assert world.carried(world.claim_in(a)) == [request]
    assert world.reply(request) == world.reply(request)
    assert [t.status for t in world.open_turns(a)] == [TurnStatus.RUNNING]


@pytest.mark.requirement("FC-27")
def test_no_line_is_added_to_the_feed_while_nothing_changes(world: World) -> None:
    a_returned_request(world)
    before = feed(world)
    for _ in range(5):
        with world.tx() as c:
            relay.sweep(c, world.m, world.settings)
            relay.reap(c, world.m, world.settings)
    assert feed(world) == before


@pytest.mark.requirement("FC-32")
def test_a_continuation_is_claimed_only_after_the_turn_before_it_has_ended(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.request(source, b)
    world.end(world.claim_in(b))
    world.stop(a)
    world.go_on(a)
    assert world.claim() == []
    world.end(source, "", status=TurnStatus.INTERRUPTED)
    assert world.claim_in(a).prompt


@pytest.mark.requirement("FC-67", "FC-68")
@pytest.mark.parametrize("status", [TurnStatus.COMPLETED, TurnStatus.FAILED])
def test_the_stop_reason_and_the_error_come_back_with_the_reply(
    world: World, status: TurnStatus
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    end = TurnEnd(status=status, text="so far", stop_reason="max_tokens", error="401")
    with world.tx() as c:
        relay.turn_ended(c, world.m, world.settings, target.lease, end)
    row = world.reply(request)
    assert (row.outcome, row.stop_reason, row.last_error) == (
        Outcome(status.value),
        "max_tokens",
        "401",
    )
    prompt = world.claim_in(a).prompt
    assert "max_tokens" in prompt
    assert "401" in prompt


@pytest.mark.requirement("R-U2")
def test_every_step_of_a_delegation_is_told_to_both_conversations(world: World) -> None:
    a, b, request = a_returned_request(world)
    told = [(where, json.loads(data)) for where, kind, data in feed(world) if kind == "reply"]
    assert {where for where, _ in told} == {a, b}
    assert all(data == {"requestId": request} for _, data in told)
