"""Blueprints: begun once for a work item, and their questions answered one by one."""

import pytest
from sqlalchemy import text

from ccweb.board import store as board
from ccweb.errors import InvalidParams
from ccweb.planning.errors import (
    ContextNotFound,
    IdempotencyConflict,
    OrphanReadOnly,
    ProjectMismatch,
    ThreadNotFound,
    WrongOrder,
)
from ccweb.planning.model import Repository
from ccweb_contract.enums import (
    BlueprintStatus,
    LinkKind,
    TaskState,
    ThreadKind,
)
from tests.planning.world import BOARD, TASK, Planning, an_answer

# --- create -------------------------------------------------------------------------------------


@pytest.mark.requirement("R-P2")
def test_the_same_key_with_the_same_arguments_gives_the_same_blueprint(
    world: Planning, till: Repository
) -> None:
    first = world.create(till, key="task_1-created")
    again = world.create(till, key="task_1-created")
    assert (again.id, again.plan_id) == (first.id, first.plan_id)
    assert len(world.working()) == 1


@pytest.mark.requirement("R-P2")
def test_the_same_key_with_another_project_or_work_item_is_a_conflict(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till, key="k")
    for changes in ({"project_id": "project_other"}, {"context_id": another_item(world)}):
        with pytest.raises(IdempotencyConflict) as refusal:
            world.create(till, key="k", **changes)
        assert refusal.value.artifact_id == artifact.id


@pytest.mark.requirement("R-P2")
def test_a_work_item_has_one_blueprint_whatever_the_key(world: Planning, till: Repository) -> None:
    assert world.create(till, key="a").id == world.create(till, key="b").id


@pytest.mark.parametrize("given", [BOARD, "project_other", "no id at all"])
@pytest.mark.requirement("R-P2")
def test_another_project_or_the_space_in_its_place_is_refused(
    world: Planning, till: Repository, given: str
) -> None:
    with pytest.raises(ProjectMismatch) as refusal:
        world.create(till, project_id=given)
    assert refusal.value.given == given
    assert ("it is the space" in refusal.value.why) is (given == BOARD)
    assert world.rows() == []


@pytest.mark.requirement("R-P2")
def test_a_context_that_nobody_has_fetched_is_not_found(world: Planning, till: Repository) -> None:
    with pytest.raises(ContextNotFound):
        world.create(till, context_id="context_other")


def test_a_project_without_a_repository_has_nothing_to_research(world: Planning) -> None:
    with pytest.raises(InvalidParams):
        world.create()


@pytest.mark.requirement("R-P7")
def test_no_blueprint_is_begun_or_given_again_for_a_cancelled_task(
    world: Planning, till: Repository
) -> None:
    world.set_task(TaskState.CANCELLED)
    with pytest.raises(OrphanReadOnly):
        world.create(till)
    world.set_task(TaskState.TODO)
    artifact = world.create(till)
    world.set_task(TaskState.CANCELLED)
    with pytest.raises(OrphanReadOnly) as refusal:
        world.create(till)
    assert refusal.value.artifact_id == artifact.id


def another_item(world: Planning) -> str:
    with world.tx() as c:
        c.execute(
            text("""INSERT INTO work_context (id, source, space_id, work_item_id, title, text,
                state, cancelled, type, fetched_at)
                VALUES ('context_b', 'board', :board, 'task_b', 'B', '', 'todo', 0, '', 0)"""),
            {"board": BOARD},
        )
    return "context_b"


@pytest.mark.requirement("R-P2")
def test_the_task_shows_its_blueprint_and_where_agents_work_on_it(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    researcher = world.read(artifact.id).candidates[0].research.conversation_id
    world.finish_work()
    world.approve(artifact.id)
    coder = world.dispatch(artifact.id, till.id).conversation_id
    links = board.task(world.db.reader, TASK).links
    assert [(one.kind, one.id) for one in links] == [
        (LinkKind.BLUEPRINT, artifact.id),
        (LinkKind.CONVERSATION, researcher),
        (LinkKind.CONVERSATION, coder),
    ]


# --- questions ----------------------------------------------------------------------------------


@pytest.mark.requirement("R-P3")
def test_without_anything_to_ask_the_text_is_under_review_at_once(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    world.finish_work()
    read = world.read(artifact.id)
    assert (read.artifact.status, list(read.threads)) == (BlueprintStatus.PENDING_REVIEW, [])


@pytest.mark.requirement("R-P4")
def test_where_the_work_is_done_is_asked_when_two_candidates_are_direct(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    belongs = {"belongs": False, "reasons": ["It has no till."]}
    world.finish_work(an_answer(), an_answer(fitness=belongs))
    (thread,) = world.read(artifact.id).threads
    assert thread.kind is ThreadKind.REPO_CONFIRMATION
    assert [option.value for option in thread.options] == [till.id, web.id]
    assert thread.recommended == [till.id]


@pytest.mark.requirement("R-P4")
def test_where_the_work_is_done_is_asked_when_the_only_candidate_does_not_fit(
    world: Planning, till: Repository
) -> None:
    artifact = world.create(till)
    world.finish_work(an_answer(fitness={"belongs": False, "reasons": ["It has no till."]}))
    (thread,) = world.read(artifact.id).threads
    assert (thread.kind, thread.recommended) == (ThreadKind.REPO_CONFIRMATION, [])


@pytest.mark.requirement("R-P4")
def test_a_question_of_research_is_asked_once_and_ten_at_most(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    many = [f"Question {n}?" for n in range(12)]
    world.finish_work(
        an_answer(questions=["Which cards?"]), an_answer(questions=["which  cards", *many])
    )
    kinds = [thread.kind for thread in world.read(artifact.id).threads]
    assert kinds == [ThreadKind.REPO_CONFIRMATION, *[ThreadKind.OPEN_QUESTION] * 10]


@pytest.mark.requirement("R-P4")
def test_the_text_is_written_after_the_last_answer_and_names_who_answered(
    world: Planning, till: Repository
) -> None:
    artifact_id = world.clarifying(till, questions=["Which cards?", "Refunds?"])
    first, second = world.open_questions(artifact_id)
    world.answer_question(first, "All cards")
    assert world.status(artifact_id) is BlueprintStatus.CLARIFYING
    assert world.read(artifact_id).version is None
    world.answer_question(second, "No refunds", of=artifact_id)
    read = world.read(artifact_id)
    assert read.artifact.status is BlueprintStatus.PENDING_REVIEW
    assert read.version is not None
    for said in ("Which cards?", "**All cards**", "**No refunds**", "(Ada)"):
        assert said in read.version.markdown


@pytest.mark.requirement("R-P4")
def test_an_answer_outside_the_options_changes_nothing(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    world.finish_work()
    (thread_id,) = world.open_questions(artifact.id)
    before = world.rows()
    for body in ("till", "\n", f"{till.id}\nrepository_other", "repository_other"):
        with pytest.raises(InvalidParams):
            world.answer_question(thread_id, body)
    assert world.rows() == before
    world.answer_question(thread_id, f" {web.id} \n\n{till.id}\n{till.id}")
    assert world.read(artifact.id).threads[0].body == f"{till.id}\n{web.id}"


@pytest.mark.requirement("R-P4")
def test_a_question_is_answered_once_and_belongs_to_its_blueprint(
    world: Planning, till: Repository
) -> None:
    artifact_id = world.clarifying(till, questions=["A?", "B?"])
    first = world.open_questions(artifact_id)[0]
    world.answer_question(first, "yes")
    with pytest.raises(WrongOrder):
        world.answer_question(first, "no")
    for thread_id, of in (("thread_other", None), (first, "artifact_other")):
        with pytest.raises(ThreadNotFound):
            world.answer_question(thread_id, "yes", of=of)


@pytest.mark.requirement("R-P3")
def test_the_repositories_that_a_person_has_not_chosen_are_told_as_read_only(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(till, web)
    world.finish_work()
    (thread_id,) = world.open_questions(artifact.id)
    world.answer_question(thread_id, web.id)
    version = world.read(artifact.id).version
    assert version is not None
    done, read = version.markdown.split("## Also read")
    assert "### web" in done and "### till" not in done
    assert "### till" in read
