"""A blueprint as it is now: read whole in a few queries, and the facts that its gates look at."""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection

from ccweb.access.model import Caller
from ccweb.errors import CcwebError
from ccweb.planning.blueprints import question_store, rules, store
from ccweb.planning.errors import ArtifactNotFound
from ccweb.planning.model import (
    Blueprint,
    Candidate,
    Clarification,
    Command,
    Evidence,
    Facts,
    Research,
    Shown,
)
from ccweb.planning.projects import service as projects
from ccweb.planning.research import evidence
from ccweb.planning.research import store as work_store
from ccweb_contract.enums import CandidateRole, ResearchStatus, ThreadStatus

_NOTHING: Final = Evidence()
UNDER_WAY: Final = frozenset({ResearchStatus.QUEUED, ResearchStatus.RUNNING})


def read(c: Connection, artifact_id: str) -> Blueprint:
    """Return a blueprint with all that belongs to it.

    Raises:
        ArtifactNotFound: there is none with this id.
    """
    found = store.find(c, artifact_id)
    if found is None:
        raise ArtifactNotFound(artifact_id=artifact_id)
    threads, names = question_store.of(c, artifact_id)
    candidates = work_store.of(c, artifact_id)
    return Blueprint(
        artifact=found.artifact,
        item=found.item,
        threads=threads,
        candidates=candidates,
        version=store.latest(c, artifact_id),
        confirmation=found.confirmation,
        people={**names, **found.people},
        lacking=lacking(candidates),
    )


def read_for(c: Connection, artifact_id: str, caller: Caller) -> Blueprint:
    """Return a blueprint that a caller may read.

    Raises:
        ArtifactNotFound: there is none with this id.
        Forbidden: its project is not open to the caller.
    """
    found = read(c, artifact_id)
    projects.check_readable(c, projects.by_id(c, found.artifact.project_id), caller)
    return found


def facts(
    r: Blueprint,
    *,
    shown: Shown | None = None,
    thread: ThreadStatus | None = None,
    human: bool = True,
) -> Facts:
    """Return what the gates look at."""
    return Facts(
        artifact_id=r.artifact.id,
        cancelled=r.orphan,
        human=human,
        status=r.artifact.status,
        lacking=r.lacking,
        current=current(r),
        shown=shown,
        thread=thread,
    )


def current(r: Blueprint) -> Shown | None:
    """Return what an approval has to name now, None before there is a text."""
    if r.version is None:
        return None
    return Shown(
        version_id=r.version.id, content_hash=r.version.content_hash, plan_id=r.artifact.plan_id
    )


def is_answerable(r: Blueprint, thread: Clarification) -> bool:
    """Tell whether a person may answer a question now."""
    try:
        rules.check(Command.ANSWER, facts(r, thread=thread.status))
    except CcwebError:
        return False
    return True


def direct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose evidence decides."""
    return [one for one in candidates if one.research.route.role is CandidateRole.DIRECT]


def missing(research: Research) -> tuple[str, ...]:
    """Return the parts of the evidence that are not there: all before research has succeeded."""
    succeeded = research.status is ResearchStatus.SUCCEEDED
    return evidence.missing(research.evidence if succeeded else _NOTHING)


def lacking(candidates: Sequence[Candidate]) -> Mapping[str, Sequence[str]]:
    """Return the direct candidates without whole evidence, by name, each with what is missing."""
    each = ((repository.name, missing(research)) for research, repository in direct(candidates))
    return {name: fields for name, fields in each if fields}
