"""Pages of planning: blueprints, projects, runs, and the parts of them that follow changes."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ccweb.clock import moment
from ccweb.errors import CcwebError, Forbidden
from ccweb.hub import events, plan_views, planning_posts, planning_views, project_views, rendering
from ccweb.hub.parts import html, plain, seat
from ccweb.hub.planning_views import Step, View, Wanted
from ccweb.planning.errors import (
    ArtifactNotFound,
    NotFeatureSolutionSession,
    ProjectNotFound,
    RunNotFound,
    SessionNotFound,
)
from ccweb.planning.model import Command
from ccweb_contract.enums import (
    BlueprintStatus,
    CandidateRole,
    Lang,
    Outcome,
    QuestionType,
    ResearchStatus,
    ReworkScope,
    ThreadKind,
    ThreadStatus,
    WorkItemSource,
)
from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from ccweb_contract.tools import ToolName

_NOT_HERE: Final = (
    ArtifactNotFound,
    Forbidden,
    NotFeatureSolutionSession,
    ProjectNotFound,
    RunNotFound,
    SessionNotFound,
)
"""What an address leads to that a person may not see, or that is not there."""
_ENUMS: Final = {
    one.__name__: one
    for one in (
        BlueprintStatus,
        CandidateRole,
        Command,
        Outcome,
        QuestionType,
        ResearchStatus,
        ReworkScope,
        Step,
        ThreadKind,
        ThreadStatus,
        ToolName,
        View,
        WorkItemSource,
    )
}
_MOST_DIGITS: Final = 9


def routes() -> list[Route]:
    """Return the pages, their parts, and one route for each thing that a person does there."""
    return [
        Route("/blueprints", blueprints, methods=["GET"]),
        Route("/blueprints/{artifact_id}", blueprint, methods=["GET"]),
        Route("/blueprints/{artifact_id}/versions/{number:int}", version, methods=["GET"]),
        Route("/projects", projects, methods=["GET"]),
        Route("/projects/{project_id}", project, methods=["GET"]),
        Route("/runs/{run_id}", run, methods=["GET"]),
        Route("/plans/{session_id}", plan, methods=["GET"]),
        Route("/parts/blueprints", blueprints_part, methods=["GET"]),
        Route("/parts/blueprints/{artifact_id}", blueprint_part, methods=["GET"]),
        Route("/parts/projects/{project_id}", project_part, methods=["GET"]),
        Route("/parts/runs/{run_id}", run_part, methods=["GET"]),
        Route("/parts/plans/{session_id}", plan_part, methods=["GET"]),
        *planning_posts.routes(),
    ]


async def blueprints(request: Request) -> Response:
    """Show the blueprints that a person may read."""
    return await _shown(request, "blueprints.html", _blueprints)


async def blueprints_part(request: Request) -> Response:
    """Return the list of blueprints as it is now."""
    return await _shown(request, "blueprint_list.html", _blueprints)


async def blueprint(request: Request) -> Response:
    """Show one blueprint."""
    return await _shown(request, "blueprint.html", _blueprint)


async def blueprint_part(request: Request) -> Response:
    """Return what one blueprint shows as it is now."""
    return await _shown(request, "blueprint_parts.html", _blueprint)


async def version(request: Request) -> Response:
    """Return one text of a blueprint, byte for byte what its hash was made of."""
    db, s, who = seat(request)
    artifact_id, number = request.path_params["artifact_id"], request.path_params["number"]
    try:
        found = await db.read(
            lambda c: planning_views.version_of(c, who, artifact_id, min(number, 10**_MOST_DIGITS))
        )
    except _NOT_HERE as error:
        return _gone(s.lang, error)
    return (
        plain(found.markdown) if found else _gone(s.lang, ArtifactNotFound(artifact_id=artifact_id))
    )


async def projects(request: Request) -> Response:
    """Show the projects that a person may read."""
    _, _, who = seat(request)
    return await _shown(
        request, "projects.html", lambda c, _: {"listed": project_views.listed(c, who)}
    )


async def project(request: Request) -> Response:
    """Show one project."""
    return await _shown(request, "project.html", _project)


async def project_part(request: Request) -> Response:
    """Return what one project shows as it is now."""
    return await _shown(request, "project_parts.html", _project)


async def run(request: Request) -> Response:
    """Show the calls of one run."""
    return await _shown(request, "run.html", _run)


async def run_part(request: Request) -> Response:
    """Return the calls of one run as they are now."""
    return await _shown(request, "run_calls.html", _run)


async def plan(request: Request) -> Response:
    """Show the plan of a feature list."""
    return await _shown(request, "feature_plan.html", _plan)


async def plan_part(request: Request) -> Response:
    """Return the plan of a feature list as it is now."""
    return await _shown(request, "feature_plan_parts.html", _plan)


async def _shown(
    request: Request, template: str, gather: Callable[[Connection, Request], dict[str, object]]
) -> Response:
    """Return a template filled with what is read in one go, or the page of what is not there."""
    db, s, _ = seat(request)

    def fill(c: Connection) -> str:
        position = events.last_position(c)  # first: what is committed meanwhile comes again
        values = gather(c, request)
        now = moment().now_ms
        return rendering.page(template, s.lang, **_ENUMS, **values, position=position, now=now)

    try:
        return html(await db.read(fill))
    except _NOT_HERE as error:
        return _gone(s.lang, error)


def _blueprints(c: Connection, request: Request) -> dict[str, object]:
    _, _, who = seat(request)
    given = request.query_params
    status = given.get("status", "")
    wanted = status if status in set(BlueprintStatus) else ""
    project_id = given.get("project", "")
    found, readable = planning_views.listed(c, who, project_id=project_id, status=wanted)
    return {
        "blueprints": found,
        "projects": readable,
        "status": wanted,
        "project_id": project_id,
        "limit": planning_views.LISTED,
    }


def _blueprint(c: Connection, request: Request) -> dict[str, object]:
    _, _, who = seat(request)
    given = request.query_params
    view = given.get("view", "")
    wanted = Wanted(
        number=_number(given.get("version")),
        view=View(view) if view in set(View) else View.TEXT,
        base=_number(given.get("base")),
    )
    found = planning_views.sheet(c, who, request.path_params["artifact_id"], wanted)
    may = {command: planning_views.may(found.read, command) for command in Command}
    return {"sheet": found, "may": may, "person_id": who.person_id}


def _project(c: Connection, request: Request) -> dict[str, object]:
    _, _, who = seat(request)
    found = project_views.registered(c, moment(), who, request.path_params["project_id"])
    return {"one": found}


def _run(c: Connection, request: Request) -> dict[str, object]:
    _, _, who = seat(request)
    found, holder, calls = project_views.run(c, who, request.path_params["run_id"])
    return {"run": found, "holder": holder, "calls": calls}


def _plan(c: Connection, request: Request) -> dict[str, object]:
    _, _, who = seat(request)
    return {"plan": plan_views.read(c, who, request.path_params["session_id"])}


def _number(value: str | None) -> int | None:
    usable = value is not None and value.isascii() and value.isdigit()
    return int(value) if value is not None and usable and len(value) < _MOST_DIGITS else None


def _gone(lang: Lang, error: CcwebError) -> Response:
    """Return the page that stands where there is none, also where tools would answer 400."""
    code = error.code if isinstance(error, Forbidden) else ErrorCode.PROJECT_NOT_FOUND
    return html(rendering.page("gone.html", lang), status=HTTP_STATUS[code])
