"""What a person does with blueprints and projects: small posts, each one command of planning."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import anyio.to_thread
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ccweb.access import service as access
from ccweb.access import store as people
from ccweb.access.model import Human
from ccweb.clock import moment
from ccweb.errors import InvalidParams
from ccweb.hub import project_views, rendering
from ccweb.hub.posts import body, do, done, field, named, person, settings
from ccweb.planning.blueprints import service as blueprints
from ccweb.planning.blueprints import state
from ccweb.planning.errors import Stale
from ccweb.planning.model import Blueprint, Project, ProjectId, Shown, WorkItem
from ccweb.planning.projects import contexts
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store as project_store
from ccweb.planning.research import coding
from ccweb.planning.sources import source as sources
from ccweb.planning.sources.source import Fetch
from ccweb_contract.enums import AgentKind, ReworkScope, WorkItemSource

_Value = TypeVar("_Value", AgentKind, ReworkScope, WorkItemSource)
_LONGEST_TEXT: Final = 16_384
"""Characters of an answer or a comment, as the contract has it for the tools."""


def routes() -> list[Route]:
    """Return one route an action."""
    of_blueprint = {
        "/threads/{thread_id}/answer": answer,
        "/send-back": send_back,
        "/approve": approve,
        "/research": research,
        "/code": code,
    }
    of_project = {
        "/repositories": add_repository,
        "/repositories/{repository_id}/remove": remove_repository,
        "/branches": bind_branch,
        "/branches/unbind": unbind_branch,
        "/spaces": bind_space,
        "/spaces/unbind": unbind_space,
        "/readers": add_reader,
        "/readers/remove": remove_reader,
        "/features": set_features,
    }
    return [
        *(
            Route(f"/blueprints/{{artifact_id}}{path}", do_, methods=["POST"])
            for path, do_ in of_blueprint.items()
        ),
        Route("/projects", add_project, methods=["POST"]),
        Route("/features/preview", preview_features, methods=["POST"]),
        *(
            Route(f"/projects/{{project_id}}{path}", do_, methods=["POST"])
            for path, do_ in of_project.items()
        ),
    ]


# --- blueprints ---------------------------------------------------------------------------------


async def answer(request: Request) -> Response:
    """Answer one question."""
    said = _written(await body(request), "body")
    thread_id = named(request, "thread_id")

    def command(c: Connection, read: Blueprint, by: Human) -> None:
        blueprints.answer(
            c,
            moment(),
            settings(request),
            thread_id,
            said,
            by=by,
            artifact_id=read.artifact.id,
        )

    return await _decide(request, command)


async def send_back(request: Request) -> Response:
    """Send the text that was shown back with a comment."""
    given = await body(request)
    comment, scope = _written(given, "comment"), _member(given, "scope", ReworkScope)
    shown = _shown(given)

    def command(c: Connection, read: Blueprint, by: Human) -> None:
        _check_present(read, shown)
        blueprints.send_back(
            c,
            moment(),
            settings(request),
            read.artifact.id,
            comment=comment,
            scope=scope,
            by=by,
        )

    return await _decide(request, command)


async def approve(request: Request) -> Response:
    """Approve the very text that was shown."""
    shown = _shown(await body(request))
    return await _decide(
        request,
        lambda c, read, by: blueprints.approve(
            c, moment(), settings(request), read.artifact.id, shown, by=by
        ),
    )


async def research(request: Request) -> Response:
    """Research repositories again; without a name those whose evidence is missing."""
    repository_id = field(await body(request), "repositoryId", str, "")
    wanted = [repository_id] if repository_id else None
    return await _decide(
        request,
        lambda c, read, by: blueprints.research(
            c, moment(), settings(request), read.artifact.id, wanted
        ),
    )


async def code(request: Request) -> Response:
    """Let the agent of a repository carry out the text that was approved."""
    repository_id = field(await body(request), "repositoryId", str)
    return await _decide(
        request,
        lambda c, read, by: coding.dispatch(
            c, moment(), settings(request), read.artifact.id, repository_id, by=by
        ),
    )


async def _decide(
    request: Request, command: Callable[[Connection, Blueprint, Human], Any]
) -> Response:
    """Run a person's command on a blueprint that they may read."""
    who = person(request)
    by = access.human(who)
    item = await _seen(request)

    def decide(c: Connection) -> None:
        if item is not None:
            contexts.keep(c, moment(), item)
        command(c, state.read_for(c, named(request, "artifact_id"), who), by)

    await do(request, decide)
    return done()


async def _seen(request: Request) -> WorkItem | None:
    """Return the work item as its source has it now, None for a task that is read live (R-P7)."""

    def looking(c: Connection) -> Fetch | None:
        read = state.read_for(c, named(request, "artifact_id"), person(request))
        return sources.looking(c, settings(request), read.item)

    look = await request.app.state.db.read(looking)
    return await anyio.to_thread.run_sync(look) if look else None


def _check_present(read: Blueprint, shown: Shown) -> None:
    """Check that what is sent back is what the person has read, as an approval does."""
    current = state.current(read)
    if current is not None and shown != current:
        raise Stale(shown=shown, current=current)


def _shown(given: dict[str, Any]) -> Shown:
    return Shown(
        version_id=field(given, "versionId", str),
        content_hash=field(given, "contentHash", str),
        plan_id=field(given, "planId", str),
    )


def _written(given: dict[str, Any], name: str) -> str:
    said = field(given, name, str).strip()
    if not said or len(said) > _LONGEST_TEXT:
        raise InvalidParams(why=f"`{name}` must hold 1 to {_LONGEST_TEXT} characters.")
    return said


# --- projects -----------------------------------------------------------------------------------


async def add_project(request: Request) -> Response:
    """Register a project, which belongs to the person, and say where its page is."""
    name = field(await body(request), "name", str)
    owner_id, host_id = person(request).person_id, request.app.state.host_id
    made: Project = await do(
        request,
        lambda c: projects.add(c, moment(), name=name, host_id=host_id, owner_id=owner_id),
    )
    return JSONResponse({"projectId": made.id, "url": f"/projects/{made.id}"})


async def add_repository(request: Request) -> Response:
    """Add a folder of this machine to a project."""
    given = await body(request)
    path, name = field(given, "path", str).strip(), field(given, "name", str, "")
    agent = _member(given, "agent", AgentKind)
    return await _change(
        request,
        lambda c, id_: projects.add_repository(c, moment(), id_, path=path, agent=agent, name=name),
    )


async def remove_repository(request: Request) -> Response:
    """Take a repository out of its project."""
    repository_id = named(request, "repository_id")

    def command(c: Connection, project_id: ProjectId) -> None:
        found = {one.id for one in project_store.repositories(c, project_id)}
        if repository_id not in found:
            raise InvalidParams(why=f"The project has no repository {repository_id!r}.")
        projects.remove_repository(c, moment(), repository_id)

    return await _change(request, command)


async def bind_branch(request: Request) -> Response:
    """Let a branch name the project."""
    branch = field(await body(request), "branch", str).strip()
    return await _change(request, lambda c, id_: projects.bind_branch(c, id_, branch))


async def unbind_branch(request: Request) -> Response:
    """Let a branch name the project no more."""
    branch = field(await body(request), "branch", str)

    def command(c: Connection, project_id: ProjectId) -> None:
        if branch not in project_store.branches(c, project_id):
            raise InvalidParams(why=f"The project has no branch {branch!r}.")
        projects.unbind_branch(c, branch)

    return await _change(request, command)


async def bind_space(request: Request) -> Response:
    """Let the work items of a space be planned in the project."""
    given = await body(request)
    source = _member(given, "source", WorkItemSource)
    space_id = projects.as_space_id(field(given, "spaceId", str).strip())
    if not space_id:
        raise InvalidParams(why="A space needs an id.")
    return await _change(request, lambda c, id_: projects.bind_space(c, id_, source, space_id))


async def unbind_space(request: Request) -> Response:
    """Let the work items of a space be planned in the project no more."""
    given = await body(request)
    source = _member(given, "source", WorkItemSource)
    space_id = projects.as_space_id(field(given, "spaceId", str))

    def command(c: Connection, project_id: ProjectId) -> None:
        if (source, space_id) not in project_store.spaces(c, project_id):
            raise InvalidParams(why=f"The project has no space {space_id!r}.")
        projects.unbind_space(c, source, space_id)

    return await _change(request, command)


async def add_reader(request: Request) -> Response:
    """Let a person read the project."""
    person_id = field(await body(request), "personId", str)

    def command(c: Connection, project_id: ProjectId) -> None:
        if person_id not in {one.id for one in people.people(c)}:
            raise InvalidParams(why=f"There is no person {person_id!r}.")
        projects.add_reader(c, project_id, person_id)

    return await _change(request, command)


async def remove_reader(request: Request) -> Response:
    """Let a person read the project no more."""
    person_id = field(await body(request), "personId", str)
    return await _change(request, lambda c, id_: projects.remove_reader(c, id_, person_id))


async def set_features(request: Request) -> Response:
    """Replace the feature list of the project."""
    text = field(await body(request), "featureList", str)
    return await _change(request, lambda c, id_: projects.set_feature_list(c, id_, text))


async def preview_features(request: Request) -> Response:
    """Return what a feature list would be read as; nothing is kept."""
    text = field(await body(request), "featureList", str)
    found = project_views.preview(text)
    html = rendering.page("feature_preview.html", settings(request).lang, preview=found)
    return JSONResponse({"html": html})


async def _change(request: Request, command: Callable[[Connection, ProjectId], Any]) -> Response:
    """Run a command on a project that the person may change."""
    who = person(request)

    def change(c: Connection) -> None:
        project = projects.by_id(c, named(request, "project_id"))
        projects.check_changeable(c, project, who.person_id)
        command(c, project.id)

    await do(request, change)
    return done()


def _member(given: dict[str, Any], name: str, kind: type[_Value]) -> _Value:
    value = field(given, name, str)
    try:
        return kind(value)
    except ValueError:
        raise InvalidParams(why=f"`{name}` must be one of {', '.join(kind)}.") from None
