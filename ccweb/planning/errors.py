"""Refusals of friday: one class a code, its data as attributes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ccweb.errors import CcwebError, HumanRequired
from ccweb.planning.model import Shown
from ccweb_contract.enums import BlueprintStatus
from ccweb_contract.errors import ErrorCode


@dataclass(eq=False)
class ProjectNotFound(CcwebError):
    """There is no such project."""

    code: ClassVar = ErrorCode.PROJECT_NOT_FOUND
    project_id: str

    @property
    def detail(self) -> str:
        return f"There is no project {self.project_id!r}."


@dataclass(eq=False)
class SessionNotFound(CcwebError):
    """There is no such plan session."""

    code: ClassVar = ErrorCode.SESSION_NOT_FOUND
    session_id: str

    @property
    def detail(self) -> str:
        return f"There is no plan session {self.session_id!r}."


@dataclass(eq=False)
class NotFeatureSolutionSession(CcwebError):
    """The id belongs to something else."""

    code: ClassVar = ErrorCode.NOT_FEATURE_SOLUTION_SESSION
    session_id: str

    @property
    def detail(self) -> str:
        return f"{self.session_id!r} is no session of a feature list plan."


@dataclass(eq=False)
class BranchNotBound(CcwebError):
    """No project is bound to the branch."""

    code: ClassVar = ErrorCode.BRANCH_NOT_BOUND
    branch: str

    @property
    def detail(self) -> str:
        return f"No project is bound to the branch {self.branch!r}."


@dataclass(eq=False)
class EmptyFeatureList(CcwebError):
    """Nothing in the list can be read as a feature."""

    code: ClassVar = ErrorCode.EMPTY_FEATURE_LIST
    why: str

    @property
    def detail(self) -> str:
        return self.why


@dataclass(eq=False)
class UseCanonicalBlueprint(CcwebError):
    """The work has a blueprint."""

    code: ClassVar = ErrorCode.USE_CANONICAL_BLUEPRINT
    artifact_id: str

    @property
    def detail(self) -> str:
        return f"This work is planned in the blueprint {self.artifact_id}."


@dataclass(eq=False)
class ContextNotFound(CcwebError):
    """There is no such context."""

    code: ClassVar = ErrorCode.CONTEXT_NOT_FOUND
    context_id: str

    @property
    def detail(self) -> str:
        return f"There is no work item context {self.context_id!r}."


@dataclass(eq=False)
class WorkItemNotFound(CcwebError):
    """The source has no such work item."""

    code: ClassVar = ErrorCode.WORK_ITEM_NOT_FOUND
    work_item_id: str

    @property
    def detail(self) -> str:
        return f"The source has no work item {self.work_item_id!r}."


@dataclass(eq=False)
class ArtifactNotFound(CcwebError):
    """There is no such blueprint."""

    code: ClassVar = ErrorCode.ARTIFACT_NOT_FOUND
    artifact_id: str

    @property
    def detail(self) -> str:
        return f"There is no blueprint {self.artifact_id!r}."


@dataclass(eq=False)
class ThreadNotFound(CcwebError):
    """The blueprint has no such question."""

    code: ClassVar = ErrorCode.THREAD_NOT_FOUND
    thread_id: str

    @property
    def detail(self) -> str:
        return f"There is no question {self.thread_id!r} in this blueprint."


@dataclass(eq=False)
class RunNotFound(CcwebError):
    """There is no such run of this caller."""

    code: ClassVar = ErrorCode.RUN_NOT_FOUND
    run_id: str

    @property
    def detail(self) -> str:
        return f"There is no run {self.run_id!r} that is yours."


@dataclass(eq=False)
class ProjectMismatch(CcwebError):
    """It is not the project of the work item."""

    code: ClassVar = ErrorCode.PROJECT_MISMATCH
    given: str
    why: str

    @property
    def detail(self) -> str:
        return f"{self.given!r} is not the project of this blueprint: {self.why}"


@dataclass(eq=False)
class IdempotencyConflict(CcwebError):
    """The key was used with other arguments."""

    code: ClassVar = ErrorCode.IDEMPOTENCY_CONFLICT
    key: str
    artifact_id: str

    @property
    def detail(self) -> str:
        return f"The key {self.key!r} belongs to {self.artifact_id}, made with other arguments."


@dataclass(eq=False)
class Stale(CcwebError):
    """What was shown is not what is there."""

    code: ClassVar = ErrorCode.STALE
    shown: Shown | None
    current: Shown | None

    @property
    def detail(self) -> str:
        shown = _named(self.shown) if self.shown else "nothing"
        current = _named(self.current) if self.current else "not written yet"
        return f"Shown was {shown}; the present one is {current}."


def _named(text: Shown) -> str:
    return f"{text.version_id} of {text.plan_id} with the hash {text.content_hash}"


@dataclass(eq=False)
class EvidenceIncomplete(CcwebError):
    """A direct candidate lacks evidence."""

    code: ClassVar = ErrorCode.EVIDENCE_INCOMPLETE
    lacking: Mapping[str, Sequence[str]]

    @property
    def detail(self) -> str:
        each = (f"{name} ({', '.join(fields)})" for name, fields in self.lacking.items())
        return f"Evidence is missing of {'; '.join(each)}."


@dataclass(eq=False)
class OrphanReadOnly(CcwebError):
    """The work item is cancelled; what its source has just said of it is kept."""

    commits: ClassVar[bool] = True
    code: ClassVar = ErrorCode.ORPHAN_READ_ONLY
    artifact_id: str

    @property
    def detail(self) -> str:
        if not self.artifact_id:
            return "The work item is cancelled."
        return f"The work item of the blueprint {self.artifact_id} is cancelled."


@dataclass(eq=False)
class WrongOrder(CcwebError):
    """The blueprint is at another step."""

    code: ClassVar = ErrorCode.WRONG_ORDER
    command: str
    status: BlueprintStatus | None
    why: str = ""

    @property
    def detail(self) -> str:
        return self.why or f"{self.command!r} is no step while the blueprint is {self.status}."


@dataclass(eq=False)
class DecisionRequired(HumanRequired):
    """An agent has called what a person decides; the person was asked."""

    commits: ClassVar[bool] = True
    ask_id: str = ""

    @property
    def detail(self) -> str:
        return f"{self.why} A person was asked ({self.ask_id})."
