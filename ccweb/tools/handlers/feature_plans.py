"""Plans of feature lists: begun, confirmed and read; each reading takes what research has found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from ccweb.planning.plans import service as plans
from ccweb.planning.plans import studying as plan_reading
from ccweb.planning.plans.model import PlanAnswer, PlanQuestion, Session, shown_item
from ccweb.planning.plans.studying import Studied
from ccweb.planning.research import outcomes
from ccweb.planning.research import store as work_store
from ccweb.planning.research.outcomes import Handed
from ccweb.planning.research.service import Finding
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb.tools.handlers import blueprints
from ccweb_contract.enums import ChangeType
from ccweb_contract.models import (
    ConfirmFeatureTechPlanInput,
    CreateFeatureTechPlanInput,
    GetFeatureTechPlanInput,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The session that is read, with the outcomes that lie ready for it, judged."""

    session_id: str
    judged: Sequence[tuple[Handed, Finding | None]]


def studying(x: Context, given: CreateFeatureTechPlanInput) -> Callable[[], Studied]:
    """Return what reads the repositories; refused before anything is read."""
    named = [one.root for one in given.repository_ids or ()]
    located = plan_reading.located(
        x.c,
        x.caller,
        project_id=given.project_id or "",
        branch_name=given.branch_name or "",
        text=given.feature_list_text or "",
        repository_ids=[*([given.repository_id] if given.repository_id else []), *named],
    )
    plans.check_no_blueprint(x.c, located.project_ids)
    return lambda: plan_reading.study(located, x.s.lang)


def create(x: Context, studied: Studied) -> Result:
    """Begin the plan of a feature list."""
    x.check_turn()
    return shown(x.c, plans.begin(x.c, x.m, x.s, studied, caller=x.caller))


def confirm(x: Context, given: ConfirmFeatureTechPlanInput) -> Result:
    """Take the user's answers and begin research."""
    x.check_turn()
    session = _working(x, given.session_id)
    answers = [
        PlanAnswer(
            question_id=one.question_id,
            selected=None if one.selected is None else [value.root for value in one.selected],
            text=one.text or "",
        )
        for one in given.answers or ()
    ]
    return shown(x.c, plans.confirm(x.c, x.m, x.s, session, answers))


def stepping(x: Context, given: GetFeatureTechPlanInput) -> Callable[[], Step]:
    """Return what judges the outcomes that lie ready for a plan."""
    session = _working(x, given.session_id)
    requests = {research.request_id for research, _ in work_store.of(x.c, session.id)}
    ready = [one for one in outcomes.waiting(x.c) if one in requests]
    found = [handed for one in ready if (handed := outcomes.handed(x.c, one))]
    return lambda: Step(session_id=session.id, judged=[(one, outcomes.judge(one)) for one in found])


def get_one(x: Context, step: Step) -> Result:
    """Read a plan, after taking what research has found meanwhile."""
    for handed, finding in step.judged:
        outcomes.take(x.c, x.m, x.s, handed, finding)
    return shown(x.c, _working(x, step.session_id))


def shown(c: Connection, session: Session) -> Result:
    """Return a plan as every door shows it."""
    counted = [one.change_type for one in session.items]
    return {
        "session_id": session.id,
        "status": session.status.value,
        "questions": [_question(one) for one in session.questions],
        "classification": {
            "items": [shown_item(one) for one in session.items],
            "summary": {one.value: counted.count(one) for one in ChangeType},
        },
        "routing": [blueprints.shown_candidate(one) for one in plans.candidates(c, session)],
        "feature_count": len(session.items),
        "truncated": session.truncated,
        "source": session.source.value,
        **({"project_id": session.project_id} if session.project_id else {}),
        **_outcome(session),
    }


def _working(x: Context, session_id: str) -> Session:
    session = plans.read_for(x.c, session_id, x.caller)
    plans.check_no_blueprint(x.c, [session.project_id])
    return session


def _question(one: PlanQuestion) -> dict[str, Any]:
    return {
        "question_id": one.id,
        "question": one.question,
        "type": one.type.value,
        "options": [{"value": option.value, "label": option.label} for option in one.options],
        "recommended": list(one.recommended),
    }


def _outcome(session: Session) -> dict[str, Any]:
    if session.error is not None:
        return {"error": {"error_code": session.error.code, "detail": session.error.detail}}
    if session.plan is None:
        return {}
    return {
        "plan": session.plan,
        "markdown": session.markdown,
        "artifact_version_id": session.version_id,
    }
