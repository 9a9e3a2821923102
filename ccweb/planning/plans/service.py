"""Plans of feature lists: begun, confirmed by the user, researched and written."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from sqlalchemy import Connection

from ccweb.access import store as people
from ccweb.access.model import Caller, conversation_of
from ccweb.clock import Moment
from ccweb.errors import Forbidden, InvalidParams
from ccweb.planning import runs
from ccweb.planning.blueprints import progress, state
from ccweb.planning.errors import (
    NotFeatureSolutionSession,
    SessionNotFound,
    UseCanonicalBlueprint,
    WrongOrder,
)
from ccweb.planning.model import Candidate, ProjectId, Research, Route
from ccweb.planning.plans import questions as plan_questions
from ccweb.planning.plans import store as plan_store
from ccweb.planning.plans import text as plan_text
from ccweb.planning.plans.model import PlanAnswer, PlanError, Session
from ccweb.planning.plans.studying import Studied
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store as project_store
from ccweb.planning.research import service as researching
from ccweb.planning.research import store as work_store
from ccweb.planning.research.service import Errand, Finding
from ccweb.relay.model import PendingReply
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, PlanStatus
from ccweb_contract.errors import ErrorCode

# --- beginning ----------------------------------------------------------------------------------


def begin(c: Connection, m: Moment, s: Settings, studied: Studied, *, caller: Caller) -> Session:
    """Insert the session of a feature list that was read, with the questions that it leaves.

    Raises:
        UseCanonicalBlueprint: the project's work is planned in a blueprint.
    """
    project = studied.of.project
    check_no_blueprint(c, studied.of.project_ids)
    session = Session(
        id=m.new_id("session"),
        project_id=project.id if project else None,
        source=studied.of.source,
        holder_id=runs.holder_id(caller),
        status=PlanStatus.AWAITING_CONFIRMATION,
        items=studied.items,
        routes=studied.routes,
        questions=plan_questions.asked(studied.items, studied.routes, s.lang),
        answers=[],
        truncated=studied.truncated,
        plan=None,
        markdown=None,
        version_id=None,
        error=None,
        created_at=m.now,
    )
    plan_store.add(c, session)
    progress.tell(c, m, session.id)
    return session


def check_no_blueprint(c: Connection, project_ids: Iterable[ProjectId | None]) -> None:
    """Check that the work of no project is planned in a blueprint (R-P6).

    A plan has neither versions nor an approval, so it must not stand beside a blueprint that
    needs them: from its creation to its approval the project's sessions, old and new, are
    refused. A blueprint whose work item is cancelled stays as it is for ever and plans nothing;
    it would shut the project for good, so it does not count. A text alone belongs to no project
    until repositories are named with it.

    Raises:
        UseCanonicalBlueprint: it is.
    """
    for project_id in filter(None, project_ids):
        found = plan_store.blueprint_under_way(c, project_id)
        if found is not None:
            raise UseCanonicalBlueprint(artifact_id=found)


# --- reading ------------------------------------------------------------------------------------


def read_for(c: Connection, session_id: str, caller: Caller) -> Session:
    """Return a session that a caller may read: its creator, or who may read its project.

    Raises:
        SessionNotFound: there is none with this id.
        NotFeatureSolutionSession: the id belongs to something else.
        Forbidden: it is not open to the caller.
    """
    session = plan_store.find(c, session_id)
    if session is None and plan_store.is_known(c, session_id):
        raise NotFeatureSolutionSession(session_id=session_id)
    if session is None:
        raise SessionNotFound(session_id=session_id)
    if not _may_read(c, session, caller):
        raise Forbidden(why=f"The session {session_id} is not open to this caller.")
    return session


def _may_read(c: Connection, session: Session, caller: Caller) -> bool:
    if session.holder_id == runs.holder_id(caller):
        return True
    if session.project_id is not None:
        return projects.may_read(c, projects.by_id(c, session.project_id), caller)
    return conversation_of(caller) is None and runs.holder_id(caller) in _owners(c)


def _owners(c: Connection) -> set[str]:
    """Return the owners of the workspace, who see what no project keeps."""
    return {person.id for person in people.people(c) if person.owner}


def candidates(c: Connection, session: Session) -> list[Candidate]:
    """Return the repositories of a session, each with what was found; the chosen ones first."""
    begun = work_store.of(c, session.id)
    ids = {repository.id for _, repository in begun}
    others = [one.route for one in session.routes if one.route.repository_id not in ids]
    return begun + [_untouched(c, session, route) for route in others]


def _untouched(c: Connection, session: Session, route: Route) -> Candidate:
    repository = project_store.repository(c, route.repository_id)
    assert repository is not None  # noqa: S101 - a repository that leaves its project keeps its row
    research = Research(id="", owner_id=session.id, route=route)
    return Candidate(research=research, repository=repository)


# --- the user's answers -------------------------------------------------------------------------


def confirm(
    c: Connection, m: Moment, s: Settings, session: Session, given: Sequence[PlanAnswer]
) -> Session:
    """Take the user's answers and begin research in the repositories that they name.

    The same answers once more give the same session.

    Raises:
        InvalidParams: a question or an option is unknown, an answer does not fit, or a chosen
            repository has left its project.
        UseCanonicalBlueprint: the work of a chosen repository's project is planned in a blueprint.
        WrongOrder: other answers were confirmed before.
        AgentUnavailable: a project's host does not offer one of the agents.
    """
    answers = plan_questions.accepted(session.questions, given)
    if plan_store.confirm(c, m, session.id, answers):
        _begin_research(c, m, s, _present(c, session.id))
        progress.tell(c, m, session.id)
    now = _present(c, session.id)
    if now.answers != answers:
        why = f"The session {session.id} was confirmed with other answers."
        raise WrongOrder(command="confirm", status=None, why=why)
    return now


def _begin_research(c: Connection, m: Moment, s: Settings, session: Session) -> None:
    for route in _chosen(c, session):
        research = Research(id=m.new_id("research"), owner_id=session.id, route=route)
        work_store.add(c, m, research)
    begun = sorted(work_store.of(c, session.id), key=_project_of)
    check_no_blueprint(c, map(_project_of, begun))
    for project_id, of_project in groupby(begun, key=_project_of):
        errand = Errand(
            project=projects.by_id(c, project_id),
            title=prompts.feature_plan_title(s.lang, name=_name(c, session)),
            work=plan_text.work(session),
        )
        researching.start(c, m, s, errand, list(of_project))
    if not begun:
        _complete(c, m, session, [], s.lang)


def _chosen(c: Connection, session: Session) -> list[Route]:
    """Return the repositories that the user wants, all of which have to be there still."""
    wanted = plan_questions.chosen(session)
    chosen = [one for one in session.routes if one.route.repository_id in wanted]
    gone = [one.name for one in chosen if not _is_there(c, one.route.repository_id)]
    if gone:
        raise InvalidParams(why=f"No repository any more: {', '.join(gone)}; choose others.")
    return [one.route for one in chosen]


def _is_there(c: Connection, repository_id: str) -> bool:
    """Tell whether a repository has not left its project meanwhile."""
    found = project_store.repository(c, repository_id)
    return found is not None and found in project_store.repositories(c, found.project_id)


def _project_of(candidate: Candidate) -> ProjectId:
    return candidate.repository.project_id


def _name(c: Connection, session: Session) -> str:
    if session.project_id is not None:
        return projects.by_id(c, session.project_id).name
    return session.items[0].feature.name


def _present(c: Connection, session_id: str) -> Session:
    session = plan_store.find(c, session_id)
    assert session is not None  # noqa: S101 - sessions are never deleted
    return session


# --- research comes in --------------------------------------------------------------------------


def take_research(
    c: Connection,
    m: Moment,
    s: Settings,
    candidate: Candidate,
    reply: PendingReply,
    finding: Finding | None,
) -> None:
    """Write what came of a repository's research; after the last one the plan is written."""
    session_id = candidate.research.owner_id
    if not plan_store.touch(c, m, session_id):
        return
    if researching.record(c, m, s, candidate, reply, finding):
        _go_on(c, m, _present(c, session_id), s.lang)
    progress.tell(c, m, session_id)


def _go_on(c: Connection, m: Moment, session: Session, lang: Lang) -> None:
    found = work_store.of(c, session.id)
    if any(research.status in state.UNDER_WAY for research, _ in found):
        return
    if any(map(plan_text.has_evidence, found)):
        _complete(c, m, session, found, lang)
    else:
        plan_store.fail(c, m, session.id, _without_evidence(found))


def _complete(
    c: Connection, m: Moment, session: Session, found: Sequence[Candidate], lang: Lang
) -> None:
    items = plan_questions.decided(session, lang)
    plan_store.complete(
        c,
        m,
        session.id,
        plan=plan_text.merged(items, found),
        markdown=plan_text.markdown(session, items, found, lang),
        version_id=m.new_id("version"),
    )


def _without_evidence(found: Iterable[Candidate]) -> PlanError:
    each = (f"{one.repository.name}: {plan_text.reason_of(one)}" for one in found)
    return PlanError(code=ErrorCode.EVIDENCE_INCOMPLETE.value, detail="; ".join(each))
