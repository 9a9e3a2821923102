"""Tasks: what each command does, what it refuses, and what the history says of it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ccweb.access import service as access
from ccweb.board import service, store
from ccweb.board.errors import (
    BoardNotFound,
    ColumnNotFound,
    Conflict,
    NeighbourMoved,
    StateWithoutColumn,
    TaskNotFound,
)
from ccweb.board.model import NOBODY, Assignee, Author, Link, NewTask, Task
from ccweb.errors import ConversationNotFound, InvalidParams, RequestNotFound
from ccweb_contract.enums import AssigneeKind, Lang, LinkKind, SourceKind, TaskState
from tests.board.wall import Wall
from tests.relay.world import HOST

BLUEPRINT = Link(kind=LinkKind.BLUEPRINT, id="bp_1")
ODD = [
    "<script>alert(1)</script> & <b>bold</b>",
    "مرحبا \u202eabc\u202c",
    "zero\u200bwidth\u200d\ufeff",
    "  spaces kept  ",
    "emoji 👩‍👩‍👧‍👦 and ẞ",
]
"""Texts that must come back as they are."""


# --- creating -----------------------------------------------------------------------------------


def test_a_new_task_stands_at_the_end_of_the_first_column_to_do(wall: Wall) -> None:
    first, second = wall.add("first"), wall.add("second")
    assert first.column_id == second.column_id == wall.column(TaskState.TODO).id
    assert wall.titles(TaskState.TODO) == ["first", "second"]
    assert (first.version, first.state, first.assignee) == (1, TaskState.TODO, NOBODY)


def test_a_new_task_goes_to_the_column_or_state_that_is_asked_for(wall: Wall) -> None:
    blocked = wall.column(TaskState.BLOCKED)
    assert wall.add(column_id=blocked.id).column_id == blocked.id
    assert wall.add(state=TaskState.BLOCKED).column_id == blocked.id
    assert wall.add(column_id=blocked.id, state=TaskState.BLOCKED).column_id == blocked.id


def test_a_column_and_a_state_that_differ_are_refused(wall: Wall) -> None:
    with pytest.raises(InvalidParams):
        wall.add(column_id=wall.column(TaskState.DONE).id, state=TaskState.TODO)


def test_a_state_for_which_there_is_no_column_is_refused(wall: Wall) -> None:
    wall.delete_column(wall.column(TaskState.BLOCKED))
    with pytest.raises(StateWithoutColumn) as refused:
        wall.add(state=TaskState.BLOCKED)
    assert refused.value.state is TaskState.BLOCKED


def test_a_board_that_does_not_exist_takes_no_task(wall: Wall) -> None:
    with pytest.raises(BoardNotFound), wall.world.tx() as c:
        service.create_task(c, wall.world.m, "board_x", NewTask(title="x"), author=wall.person)


@pytest.mark.requirement("R-S4")
def test_a_title_of_ten_thousand_characters_is_refused_and_changes_nothing(wall: Wall) -> None:
    task = wall.add()
    before = wall.rows()
    with pytest.raises(InvalidParams):
        wall.add("x" * 10_000)
    with pytest.raises(InvalidParams):
        wall.update(task, title="x" * 10_000)
    with pytest.raises(InvalidParams):
        wall.cancel(task, reason="x" * 20_000)
    assert wall.rows() == before


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("text", ODD)
def test_texts_are_kept_as_they_are(wall: Wall, text: str) -> None:
    task = wall.add(text, text=text, metadata={text: text})
    wall.comment(task, text)
    kept = wall.task(task)
    assert (kept.title, kept.text, kept.metadata) == (text, text, {text: text})
    assert wall.comments(task)[0].text == text
    assert wall.changes(task)[0].fields["title"] == text


# --- whom and what it names ---------------------------------------------------------------------


def test_a_person_without_an_id_is_the_owner(wall: Wall) -> None:
    task = wall.add(assignee=Assignee(kind=AssigneeKind.PERSON))
    assert task.assignee == Assignee(kind=AssigneeKind.PERSON, id=wall.person.id)
    assert task.assignee_name == access.owner(wall.world.db.reader, wall.world.m).name


def test_a_conversation_can_be_given_a_task(wall: Wall) -> None:
    task = wall.add(assignee=Assignee(kind=AssigneeKind.CONVERSATION, id=wall.agent.id))
    assert (task.assignee.id, task.assignee_name) == (wall.agent.id, "Builder")


def test_an_assignee_that_does_not_exist_is_refused(wall: Wall) -> None:
    with pytest.raises(ConversationNotFound):
        wall.add(assignee=Assignee(kind=AssigneeKind.CONVERSATION, id="conv_x"))
    with pytest.raises(InvalidParams):
        wall.add(assignee=Assignee(kind=AssigneeKind.CONVERSATION))
    with pytest.raises(InvalidParams):
        wall.add(assignee=Assignee(kind=AssigneeKind.PERSON, id="person_x"))
    assert wall.tasks() == []


def test_a_task_of_a_deleted_conversation_keeps_its_name_and_can_be_changed(wall: Wall) -> None:
    links = (Link(kind=LinkKind.CONVERSATION, id=wall.agent.id),)
    assignee = Assignee(kind=AssigneeKind.CONVERSATION, id=wall.agent.id)
    task = wall.add(assignee=assignee, links=links)
    wall.world.delete(wall.agent.id)
    changed = wall.update(task, assignee=assignee, links=(*links, BLUEPRINT))
    assert (changed.assignee_name, changed.links) == ("Builder", (*links, BLUEPRINT))


def test_links_must_lead_somewhere_and_stand_once(wall: Wall) -> None:
    with pytest.raises(ConversationNotFound):
        wall.add(links=(Link(kind=LinkKind.CONVERSATION, id="conv_x"),))
    with pytest.raises(RequestNotFound):
        wall.add(links=(Link(kind=LinkKind.REQUEST, id="req_x"),))
    with pytest.raises(InvalidParams):
        wall.add(links=(BLUEPRINT, BLUEPRINT))
    assert wall.tasks() == []


def test_a_conversation_links_only_requests_that_it_may_see(wall: Wall) -> None:
    source, target = wall.world.conversation("Source"), wall.world.conversation("Target")
    request = Link(kind=LinkKind.REQUEST, id=wall.world.request(source, target))
    ours, theirs = (Author(kind=SourceKind.CONVERSATION, id=i) for i in (target, wall.agent.id))
    task = wall.add()
    with pytest.raises(RequestNotFound):
        wall.link(task, request, author=theirs)
    task = wall.link(task, request, author=ours)
    kept = wall.update(task, links=(request, BLUEPRINT), author=theirs)
    assert kept.links == (request, BLUEPRINT)


def test_a_link_is_added_once_and_in_order(wall: Wall) -> None:
    conversation = Link(kind=LinkKind.CONVERSATION, id=wall.agent.id)
    task = wall.link(wall.link(wall.add(), BLUEPRINT), conversation)
    assert (task.links, task.version) == ((BLUEPRINT, conversation), 3)
    assert wall.link(task, BLUEPRINT) == task


def test_a_task_has_at_most_fifty_links(wall: Wall) -> None:
    links = tuple(Link(kind=LinkKind.BLUEPRINT, id=f"bp_{i}") for i in range(50))
    task = wall.add(links=links)
    with pytest.raises(InvalidParams):
        wall.link(task, Link(kind=LinkKind.BLUEPRINT, id="bp_50"))
    assert wall.task(task).links == links


def test_the_tasks_of_a_conversation_are_found(wall: Wall) -> None:
    conversation = Link(kind=LinkKind.CONVERSATION, id=wall.agent.id)
    first, _, third = wall.add(links=(conversation,)), wall.add(), wall.add(links=(conversation,))
    found = store.linked_to(wall.world.db.reader, LinkKind.CONVERSATION, wall.agent.id)
    assert found == [first, third]


# --- changing -----------------------------------------------------------------------------------


def test_an_update_changes_what_is_given_and_leaves_the_rest(wall: Wall) -> None:
    task = wall.add(text="text", metadata={"a": "1"}, links=(BLUEPRINT,))
    changed = wall.update(task, title="new")
    assert (changed.title, changed.text, changed.metadata, changed.links, changed.version) == (
        "new",
        "text",
        {"a": "1"},
        (BLUEPRINT,),
        2,
    )
    assert changed.updated_at > task.updated_at


def test_an_update_can_empty_what_may_be_empty(wall: Wall) -> None:
    owner = Assignee(kind=AssigneeKind.PERSON)
    task = wall.add(text="text", metadata={"a": "1"}, links=(BLUEPRINT,), assignee=owner)
    changed = wall.update(task, text="", metadata={}, links=(), assignee=NOBODY)
    assert (changed.text, changed.metadata, changed.links) == ("", {}, ())
    assert (changed.assignee, changed.assignee_name) == (NOBODY, "")


def test_a_new_state_moves_to_the_end_of_the_first_column_with_it(wall: Wall) -> None:
    wall.add_column(TaskState.DONE, title="Done later")
    wall.add("earlier", state=TaskState.DONE)
    task = wall.update(wall.add("task"), state=TaskState.DONE)
    assert wall.titles(TaskState.DONE) == ["earlier", "task"]
    assert (task.state, task.version) == (TaskState.DONE, 2)


def test_the_state_that_a_task_has_moves_nothing(wall: Wall) -> None:
    second_todo = wall.add_column(TaskState.TODO)
    task = wall.add(column_id=second_todo.id)
    assert wall.update(task, state=TaskState.TODO) == task


def same_update(wall: Wall, task: Task) -> Task:
    owner = Assignee(kind=AssigneeKind.PERSON)
    return wall.update(task, title=task.title, state=task.state, assignee=owner)


def same_place(wall: Wall, task: Task) -> Task:
    return wall.move(task, wall.column(TaskState.TODO))


def before_itself(wall: Wall, task: Task) -> Task:
    return wall.move(task, wall.column(TaskState.TODO), task)


@pytest.mark.parametrize("change", [same_update, same_place, before_itself])
def test_what_changes_nothing_writes_nothing_and_keeps_the_version(
    wall: Wall, change: Callable[[Wall, Task], Task]
) -> None:
    wall.add("above")
    task = wall.add(assignee=Assignee(kind=AssigneeKind.PERSON))
    before = wall.rows()
    assert change(wall, task) == task
    assert wall.rows() == before


def test_a_writer_with_an_old_version_is_told_the_present_one(wall: Wall) -> None:
    task = wall.add()
    wall.update(task, title="by another")
    before = wall.rows()
    attempts: list[Callable[[], object]] = [
        lambda: wall.update(task, title="too late"),
        lambda: wall.move(task, wall.column(TaskState.DONE)),
        lambda: wall.cancel(task, reason="too late"),
    ]
    for attempt in attempts:
        with pytest.raises(Conflict) as refused:
            attempt()
        assert (refused.value.shown, refused.value.current) == (1, 2)
    assert wall.rows() == before


def test_a_task_that_does_not_exist_is_refused_by_every_command(wall: Wall) -> None:
    task = wall.add()
    gone = replace(task, id="task_x")
    attempts: list[Callable[[], object]] = [
        lambda: wall.update(gone, title="x"),
        lambda: wall.move(gone, wall.column(TaskState.DONE)),
        lambda: wall.cancel(gone),
        lambda: wall.comment(gone),
        lambda: wall.link(gone, BLUEPRINT),
    ]
    for attempt in attempts:
        with pytest.raises(TaskNotFound):
            attempt()


# --- moving -------------------------------------------------------------------------------------


def test_a_task_moves_before_another_and_takes_the_state_of_its_column(wall: Wall) -> None:
    wall.add("a", state=TaskState.DONE)
    b = wall.add("b", state=TaskState.DONE)
    moved = wall.move(wall.add("x"), wall.column(TaskState.DONE), b)
    assert wall.titles(TaskState.DONE) == ["a", "x", "b"]
    assert (moved.state, moved.version) == (TaskState.DONE, 2)


def test_a_task_moves_up_and_down_its_own_column(wall: Wall) -> None:
    column = wall.column(TaskState.TODO)
    a, b, c = (wall.add(title) for title in "abc")
    c = wall.move(c, column, a)
    assert wall.titles(TaskState.TODO) == ["c", "a", "b"]
    wall.move(c, column, b)
    assert wall.titles(TaskState.TODO) == ["a", "c", "b"]
    wall.move(a, column)
    assert wall.titles(TaskState.TODO) == ["c", "b", "a"]


def test_a_neighbour_that_has_moved_away_is_a_conflict_that_says_where(wall: Wall) -> None:
    done = wall.column(TaskState.DONE)
    task, neighbour = wall.add(), wall.add()
    neighbour = wall.move(neighbour, done)
    with pytest.raises(NeighbourMoved) as refused:
        wall.move(task, wall.column(TaskState.TODO), neighbour)
    assert (refused.value.task_id, refused.value.column_id, refused.value.current) == (
        neighbour.id,
        done.id,
        2,
    )


def test_a_task_cannot_stand_before_itself_in_another_column(wall: Wall) -> None:
    task = wall.add()
    with pytest.raises(NeighbourMoved):
        wall.move(task, wall.column(TaskState.DONE), task)


def test_a_task_stays_on_its_board(wall: Wall) -> None:
    task = wall.add()
    with wall.world.tx() as c:
        other = service.board_at(c, wall.world.m, HOST, "/srv/other", lang=Lang.EN)
        foreign = store.columns(c, other.id)[0]
    with pytest.raises(ColumnNotFound):
        wall.move(task, foreign)
    with pytest.raises(ColumnNotFound):
        wall.add(column_id=foreign.id)
    assert wall.task(task) == task


# --- history and comments -----------------------------------------------------------------------


def test_the_history_says_who_changed_what_and_when(wall: Wall) -> None:
    task = wall.add("title", text="text", author=wall.agent)
    task = wall.update(task, title="new", author=wall.person)
    task = wall.move(task, wall.column(TaskState.DONE), author=wall.agent)
    first, second, third = wall.changes(task)
    assert first.fields == {
        "title": "title",
        "text": "text",
        "columnId": wall.column(TaskState.TODO).id,
        "place": "n0",
        "state": "todo",
        "assignee": {"kind": "nobody"},
        "links": [],
        "metadata": {},
    }
    assert second.fields == {"title": "new"}
    assert third.fields == {"columnId": task.column_id, "state": "done"}
    assert [change.version for change in (first, second, third)] == [1, 2, 3]
    assert (first.author, first.author_name) == (wall.agent, "Builder")
    assert second.author == wall.person
    assert third.created_at == task.updated_at


def test_a_comment_counts_and_leaves_the_version(wall: Wall) -> None:
    task = wall.add()
    first = wall.comment(task, "first", author=wall.agent)
    second = wall.comment(task, "second")
    assert wall.comments(task) == [first, second]
    assert (first.author, first.author_name) == (wall.agent, "Builder")
    now = wall.task(task)
    assert (now.comments, now.version, now.updated_at) == (2, task.version, task.updated_at)


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_comment_is_refused(wall: Wall, blank: str) -> None:
    task = wall.add()
    with pytest.raises(InvalidParams):
        wall.comment(task, blank)
    assert wall.comments(task) == []


@pytest.mark.requirement("R-U4")
def test_every_change_tells_the_feed_once(wall: Wall) -> None:
    told = wall.told()
    task = wall.add()
    task = wall.update(task, title="new", state=TaskState.BLOCKED)
    task = wall.move(task, wall.column(TaskState.TODO))
    task = wall.link(task, BLUEPRINT)
    wall.comment(task)
    wall.cancel(task, reason="no longer wanted")
    assert wall.told() == told + 6
