"""Projects: registered by people, found by id, branch or space, and who may read each."""

import re
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from ccweb.access import store as people
from ccweb.access.model import Agent, Caller, conversation_of
from ccweb.clock import Moment
from ccweb.conversations import store as conversations
from ccweb.errors import Forbidden, InvalidParams
from ccweb.planning.errors import BranchNotBound, ProjectMismatch, ProjectNotFound
from ccweb.planning.model import Project, ProjectId, Repository, SpaceId
from ccweb.planning.projects import store
from ccweb_contract.enums import AgentKind, WorkItemSource

PROJECT_PREFIX: Final = "project"
_LONGEST_NAME: Final = 200
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What steers a terminal, turns the direction of what follows, or is half of a character."""
_LONGEST_BRANCH: Final = 255
_LONGEST_SPACE: Final = 128
_LONGEST_FEATURE_LIST: Final = 262_144


def as_space_id(given: str) -> SpaceId:
    """Return the id of a space, which a project's can never pass for.

    Raises:
        ProjectMismatch: it is the id of a project.
    """
    if given.startswith(f"{PROJECT_PREFIX}_"):
        raise ProjectMismatch(given=given, why="a project stands where a space belongs.")
    return SpaceId(given)


# --- registering --------------------------------------------------------------------------------


def add(c: Connection, m: Moment, *, name: str, host_id: str, owner_id: str) -> Project:
    """Insert a project without repositories.

    Raises:
        InvalidParams: the name is empty, too long or taken.
    """
    name = _named(name, "project")
    if store.by_name(c, name) is not None:
        raise InvalidParams(why=f"There is a project named {name!r} already.")
    project = Project(
        id=ProjectId(m.new_id(PROJECT_PREFIX)),
        name=name,
        host_id=host_id,
        owner_id=owner_id,
        feature_list="",
        created_at=m.now,
    )
    store.add(c, project)
    return project


def add_repository(
    c: Connection, m: Moment, project_id: ProjectId, *, path: str, agent: AgentKind, name: str = ""
) -> Repository:
    """Insert a repository: a folder of this machine, with the board of that folder as a space.

    Args:
        c: Connection.
        m: Moment.
        project_id: The project.
        path: Its folder.
        agent: Who reads it, and who codes in it.
        name: What people call it; without one the folder's name.

    Raises:
        InvalidParams: there is no such folder, or the project has it or its name already.
    """
    folder = _folder(path)
    if folder is None:
        raise InvalidParams(why=f"A repository is a folder that exists; {path[:200]!r} is none.")
    repository = Repository(
        id=m.new_id("repository"),
        project_id=project_id,
        name=_named(name or folder.name, "repository"),
        path=str(folder),
        agent=agent,
    )
    _check_new(repository, store.repositories(c, project_id))
    store.add_repository(c, repository)
    return repository


def remove_repository(c: Connection, m: Moment, repository_id: str) -> None:
    """Take a repository out of its project; what was found in it stays where it is.

    Raises:
        InvalidParams: there is none, or agents are at work in it.
    """
    repository = store.repository(c, repository_id)
    if repository is None:
        raise InvalidParams(why=f"There is no repository {repository_id!r}.")
    if store.is_at_work(c, repository_id):
        raise InvalidParams(why=f"Agents are at work in {repository.name!r} for a blueprint.")
    store.remove_repository(c, m, repository_id)


def bind_branch(c: Connection, project_id: ProjectId, branch: str) -> None:
    """Let a branch name a project.

    Raises:
        InvalidParams: it is no name of a branch, or it names another project.
    """
    if len(branch) > _LONGEST_BRANCH or not _is_word(branch):
        raise InvalidParams(why=f"{branch[:60]!r} is no name of a branch.")
    bound = store.by_branch(c, branch)
    if bound is None:
        store.bind_branch(c, project_id, branch)
    elif bound.id != project_id:
        raise InvalidParams(why=f"The branch {branch!r} is bound to {bound.name!r}.")


def unbind_branch(c: Connection, branch: str) -> None:
    """Let a branch name no project any more.

    Raises:
        BranchNotBound: it names none.
    """
    if not store.unbind_branch(c, branch):
        raise BranchNotBound(branch=branch)


def bind_space(
    c: Connection, project_id: ProjectId, source: WorkItemSource, space_id: SpaceId
) -> None:
    """Let the work items of a space be planned in a project.

    Raises:
        InvalidParams: it is no id of a space, or they are planned in another project.
    """
    if len(space_id) > _LONGEST_SPACE or not _is_word(space_id):
        raise InvalidParams(why=f"{space_id[:60]!r} is no id of a space.")
    bound = store.by_space(c, source, space_id)
    if bound is None:
        store.bind_space(c, project_id, source, space_id)
    elif bound.id != project_id:
        raise InvalidParams(why=f"The space {space_id!r} is bound to {bound.name!r}.")


def unbind_space(c: Connection, source: WorkItemSource, space_id: SpaceId) -> None:
    """Let a space belong to no project any more.

    Raises:
        InvalidParams: it belongs to none.
    """
    if not store.unbind_space(c, source, space_id):
        raise InvalidParams(why=f"The space {space_id!r} is bound to no project.")


def set_feature_list(c: Connection, project_id: ProjectId, feature_list: str) -> None:
    """Replace the feature list of a project.

    Raises:
        InvalidParams: it is too long, or no text.
    """
    if len(feature_list) > _LONGEST_FEATURE_LIST:
        raise InvalidParams(why=f"A feature list has at most {_LONGEST_FEATURE_LIST} characters.")
    if "\x00" in feature_list:
        raise InvalidParams(why="A feature list is a text; this holds NUL characters.")
    store.set_feature_list(c, project_id, feature_list)


def add_reader(c: Connection, project_id: ProjectId, person_id: str) -> None:
    """Let a person read a project."""
    store.add_reader(c, project_id, person_id)


def remove_reader(c: Connection, project_id: ProjectId, person_id: str) -> None:
    """Let a person read it no more.

    Raises:
        InvalidParams: they are no reader of it.
    """
    if not store.remove_reader(c, project_id, person_id):
        raise InvalidParams(why="This person is no reader of the project.")


# --- finding ------------------------------------------------------------------------------------


def by_id(c: Connection, project_id: str) -> Project:
    """Return a project by its id.

    Raises:
        ProjectNotFound: there is none.
    """
    return _found(store.by_id(c, project_id), project_id)


def by_name(c: Connection, name: str) -> Project:
    """Return a project by its name, or by its id.

    Raises:
        ProjectNotFound: there is none.
    """
    return _found(store.by_name(c, name) or store.by_id(c, name), name)


def by_branch(c: Connection, branch: str) -> Project:
    """Return the project that a branch is bound to.

    Raises:
        BranchNotBound: it is bound to none.
    """
    found = store.by_branch(c, branch)
    if found is None:
        raise BranchNotBound(branch=branch)
    return found


def by_space(c: Connection, source: WorkItemSource, space_id: SpaceId) -> Project | None:
    """Return the project whose work items stand in a space, None when there is none.

    A board that nobody has bound belongs to the project that has the board's folder as a
    repository, whichever of the two came first; of several projects to the one that had it first.
    """
    bound = store.by_space(c, source, space_id)
    if bound is None and source is WorkItemSource.BOARD:
        return store.by_folder_of_board(c, space_id)
    return bound


# --- who may read -------------------------------------------------------------------------------


def may_read(c: Connection, project: Project, caller: Caller) -> bool:
    """Tell whether a caller may read a project and what is planned in it.

    People: the project's owner, its readers, and the owner of the workspace. A conversation
    belongs to no one person, so its agent has the rights that its place gives: it reads the
    projects of the folders that it works in. Where only one person uses the workspace there is
    nobody to keep anything from.
    """
    everybody = people.people(c)
    conversation_id = conversation_of(caller)
    if isinstance(caller, Agent) or conversation_id is not None:
        return len(everybody) == 1 or _works_in(c, project, conversation_id)
    owners = {project.owner_id, *(person.id for person in everybody if person.owner)}
    return caller.person_id in owners or caller.person_id in store.readers(c, project.id)


def check_readable(c: Connection, project: Project, caller: Caller) -> None:
    """Check that a caller may read a project.

    Raises:
        Forbidden: it may not.
    """
    if not may_read(c, project, caller):
        raise Forbidden(why=f"The project {project.id} is not open to this caller.")


def may_change(c: Connection, project: Project, person_id: str) -> bool:
    """Tell whether a person may change a project: its owner may, and the workspace's."""
    owners = {person.id for person in people.people(c) if person.owner}
    return person_id in owners | {project.owner_id}


def check_changeable(c: Connection, project: Project, person_id: str) -> None:
    """Check that a person may change a project.

    Raises:
        Forbidden: its readers and others may not.
    """
    if not may_change(c, project, person_id):
        raise Forbidden(why=f"Only its owner changes the project {project.id}.")


def readable(c: Connection, caller: Caller) -> list[Project]:
    """Return the projects that a caller may read, by name."""
    return [project for project in store.everyone(c) if may_read(c, project, caller)]


def _works_in(c: Connection, project: Project, conversation_id: str | None) -> bool:
    """Tell whether a conversation works in a repository of a project, or around it."""
    found = conversations.get(c, conversation_id) if conversation_id else None
    if found is None or found.host_id != project.host_id:
        return False
    cwd = Path(found.cwd)
    folders = [Path(one.path) for one in store.repositories(c, project.id)]
    return any(cwd.is_relative_to(one) or one.is_relative_to(cwd) for one in folders)


def _found(project: Project | None, asked_for: str) -> Project:
    if project is None:
        raise ProjectNotFound(project_id=asked_for)
    return project


def _check_new(repository: Repository, others: list[Repository]) -> None:
    for other in others:
        if other.path == repository.path:
            raise InvalidParams(why=f"{repository.path} is a repository of this project already.")
        if other.name == repository.name:
            raise InvalidParams(
                why=f"A repository of this project is named {other.name!r} already; "
                "give this one another name."
            )


def _folder(path: str) -> Path | None:
    """Return the folder that an absolute path leads to, None when it leads to none."""
    try:
        folder = Path(path).expanduser()
        return folder.resolve() if folder.is_absolute() and folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long, of nobody's home, with a NUL
        return None


def _named(name: str, what: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST_NAME:
        raise InvalidParams(why=f"A {what} needs a name of at most {_LONGEST_NAME} characters.")
    if _UNSEEN.search(name):
        raise InvalidParams(why=f"A {what} needs a name without control characters.")
    return name


def _is_word(text: str) -> bool:
    blank = any(character.isspace() or not character.isprintable() for character in text)
    return text != "" and not blank
