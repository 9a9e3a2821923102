"""A blueprint's way from state to state: its status, what it asks people, its next text."""

from collections.abc import Mapping
from functools import reduce
from typing import Final

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.asks.rules import ABOUT_BLUEPRINTS, AskEvent
from ccweb.clock import Moment
from ccweb.conversations import messages
from ccweb.conversations.model import EventKind
from ccweb.planning.blueprints import question_store as threads
from ccweb.planning.blueprints import questions, rules, state, store, text
from ccweb.planning.blueprints.rules import BlueprintEvent
from ccweb.planning.errors import WrongOrder
from ccweb.planning.model import Blueprint, Version
from ccweb.relay import planned
from ccweb.relay.ending import release
from ccweb.settings import Settings
from ccweb_contract.enums import AskKind, BlueprintStatus, Decision

ASKS: Final[Mapping[BlueprintStatus, AskKind]] = {
    BlueprintStatus.CLARIFYING: AskKind.BLUEPRINT_QUESTION,
    BlueprintStatus.PENDING_REVIEW: AskKind.BLUEPRINT_APPROVAL,
}
"""What a blueprint asks people in the states in which it waits for one."""

_DECISIONS: Final[Mapping[BlueprintEvent, Decision]] = {
    BlueprintEvent.ALL_ANSWERED: Decision.ANSWERED,
    BlueprintEvent.RESEARCH_STARTED: Decision.RESEARCH_AGAIN,
    BlueprintEvent.SENT_BACK_FOR_TEXT: Decision.SENT_BACK,
    BlueprintEvent.SENT_BACK_FOR_CLARIFICATION: Decision.SENT_BACK,
    BlueprintEvent.SENT_BACK_FOR_RESEARCH: Decision.SENT_BACK,
    BlueprintEvent.APPROVED: Decision.APPROVED,
}
"""What a conversation hears that had asked for a decision."""


def move(
    c: Connection,
    m: Moment,
    s: Settings,
    r: Blueprint,
    *events: BlueprintEvent,
    by: str | None = None,
    note: str = "",
) -> None:
    """Move a blueprint on; what it asked is settled, and what it asks now is opened.

    Args:
        c: Connection.
        m: Moment.
        s: Settings.
        r: The blueprint as it was read in this transaction.
        events: What has happened to it, in order.
        by: The person who decided.
        note: What they said.
    """
    status = reduce(rules.after, events, r.artifact.status)
    if not store.set_status(c, m, r.artifact, status):
        raise WrongOrder(command=events[-1].value, status=None, why="It has moved on meanwhile.")
    _settle_asks(c, m, s, r, _DECISIONS.get(events[-1]), by=by, note=note)
    if status in ASKS:
        asks.open_own(c, m, ASKS[status], r.artifact.id, detail=ask_detail(r))
    tell(c, m, r.artifact.id)


def begin_clarifying(c: Connection, m: Moment, s: Settings, r: Blueprint) -> None:
    """Ask what the evidence leaves to people; with nothing to ask write the text at once."""
    if ask_questions(c, m, s, r, again=False):
        move(c, m, s, r, BlueprintEvent.EVIDENCE_COMPLETE)
    else:
        write_version(c, m, s, state.read(c, r.artifact.id))
        move(c, m, s, r, BlueprintEvent.EVIDENCE_COMPLETE, BlueprintEvent.ALL_ANSWERED)


def ask_questions(c: Connection, m: Moment, s: Settings, r: Blueprint, *, again: bool) -> int:
    """Open the questions of a blueprint and return how many; those of before are history."""
    threads.withdraw(c, r.artifact.id)
    asked = questions.asked(m, r, lang=s.lang, again=again)
    for one in asked:
        threads.add(c, one)
    return len(asked)


def write_version(c: Connection, m: Moment, s: Settings, r: Blueprint) -> None:
    """Insert the next text of a blueprint."""
    number = r.version.number + 1 if r.version else 1
    markdown = text.blueprint(
        r, lang=s.lang, number=number, sent_back=store.reworks(c, r.artifact.id)
    )
    store.add_version(
        c,
        Version(
            id=m.new_id("version"),
            artifact_id=r.artifact.id,
            number=number,
            markdown=markdown,
            content_hash=text.hash_of(markdown),
            created_at=m.now,
        ),
    )


def stop_asking(c: Connection, m: Moment, s: Settings, artifact_id: str) -> None:
    """Ask nobody any more: the work item is cancelled, and what waited for a person is answered."""
    for kind in ABOUT_BLUEPRINTS:
        for ask in asks.open_about(c, kind, artifact_id):
            asks.close(c, m, ask, AskEvent.DISMISSED)
            release(c, m, s, ask.parent_request_id)


def ask_detail(r: Blueprint) -> dict[str, str]:
    """Return what an ask about a blueprint keeps of it."""
    return {"artifactId": r.artifact.id, "title": r.item.title}


def tell(c: Connection, m: Moment, artifact_id: str) -> None:
    """Tell pages that a blueprint has changed."""
    messages.tell(c, m, EventKind.BLUEPRINT, [""], data={"artifactId": artifact_id})


def _settle_asks(
    c: Connection,
    m: Moment,
    s: Settings,
    r: Blueprint,
    decision: Decision | None,
    *,
    by: str | None,
    note: str,
) -> None:
    for kind in sorted(ABOUT_BLUEPRINTS):
        for ask in asks.open_about(c, kind, r.artifact.id):
            asks.close(c, m, ask, AskEvent.RESUMED, by=by)
            if ask.conversation_id and decision:
                planned.bring_decision(c, m, s, ask, decision, note)
