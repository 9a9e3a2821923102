"""Random orders of all that people, agents and research can do, against the real service.

What has to hold whatever happens: nothing is confirmed without a person's approval of that very
text; nothing is written for a cancelled task; no question is answerable without evidence; texts are
only ever added; and people are asked exactly while a blueprint waits for one.
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import text

from ccweb.conversations.model import Turn
from ccweb.db.engine import Database
from ccweb.errors import CcwebError
from ccweb.planning.blueprints import deciding, state
from ccweb.planning.blueprints.progress import ASKS
from ccweb.planning.errors import DecisionRequired, OrphanReadOnly
from ccweb.planning.model import Command, Repository, Shown, Version
from ccweb.relay.model import Source
from ccweb_contract.enums import (
    BlueprintStatus,
    ReworkScope,
    TaskState,
    ThreadStatus,
    TurnStatus,
)
from tests.planning.world import Planning, a_planning_world, an_answer

pytestmark = pytest.mark.long

ANSWERS = [
    an_answer(),
    an_answer(),
    an_answer(questions=["Which cards?", "Refunds?"]),
    an_answer(fitness={"belongs": False, "reasons": ["It has no till."]}),
    an_answer(evidence_files=["src/ghost.py"]),
    an_answer(current_state_summary=""),
    "I have looked around.",
    an_answer()[:-30],
]
ENDS = [TurnStatus.COMPLETED] * 5 + [TurnStatus.FAILED, TurnStatus.INTERRUPTED, TurnStatus.EMPTY]
DECISIONS = (Command.ANSWER, Command.SEND_BACK, Command.APPROVE)
_TEMPLATE: list[tuple[Planning, list[Repository]]] = []


def _fresh() -> tuple[Planning, list[Repository], Path]:
    """Return a new world by copying a migrated one, which is much faster than migrating."""
    if not _TEMPLATE:
        folder = Path(tempfile.mkdtemp())
        model = a_planning_world(folder)
        _TEMPLATE.append((model, [model.repository(folder, name) for name in ("till", "web")]))
    model, repositories = _TEMPLATE[0]
    folder = Path(tempfile.mkdtemp())
    path = folder / "ccweb.db"
    with model.db.connect() as c:
        c.execute(text("VACUUM INTO :path"), {"path": str(path)})
    world = Planning(db=Database(f"sqlite:///{path}"), settings=model.settings, ids=model.ids)
    world.shop, world.human, world.context_id = model.shop, model.human, model.context_id
    return world, repositories, folder


class Blueprints(RuleBasedStateMachine):
    """One task, two repositories, a person and an agent, in any order."""

    @initialize(
        both=st.booleans(),
        status=st.sampled_from(BlueprintStatus),
        cancelled=st.sampled_from([False, False, True]),
    )
    def begin(self, both: bool, status: BlueprintStatus, cancelled: bool) -> None:
        self.world, repositories, self.folder = _fresh()
        self.repositories = repositories if both else repositories[:1]
        self.artifact_id = self.world.create(*self.repositories).id
        self.agent = self.world.conversation("Planner")
        self.approved: set[tuple[str, str]] = set()
        self.seen: list[Version] = []
        self.frozen: list[tuple[Any, ...]] | None = None
        self._bring_to(status)
        if cancelled:
            self._cancel()

    def _bring_to(self, status: BlueprintStatus) -> None:
        """Go the way to a state, so that what comes late is played as well."""
        if status is BlueprintStatus.RESEARCHING:
            return
        answers = {
            BlueprintStatus.RESEARCH_FAILED: "I have looked around.",
            BlueprintStatus.CLARIFYING: an_answer(questions=["Which cards?", "Refunds?"]),
        }
        for _ in range(2):
            self.world.finish_work(answers.get(status, an_answer()))
        if status is not BlueprintStatus.CLARIFYING:
            for thread_id in self.world.open_questions(self.artifact_id):
                self.world.answer_question(thread_id, self.repositories[0].id)
        if status is BlueprintStatus.PENDING_REVIEW:
            self.world.send_back(self.artifact_id)
        if status is BlueprintStatus.CONFIRMED:
            self._approve(self.world.versions(self.artifact_id)[-1])
        assert self.status() is status

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.db.close()
            shutil.rmtree(self.folder)

    # --- what can happen ----------------------------------------------------------------------

    @precondition(lambda self: self.world.working())
    @rule(data=st.data(), answer=st.sampled_from(ANSWERS), end=st.sampled_from(ENDS))
    def an_agent_ends(self, data: st.DataObject, answer: str, end: TurnStatus) -> None:
        turn = data.draw(st.sampled_from(self.world.working()))
        self.world.begin(turn)
        self.world.end(turn, answer, status=end)

    @rule()
    def the_hub_takes_what_came(self) -> None:
        self.world.take_all()

    @rule()
    def every_agent_ends_well(self) -> None:
        self.world.finish_work()

    @precondition(lambda self: self.threads())
    @rule(data=st.data(), by_label=st.booleans())
    def a_person_answers(self, data: st.DataObject, by_label: bool) -> None:
        thread_id = data.draw(st.sampled_from(self.threads()))
        body = self.repositories[0].name if by_label else self.repositories[0].id
        self.attempt(lambda: self.world.answer_question(thread_id, body))

    @rule(scope=st.sampled_from(ReworkScope))
    def a_person_sends_back(self, scope: ReworkScope) -> None:
        self.attempt(lambda: self.world.send_back(self.artifact_id, scope, "Say more."))

    @precondition(lambda self: self.seen)
    @rule(data=st.data())
    def a_person_approves_a_text_that_they_read_at_some_time(self, data: st.DataObject) -> None:
        self._approve(data.draw(st.sampled_from(self.seen)))

    def _approve(self, version: Version) -> None:
        plan_id = self.world.read(self.artifact_id).artifact.plan_id
        shown = Shown(version_id=version.id, content_hash=version.content_hash, plan_id=plan_id)
        if self.attempt(lambda: self.world.approve(self.artifact_id, shown)):
            self.approved.add((shown.version_id, shown.content_hash))

    @rule(named=st.booleans())
    def somebody_researches_again(self, named: bool) -> None:
        ids = [one.id for one in self.repositories] if named else []
        self.attempt(lambda: self.world.research(self.artifact_id, ids))

    @rule(data=st.data())
    def a_person_lets_code(self, data: st.DataObject) -> None:
        repository = data.draw(st.sampled_from(self.repositories))
        self.attempt(lambda: self.world.dispatch(self.artifact_id, repository.id))

    @rule(key=st.sampled_from("ab"))
    def somebody_creates_once_more(self, key: str) -> None:
        def again() -> None:
            assert self.world.create(*self.repositories, key=key).id == self.artifact_id

        self.attempt(again)

    @rule(command=st.sampled_from(DECISIONS))
    def an_agent_decides(self, command: Command) -> None:
        turn = self.agents_turn()
        try:
            with self.world.tx() as c:
                r = state.read(c, self.artifact_id)
                deciding.ask_instead(
                    c,
                    self.world.m,
                    r,
                    command,
                    source=Source(conversation_id=self.agent, lease=turn.lease),
                    shown=state.current(r),
                    thread=ThreadStatus.OPEN,
                )
        except DecisionRequired as refusal:
            assert refusal.ask_id in {one.id for one in self.world.asks(self.agent)}
        except CcwebError:
            pass

    @precondition(lambda self: self.frozen is None)
    @rule(really=st.sampled_from([False] * 15 + [True]))
    def the_task_is_cancelled(self, really: bool) -> None:
        if really:
            self._cancel()

    def _cancel(self) -> None:
        self.world.set_task(TaskState.CANCELLED)
        self.frozen = self.world.rows()

    @rule()
    def the_hub_looks_for_orphans(self) -> None:
        self.world.stop_orphans()

    # --- what holds ---------------------------------------------------------------------------

    @invariant()
    def nothing_is_confirmed_without_a_persons_approval_of_that_text(self) -> None:
        confirmation = self.world.read(self.artifact_id).confirmation
        confirmed = self.status() is BlueprintStatus.CONFIRMED
        assert (confirmation is not None) is confirmed
        if confirmation is not None:
            (*_, last) = self.world.versions(self.artifact_id)
            confirmed_text = (confirmation.version_id, confirmation.content_hash)
            assert {confirmed_text} == self.approved == {(last.id, last.content_hash)}
        if self.world.rows("coding"):
            assert confirmed

    @invariant()
    def nothing_is_written_for_a_cancelled_task(self) -> None:
        if self.frozen is not None:
            assert self.world.rows() == self.frozen

    @invariant()
    def no_question_is_answerable_without_evidence(self) -> None:
        r = self.world.read(self.artifact_id)
        for thread in r.threads:
            if state.is_answerable(r, thread):
                assert not r.lacking and not r.orphan
        if r.artifact.status is BlueprintStatus.CLARIFYING:
            assert any(thread.status is ThreadStatus.OPEN for thread in r.threads)
        else:
            assert not any(thread.status is ThreadStatus.OPEN for thread in r.threads)

    @invariant()
    def texts_are_only_ever_added_and_numbered_without_gaps(self) -> None:
        versions = self.world.versions(self.artifact_id)
        assert versions[: len(self.seen)] == self.seen
        assert [one.number for one in versions] == list(range(1, len(versions) + 1))
        self.seen = versions

    @invariant()
    def people_are_asked_exactly_while_it_waits_for_one(self) -> None:
        own = [one.kind for one in self.world.asks() if not one.conversation_id]
        kind = ASKS.get(self.status())
        expected = [kind] if kind else []
        assert own == expected or (self.frozen is not None and own == [])

    @invariant()
    def an_agents_ask_is_open_only_while_there_is_something_to_decide(self) -> None:
        for ask in self.world.asks(self.agent):
            assert ask.kind is ASKS.get(self.status())

    @invariant()
    def what_is_researched_has_a_request_that_goes_on_or_lies_in_the_outbox(self) -> None:
        if self.frozen is None and self.status() is BlueprintStatus.RESEARCHING:
            candidates = state.direct(self.world.read(self.artifact_id).candidates)
            assert any(research.status in state.UNDER_WAY for research, _ in candidates)

    # --- looking ------------------------------------------------------------------------------

    def status(self) -> BlueprintStatus:
        return self.world.read(self.artifact_id).artifact.status

    def threads(self) -> list[str]:
        return [one.id for one in self.world.read(self.artifact_id).threads]

    def agents_turn(self) -> Turn:
        """Return the running turn of the agent, which a person begins when there is none."""
        self.world.claim()
        running = self.world.open_turns(self.agent)
        return running[0] if running else self.world.started(self.agent)

    def attempt(self, step: Callable[[], object]) -> bool:
        """Carry a step out; a refusal changes nothing, and a cancelled task refuses them all."""
        before = self.world.rows()
        try:
            step()
        except CcwebError as refusal:
            assert self.world.rows() == before
            assert self.frozen is None or isinstance(refusal, OrphanReadOnly)
            return False
        assert self.frozen is None
        return True


Blueprints.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestBlueprints = pytest.mark.requirement("R-P4", "R-P5", "R-P7")(Blueprints.TestCase)
