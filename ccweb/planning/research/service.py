"""Research: requests to agents that read a repository each, and what comes of their answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.planning.model import Candidate, Evidence, Project, Repository, Research
from ccweb.planning.research import store as work_store
from ccweb.planning.research import workers
from ccweb.planning.research.evidence import Fault
from ccweb.relay import planned
from ccweb.relay.model import PendingReply
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import (
    EXPLANATIONS,
    CandidateRole,
    Outcome,
    PermissionMode,
    ResearchStatus,
)

ATTEMPTS: Final = 2
"""How often an agent may answer: once more after an answer that cannot be read."""

Finding = Evidence | Fault
"""What an answer holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What is researched, for whom."""

    project: Project
    title: str
    work: str
    """What has to be planned, as its source tells it."""
    remarks: Sequence[str] = ()
    """What people have said when they sent an earlier version back."""


def start(
    c: Connection, m: Moment, s: Settings, errand: Errand, candidates: Sequence[Candidate]
) -> None:
    """Ask an agent for each candidate; what was found before is forgotten.

    Raises:
        AgentUnavailable: the project's host does not offer one of the agents.
    """
    for research, repository in candidates:
        _ask(c, m, s, errand, research, repository)


def record(
    c: Connection,
    m: Moment,
    s: Settings,
    candidate: Candidate,
    reply: PendingReply,
    finding: Finding | None,
) -> bool:
    """Write what came of a request; False when the agent was asked once more.

    Args:
        c: Connection.
        m: Moment.
        s: Settings.
        candidate: The research that the request was for.
        reply: The request, answered.
        finding: What its answer holds; None when there is none.
    """
    research = candidate.research
    match finding:
        case Evidence():
            _succeed(c, m, research, finding)
        case Fault() if _may_try_again(research):
            return not _ask_again(c, m, s, research, reply, finding)
        case Fault():
            _fail(c, m, research, finding.sentence)
        case None:
            _fail(c, m, research, _reason(s, reply))
    return True


def _ask(
    c: Connection,
    m: Moment,
    s: Settings,
    errand: Errand,
    research: Research,
    repository: Repository,
) -> None:
    target = workers.conversation(
        c,
        m,
        errand.project,
        repository,
        title=prompts.research_title(s.lang, repository=repository.name, title=errand.title),
        mode=PermissionMode.PLAN,
        before=research.conversation_id,
    )
    request_id = planned.request(
        c,
        m,
        s,
        target,
        ref_id=research.id,
        title=prompts.planning_source(s.lang, title=errand.title),
        prompt=_brief(s, errand, repository),
    )
    begun = replace(
        research,
        route=replace(research.route, role=CandidateRole.DIRECT),
        status=ResearchStatus.RUNNING,
        attempt=1,
        conversation_id=target.id,
        request_id=request_id,
        evidence=Evidence(),
        error=None,
    )
    work_store.update(c, m, begun)


def _brief(s: Settings, errand: Errand, repository: Repository) -> str:
    return prompts.research_brief(
        s.lang,
        repository=repository.name,
        work=f"{errand.title}\n\n{errand.work}".strip(),
        remarks=[prompts.research_remark(s.lang, comment=one) for one in errand.remarks],
    )


def _may_try_again(research: Research) -> bool:
    return research.attempt < ATTEMPTS


def _ask_again(
    c: Connection,
    m: Moment,
    s: Settings,
    research: Research,
    reply: PendingReply,
    fault: Fault,
) -> bool:
    """Ask the same agent for an answer that can be read; False when its conversation is gone."""
    target = workers.existing(c, research.conversation_id)
    if target is None:
        _fail(c, m, research, fault.sentence)
        return False
    request_id = planned.request(
        c,
        m,
        s,
        target,
        ref_id=research.id,
        title=reply.source_title,
        prompt=prompts.research_again(s.lang, fault=fault.sentence),
    )
    work_store.update(c, m, replace(research, attempt=research.attempt + 1, request_id=request_id))
    return True


def _succeed(c: Connection, m: Moment, research: Research, found: Evidence) -> None:
    done = replace(research, status=ResearchStatus.SUCCEEDED, evidence=found, error=None)
    work_store.update(c, m, done)


def _fail(c: Connection, m: Moment, research: Research, why: str) -> None:
    work_store.update(c, m, replace(research, status=ResearchStatus.FAILED, error=why))


def _reason(s: Settings, reply: PendingReply) -> str:
    outcome = reply.outcome or Outcome.LOST
    said = "; ".join(filter(None, (reply.stop_reason, reply.last_error)))
    return f"{EXPLANATIONS[Outcome][outcome][s.lang]} {said}".strip()
