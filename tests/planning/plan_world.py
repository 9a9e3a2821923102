"""Plans of feature lists for tests: the planning world with real trees and the chain's commands."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ccweb.access.model import Browser, Caller
from ccweb.conversations import store as conversations
from ccweb.planning.model import Candidate, ProjectId, Repository
from ccweb.planning.plans import service as plans
from ccweb.planning.plans import studying as plan_reading
from ccweb.planning.plans.model import PlanAnswer, Session
from ccweb.planning.projects import service as projects
from ccweb_contract.enums import AgentKind, Lang
from tests.planning.trees import SHOP, STOCK, a_tree
from tests.planning.world import GOOD, Planning, an_answer

LIST = """# Payments
- Refund a card payment

# Warehouse
- Move a pallet

# Beyond
- Zorblax quuxification
"""
"""One feature of the shop, one of the stock, and one of neither."""
CHINESE = "# 账号\n1. 手机号登录\n2. 量子隐形传态\n"
FILES = {"shop": "shop/payment.py", "stock": "stock/pallets.py"}
TREES: Mapping[str, Mapping[str, str]] = {"shop": SHOP, "stock": STOCK}


def add_tree(world: Planning, folder: Path, name: str, project_id: str | None = None) -> Repository:
    """Add a real working tree to a project."""
    path = a_tree(folder / name, TREES.get(name, SHOP))
    with world.tx() as c:
        return projects.add_repository(
            c,
            world.m,
            ProjectId(project_id or world.shop.id),
            path=str(path),
            agent=AgentKind.DEMO,
        )


def set_list(world: Planning, text: str) -> None:
    """Write the project's feature list."""
    with world.tx() as c:
        projects.set_feature_list(c, world.shop.id, text)


def remove(world: Planning, repository: Repository) -> None:
    """Take a repository out of its project."""
    with world.tx() as c:
        projects.remove_repository(c, world.m, repository.id)


def owner(world: Planning) -> Browser:
    """Return the owner of the workspace at the page."""
    return Browser(person_id=world.human.person_id, name="Ada")


def begin(
    world: Planning, caller: Caller | None = None, lang: Lang = Lang.EN, **given: Any
) -> Session:
    """Begin a plan: of the project, unless something else is given."""
    source = {"project_id": "", "branch_name": "", "text": "", "repository_ids": []} | (
        given or {"project_id": world.shop.id}
    )
    caller = caller or owner(world)
    with world.tx() as c:
        located = plan_reading.located(c, caller, **source)
        studied = plan_reading.study(located, lang)
        begun = plans.begin(c, world.m, world.settings, studied, caller=caller)
        return plans.read_for(c, begun.id, caller)


def confirm(world: Planning, session: Session, *answers: PlanAnswer) -> Session:
    """Give answers to a session's questions."""
    with world.tx() as c:
        return plans.confirm(c, world.m, world.settings, session, answers)


def an_answer_to(
    question_id: str, *selected: str, text: str = "", none: bool = False
) -> PlanAnswer:
    """Return an answer; with `none`, one that holds no selection at all."""
    return PlanAnswer(question_id=question_id, selected=None if none else list(selected), text=text)


def now(world: Planning, session: Session) -> Session:
    """Return a session as it is now."""
    return plans.read_for(world.db.reader, session.id, owner(world))


def candidates(world: Planning, session: Session) -> Sequence[Candidate]:
    """Return the repositories of a session with what was found."""
    return plans.candidates(world.db.reader, session)


def finish(world: Planning, **said: str) -> int:
    """End all research, each repository's with what it says or with good evidence; take it all.

    Args:
        world: The world.
        said: Answers by the name of the repository.
    """
    for turn in world.working():
        name = _repository_of(world, turn.conversation_id)
        world.end(turn, text=said.get(name, evidence_of(name)))
    return world.take_all()


def evidence_of(name: str) -> str:
    """Return a good answer about a repository."""
    return an_answer(**{**GOOD, "responsibility": f"The {name}.", "evidence_files": [FILES[name]]})


def _repository_of(world: Planning, conversation_id: str) -> str:
    conversation = conversations.get(world.db.reader, conversation_id)
    assert conversation is not None
    return Path(conversation.cwd).name
