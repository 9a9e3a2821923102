"""Projects in the database: repositories, branches, spaces and readers, each with its SQL."""

from typing import Any, Final

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms, to_ms
from ccweb.db.sql import select, text
from ccweb.planning.model import Project, ProjectId, Repository, SpaceId
from ccweb_contract.enums import AgentKind, WorkItemSource

_PROJECT: Final = "p.id, p.name, p.host_id, p.owner_id, p.feature_list, p.created_at"
_REPOSITORY: Final = "r.id, r.project_id, r.name, r.path, r.agent"

_ALL = select(_PROJECT, "FROM project p ORDER BY p.name")
_BY_ID = select(_PROJECT, "FROM project p WHERE p.id = :id")
_BY_NAME = select(_PROJECT, "FROM project p WHERE p.name = :name")
_BY_BRANCH = select(
    _PROJECT, "FROM project p JOIN project_branch b ON b.project_id = p.id WHERE b.name = :name"
)
_BY_SPACE = select(
    _PROJECT,
    """FROM project p JOIN project_space s ON s.project_id = p.id
    WHERE s.source = :source AND s.space_id = :space_id""",
)
_BY_FOLDER_OF_BOARD = select(
    _PROJECT,
    """FROM board b
    JOIN repository r ON r.path = b.cwd AND r.removed_at IS NULL
    JOIN project p ON p.id = r.project_id AND p.host_id = b.host_id
    WHERE b.id = :board_id ORDER BY r.position LIMIT 1""",
)
_REPOSITORIES = select(
    _REPOSITORY,
    "FROM repository r WHERE r.project_id = :id AND r.removed_at IS NULL ORDER BY r.position",
)
_ONE_REPOSITORY = select(_REPOSITORY, "FROM repository r WHERE r.id = :id")
_IN_USE = select(
    "x.status",
    """FROM research x WHERE x.repository_id = :id AND x.status IN ('queued', 'running')
    UNION ALL SELECT 'coding' FROM coding k WHERE k.repository_id = :id AND k.ended_at IS NULL""",
)


# --- projects -----------------------------------------------------------------------------------


def add(c: Connection, project: Project) -> None:
    """Insert a project."""
    c.execute(
        text("""INSERT INTO project (id, name, host_id, owner_id, feature_list, created_at)
            VALUES (:id, :name, :host_id, :owner_id, :feature_list, :created_at)"""),
        {
            "id": project.id,
            "name": project.name,
            "host_id": project.host_id,
            "owner_id": project.owner_id,
            "feature_list": project.feature_list,
            "created_at": to_ms(project.created_at),
        },
    )


def set_feature_list(c: Connection, project_id: ProjectId, feature_list: str) -> None:
    """Replace the feature list of a project."""
    c.execute(
        text("UPDATE project SET feature_list = :feature_list WHERE id = :id"),
        {"id": project_id, "feature_list": feature_list},
    )


def everyone(c: Connection) -> list[Project]:
    """Return all projects by name."""
    return [_project_of(row) for row in c.execute(_ALL)]


def by_id(c: Connection, project_id: str) -> Project | None:
    """Return a project by its id."""
    return _maybe(c.execute(_BY_ID, {"id": project_id}).one_or_none())


def by_name(c: Connection, name: str) -> Project | None:
    """Return a project by its name."""
    return _maybe(c.execute(_BY_NAME, {"name": name}).one_or_none())


# --- repositories -------------------------------------------------------------------------------


def add_repository(c: Connection, repository: Repository) -> None:
    """Insert a repository."""
    c.execute(
        text("""INSERT INTO repository (id, project_id, name, path, agent)
            VALUES (:id, :project_id, :name, :path, :agent)"""),
        {
            "id": repository.id,
            "project_id": repository.project_id,
            "name": repository.name,
            "path": repository.path,
            "agent": repository.agent.value,
        },
    )


def remove_repository(c: Connection, m: Moment, repository_id: str) -> None:
    """Take a repository out of its project; evidence that names it keeps its name."""
    c.execute(
        text("UPDATE repository SET removed_at = :now WHERE id = :id"),
        {"id": repository_id, "now": m.now_ms},
    )


def repositories(c: Connection, project_id: ProjectId) -> list[Repository]:
    """Return the repositories of a project, the first added one first."""
    return [_repository_of(row) for row in c.execute(_REPOSITORIES, {"id": project_id})]


def repository(c: Connection, repository_id: str) -> Repository | None:
    """Return a repository, also one that has left its project."""
    row = c.execute(_ONE_REPOSITORY, {"id": repository_id}).one_or_none()
    return None if row is None else _repository_of(row)


def is_at_work(c: Connection, repository_id: str) -> bool:
    """Tell whether a research or a coding goes on in a repository."""
    return c.execute(_IN_USE, {"id": repository_id}).first() is not None


# --- branches and spaces ------------------------------------------------------------------------


def bind_branch(c: Connection, project_id: ProjectId, name: str) -> None:
    """Insert a branch."""
    c.execute(
        text("INSERT INTO project_branch (name, project_id) VALUES (:name, :project_id)"),
        {"name": name, "project_id": project_id},
    )


def unbind_branch(c: Connection, name: str) -> bool:
    """Delete a branch; tell whether there was one."""
    return _has_deleted(c, "DELETE FROM project_branch WHERE name = :name", name=name)


def branches(c: Connection, project_id: ProjectId) -> list[str]:
    """Return the names of a project's branches."""
    rows = c.execute(
        text("SELECT name FROM project_branch WHERE project_id = :id ORDER BY name"),
        {"id": project_id},
    )
    return [row.name for row in rows]


def by_branch(c: Connection, name: str) -> Project | None:
    """Return the project that a branch is bound to."""
    return _maybe(c.execute(_BY_BRANCH, {"name": name}).one_or_none())


def bind_space(
    c: Connection, project_id: ProjectId, source: WorkItemSource, space_id: SpaceId
) -> None:
    """Insert a space."""
    c.execute(
        text("""INSERT INTO project_space (source, space_id, project_id)
            VALUES (:source, :space_id, :project_id)"""),
        {"source": source.value, "space_id": space_id, "project_id": project_id},
    )


def unbind_space(c: Connection, source: WorkItemSource, space_id: SpaceId) -> bool:
    """Delete a space; tell whether there was one."""
    return _has_deleted(
        c,
        "DELETE FROM project_space WHERE source = :source AND space_id = :space_id",
        source=source.value,
        space_id=space_id,
    )


def spaces(c: Connection, project_id: ProjectId) -> list[tuple[WorkItemSource, SpaceId]]:
    """Return the spaces that are bound to a project."""
    rows = c.execute(
        text("""SELECT source, space_id FROM project_space WHERE project_id = :id
            ORDER BY source, space_id"""),
        {"id": project_id},
    )
    return [(WorkItemSource(row.source), SpaceId(row.space_id)) for row in rows]


def by_space(c: Connection, source: WorkItemSource, space_id: SpaceId) -> Project | None:
    """Return the project that a space is bound to."""
    given = {"source": source.value, "space_id": space_id}
    return _maybe(c.execute(_BY_SPACE, given).one_or_none())


def by_folder_of_board(c: Connection, board_id: SpaceId) -> Project | None:
    """Return the first project that has the folder of a board as a repository."""
    return _maybe(c.execute(_BY_FOLDER_OF_BOARD, {"board_id": board_id}).one_or_none())


# --- readers ------------------------------------------------------------------------------------


def add_reader(c: Connection, project_id: ProjectId, person_id: str) -> None:
    """Insert a reader, unless it is one."""
    c.execute(
        text("""INSERT INTO project_reader (project_id, person_id) VALUES (:project_id, :person_id)
            ON CONFLICT (project_id, person_id) DO NOTHING"""),
        {"project_id": project_id, "person_id": person_id},
    )


def remove_reader(c: Connection, project_id: ProjectId, person_id: str) -> bool:
    """Delete a reader; tell whether there was one."""
    return _has_deleted(
        c,
        "DELETE FROM project_reader WHERE project_id = :project_id AND person_id = :person_id",
        project_id=project_id,
        person_id=person_id,
    )


def readers(c: Connection, project_id: ProjectId) -> list[str]:
    """Return the ids of a project's readers."""
    rows = c.execute(
        text("SELECT person_id FROM project_reader WHERE project_id = :id ORDER BY person_id"),
        {"id": project_id},
    )
    return [row.person_id for row in rows]


# --- rows ---------------------------------------------------------------------------------------


def _has_deleted(c: Connection, statement: str, **given: str) -> bool:
    return c.execute(text(statement), given).rowcount > 0


def _maybe(row: Row[Any] | None) -> Project | None:
    return None if row is None else _project_of(row)


def _project_of(row: Row[Any]) -> Project:
    return Project(
        id=ProjectId(row.id),
        name=row.name,
        host_id=row.host_id,
        owner_id=row.owner_id,
        feature_list=row.feature_list,
        created_at=from_ms(row.created_at),
    )


def _repository_of(row: Row[Any]) -> Repository:
    return Repository(
        id=row.id,
        project_id=ProjectId(row.project_id),
        name=row.name,
        path=row.path,
        agent=AgentKind(row.agent),
    )
