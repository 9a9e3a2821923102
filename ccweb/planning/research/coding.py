"""Coding: an approved text given to an agent in a repository that it names, and what comes back."""

from sqlalchemy import Connection

from ccweb.access.model import Human
from ccweb.clock import Moment
from ccweb.conversations.model import Conversation
from ccweb.errors import InvalidParams
from ccweb.planning.blueprints import progress, questions, rules, state
from ccweb.planning.errors import Stale, WrongOrder
from ccweb.planning.model import (
    Blueprint,
    Coding,
    Command,
    Confirmation,
    Repository,
    Shown,
    Version,
)
from ccweb.planning.projects import service as projects
from ccweb.planning.research import linking, workers
from ccweb.planning.research import store as work_store
from ccweb.relay import planned
from ccweb.relay.model import PendingReply
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import Outcome, PermissionMode


def dispatch(
    c: Connection, m: Moment, s: Settings, artifact_id: str, repository_id: str, *, by: Human
) -> Coding:
    """Let the agent of a chosen repository carry out the very text that a person has approved.

    Raises:
        ArtifactNotFound, InvalidParams: the arguments.
        OrphanReadOnly, EvidenceIncomplete, WrongOrder: a gate is shut.
        Stale: the text is not the one that was approved.
        AgentUnavailable: the project's host does not offer the agent.
    """
    r = state.read(c, artifact_id)
    rules.check(Command.DISPATCH, state.facts(r))
    approved, version = _approved(r)
    repository = _chosen(r, repository_id)
    _check_first(c, artifact_id, repository)
    target = workers.conversation(
        c,
        m,
        projects.by_id(c, r.artifact.project_id),
        repository,
        title=prompts.coding_title(s.lang, repository=repository.name, title=r.item.title),
        mode=PermissionMode.ASK,
    )
    request_id = planned.request(
        c,
        m,
        s,
        target,
        ref_id=artifact_id,
        title=prompts.planning_source(s.lang, title=r.item.title),
        prompt=_brief(s, r, approved, version),
    )
    coding = _begun(m, artifact_id, repository, target, request_id, by)
    work_store.add_coding(c, coding)
    linking.link(c, m, s, r, conversations=[target.id])
    progress.tell(c, m, artifact_id)
    return coding


def record(c: Connection, m: Moment, coding: Coding, reply: PendingReply) -> None:
    """Write what came of the work; for an orphan nothing is written any more."""
    if state.read(c, coding.artifact_id).orphan:
        return
    work_store.end_coding(c, m, coding, reply.outcome or Outcome.LOST, reply.reply_text or "")
    progress.tell(c, m, coding.artifact_id)


def _begun(
    m: Moment,
    artifact_id: str,
    repository: Repository,
    target: Conversation,
    request_id: str,
    by: Human,
) -> Coding:
    return Coding(
        artifact_id=artifact_id,
        repository_id=repository.id,
        conversation_id=target.id,
        request_id=request_id,
        person_id=by.person_id,
        outcome=None,
        text=None,
        created_at=m.now,
        ended_at=None,
    )


def _brief(s: Settings, r: Blueprint, approved: Confirmation, version: Version) -> str:
    return prompts.coding_brief(
        s.lang,
        person=r.people[approved.person_id],
        version=version.number,
        content_hash=approved.content_hash,
        blueprint=version.markdown,
    )


def _approved(r: Blueprint) -> tuple[Confirmation, Version]:
    """Return the approval with the text that it is for."""
    approved, version = r.confirmation, r.version
    if approved is None or version is None:
        raise WrongOrder(command=Command.DISPATCH.value, status=r.artifact.status)
    shown = Shown(
        version_id=approved.version_id,
        content_hash=approved.content_hash,
        plan_id=r.artifact.plan_id,
    )
    if shown != state.current(r):
        raise Stale(shown=shown, current=state.current(r))
    return approved, version


def _chosen(r: Blueprint, repository_id: str) -> Repository:
    chosen = [repository for _, repository in questions.chosen(r)]
    for repository in chosen:
        if repository.id == repository_id:
            return repository
    names = ", ".join(f"{one.id} ({one.name})" for one in chosen)
    raise InvalidParams(why=f"The blueprint is for these repositories: {names}.")


def _check_first(c: Connection, artifact_id: str, repository: Repository) -> None:
    begun = work_store.codings(c, artifact_id)
    if any(one.repository_id == repository.id for one in begun):
        why = f"Coding in {repository.name!r} has begun already; go on in its conversation."
        raise WrongOrder(command=Command.DISPATCH.value, status=None, why=why)
