"""Random orders of everything that can happen, against the real service on a real database.

The invariants are those of R-M5 to R-M7: nothing waits for ever, the waits form a tree, each
returned reply is in exactly one completed continuation or in one open ask, and no answer reaches
the wrong requester.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import text

from ccweb.conversations import turns
from ccweb.conversations.model import Turn
from ccweb.errors import CcwebError
from ccweb.relay import store
from ccweb.relay.model import PendingReply
from ccweb_contract.enums import AskKind, ReplyMode, ReplyStatus, TurnKind, TurnStatus
from tests.relay.invariants import (
    a_broken_turn_is_answered_at_once,
    an_ask_says_what_is_held_and_nothing_else,
    an_idle_conversation_takes_in_what_waits,
    each_form_is_worked_on_once_or_in_one_open_ask,
    each_reply_is_in_one_continuation_or_one_open_ask,
    each_return_is_shown_exactly_once,
    look,
    no_answer_reaches_the_wrong_requester,
    no_form_is_open_for_what_is_over,
    nothing_is_answered_too_early,
    nothing_waits_for_ever,
    the_waits_form_a_tree_in_order_of_creation,
)
from tests.relay.world import a_world

pytestmark = pytest.mark.long

ENDS = [
    TurnStatus.COMPLETED,
    TurnStatus.COMPLETED,
    TurnStatus.COMPLETED,
    TurnStatus.EMPTY,
    TurnStatus.FAILED,
    TurnStatus.INTERRUPTED,
    TurnStatus.LOST,
]


class Delegations(RuleBasedStateMachine):
    """Four conversations, a person and a host, in any order."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.world = a_world(self.folder, pair_limit=2, chain_limit=15)
        self.conversations = [self.world.conversation(title) for title in "ABCD"]
        self.deleted: set[str] = set()
        self.dismissed: set[str] = set()
        self.old_leases: list[Turn] = []

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.drain()
            self.world.db.close()
            shutil.rmtree(self.folder)

    # --- what can happen ----------------------------------------------------------------------

    @rule(who=st.integers(0, 3))
    def a_person_writes(self, who: int) -> None:
        self.attempt(lambda: self.world.write(self.conversations[who]))

    @precondition(lambda self: self.idle() != self.alive())
    @rule()
    def the_host_claims(self) -> None:
        self.world.claim()

    @precondition(lambda self: self.running())
    @rule(data=st.data(), to=st.integers(0, 3), mode=st.sampled_from(ReplyMode))
    def a_turn_sends(self, data: st.DataObject, to: int, mode: ReplyMode) -> None:
        turn = data.draw(st.sampled_from(self.running()))
        self.attempt(lambda: self.world.send(turn, self.conversations[to], reply_mode=mode))

    @precondition(lambda self: self.running() and self.idle())
    @rule(data=st.data(), ends=st.booleans())
    def a_turn_delegates_to_an_idle_conversation(self, data: st.DataObject, ends: bool) -> None:
        """The heart of it all, so that chains grow deep before something cuts them."""
        turn = data.draw(st.sampled_from(self.running()))
        target = data.draw(st.sampled_from(self.idle()))
        self.attempt(lambda: self.world.send(turn, target))
        if ends:
            self.world.end(turn, text=f"output of {turn.id}")
        self.world.claim()

    @precondition(lambda self: not self.running() and self.idle())
    @rule(data=st.data())
    def a_person_starts_an_idle_conversation(self, data: st.DataObject) -> None:
        self.world.write(data.draw(st.sampled_from(self.idle())))
        self.world.claim()

    @precondition(lambda self: self.idle())
    @rule(source=st.integers(0, 3), to=st.integers(0, 3))
    def a_script_sends_outside_a_turn(self, source: int, to: int) -> None:
        ends = self.conversations[source], self.conversations[to]
        self.attempt(lambda: self.world.send(*ends))

    @precondition(lambda self: self.running())
    @rule(data=st.data(), status=st.sampled_from(ENDS), began=st.booleans())
    def a_turn_ends(self, data: st.DataObject, status: TurnStatus, began: bool) -> None:
        turn = data.draw(st.sampled_from(self.running()))
        if began:
            self.world.begin(turn)
        if status is TurnStatus.LOST:
            self.old_leases.append(turn)
            self.world.lose(self.world.turn(turn.id))
        else:
            self.world.end(turn, text=f"output of {turn.id}", status=status)

    @precondition(lambda self: self.old_leases)
    @rule()
    def output_comes_too_late(self) -> None:
        turn = self.old_leases.pop()
        if self.world.turn(turn.id).attempt != turn.attempt or self.world.turn(turn.id).ended_at:
            assert not self.world.end(turn, text="late")

    @precondition(lambda self: self.open_requests())
    @rule(data=st.data(), by_source=st.booleans(), interrupt=st.booleans())
    def a_request_is_cancelled(self, data: st.DataObject, by_source: bool, interrupt: bool) -> None:
        row = data.draw(st.sampled_from(self.open_requests()))
        self.world.cancel(row.request_id, by_source=by_source, interrupt=interrupt)

    @precondition(lambda self: self.running())
    @rule(who=st.integers(0, 3), everything=st.booleans())
    def a_person_stops(self, who: int, everything: bool) -> None:
        stop = self.world.stop_all if everything else self.world.stop
        self.attempt(lambda: stop(self.conversations[who]))

    @precondition(lambda self: self.any_held())
    @rule(who=st.integers(0, 3))
    def a_person_continues(self, who: int) -> None:
        self.attempt(lambda: self.world.go_on(self.conversations[who]))

    @precondition(lambda self: self.running())
    @rule(data=st.data(), ends=st.booleans())
    def a_turn_asks_by_form(self, data: st.DataObject, ends: bool) -> None:
        turn = data.draw(st.sampled_from(self.running()))
        self.attempt(lambda: self.world.form(turn))
        if ends:
            self.world.end(turn, text=f"output of {turn.id}")

    @precondition(lambda self: self.world.asks())
    @rule(data=st.data(), resume=st.booleans())
    def a_person_decides(self, data: st.DataObject, resume: bool) -> None:
        ask = data.draw(st.sampled_from(self.world.asks()))
        if resume and ask.kind is AskKind.FORM:
            self.world.answer(ask, {"colour": f"answer to {ask.id}"})
        elif resume:
            self.world.resume(ask)
        else:
            self.dismissed.add(ask.subject)
            self.world.dismiss(ask)

    @precondition(lambda self: not self.deleted)
    @rule(who=st.integers(0, 20).filter(lambda who: who < 4))
    def a_conversation_is_deleted(self, who: int) -> None:
        self.deleted.add(self.conversations[who])
        self.attempt(lambda: self.world.delete(self.conversations[who]))

    @rule(who=st.integers(0, 3))
    def a_queued_message_is_taken_back(self, who: int) -> None:
        for turn in self.world.open_turns(self.conversations[who]):
            if turn.kind is TurnKind.PERSON and turn.status is TurnStatus.QUEUED:
                self.world.take_back(turn.id)

    # --- what always holds --------------------------------------------------------------------

    @invariant()
    def the_rules_hold(self) -> None:
        seen = look(self.world.db)
        nothing_waits_for_ever(seen)
        nothing_is_answered_too_early(seen)
        a_broken_turn_is_answered_at_once(seen)
        the_waits_form_a_tree_in_order_of_creation(seen)
        an_idle_conversation_takes_in_what_waits(seen, self.deleted)
        an_ask_says_what_is_held_and_nothing_else(seen, self.deleted)
        each_reply_is_in_one_continuation_or_one_open_ask(seen, self.deleted, self.dismissed)
        no_answer_reaches_the_wrong_requester(seen)
        each_return_is_shown_exactly_once(seen)
        each_form_is_worked_on_once_or_in_one_open_ask(seen, self.deleted, self.dismissed)
        no_form_is_open_for_what_is_over(seen)

    # --- the end ------------------------------------------------------------------------------

    def drain(self) -> None:
        """Let everything run to its end: then no request may be open any more."""
        for _ in range(200):
            for conversation_id in self.alive():
                self.world.go_on(conversation_id)
            for ask in self.world.asks():
                decide = self.world.answer if ask.kind is AskKind.FORM else self.world.resume
                self.attempt(lambda decide=decide, ask=ask: decide(ask))  # type: ignore[misc]
            self.world.claim()
            for turn in self.running():
                self.world.end(turn, text=f"output of {turn.id}")
            if not self.open_requests() and not self.world.asks() and not self.running():
                break
        self.the_rules_hold()
        assert self.open_requests() == []
        assert self.running() == []

    # --- looking ------------------------------------------------------------------------------

    def attempt(self, action: Callable[[], object]) -> None:
        """Do something that may be refused."""
        with suppress(CcwebError):
            action()

    def alive(self) -> list[str]:
        return [c for c in self.conversations if c not in self.deleted]

    def idle(self) -> list[str]:
        busy = {row.conversation_id for row in self.world.db.reader.execute(_BUSY)}
        return [c for c in self.alive() if c not in busy]

    def any_held(self) -> bool:
        return any(self.world.held(c) for c in self.alive())

    def open_requests(self) -> list[PendingReply]:
        over = (ReplyStatus.RETURNED, ReplyStatus.FAILED)
        c = self.world.db.reader
        rows = [store.reply_of(row) for row in c.execute(_ROWS)]
        return [row for row in rows if row.status not in over]

    def running(self) -> list[Turn]:
        c = self.world.db.reader
        return [turns.turn_of(row) for row in c.execute(_RUNNING)]


_ROWS = text("SELECT * FROM pending_reply ORDER BY position")
_BUSY = text("SELECT conversation_id FROM turn WHERE status IN ('queued', 'running')")
_RUNNING = text("SELECT * FROM turn WHERE status = 'running' ORDER BY position")


TestDelegations = Delegations.TestCase
TestDelegations.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
TestDelegations = pytest.mark.requirement("R-M5", "R-M6", "R-M7")(TestDelegations)
