"""Returning: when a request is answered, how the reply is brought in, and that it comes once."""

from pathlib import Path

import pytest

from ccweb_contract.enums import (
    MessageRole,
    Outcome,
    ReplyStatus,
    TurnKind,
    TurnStatus,
)
from tests.relay.world import World, a_world


@pytest.mark.requirement("R-M4", "R-M6", "AC3", "FC-1", "FC-9")
def test_the_targets_final_output_comes_back_and_the_source_goes_on(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("Beta")
    source = world.started(a)
    request = world.request(source, b, "count the files")
    world.end(source, "I have delegated")
    world.end(world.claim_in(b), "There are 12 files.")
    row = world.reply(request)
    continuation = world.claim_in(a)
    assert (row.status, row.outcome, row.reply_text) == (
        ReplyStatus.RETURNED,
        Outcome.COMPLETED,
        "There are 12 files.",
    )
    assert (continuation.kind, continuation.thread.serves) == (TurnKind.CONTINUATION, None)
    for part in (request, "Beta", b, "count the files", "There are 12 files."):
        assert part in continuation.prompt


@pytest.mark.requirement("R-M6", "R-M4", "FC-25")
def test_the_returned_reply_is_one_display_only_message_with_the_seeds_metadata(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source, "delegated")
    world.end(world.claim_in(b), "the answer")
    shown = [m for m in world.messages(a) if m.display_only]
    assert [(m.role, m.text, m.metadata) for m in shown] == [
        (
            MessageRole.ASSISTANT,
            "the answer",
            {
                "replyToRequestId": request,
                "processed": True,
                "autoRun": True,
                "ccwebDisplayOnly": True,
            },
        )
    ]
    assert world.reply(request).reply_message_id == shown[0].id


@pytest.mark.requirement("R-M6", "AC9", "FC-14", "FC-31")
def test_a_busy_source_queues_replies_and_takes_them_in_when_it_becomes_idle_in_order(
    world: World,
) -> None:
    a, b, d = (world.conversation(title) for title in "ABD")
    source = world.started(a)
    first, second = world.request(source, b), world.request(source, d)
    world.claim()
    world.end(world.claim_in(d), "from D")
    world.end(world.claim_in(b), "from B")
    assert world.turn(source.id).status is TurnStatus.RUNNING
    assert [world.reply(r).status for r in (first, second)] == [ReplyStatus.READY] * 2
    world.end(source)
    continuation = world.claim_in(a)
    assert world.carried(continuation) == [second, first]
    assert continuation.prompt.index("from D") < continuation.prompt.index("from B")


@pytest.mark.requirement("R-M6")
def test_a_persons_queued_message_goes_before_the_reply(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.request(source, b)
    world.write(a, "one more thing")
    world.end(world.claim_in(b))
    world.end(source)
    person = world.claim_in(a)
    assert (person.kind, person.prompt) == (TurnKind.PERSON, "one more thing")
    world.end(person)
    assert world.claim_in(a).kind is TurnKind.CONTINUATION


@pytest.mark.requirement("R-M5", "FC-65")
def test_a_request_is_held_until_what_its_turn_delegated_has_been_worked_on(world: World) -> None:
    a, b, d = (world.conversation(title) for title in "ABD")
    source = world.started(a)
    outer = world.request(source, b)
    world.end(source)
    middle = world.claim_in(b)
    world.request(middle, d)
    world.end(middle, "I have asked D")
    assert world.reply(outer).status is ReplyStatus.WAITING
    world.end(world.claim_in(d), "D's answer")
    continuation = world.claim_in(b)
    assert continuation.thread.serves == outer
    world.end(continuation, "the real answer")
    assert (world.reply(outer).status, world.reply(outer).reply_text) == (
        ReplyStatus.RETURNED,
        "the real answer",
    )


@pytest.mark.requirement("R-M5", "R-M4", "FC-11", "FC-20")
@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (TurnStatus.FAILED, Outcome.FAILED),
        (TurnStatus.INTERRUPTED, Outcome.INTERRUPTED),
        (TurnStatus.LOST, Outcome.LOST),
    ],
)
def test_a_broken_turn_answers_at_once_and_what_it_opened_arrives_display_only(
    world: World, status: TurnStatus, outcome: Outcome
) -> None:
    a, b, d = (world.conversation(title) for title in "ABD")
    source = world.started(a)
    outer = world.request(source, b)
    world.end(source)
    middle = world.claim_in(b)
    inner = world.request(middle, d)
    world.end(middle, "partial", status=status, error="broken")
    assert (world.reply(outer).outcome, world.reply(outer).last_error) == (outcome, "broken")
    world.end(world.claim_in(d), "too late to matter")
    assert (world.reply(inner).status, world.reply(inner).source_auto_run) == (
        ReplyStatus.RETURNED,
        False,
    )
    assert world.open_turns(b) == []
    assert [m.text for m in world.messages(b) if m.display_only] == ["too late to matter"]


@pytest.mark.requirement("R-M4", "FC-2", "FC-3")
def test_a_turn_that_ends_with_no_text_comes_back_as_empty(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b), status=TurnStatus.EMPTY)
    assert (world.reply(request).outcome, world.reply(request).reply_text) == (Outcome.EMPTY, "")
    assert world.claim_in(a).kind is TurnKind.CONTINUATION


@pytest.mark.requirement("R-M5")
def test_a_round_of_requests_cannot_deadlock(world: World) -> None:
    a, b, d = (world.conversation(title) for title in "ABD")
    source = world.started(a)
    first = world.request(source, b)
    world.end(source)
    second = world.request(turn := world.claim_in(b), d)
    world.end(turn)
    third = world.request(turn := world.claim_in(d), a)
    world.end(turn)
    for conversation in (a, d, b, a):
        world.end(world.claim_in(conversation), f"by {conversation}")
    statuses = [world.reply(request).status for request in (first, second, third)]
    assert statuses == [ReplyStatus.RETURNED] * 3


@pytest.mark.requirement("R-M6", "FC-10")
def test_replies_for_different_requesters_run_in_different_continuations(world: World) -> None:
    a, b, d = (world.conversation(title) for title in "ABD")
    own = world.started(b, "a person's work")
    for_person = world.request(own, d)
    world.end(own)
    source = world.started(a)
    outer = world.request(source, b)
    world.end(source)
    serving = world.claim_in(b)
    e = world.conversation("E")
    for_a = world.request(serving, e)
    world.end(world.claim_in(d), "for the person")
    world.end(world.claim_in(e), "for A")
    world.end(serving)
    first = world.claim_in(b)
    assert (first.thread.serves, world.carried(first)) == (None, [for_person])
    world.end(first, "to the person")
    second = world.claim_in(b)
    assert (second.thread.serves, world.carried(second)) == (outer, [for_a])
    world.end(second, "to A")
    assert world.reply(outer).reply_text == "to A"


@pytest.mark.requirement("R-M8", "FC-18")
def test_a_manual_message_by_the_target_is_its_own_message_and_merged_with_nothing(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b)
    world.end(source)
    target = world.claim_in(b)
    world.request(target, a, "by hand")
    world.end(world.claim_in(a), "noted")
    world.end(world.claim_in(b) if world.open_turns(b)[0].id != target.id else target, "by relay")
    world.claim()
    for turn in world.open_turns(b):
        world.end(turn, "by relay")
    assert "by hand" in [m.text for m in world.messages(a)]
    assert world.reply(request).reply_text == "by relay"


@pytest.mark.requirement("R-M8")
def test_a_returned_reply_creates_no_new_obligation(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b))
    world.end(world.claim_in(a), "thank you")
    assert (world.open_turns(a), world.open_turns(b)) == ([], [])


@pytest.mark.requirement("R-M9", "FC-13")
def test_a_huge_output_is_stored_whole_and_cut_in_the_prompt_with_where_to_read_on(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    request = world.request(source, b, "请" * 20_000)
    world.end(source)
    whole = "长" * 700_000
    world.end(world.claim_in(b), whole)
    prompt = world.claim_in(a).prompt
    row = world.reply(request)
    assert row.reply_text == whole
    assert len(prompt.encode()) <= world.settings.continuation_limit_bytes
    assert "\ufffd" not in prompt
    assert (row.reply_message_id or "?") in prompt
    assert row.message_id in prompt


@pytest.mark.requirement("R-M9", "R-T5")
@pytest.mark.parametrize("whole", ["`" * 300_000, "\n~" * 300_000, "x" * 131_000])
def test_the_prompt_stays_within_its_limit_whatever_the_reply_is_made_of(
    world: World, whole: str
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    source = world.started(a)
    world.request(source, b)
    world.end(source)
    world.end(world.claim_in(b), whole)
    size = len(world.claim_in(a).prompt.encode())
    limit = world.settings.continuation_limit_bytes
    assert limit * 0.9 < size <= limit


@pytest.mark.requirement("R-M9")
def test_what_does_not_fit_stays_ready_for_the_next_continuation(tmp_path: Path) -> None:
    world = a_world(tmp_path, continuation_limit_bytes=10_000, original_limit_bytes=100)
    a = world.conversation("A")
    source = world.started(a)
    requests = []
    for i in range(4):
        target = world.conversation(f"T{i}")
        requests.append(world.request(source, target))
        world.end(world.claim_in(target), str(i) * 50_000)
    world.end(source)
    first = world.claim_in(a)
    assert world.carried(first) == requests[:2]
    assert world.reply(requests[2]).status is ReplyStatus.READY
    world.end(first)
    assert world.carried(world.claim_in(a)) == requests[2:]
    world.db.close()


def a_reply(world: World, source_id: str, title: str, content: str, text: str) -> None:
    """Let a new conversation answer a request that was sent outside a turn."""
    target = world.conversation(title)
    world.request(source_id, target, content)
    world.end(world.claim_in(target), text)


@pytest.mark.requirement("R-M9")
def test_many_small_replies_stay_within_the_limit_too(tmp_path: Path) -> None:
    world = a_world(tmp_path, continuation_limit_bytes=10_000)
    a = world.conversation("A")
    busy = world.started(a)
    for i in range(30):
        a_reply(world, a, f"T{i}", "q", "r")
    world.end(busy)
    first = world.claim_in(a)
    assert 5 < len(world.carried(first)) < 30
    assert len(first.prompt.encode()) <= 10_000
    world.db.close()


@pytest.mark.requirement("R-M9", "R-M7")
def test_unfinished_replies_stay_within_the_limit_and_none_is_lost(tmp_path: Path) -> None:
    world = a_world(tmp_path, continuation_limit_bytes=10_000)
    a = world.conversation("A")
    for i in range(8):
        a_reply(world, a, f"T{i}", "q" * 3_000, "r" * 1_000)
        continuation = world.claim_in(a)
        assert len(continuation.prompt.encode()) <= 10_000
        world.begin(continuation)
        world.end(continuation, status=TurnStatus.FAILED)
    carried = [world.carried(world.turn(ask.subject)) for ask in world.asks(a)]
    assert sum(len(one) for one in carried) == 8
    world.db.close()


@pytest.mark.requirement("R-M9")
def test_a_huge_error_stays_within_the_limit_too(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    request = world.request(a, b)
    world.end(world.claim_in(b), "", TurnStatus.FAILED, error="e" * 300_000)
    prompt = world.claim_in(a).prompt
    assert "eee" in prompt
    assert len(prompt.encode()) <= world.settings.continuation_limit_bytes
    assert world.reply(request).last_error == "e" * 300_000
