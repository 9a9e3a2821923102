"""What a plan begins with: whose feature list it is, and what the code says about it."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection

from ccweb.access.model import Caller
from ccweb.errors import CcwebError, Forbidden, InvalidParams
from ccweb.planning.errors import EmptyFeatureList
from ccweb.planning.features import parsing as features
from ccweb.planning.features import reading, routing
from ccweb.planning.features.classification import Classified, classify
from ccweb.planning.model import Project, ProjectId, Repository
from ccweb.planning.plans.model import NamedRoute
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store as project_store
from ccweb_contract.enums import Lang, PlanSource


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSource:
    """A feature list and the repositories to look at, before any of them is read."""

    source: PlanSource
    project: Project | None
    """None for a text alone."""
    text: str
    repositories: Sequence[Repository]
    """Each with a name that none of the others has."""
    chosen: bool = False
    """The caller has named the repositories."""

    @property
    def project_ids(self) -> set[ProjectId]:
        """Return whose work it is for certain: of a text, the projects of what is named with it."""
        if self.project is not None:
            return {self.project.id}
        return {one.project_id for one in self.repositories} if self.chosen else set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Studied:
    """A feature list with what the code says about it."""

    of: FeatureSource
    items: Sequence[Classified]
    truncated: bool
    routes: Sequence[NamedRoute]


def located(
    c: Connection,
    caller: Caller,
    *,
    project_id: str,
    branch_name: str,
    text: str,
    repository_ids: Sequence[str],
) -> FeatureSource:
    """Return the feature list that exactly one of the first three gives; '' gives none.

    Raises:
        InvalidParams: none or several give one, or a repository is not among those of it.
        ProjectNotFound, BranchNotBound, EmptyFeatureList: it leads nowhere.
        Forbidden: its project, or a repository's, is not open to the caller.
    """
    given = [bool(one.strip()) for one in (project_id, branch_name, text)]
    if sum(given) != 1:
        raise InvalidParams(
            why=f"One of these has to be given, not {sum(given)} of them: "
            "`project_id`, `branch_name`, `feature_list_text`."
        )
    if text.strip():
        return FeatureSource(
            source=PlanSource.TEXT,
            project=None,
            text=text,
            repositories=_of_all(c, caller, repository_ids),
            chosen=bool(repository_ids),
        )
    by_id = bool(project_id.strip())
    project = projects.by_id(c, project_id) if by_id else projects.by_branch(c, branch_name)
    projects.check_readable(c, project, caller)
    repositories = _named(project_store.repositories(c, project.id), repository_ids)
    if not project.feature_list.strip():
        raise EmptyFeatureList(why=f"The project {project.name!r} has no feature list.")
    return FeatureSource(
        source=PlanSource.PROJECT if by_id else PlanSource.BRANCH,
        project=project,
        text=project.feature_list,
        repositories=repositories,
    )


def study(of: FeatureSource, lang: Lang) -> Studied:
    """Read the repositories and return what they say about each feature; this takes seconds.

    Raises:
        EmptyFeatureList: the text has no structure that shows features.
    """
    listed = features.parse(of.text)
    if not listed.items:
        raise EmptyFeatureList(why="The text has no structure that shows features.")
    trees = {one.id: reading.read(Path(one.path)) for one in of.repositories}
    names = {one.id: one.name for one in of.repositories}
    by_name = {names[repository_id]: tree for repository_id, tree in trees.items()}
    return Studied(
        of=of,
        items=classify(listed.items, by_name, lang),
        truncated=listed.truncated,
        routes=[
            NamedRoute(name=names[route.repository_id], route=route)
            for route in routing.route(of.text, trees)
        ],
    )


def _named(repositories: Sequence[Repository], wanted: Sequence[str]) -> Sequence[Repository]:
    known = {one.id: one for one in repositories}
    unknown = [one for one in wanted if one not in known]
    if unknown:
        raise InvalidParams(why=f"No repository of this project: {', '.join(unknown)}.")
    return [known[one] for one in dict.fromkeys(wanted)] if wanted else repositories


def _of_all(c: Connection, caller: Caller, wanted: Sequence[str]) -> list[Repository]:
    """Return the repositories of all projects that the caller may read, or those that are named.

    A folder that several projects have is looked at once.
    """
    owners = {project.id: project.name for project in projects.readable(c, caller)}
    there = {one.id: one for owner in owners for one in project_store.repositories(c, owner)}
    for repository_id in wanted:
        if repository_id not in there:
            raise _refusal(c, repository_id, owners)
    found = [there[one] for one in wanted or there]
    once = list({one.path: one for one in reversed(found)}.values())[::-1]
    names = Counter(one.name for one in once)
    return [
        replace(one, name=f"{owners[one.project_id]}/{one.name}") if names[one.name] > 1 else one
        for one in once
    ]


def _refusal(c: Connection, repository_id: str, owners: Container[ProjectId]) -> CcwebError:
    found = project_store.repository(c, repository_id)
    if found is None or found.project_id in owners:
        return InvalidParams(why=f"No project has the repository {repository_id!r}.")
    return Forbidden(why=f"The project {found.project_id} is not open to this caller.")
