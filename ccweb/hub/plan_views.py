"""What the page of a feature list's plan shows: its features, questions, answers and research."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from ccweb.access.model import Browser
from ccweb.hub import planning_views
from ccweb.hub.planning_views import Candidate
from ccweb.planning import runs
from ccweb.planning.model import Project
from ccweb.planning.plans import service as plans
from ccweb.planning.plans.model import PlanAnswer, PlanQuestion, Session
from ccweb.planning.projects import service as projects


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan as its page shows it."""

    session: Session
    project: Project | None
    answers: Sequence[tuple[PlanQuestion, str | None]]
    """Each question with its answer in words, None before it is confirmed."""
    candidates: Sequence[Candidate]
    run_id: str | None
    """The run of the latest call about it."""


def read(c: Connection, who: Browser, session_id: str) -> Planned:
    """Return the plan of a feature list.

    Raises:
        SessionNotFound, NotFeatureSolutionSession: there is none with this id.
        Forbidden: it is not open to the person.
    """
    session = plans.read_for(c, session_id, who)
    given = {answer.question_id: answer for answer in session.answers}
    about = runs.calls_about(c, session_id)
    return Planned(
        session=session,
        project=projects.by_id(c, session.project_id) if session.project_id else None,
        answers=[(one, _in_words(one, given.get(one.id))) for one in session.questions],
        candidates=[planning_views.candidate(c, who, *one) for one in plans.candidates(c, session)],
        run_id=about[-1].run_id if about else None,
    )


def _in_words(question: PlanQuestion, answer: PlanAnswer | None) -> str | None:
    """Return an answer as a person has read its options."""
    if answer is None:
        return None
    labels = {option.value: option.label for option in question.options}
    chosen = [labels.get(value, value) for value in answer.selected or ()]
    return ", ".join([*chosen, answer.text] if answer.text else chosen)
