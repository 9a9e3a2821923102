"""What the pages of blueprints show: the list, and one blueprint with its texts and its work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.access import store as people
from ccweb.access.model import Browser
from ccweb.clock import from_ms
from ccweb.db.sql import text
from ccweb.errors import ConversationNotFound
from ccweb.hub import diff, views
from ccweb.hub.diff import Diff
from ccweb.hub.views import Seen
from ccweb.planning import runs
from ccweb.planning.blueprints import questions, rules, state, store
from ccweb.planning.model import (
    Blueprint,
    Clarification,
    Coding,
    Command,
    Project,
    Repository,
    Research,
    Rework,
    Shown,
    Version,
)
from ccweb.planning.projects import service as projects
from ccweb.planning.projects.contexts import CANCELLED, OF_BLUEPRINT
from ccweb.planning.research import store as work_store
from ccweb_contract.enums import (
    BlueprintStatus,
    CandidateRole,
    ResearchStatus,
    ThreadStatus,
    WorkItemSource,
)

LISTED: Final = 200
"""How many blueprints the list shows at once; its filters find the others."""

_NEXT: Final = {
    BlueprintStatus.RESEARCHING: 0,
    BlueprintStatus.RESEARCH_FAILED: 0,
    BlueprintStatus.CLARIFYING: 1,
    BlueprintStatus.PENDING_REVIEW: 2,
    BlueprintStatus.CONFIRMED: 4,
}
"""The step that a blueprint stands at."""

_LIST = text(f"""
    SELECT a.id, a.status, a.created_at, a.updated_at, p.id AS project_id, p.name AS project_name,
        w.source, coalesce(t.title, w.title) AS title,
        {CANCELLED} AS cancelled,
        (SELECT max(v.number) FROM artifact_version v WHERE v.artifact_id = a.id) AS number
    FROM artifact a JOIN project p ON p.id = a.project_id {OF_BLUEPRINT}
    WHERE p.id IN :projects AND (:status = '' OR a.status = :status)
    ORDER BY a.updated_at DESC, a.position DESC LIMIT :limit""").bindparams(  # noqa: S608
    bindparam("projects", expanding=True)
)

_BOARD_OF_TASK = text("SELECT board_id FROM task WHERE id = :id")


class View(StrEnum):
    """How the text of a blueprint is shown."""

    TEXT = "text"
    RAW = "raw"
    DIFF = "diff"


class Step(StrEnum):
    """Where a blueprint stands, in the order of its way."""

    RESEARCH = "research"
    QUESTIONS = "questions"
    REVIEW = "review"
    CONFIRMED = "confirmed"
    CODING = "coding"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which text of a blueprint a person wants to see, and how."""

    number: int | None = None
    """None for the present one."""
    view: View = View.TEXT
    base: int | None = None
    """The version that it is compared with; None for the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A blueprint in the list."""

    id: str
    title: str
    status: BlueprintStatus
    orphan: bool
    number: int | None
    """Of its present text, None before there is one."""
    project_id: str
    project_name: str
    source: WorkItemSource
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A repository with its research, as the page shows it."""

    research: Research
    repository: Repository
    conversation: Seen | None
    """None before there is one, and once people have deleted it."""
    missing: Sequence[str]

    @property
    def direct(self) -> bool:
        """Tell whether its evidence decides."""
        return self.research.route.role is CandidateRole.DIRECT

    @property
    def under_way(self) -> bool:
        """Tell whether an agent is reading it."""
        return self.direct and self.research.status in state.UNDER_WAY

    @property
    def failed(self) -> bool:
        """Tell whether its evidence is missing, with nobody looking for it."""
        return self.direct and bool(self.missing) and not self.under_way

    @property
    def read(self) -> bool:
        """Tell whether there is evidence."""
        return self.research.status is ResearchStatus.SUCCEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The coding in a repository: what may begin, goes on, or has ended."""

    repository: Repository
    coding: Coding | None
    conversation: Seen | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A blueprint as its page shows it."""

    read: Blueprint
    project: Project
    versions: Sequence[Version]
    version: Version | None
    """The one that is shown, None before there is any."""
    wanted: Wanted
    base: Version | None
    diff: Diff | None
    candidates: Sequence[Candidate]
    work: Sequence[Work]
    reworks: Sequence[tuple[Rework, int, str]]
    people: Mapping[str, str]
    """The names of everybody, by id."""
    runs: Sequence[str]
    board_id: str | None
    """The board of its work item, None where that stands elsewhere."""

    @property
    def status(self) -> BlueprintStatus:
        """Return where it stands."""
        return self.read.artifact.status

    @property
    def step(self) -> int:
        """Return the place of the step that it stands at."""
        return _NEXT[self.status]

    @property
    def present(self) -> bool:
        """Tell whether the text that is shown is the one that can be decided on."""
        return self.version is not None and self.version.number == len(self.versions)

    @property
    def shown(self) -> Shown | None:
        """Return what an approval of the text that is shown names."""
        if self.version is None:
            return None
        return Shown(
            version_id=self.version.id,
            content_hash=self.version.content_hash,
            plan_id=self.read.artifact.plan_id,
        )

    @property
    def asked(self) -> list[Clarification]:
        """Return the questions of now, those of before a rework left out."""
        return [one for one in self.read.threads if one.status is not ThreadStatus.WITHDRAWN]

    @property
    def history(self) -> list[Clarification]:
        """Return answers that were given before the questions were asked anew."""
        return [
            one
            for one in self.read.threads
            if one.status is ThreadStatus.WITHDRAWN and one.body is not None
        ]

    @property
    def conversations(self) -> list[str]:
        """Return the conversations whose states the page shows."""
        research = [one.conversation for one in self.candidates]
        coding = [one.conversation for one in self.work]
        return [one.id for one in (*research, *coding) if one]

    def answer(self, thread: Clarification) -> str:
        """Return an answer in the words that a person has read."""
        return questions.shown_answer(thread)

    def person(self, person_id: str | None) -> str:
        """Return the name of somebody who has decided something here."""
        return self.people.get(person_id or "", "")

    def about(self, value: str) -> str:
        """Return what a repository is for that an option names, '' for any other option."""
        found = (one for one in self.candidates if one.repository.id == value)
        return next((one.research.evidence.responsibility for one in found), "")


def listed(
    c: Connection, who: Browser, *, project_id: str = "", status: str = ""
) -> tuple[list[Listed], list[Project]]:
    """Return the blueprints that a person may read, what changed last first, and their projects."""
    readable = projects.readable(c, who)
    ids = [one.id for one in readable if project_id in ("", one.id)]
    rows = c.execute(
        _LIST,
        {
            "projects": ids,
            "status": status,
            "limit": LISTED,
        },
    )
    return [_listed(row) for row in rows], readable


def sheet(c: Connection, who: Browser, artifact_id: str, wanted: Wanted) -> Sheet:
    """Return a blueprint as its page shows it.

    Raises:
        ArtifactNotFound: there is none with this id.
        Forbidden: its project is not open to the person.
    """
    read = state.read_for(c, artifact_id, who)
    versions = store.versions(c, artifact_id)
    version = _numbered(versions, wanted.number) or (versions[-1] if versions else None)
    base = _base(versions, version, wanted)
    return Sheet(
        read=read,
        project=projects.by_id(c, read.artifact.project_id),
        versions=versions,
        version=version,
        wanted=wanted,
        base=base,
        diff=diff.compare(base.markdown, version.markdown) if base and version else None,
        candidates=[candidate(c, who, *one) for one in read.candidates],
        work=_work(c, who, read),
        reworks=store.reworks(c, artifact_id),
        people={person.id: person.name for person in people.people(c)},
        runs=list(dict.fromkeys(call.run_id for call in runs.calls_about(c, artifact_id))),
        board_id=_board(c, read),
    )


def version_of(c: Connection, who: Browser, artifact_id: str, number: int) -> Version | None:
    """Return one text of a blueprint, None when there is none with this number.

    Raises:
        ArtifactNotFound, Forbidden: as for the page.
    """
    state.read_for(c, artifact_id, who)
    return _numbered(store.versions(c, artifact_id), number)


def candidate(c: Connection, who: Browser, research: Research, repository: Repository) -> Candidate:
    """Return a repository with its research, as pages show it."""
    return Candidate(
        research=research,
        repository=repository,
        conversation=_conversation(c, who, research.conversation_id),
        missing=state.missing(research),
    )


def may(read: Blueprint, command: Command) -> bool:
    """Tell whether a person's command is the next step, so that a page offers it."""
    facts = state.facts(read, shown=state.current(read), thread=ThreadStatus.OPEN)
    return not any(
        command in gate.commands and gate.is_shut(command, facts) for gate in rules.GATES
    )


def _numbered(versions: Sequence[Version], number: int | None) -> Version | None:
    return next((one for one in versions if one.number == number), None)


def _base(versions: Sequence[Version], version: Version | None, wanted: Wanted) -> Version | None:
    if version is None or wanted.view is not View.DIFF:
        return None
    number = wanted.base if wanted.base is not None else version.number - 1
    return _numbered(versions, number)


def _work(c: Connection, who: Browser, read: Blueprint) -> list[Work]:
    if read.confirmation is None:
        return []
    begun = {one.repository_id: one for one in work_store.codings(c, read.artifact.id)}
    return [
        Work(
            repository=repository,
            coding=(coding := begun.get(repository.id)),
            conversation=_conversation(c, who, coding.conversation_id if coding else None),
        )
        for _, repository in questions.chosen(read)
    ]


def _conversation(c: Connection, who: Browser, conversation_id: str | None) -> Seen | None:
    try:
        return views.one(c, who.person_id, conversation_id) if conversation_id else None
    except ConversationNotFound:
        return None


def _board(c: Connection, read: Blueprint) -> str | None:
    if read.item.source is not WorkItemSource.BOARD:
        return None
    found: str | None = c.execute(_BOARD_OF_TASK, {"id": read.item.id}).scalar_one_or_none()
    return found


def _listed(row: Row[Any]) -> Listed:
    return Listed(
        id=row.id,
        title=row.title,
        status=BlueprintStatus(row.status),
        orphan=bool(row.cancelled),
        number=row.number,
        project_id=row.project_id,
        project_name=row.project_name,
        source=WorkItemSource(row.source),
        created_at=from_ms(row.created_at),
        updated_at=from_ms(row.updated_at),
    )
