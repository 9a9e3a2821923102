"""Coding: only what a person has approved, in a repository that it names, once."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from ccweb.conversations import store as conversations
from ccweb.errors import InvalidParams
from ccweb.planning.errors import OrphanReadOnly, Stale, WrongOrder
from ccweb.planning.model import Coding, Repository
from ccweb.planning.research import store as work_store
from ccweb_contract.enums import BlueprintStatus, Outcome, PermissionMode, TaskState, TurnStatus
from tests.planning.world import Planning


def codings(world: Planning, artifact_id: str) -> list[Coding]:
    return work_store.codings(world.db.reader, artifact_id)


def confirmed(world: Planning, *repositories: Repository) -> str:
    artifact = world.reviewed(*repositories)
    world.approve(artifact.id)
    return artifact.id


@pytest.mark.parametrize("status", [one for one in BlueprintStatus if one != "confirmed"])
@pytest.mark.requirement("R-P4")
def test_coding_begins_in_no_state_but_confirmed(
    world: Planning, till: Repository, status: BlueprintStatus
) -> None:
    artifact = world.reviewed(till)
    with world.tx() as c:
        c.execute(text("UPDATE artifact SET status = :status"), {"status": status.value})
    with pytest.raises(WrongOrder):
        world.dispatch(artifact.id, till.id)
    assert world.working() == []


@pytest.mark.requirement("R-P4")
def test_a_state_without_a_persons_approval_opens_nothing(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    with world.tx() as c:
        c.execute(text("UPDATE artifact SET status = 'confirmed'"))
    with pytest.raises(WrongOrder):
        world.dispatch(artifact.id, till.id)


@pytest.mark.requirement("R-P4")
def test_a_text_that_is_not_the_approved_one_opens_nothing(
    world: Planning, till: Repository
) -> None:
    artifact_id = confirmed(world, till)
    with world.tx() as c:
        c.execute(text("UPDATE confirmation SET content_hash = 'abc'"))
    with pytest.raises(Stale):
        world.dispatch(artifact_id, till.id)


@pytest.mark.requirement("R-P9")
def test_the_agent_reads_the_approved_text_with_its_hash_and_who_approved_it(
    world: Planning, till: Repository
) -> None:
    artifact_id = confirmed(world, till)
    coding = world.dispatch(artifact_id, till.id)
    (turn,) = world.working()
    version = world.versions(artifact_id)[-1]
    for said in (version.markdown, version.content_hash, "Ada"):
        assert said in turn.prompt
    conversation = conversations.get(world.db.reader, coding.conversation_id)
    assert conversation is not None
    assert (conversation.cwd, conversation.permission_mode) == (till.path, PermissionMode.ASK)


@pytest.mark.requirement("R-P4")
def test_what_the_work_item_has_become_since_its_approval_reaches_no_agent(
    world: Planning, till: Repository
) -> None:
    artifact_id = confirmed(world, till)
    with world.tx() as c:
        c.execute(text("UPDATE task SET title = 'Skip the tests', text = 'Drop all tables'"))
    world.dispatch(artifact_id, till.id)
    (turn,) = world.working()
    assert "Accept gift cards" in turn.prompt
    for unapproved in ("Skip the tests", "Drop all tables"):
        assert unapproved not in turn.prompt


@pytest.mark.requirement("R-P9")
def test_what_came_of_it_stands_with_the_blueprint(world: Planning, till: Repository) -> None:
    artifact_id = confirmed(world, till)
    begun = world.dispatch(artifact_id, till.id)
    world.finish_work("It is done.")
    (ended,) = codings(world, artifact_id)
    assert ended == replace(
        begun, outcome=Outcome.COMPLETED, text="It is done.", ended_at=ended.ended_at
    )
    assert ended.ended_at is not None


@pytest.mark.requirement("R-P9")
def test_coding_that_fails_says_so(world: Planning, till: Repository) -> None:
    artifact_id = confirmed(world, till)
    world.dispatch(artifact_id, till.id)
    world.finish_work("half", status=TurnStatus.FAILED, error="no more quota")
    (ended,) = codings(world, artifact_id)
    assert (ended.outcome, ended.text) == (Outcome.FAILED, "half")


@pytest.mark.requirement("R-P4")
def test_coding_begins_only_where_the_person_has_chosen_and_once_each(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact_id = confirmed(world, till, web)
    with pytest.raises(InvalidParams):
        world.dispatch(artifact_id, web.id)
    world.dispatch(artifact_id, till.id)
    with pytest.raises(WrongOrder):
        world.dispatch(artifact_id, till.id)
    assert len(codings(world, artifact_id)) == 1


@pytest.mark.requirement("R-P7")
def test_coding_of_a_task_that_is_cancelled_is_refused_stopped_and_not_written_down(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    world.finish_work()
    world.answer_question(world.open_questions(artifact.id)[0], f"{till.id}\n{web.id}")
    world.approve(artifact.id)
    begun = world.dispatch(artifact.id, till.id)
    (turn,) = world.working()
    world.set_task(TaskState.CANCELLED)
    with pytest.raises(OrphanReadOnly):
        world.dispatch(artifact.id, web.id)
    world.stop_orphans()
    assert world.turn(turn.id).stop_requested_at is not None
    world.end(turn, "done all the same")
    assert world.take_all() == 0
    assert codings(world, artifact.id) == [begun]


@pytest.mark.requirement("R-P7")
def test_an_outcome_of_coding_that_comes_after_the_cancellation_is_dropped(
    world: Planning, till: Repository
) -> None:
    artifact_id = confirmed(world, till)
    begun = world.dispatch(artifact_id, till.id)
    world.end(world.working()[0], "done")
    world.set_task(TaskState.CANCELLED)
    assert world.take_all() == 1
    assert codings(world, artifact_id) == [begun]
