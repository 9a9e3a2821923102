"""The supervisor: turns are claimed once, run, stopped, lost, and their ends written once."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, event, text

from ccweb.clock import moment
from ccweb.conversations import hosts, turns
from ccweb.conversations.hosts import AgentProcess, HostRun
from ccweb.conversations.model import Thread, TurnEnd, TurnFacts
from ccweb.host.agent import Job, Started, Tell, TextDelta, Took
from ccweb.host.identity import birth
from ccweb.relay import service as relay
from ccweb_contract.enums import AgentKind, Outcome, TurnKind, TurnStatus
from tests.host.workshop import ScriptedAgent, Workshop, a_workshop, done

CONTINUED = text("SELECT 1 FROM turn WHERE kind = 'continuation' AND status = 'completed'")
DELTAS = text("SELECT 1 FROM event WHERE kind = 'delta'")
COUNT_CREDENTIALS = "SELECT count(*), count(revoked_at) FROM agent_credential"


async def answer(job: Job, tell: Tell) -> TurnEnd:
    """Answer at once."""
    tell(Started())
    return done(f"read: {job.turn.prompt}")


async def speak_for_ever(job: Job, tell: Tell) -> TurnEnd:
    """Say a word and never come to an end."""
    tell(TextDelta(text="half a "))
    tell(TextDelta(text="sentence"))
    await anyio.sleep_forever()
    raise AssertionError


@pytest.mark.requirement("R-A1", "FC-7")
async def test_a_queued_turn_is_claimed_run_and_its_final_text_kept(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "hello")
    async with workshop.hosting(ScriptedAgent(answer)):
        turn = await workshop.until_ended(turn_id)
    assert (turn.status, turn.attempt) == (TurnStatus.COMPLETED, 1)
    assert workshop.texts(conversation) == ["hello", "read: hello"]


@pytest.fixture
def writes(workshop: Workshop) -> list[str]:
    """Return what the host writes from now on for turns, each transaction by the step behind it."""
    write, steps = workshop.db.write, []

    async def noted(command: Callable[[Connection], object]) -> object:
        step = command.__qualname__.split(".")[1]
        if step in ("_claim", "_write_end", "_flush"):
            steps.append(step)
        return await write(command)

    workshop.db.write = noted  # type: ignore[method-assign, assignment]
    return steps


async def test_a_turn_that_ends_at_once_costs_two_transactions(
    workshop: Workshop, writes: list[str]
) -> None:
    async with workshop.hosting(ScriptedAgent(answer)):
        await workshop.until_ended(workshop.write(workshop.conversation(), "hello"))
    assert writes == ["_claim", "_write_end"]


async def test_a_lone_delegation_is_continued_in_the_transaction_that_ends_its_target(
    workshop: Workshop, writes: list[str]
) -> None:
    source, target = workshop.conversation("A"), workshop.conversation("B")
    async with workshop.hosting(ScriptedAgent(answer)):
        workshop.request(source, target, "please")
        await workshop.until(lambda c: c.execute(CONTINUED).first())
    assert writes == ["_claim", "_write_end", "_write_end"]


@pytest.mark.requirement("R-A1")
async def test_what_an_agent_says_reaches_the_feed_while_it_runs(workshop: Workshop) -> None:
    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(speak_for_ever)):
        await workshop.until(lambda c: c.execute(DELTAS).first())
        assert workshop.turn(turn_id).status is TurnStatus.RUNNING
        rows = workshop.rows(
            "SELECT data FROM event WHERE turn_id = :id AND kind = 'delta'", id=turn_id
        )
    assert rows == [('{"text": "half a sentence"}',)]


@pytest.mark.requirement("R-A4", "R-M11")
async def test_a_stopped_turn_is_interrupted_and_keeps_what_was_said(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(ScriptedAgent(speak_for_ever)):
        await workshop.until_running(turn_id)
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, conversation.id)
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.INTERRUPTED
    assert workshop.texts(conversation) == ["go", "half a sentence"]


@pytest.mark.requirement("R-A4", "R-M11")
async def test_a_stopped_turn_keeps_what_it_has_taken(workshop: Workshop) -> None:
    facts = TurnFacts(model="m", cost_microusd=7, output_tokens=3)

    async def spend(job: Job, tell: Tell) -> TurnEnd:
        tell(Started())
        try:
            await anyio.sleep_forever()
        finally:
            tell(Took(facts=facts))
        raise AssertionError

    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(ScriptedAgent(spend)):
        await workshop.until_running(turn_id)
        with workshop.db.begin() as c:
            relay.stop(c, moment(), workshop.s, conversation.id)
        turn = await workshop.until_ended(turn_id)
    assert (turn.status, turn.facts) == (TurnStatus.INTERRUPTED, facts)


@pytest.mark.requirement("R-M4", "FC-20", "FC-68")
async def test_an_agent_that_raises_fails_its_turn_with_its_words(workshop: Workshop) -> None:
    async def break_down(job: Job, tell: Tell) -> TurnEnd:
        raise RuntimeError("the model is out")

    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(ScriptedAgent(break_down)):
        turn = await workshop.until_ended(turn_id)
    assert (turn.status, turn.error) == (TurnStatus.FAILED, "the model is out")


@pytest.mark.requirement("R-A5")
async def test_an_agent_that_is_not_offered_fails_its_turn_at_once(workshop: Workshop) -> None:
    turn_id = workshop.write(workshop.conversation(agent=AgentKind.CLAUDE), "go")
    async with workshop.hosting(ScriptedAgent(answer)):
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.FAILED


@pytest.mark.requirement("R-M7")
async def test_a_continuation_whose_agent_never_began_is_run_again(workshop: Workshop) -> None:
    async def fail_twice(job: Job, tell: Tell) -> TurnEnd:
        if job.turn.kind is TurnKind.CONTINUATION and job.turn.attempt < 3:
            raise RuntimeError("not started")
        return done()

    source, target = workshop.conversation("A"), workshop.conversation("B")
    agent = ScriptedAgent(fail_twice)
    request_id = workshop.request(source, target, "please")
    async with workshop.hosting(agent):
        await workshop.until(lambda c: c.execute(CONTINUED).first())
    assert [job.turn.attempt for job in agent.jobs if job.conversation.id == source.id] == [1, 2, 3]
    assert workshop.rows(
        "SELECT status FROM pending_reply WHERE request_id = :id", id=request_id
    ) == [("returned",)]


@pytest.mark.requirement("R-M13")
async def test_output_that_comes_after_the_lease_is_kept_as_late(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    turn_id = workshop.write(conversation, "go")
    async with workshop.hosting(ScriptedAgent(speak_for_ever)):
        turn = await workshop.until_running(turn_id)
        with workshop.db.begin() as c:
            relay.lose_turns(c, moment(), workshop.s, [turn])
        await workshop.until(lambda c: c.execute(text("SELECT 1 FROM message WHERE late")).first())
    assert workshop.turn(turn_id).status is TurnStatus.LOST
    assert workshop.texts(conversation) == ["go", "half a sentence"]
    assert workshop.rows(COUNT_CREDENTIALS) == [(1, 1)]


@pytest.mark.requirement("R-M13", "R-D6")
async def test_the_next_turn_after_a_lost_lease_gets_a_credential_of_its_own(
    workshop: Workshop,
) -> None:
    async def first_hangs(job: Job, tell: Tell) -> TurnEnd:
        return await (answer if len(agent.jobs) > 1 else speak_for_ever)(job, tell)

    agent = ScriptedAgent(first_hangs)
    conversation = workshop.conversation()
    first = workshop.write(conversation, "one")
    second = workshop.write(conversation, "two")
    async with workshop.hosting(agent):
        turn = await workshop.until_running(first)
        with workshop.db.begin() as c:
            relay.lose_turns(c, moment(), workshop.s, [turn])
        await workshop.until_ended(second)
    assert len({job.credential for job in agent.jobs}) == 2


@pytest.mark.requirement("R-D6")
async def test_a_conversation_keeps_its_credential_from_turn_to_turn(workshop: Workshop) -> None:
    agent = ScriptedAgent(answer)
    conversation = workshop.conversation()
    async with workshop.hosting(agent):
        for content in ("one", "two"):
            await workshop.until_ended(workshop.write(conversation, content))
        bound = workshop.rows("SELECT turn_id, attempt FROM agent_credential")
        assert bound == [(agent.jobs[1].turn.id, 1)]
    assert len({job.credential for job in agent.jobs}) == 1
    assert workshop.rows(COUNT_CREDENTIALS) == [(1, 1)]


@pytest.mark.requirement("R-A4", "R-M4", "FC-62")
async def test_a_host_that_is_shut_down_gives_every_turn_an_end(workshop: Workshop) -> None:
    source, target = workshop.conversation("A"), workshop.conversation("B")
    request_id = workshop.request(source, target, "please")
    async with workshop.hosting(ScriptedAgent(speak_for_ever)):
        await workshop.until(lambda c: c.execute(DELTAS).first())
    row = workshop.rows(
        "SELECT outcome, reply_text FROM pending_reply WHERE request_id = :id", id=request_id
    )
    assert row == [(Outcome.LOST.value, "half a sentence")]
    assert workshop.rows("SELECT count(*) FROM host_run WHERE ended_at IS NULL") == [(0,)]


@pytest.mark.requirement("R-M12", "R-S3", "FC-23")
async def test_two_hosts_on_one_file_run_each_turn_once(workshop: Workshop) -> None:
    other = workshop.again()
    agents = [ScriptedAgent(answer), ScriptedAgent(answer)]
    async with workshop.hosting(agents[0]), other.hosting(agents[1]):
        written = [
            workshop.write(workshop.conversation(f"c{i}"), f"{i} {j}")
            for i in range(8)
            for j in range(5)
        ]
        for turn_id in written:
            await workshop.until_ended(turn_id)
    other.db.close()
    run = [job.turn.id for agent in agents for job in agent.jobs]
    assert sorted(run) == sorted(written)


@pytest.mark.requirement("R-M12", "FC-32", "FC-33")
async def test_a_conversation_runs_one_turn_at_a_time_in_order(workshop: Workshop) -> None:
    at_once: list[int] = []
    running = 0

    async def watch(job: Job, tell: Tell) -> TurnEnd:
        nonlocal running
        running += 1
        await anyio.lowlevel.checkpoint()
        at_once.append(running)
        running -= 1
        return done(job.turn.prompt)

    conversation = workshop.conversation()
    written = [workshop.write(conversation, str(i)) for i in range(5)]
    async with workshop.hosting(ScriptedAgent(watch)):
        for turn_id in written:
            await workshop.until_ended(turn_id)
    assert at_once == [1] * 5
    assert workshop.texts(conversation)[5:] == ["0", "1", "2", "3", "4"]


async def test_no_more_turns_run_at_once_than_the_setting_allows(tmp_path: Path) -> None:
    workshop = a_workshop(tmp_path, max_turns=2)
    at_once, most = 0, 0

    async def watch(job: Job, tell: Tell) -> TurnEnd:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await anyio.sleep(0.01)
        at_once -= 1
        return done()

    written = [workshop.write(workshop.conversation(f"c{i}"), "go") for i in range(6)]
    async with workshop.hosting(ScriptedAgent(watch)):
        for turn_id in written:
            await workshop.until_ended(turn_id)
    workshop.db.close()
    assert most == 2


async def test_a_database_hiccup_ends_nothing_and_reports_nothing_twice(
    workshop: Workshop,
) -> None:
    broken = 3

    def hiccup(conn, cursor, statement, parameters, context, many):  # type: ignore[no-untyped-def]
        nonlocal broken
        if statement.lstrip().startswith("UPDATE turn SET status") and broken:
            broken -= 1
            raise OSError("disk I/O error")

    conversation = workshop.conversation()
    async with workshop.hosting(ScriptedAgent(answer)):
        event.listen(workshop.db._engine, "before_cursor_execute", hiccup)
        turn = await workshop.until_ended(workshop.write(conversation, "hello"))
    assert broken == 0
    assert turn.status is TurnStatus.COMPLETED
    assert workshop.texts(conversation) == ["hello", "read: hello"]


@pytest.mark.requirement("R-M13")
async def test_a_silent_host_loses_its_turn_to_the_others(workshop: Workshop) -> None:
    turn_id = workshop.write(workshop.conversation(), "go")
    other = workshop.again()
    async with workshop.hosting(ScriptedAgent(speak_for_ever)):
        await workshop.until_running(turn_id)
        with workshop.db.begin() as c:
            c.execute(text("UPDATE turn SET lease_until = 1, run_id = 'run_gone'"))
        async with other.hosting(ScriptedAgent(answer)):
            turn = await workshop.until_ended(turn_id)
    other.db.close()
    assert turn.status is TurnStatus.LOST


@pytest.mark.requirement("R-M4", "R-A4")
async def test_a_turn_that_nobody_here_runs_does_not_stay_running(workshop: Workshop) -> None:
    conversation = workshop.conversation()
    async with workshop.hosting(ScriptedAgent(answer)) as supervisor:
        with workshop.db.begin() as c:
            turn_id = turns.add(
                c,
                moment(),
                conversation.id,
                TurnKind.PERSON,
                "go",
                thread=Thread(chain_id="chain_1"),
            )
            c.execute(
                text("UPDATE turn SET status = 'running', run_id = :run, lease_until = 4e12"),
                {"run": supervisor.run_id},
            )
        turn = await workshop.until_ended(turn_id)
    assert turn.status is TurnStatus.LOST


@pytest.mark.requirement("R-M13")
async def test_a_turn_waits_while_another_run_has_a_process_there_and_nobody_spins(
    workshop: Workshop,
) -> None:
    conversation = workshop.conversation()
    born = birth()
    run = HostRun(id="run_x", host_id=workshop.host.id, pid=born.pid, pid_started=born.started)
    left = AgentProcess(
        id="proc_x", run_id="run_x", conversation_id=conversation.id, pid=1, pid_started=1.0
    )
    with workshop.db.begin() as c:
        hosts.start_run(c, moment(), run)
        hosts.start_process(c, moment(), left)
    counted: list[int] = []
    async with workshop.hosting(ScriptedAgent(answer)):
        turn_id = workshop.write(conversation, "go")
        workshop.db.on_commit(lambda: counted.append(1))
        with anyio.move_on_after(0.6):
            await anyio.sleep_forever()
        assert len(counted) <= 12
        assert workshop.turn(turn_id).status is TurnStatus.QUEUED
        with workshop.db.begin() as c:
            hosts.end_process(c, moment(), "proc_x")
        await workshop.until_ended(turn_id)
