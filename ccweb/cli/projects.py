"""`ccweb project`: the projects that are planned in, with their repositories and who reads them."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.access import store as people
from ccweb.cli.failure import Failure
from ccweb.cli.opening import database, settings_of
from ccweb.cli.printing import console, table
from ccweb.clock import moment
from ccweb.conversations import hosts
from ccweb.errors import CcwebError
from ccweb.host.identity import Identity, identity
from ccweb.planning.features.parsing import parse
from ccweb.planning.model import Project
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store
from ccweb_contract.enums import AgentKind, WorkItemSource

_LARGEST_LIST_BYTES: Final = 2 * 1024 * 1024


def add(arguments: argparse.Namespace) -> int:
    """Register a project, with repositories at once; all or nothing."""
    with _writing(arguments) as (c, host):
        hosts.ensure(c, moment(), host.id, host.name)
        owner = access.owner(c, moment())
        project = projects.add(c, moment(), name=arguments.name, host_id=host.id, owner_id=owner.id)
        for path in arguments.repository:
            _add_repository(c, project, path, arguments.agent)
    print(project.id)
    return 0


def add_repository(arguments: argparse.Namespace) -> int:
    """Add a folder of this machine to a project."""
    with _writing(arguments) as (c, host):
        project = projects.by_name(c, arguments.name)
        if project.host_id != host.id:
            raise Failure("Its repositories are folders of another host; run this there.")
        repository_id = _add_repository(
            c, project, arguments.path, arguments.agent, name=arguments.called
        )
    print(repository_id)
    return 0


def remove_repository(arguments: argparse.Namespace) -> int:
    """Take a repository out of a project."""
    with _writing(arguments) as (c, _):
        project = projects.by_name(c, arguments.name)
        names = {one.name: one.id for one in store.repositories(c, project.id)}
        if arguments.repository not in {*names, *names.values()}:
            raise Failure(f"{project.name!r} has no repository {arguments.repository!r}.")
        found = names.get(arguments.repository, arguments.repository)
        projects.remove_repository(c, moment(), found)
    return 0


def bind(arguments: argparse.Namespace) -> int:
    """Let a branch name a project."""
    with _writing(arguments) as (c, _):
        project = projects.by_name(c, arguments.name)
        projects.bind_branch(c, project.id, arguments.branch)
    return 0


def unbind(arguments: argparse.Namespace) -> int:
    """Let a branch name no project any more."""
    with _writing(arguments) as (c, _):
        projects.unbind_branch(c, arguments.branch)
    return 0


def bind_space(arguments: argparse.Namespace) -> int:
    """Let the work items of a space be planned in a project."""
    with _writing(arguments) as (c, _):
        project = projects.by_name(c, arguments.name)
        space_id = projects.as_space_id(arguments.space)
        projects.bind_space(c, project.id, WorkItemSource(arguments.source), space_id)
    return 0


def unbind_space(arguments: argparse.Namespace) -> int:
    """Let a space belong to no project any more."""
    with _writing(arguments) as (c, _):
        space_id = projects.as_space_id(arguments.space)
        projects.unbind_space(c, WorkItemSource(arguments.source), space_id)
    return 0


def features(arguments: argparse.Namespace) -> int:
    """Replace the feature list of a project and say how many features it shows."""
    text = _text(arguments.file)
    with _writing(arguments) as (c, _):
        project = projects.by_name(c, arguments.name)
        projects.set_feature_list(c, project.id, text)
    print(f"Features found: {len(parse(text).items)}", file=sys.stderr)
    return 0


def reader(arguments: argparse.Namespace) -> int:
    """Let a person read a project, or read it no more."""
    with _writing(arguments) as (c, _):
        project = projects.by_name(c, arguments.name)
        person = people.person_named(c, arguments.person)
        if person is None:
            raise Failure(f"There is no person named {arguments.person!r}.")
        change = projects.remove_reader if arguments.remove else projects.add_reader
        change(c, project.id, person.id)
    return 0


def list_them(arguments: argparse.Namespace) -> int:
    """Print every project."""
    with database(settings_of(arguments)) as db, db.connect() as c:
        rows = [_row(c, project) for project in store.everyone(c)]
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False))
        return 0
    lines = table("Project", "Id", "Repositories", "Branches")
    for row in rows:
        names = ", ".join(one["name"] for one in row["repositories"])
        lines.add_row(row["name"], row["project_id"], names, ", ".join(row["branches"]))
    console().print(lines)
    return 0


def show(arguments: argparse.Namespace) -> int:
    """Print one project with all that belongs to it."""
    with database(settings_of(arguments)) as db, _said_clearly(), db.connect() as c:
        project = projects.by_name(c, arguments.name)
        row = _row(c, project) | {"feature_list": project.feature_list}
    if arguments.json:
        print(json.dumps(row, ensure_ascii=False))
        return 0
    _print(row)
    return 0


def _add_repository(
    c: Connection, project: Project, path: Path, agent: str | None, *, name: str = ""
) -> str:
    kind = AgentKind(agent) if agent else _first_agent(c, project.host_id)
    return projects.add_repository(
        c, moment(), project.id, path=str(path), agent=kind, name=name
    ).id


def _first_agent(c: Connection, host_id: str) -> AgentKind:
    """Return the first kind of agent that this host runs; the demo agent runs everywhere."""
    host = hosts.get(c, host_id)
    able = host.agents if host else frozenset[AgentKind]()
    return next((kind for kind in AgentKind if kind in able), AgentKind.DEMO)


def _row(c: Connection, project: Project) -> dict[str, Any]:
    names = {person.id: person.name for person in people.people(c)}
    return {
        "project_id": project.id,
        "name": project.name,
        "owner": names.get(project.owner_id, ""),
        "readers": [names.get(one, "") for one in store.readers(c, project.id)],
        "repositories": [
            {
                "repository_id": one.id,
                "name": one.name,
                "path": one.path,
                "agent": one.agent.value,
            }
            for one in store.repositories(c, project.id)
        ],
        "branches": store.branches(c, project.id),
        "spaces": [
            {"source": source.value, "space_id": space_id}
            for source, space_id in store.spaces(c, project.id)
        ],
    }


def _print(row: dict[str, Any]) -> None:
    out = console()
    facts = table("", "", headed=False)
    for name, value in (
        ("Project", row["name"]),
        ("Id", row["project_id"]),
        ("Owner", row["owner"]),
        ("Readers", ", ".join(row["readers"]) or "none"),
        ("Branches", ", ".join(row["branches"]) or "none"),
        ("Spaces", ", ".join(one["space_id"] for one in row["spaces"]) or "its boards"),
        ("Feature list", f"{len(row['feature_list'].splitlines())} lines"),
    ):
        facts.add_row(name, value)
    lines = table("Repository", "Id", "Agent", "Folder")
    for one in row["repositories"]:
        lines.add_row(one["name"], one["repository_id"], one["agent"], one["path"])
    out.print(facts)
    out.print(lines)


def _text(file: str) -> str:
    """Return the text of a file, or of standard input."""
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
            data = source.read(_LARGEST_LIST_BYTES + 1)
        if len(data) > _LARGEST_LIST_BYTES:
            raise Failure(f"A feature list has at most {_LARGEST_LIST_BYTES} bytes.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise Failure(f"{file[:200]} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Failure("A feature list must be text in UTF-8.") from error


@contextmanager
def _writing(arguments: argparse.Namespace) -> Iterator[tuple[Connection, Identity]]:
    """Yield a transaction and this host; a refusal of the product becomes the command's."""
    s = settings_of(arguments)
    with database(s) as db, _said_clearly(), db.begin() as c:
        yield c, identity(s.data_dir)


@contextmanager
def _said_clearly() -> Iterator[None]:
    try:
        yield
    except CcwebError as error:
        raise Failure(error.detail) from error
