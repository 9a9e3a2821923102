"""Projects: what they hold, how they are found, and who may read them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from ccweb.access import service as access
from ccweb.access.model import Browser, Caller
from ccweb.access.store import person_named
from ccweb.errors import Forbidden, InvalidParams
from ccweb.planning.errors import BranchNotBound, ProjectMismatch, ProjectNotFound
from ccweb.planning.model import Project, ProjectId, Repository, SpaceId
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store
from ccweb_contract.enums import AgentKind, ResearchStatus, WorkItemSource
from tests.relay.world import HOST
from tests.tools.desk import Desk, a_desk

BOARD = SpaceId("board_1")
SPACE = SpaceId("60acd5610444ba031b503055")
FEISHU = WorkItemSource.FEISHU


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with one live host."""
    desk = a_desk(tmp_path)
    yield desk
    desk.db.close()


def a_project(desk: Desk, name: str = "Shop") -> Project:
    owner_id = desk.owner_id()
    with desk.tx() as c:
        return projects.add(c, desk.m, name=name, host_id=HOST, owner_id=owner_id)


def a_repository(desk: Desk, project: Project, path: Path, name: str = "") -> Repository:
    with desk.tx() as c:
        return projects.add_repository(
            c, desk.m, project.id, path=str(path), agent=AgentKind.DEMO, name=name
        )


def a_person(desk: Desk, name: str) -> Browser:
    with desk.tx() as c:
        person = person_named(c, name) or access.add_person(c, desk.m, name)
    return Browser(person_id=person.id, name=name)


def a_board(desk: Desk, folder: Path) -> None:
    with desk.tx() as c:
        c.execute(
            text("INSERT INTO board (id, host_id, cwd, created_at) VALUES (:id, :host, :cwd, 1)"),
            {"id": BOARD, "host": HOST, "cwd": str(folder.resolve())},
        )


def a_research(desk: Desk, repository: Repository, status: ResearchStatus) -> None:
    with desk.tx() as c:
        c.execute(
            text("""INSERT INTO research (id, owner_id, repository_id, role, score, matched, status,
                attempt, evidence, updated_at) VALUES ('research_1', 'artifact_1', :id, 'direct',
                1, '[]', :status, 1, '{}', 1)"""),
            {"id": repository.id, "status": status.value},
        )


def bind(desk: Desk, project: Project, branch: str) -> None:
    with desk.tx() as c:
        projects.bind_branch(c, project.id, branch)


def may_read(desk: Desk, project: Project, caller: Caller) -> bool:
    with desk.db.connect() as c:
        return projects.may_read(c, project, caller)


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * 201, "Shop", " Shop ", "a\x1b[31m", "\u202epohS", "half \ud800"]
)
def test_a_project_needs_a_name_of_its_own(desk: Desk, name: str) -> None:
    a_project(desk)
    with pytest.raises(InvalidParams):
        a_project(desk, name)


def test_a_project_is_found_by_its_id_and_its_name_and_otherwise_not(desk: Desk) -> None:
    project = a_project(desk)
    with desk.db.connect() as c:
        assert projects.by_id(c, project.id) == project
        assert projects.by_name(c, "Shop") == projects.by_name(c, project.id) == project
        for unknown in ("project_none", BOARD, ""):
            with pytest.raises(ProjectNotFound):
                projects.by_id(c, unknown)


def test_a_repository_is_a_folder_that_exists_by_its_real_path(desk: Desk, tmp_path: Path) -> None:
    project = a_project(desk)
    (tmp_path / "till").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "till")
    (tmp_path / "file").touch()
    added = a_repository(desk, project, tmp_path / "link")
    assert (added.path, added.name) == (str((tmp_path / "till").resolve()), "till")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    strange = (
        tmp_path / "loop",
        Path("~nobody-like-this/x"),
        Path("/" + "x" * 10_000),
        Path("/\0"),
    )
    wrongs = (tmp_path / "none", tmp_path / "file", Path("till"), tmp_path / "till", *strange)
    for wrong in wrongs:
        with pytest.raises(InvalidParams):
            a_repository(desk, project, wrong)
    with desk.db.connect() as c:
        assert store.repositories(c, project.id) == [added]


def test_two_repositories_of_a_project_have_two_names(desk: Desk, tmp_path: Path) -> None:
    project, folders = a_project(desk), [tmp_path / "a" / "till", tmp_path / "b" / "till"]
    for folder in folders:
        folder.mkdir(parents=True)
    a_repository(desk, project, folders[0])
    with pytest.raises(InvalidParams):
        a_repository(desk, project, folders[1])
    assert a_repository(desk, project, folders[1], name="till of b").name == "till of b"
    assert a_repository(desk, a_project(desk, "Other"), folders[0]).name == "till"


@pytest.mark.parametrize("status", [ResearchStatus.QUEUED, ResearchStatus.RUNNING])
def test_a_repository_in_which_agents_are_at_work_stays(
    desk: Desk, tmp_path: Path, status: ResearchStatus
) -> None:
    project = a_project(desk)
    repository = a_repository(desk, project, tmp_path)
    a_research(desk, repository, status)
    with pytest.raises(InvalidParams), desk.tx() as c:
        projects.remove_repository(c, desk.m, repository.id)
    with desk.db.connect() as c:
        assert store.repositories(c, project.id) == [repository]


def test_a_repository_that_has_left_is_still_named_by_evidence_and_can_come_back(
    desk: Desk, tmp_path: Path
) -> None:
    project = a_project(desk)
    repository = a_repository(desk, project, tmp_path)
    a_research(desk, repository, ResearchStatus.SUCCEEDED)
    with desk.tx() as c:
        projects.remove_repository(c, desk.m, repository.id)
        assert store.repositories(c, project.id) == []
        assert store.repository(c, repository.id) == repository
    again = a_repository(desk, project, tmp_path)
    assert (again.path, again.name) == (repository.path, repository.name)


@pytest.mark.requirement("R-P8")
def test_a_branch_names_one_project(desk: Desk) -> None:
    project, other = a_project(desk), a_project(desk, "Other")
    bind(desk, project, "feature/gift-cards")
    bind(desk, project, "feature/gift-cards")
    with pytest.raises(InvalidParams):
        bind(desk, other, "feature/gift-cards")
    with desk.tx() as c:
        assert projects.by_branch(c, "feature/gift-cards") == project
        projects.unbind_branch(c, "feature/gift-cards")
        for lost in (projects.by_branch, projects.unbind_branch):
            with pytest.raises(BranchNotBound):
                lost(c, "feature/gift-cards")


@pytest.mark.parametrize("branch", ["", "a b", "a\nb", "a\x00b", "a\u200bb", "x" * 256])
def test_what_is_no_name_of_a_branch_is_refused(desk: Desk, branch: str) -> None:
    project = a_project(desk)
    with pytest.raises(InvalidParams):
        bind(desk, project, branch)


@pytest.mark.requirement("R-P2")
def test_a_project_cannot_pass_for_a_space(desk: Desk) -> None:
    project = a_project(desk)
    assert projects.as_space_id(BOARD) == BOARD
    with pytest.raises(ProjectMismatch):
        projects.as_space_id(project.id)


@pytest.mark.requirement("R-P2")
@pytest.mark.parametrize("board_first", [True, False])
def test_the_board_of_a_repository_belongs_to_its_project_whichever_came_first(
    desk: Desk, tmp_path: Path, board_first: bool
) -> None:
    project = a_project(desk)
    if board_first:
        a_board(desk, tmp_path)
    a_repository(desk, project, tmp_path)
    if not board_first:
        a_board(desk, tmp_path)
    with desk.db.connect() as c:
        assert projects.by_space(c, WorkItemSource.BOARD, BOARD) == project
        assert projects.by_space(c, FEISHU, BOARD) is None
        assert projects.by_space(c, WorkItemSource.BOARD, SpaceId("board_2")) is None


def test_a_space_belongs_to_one_project_and_what_a_person_binds_comes_first(
    desk: Desk, tmp_path: Path
) -> None:
    project, other = a_project(desk), a_project(desk, "Other")
    a_board(desk, tmp_path)
    a_repository(desk, project, tmp_path)
    with desk.tx() as c:
        projects.bind_space(c, other.id, WorkItemSource.BOARD, BOARD)
        assert projects.by_space(c, WorkItemSource.BOARD, BOARD) == other
        with pytest.raises(InvalidParams):
            projects.bind_space(c, project.id, WorkItemSource.BOARD, BOARD)
        projects.unbind_space(c, WorkItemSource.BOARD, BOARD)
        assert projects.by_space(c, WorkItemSource.BOARD, BOARD) == project
        with pytest.raises(InvalidParams):
            projects.unbind_space(c, FEISHU, SPACE)


def test_a_feature_list_is_kept_whole_and_has_a_limit(desk: Desk) -> None:
    project, listed = a_project(desk), "# 收银\n- 礼品卡 🙂\n"
    with desk.tx() as c:
        projects.set_feature_list(c, project.id, listed)
        with pytest.raises(InvalidParams):
            projects.set_feature_list(c, project.id, "x" * 262_145)
        assert projects.by_id(c, project.id).feature_list == listed


@pytest.mark.requirement("R-P8")
def test_a_project_is_open_to_its_owner_its_readers_and_the_workspaces_owner(desk: Desk) -> None:
    ada, ben = a_person(desk, "Ada"), a_person(desk, "Ben")
    with desk.tx() as c:
        mine = projects.add(c, desk.m, name="Hers", host_id=HOST, owner_id=ada.person_id)
    assert [may_read(desk, mine, one) for one in (ada, ben, desk.browser())] == [True, False, True]
    with desk.tx() as c:
        projects.add_reader(c, mine.id, ben.person_id)
        projects.add_reader(c, mine.id, ben.person_id)
    assert may_read(desk, mine, ben)
    with desk.tx() as c:
        projects.remove_reader(c, mine.id, ben.person_id)
        with pytest.raises(InvalidParams):
            projects.remove_reader(c, mine.id, ben.person_id)
        with pytest.raises(Forbidden):
            projects.check_readable(c, mine, ben)
        assert projects.readable(c, ben) == []


@pytest.mark.requirement("R-P8")
def test_an_agent_reads_the_projects_of_the_folders_that_it_works_in(
    desk: Desk, tmp_path: Path
) -> None:
    """`/srv/project` is where the conversations of this world work."""
    agent, script = desk.agent(desk.conversation("Agent")), desk.script(desk.conversation("Script"))
    project = a_project(desk)
    assert may_read(desk, project, agent), "one person's workspace keeps nothing from its agents"
    a_person(desk, "Ada")
    assert not may_read(desk, project, agent)
    for repository in ("/srv/project", "/srv/project/till", "/srv"):
        with desk.tx() as c:
            c.execute(text("DELETE FROM repository"))
            there = Repository(
                id="repository_1",
                project_id=ProjectId(project.id),
                name="x",
                path=repository,
                agent=AgentKind.DEMO,
            )
            store.add_repository(c, there)
        assert may_read(desk, project, agent), repository
        assert may_read(desk, project, script), repository
    with desk.tx() as c:
        c.execute(text("UPDATE repository SET path = '/srv/project2'"))
    assert not may_read(desk, project, agent)


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("space", ["", "a b", "x" * 129, "a\x1bb", "half\ud800"])
def test_what_is_no_id_of_a_space_is_not_bound(desk: Desk, space: str) -> None:
    project = a_project(desk)
    with desk.tx() as c, pytest.raises(InvalidParams):
        projects.bind_space(c, project.id, FEISHU, SpaceId(space))


@pytest.mark.requirement("R-S4")
def test_a_feature_list_is_a_text_of_a_bearable_size(desk: Desk) -> None:
    project = a_project(desk)
    for wrong in ("- a\x00b", "x" * 262_145):
        with desk.tx() as c, pytest.raises(InvalidParams):
            projects.set_feature_list(c, project.id, wrong)
