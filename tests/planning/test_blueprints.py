"""Blueprints: begun once for a work item, answered one by one, sent back, approved."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import text

from ccweb.access import service as access
from ccweb.access.model import Human
from ccweb.board import store as board
from ccweb.errors import CcwebError, InvalidParams
from ccweb.planning.errors import (
    ArtifactNotFound,
    ContextNotFound,
    IdempotencyConflict,
    OrphanReadOnly,
    ProjectMismatch,
    Stale,
    ThreadNotFound,
    WrongOrder,
)
from ccweb.planning.model import Confirmation, Repository, Shown
from ccweb_contract.enums import (
    BlueprintStatus,
    CandidateRole,
    LinkKind,
    ReworkScope,
    TaskState,
    ThreadKind,
    ThreadStatus,
)
from tests.planning.world import BOARD, TASK, Planning, a_route, an_answer

SHOWN = Shown(version_id="version_other", content_hash="abc", plan_id="plan_other")


def status(world: Planning, artifact_id: str) -> BlueprintStatus:
    return world.read(artifact_id).artifact.status


def rows(world: Planning) -> list[tuple[object, ...]]:
    """Return what planning has written down, whole."""
    tables = ("artifact", "artifact_version", "clarification", "rework", "confirmation", "research")
    return [
        tuple(row)
        for table in (*tables, "coding")
        for row in world.db.reader.execute(text(f"SELECT * FROM {table}"))
    ]


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
    assert rows(world) == []


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
    researcher = world.read(artifact.id).candidates[0][0].conversation_id
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
    assert status(world, artifact_id) is BlueprintStatus.CLARIFYING
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
    before = rows(world)
    for body in ("till", "\n", f"{till.id}\nrepository_other", "repository_other"):
        with pytest.raises(InvalidParams):
            world.answer_question(thread_id, body)
    assert rows(world) == before
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


# --- versions -----------------------------------------------------------------------------------


@pytest.mark.requirement("R-P3")
def test_the_hash_is_that_of_the_text_in_utf8(world: Planning, till: Repository) -> None:
    artifact = world.create(till)
    world.finish_work(an_answer(responsibility="收银台 💳"))
    version = world.read(artifact.id).version
    assert version is not None
    assert "收银台 💳" in version.markdown
    assert version.content_hash == hashlib.sha256(version.markdown.encode()).hexdigest()


@pytest.mark.requirement("R-P3")
def test_versions_are_only_ever_more_and_the_old_ones_stay_as_they_were(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    first = world.versions(artifact.id)
    world.send_back(artifact.id, ReworkScope.TEXT, "Say how refunds work.")
    second = world.versions(artifact.id)
    world.send_back(artifact.id, ReworkScope.TEXT, "Shorter.")
    third = world.versions(artifact.id)
    assert third[:2] == second and second[:1] == first
    assert [one.number for one in third] == [1, 2, 3]
    assert "**Say how refunds work.** (Ada)" in third[2].markdown
    assert "**Shorter.** (Ada)" in third[2].markdown
    assert status(world, artifact.id) is BlueprintStatus.PENDING_REVIEW


@pytest.mark.requirement("R-P4")
def test_sent_back_for_clarification_the_questions_are_asked_again(
    world: Planning, till: Repository
) -> None:
    artifact_id = world.clarifying(till, questions=["Which cards?"])
    world.answer_question(world.open_questions(artifact_id)[0], "All")
    world.send_back(artifact_id, ReworkScope.CLARIFICATION, "I was wrong.")
    threads = world.read(artifact_id).threads
    assert status(world, artifact_id) is BlueprintStatus.CLARIFYING
    assert [(one.status, one.body) for one in threads] == [
        (ThreadStatus.WITHDRAWN, "All"),
        (ThreadStatus.OPEN, None),
        (ThreadStatus.OPEN, None),
    ]
    where, cards = world.open_questions(artifact_id)
    world.answer_question(where, till.id)
    world.answer_question(cards, "None")
    markdown = world.versions(artifact_id)[1].markdown
    assert "**None**" in markdown and "**All**" not in markdown and "I was wrong." in markdown


@pytest.mark.requirement("R-P4")
def test_sent_back_for_research_the_agents_read_the_comment(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    world.send_back(artifact.id, ReworkScope.RESEARCH, "Look at the refunds.")
    assert status(world, artifact.id) is BlueprintStatus.RESEARCHING
    (turn,) = world.working()
    assert "Look at the refunds." in turn.prompt
    world.finish_work()
    assert [one.number for one in world.versions(artifact.id)] == [1, 2]


# --- approval -----------------------------------------------------------------------------------


@pytest.mark.requirement("R-P4")
def test_an_approval_names_person_version_and_hash(world: Planning, till: Repository) -> None:
    artifact = world.reviewed(till)
    shown = world.shown(artifact.id)
    confirmation = world.approve(artifact.id, shown)
    read = world.read(artifact.id)
    assert read.confirmation == confirmation
    assert (confirmation.version_id, confirmation.content_hash, confirmation.person_id) == (
        shown.version_id,
        shown.content_hash,
        world.human.person_id,
    )
    assert read.people[confirmation.person_id] == "Ada"
    assert read.artifact.status is BlueprintStatus.CONFIRMED


@pytest.mark.requirement("R-P4")
def test_an_approval_prepared_before_a_new_version_and_sent_after_it_is_stale(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    shown = world.shown(artifact.id)
    world.send_back(artifact.id)
    with pytest.raises(Stale) as refusal:
        world.approve(artifact.id, shown)
    assert shown.version_id in refusal.value.shown
    assert world.shown(artifact.id).version_id in refusal.value.current
    assert world.read(artifact.id).confirmation is None


@pytest.mark.parametrize("field", ["version_id", "content_hash", "plan_id"])
@pytest.mark.requirement("R-P4")
def test_an_approval_with_one_foreign_id_is_stale(
    world: Planning, till: Repository, field: str
) -> None:
    artifact = world.reviewed(till)
    with pytest.raises(Stale):
        world.approve(artifact.id, replace(world.shown(artifact.id), **{field: "foreign"}))


@pytest.mark.requirement("R-P4")
def test_of_two_approvals_at_once_one_wins_and_one_is_stale(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    shown = world.shown(artifact.id)
    with world.tx() as c:
        other = Human(person_id=access.add_person(c, world.m, "Bea").id)

    def approve(who: int) -> Confirmation | type[CcwebError]:
        try:
            return world.approve(artifact.id, shown, by=(world.human, other)[who])
        except CcwebError as error:
            return type(error)

    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(approve, range(2)))
    assert sum(isinstance(one, Confirmation) for one in both) == 1
    assert Stale in both
    assert world.read(artifact.id).confirmation in both


@pytest.mark.requirement("R-P4")
def test_a_second_approval_is_stale_and_nothing_comes_after_confirmed(
    world: Planning, till: Repository
) -> None:
    artifact = world.reviewed(till)
    shown = world.shown(artifact.id)
    world.approve(artifact.id, shown)
    before = rows(world)
    with pytest.raises(Stale):
        world.approve(artifact.id, shown)
    with pytest.raises(WrongOrder):
        world.send_back(artifact.id)
    with pytest.raises(WrongOrder):
        world.research(artifact.id)
    assert rows(world) == before


# --- orphans ------------------------------------------------------------------------------------


@pytest.mark.requirement("R-P7")
def test_a_cancelled_task_makes_its_blueprint_read_only_in_every_state(
    world: Planning, till: Repository
) -> None:
    artifact_id = world.clarifying(till)
    thread_id = world.open_questions(artifact_id)[0]
    steps = (
        lambda: world.answer_question(thread_id, "yes"),
        lambda: world.send_back(artifact_id),
        lambda: world.approve(artifact_id, world.shown(artifact_id)),
    )
    check_read_only(world, artifact_id, till, thread_id)
    steps[0]()
    check_read_only(world, artifact_id, till, thread_id)
    steps[1]()
    check_read_only(world, artifact_id, till, thread_id)
    steps[2]()
    check_read_only(world, artifact_id, till, thread_id)


def check_read_only(world: Planning, artifact_id: str, till: Repository, thread_id: str) -> None:
    """Cancel the task, try everything, and bring the task back behind everybody's back."""
    world.set_task(TaskState.CANCELLED)
    before = rows(world)
    version = world.read(artifact_id).version
    shown = world.shown(artifact_id) if version else None
    for attempt in (
        lambda: world.create(till),
        lambda: world.answer_question(thread_id, "yes"),
        lambda: world.send_back(artifact_id),
        lambda: world.send_back(artifact_id, ReworkScope.RESEARCH),
        lambda: world.approve(artifact_id, shown or SHOWN),
        lambda: world.research(artifact_id, [till.id]),
        lambda: world.dispatch(artifact_id, till.id),
    ):
        with pytest.raises(OrphanReadOnly):
            attempt()
    assert rows(world) == before
    assert world.read(artifact_id).orphan
    world.set_task(TaskState.TODO)


def test_a_blueprint_that_is_not_there_is_not_found(world: Planning, till: Repository) -> None:
    for attempt in (
        lambda: world.read("artifact_other"),
        lambda: world.send_back("artifact_other"),
        lambda: world.research("artifact_other"),
        lambda: world.dispatch("artifact_other", till.id),
    ):
        with pytest.raises(ArtifactNotFound):
            attempt()


def test_a_candidate_that_is_only_related_can_be_read_as_well(
    world: Planning, till: Repository, web: Repository
) -> None:
    artifact = world.create(routes=[a_route(till), a_route(web, CandidateRole.RELATED)])
    world.finish_work(an_answer(questions=["A?"]))
    world.research(artifact.id, [web.id])
    world.finish_work()
    (where, _) = world.read(artifact.id).threads[-2:]
    assert [option.value for option in where.options] == [till.id, web.id]
