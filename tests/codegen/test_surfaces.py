"""A group decides where its tools are shown, and an alias is shown nowhere."""

import json
from typing import Any

import jsonschema_rs
import pytest

from tests.codegen.projects import Project


def snapshot(project: Project, name: str) -> Any:
    """Return a generated snapshot."""
    return json.loads((project.out / "schemas" / name).read_text())


@pytest.mark.requirement("AC8")
def test_board_picture_and_form_tools_never_reach_the_dynamic_tools(project: Project) -> None:
    project.run()

    [namespace] = snapshot(project, "codex.dynamic_tools.json")
    listed = snapshot(project, "mcp.tools_list.json")["tools"]
    assert [tool["name"] for tool in namespace["tools"]] == ["talk_say"]
    assert [tool["name"] for tool in listed] == [
        "talk_say",
        "board_get",
        "media_show",
        "form_ask",
    ]


def test_no_namespace_is_made_when_no_tool_is_dynamic(project: Project) -> None:
    project.edit("surfaces: [mcp, dynamic, composer, http]", "surfaces: [mcp, http]")
    project.run()

    assert snapshot(project, "codex.dynamic_tools.json") == []
    assert (
        "DYNAMIC_TOOLS: list[dict[str, Any]] = [\n]\n"
        in (project.out / "acme_contract" / "tools.py").read_text()
    )


def test_a_group_that_leaves_a_surface_leaves_its_list(project: Project) -> None:
    project.edit(
        "    title: { en: Task board, zh: 任务看板 }\n    surfaces: [mcp, composer, http]\n",
        "    title: { en: Task board, zh: 任务看板 }\n    surfaces: [composer]\n",
    )
    project.run()

    listed = snapshot(project, "mcp.tools_list.json")["tools"]
    assert "board_get" not in [tool["name"] for tool in listed]
    assert "/tools/board_get" not in snapshot(project, "openapi.json")["paths"]
    assert "mcp:acme/board_get" in (project.out / "acme_contract" / "contract.js").read_text()


@pytest.mark.requirement("AC2")
def test_both_lists_of_definitions_change_with_the_one_entry(project: Project) -> None:
    project.edit('description: "Say it.', 'description: "Say it now.')
    project.run()

    [namespace] = snapshot(project, "codex.dynamic_tools.json")
    listed = snapshot(project, "mcp.tools_list.json")["tools"]
    dynamic, mcp = namespace["tools"][0], listed[0]
    assert dynamic["description"] == mcp["description"]
    assert dynamic["description"].startswith("Say it now.")
    assert dynamic["inputSchema"] == mcp["inputSchema"]


@pytest.mark.requirement("AC4")
def test_an_alias_stands_in_no_file_but_the_one_for_aliases(project: Project) -> None:
    project.run()

    holders = [name for name, data in project.files().items() if b"talk_shout" in data]
    assert holders == ["generated/acme_contract/aliases.py"]


@pytest.mark.requirement("R-C6")
def test_the_accepted_schema_adds_old_names_and_frees_what_old_calls_leave_out(
    project: Project,
) -> None:
    project.run()

    tool = snapshot(project, "talk_say.json")
    published, accepted = tool["inputSchema"], tool["acceptedSchema"]
    assert published["required"] == ["words", "mode"]
    assert accepted["required"] == ["words"]
    extra = accepted["properties"].keys() - published["properties"].keys()
    assert extra == {"whom"}
    assert accepted["properties"]["whom"]["type"] == "string"
    assert published["additionalProperties"] is accepted["additionalProperties"] is False


@pytest.mark.requirement("FC-47")
def test_a_call_by_an_old_definition_is_still_accepted_when_a_field_has_been_added(
    project: Project,
) -> None:
    project.run()
    known = snapshot(project, "talk_say.json")["inputSchema"]["properties"].keys()

    project.edit(
        "        toWhom: {", "        why: { type: string, description: Why. }\n        toWhom: {"
    )
    project.run()

    accepted = snapshot(project, "talk_say.json")["acceptedSchema"]
    old_call = {"words": "Hi", "mode": "loud", "pitch": "quiet", "toWhom": "c1"}
    assert old_call.keys() == known
    assert accepted["properties"].keys() - known == {"why", "whom"}
    assert jsonschema_rs.validator_for(accepted).is_valid(old_call)


@pytest.mark.requirement("R-C3")
def test_marks_of_the_contract_stay_in_the_contract(project: Project) -> None:
    project.run()

    text = "".join(data.decode() for name, data in project.files().items() if "schemas" in name)
    assert '"$at"' not in text
    assert '"$enum"' not in text
    assert '"$error"' not in text
    assert "#/components/" in text


def test_a_header_of_a_group_is_described_at_its_tools_and_at_no_other(project: Project) -> None:
    project.edit(
        "    title: { en: Task board, zh: 任务看板 }\n",
        "    title: { en: Task board, zh: 任务看板 }\n"
        "    header: { name: X-Board-Run, description: The run that a call belongs to. }\n",
    )
    project.run()

    endpoints = snapshot(project, "openapi.json")["paths"].values()
    described = {
        endpoint["post"]["operationId"]: endpoint["post"].get("parameters", [])
        for endpoint in endpoints
    }
    with_header = [name for name, parameters in described.items() if parameters]
    assert with_header == ["board_get"]
    assert described["board_get"][0] == {
        "name": "X-Board-Run",
        "in": "header",
        "required": False,
        "description": "The run that a call belongs to.",
        "schema": {"type": "string"},
    }
