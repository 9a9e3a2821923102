"""Blueprints: read by whoever may read their project, decided by people only."""

from typing import Any

from ccweb.access import service as access
from ccweb.access.model import Human
from ccweb.clock import iso
from ccweb.errors import HumanRequired
from ccweb.planning.blueprints import deciding, state
from ccweb.planning.blueprints import service as blueprints
from ccweb.planning.model import Blueprint, Candidate, Clarification, Command, Shown
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb.tools.handlers import work_items
from ccweb_contract.enums import BlueprintStatus
from ccweb_contract.models import (
    AnswerBlueprintClarificationInput,
    ApproveTechnicalBlueprintInput,
    GetTechnicalBlueprintInput,
    RequestTechnicalBlueprintChangesInput,
    StartRepoResearchInput,
)


def get_one(x: Context, given: GetTechnicalBlueprintInput) -> Result:
    """Read a blueprint."""
    return shown(state.read_for(x.c, given.artifact_id, x.caller))


def answer(x: Context, given: AnswerBlueprintClarificationInput) -> Result:
    """Answer a question in the name of the person who calls."""
    x.check_turn()
    thread = blueprints.thread_of(x.c, given.thread_id, given.artifact_id)
    r = state.read_for(x.c, thread.artifact_id, x.caller)
    by = _human(x)
    if by is None:
        deciding.ask_instead(x.c, x.m, r, Command.ANSWER, source=x.source, thread=thread.status)
    blueprints.answer(x.c, x.m, x.s, given.thread_id, given.body, by=by)
    return shown(state.read(x.c, r.artifact.id))


def send_back(x: Context, given: RequestTechnicalBlueprintChangesInput) -> Result:
    """Send a blueprint back in the name of the person who calls."""
    x.check_turn()
    r = state.read_for(x.c, given.artifact_id, x.caller)
    by = _human(x)
    if by is None:
        deciding.ask_instead(x.c, x.m, r, Command.SEND_BACK, source=x.source)
    blueprints.send_back(
        x.c,
        x.m,
        x.s,
        given.artifact_id,
        comment=given.comment,
        scope=given.rework_scope,
        by=by,
    )
    return shown(state.read(x.c, given.artifact_id))


def approve(x: Context, given: ApproveTechnicalBlueprintInput) -> Result:
    """Approve the text that the person who calls was shown."""
    x.check_turn()
    r = state.read_for(x.c, given.artifact_id, x.caller)
    what = Shown(
        version_id=given.artifact_version_id,
        content_hash=given.content_hash,
        plan_id=given.technical_plan_id,
    )
    by = _human(x)
    if by is None:
        deciding.ask_instead(x.c, x.m, r, Command.APPROVE, source=x.source, shown=what)
    blueprints.approve(x.c, x.m, x.s, given.artifact_id, what, by=by)
    return {"confirmed": _confirmed(state.read(x.c, given.artifact_id))}


def research(x: Context, given: StartRepoResearchInput) -> Result:
    """Research repositories of a blueprint again."""
    x.check_turn()
    state.read_for(x.c, given.artifact_id, x.caller)
    named = [one.root for one in given.repository_ids or ()]
    blueprints.research(x.c, x.m, x.s, given.artifact_id, named)
    return shown(state.read(x.c, given.artifact_id))


def shown(r: Blueprint) -> Result:
    """Return a blueprint as every door shows it."""
    return {
        "artifact_id": r.artifact.id,
        "technical_plan_id": r.artifact.plan_id,
        "project_id": r.artifact.project_id,
        "status": r.artifact.status.value,
        "orphan": r.orphan,
        "work_item": work_items.shown(r.item),
        "threads": [_thread(r, one) for one in r.threads],
        "candidates": [shown_candidate(one) for one in r.candidates],
        **_text(r),
        **({"confirmed": _confirmed(r)} if r.confirmation else {}),
    }


def shown_candidate(candidate: Candidate) -> dict[str, Any]:
    """Return a repository with its evidence as every door shows it."""
    research, repository = candidate
    found = research.evidence
    told = {
        "repository_id": repository.id,
        "name": repository.name,
        "role": research.route.role.value,
        "score": research.route.score,
        "matched_domains": list(research.route.matched),
        "task_status": research.status.value,
        "responsibility": found.responsibility,
        "fitness": {"reasons": list(found.reasons)},
        "current_state_summary": found.current_state_summary,
        "evidence_files": list(found.evidence_files),
        "missing_fields": list(state.missing(research)),
    }
    known = {"conversation_id": research.conversation_id, "error": research.error}
    return told | {name: value for name, value in known.items() if value}


def _human(x: Context) -> Human | None:
    try:
        return access.human(x.caller)
    except HumanRequired:
        return None


def _text(r: Blueprint) -> dict[str, Any]:
    if r.version is None:
        return {}
    return {
        "artifact_version_id": r.version.id,
        "version": r.version.number,
        "content_hash": r.version.content_hash,
        "markdown": r.version.markdown,
    }


def _confirmed(r: Blueprint) -> dict[str, str]:
    approved = r.confirmation
    assert approved is not None  # noqa: S101 - read after the approval
    return {
        "status": BlueprintStatus.CONFIRMED.value,
        "artifact_id": r.artifact.id,
        "technical_plan_id": r.artifact.plan_id,
        "artifact_version_id": approved.version_id,
        "content_hash": approved.content_hash,
        "confirmed_by": r.people[approved.person_id],
        "confirmed_at": iso(approved.created_at),
    }


def _thread(r: Blueprint, one: Clarification) -> dict[str, Any]:
    told = {
        "thread_id": one.id,
        "kind": one.kind.value,
        "question": one.question,
        "type": one.type.value,
        "options": [{"value": option.value, "label": option.label} for option in one.options],
        "recommended": list(one.recommended),
        "status": one.status.value,
        "answerable": state.is_answerable(r, one),
    }
    if one.body is None or one.answered_at is None:
        return told
    return told | {
        "body": one.body,
        "answered_by": r.people[one.person_id or ""],
        "answered_at": iso(one.answered_at),
    }
