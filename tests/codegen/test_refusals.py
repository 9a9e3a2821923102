"""A bad contract is refused by file, line and rule, and nothing is written."""

import re

import pytest

from tests.codegen import refused_forms, refused_lifecycle, refused_parts, refused_promises
from tests.codegen.projects import Case, Project

CASES = refused_forms.CASES | refused_parts.CASES | refused_promises.CASES | refused_lifecycle.CASES
RESERVED_BY_CODEX = (
    "functions",
    "multi_tool_use",
    "file_search",
    "web",
    "browser",
    "image_gen",
    "computer",
    "container",
    "terminal",
    "python",
    "python_user_visible",
    "api_tool",
    "tool_search",
    "submodel_delegator",
)
"""As openai/codex#20724 lists them."""
PROBLEM = re.compile(r"contract/tools\.yaml:(?P<line>\d+): (?P<rule>[a-z-]+): (?P<says>.*)")


@pytest.mark.requirement("R-C2")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_bad_contract_is_refused_by_line_and_rule_and_nothing_is_written(
    case: Case, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.edit(case.old, case.new)
    before = project.files()

    assert project.run() == 2

    *said, last = capsys.readouterr().err.splitlines()
    problems = [match for text in said if (match := PROBLEM.fullmatch(text))]
    lines = project.contract.read_text().splitlines()
    start = case.at or case.new.splitlines()[0].strip()
    found = [p for p in problems if p["rule"] == case.rule and case.says in p["says"]]
    assert [p for p in found if start in lines[int(p["line"]) - 1]], said
    assert len(problems) == len(said)
    assert last == "Nothing was written."
    assert project.files() == before


@pytest.mark.requirement("R-C2")
def test_all_mistakes_of_one_kind_of_check_are_told_at_once_in_order_of_lines(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.edit("    group: media\n", "    group: medium\n")
    project.edit("    errors: [bad_mode]\n", "    errors: [bad_mode, worse]\n")
    project.edit("    tool: talk_say\n", "    tool: talk_cry\n")

    assert project.run() == 2

    *said, _ = capsys.readouterr().err.splitlines()
    problems = [match for text in said if (match := PROBLEM.fullmatch(text))]
    assert [p["rule"] for p in problems] == ["unknown-error", "unknown-group", "alias-to-nothing"]
    assert [int(p["line"]) for p in problems] == sorted(int(p["line"]) for p in problems)


@pytest.mark.requirement("R-C2")
def test_a_check_of_a_bad_contract_is_refused_as_well(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.edit("    group: media\n", "    group: medium\n")

    assert project.run("--check") == 2
    assert "unknown-group" in capsys.readouterr().err


@pytest.mark.requirement("R-C2")
@pytest.mark.parametrize("name", RESERVED_BY_CODEX)
def test_a_namespace_that_codex_keeps_for_itself_is_refused(
    name: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.edit("  namespace: acme\n", f"  namespace: {name}\n")
    assert project.run() == 2
    assert f"Codex keeps the name {name!r} for itself" in capsys.readouterr().err
