"""The tools of friday as their callers were promised them: fields, codes, and no way round."""

import pytest

from ccweb_contract.errors import HTTP_STATUS, REMEDIES, ErrorCode
from ccweb_contract.tools import TOOLS, Tool, ToolGroup
from tests.contract.surfaces import snapshot

CANONICAL = {
    "get_feishu_work_item_context": ({"work_item_id"}, {"source", "space_id", "work_item_type"}),
    "create_feishu_technical_plan": (
        {"context_id", "idempotency_key", "blueprint_project_id"},
        set(),
    ),
    "get_technical_blueprint": ({"artifact_id"}, set()),
    "answer_blueprint_clarification": ({"thread_id", "body"}, {"artifact_id"}),
    "request_technical_blueprint_changes": ({"artifact_id", "comment", "rework_scope"}, set()),
    "approve_technical_blueprint": (
        {"artifact_id", "artifact_version_id", "content_hash", "technical_plan_id"},
        set(),
    ),
    "start_repo_research": ({"artifact_id"}, {"repository_ids"}),
}
"""What each call must and may hold."""
LEGACY: dict[str, tuple[set[str], set[str]]] = {
    "create_feature_tech_plan": (
        set(),
        {"project_id", "branch_name", "feature_list_text", "repository_id", "repository_ids"},
    ),
    "confirm_feature_tech_plan": ({"session_id"}, {"answers"}),
    "get_feature_tech_plan": ({"session_id"}, set()),
}
PLAN = {
    "session_id",
    "status",
    "questions",
    "classification",
    "routing",
    "plan",
    "markdown",
    "artifact_version_id",
    "feature_count",
    "truncated",
    "project_id",
    "source",
    "error",
    "run_id",
}
ITEM = {
    "key",
    "module",
    "name",
    "change_type",
    "confidence",
    "evidence_files",
    "suggested_location",
    "reason",
}
ERRORS = {
    "authentication_failed": 401,
    "invalid_params": 400,
    "branch_not_bound": 400,
    "empty_feature_list": 400,
    "project_not_found": 404,
    "session_not_found": 404,
    "not_feature_solution_session": 400,
    "forbidden": 403,
}
"""The table that callers of the feature list tools were given."""


TOOLS_BY_NAME = {tool.name.value: tool for tool in TOOLS.values()}
FRIDAY = [tool for tool in TOOLS.values() if tool.group is ToolGroup.FRIDAY]


def fields(tool: str) -> tuple[set[str], set[str]]:
    """Return what the arguments of a tool must and may hold."""
    schema = snapshot(f"{tool}.json")["inputSchema"]
    required = set(schema.get("required", ()))
    return required, set(schema["properties"]) - required


@pytest.mark.requirement("R-P1", "R-P8")
@pytest.mark.parametrize("tool", [*CANONICAL, *LEGACY])
def test_a_call_holds_the_fields_that_callers_were_given(tool: str) -> None:
    assert fields(tool) == {**CANONICAL, **LEGACY}[tool]


@pytest.mark.requirement("R-P8")
@pytest.mark.parametrize("tool", LEGACY)
def test_the_three_feature_list_tools_answer_in_one_shape(tool: str) -> None:
    answer = snapshot(f"{tool}.json")["outputSchema"]
    classification = answer["properties"]["classification"]["properties"]

    assert answer["properties"].keys() == PLAN
    assert set(answer["required"]) == PLAN - {
        "plan",
        "markdown",
        "artifact_version_id",
        "project_id",
        "error",
    }
    assert answer["properties"]["questions"]["items"]["properties"].keys() == {
        "question_id",
        "question",
        "type",
        "options",
        "recommended",
    }
    assert classification["items"]["items"]["properties"].keys() == ITEM
    assert classification["summary"]["properties"].keys() == {"new", "modify", "unclear"}
    assert answer["properties"]["error"]["properties"].keys() == {"error_code", "detail"}


@pytest.mark.requirement("R-P8")
def test_the_errors_of_the_feature_list_tools_have_their_statuses() -> None:
    declared = {code for name in LEGACY for code in TOOLS_BY_NAME[name].errors}
    assert {code: HTTP_STATUS[ErrorCode(code)] for code in ERRORS} == ERRORS
    assert set(ERRORS) <= declared


@pytest.mark.requirement("R-P6")
@pytest.mark.parametrize("tool", CANONICAL)
def test_a_canonical_tool_has_no_404_of_its_own(tool: str) -> None:
    missing = {code for code in TOOLS_BY_NAME[tool].errors if HTTP_STATUS[code] == 404}
    assert missing == {ErrorCode.UNKNOWN_TOOL}


@pytest.mark.requirement("R-P6")
@pytest.mark.parametrize("tool", LEGACY)
def test_each_feature_list_tool_declares_that_a_blueprint_shuts_it(tool: str) -> None:
    assert ErrorCode.USE_CANONICAL_BLUEPRINT in TOOLS_BY_NAME[tool].errors
    for remedy in REMEDIES[ErrorCode.USE_CANONICAL_BLUEPRINT].values():
        assert "`get_technical_blueprint`" in remedy


@pytest.mark.requirement("R-P6")
def test_no_canonical_remedy_leads_to_the_feature_list_tools() -> None:
    codes = {code for name in CANONICAL for code in TOOLS_BY_NAME[name].errors}
    for code in codes | {ErrorCode.MCP_VERSION_TOO_OLD}:
        for remedy in REMEDIES[code].values():
            assert not any(name in remedy for name in LEGACY), code


@pytest.mark.requirement("R-P4")
@pytest.mark.parametrize(
    "tool",
    [
        "answer_blueprint_clarification",
        "request_technical_blueprint_changes",
        "approve_technical_blueprint",
    ],
)
def test_what_a_person_decides_says_so_and_declares_the_refusal(tool: str) -> None:
    assert ErrorCode.HUMAN_REQUIRED in TOOLS_BY_NAME[tool].errors
    assert "person" in TOOLS_BY_NAME[tool].description


@pytest.mark.requirement("R-P1")
@pytest.mark.parametrize("tool", FRIDAY, ids=[tool.name.value for tool in FRIDAY])
def test_every_answer_names_its_run_and_every_call_may_have_a_wrong_one(tool: Tool) -> None:
    assert "run_id" in tool.output_schema["required"]
    assert ErrorCode.RUN_NOT_FOUND in tool.errors
