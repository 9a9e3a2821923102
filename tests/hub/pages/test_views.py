"""The list of conversations: states from rows, unread and ready counts, search."""

import pytest

from ccweb.conversations import service
from ccweb.hub import questions, views
from ccweb.hub.views import Seen
from ccweb_contract.enums import ConversationStatus, TurnStatus
from tests.relay.world import World

NOBODY = "person_0"


def seen(world: World, conversation_id: str) -> Seen:
    return views.one(world.db.reader, NOBODY, conversation_id)


@pytest.mark.requirement("R-U1")
@pytest.mark.requirement("FC-58")
def test_a_status_follows_the_turns_and_never_outlives_them(world: World) -> None:
    a = world.conversation("A")
    states = [seen(world, a).status]
    world.write(a)
    states.append(seen(world, a).status)
    turn = world.claim_in(a)
    states.append(seen(world, a).status)
    world.lose(turn)
    states.append(seen(world, a).status)
    assert states == [
        ConversationStatus.IDLE,
        ConversationStatus.QUEUED,
        ConversationStatus.RUNNING,
        ConversationStatus.IDLE,
    ]


@pytest.mark.requirement("R-U1")
@pytest.mark.requirement("R-U3")
def test_a_held_reply_is_counted_as_ready_and_needs_a_person(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b)
    assert (seen(world, a).waiting, seen(world, a).ready) == (1, 0)
    world.end(first)
    world.stop(a)
    world.end(world.claim_in(b))
    held = seen(world, a)
    assert (held.waiting, held.ready, held.held) == (0, 1, True)
    assert held.status is ConversationStatus.NEEDS_YOU
    assert [
        (need.ask.conversation_id, need.title) for need in questions.every_open(world.db.reader)
    ] == [(a, "A")]


@pytest.mark.requirement("R-U1")
def test_what_the_agent_wrote_is_unread_until_the_person_has_seen_it(world: World) -> None:
    a = world.conversation("A")
    assert not seen(world, a).unread
    world.end(world.started(a))
    assert seen(world, a).unread
    last = world.messages(a)[-1].position
    with world.tx() as c:
        c.exec_driver_sql(
            "INSERT INTO person (id, name, owner, created_at) VALUES (?, 'n', 0, 0)", (NOBODY,)
        )
        views.mark_read(c, NOBODY, a, last)
        views.mark_read(c, NOBODY, a, last - 1)
    assert not seen(world, a).unread
    world.end(world.started(a))
    assert seen(world, a).unread


def test_search_finds_titles_and_folders_and_takes_every_character_as_it_is(world: World) -> None:
    ids = {
        title: world.conversation(title) for title in ("100 % done", "100 x done", "Ünïcode 评审")
    }

    def found(query: str) -> list[str]:
        rows = views.listed(world.db.reader, NOBODY, query=query)
        return sorted(row.title for row in rows if row.id in ids.values())

    assert found("100 %") == ["100 % done"]
    assert found("评审") == ["Ünïcode 评审"]
    assert found("SRV/proj") == sorted(ids)
    assert found("nothing like it") == []


def test_an_archived_or_deleted_conversation_leaves_the_list(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    with world.tx() as c:
        service.archive(c, world.m, a, archived=True)
    world.delete(b)
    rows = views.listed(world.db.reader, NOBODY)
    archived = views.listed(world.db.reader, NOBODY, archived=True)
    assert ([row.id for row in rows], [row.id for row in archived]) == ([], [a])


def test_a_turn_that_ended_badly_leaves_no_trace_in_the_status(world: World) -> None:
    a = world.conversation("A")
    world.end(world.started(a), status=TurnStatus.FAILED, error="broken")
    assert seen(world, a).status is ConversationStatus.IDLE
