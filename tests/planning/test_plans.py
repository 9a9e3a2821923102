"""Plans of feature lists: what they ask, what research brings, and the text at their end."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ccweb.access import service as access
from ccweb.access.model import Browser
from ccweb.clock import Moment
from ccweb.errors import AgentUnavailable, Forbidden, InvalidParams
from ccweb.planning.errors import EmptyFeatureList, WrongOrder
from ccweb.planning.model import Repository
from ccweb.planning.plans import service as plans
from ccweb.planning.plans import studying as plan_reading
from ccweb.planning.plans.model import PlanAnswer, Session
from ccweb.planning.projects import service as projects
from ccweb.planning.projects import store as project_store
from ccweb_contract.enums import (
    AgentKind,
    ChangeType,
    Lang,
    PlanSource,
    PlanStatus,
    QuestionType,
    ResearchStatus,
)
from tests.planning.plan_world import (
    CHINESE,
    LIST,
    add_tree,
    an_answer_to,
    begin,
    candidates,
    confirm,
    now,
    owner,
    remove,
    set_list,
)
from tests.planning.world import Planning
from tests.relay.world import HOST


@pytest.fixture
def shop(world: Planning, tmp_path: Path) -> Repository:
    """Return a repository about a shop; the project has a list of three features."""
    set_list(world, LIST)
    return add_tree(world, tmp_path, "shop")


@pytest.fixture
def stock(world: Planning, tmp_path: Path) -> Repository:
    """Return a repository about a warehouse."""
    return add_tree(world, tmp_path, "stock")


def researched(world: Planning, session: Session) -> dict[str, ResearchStatus]:
    """Return where the research of each repository stands."""
    return {one.name: research.status for research, one in candidates(world, session)}


def sessions(world: Planning) -> int:
    """Return how many sessions there are."""
    found = world.db.reader.exec_driver_sql("SELECT count(*) FROM feature_plan")
    return int(found.scalar_one())


# --- questions ----------------------------------------------------------------------------------


@pytest.mark.requirement("R-P8")
def test_a_list_is_classified_and_leaves_questions_and_no_plan(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    session = begin(world)
    where, what = session.questions

    assert [one.change_type for one in session.items] == [
        ChangeType.MODIFY,
        ChangeType.MODIFY,
        ChangeType.UNCLEAR,
    ]
    assert session.items[0].evidence_files == ("shop/shop/payment.py",)
    assert (session.status, session.plan) == (PlanStatus.AWAITING_CONFIRMATION, None)
    assert (where.id, where.type) == ("q1", QuestionType.MULTIPLE_CHOICE)
    assert {one.value for one in where.options} == {shop.id, stock.id}
    assert set(where.recommended) == {shop.id, stock.id}
    assert (what.id, what.type, what.feature_key) == ("q2", QuestionType.SINGLE_CHOICE, "f3")
    assert [one.value for one in what.options] == [ChangeType.NEW, ChangeType.MODIFY]
    assert world.working() == []


@pytest.mark.requirement("R-P8")
def test_no_more_than_ten_unclear_features_are_asked_about(
    world: Planning, shop: Repository
) -> None:
    set_list(world, "\n".join(f"- Zorblax number {n}{n}{n}" for n in range(30)))
    assert [one.id for one in begin(world).questions] == [f"q{n}" for n in range(1, 12)]


@pytest.mark.requirement("R-P8")
def test_a_list_that_is_too_long_says_so(world: Planning, shop: Repository) -> None:
    set_list(world, "\n".join(f"- Feature {n}" for n in range(501)))
    session = begin(world)
    assert (len(session.items), session.truncated) == (500, True)


@pytest.mark.requirement("R-P8")
def test_a_chinese_list_is_planned_in_chinese(world: Planning, shop: Repository) -> None:
    set_list(world, CHINESE)
    session = begin(world, lang=Lang.ZH)

    assert [one.change_type for one in session.items] == [ChangeType.MODIFY, ChangeType.UNCLEAR]
    assert session.items[0].evidence_files == ("shop/login.py",)
    assert session.items[1].reason == "没有文件包含足够的内容来判断。"


@pytest.mark.requirement("R-P8")
def test_without_repositories_everything_is_unclear_and_the_plan_follows_at_once(
    world: Planning,
) -> None:
    set_list(world, LIST)
    session = begin(world)
    assert {one.change_type for one in session.items} == {ChangeType.UNCLEAR}
    assert session.routes == []

    done = confirm(world, session)

    assert (done.status, world.working()) == (PlanStatus.COMPLETED, [])
    assert done.plan is not None
    assert done.plan["repositories"] == []
    assert done.version_id is not None


# --- where a list comes from --------------------------------------------------------------------


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    "given",
    [("", "", ""), (" ", "", "\n"), ("p", "b", ""), ("", "b", LIST), ("p", "b", LIST)],
)
def test_exactly_one_source_is_taken(world: Planning, given: tuple[str, str, str]) -> None:
    project_id, branch_name, text = given
    with pytest.raises(InvalidParams) as refusal:
        begin(world, project_id=project_id, branch_name=branch_name, text=text)
    for name in ("project_id", "branch_name", "feature_list_text"):
        assert f"`{name}`" in refusal.value.detail


@pytest.mark.requirement("R-P8")
def test_a_branch_leads_to_its_project(world: Planning, shop: Repository) -> None:
    with world.tx() as c:
        projects.bind_branch(c, world.shop.id, "feature/gift-cards")
    session = begin(world, branch_name="feature/gift-cards")
    assert (session.source, session.project_id) == (PlanSource.BRANCH, world.shop.id)


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("feature_list", ["", " \n", "One paragraph of prose, and nothing else."])
def test_a_list_without_features_is_refused(
    world: Planning, shop: Repository, feature_list: str
) -> None:
    set_list(world, feature_list)
    with pytest.raises(EmptyFeatureList):
        begin(world)
    assert sessions(world) == 0


@pytest.mark.requirement("R-P8")
def test_only_repositories_of_the_project_are_looked_at(
    world: Planning, shop: Repository, stock: Repository, tmp_path: Path
) -> None:
    session = begin(world, project_id=world.shop.id, repository_ids=[stock.id, stock.id])
    assert [one.route.repository_id for one in session.routes] == [stock.id]

    with world.tx() as c:
        other = projects.add(c, world.m, name="Other", host_id=HOST, owner_id=world.human.person_id)
    foreign = add_tree(world, tmp_path / "other", "shop", other.id)
    with pytest.raises(InvalidParams):
        begin(world, project_id=world.shop.id, repository_ids=[foreign.id])


@pytest.mark.requirement("R-P8")
def test_a_text_alone_looks_at_what_its_caller_may_read_each_folder_once(
    world: Planning, shop: Repository, stock: Repository, tmp_path: Path
) -> None:
    with world.tx() as c:
        bob = access.add_person(c, world.m, "Bob")
        closed = projects.add(c, world.m, name="Closed", host_id=HOST, owner_id=bob.id)
        own = projects.add(c, world.m, name="Own", host_id=HOST, owner_id=bob.id)
        projects.add_repository(
            c, world.m, own.id, path=shop.path, agent=AgentKind.DEMO, name="till"
        )
    twin = add_tree(world, tmp_path / "twin", "stock", closed.id)
    bobs = Browser(person_id=bob.id, name="Bob")

    everything = begin(world, text=LIST)
    narrow = begin(world, bobs, text=LIST)

    assert everything.project_id is None
    assert len({one.route.repository_id for one in everything.routes}) == 3
    assert {"Closed/stock", "Shop/stock"} < {one.name for one in everything.routes}
    assert {one.name for one in narrow.routes} == {"stock", "till"}
    with pytest.raises(Forbidden):
        begin(world, bobs, text=LIST, repository_ids=[stock.id])
    with pytest.raises(InvalidParams):
        begin(world, bobs, text=LIST, repository_ids=["repository_none"])
    assert begin(world, bobs, text=LIST, repository_ids=[twin.id]).routes[0].name == "stock"


# --- answers ------------------------------------------------------------------------------------


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize(
    "answers",
    [
        [an_answer_to("q9", "x")],
        [an_answer_to("q1", "repository_none")],
        [an_answer_to("q1", none=True, text="the shop")],
        [an_answer_to("q1"), an_answer_to("q1")],
        [an_answer_to("q2", ChangeType.UNCLEAR)],
        [an_answer_to("q2", ChangeType.NEW, ChangeType.MODIFY)],
        [an_answer_to("q2", text="  ")],
    ],
)
def test_an_answer_that_fits_no_question_changes_nothing(
    world: Planning, shop: Repository, answers: list[PlanAnswer]
) -> None:
    session = begin(world)
    with pytest.raises(InvalidParams):
        confirm(world, session, *answers)
    assert now(world, session) == session
    assert world.working() == []


@pytest.mark.requirement("R-P8")
def test_what_is_not_answered_keeps_what_is_recommended(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    session = confirm(world, begin(world))
    assert session.status is PlanStatus.RESEARCHING
    assert researched(world, session) == {
        "shop": ResearchStatus.RUNNING,
        "stock": ResearchStatus.RUNNING,
    }
    assert len(world.working()) == 2, "both are read at the same time"


@pytest.mark.requirement("R-P8")
def test_a_repository_is_chosen_by_its_id_or_by_its_name(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    session = confirm(world, begin(world), an_answer_to("q1", "stock"))
    assert list(session.answers[0].selected or ()) == [stock.id]
    assert researched(world, session) == {
        "stock": ResearchStatus.RUNNING,
        "shop": ResearchStatus.QUEUED,
    }


@pytest.mark.requirement("R-P8")
def test_with_no_repository_chosen_the_plan_is_the_classification(
    world: Planning, shop: Repository
) -> None:
    session = confirm(world, begin(world), an_answer_to("q1"))
    assert (session.status, world.working()) == (PlanStatus.COMPLETED, [])
    assert session.plan is not None
    assert [one["module"] for one in session.plan["modules"]] == ["Payments", "Warehouse", "Beyond"]


@pytest.mark.requirement("R-P8")
def test_the_same_answers_again_give_the_same_and_others_come_too_late(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    session = begin(world)
    first = confirm(world, session)

    assert confirm(world, session, an_answer_to("q1", "shop", "stock")) == first
    with pytest.raises(WrongOrder):
        confirm(world, session, an_answer_to("q1", shop.id))
    assert len(world.working()) == 2


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("others", [[], [an_answer_to("q1", "shop")]], ids=["same", "others"])
def test_two_confirmations_at_once_begin_one_research(
    world: Planning, shop: Repository, stock: Repository, others: list[PlanAnswer]
) -> None:
    session, moments = begin(world), [world.m, world.m]

    def confirmed(m: Moment, answers: list[PlanAnswer]) -> bool:
        try:
            with world.db.begin() as c:
                plans.confirm(c, m, world.settings, session, answers)
        except WrongOrder:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(confirmed, moments, [[], others]))

    assert sorted(done) == ([True, True] if not others else [False, True])
    assert len(world.working()) == len(now(world, session).answers[0].selected or ())


@pytest.mark.requirement("R-P8")
def test_a_chosen_repository_that_has_gone_is_named_and_another_can_be_chosen(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    session = begin(world)
    remove(world, stock)

    with pytest.raises(InvalidParams) as refusal:
        confirm(world, session)
    assert "stock" in refusal.value.detail
    assert now(world, session).status is PlanStatus.AWAITING_CONFIRMATION
    assert confirm(world, session, an_answer_to("q1", shop.id)).status is PlanStatus.RESEARCHING


@pytest.mark.requirement("R-P8")
def test_without_its_agent_nothing_is_confirmed(world: Planning, shop: Repository) -> None:
    session = begin(world)
    with world.tx() as c:
        c.exec_driver_sql("UPDATE repository SET agent = 'claude'")
    with pytest.raises(AgentUnavailable):
        confirm(world, session)
    assert now(world, session) == session


@pytest.mark.requirement("R-P8")
def test_the_plan_follows_what_the_user_has_said_about_unclear_features(
    world: Planning, shop: Repository
) -> None:
    set_list(world, "- Zorblax quuxification\n- Frobnicate wuzzles\n- Grault the plugh\n")
    session = confirm(
        world,
        begin(world),
        an_answer_to("q1"),
        an_answer_to("q2", ChangeType.NEW),
        an_answer_to("q3", none=True, text="Leave it out."),
    )
    assert session.plan is not None
    [module] = session.plan["modules"]
    told = [(one["change_type"], one["reason"]) for one in module["features"]]

    assert told == [
        (ChangeType.NEW, "The user has decided it."),
        (ChangeType.UNCLEAR, "Leave it out."),
        (ChangeType.UNCLEAR, "No file holds enough of it to tell what it is."),
    ]
    assert {one.change_type for one in session.items} == {ChangeType.UNCLEAR}, "as it was read"


# --- who reads it -------------------------------------------------------------------------------


@pytest.mark.requirement("R-P8")
def test_a_session_is_open_to_its_creator_and_to_who_may_read_its_project(
    world: Planning, shop: Repository
) -> None:
    with world.tx() as c:
        bob = access.add_person(c, world.m, "Bob")
    bobs = Browser(person_id=bob.id, name="Bob")
    of_project, of_text = begin(world), begin(world, text=LIST)

    for session in (of_project, of_text):
        with pytest.raises(Forbidden):
            plans.read_for(world.db.reader, session.id, bobs)
        assert plans.read_for(world.db.reader, session.id, owner(world)) == session

    with world.tx() as c:
        project_store.add_reader(c, world.shop.id, bob.id)
    assert plans.read_for(world.db.reader, of_project.id, bobs) == of_project
    bobs_own = begin(world, bobs, text=LIST)
    assert plans.read_for(world.db.reader, bobs_own.id, bobs) == bobs_own
    assert plans.read_for(world.db.reader, bobs_own.id, owner(world)) == bobs_own


@pytest.mark.requirement("R-P8")
def test_nothing_is_read_before_the_caller_may_read_it(world: Planning, shop: Repository) -> None:
    with world.tx() as c:
        bob = access.add_person(c, world.m, "Bob")
    with pytest.raises(Forbidden):
        plan_reading.located(
            world.db.reader,
            Browser(person_id=bob.id, name="Bob"),
            project_id=world.shop.id,
            branch_name="",
            text="",
            repository_ids=[],
        )
