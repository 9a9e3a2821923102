"""What the pages of projects and runs show."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from ccweb.access import store as people
from ccweb.access.model import Browser, Person
from ccweb.clock import Moment
from ccweb.conversations import store as conversations
from ccweb.db.sql import text
from ccweb.hub import choices
from ccweb.hub.choices import AgentChoice
from ccweb.planning import runs
from ccweb.planning.errors import RunNotFound
from ccweb.planning.features import parsing as features
from ccweb.planning.model import Feature, Project, Repository, SpaceId
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store as project_store
from ccweb.planning.runs import ListedCall, Run
from ccweb_contract.enums import WorkItemSource
from ccweb_contract.errors import ErrorCode

_BOARDS: Final = text("""
    SELECT r.id AS repository_id, b.id AS board_id FROM repository r
        JOIN project p ON p.id = r.project_id
        JOIN board b ON b.cwd = r.path AND b.host_id = p.host_id
    WHERE p.id = :id AND r.removed_at IS NULL""")

_COUNT: Final = text("SELECT count(*) FROM artifact WHERE project_id = :id")

_PAGES: Final = {"artifact": "/blueprints/", "session": "/plans/"}
"""Where what a call was about can be looked at, by the beginning of its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A repository of a project, as the page shows it."""

    repository: Repository
    is_there: bool
    """Its folder exists on this machine."""
    board_id: str | None
    """The board of its folder, None before anybody has looked at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A project in the list."""

    project: Project
    repositories: Sequence[Repository]
    branches: Sequence[str]
    blueprints: int
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a feature list is read as."""

    modules: Sequence[tuple[str, Sequence[Feature]]]
    """In the order of the text; the name of a module may be ''."""
    count: int
    truncated: bool
    empty: bool
    """There is no text at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A project as its page shows it."""

    project: Project
    may_change: bool
    repositories: Sequence[Kept]
    agents: Sequence[AgentChoice]
    branches: Sequence[str]
    spaces: Sequence[tuple[WorkItemSource, SpaceId]]
    owner: str
    readers: Sequence[Person]
    others: Sequence[Person]
    """Who could become a reader."""
    blueprints: int
    preview: Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call of a run, as the page shows it."""

    call: ListedCall
    refused: ErrorCode | None
    """The code by which it was refused, None where it was carried out."""
    url: str
    """Of what it was about, '' where that has no page."""
    caller_url: str
    """Of the conversation that called, '' for other callers."""


def listed(c: Connection, who: Browser) -> list[Listed]:
    """Return the projects that a person may read, by name."""
    names = {person.id: person.name for person in people.people(c)}
    return [
        Listed(
            project=project,
            repositories=project_store.repositories(c, project.id),
            branches=project_store.branches(c, project.id),
            blueprints=_blueprints(c, project),
            owner=names.get(project.owner_id, ""),
        )
        for project in projects.readable(c, who)
    ]


def registered(c: Connection, m: Moment, who: Browser, project_id: str) -> Registered:
    """Return a project as its page shows it.

    Raises:
        ProjectNotFound: there is none with this id.
        Forbidden: it is not open to the person.
    """
    project = projects.by_id(c, project_id)
    projects.check_readable(c, project, who)
    everybody = people.people(c)
    readers = project_store.readers(c, project.id)
    return Registered(
        project=project,
        may_change=projects.may_change(c, project, who.person_id),
        repositories=_kept(c, project),
        agents=choices.agents(c, m, project.host_id),
        branches=project_store.branches(c, project.id),
        spaces=project_store.spaces(c, project.id),
        owner=next((one.name for one in everybody if one.id == project.owner_id), ""),
        readers=[one for one in everybody if one.id in readers],
        others=[one for one in everybody if one.id not in {*readers, project.owner_id}],
        blueprints=_blueprints(c, project),
        preview=preview(project.feature_list),
    )


def preview(feature_list: str) -> Preview:
    """Return what a feature list is read as, by module."""
    found = features.parse(feature_list)
    return Preview(
        modules=[(name, list(each)) for name, each in groupby(found.items, lambda one: one.module)],
        count=len(found.items),
        truncated=found.truncated,
        empty=not feature_list.strip(),
    )


def run(c: Connection, who: Browser, run_id: str) -> tuple[Run, str, list[Made]]:
    """Return a run, the title of the conversation that holds it, and its calls.

    A person sees the runs of conversations, which everybody sees, and their own; the owner of the
    workspace sees all.

    Raises:
        RunNotFound: there is none with this id that the person may see.
    """
    found = runs.find(c, run_id)
    if found is None or not _may_see(c, who, found):
        raise RunNotFound(run_id=run_id)
    holder = conversations.get(c, found.holder_id)
    made = [_made(c, call) for call in runs.calls(c, run_id)]
    return found, holder.title if holder else "", made


def _may_see(c: Connection, who: Browser, found: Run) -> bool:
    everybody = {person.id: person for person in people.people(c)}
    of_another = found.holder_id in everybody and found.holder_id != who.person_id
    return not of_another or everybody[who.person_id].owner


def _made(c: Connection, call: ListedCall) -> Made:
    prefix = (call.about_id or "").partition("_")[0]
    is_conversation = conversations.get(c, call.caller_id) is not None
    return Made(
        call=call,
        refused=None if call.outcome == runs.DONE else ErrorCode(call.outcome),
        url=f"{_PAGES[prefix]}{call.about_id}" if prefix in _PAGES else "",
        caller_url=f"/conversations/{call.caller_id}" if is_conversation else "",
    )


def _kept(c: Connection, project: Project) -> list[Kept]:
    boards = {row.repository_id: row.board_id for row in c.execute(_BOARDS, {"id": project.id})}
    return [
        Kept(repository=one, is_there=Path(one.path).is_dir(), board_id=boards.get(one.id))
        for one in project_store.repositories(c, project.id)
    ]


def _blueprints(c: Connection, project: Project) -> int:
    count: int = c.execute(_COUNT, {"id": project.id}).scalar_one()
    return count
