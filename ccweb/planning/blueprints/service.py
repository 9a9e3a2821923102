"""Blueprints: begun for a work item, answered, sent back and approved by people."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from ccweb.access.model import Human
from ccweb.clock import Moment
from ccweb.errors import InvalidParams
from ccweb.planning.blueprints import progress, question_store, questions, rules, state, store
from ccweb.planning.blueprints.rules import BlueprintEvent
from ccweb.planning.errors import (
    IdempotencyConflict,
    ProjectMismatch,
    ThreadNotFound,
)
from ccweb.planning.model import (
    Artifact,
    Blueprint,
    Candidate,
    Clarification,
    Command,
    Confirmation,
    Context,
    Facts,
    Project,
    ProjectId,
    Research,
    Rework,
    Route,
    Shown,
)
from ccweb.planning.projects import contexts
from ccweb.planning.projects import service as projects
from ccweb.planning.research import linking
from ccweb.planning.research import service as researching
from ccweb.planning.research import store as work_store
from ccweb.planning.research.service import Errand
from ccweb.planning.sources import source as sources
from ccweb.settings import Settings
from ccweb_contract.enums import (
    BlueprintStatus,
    CandidateRole,
    ReworkScope,
    ThreadStatus,
)

# --- beginning ----------------------------------------------------------------------------------


def create(
    c: Connection,
    m: Moment,
    s: Settings,
    *,
    context_id: str,
    idempotency_key: str,
    project_id: str,
    routes: Sequence[Route],
) -> Artifact:
    """Begin the blueprint of a work item and its research; a work item has one.

    The same key with the same arguments gives the same blueprint; so does another key for a work
    item that has one.

    Raises:
        ContextNotFound, InvalidParams: the arguments.
        ProjectMismatch: it is not the project that the work item's space is bound to.
        IdempotencyConflict: the key was used with other arguments.
        OrphanReadOnly: the work item is cancelled.
        AgentUnavailable: the project's host does not offer one of the agents.
    """
    context = contexts.get(c, context_id)
    context = replace(context, item=sources.current(c, s, context))
    before = store.by_key(c, idempotency_key)
    if before and (before.context_id, before.project_id) != (context_id, project_id):
        raise IdempotencyConflict(key=idempotency_key, artifact_id=before.id)
    project = bound_project(c, context, project_id)
    before = before or store.of_context(c, context_id)
    begun = before.id if before else ""
    rules.check(
        Command.CREATE, Facts(artifact_id=begun, cancelled=context.item.cancelled, lacking={})
    )
    return before or _begin(c, m, s, context, project, idempotency_key, routes)


def bound_project(c: Connection, context: Context, project_id: str) -> Project:
    """Return the project of a work item, which the caller has to name.

    Raises:
        ProjectMismatch: it is another one, or the id of the space.
    """
    item = context.item
    project = projects.by_space(c, item.source, item.space_id)
    if project_id == item.space_id:
        raise ProjectMismatch(given=project_id, why="it is the space of the work item, no project.")
    if project is None:
        why = f"no project is bound to the space {item.space_id}."
        raise ProjectMismatch(given=project_id, why=why)
    if project.id != project_id:
        why = f"the space {item.space_id} is bound to {project.id}."
        raise ProjectMismatch(given=project_id, why=why)
    return project


def _begin(
    c: Connection,
    m: Moment,
    s: Settings,
    context: Context,
    project: Project,
    key: str,
    routes: Sequence[Route],
) -> Artifact:
    if not routes:
        raise InvalidParams(why=f"The project {project.id} has no repository to research.")
    artifact = Artifact(
        id=m.new_id("artifact"),
        plan_id=m.new_id("plan"),
        project_id=ProjectId(project.id),
        context_id=context.id,
        idempotency_key=key,
        status=BlueprintStatus.RESEARCHING,
        created_at=m.now,
        updated_at=m.now,
    )
    store.add(c, artifact)
    for route in _with_direct(routes):
        research = Research(id=m.new_id("research"), owner_id=artifact.id, route=route)
        work_store.add(c, m, research)
    r = state.read(c, artifact.id)
    _research(c, m, s, r, state.direct(r.candidates))
    progress.tell(c, m, artifact.id)
    return artifact


def _with_direct(routes: Sequence[Route]) -> list[Route]:
    """Return the candidates; where nothing matches, every repository has to be read."""
    if any(route.role is CandidateRole.DIRECT for route in routes):
        return list(routes)
    return [replace(route, role=CandidateRole.DIRECT) for route in routes]


def _research(
    c: Connection, m: Moment, s: Settings, r: Blueprint, candidates: Sequence[Candidate]
) -> None:
    """Let agents read repositories, and show on the task where."""
    researching.start(c, m, s, _errand(c, r), candidates)
    begun = state.read(c, r.artifact.id)
    at_work = [found.conversation_id for found, _ in begun.candidates]
    linking.link(c, m, s, begun, conversations=at_work)


def _errand(c: Connection, r: Blueprint) -> Errand:
    return Errand(
        project=projects.by_id(c, r.artifact.project_id),
        title=r.item.title,
        work=r.item.text,
        remarks=[rework.comment for rework, _, _ in store.reworks(c, r.artifact.id)],
    )


# --- research once more -------------------------------------------------------------------------


def research(
    c: Connection,
    m: Moment,
    s: Settings,
    artifact_id: str,
    repository_ids: Sequence[str] | None = None,
) -> None:
    """Research repositories again: those that are named, else those whose evidence is missing.

    Raises:
        ArtifactNotFound, InvalidParams: the arguments.
        OrphanReadOnly, WrongOrder: a gate is shut.
        AgentUnavailable: the project's host does not offer one of the agents.
    """
    r = state.read(c, artifact_id)
    rules.check(Command.RESEARCH, state.facts(r))
    wanted = _named(r, repository_ids) if repository_ids else _lacking(r)
    question_store.withdraw(c, artifact_id)
    _research(c, m, s, r, wanted)
    progress.move(c, m, s, r, BlueprintEvent.RESEARCH_STARTED)


def _lacking(r: Blueprint) -> list[Candidate]:
    found = [one for one in state.direct(r.candidates) if state.missing(one.research)]
    if not found:
        raise InvalidParams(why="No evidence is missing; name the repositories to read again.")
    return found


def _named(r: Blueprint, repository_ids: Sequence[str]) -> list[Candidate]:
    known = {one.repository.id: one for one in r.candidates}
    unknown = [one for one in repository_ids if one not in known]
    if unknown:
        raise InvalidParams(why=f"No candidate of this blueprint: {', '.join(unknown)}.")
    return [known[one] for one in dict.fromkeys(repository_ids)]


# --- people decide ------------------------------------------------------------------------------


def thread_of(c: Connection, thread_id: str, artifact_id: str | None = None) -> Clarification:
    """Return a question, of that very blueprint when one is named.

    Raises:
        ThreadNotFound: there is none, or it is another blueprint's.
    """
    thread = question_store.get(c, thread_id)
    if thread is None or artifact_id not in (None, thread.artifact_id):
        raise ThreadNotFound(thread_id=thread_id)
    return thread


def answer(
    c: Connection,
    m: Moment,
    s: Settings,
    thread_id: str,
    body: str,
    *,
    by: Human,
    artifact_id: str | None = None,
) -> None:
    """Write a person's answer to a question; after the last one the text is written.

    Raises:
        ThreadNotFound, InvalidParams: the arguments.
        OrphanReadOnly, EvidenceIncomplete, WrongOrder: a gate is shut.
    """
    thread = thread_of(c, thread_id, artifact_id)
    r = state.read(c, thread.artifact_id)
    rules.check(Command.ANSWER, state.facts(r, thread=thread.status))
    question_store.set_answer(
        c, m, thread_id, questions.accepted(thread, body), person_id=by.person_id
    )
    r = state.read(c, thread.artifact_id)
    if any(one.status is ThreadStatus.OPEN for one in r.threads):
        progress.tell(c, m, r.artifact.id)
    else:
        progress.write_version(c, m, s, r)
        progress.move(c, m, s, r, BlueprintEvent.ALL_ANSWERED, by=by.person_id)


def send_back(
    c: Connection,
    m: Moment,
    s: Settings,
    artifact_id: str,
    *,
    comment: str,
    scope: ReworkScope,
    by: Human,
) -> None:
    """Send the present text back with a person's comment; the next version follows.

    Raises:
        ArtifactNotFound: there is none with this id.
        OrphanReadOnly, WrongOrder: a gate is shut.
        AgentUnavailable: the project's host does not offer one of the agents.
    """
    r = state.read(c, artifact_id)
    rules.check(Command.SEND_BACK, state.facts(r))
    _note_rework(c, m, r, comment, scope, by)
    match scope:
        case ReworkScope.TEXT:
            progress.write_version(c, m, s, r)
        case ReworkScope.CLARIFICATION:
            progress.ask_questions(c, m, s, r, again=True)
        case ReworkScope.RESEARCH:
            question_store.withdraw(c, artifact_id)
            _research(c, m, s, r, state.direct(r.candidates))
    progress.move(c, m, s, r, rules.SENT_BACK[scope], by=by.person_id, note=comment)


def approve(
    c: Connection, m: Moment, s: Settings, artifact_id: str, shown: Shown, *, by: Human
) -> Confirmation:
    """Approve the very text that a person was shown; only this opens coding.

    Raises:
        ArtifactNotFound: there is none with this id.
        Stale: the text, its hash or the plan is not the one that was shown.
        OrphanReadOnly, EvidenceIncomplete, WrongOrder: a gate is shut.
    """
    r = state.read(c, artifact_id)
    rules.check(Command.APPROVE, state.facts(r, shown=shown))
    confirmation = Confirmation(
        artifact_id=artifact_id,
        version_id=shown.version_id,
        content_hash=shown.content_hash,
        person_id=by.person_id,
        created_at=m.now,
    )
    store.confirm(c, confirmation)
    progress.move(c, m, s, r, BlueprintEvent.APPROVED, by=by.person_id)
    return confirmation


def _note_rework(
    c: Connection, m: Moment, r: Blueprint, comment: str, scope: ReworkScope, by: Human
) -> None:
    current = state.current(r)
    assert current is not None  # noqa: S101 - the gate has seen a text under review
    store.add_rework(
        c,
        Rework(
            artifact_id=r.artifact.id,
            version_id=current.version_id,
            comment=comment,
            scope=scope,
            person_id=by.person_id,
            created_at=m.now,
        ),
    )
