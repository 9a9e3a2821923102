"""Forms between an agent and people: asked for, answered, and how they come back."""

import base64
from pathlib import Path

import pytest

from ccweb.asks import forms
from ccweb.asks.errors import AnswersRefused
from ccweb.asks.model import Ask
from ccweb.errors import AskClosed, ContentTooLarge, InvalidParams, TurnOver
from ccweb_contract import prompts
from ccweb_contract.enums import (
    AskKind,
    FieldType,
    FormStatus,
    Lang,
    ReplyMode,
    TurnKind,
    TurnStatus,
)
from tests.relay.invariants import look
from tests.relay.world import PERSON, World, a_world

WHO = {"name": "who", "label": "Who?", "type": FieldType.TEXT.value, "required": True}
ESSAY = {"name": "essay", "label": "Why?", "type": FieldType.TEXTAREA.value}
DAYS = {
    "name": "days",
    "label": "When?",
    "type": FieldType.MULTISELECT.value,
    "options": [{"value": "Mon"}, {"value": "Tue"}, {"value": "Wed"}],
}


def answered_text(ask: Ask, *answers: tuple[str, str, str | None]) -> str:
    """Return what a conversation reads of its answered form: label, name and answer of each."""
    return prompts.form_answered(
        Lang.EN,
        form_id=ask.id,
        title="Cards",
        answers=[
            prompts.form_answer(Lang.EN, label=label, name=name, answer=answer)
            for label, name, answer in answers
        ],
    )


@pytest.mark.requirement("R-U4", "R-M6")
def test_answers_continue_the_conversation_that_asked_in_the_order_of_its_fields(
    world: World,
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn, DAYS, WHO, ESSAY)
    world.end(turn)
    closed = world.answer(ask, {"who": "Ada", "essay": "", "days": ["Tue", "Mon"]})
    assert closed.answer == {"answers": {"days": ["Mon", "Tue"], "who": "Ada"}, "note": ""}
    assert (closed.closed_by, forms.status_of(closed)) == (PERSON, FormStatus.ANSWERED)
    continuation = world.claim_in(a)
    assert continuation.kind is TurnKind.CONTINUATION
    assert continuation.thread == turn.thread
    assert continuation.prompt == answered_text(
        ask, ("When?", "days", "Mon\nTue"), ("Who?", "who", "Ada"), ("Why?", "essay", None)
    )


@pytest.mark.requirement("R-U4")
def test_a_declined_form_continues_with_the_reason(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask, other = world.form(turn), world.form(turn)
    world.end(turn)
    assert forms.status_of(world.answer(ask, note="ask ops ```")) is FormStatus.DECLINED
    declined = world.claim_in(a)
    assert declined.prompt == prompts.form_declined(
        Lang.EN, form_id=ask.id, title="Cards", reason="ask ops ```"
    )
    world.end(declined)
    world.dismiss(other)
    assert world.form_status(other) is FormStatus.DECLINED
    assert world.claim_in(a).prompt == prompts.form_declined(
        Lang.EN, form_id=other.id, title="Cards", reason=""
    )


@pytest.mark.requirement("R-U4")
def test_only_a_declined_form_has_a_reason(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask, other = world.form(turn), world.form(turn)
    assert world.answer(ask, {"colour": "red"}, note="for nobody").answer == {
        "answers": {"colour": "red"},
        "note": "",
    }
    assert world.answer(other, note=" not mine\n").answer == {"answers": None, "note": "not mine"}


@pytest.mark.requirement("R-U4")
def test_a_form_waits_while_its_conversation_goes_on(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    turn = world.started(a)
    ask = world.form(turn)
    world.end(turn, status=TurnStatus.FAILED)
    world.end(world.started(a, "something else"))
    other = world.started(b)
    world.send(other, a)
    assert world.asks(a) == [ask]
    assert world.form_status(ask) is FormStatus.WAITING


@pytest.mark.requirement("R-M6", "R-M11")
def test_answers_for_a_busy_conversation_wait_and_come_after_what_a_person_wrote(
    world: World,
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn)
    world.write(a, "one more thing")
    world.answer(ask, {"colour": "red"})
    assert [item.ref_id for item in world.inbox(a)] == [ask.id]
    world.end(turn)
    written = world.claim_in(a)
    assert written.prompt == "one more thing"
    world.end(written)
    assert world.carried(world.claim_in(a)) == [ask.id]


@pytest.mark.requirement("R-M11")
def test_answers_for_a_stopped_conversation_wait_until_it_may_go_on(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn)
    world.stop(a)
    world.end(turn, status=TurnStatus.INTERRUPTED)
    world.answer(ask, {"colour": "red"})
    [held] = world.asks(a)
    assert (held.kind, world.open_turns(a)) == (AskKind.REPLIES_HELD, [])
    world.resume(held)
    assert world.carried(world.claim_in(a)) == [ask.id]


@pytest.mark.requirement("R-M6")
def test_forms_of_one_request_come_together_and_those_of_another_by_themselves(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    own = world.started(b)
    mine = world.form(own)
    world.end(own)
    source = world.started(a)
    world.request(source, b)
    target = world.claim_in(b)
    first, second = world.form(target), world.form(target)
    for ask in (first, mine, second):
        world.answer(ask, {"colour": ask.id})
    world.end(target)
    together = world.claim_in(b)
    assert world.carried(together) == [first.id, second.id]
    assert mine.id not in together.prompt
    world.end(together)
    assert world.carried(world.claim_in(b)) == [mine.id]


@pytest.mark.requirement("R-M6")
def test_a_form_and_a_reply_to_the_same_thread_come_in_one_continuation(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    turn = world.started(a)
    ask, request = world.form(turn), world.request(turn, b)
    target = world.claim_in(b)
    world.answer(ask, {"colour": "red"})
    world.end(target, "the answer")
    world.end(turn)
    continuation = world.claim_in(a)
    assert world.carried(continuation) == [ask.id, request]
    assert answered_text(ask, ("Which colour?", "colour", "red")) in continuation.prompt
    assert "the answer" in continuation.prompt


@pytest.mark.requirement("R-M7")
def test_the_same_answers_sent_twice_continue_once_and_others_are_refused(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn)
    world.end(turn)
    first = world.answer(ask, {"colour": "red"})
    before = look(world.db)
    assert world.answer(ask, {"colour": "red"}) == first
    for answers, note, person in (
        ({"colour": "blue"}, "", PERSON),
        ({"colour": "red"}, "", "person_2"),
        (None, "no", PERSON),
    ):
        with pytest.raises(AskClosed):
            world.answer(ask, answers, note=note, person_id=person)
    with pytest.raises(AskClosed):
        world.dismiss(ask)
    assert look(world.db) == before


@pytest.mark.requirement("R-M7")
@pytest.mark.parametrize("broken", [TurnStatus.FAILED, TurnStatus.LOST])
def test_answers_whose_continuation_broke_come_first_in_the_next_turn(
    world: World, broken: TurnStatus
) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn)
    world.end(turn)
    world.answer(ask, {"colour": "red"})
    continuation = world.claim_in(a)
    world.begin(continuation)
    if broken is TurnStatus.LOST:
        world.lose(world.turn(continuation.id))
    else:
        world.end(continuation, status=broken)
    assert [one.kind for one in world.asks(a)] == [AskKind.CONTINUE_AGAIN]
    following = world.started(a, "well?")
    assert world.carried(following) == [ask.id]
    assert following.prompt.index(ask.id) < following.prompt.index("well?")
    assert world.asks(a) == []


@pytest.mark.requirement("R-M7")
def test_answers_can_be_continued_with_again(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn)
    world.end(turn)
    world.answer(ask, {"colour": "red"})
    continuation = world.claim_in(a)
    world.begin(continuation)
    world.end(continuation, status=TurnStatus.FAILED)
    [again] = world.asks(a)
    world.resume(again)
    assert world.claim_in(a).prompt == continuation.prompt


@pytest.mark.requirement("R-S4")
def test_a_form_or_an_answer_that_cannot_be_changes_nothing(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn, WHO)
    world.end(turn)
    before = look(world.db)
    with pytest.raises(TurnOver):
        world.form(turn)
    with pytest.raises(InvalidParams):
        world.form(a, WHO, WHO)
    with pytest.raises(AnswersRefused):
        world.answer(ask, {})
    with pytest.raises(ContentTooLarge):
        world.answer(ask, note="n" * (forms.ANSWERS_LIMIT_BYTES + 1))
    with pytest.raises(InvalidParams):
        world.resume(ask)
    assert look(world.db) == before


@pytest.mark.requirement("R-M9")
def test_the_largest_answers_fit_whole_beside_a_reply_that_is_cut(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    essays = [{**ESSAY, "name": f"e{i}", "label": "题" * 200} for i in range(50)]
    turn = world.started(a)
    ask, request = world.form(turn, *essays), world.request(turn, b)
    target = world.claim_in(b)
    answers = {f"e{i}": "好" * 436 for i in range(50)}
    world.answer(ask, answers)
    world.end(target, base64.b64encode(bytes(300_000)).decode())
    world.end(turn)
    continuation = world.claim_in(a)
    assert world.carried(continuation) == [ask.id, request]
    assert continuation.prompt.count("好" * 436) == len(essays)
    size, limit = len(continuation.prompt.encode()), world.settings.continuation_limit_bytes
    assert 0.95 * limit < size <= limit


@pytest.mark.requirement("R-M9")
def test_large_answers_of_two_forms_come_one_after_the_other(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    essays = [{**ESSAY, "name": f"e{i}", "label": "题" * 200} for i in range(50)]
    first, second = world.form(turn, *essays), world.form(turn, *essays)
    for ask in (first, second):
        world.answer(ask, {f"e{i}": "好" * 436 for i in range(50)})
    world.end(turn)
    continuation = world.claim_in(a)
    assert world.carried(continuation) == [first.id]
    world.end(continuation)
    assert world.carried(world.claim_in(a)) == [second.id]


@pytest.mark.requirement("R-M9", "R-T5")
def test_answers_whose_fences_no_continuation_could_carry_are_refused(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    ask = world.form(turn, *({**ESSAY, "name": f"e{i}"} for i in range(3)))
    with pytest.raises(ContentTooLarge):
        world.answer(ask, {f"e{i}": "`" * 20_000 for i in range(3)})
    world.answer(ask, {"e0": "`" * 20_000})
    world.end(turn)
    assert len(world.claim_in(a).prompt) > 60_000


@pytest.mark.requirement("R-M2")
def test_an_answer_is_a_word_from_a_person_to_those_who_might_loop(tmp_path: Path) -> None:
    world = a_world(tmp_path, chain_limit=3)
    a, b = world.conversation("A"), world.conversation("B")
    turn = world.started(a)
    for _ in range(5):
        ask = world.form(turn)
        world.end(turn)
        other = world.started(b)
        world.send(other, a, reply_mode=ReplyMode.ONE_WAY)
        world.end(other)
        world.end(world.claim_in(a))  # a turn of another chain comes between
        world.answer(ask, {"colour": "red"})
        turn = world.claim_in(a)
    world.send(turn, b)
    world.db.close()
