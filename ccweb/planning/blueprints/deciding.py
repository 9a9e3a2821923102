"""What only people decide: an agent that calls it is refused, and a person is asked instead."""

from typing import NoReturn

from sqlalchemy import Connection

from ccweb.asks import store as asks
from ccweb.clock import Moment
from ccweb.errors import HumanRequired
from ccweb.planning.blueprints import progress, rules, state
from ccweb.planning.errors import DecisionRequired, WrongOrder
from ccweb.planning.model import Blueprint, Command, Shown
from ccweb.relay import service as relay
from ccweb.relay.model import Source
from ccweb_contract.enums import ThreadStatus


def ask_instead(
    c: Connection,
    m: Moment,
    r: Blueprint,
    command: Command,
    *,
    source: Source | None,
    shown: Shown | None = None,
    thread: ThreadStatus | None = None,
) -> NoReturn:
    """Refuse a decision by somebody who is no person, and have one asked (R-P4).

    What is impossible anyway is refused for that reason, and nobody is asked.

    Args:
        c: Connection.
        m: Moment.
        r: The blueprint as it was read in this transaction.
        command: What the caller wants to decide.
        source: The conversation that calls; it hears of the decision. None for a script.
        shown: The text that the caller says was shown.
        thread: Where the question stands that the caller wants to answer.

    Raises:
        OrphanReadOnly, EvidenceIncomplete, Stale, WrongOrder: a gate is shut.
        DecisionRequired: a person was asked.
    """
    try:
        rules.check(command, state.facts(r, shown=shown, thread=thread, human=False))
    except HumanRequired as refusal:
        raise DecisionRequired(why=refusal.why, ask_id=_asked(c, m, r, source)) from None
    raise WrongOrder(command=command.value, status=r.artifact.status)


def _asked(c: Connection, m: Moment, r: Blueprint, source: Source | None) -> str:
    kind = progress.ASKS[r.artifact.status]
    if source is None:
        return asks.open_own(c, m, kind, r.artifact.id, detail=progress.ask_detail(r))
    turn = relay.calling_turn(c, m, source.lease) if source.lease else None
    return asks.open_ask(
        c,
        m,
        kind,
        source.conversation_id,
        subject=r.artifact.id,
        turn_id=turn.id if turn else None,
        parent_request_id=turn.thread.serves if turn else None,
        detail=progress.ask_detail(r),
    )
