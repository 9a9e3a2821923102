"""What friday is made of: work items, projects, blueprints with their evidence, and decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, NewType

from ccweb_contract.enums import (
    AgentKind,
    BlueprintStatus,
    CandidateRole,
    Outcome,
    QuestionType,
    ResearchStatus,
    ReworkScope,
    ThreadKind,
    ThreadStatus,
    WorkItemSource,
)

ProjectId = NewType("ProjectId", str)
"""A project of this workspace: `project_…`."""

SpaceId = NewType("SpaceId", str)
"""The space of a work item in its source; never a project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A local git working tree that belongs to a project."""

    id: str
    project_id: ProjectId
    name: str
    path: str
    agent: AgentKind
    """Who reads it, and who codes in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is planned together: repositories, branches, a feature list, and who may read it."""

    id: ProjectId
    name: str
    host_id: str
    owner_id: str
    feature_list: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """A work item as its source tells it."""

    source: WorkItemSource
    space_id: SpaceId
    id: str
    title: str
    text: str
    state: str
    """By the source's own word."""
    cancelled: bool
    url: str | None = None
    type: str = ""
    """By the source's own word; '' where a source needs none to find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A work item that was fetched, with what it looked like then."""

    id: str
    item: WorkItem
    fetched_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One text of a blueprint; there are only ever more of them."""

    id: str
    artifact_id: str
    number: int
    markdown: str
    content_hash: str
    """SHA-256 of the text in UTF-8, as hexadecimal digits."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A blueprint: one work item's plan from its research to its approval."""

    id: str
    plan_id: str
    project_id: ProjectId
    context_id: str
    idempotency_key: str
    status: BlueprintStatus
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer that can be chosen."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarification:
    """One question of a blueprint, which a person answers."""

    id: str
    artifact_id: str
    kind: ThreadKind
    question: str
    type: QuestionType
    options: Sequence[Option]
    recommended: Sequence[str]
    status: ThreadStatus
    body: str | None
    person_id: str | None
    created_at: datetime
    answered_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What research has found in a repository; each part is empty until it is there."""

    responsibility: str = ""
    belongs: bool = False
    reasons: Sequence[str] = ()
    current_state_summary: str = ""
    evidence_files: Sequence[str] = ()
    questions: Sequence[str] = ()
    steps: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How a repository stands to a work; no evidence."""

    repository_id: str
    role: CandidateRole
    score: float
    """0-1."""
    matched: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Research:
    """The research of one repository for a blueprint or a plan, with what came of it."""

    id: str
    owner_id: str
    """The blueprint or the plan session."""
    route: Route
    status: ResearchStatus = ResearchStatus.QUEUED
    attempt: int = 0
    conversation_id: str | None = None
    request_id: str | None = None
    """The request that is open, or was last."""
    evidence: Evidence = field(default_factory=Evidence)
    error: str | None = None


class Candidate(NamedTuple):
    """A repository that may be worked in, with what was found out about it."""

    research: Research
    repository: Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Rework:
    """A person's reason to send a version back."""

    artifact_id: str
    version_id: str
    comment: str
    scope: ReworkScope
    person_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """A person's approval of one text: the only thing that opens coding."""

    artifact_id: str
    version_id: str
    content_hash: str
    person_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """The work on a confirmed blueprint in one repository."""

    artifact_id: str
    repository_id: str
    conversation_id: str
    request_id: str
    person_id: str
    outcome: Outcome | None
    text: str | None
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a person was shown when they decided."""

    version_id: str
    content_hash: str
    plan_id: str


class Command(StrEnum):
    """What somebody wants to do with a blueprint; each passes the gates."""

    CREATE = "create"
    ANSWER = "answer"
    SEND_BACK = "send back"
    APPROVE = "approve"
    RESEARCH = "research"
    TAKE_RESEARCH = "take research"
    """The outcome of research comes in: a wake-up, nobody's call."""
    DISPATCH = "dispatch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the gates look at: the state inside the transaction that would change it."""

    artifact_id: str = ""
    cancelled: bool = False
    """The work item is cancelled."""
    human: bool = True
    """A person decides, or nobody has to."""
    status: BlueprintStatus | None = None
    """None before there is a blueprint."""
    lacking: Mapping[str, Sequence[str]]
    """The direct candidates without whole evidence, by name, each with what is missing."""
    current: Shown | None = None
    shown: Shown | None = None
    """What the caller says was shown; None where nothing has to be."""
    thread: ThreadStatus | None = None
    """The question that is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One line of a feature list."""

    key: str
    module: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blueprint:
    """A blueprint whole, as every door and the page show it."""

    artifact: Artifact
    item: WorkItem
    """As it is now."""
    threads: Sequence[Clarification]
    candidates: Sequence[Candidate]
    version: Version | None
    confirmation: Confirmation | None
    people: Mapping[str, str]
    """Names by id, of those who have decided something in it."""
    lacking: Mapping[str, Sequence[str]]

    @property
    def orphan(self) -> bool:
        """Tell whether everything is read-only, because the work item is cancelled."""
        return self.item.cancelled


Payload = Mapping[str, Any]
"""JSON as it is stored."""
