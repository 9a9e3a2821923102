"""The demo agent's research: real files, words of the contract, the same answer each time."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from ccweb.conversations.model import Conversation
from ccweb.host.demo import DemoAgent
from ccweb.host.researcher import Brief, answer, brief, is_again
from ccweb.planning.model import Evidence
from ccweb.planning.research import evidence
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, TurnStatus
from tests.host.workshop import Workshop
from tests.planning.trees import SHOP, a_tree

in_each_language = pytest.mark.parametrize("lang", Lang)
WORK = "Refund card payments\n\n```\nfenced\n```\n\n斑马护理"
PACKAGE: Mapping[str, str] = {"package.json": json.dumps({"description": "A  till."}), "a.js": "x"}


def a_brief(lang: Lang, work: str = WORK, *comments: str) -> str:
    """Return the prompt of a research in the shop."""
    remarks = [prompts.research_remark(lang, comment=comment) for comment in comments]
    return prompts.research_brief(lang, repository='the "shop"', work=work, remarks=remarks)


def researched(root: Path, work: str, lang: Lang = Lang.EN) -> Evidence:
    """Return what the research of a folder gives."""
    read = evidence.parse(answer(Brief(lang=lang, repository="shop", work=work), root), root)
    assert isinstance(read, Evidence)
    return read


@pytest.mark.requirement("R-P9")
@in_each_language
def test_a_brief_is_recognised_in_both_languages_wherever_it_stands(lang: Lang) -> None:
    expected = Brief(lang=lang, repository='the "shop"', work=WORK)
    prompt = a_brief(lang)
    assert brief(prompt) == expected
    assert brief(f"Said before.\n\n`````text\n{prompt}\n`````\n\nSaid after.") == expected


@pytest.mark.requirement("R-P9")
@in_each_language
def test_what_people_have_remarked_belongs_to_the_work(lang: Lang) -> None:
    asked = brief(a_brief(lang, "Refunds", "And vouchers", "也要支持部分退款"))
    assert asked is not None
    assert asked.work == "Refunds\n\nAnd vouchers\n\n也要支持部分退款"


@pytest.mark.requirement("R-P9")
@in_each_language
def test_other_prompts_are_no_brief(lang: Lang) -> None:
    coding = prompts.coding_brief(lang, person="Ada", version=1, content_hash="0f", blueprint="y")
    again = prompts.research_again(lang, fault="No JSON.")
    assert [brief(prompt) for prompt in (coding, again, "Research the repository", "")] == [
        None
    ] * 4
    assert (is_again(again), is_again(coding), is_again(a_brief(lang))) == (True, False, False)


@pytest.mark.requirement("R-P9")
def test_the_answer_follows_from_the_files(tmp_path: Path) -> None:
    root = a_tree(tmp_path / "shop", SHOP)
    reason = prompts.feature_changes(
        Lang.EN, file="shop/payment.py", words="Refund, card, payments"
    )
    finding = prompts.demo_research_finding(Lang.EN, name="Refund card payments", reason=reason)
    unclear = prompts.demo_research_finding(
        Lang.EN, name="斑马护理", reason=prompts.feature_is_unclear(Lang.EN)
    )
    change = prompts.demo_research_change(
        Lang.EN, name="Refund card payments", location="shop/payment.py"
    )
    assert researched(root, "Refund card payments\n斑马护理") == Evidence(
        responsibility="The till of a corner shop: carts and payments.",
        belongs=True,
        reasons=(finding,),
        current_state_summary=f"{finding}\n{unclear}",
        evidence_files=("shop/payment.py",),
        questions=(prompts.question_unclear(Lang.EN, name="斑马护理"),),
        steps=(change,),
    )


@pytest.mark.requirement("R-P9")
@in_each_language
def test_the_same_tree_gives_the_same_answer(tmp_path: Path, lang: Lang) -> None:
    asked = Brief(lang=lang, repository="shop", work=WORK)
    root = a_tree(tmp_path / "shop", SHOP)
    assert answer(asked, root) == answer(asked, root)


@pytest.mark.requirement("R-P5", "R-P9")
@in_each_language
@pytest.mark.parametrize("files", [SHOP, PACKAGE, {}])
@pytest.mark.parametrize("work", ["Zebra grooming", "", WORK])
def test_no_part_of_the_evidence_is_ever_missing(
    tmp_path: Path, lang: Lang, files: Mapping[str, str], work: str
) -> None:
    root = a_tree(tmp_path / "shop", files)
    assert evidence.missing(researched(root, work, lang)) == ()


@pytest.mark.requirement("R-P9")
def test_strange_work_does_not_belong(tmp_path: Path) -> None:
    found = researched(a_tree(tmp_path / "shop", SHOP), "Zebra grooming")
    assert (found.belongs, found.evidence_files) == (False, ("README.md",))
    assert found.reasons == (prompts.demo_research_stranger(Lang.EN),)


@pytest.mark.requirement("R-P9")
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (PACKAGE, "A till."),
        ({"pyproject.toml": '[project]\ndescription = "A till."'}, "A till."),
        ({"Cargo.toml": '[package]\ndescription = "A till."'}, "A till."),
        ({"README.md": "# Shop\n\n> quote\n\n- list\n\nA\ntill.\n\nMore."}, "A till."),
        ({"README.md": "# Shop", "package.json": '{"description": "A till."}'}, "A till."),
        ({"README.zh.md": "# 商店\n\n收银台。", "README.md": "A till."}, "A till."),
        ({"package.json": '{"description": 1}'}, ""),
        ({"package.json": "[" * 100_000, "pyproject.toml": "no toml"}, ""),
    ],
)
def test_a_repository_is_for_what_it_says_itself(
    tmp_path: Path, files: Mapping[str, str], expected: str
) -> None:
    found = researched(a_tree(tmp_path / "shop", files), WORK)
    own = prompts.demo_research_purpose(Lang.EN, repository="shop", files=len(files))
    assert found.responsibility == (expected or own)


@pytest.mark.requirement("R-P9")
def test_it_answers_in_the_language_of_the_brief(tmp_path: Path) -> None:
    files = {**SHOP, "README.zh.md": "# 商店\n\n街角小店的收银台。"}
    found = researched(a_tree(tmp_path / "shop", files), "密码登录", Lang.ZH)
    reason = prompts.feature_changes(Lang.ZH, file="shop/login.py", words="密码登录")
    finding = prompts.demo_research_finding(Lang.ZH, name="密码登录", reason=reason)
    assert (found.responsibility, found.reasons) == ("街角小店的收银台。", (finding,))


def in_shop(workshop: Workshop, root: Path) -> Conversation:
    """Return a conversation of the demo agent in the shop."""
    conversation = workshop.conversation()
    with workshop.db.begin() as c:
        c.execute(text("UPDATE conversation SET cwd = :cwd"), {"cwd": str(root)})
    return replace(conversation, cwd=str(root))


@pytest.mark.requirement("R-P9")
async def test_the_demo_agent_researches_its_directory_and_again_when_it_is_told(
    workshop: Workshop, tmp_path: Path
) -> None:
    root = a_tree(tmp_path / "shop", SHOP)
    conversation = in_shop(workshop, root)
    asked = brief(a_brief(Lang.EN))
    assert asked is not None
    async with workshop.hosting(DemoAgent(workshop.s)):
        for prompt in (a_brief(Lang.EN), prompts.research_again(Lang.EN, fault="No JSON.")):
            turn = await workshop.until_ended(workshop.write(conversation, prompt))
            assert turn.status is TurnStatus.COMPLETED
            assert workshop.texts(conversation)[-1] == answer(asked, root)


@pytest.mark.requirement("R-P9")
async def test_lines_in_the_work_can_make_research_fail_and_the_next_one_succeed(
    workshop: Workshop, tmp_path: Path
) -> None:
    root = a_tree(tmp_path / "shop", SHOP)
    conversation = in_shop(workshop, root)
    async with workshop.hosting(DemoAgent(workshop.s)):
        failing = workshop.write(conversation, a_brief(Lang.EN, "Refund\n/fail no time"))
        assert (await workshop.until_ended(failing)).status is TurnStatus.FAILED
        prose = workshop.write(conversation, a_brief(Lang.EN, "Refund\n/say It is all there."))
        await workshop.until_ended(prose)
        assert workshop.texts(conversation)[-1] == "It is all there."
        again = prompts.research_again(Lang.EN, fault="It holds no JSON object.")
        await workshop.until_ended(workshop.write(conversation, again))
    read = evidence.parse(workshop.texts(conversation)[-1], root)
    assert isinstance(read, Evidence)
    assert read.evidence_files == ("shop/payment.py",)


@pytest.mark.requirement("R-P9")
async def test_told_again_without_a_brief_it_still_answers_with_evidence(
    workshop: Workshop, tmp_path: Path
) -> None:
    root = a_tree(tmp_path / "shop", SHOP)
    conversation = in_shop(workshop, root)
    async with workshop.hosting(DemoAgent(workshop.s)):
        again = prompts.research_again(Lang.EN, fault="It holds no JSON object.")
        await workshop.until_ended(workshop.write(conversation, again))
    read = evidence.parse(workshop.texts(conversation)[-1], root)
    assert isinstance(read, Evidence)
    assert evidence.missing(read) == ()
