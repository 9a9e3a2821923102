"""Outcomes: what planning's requests came to, taken from the outbox once, with all that follows.

Reading an answer of megabytes and looking for the files that it names is slow, so it happens
between two transactions: `handed` reads, `judge` works with no database, `take` writes.
"""

from dataclasses import dataclass
from pathlib import Path

import structlog
from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.errors import CcwebError
from ccweb.planning.blueprints import progress, rules, state, store
from ccweb.planning.blueprints.rules import BlueprintEvent
from ccweb.planning.model import Candidate, Command, WorkItem
from ccweb.planning.plans import service as plans
from ccweb.planning.plans import store as plan_store
from ccweb.planning.projects import contexts
from ccweb.planning.research import coding, evidence
from ccweb.planning.research import service as researching
from ccweb.planning.research import store as work_store
from ccweb.planning.research.service import Finding
from ccweb.planning.sources import source as sources
from ccweb.planning.sources.source import Fetch
from ccweb.relay import planned
from ccweb.relay import service as relay
from ccweb.relay import store as requests
from ccweb.relay.model import PendingReply
from ccweb.settings import Settings
from ccweb_contract.enums import Outcome

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """An outcome as it lies in the outbox."""

    reply: PendingReply
    root: Path | None
    """The repository that was researched; None for other work."""


def waiting(c: Connection) -> list[str]:
    """Return the requests whose outcomes nobody has taken, the oldest first."""
    return planned.waiting(c)


def handed(c: Connection, request_id: str) -> Handed | None:
    """Return an outcome that nobody has taken yet, else None."""
    reply = requests.get(c, request_id)
    if reply is None:
        return None
    candidate = work_store.by_request(c, request_id)
    return Handed(reply=reply, root=Path(candidate.repository.path) if candidate else None)


def looking(c: Connection, s: Settings, request_id: str) -> Fetch | None:
    """Return what fetches the work item that an outcome is for, None where that is read live.

    A cancellation that nobody has seen yet must stop a wake-up as well (R-P7).
    """
    candidate = work_store.by_request(c, request_id)
    code = work_store.coding_by_request(c, request_id)
    owner_id = candidate.research.owner_id if candidate else code.artifact_id if code else ""
    found = store.find(c, owner_id)
    return sources.looking(c, s, found.item) if found else None


def judge(found: Handed) -> Finding | None:
    """Return what the answer of a research holds; None when it ended without one."""
    if found.root is None or found.reply.outcome is not Outcome.COMPLETED:
        return None
    return evidence.parse(found.reply.reply_text or "", found.root)


def take(
    c: Connection,
    m: Moment,
    s: Settings,
    found: Handed,
    finding: Finding | None,
    item: WorkItem | None = None,
) -> bool:
    """Take an outcome and write all that follows from it, in this one transaction.

    Args:
        c: Connection.
        m: Moment.
        s: Settings.
        found: The outcome as it was handed over.
        finding: What its answer holds.
        item: The work item that it is for, where one was fetched.

    Returns False when it was taken before, or is another one than was judged: output that came
    too late may replace one that said `lost`.
    """
    request_id = found.reply.request_id
    if not _is_judged(requests.get(c, request_id), found.reply):
        return False
    reply = planned.take(c, m, request_id)
    if reply is None:
        return False
    if item is not None:
        contexts.keep(c, m, item)
    candidate = work_store.by_request(c, request_id)
    code = work_store.coding_by_request(c, request_id)
    if candidate is not None and plan_store.is_session(c, candidate.research.owner_id):
        plans.take_research(c, m, s, candidate, reply, finding)
    elif candidate is not None:
        _take_research(c, m, s, candidate, reply, finding)
    elif code is not None:
        coding.record(c, m, code, reply)
    return True


def has_orphans(c: Connection) -> bool:
    """Tell whether something goes on, or is asked, for a cancelled work item."""
    return bool(work_store.orphaned(c) or store.asking_orphans(c))


def stop_orphans(c: Connection, m: Moment, s: Settings) -> None:
    """Stop the work on cancelled work items, and ask nobody about them any more."""
    for request_id, artifact_id in work_store.orphaned(c):
        relay.cancel(c, m, s, request_id, by_source=True, interrupt_target=True)
        log.info("orphan_stopped", request_id=request_id, artifact_id=artifact_id)
    for artifact_id in store.asking_orphans(c):
        progress.stop_asking(c, m, s, artifact_id)


def _is_judged(now: PendingReply | None, judged: PendingReply) -> bool:
    return now is not None and now.outcome is judged.outcome and now.reply_text == judged.reply_text


def _take_research(
    c: Connection,
    m: Moment,
    s: Settings,
    candidate: Candidate,
    reply: PendingReply,
    finding: Finding | None,
) -> None:
    artifact_id = candidate.research.owner_id
    try:
        rules.check(Command.TAKE_RESEARCH, state.facts(state.read(c, artifact_id)))
    except CcwebError as refusal:
        log.info("outcome_dropped", artifact_id=artifact_id, code=refusal.code.value)
        return
    if researching.record(c, m, s, candidate, reply, finding):
        _go_on(c, m, s, artifact_id)
    progress.tell(c, m, artifact_id)


def _go_on(c: Connection, m: Moment, s: Settings, artifact_id: str) -> None:
    """Move on once no agent reads any more."""
    r = state.read(c, artifact_id)
    if any(research.status in state.UNDER_WAY for research, _ in state.direct(r.candidates)):
        return
    if r.lacking:
        progress.move(c, m, s, r, BlueprintEvent.EVIDENCE_LACKING)
    else:
        progress.begin_clarifying(c, m, s, r)
