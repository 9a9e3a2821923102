"""`python -m codegen lint`: its lines, its formats, its exit codes, and waivers."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

from codegen.__main__ import main
from codegen.github import annotation
from codegen.lint.rule import Level
from tests.codegen.linting import DESCRIPTION, linted
from tests.codegen.projects import ROOT, Project
from tests.codegen.random_contracts import Contract, contracts, written

WAITS = "    description: Find a note. Wait for it.\n"
WAIVER = "    waive: { waiting-word: The index is built in the call. }\n"


@pytest.mark.requirement("R-C8")
def test_the_contract_of_the_product_has_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--contract", str(ROOT / "contract"), "lint"]) == 0
    assert capsys.readouterr() == ("", "0 errors, 0 warnings\n")


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


@pytest.mark.requirement("R-C8")
def test_github_is_given_the_path_below_the_checkout(
    notes: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.edit(DESCRIPTION, WAITS)
    monkeypatch.chdir(notes.root.parent)

    main(["--contract", str(notes.contract.parent), "lint", "--format", "github"])

    assert capsys.readouterr().out.startswith("::error file=acme/contract/tools.yaml,line=")


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
