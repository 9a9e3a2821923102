"""Lint finds what clients refuse and agents misread, by line and rule, and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from codegen import lint
from codegen.__main__ import main
from codegen.github import annotation
from codegen.lint.rule import Level, Rule
from tests.codegen.projects import ROOT, Project
from tests.codegen.random_contracts import Contract, contracts, written

NOTES = Path(__file__).parent / "fixture" / "notes.yaml"
LINE = re.compile(
    r"contract/tools\.yaml:(?P<line>\d+): (?P<level>error|warning): (?P<rule>[a-z-]+): (?P<says>.+)"
)
COUNTS = re.compile(r"\d+ errors?, \d+ warnings?")
DESCRIPTION = "    description: Find a note by its words.\n"
WAITS = "    description: Find a note. Wait for it.\n"
WAIVER = "    waive: { waiting-word: The index is built in the call. }\n"


class _Dumper(yaml.CSafeDumper):
    """Writes out again what stands there twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def merged(whole: Any, part: Any) -> Any:
    """Return a part of a contract laid over the whole."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return {**whole, **{key: merged(whole.get(key), child) for key, child in part.items()}}
    return part


@pytest.fixture
def notes(project: Project) -> Project:
    """Return a project whose contract has no finding."""
    project.contract.write_text(NOTES.read_text())
    return project


def lay_over(project: Project, example: str) -> None:
    """Lay an example of a rule over the project's contract."""
    whole, part = (
        yaml.load(text, Loader=yaml.CSafeLoader) for text in (project.contract.read_text(), example)
    )
    text = yaml.dump(merged(whole, part), Dumper=_Dumper, allow_unicode=True, sort_keys=False)
    project.contract.write_text(text)


def linted(project: Project, capsys: pytest.CaptureFixture[str]) -> list[re.Match[str]]:
    """Return the findings as `lint` tells them; its last words are their counts."""
    code = main(["--contract", str(project.contract.parent), "lint"])
    out, err = capsys.readouterr()
    findings = [match for line in out.splitlines() if (match := LINE.fullmatch(line))]
    assert len(findings) == len(out.splitlines()), out
    assert COUNTS.fullmatch(err.strip())
    assert code == int(any(finding["level"] == "error" for finding in findings))
    return findings


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize("rule", lint.RULES, ids=lambda rule: rule.id)
def test_the_bad_example_of_a_rule_breaks_that_rule_and_no_other(
    rule: Rule, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_over(notes, rule.bad)
    found = {(finding["rule"], finding["level"]) for finding in linted(notes, capsys)}
    assert found == {(rule.id, rule.level.value)}


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize("rule", lint.RULES, ids=lambda rule: rule.id)
def test_the_good_example_of_a_rule_breaks_none(
    rule: Rule, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_over(notes, rule.good)
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
def test_the_contract_of_the_product_has_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--contract", str(ROOT / "contract"), "lint"]) == 0
    assert capsys.readouterr() == ("", "0 errors, 0 warnings\n")


def test_every_rule_has_its_own_id_and_says_what_it_asks_and_why() -> None:
    ids = [rule.id for rule in lint.RULES]
    assert len(set(ids)) == len(ids)
    assert [rule.id for rule in lint.RULES if not (rule.asks and rule.why)] == []
    assert [rule.id for rule in lint.RULES if rule.check is None] == ["stale-waiver"]


@pytest.mark.requirement("R-C8")
def test_findings_are_told_in_order_of_lines_and_at_their_line(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, WAITS)
    notes.edit("have them reviewed.\n", "have them reviewed. Then poll.\n")
    notes.edit(
        '      en: "`{{ aliases.search_note }}` is',
        '      en: "Sleep. `{{ aliases.search_note }}` is',
    )

    findings = linted(notes, capsys)

    lines = notes.contract.read_text().splitlines()
    assert [lines[int(finding["line"]) - 1].strip() for finding in findings] == [
        "description: Find notes and have them reviewed. Then poll.",
        WAITS.strip(),
        'en: "Sleep. `{{ aliases.search_note }}` is called `{{ tools.find_note }}` now."',
    ]


@pytest.mark.requirement("R-C8")
def test_warnings_alone_are_shown_and_refuse_nothing(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit("description: What the note holds.", "description: The words.")
    assert [finding["level"] for finding in linted(notes, capsys)] == ["warning"]


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(
    "text",
    [
        "Wait for the answer.",
        "Poll it.",
        "Sleep for a second, then call again.",
        "Do not answer; wait for the note.",
        "Do not stop but keep checking.",
        "If it is not idle, wait for it.",
        "Check back every few seconds.",
        "Ask until the target is ready.",
        "It can\n      be found while you\n      wait.",
    ],
)
def test_an_invitation_to_wait_is_found(
    text: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, f"    description: |-\n      {text}\n")
    assert {finding["rule"] for finding in linted(notes, capsys)} == {"waiting-word"}


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(
    "text",
    [
        "Do not wait, sleep or poll for it, and do not ask how far it is.",
        "This is for looking something up, not for waiting: it comes by itself.",
        "Never call this in a loop.",
        "It comes by itself, so there is no need to poll.",
        "Go on instead of waiting.",
        "Go on rather than check back.",
        "You needn't\n      wait.",
        "The waiter brings it.",
    ],
)
def test_a_text_that_forbids_to_wait_is_taken(
    text: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, f"    description: |-\n      {text}\n")
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("请等待结果。", True),
        ("如果目标不空闲，等待它。", True),
        ("反复查询，直到任务完成。", True),
        ("不要等待、休眠或轮询，也不要去问进度。", False),
        ("这只用于查看，不用于等待：绝不要循环调用。", False),
    ],
)
def test_chinese_texts_are_read_as_well(
    text: str, found: bool, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit("从 `{{ tools.find_note }}` 取得 ID。", text)
    assert bool(linted(notes, capsys)) is found


@pytest.mark.requirement("R-C8")
def test_the_name_of_a_value_may_sound_like_waiting(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit("      newest: {", "      waiting: {")
    notes.edit(DESCRIPTION, "    description: Find a note that is `waiting`.\n")
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
def test_a_value_in_a_list_must_be_explained_as_well(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(
        "        words: { type: string, description: What the note holds. }\n",
        "        orders: { type: array, items: { $enum: Order }, description: Which ones. }\n",
    )
    assert [finding["rule"] for finding in linted(notes, capsys)] == ["unexplained-value"]


@pytest.mark.requirement("R-C8")
def test_a_value_that_no_list_shows_need_not_be_explained(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    best = "      best: { en: The one that fits best., zh: 最符合的在前。 }\n"
    notes.edit(
        best,
        f"{best}      first: {{ en: The one written first., zh: 最早的在前。 }}\n"
        "    deprecated: { first: { since: 1.2.0, reason: Nobody wanted it. } }\n",
    )
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(
    "place",
    [
        (
            "    group: notes\n    startsWork: true\n",
            "start_review",
            "description: Have a note reviewed.",
            "description: Wait.",
        ),
        ("  Order:\n", "Order", "en: The one written last.", "en: Wait."),
        ("  note_not_found:\n", "note_not_found", "en: There is no such note.", "en: Wait."),
        (
            "  notice_old_name:\n",
            "notice_old_name",
            'en: "`{{ aliases.search_note }}` is',
            'en: "Wait. `{{ aliases.search_note }}` is',
        ),
    ],
    ids=lambda place: place[1],
)
def test_a_waiver_covers_the_tool_enum_code_or_prompt_that_it_stands_in(
    place: tuple[str, str, str, str], notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    head, _, old, new = place
    notes.edit(old, new)
    assert [finding["rule"] for finding in linted(notes, capsys)] == ["waiting-word"]

    notes.edit(head, head + WAIVER)
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
def test_a_waiver_covers_no_other_rule_and_no_other_place(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, WAITS + WAIVER)
    notes.edit("description: What the note holds.", "description: The words.")
    notes.edit("description: Pin a note to the desk.", "description: Pin a note. Wait.")

    found = [(finding["rule"], finding["line"]) for finding in linted(notes, capsys)]

    lines = notes.contract.read_text().splitlines()
    assert [(rule, lines[int(line) - 1].strip()) for rule, line in found] == [
        ("empty-description", "words: { type: string, description: The words. }"),
        ("waiting-word", "description: Pin a note. Wait."),
    ]


@pytest.mark.requirement("R-C8")
def test_a_waiver_of_an_unknown_rule_is_a_finding_where_it_stands(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, DESCRIPTION + "    waive:\n      wait-word: It was misspelled.\n")

    (finding,) = linted(notes, capsys)

    line = notes.contract.read_text().splitlines()[int(finding["line"]) - 1]
    assert (finding["rule"], line.strip()) == ("stale-waiver", "wait-word: It was misspelled.")
    assert "'wait-word'" in finding["says"]


@pytest.mark.requirement("R-C8")
def test_waivers_and_what_lint_is_told_reach_no_generated_file(project: Project) -> None:
    project.run()
    before = project.files()
    project.edit("  Mode:\n", "  Mode:\n    waive: { a-rule: A reason. }\n")
    project.edit("  broken:\n", "  broken:\n    waive: { a-rule: A reason. }\n")
    project.edit(
        "  talk_say:\n",
        "  talk_say:\n    startsWork: true\n    waive: { a-rule: A reason. }\n",
    )
    project.edit("  digest:\n", "  digest:\n    waive: { a-rule: A reason. }\n")

    project.run()

    assert project.files() == before


@pytest.mark.requirement("R-C8")
def test_json_holds_each_finding_with_its_place(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, WAITS)
    folder = str(notes.contract.parent)

    assert main(["--contract", folder, "lint", "--format", "json"]) == 1

    (finding,) = json.loads(capsys.readouterr().out)
    assert finding == {
        "file": "contract/tools.yaml",
        "line": notes.contract.read_text().splitlines().index(WAITS.rstrip()) + 1,
        "level": "error",
        "rule": "waiting-word",
        "message": "'Wait' suggests waiting; say what happens by itself, or forbid it",
    }


@pytest.mark.requirement("R-C8")
def test_json_without_findings_is_an_empty_list(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--contract", str(notes.contract.parent), "lint", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.requirement("R-C8")
def test_github_is_given_one_workflow_command_a_finding(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, WAITS)
    line = notes.contract.read_text().splitlines().index(WAITS.rstrip()) + 1
    folder = str(notes.contract.parent)

    assert main(["--contract", folder, "lint", "--format", "github"]) == 1

    assert capsys.readouterr().out == (
        f"::error file=contract/tools.yaml,line={line},title=waiting-word"
        "::'Wait' suggests waiting; say what happens by itself, or forbid it\n"
    )


def test_what_would_end_a_part_of_a_workflow_command_is_escaped() -> None:
    command = annotation(Level.WARNING, "50%: a,\r\nb", file="a,b:c%.yaml", line=3, title="x:y")
    assert command == "::warning file=a%2Cb%3Ac%25.yaml,line=3,title=x%3Ay::50%25: a,%0D%0Ab"


@pytest.mark.requirement("R-C8")
def test_a_contract_that_does_not_compile_is_refused_before_lint_reads_it(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit("    group: desk\n", "    group: desks\n")
    assert main(["--contract", str(notes.contract.parent), "lint"]) == 2
    assert "unknown-group" in capsys.readouterr().err


@pytest.mark.requirement("R-C8")
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25
)
@given(contract=contracts())
def test_whatever_compiles_can_be_linted(
    contract: Contract, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.contract.write_text(written(contract))
    linted(project, capsys)
