"""Work items: fetched from their source, and the blueprint that is begun for one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ccweb.planning.blueprints import service as blueprints
from ccweb.planning.blueprints import store
from ccweb.planning.features import reading
from ccweb.planning.features import routing as routes
from ccweb.planning.model import Route, WorkItem
from ccweb.planning.projects import contexts
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store as project_store
from ccweb.planning.sources import source as sources
from ccweb.planning.sources.source import Wanted
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract.models import CreateFeishuTechnicalPlanInput, GetFeishuWorkItemContextInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """A creation with the repositories that come into question, and the item as it is now."""

    given: CreateFeishuTechnicalPlanInput
    item: WorkItem
    routes: Sequence[Route]


def fetching(x: Context, given: GetFeishuWorkItemContextInput) -> Callable[[], WorkItem]:
    """Return what asks the source for the work item."""
    space_id = projects.as_space_id(given.space_id) if given.space_id else None
    wanted = Wanted(
        source=given.source,
        id=given.work_item_id,
        space_id=space_id,
        type=given.work_item_type,
    )
    return sources.fetching(x.c, x.s, wanted)


def fetch(x: Context, item: WorkItem) -> Result:
    """Keep a work item and tell which project its blueprint belongs to."""
    x.check_turn()
    project = projects.by_space(x.c, item.source, item.space_id)
    if project is not None:
        projects.check_readable(x.c, project, x.caller)
    context = contexts.keep(x.c, x.m, item)
    begun = store.of_context(x.c, context.id)
    return {
        "context_id": context.id,
        "project_id": item.space_id,
        "space_id": item.space_id,
        "work_item": shown(item),
        "orphan": item.cancelled,
        **({"blueprint_project_id": project.id} if project else {}),
        **({"blueprint_artifact_id": begun.id} if begun else {}),
    }


def routing(x: Context, given: CreateFeishuTechnicalPlanInput) -> Callable[[], Routed]:
    """Return what reads the repositories of the project; refused before anything is read."""
    context = contexts.get(x.c, given.context_id)
    project = blueprints.bound_project(x.c, context, given.blueprint_project_id)
    projects.check_readable(x.c, project, x.caller)
    fetch_again = sources.refetching(x.c, x.s, context.item)
    roots = {one.id: Path(one.path) for one in project_store.repositories(x.c, project.id)}

    def work() -> Routed:
        item = fetch_again()
        trees = {repository_id: reading.read(root) for repository_id, root in roots.items()}
        found = routes.route(f"{item.title}\n\n{item.text}", trees)
        return Routed(given=given, item=item, routes=found)

    return work


def create(x: Context, routed: Routed) -> Result:
    """Begin the blueprint of a work item, or answer the one that it has."""
    x.check_turn()
    contexts.keep(x.c, x.m, routed.item)
    artifact = blueprints.create(
        x.c,
        x.m,
        x.s,
        context_id=routed.given.context_id,
        idempotency_key=routed.given.idempotency_key,
        project_id=routed.given.blueprint_project_id,
        routes=routed.routes,
    )
    return {
        "blueprint_artifact_id": artifact.id,
        "technical_plan_id": artifact.plan_id,
        "project_id": artifact.project_id,
        "status": artifact.status.value,
    }


def shown(item: WorkItem) -> Result:
    """Return a work item as every door shows it."""
    return {
        "work_item_id": item.id,
        "source": item.source.value,
        "title": item.title,
        "text": item.text,
        "state": item.state,
        "cancelled": item.cancelled,
        **({"url": item.url} if item.url else {}),
    }
