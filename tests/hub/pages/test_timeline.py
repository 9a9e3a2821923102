"""What a conversation shows: the same request on both sides, steps in order, pages without gaps."""

from pathlib import Path

import pytest

from ccweb.errors import LoopGuard
from ccweb.hub import rendering, timeline
from ccweb.hub.rendering import Entry
from ccweb.hub.requests import Card, Reached, Step
from ccweb.hub.timeline import Block, Loose, Timeline
from ccweb_contract.enums import Lang, ReplyMode, TurnStatus
from tests.relay.world import PERSON, World, a_world


def read(world: World, conversation_id: str, before: int | None = None) -> Timeline:
    return timeline.read(world.db.reader, conversation_id, before=before)


def entries(world: World, conversation_id: str, lang: Lang = Lang.EN) -> list[Entry]:
    shown = read(world, conversation_id)
    return rendering.entries(shown, lang, here=conversation_id, person_id=PERSON)


def cards(world: World, conversation_id: str) -> list[Card]:
    parts = read(world, conversation_id).parts
    blocks = [part for part in parts if isinstance(part, Block)]
    return [
        card
        for block in blocks
        for card in (*([block.incoming] if block.incoming else []), *block.outgoing)
    ]


def steps(card: Card) -> list[tuple[Step, Reached]]:
    return [(station.step, station.reached) for station in card.stations]


@pytest.mark.requirement("R-U2")
def test_a_request_shows_the_same_card_in_both_conversations_at_every_step(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b, "look at this")
    seen = []

    def look() -> None:
        [ours], [theirs] = cards(world, a), cards(world, b)
        assert ours == theirs
        seen.append([reached for _, reached in steps(ours)])

    look()
    world.end(first)
    second = world.claim_in(b)
    look()
    world.end(second)
    look()
    third = world.claim_in(a)
    look()
    world.end(third)
    look()
    done, now, ahead = Reached.DONE, Reached.NOW, Reached.AHEAD
    assert seen == [
        [done, done, ahead, ahead, ahead],
        [done, done, now, ahead, ahead],
        [done, done, done, done, now],
        [done, done, done, done, done],
        [done, done, done, done, done],
    ]
    [card] = cards(world, a)
    assert [step for step, _ in steps(card)] == [
        Step.SENT,
        Step.ACCEPTED,
        Step.WORKING,
        Step.RETURNED,
        Step.CONTINUED,
    ]
    times = [station.at for station in card.stations]
    assert None not in times
    assert times == sorted(at for at in times if at)


@pytest.mark.requirement("R-U2")
def test_a_reply_stands_beside_what_was_asked_and_says_how_it_ended(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b, "compare <both>")
    world.end(first)
    world.end(world.claim_in(b), "", TurnStatus.FAILED, error="no network")
    html = "".join(entry.html for entry in entries(world, a))
    reply = html[html.index('<details class="reply"') :]
    for part in ("Reply from B", "Failed", "compare &lt;both&gt;", "no network", "What was asked"):
        assert part in reply


@pytest.mark.requirement("R-U2")
@pytest.mark.requirement("R-M5")
def test_a_target_that_waits_for_others_says_so_on_the_card(world: World) -> None:
    a, b, c = (world.conversation(title) for title in "ABC")
    first = world.started(a)
    world.request(first, b)
    world.end(first)
    second = world.claim_in(b)
    world.request(second, c)
    world.end(second)
    [card] = cards(world, a)
    assert (card.held, card.below, steps(card)[2]) == (True, 1, (Step.WORKING, Reached.NOW))


@pytest.mark.requirement("R-U3")
def test_a_request_whose_work_needs_a_person_says_so_in_both_conversations(tmp_path: Path) -> None:
    world = a_world(tmp_path, chain_limit=2)
    a, b, c = (world.conversation(title) for title in "ABC")
    world.request(world.started(a), b)
    with pytest.raises(LoopGuard):
        world.request(world.claim_in(b), c)
    [outgoing], [incoming] = cards(world, a), cards(world, b)
    world.db.close()
    assert outgoing == incoming
    assert (Step.ASKED, Reached.NOW) in steps(outgoing)


@pytest.mark.requirement("R-U2")
@pytest.mark.requirement("R-M10")
def test_a_cancelled_request_ends_on_the_card(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    request = world.request(first, b)
    world.cancel(request, by_source=True)
    [card] = cards(world, a)
    assert steps(card)[-1] == (Step.ENDED, Reached.BAD)
    assert not card.open


@pytest.mark.requirement("FC-40")
@pytest.mark.requirement("R-M11")
def test_a_queued_message_stands_last_and_can_be_removed(world: World) -> None:
    a = world.conversation("A")
    running = world.started(a, "first")
    queued = world.write(a, "second")
    shown = entries(world, a)
    assert f"/conversations/{a}/turns/{queued}/take-back" in shown[-1].html
    world.take_back(queued)
    assert "Removed before it ran" in "".join(entry.html for entry in entries(world, a))
    world.end(running)


def test_a_one_way_message_names_its_source_and_promises_nothing(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    world.send(world.started(a), b, "for your information", ReplyMode.ONE_WAY)
    [told] = entries(world, b)
    assert "Message from A" in told.html
    assert "One way" in told.html
    assert "card" not in told.html


@pytest.mark.requirement("R-M13")
def test_output_that_came_too_late_stands_after_its_turn_and_is_marked(world: World) -> None:
    a = world.conversation("A")
    turn = world.started(a)
    world.lose(turn)
    world.end(turn, "finished all the same")
    last = entries(world, a)[-2:]
    assert "Lost" in last[0].html
    assert "Came late" in last[1].html
    assert "finished all the same" in last[1].html


def test_pages_of_a_long_conversation_hold_every_message_once(world: World) -> None:
    a = world.conversation("A")
    for number in range(timeline.TURNS * 2 + 5):
        world.end(world.started(a, f"question {number}"), f"answer {number}")
    found: list[str] = []
    before: int | None = None
    while True:
        page = read(world, a, before)
        blocks = [part for part in page.parts if isinstance(part, Block)]
        found = [s.message.text for b in blocks for s in b.outputs] + found
        before = page.before
        if before is None:
            break
    assert found == [f"answer {number}" for number in range(timeline.TURNS * 2 + 5)]


def test_a_request_sent_from_outside_a_turn_and_its_reply_stand_in_the_source(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    world.request(a, b, "from a script")
    world.end(world.claim_in(b))
    parts = read(world, a).parts
    assert isinstance(parts[0], Loose)
    assert parts[0].outgoing is not None
    assert isinstance(parts[1], Block)
    assert [s.message.text for s, _ in parts[1].replies] == ["done"]


def test_what_was_sent_and_asked_outside_a_turn_stays_where_it_was_when_its_reply_comes_late(
    world: World,
) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    world.end(world.started(a))
    request_id, form = world.request(a, b, "from a script"), world.form(a)
    for _ in range(timeline.TURNS + 4):
        world.end(world.started(a))
    world.end(world.claim_in(b))
    newest = read(world, a)
    assert not any(isinstance(part, Loose) and part.outgoing for part in newest.parts)
    assert newest.before is not None
    older = [part for part in read(world, a, newest.before).parts if isinstance(part, Loose)]
    assert [card.reply.request_id for part in older if (card := part.outgoing)] == [request_id]
    assert [asked.ask.id for part in older if (asked := part.asked)] == [form.id]


def test_the_same_text_twice_is_two_entries_of_different_versions(world: World) -> None:
    a = world.conversation("A")
    for _ in range(2):
        world.end(world.started(a), "Done.")
    said = [entry for entry in entries(world, a) if "Done." in entry.html]
    assert said[0].html == said[1].html
    assert said[0].version != said[1].version


def test_equal_entries_have_equal_versions_and_a_known_one_comes_without_content(
    world: World,
) -> None:
    a = world.conversation("A")
    world.end(world.started(a))
    first, second = entries(world, a), entries(world, a)
    assert first == second
    known = {first[0].version}
    items = str(rendering.joined(first, known)).splitlines()
    assert (
        items[0]
        == f'<li class="entry" id="e-{first[0].id}" data-version="{first[0].version}"></li>'
    )
    assert first[1].html.splitlines()[0] in str(rendering.joined(first, known))


@pytest.mark.requirement("R-U5")
def test_every_entry_speaks_both_languages(world: World) -> None:
    a, b = world.conversation("A"), world.conversation("B")
    first = world.started(a)
    world.request(first, b)
    world.end(first)
    world.end(world.claim_in(b))
    chinese = "".join(entry.html for entry in entries(world, a, Lang.ZH))
    assert "委派给" in chinese
    assert "来自 B 的回复" in chinese
    assert "Delegated" not in chinese


@pytest.mark.requirement("R-M9")
def test_a_huge_text_is_shown_in_part_and_whole_on_demand(world: World) -> None:
    a = world.conversation("A")
    world.end(world.started(a), "word " * 40_000)
    html = entries(world, a)[1].html
    assert len(html) < 80_000
    assert "195 KiB" in html
    message = world.messages(a)[-1]
    assert f"/conversations/{a}/messages/{message.id}" in html
