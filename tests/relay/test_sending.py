"""Sending: what one transaction makes durable, and every refusal of R-M2."""

from pathlib import Path

import pytest

from ccweb.conversations.model import Lease, Sender, Thread
from ccweb.errors import (
    ContentTooLarge,
    HopLimitExceeded,
    LoopGuard,
    TargetBusy,
    TargetIsSource,
    TargetNotFound,
    TurnOver,
)
from ccweb_contract.enums import AskKind, ReplyMode, ReplyStatus, SourceKind, TurnKind, TurnStatus
from tests.relay.world import World, a_world


@pytest.mark.requirement("R-M1")
def test_a_send_makes_message_request_and_queued_turn_durable_together(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    sent = world.send(source, b, "count the files")
    row = world.reply(sent.request_id or "")
    [turn] = world.open_turns(b)
    [message] = world.messages(b)
    assert (row.status, row.original_request, row.target_turn_id, row.message_id) == (
        ReplyStatus.WAITING,
        "count the files",
        turn.id,
        sent.message_id,
    )
    assert (turn.status, turn.kind, turn.thread.serves, turn.message_id) == (
        TurnStatus.QUEUED,
        TurnKind.MESSAGE,
        row.request_id,
        sent.message_id,
    )
    assert (message.text, message.sender) == (
        "count the files",
        Sender(kind=SourceKind.CONVERSATION, id=a),
    )


@pytest.mark.requirement("R-M1", "AC5")
def test_the_queued_turn_holds_the_very_prompt_with_mode_source_and_message(world: World) -> None:
    a, b, d = (world.conversation(t) for t in ("Alpha", "Beta", "Delta"))
    source = world.started(a)
    world.send(source, b, "count the files")
    world.send(source, d, "for your information", ReplyMode.ONE_WAY)
    [returning], [one_way] = world.open_turns(b), world.open_turns(d)
    for turn, text in ((returning, "count the files"), (one_way, "for your information")):
        assert all(part in turn.prompt for part in ("Alpha", a, text))
    assert returning.prompt != one_way.prompt


@pytest.mark.requirement("R-M1", "R-M3")
def test_one_way_leaves_no_request(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    sent = world.send(source, b, reply_mode=ReplyMode.ONE_WAY)
    target = world.claim_in(b)
    world.end(target, "noted")
    world.end(source)
    assert sent.request_id is None
    assert world.open_turns(a) == []


@pytest.mark.requirement("R-M2")
def test_an_unknown_target_is_refused_and_nothing_is_written(world: World) -> None:
    source = world.started(world.conversation("A"))
    with pytest.raises(TargetNotFound) as refused:
        world.send(source, "conv_nowhere")
    assert refused.value.conversation_id == "conv_nowhere"


@pytest.mark.requirement("R-M2")
def test_a_deleted_target_is_not_found(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.delete(b)
    with pytest.raises(TargetNotFound):
        world.send(source, b)


@pytest.mark.requirement("R-M2", "FC-19")
def test_a_conversation_cannot_send_to_itself(world: World) -> None:
    a = world.conversation("A")
    source = world.started(a)
    with pytest.raises(TargetIsSource):
        world.send(source, a)


@pytest.mark.requirement("R-M2", "FC-16")
@pytest.mark.parametrize("state", [TurnStatus.QUEUED, TurnStatus.RUNNING])
def test_a_busy_target_is_refused_with_its_state_and_since_when(
    world: World, state: TurnStatus
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.write(b)
    if state is TurnStatus.RUNNING:
        world.claim_in(b)
    [turn] = world.open_turns(b)
    with pytest.raises(TargetBusy) as refused:
        world.send(source, b)
    assert (refused.value.status, refused.value.since) == (
        state.value,
        turn.claimed_at or turn.queued_at,
    )
    assert len(world.messages(b)) == 1


@pytest.mark.requirement("R-M2", "FC-54")
def test_a_chain_of_delegations_has_a_depth_limit(tmp_path: Path) -> None:
    world = a_world(tmp_path, hop_limit=2)
    turn = world.started(world.conversation("0"))
    for title in ("1", "2"):
        target = world.conversation(title)
        world.send(turn, target)
        turn = world.claim_in(target)
    with pytest.raises(HopLimitExceeded) as refused:
        world.send(turn, world.conversation("3"))
    assert (refused.value.hop, refused.value.limit) == (3, 2)
    world.db.close()


@pytest.mark.requirement("R-M2")
def test_a_continuation_takes_back_the_hop_of_the_turn_that_asked(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    for _ in range(3):
        request = world.request(source, b)
        world.end(source)
        world.end(world.claim_in(b))
        source = world.claim_in(a)
        assert (source.thread.hop, world.reply(request).hop_count) == (0, 1)


@pytest.mark.requirement("R-M2")
def test_content_over_the_limit_is_refused_by_its_bytes(tmp_path: Path) -> None:
    world = a_world(tmp_path, content_limit_bytes=10)
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    with pytest.raises(ContentTooLarge) as refused:
        world.send(source, b, "一二三四")
    assert (refused.value.size_bytes, refused.value.limit_bytes) == (12, 10)
    world.db.close()


@pytest.mark.requirement("R-M2", "FC-53")
def test_two_conversations_that_both_initiate_are_paused_and_a_person_is_asked_once(
    tmp_path: Path,
) -> None:
    world = a_world(tmp_path, pair_limit=3)
    a, b = world.conversation("A"), world.conversation("B")
    turn = world.started(a)
    for target in (b, a, b):
        world.send(turn, target, reply_mode=ReplyMode.ONE_WAY)
        world.end(turn)
        turn = world.claim_in(target)
    for _ in range(2):
        with pytest.raises(LoopGuard):
            world.send(turn, a, reply_mode=ReplyMode.ONE_WAY)
    [ask] = world.asks(b)
    assert (ask.kind, ask.subject, ask.turn_id) == (AskKind.LOOP_PAUSED, a, turn.id)
    assert world.open_turns(a) == []
    world.db.close()


@pytest.mark.requirement("R-M2")
def test_one_side_that_sends_often_without_the_other_is_no_loop(tmp_path: Path) -> None:
    world = a_world(tmp_path, pair_limit=3)
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    for _ in range(5):
        world.send(source, b, reply_mode=ReplyMode.ONE_WAY)
        world.end(world.claim_in(b))
    world.db.close()


@pytest.mark.requirement("R-M2")
def test_resume_counts_anew_and_continues_the_refused_conversation(tmp_path: Path) -> None:
    world = a_world(tmp_path, pair_limit=2)
    a, b = world.conversation("Alpha"), world.conversation("B")
    turn = world.started(a)
    for target in (b, a):
        world.send(turn, target, reply_mode=ReplyMode.ONE_WAY)
        world.end(turn)
        turn = world.claim_in(target)
    with pytest.raises(LoopGuard):
        world.send(turn, b, reply_mode=ReplyMode.ONE_WAY)
    world.end(turn)
    [ask] = world.asks(a)
    world.resume(ask)
    resumed = world.claim_in(a)
    assert (resumed.kind, resumed.thread) == (TurnKind.CONTINUATION, turn.thread)
    assert b in resumed.prompt
    world.send(resumed, b, reply_mode=ReplyMode.ONE_WAY)
    world.db.close()


@pytest.mark.requirement("R-M2")
def test_a_chain_without_a_person_is_paused_and_a_person_who_writes_begins_a_new_one(
    tmp_path: Path,
) -> None:
    world = a_world(tmp_path, chain_limit=4)
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    for _ in range(3):
        world.send(source, b, reply_mode=ReplyMode.ONE_WAY)
        world.end(world.claim_in(b))
    with pytest.raises(LoopGuard):
        world.send(source, b, reply_mode=ReplyMode.ONE_WAY)
    world.end(source)
    source = world.started(a)
    world.send(source, b, reply_mode=ReplyMode.ONE_WAY)
    world.db.close()


@pytest.mark.requirement("R-D6")
def test_a_turn_that_has_ended_cannot_send(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.end(source)
    with pytest.raises(TurnOver):
        world.send(source, b)
    assert world.open_turns(b) == []


@pytest.mark.requirement("R-D6", "R-M13")
def test_a_lease_of_another_attempt_cannot_send(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    lease = Lease(turn_id=source.id, run_id=source.run_id or "", attempt=source.attempt + 1)
    from dataclasses import replace

    with pytest.raises(TurnOver):
        world.send(replace(source, attempt=lease.attempt), b)


@pytest.mark.requirement("R-M5")
def test_a_call_outside_a_turn_opens_a_request_that_holds_nothing(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    request = world.request(a, b)
    assert world.reply(request).opened == Thread(
        serves=None, hop=0, chain_id=world.reply(request).opened.chain_id
    )
    world.end(world.claim_in(b), "here you are")
    assert "here you are" in world.claim_in(a).prompt
