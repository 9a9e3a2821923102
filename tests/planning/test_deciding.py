"""Decisions that only people take: who is asked, what agents hear, and when nobody is asked."""

from dataclasses import replace

import pytest

from ccweb.asks import store as asks
from ccweb.asks.model import Ask
from ccweb.conversations.model import Turn
from ccweb.errors import InvalidParams
from ccweb.planning.blueprints import deciding, state
from ccweb.planning.errors import (
    DecisionRequired,
    EvidenceIncomplete,
    OrphanReadOnly,
    Stale,
    WrongOrder,
)
from ccweb.planning.model import Command, Repository, Shown
from ccweb.relay.model import Source
from ccweb_contract.enums import (
    AskKind,
    AskStatus,
    Decision,
    ReplyStatus,
    ReworkScope,
    TaskState,
    ThreadStatus,
    TurnKind,
    TurnStatus,
)
from tests.planning.world import Planning


def ask_instead(
    world: Planning,
    artifact_id: str,
    command: Command,
    caller: Turn | None = None,
    shown: Shown | None = None,
) -> str:
    """Let an agent (or a script) decide, and return the ask that was opened."""
    source = Source(conversation_id=caller.conversation_id, lease=caller.lease) if caller else None
    with pytest.raises(DecisionRequired) as refusal, world.tx() as c:
        r = state.read(c, artifact_id)
        deciding.ask_instead(
            c, world.m, r, command, source=source, shown=shown, thread=ThreadStatus.OPEN
        )
    return refusal.value.ask_id


def ask(world: Planning, ask_id: str) -> Ask:
    return asks.get(world.db.reader, ask_id)


def own_asks(world: Planning) -> list[tuple[AskKind, str]]:
    return [(one.kind, one.subject) for one in world.asks() if not one.conversation_id]


def planner(world: Planning) -> Turn:
    """Return the running turn of an agent that wants to decide."""
    return world.started(world.conversation("Planner"))


def heard(world: Planning, turn: Turn) -> str:
    """Return what the agent reads in its next turn, after the present one."""
    world.end(turn)
    (continuation,) = world.open_turns(turn.conversation_id)
    assert continuation.kind is TurnKind.CONTINUATION
    return continuation.prompt


@pytest.mark.requirement("R-P4")
def test_a_blueprint_asks_people_in_the_two_states_that_wait_for_one(
    world: Planning, till: Repository
) -> None:
    artifact_id = world.create(till).id
    assert own_asks(world) == []
    world.finish_work()
    assert own_asks(world) == [(AskKind.BLUEPRINT_APPROVAL, artifact_id)]
    world.send_back(artifact_id, ReworkScope.CLARIFICATION)
    assert own_asks(world) == [(AskKind.BLUEPRINT_QUESTION, artifact_id)]
    world.answer_question(world.open_questions(artifact_id)[0], till.id)
    assert own_asks(world) == [(AskKind.BLUEPRINT_APPROVAL, artifact_id)]
    world.send_back(artifact_id, ReworkScope.RESEARCH)
    assert own_asks(world) == []
    world.finish_work()
    world.approve(artifact_id)
    assert own_asks(world) == []


@pytest.mark.requirement("R-P4")
def test_an_agent_that_approves_is_refused_and_a_person_is_asked_once(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    turn = planner(world)
    shown = world.shown(artifact.id)
    first = ask_instead(world, artifact.id, Command.APPROVE, turn, shown)
    again = ask_instead(world, artifact.id, Command.APPROVE, turn, shown)
    assert first == again
    opened = ask(world, first)
    assert (opened.kind, opened.subject, opened.turn_id) == (
        AskKind.BLUEPRINT_APPROVAL,
        artifact.id,
        turn.id,
    )
    assert world.read(artifact.id).confirmation is None


@pytest.mark.requirement("R-P4")
def test_a_script_without_the_scope_gets_the_blueprints_own_ask(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    (own,) = world.asks()
    assert ask_instead(world, artifact.id, Command.SEND_BACK) == own.id
    assert len(world.asks()) == 1


@pytest.mark.requirement("R-P4")
def test_the_persons_approval_comes_into_the_agents_conversation(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    turn = planner(world)
    ask_id = ask_instead(world, artifact.id, Command.APPROVE, turn, world.shown(artifact.id))
    world.approve(artifact.id)
    closed = ask(world, ask_id)
    assert (closed.status, closed.closed_by) == (AskStatus.RESOLVED, world.human.person_id)
    text = heard(world, turn)
    assert artifact.id in text and f"`{Decision.APPROVED}`" in text


@pytest.mark.requirement("R-P4")
def test_what_a_person_says_when_they_send_it_back_comes_along(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    turn = planner(world)
    ask_instead(world, artifact.id, Command.SEND_BACK, turn)
    world.send_back(artifact.id, comment="Say how refunds work.")
    text = heard(world, turn)
    assert f"`{Decision.SENT_BACK}`" in text and "Say how refunds work." in text


@pytest.mark.requirement("R-P4")
def test_an_agent_hears_once_when_all_questions_are_answered(
    world: Planning, till: Repository
) -> None:
    artifact_id = world.clarifying(till, questions=["A?", "B?"])
    turn = planner(world)
    ask_instead(world, artifact_id, Command.ANSWER, turn)
    first, second = world.open_questions(artifact_id)
    world.answer_question(first, "yes")
    assert world.inbox(turn.conversation_id) == []
    world.answer_question(second, "no")
    assert len(world.inbox(turn.conversation_id)) == 1
    assert f"`{Decision.ANSWERED}`" in heard(world, turn)


@pytest.mark.requirement("R-P4")
def test_several_agents_that_have_asked_all_hear(world: Planning, till: Repository) -> None:
    artifact = world.reviewed(till)
    turns = [planner(world), planner(world)]
    for turn in turns:
        ask_instead(world, artifact.id, Command.APPROVE, turn, world.shown(artifact.id))
    world.approve(artifact.id)
    assert all(f"`{Decision.APPROVED}`" in heard(world, turn) for turn in turns)


@pytest.mark.requirement("R-M5", "R-P4")
def test_a_request_is_held_until_the_person_has_decided(world: Planning, till: Repository) -> None:
    artifact = world.reviewed(till)
    boss = world.started(world.conversation("Boss"))
    target = world.conversation("Planner")
    request_id = world.request(boss, target)
    turn = world.claim_in(target)
    ask_instead(world, artifact.id, Command.APPROVE, turn, world.shown(artifact.id))
    world.end(turn, "I have asked.")
    assert world.reply(request_id).status is ReplyStatus.WAITING
    world.approve(artifact.id)
    assert world.reply(request_id).status is ReplyStatus.WAITING
    world.end(world.claim_in(target), "Approved.")
    assert world.reply(request_id).reply_text == "Approved."


@pytest.mark.requirement("R-P4")
def test_an_ask_that_a_person_puts_aside_is_told_and_leaves_the_blueprint_open(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    turn = planner(world)
    ask_id = ask_instead(world, artifact.id, Command.APPROVE, turn, world.shown(artifact.id))
    with pytest.raises(InvalidParams):
        world.resume(ask(world, ask_id))
    world.dismiss(ask(world, ask_id))
    assert f"`{Decision.UNDECIDED}`" in heard(world, turn)
    assert own_asks(world) == [(AskKind.BLUEPRINT_APPROVAL, artifact.id)]


@pytest.mark.requirement("R-P4")
def test_what_the_blueprint_asks_itself_is_decided_on_its_page_only(
    world: Planning, till: Repository
) -> None:
    world.reviewed(till)
    (own,) = world.asks()
    for attempt in (world.resume, world.dismiss):
        with pytest.raises(InvalidParams):
            attempt(own)
    assert world.asks() == [own]


@pytest.mark.requirement("R-P4")
def test_nobody_is_asked_for_what_is_impossible_anyway(world: Planning, till: Repository) -> None:
    artifact = world.create(till)
    turn = planner(world)

    def refused(command: Command, shown: Shown | None = None) -> type[Exception]:
        source = Source(conversation_id=turn.conversation_id, lease=turn.lease)
        with pytest.raises(Exception) as refusal, world.tx() as c:
            r = state.read(c, artifact.id)
            deciding.ask_instead(c, world.m, r, command, source=source, shown=shown)
        return refusal.type

    assert refused(Command.ANSWER) is EvidenceIncomplete
    assert refused(Command.APPROVE) is EvidenceIncomplete
    assert refused(Command.SEND_BACK) is WrongOrder
    world.finish_work()
    shown = world.shown(artifact.id)
    assert refused(Command.APPROVE, replace(shown, content_hash="abc")) is Stale
    assert refused(Command.ANSWER) is WrongOrder
    world.set_task(TaskState.CANCELLED)
    assert refused(Command.APPROVE, shown) is OrphanReadOnly
    assert [one for one in world.asks() if one.conversation_id] == []


@pytest.mark.requirement("R-P7")
def test_for_a_cancelled_task_nobody_is_asked_and_no_agent_is_woken(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    boss = world.started(world.conversation("Boss"))
    target = world.conversation("Planner")
    request_id = world.request(boss, target)
    turn = world.claim_in(target)
    ask_instead(world, artifact.id, Command.APPROVE, turn, world.shown(artifact.id))
    world.end(turn, "I have asked.", TurnStatus.COMPLETED)
    world.set_task(TaskState.CANCELLED)
    world.stop_orphans()
    assert world.asks() == []
    assert world.open_turns(target) == []
    assert world.reply(request_id).reply_text == "I have asked."
