"""What a plan of a feature list is made of: its session, questions, answers and routes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ccweb.planning.features.classification import Classified
from ccweb.planning.model import Option, Payload, ProjectId, Route
from ccweb_contract.enums import PlanSource, PlanStatus, QuestionType


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRoute:
    """A repository that comes into question, with the name that it has in this plan."""

    name: str
    route: Route


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanQuestion:
    """What the user has to confirm before anything is researched."""

    id: str
    question: str
    type: QuestionType
    options: Sequence[Option]
    recommended: Sequence[str]
    feature_key: str
    """The feature that it is about; '' for the question where the work is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAnswer:
    """What the user has answered."""

    question_id: str
    selected: Sequence[str] | None
    """Values of options; None where none were given."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanError:
    """Why there is no plan."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The plan of a feature list from its questions to its text."""

    id: str
    project_id: ProjectId | None
    """None for a text alone."""
    source: PlanSource
    holder_id: str
    """The conversation or the person that has begun it."""
    status: PlanStatus
    items: Sequence[Classified]
    routes: Sequence[NamedRoute]
    questions: Sequence[PlanQuestion]
    answers: Sequence[PlanAnswer]
    """Empty before they are confirmed, then one a question."""
    truncated: bool
    plan: Payload | None
    markdown: str | None
    version_id: str | None
    error: PlanError | None
    created_at: datetime


def shown_item(one: Classified) -> Mapping[str, Any]:
    """Return a feature with what it asks of the code, with the names of the wire."""
    return {
        "key": one.feature.key,
        "module": one.feature.module,
        "name": one.feature.name,
        "change_type": one.change_type.value,
        "confidence": one.confidence,
        "evidence_files": list(one.evidence_files),
        "suggested_location": one.suggested_location,
        "reason": one.reason,
    }
