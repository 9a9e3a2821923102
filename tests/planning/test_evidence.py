"""Research answers: what is read of them, and what is wrong with the others."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccweb.planning.model import Evidence
from ccweb.planning.research import evidence
from ccweb.planning.research.evidence import SCHEMA, Fault, missing, parse
from ccweb_contract import prompts
from ccweb_contract.enums import Lang
from tests.planning.trees import SHOP, a_tree

WHOLE: Mapping[str, Any] = {
    "responsibility": "The till.",
    "fitness": {"belongs": True, "reasons": ["Payments are here."]},
    "current_state_summary": "Cards only.",
    "evidence_files": ["shop/payment.py"],
    "questions": ["Which currency?"],
    "steps": ["Add vouchers."],
}
READ = Evidence(
    responsibility="The till.",
    belongs=True,
    reasons=("Payments are here.",),
    current_state_summary="Cards only.",
    evidence_files=("shop/payment.py",),
    questions=("Which currency?",),
    steps=("Add vouchers.",),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a shop with a file outside of it, and a link to that file."""
    folder = tmp_path_factory.mktemp("trees")
    a_tree(folder, {"outside.py": "x"})
    shop = a_tree(folder / "shop", SHOP)
    (shop / "link.py").symlink_to(folder / "outside.py")
    return shop


def written(**changes: object) -> str:
    """Return a whole answer as JSON, some of its fields changed."""
    return json.dumps({**WHOLE, **changes}, ensure_ascii=False, indent=2)


def in_fence(text: str, fence: str = "```json", end: str = "```") -> str:
    """Return a text in a fence of its own."""
    return f"{fence}\n{text}\n{end}"


@pytest.mark.requirement("R-P9")
@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda text: in_fence(text), id="fenced as json"),
        pytest.param(
            lambda text: f"Done.\n\n{in_fence(text)}\n\nThat is {{all}}.", id="amid words"
        ),
        pytest.param(lambda text: in_fence(text, "```"), id="fenced as nothing"),
        pytest.param(lambda text: in_fence(text, "~~~~ JSON", "~~~~"), id="fenced by tildes"),
        pytest.param(lambda text: f"```\n{text}", id="in a fence that is not closed"),
        pytest.param(
            lambda text: in_fence("{}") + "\n" + in_fence(text) + "\n" + in_fence("ls", "```sh"),
            id="the last of several that is an object",
        ),
        pytest.param(lambda text: text, id="bare"),
        pytest.param(lambda text: f"{{}} it's {{ odd\n{text}\nbye", id="bare amid braces"),
        pytest.param(lambda text: text.replace("\n", " "), id="on one line"),
        pytest.param(lambda text: in_fence(text).replace("\n", "\r\n"), id="with other line ends"),
    ],
)
def test_the_last_object_of_an_answer_is_read(form: Callable[[str], str], root: Path) -> None:
    assert parse(form(written()), root) == READ


@pytest.mark.requirement("R-P9")
def test_braces_and_fences_inside_of_texts_are_text(root: Path) -> None:
    text = '```\n} " { ~~~ ```'
    read = parse(written(responsibility=text), root)
    assert isinstance(read, Evidence)
    assert read.responsibility == text


@pytest.mark.requirement("R-P9")
@pytest.mark.parametrize(
    ("answer", "named"),
    [
        pytest.param("", "object", id="nothing"),
        pytest.param("I could not read it.", "object", id="prose"),
        pytest.param(in_fence("[1]"), "object", id="a list"),
        pytest.param(in_fence("{'a': 1}"), "cannot be read", id="no JSON"),
        pytest.param(written()[:-2], "", id="cut off"),
        pytest.param(in_fence('{"a":' * 100_000), "cannot be read", id="too deep"),
        pytest.param(in_fence('{"a": ' + "9" * 10_000 + "}"), "", id="a number too long"),
        pytest.param("{}", "responsibility", id="empty"),
        pytest.param(
            written(fitness={"belongs": "yes", "reasons": []}), "belongs", id="a wrong type"
        ),
        pytest.param(written(questions=[1]), "questions", id="a wrong item"),
        pytest.param(written(steps=None), "steps", id="null"),
        pytest.param(written(evidence_files=["shop/tax.py"]), "shop/tax.py", id="no such file"),
        pytest.param(written(evidence_files=["../outside.py"]), "../outside.py", id="outside"),
        pytest.param(written(evidence_files=["/etc/hosts"]), "/etc/hosts", id="outside, absolute"),
        pytest.param(written(evidence_files=["link.py"]), "link.py", id="outside by a link"),
        pytest.param(written(evidence_files=["shop"]), "shop", id="a folder"),
        pytest.param(written(evidence_files=[""]), "no files", id="no name"),
        pytest.param(written(evidence_files=["a\0b"]), "a b", id="an impossible name"),
        pytest.param(written(evidence_files=["x/" * 9000]), "x/x/", id="an endless name"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_in_one_sentence(
    answer: str, named: str, root: Path
) -> None:
    fault = parse(answer, root)
    assert isinstance(fault, Fault)
    assert named in fault.sentence
    assert fault.sentence.endswith(".")
    assert "\n" not in fault.sentence
    assert len(fault.sentence) < 1200


@pytest.mark.requirement("R-P9")
def test_a_file_is_known_however_it_is_written(root: Path) -> None:
    names = [
        "./shop/../shop/payment.py",
        str(root / "shop" / "cart.py"),
        "`shop/login.py`",
        "shop/payment.py:12-30",
        "shop/cart.py#L7",
        "tests\\test_cart.py:3:1",
    ]
    read = parse(written(evidence_files=names), root)
    assert isinstance(read, Evidence)
    files = ("shop/payment.py", "shop/cart.py", "shop/login.py", "tests/test_cart.py")
    assert read.evidence_files == files


@pytest.mark.requirement("R-P9")
def test_texts_are_cut_and_cleaned(root: Path) -> None:
    answer = written(
        responsibility="长" * 100_000,
        current_state_summary=" a\0b\nc ",
        fitness={"belongs": False, "reasons": ["", "  ", "x\n y"]},
        questions=[f"q{i}" for i in range(100)],
        steps=["s" * 100_000] * 100,
        more="ignored",
    )
    read = parse(answer, root)
    assert isinstance(read, Evidence)
    assert (len(read.responsibility), read.current_state_summary) == (4000, "a b\nc")
    assert (read.belongs, read.reasons) == (False, ("x y",))
    assert len(read.questions) == evidence.MOST_QUESTIONS
    assert [len(step) for step in read.steps] == [1000] * evidence.MOST_STEPS


@pytest.mark.requirement("R-P9")
def test_half_a_character_reaches_nobody(root: Path) -> None:
    read = parse(written().replace("The till.", "\\ud800x"), root)
    assert isinstance(read, Evidence)
    assert read.responsibility == "x"


@pytest.mark.requirement("R-P5")
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ()),
        ({"responsibility": " "}, ("responsibility",)),
        ({"fitness": {"belongs": True, "reasons": []}}, ("fitness.reasons",)),
        ({"fitness": {"belongs": True, "reasons": [" "]}}, ("fitness.reasons",)),
        ({"current_state_summary": "\n"}, ("current_state_summary",)),
        ({"evidence_files": [], "questions": [], "steps": []}, ()),
    ],
)
def test_what_a_person_needs_and_is_empty_is_missing(
    changes: Mapping[str, Any], expected: tuple[str, ...], root: Path
) -> None:
    read = parse(written(**changes), root)
    assert isinstance(read, Evidence)
    assert missing(read) == expected


@pytest.mark.requirement("R-P5")
def test_of_nothing_everything_is_missing() -> None:
    assert missing(Evidence()) == ("responsibility", "fitness.reasons", "current_state_summary")


@pytest.mark.requirement("R-P9")
@pytest.mark.parametrize("lang", Lang)
def test_the_brief_asks_for_every_field_that_is_checked(lang: Lang) -> None:
    brief = prompts.research_brief(lang, repository="shop", work="x", remarks=[])
    fields = [*SCHEMA["properties"], *SCHEMA["properties"]["fitness"]["properties"]]
    assert [field for field in fields if f"`{field}`" not in brief] == []
    assert SCHEMA["required"] == [*SCHEMA["properties"]]


@pytest.mark.requirement("R-P9")
@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from([*'{}[]":,\\\n`~', "```", "~~~", '"a"', "1", "json", " "])))
def test_any_answer_is_read_or_refused(root: Path, pieces: list[str]) -> None:
    assert isinstance(parse("".join(pieces), root), Fault)


def test_a_link_to_a_file_whose_name_is_no_text_is_no_evidence(tmp_path: Path) -> None:
    shop = a_tree(tmp_path / "shop", SHOP)
    named = shop / os.fsdecode(b"caf\xe9.py")
    named.write_text("x")
    (shop / "cafe.py").symlink_to(named)
    assert isinstance(parse(in_fence(written(evidence_files=["cafe.py"])), shop), Fault)
