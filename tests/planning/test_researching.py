"""Research: what agents answer, and what of it counts as evidence."""

import json
from pathlib import Path

import pytest
from sqlalchemy import text

from ccweb.board import store as tasks
from ccweb.conversations import store as conversations
from ccweb.errors import AgentUnavailable, InvalidParams
from ccweb.planning.errors import EvidenceIncomplete, OrphanReadOnly
from ccweb.planning.model import Repository, Research
from ccweb.planning.research import outcomes
from ccweb.relay import store as requests
from ccweb_contract.enums import (
    AgentKind,
    BlueprintStatus,
    CandidateRole,
    PermissionMode,
    ResearchStatus,
    SourceKind,
    TaskState,
    TurnStatus,
)
from tests.planning.world import FILE, GOOD, TASK, Planning, a_route, an_answer

UNREADABLE = {
    "prose": "I have looked around. All is well.",
    "half of it": an_answer()[:-40],
    "files that do not exist": an_answer(evidence_files=["src/ghost.py"]),
    "files outside": an_answer(evidence_files=["../secret"]),
    "a field too few": f"```json\n{json.dumps({'steps': GOOD['steps']})}\n```",
    "10 MB of noise": "x" * 10_000_000,
}


def one(world: Planning, artifact_id: str) -> Research:
    (candidate,) = world.read(artifact_id).candidates
    return candidate.research


@pytest.mark.requirement("R-P9")
def test_research_is_a_request_of_planning_in_a_conversation_that_may_only_read(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    research = one(world, artifact.id)
    assert research.status is ResearchStatus.RUNNING
    conversation = conversations.get(world.db.reader, research.conversation_id or "")
    reply = requests.get(world.db.reader, research.request_id or "")
    assert conversation is not None and reply is not None
    assert conversation.cwd == till.path
    assert conversation.permission_mode is PermissionMode.PLAN
    assert (reply.source_kind, reply.source_conversation_id) == (SourceKind.PLANNING, research.id)


@pytest.mark.requirement("R-P9")
def test_candidates_are_researched_side_by_side(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    assert len(world.working()) == 2
    world.end(world.working()[0], an_answer())
    world.take_all()
    assert world.status(artifact.id) is BlueprintStatus.RESEARCHING
    world.finish_work()
    assert world.status(artifact.id) is BlueprintStatus.CLARIFYING


@pytest.mark.requirement("R-P3")
def test_a_related_repository_is_not_read_and_holds_nothing_up(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(routes=[a_route(till), a_route(web, CandidateRole.RELATED)])
    assert len(world.working()) == 1
    world.finish_work()
    assert world.status(artifact.id) is BlueprintStatus.PENDING_REVIEW


@pytest.mark.requirement("R-P5")
def test_where_nothing_matches_every_repository_is_read(
    world: Planning, till: Repository, web: Repository
) -> None:
    related = [a_route(one, CandidateRole.RELATED) for one in (till, web)]
    world.create(routes=related)
    assert len(world.working()) == 2


@pytest.mark.parametrize("answer", UNREADABLE.values(), ids=UNREADABLE.keys())
@pytest.mark.requirement("R-P5")
def test_an_answer_that_cannot_be_used_is_asked_for_once_more_and_then_fails(
    world: Planning, till: Repository, answer: str
) -> None:
    artifact = world.create(till)
    world.finish_work(answer)
    again = one(world, artifact.id)
    assert (again.status, again.attempt) == (ResearchStatus.RUNNING, 2)
    world.finish_work(answer)
    failed = one(world, artifact.id)
    assert failed.status is ResearchStatus.FAILED and failed.error
    read = world.read(artifact.id)
    assert read.artifact.status is BlueprintStatus.RESEARCH_FAILED
    assert read.lacking == {"till": ("responsibility", "fitness.reasons", "current_state_summary")}
    assert read.threads == []
    assert world.asks() == []


@pytest.mark.requirement("R-P5")
def test_the_second_answer_of_the_same_conversation_counts(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    before = one(world, artifact.id)
    world.finish_work("prose")
    world.finish_work()
    after = one(world, artifact.id)
    assert after.status is ResearchStatus.SUCCEEDED
    assert after.conversation_id == before.conversation_id
    assert after.evidence.evidence_files == [FILE]


@pytest.mark.parametrize(
    "empty",
    [
        {"responsibility": ""},
        {"fitness": {"belongs": True, "reasons": []}},
        {"current_state_summary": " "},
    ],
)
@pytest.mark.requirement("R-P5")
def test_evidence_with_an_empty_part_is_none(
    world: Planning, till: Repository, empty: dict[str, object]
) -> None:
    artifact = world.create(till)
    world.finish_work(an_answer(**empty))
    world.finish_work(an_answer(**empty))
    read = world.read(artifact.id)
    assert read.artifact.status is BlueprintStatus.RESEARCH_FAILED
    assert read.lacking.keys() == {"till"}


@pytest.mark.parametrize(
    "end", [TurnStatus.FAILED, TurnStatus.INTERRUPTED, TurnStatus.LOST, TurnStatus.EMPTY]
)
@pytest.mark.requirement("R-P5")
def test_a_research_that_ends_badly_has_failed(
    world: Planning, till: Repository, end: TurnStatus
) -> None:
    artifact = world.create(till)
    turn = world.working()[0]
    world.begin(turn)
    if end is TurnStatus.LOST:
        world.lose(world.turn(turn.id))
    else:
        world.end(turn, an_answer(), status=end, error="no more quota")
    world.take_all()
    failed = one(world, artifact.id)
    assert (failed.status, failed.attempt) == (ResearchStatus.FAILED, 1)
    assert failed.error
    assert world.status(artifact.id) is BlueprintStatus.RESEARCH_FAILED


@pytest.mark.requirement("R-P5")
def test_a_person_who_cancels_the_request_or_deletes_the_conversation_fails_the_research(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    first, second = (research for research, _ in world.read(artifact.id).candidates)
    world.cancel(first.request_id or "", by_source=False)
    world.delete(second.conversation_id or "")
    world.take_all()
    read = world.read(artifact.id)
    assert [research.status for research, _ in read.candidates] == [ResearchStatus.FAILED] * 2
    assert read.artifact.status is BlueprintStatus.RESEARCH_FAILED


@pytest.mark.requirement("R-P5")
def test_research_runs_again_for_what_is_missing_and_in_the_same_conversation(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    working = world.working()
    world.end(working[0], an_answer())
    world.end(working[1], "", status=TurnStatus.FAILED)
    world.take_all()
    before = {repo.name: found for found, repo in world.read(artifact.id).candidates}
    world.research(artifact.id)
    assert world.status(artifact.id) is BlueprintStatus.RESEARCHING
    after = {repo.name: found for found, repo in world.read(artifact.id).candidates}
    assert after["till"] == before["till"]
    assert after["web"].status is ResearchStatus.RUNNING
    assert after["web"].conversation_id == before["web"].conversation_id
    world.finish_work()
    assert world.status(artifact.id) is BlueprintStatus.CLARIFYING


@pytest.mark.requirement("R-P5")
def test_a_conversation_that_was_deleted_is_replaced(world: Planning, till: Repository) -> None:
    artifact = world.create(till)
    gone = one(world, artifact.id).conversation_id
    world.delete(gone or "")
    world.take_all()
    world.research(artifact.id)
    assert one(world, artifact.id).conversation_id != gone
    world.finish_work()
    assert world.status(artifact.id) is BlueprintStatus.PENDING_REVIEW


@pytest.mark.requirement("R-P5")
def test_a_conversation_that_was_deleted_keeps_no_other_research_back(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    world.finish_work()
    first, second = (found for found, _ in world.read(artifact.id).candidates)
    world.delete(first.conversation_id or "")
    world.delete(second.conversation_id or "")
    world.research(artifact.id, [web.id])
    at_work = [found.conversation_id for found, _ in world.read(artifact.id).candidates]
    links = [one.id for one in tasks.task(world.db.reader, TASK).links]
    assert len(world.working()) == 1
    assert set(at_work) & set(links)


def test_without_anything_missing_the_repositories_have_to_be_named(
    world: Planning, till: Repository
) -> None:
    artifact_id = world.clarifying(till)
    with pytest.raises(InvalidParams):
        world.research(artifact_id)
    with pytest.raises(InvalidParams):
        world.research(artifact_id, ["repository_of_another"])
    world.research(artifact_id, [till.id])
    assert world.status(artifact_id) is BlueprintStatus.RESEARCHING
    assert world.open_questions(artifact_id) == []


def test_an_agent_that_no_host_offers_begins_nothing(world: Planning, till: Repository) -> None:
    with world.tx() as c:
        c.execute(text("UPDATE repository SET agent = :a"), {"a": AgentKind.CLAUDE.value})
    with pytest.raises(AgentUnavailable) as refusal:
        world.create(till)
    assert refusal.value.agent is AgentKind.CLAUDE
    rows = world.db.reader.execute(
        text("SELECT (SELECT count(*) FROM artifact) + (SELECT count(*) FROM research)")
    )
    assert rows.scalar_one() == 0


@pytest.mark.requirement("R-P9")
def test_an_outcome_is_taken_once_whoever_tries_again(world: Planning, till: Repository) -> None:
    artifact = world.create(till)
    world.end(world.working()[0], an_answer())
    (request_id,) = outcomes.waiting(world.db.reader)
    found = outcomes.handed(world.db.reader, request_id)
    assert found is not None
    finding = outcomes.judge(found)
    took = []
    for _ in range(2):
        with world.tx() as c:
            took.append(outcomes.take(c, world.m, world.settings, found, finding))
    assert took == [True, False]
    assert len(world.versions(artifact.id)) == 1


@pytest.mark.requirement("R-P9")
def test_an_outcome_that_a_late_one_has_replaced_is_not_taken_for_it(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    turn = world.working()[0]
    world.begin(turn)
    world.lose(world.turn(turn.id))
    (request_id,) = outcomes.waiting(world.db.reader)
    lost = outcomes.handed(world.db.reader, request_id)
    assert lost is not None
    world.end(turn, an_answer())
    with world.tx() as c:
        assert not outcomes.take(c, world.m, world.settings, lost, None)
    assert world.take_all() == 1
    assert one(world, artifact.id).status is ResearchStatus.SUCCEEDED


@pytest.mark.requirement("R-P7")
def test_an_outcome_for_a_cancelled_task_is_consumed_and_changes_nothing(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    before = world.read(artifact.id)
    world.end(world.working()[0], an_answer())
    world.set_task(TaskState.CANCELLED)
    assert world.take_all() == 1
    after = world.read(artifact.id)
    assert after.orphan
    assert (after.artifact, after.candidates) == (before.artifact, before.candidates)
    assert outcomes.waiting(world.db.reader) == []


@pytest.mark.requirement("R-P7")
def test_research_for_a_cancelled_task_is_stopped_and_answers_nobody(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    running = world.working()[0]
    before = world.read(artifact.id)
    world.set_task(TaskState.CANCELLED)
    world.stop_orphans()
    assert world.turn(running.id).stop_requested_at is not None
    world.end(running, an_answer())
    assert world.take_all() == 0
    assert world.read(artifact.id).candidates == before.candidates
    assert not outcomes.has_orphans(world.db.reader)
    with pytest.raises(OrphanReadOnly):
        world.research(artifact.id)


@pytest.mark.requirement("R-P5")
def test_a_score_is_no_evidence(world: Planning, till: Repository, web: Repository) -> None:
    artifact_id = world.clarifying(till, web)
    with world.tx() as c:
        c.execute(text("UPDATE research SET evidence = '{}', score = 1.0"))
    (first, *_) = world.open_questions(artifact_id)
    with pytest.raises(EvidenceIncomplete):
        world.answer_question(first, till.id)


@pytest.mark.requirement("R-P5")
def test_a_repository_that_is_not_there_has_no_evidence_whatever_an_agent_says(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    Path(till.path).rename(f"{till.path}-elsewhere")
    for _ in range(2):
        world.finish_work(an_answer(evidence_files=[]))
    assert world.status(artifact.id) is BlueprintStatus.RESEARCH_FAILED
    assert "folder" in (one(world, artifact.id).error or "")


def test_a_file_may_be_gone_by_the_time_it_is_judged(world: Planning, till: Repository) -> None:
    artifact = world.create(till)
    (Path(till.path) / FILE).unlink()
    world.finish_work()
    assert one(world, artifact.id).attempt == 2
