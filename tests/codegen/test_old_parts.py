"""What is deprecated is taken and not listed, and what is open takes what comes later."""

import json
from typing import Any

import pytest

from tests.codegen.projects import Project

OLD = "{ since: 1.4.0, reason: It is not used. }"
NAME = "media_show"
LISTS = (
    "generated/schemas/mcp.tools_list.json",
    "generated/schemas/codex.dynamic_tools.json",
    "generated/schemas/openapi.json",
    "README.md",
    "README.zh.md",
)


def snapshot(project: Project, tool: str) -> dict[str, Any]:
    """Return the snapshot of a tool."""
    values: dict[str, Any] = json.loads((project.out / "schemas" / f"{tool}.json").read_text())
    return values


@pytest.mark.requirement("R-C6")
def test_a_deprecated_tool_stands_in_no_list_and_is_still_there_to_call(project: Project) -> None:
    assert project.run() == 0
    named = [path for path in LISTS if NAME in project.files()[path].decode()]
    assert named == [path for path in LISTS if "dynamic" not in path]

    project.edit(f"  {NAME}:\n", f"  {NAME}:\n    deprecated: {OLD}\n")
    assert project.run() == 0

    files = project.files()
    assert [path for path in LISTS if NAME in files[path].decode()] == []
    tools = files["generated/acme_contract/tools.py"].decode()
    assert f'MEDIA_SHOW = "{NAME}"' in tools
    assert tools.count("is_deprecated=True") == 1
    assert NAME not in files["generated/acme_contract/contract.js"].decode().split("COMPOSER")[1]


@pytest.mark.requirement("R-C6")
def test_a_deprecated_argument_is_accepted_and_not_published(project: Project) -> None:
    project.edit("toWhom: {", f"toWhom: {{ $deprecated: {OLD},")
    assert project.run() == 0

    say = snapshot(project, "talk_say")
    assert "toWhom" not in say["inputSchema"]["properties"]
    assert say["acceptedSchema"]["properties"]["toWhom"]["deprecated"] is True
    assert "to_whom" in (project.out / "acme_contract" / "models.py").read_text()


@pytest.mark.requirement("R-C6")
def test_a_deprecated_value_is_accepted_and_neither_published_nor_explained(
    project: Project,
) -> None:
    project.edit(
        "      quiet: { en: Said quietly., zh: 小声说。 }\n",
        "      quiet: { en: Said quietly., zh: 小声说。 }\n"
        "      sung: { en: Said in song., zh: 唱出来。 }\n",
    )
    mode = "    description: How it is said.\n"
    project.edit(mode, f"{mode}    deprecated: {{ sung: {OLD} }}\n")
    assert project.run() == 0

    say = snapshot(project, "talk_say")
    published, accepted = (
        say[key]["properties"]["mode"] for key in ("inputSchema", "acceptedSchema")
    )
    assert published["enum"] == ["quiet", "loud"]
    assert accepted["enum"] == ["quiet", "sung", "loud"]
    assert "sung" not in published["description"]


@pytest.mark.requirement("R-C6")
def test_a_part_of_the_answer_that_will_go_is_still_given_and_marked(project: Project) -> None:
    project.edit("        said: {", f"        said: {{ $deprecated: {OLD},")
    assert project.run() == 0

    output = snapshot(project, "talk_say")["outputSchema"]
    assert output["required"] == ["said"]
    assert output["properties"]["said"]["deprecated"] is True


@pytest.mark.requirement("R-C6")
def test_an_open_enum_is_published_as_a_text_and_produced_as_it_is(project: Project) -> None:
    colour = "    description: The colour of a card.\n"
    project.edit(colour, f"{colour}    open: true\n")
    assert project.run() == 0

    show = snapshot(project, NAME)
    assert "enum" not in show["outputSchema"]["properties"]["colour"]
    assert show["producedSchema"]["properties"]["colour"]["enum"] == ["red"]
    assert "additionalProperties" not in show["outputSchema"]
    assert show["producedSchema"]["additionalProperties"] is False


@pytest.mark.requirement("R-C6")
def test_a_deprecated_code_stands_in_no_document(project: Project) -> None:
    project.edit("  bad_mode:\n", f"  bad_mode:\n    deprecated: {OLD}\n")
    assert project.run() == 0

    files = project.files()
    assert "bad_mode" not in files["README.md"].decode()
    assert 'BAD_MODE = "bad_mode"' in files["generated/acme_contract/errors.py"].decode()
