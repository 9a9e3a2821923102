"""Research for the plan of a feature list: what counts of it, and the text at its end."""

import json
import shutil
from html import unescape

import pytest

from ccweb.hub import text as rendered
from ccweb.planning.model import Repository
from ccweb.planning.plans.model import PlanError
from ccweb_contract.enums import (
    PlanStatus,
    ResearchStatus,
    TurnStatus,
)
from ccweb_contract.errors import ErrorCode
from tests.planning.plan_world import (
    LIST,
    an_answer_to,
    begin,
    candidates,
    confirm,
    evidence_of,
    finish,
    now,
    set_list,
)
from tests.planning.test_plans import researched, shop, stock
from tests.planning.world import Planning, an_answer

__all__ = ["shop", "stock"]

BAD_ANSWERS = {
    "prose of ten megabytes": "I have read it all. " * 500_000,
    "half of its JSON": '```json\n{"responsibility": "The till", "fitness": {"belo',
    "files that are not there": an_answer(evidence_files=["src/nowhere.py"]),
    "nothing": "",
}


@pytest.mark.requirement("R-P8", "R-P9")
def test_the_plan_is_written_when_the_last_repository_is_read(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    session = confirm(world, begin(world))
    first, second = world.working()
    world.end(first, text=evidence_of("shop"))
    world.take_all()
    assert now(world, session).status is PlanStatus.RESEARCHING

    world.end(second, text=evidence_of("stock"))
    world.take_all()
    done = now(world, session)

    assert done.status is PlanStatus.COMPLETED
    assert done.plan is not None
    assert done.markdown is not None
    assert [one["responsibility"] for one in done.plan["repositories"]] == [
        "The shop.",
        "The stock.",
    ]
    for said in ("The shop.", "stock/pallets.py", "Add a kind of payment.", "Refund a card"):
        assert said in done.markdown


@pytest.mark.requirement("R-P8", "R-P9")
def test_an_agent_reads_the_list_with_what_the_user_said_and_nothing_that_was_guessed(
    world: Planning, shop: Repository
) -> None:
    set_list(world, f"- Sign in\n\n{LIST}")
    session = begin(world)
    about_the_last = session.questions[-1].id
    confirm(world, session, an_answer_to(about_the_last, none=True, text="As in\nthe old shop."))
    [turn] = world.working()

    assert "- Sign in\n" in turn.prompt
    assert "## Payments\n\n- Refund a card payment\n\n## Warehouse" in turn.prompt
    assert "- Zorblax quuxification (As in the old shop.)" in turn.prompt
    assert "shop/payment.py" not in turn.prompt


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_an_agent_whose_answer_cannot_be_used_is_asked_once_more(
    world: Planning, shop: Repository, bad: str
) -> None:
    session = confirm(world, begin(world))
    finish(world, shop=bad)
    assert now(world, session).status is PlanStatus.RESEARCHING

    finish(world)
    assert now(world, session).status is PlanStatus.COMPLETED


@pytest.mark.requirement("R-P8")
def test_a_repository_without_evidence_is_named_in_the_plan(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    session = confirm(world, begin(world))
    finish(world, stock="I could not read it.")
    finish(world, stock="I still cannot read it.")
    done = now(world, session)

    assert done.status is PlanStatus.COMPLETED
    assert done.markdown is not None
    assert "- stock: It holds no JSON object." in done.markdown.partition("Without evidence")[2]
    assert researched(world, done) == {
        "shop": ResearchStatus.SUCCEEDED,
        "stock": ResearchStatus.FAILED,
    }


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("status", [TurnStatus.FAILED, TurnStatus.INTERRUPTED, TurnStatus.LOST])
def test_with_no_evidence_at_all_the_plan_has_failed(
    world: Planning, shop: Repository, status: TurnStatus
) -> None:
    session = confirm(world, begin(world))
    world.finish_work("", status=status, error="The model is gone.")
    done = now(world, session)

    assert (done.status, done.plan, done.markdown) == (PlanStatus.FAILED, None, None)
    assert isinstance(done.error, PlanError)
    assert done.error.code == ErrorCode.EVIDENCE_INCOMPLETE
    assert done.error.detail.startswith("shop: ")


@pytest.mark.requirement("R-P8")
def test_a_folder_that_goes_while_it_is_read_is_no_evidence(
    world: Planning, shop: Repository
) -> None:
    session = confirm(world, begin(world))
    shutil.rmtree(shop.path)
    finish(world)
    finish(world)
    assert now(world, session).status is PlanStatus.FAILED


@pytest.mark.requirement("R-P9")
def test_what_comes_after_the_end_changes_nothing(world: Planning, shop: Repository) -> None:
    session = confirm(world, begin(world))
    finish(world)
    done = now(world, session)
    [(research, _)] = candidates(world, done)
    with world.tx() as c:
        c.exec_driver_sql(
            "INSERT INTO outbox (request_id, created_at) VALUES (?, 0)", (research.request_id,)
        )
        c.exec_driver_sql("UPDATE pending_reply SET status = 'ready'")
    assert world.take_all() == 1
    assert now(world, session) == done


@pytest.mark.requirement("R-P8")
def test_the_same_list_and_the_same_evidence_give_the_same_text(
    world: Planning, shop: Repository, stock: Repository
) -> None:
    texts = []
    for _ in range(2):
        session = confirm(world, begin(world))
        finish(world)
        texts.append((now(world, session).markdown, json.dumps(now(world, session).plan)))
    assert texts[0] == texts[1]


@pytest.mark.requirement("R-P8")
def test_a_feature_is_read_in_the_text_as_the_list_has_it(
    world: Planning, shop: Repository
) -> None:
    name = "Refund every card payment &amp; [x]"
    set_list(world, f"- {name}")
    session = begin(world)
    assert session.items[0].feature.name == name
    session = confirm(world, session)
    finish(world)
    markdown = now(world, session).markdown
    assert markdown is not None
    assert name in unescape(str(rendered.markdown(markdown)))
