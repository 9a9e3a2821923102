"""The page about friday says all that clients of its HTTP endpoints were promised, and no less."""

import json
import re
from collections.abc import Iterator, Mapping

import pytest

from ccweb_contract.enums import Lang
from scripts.documents import friday_blocks
from tests.contract.surfaces import ROOT

PAGES = {Lang.EN: ROOT / "docs" / "friday.md", Lang.ZH: ROOT / "docs" / "friday.zh.md"}

HEADERS = ("Authorization: Bearer", "Content-Type: application/json", "X-Friday-Run-ID:")
CANONICAL = {
    "create_feishu_technical_plan": ["context_id", "idempotency_key", "blueprint_project_id"],
    "get_technical_blueprint": ["artifact_id"],
    "answer_blueprint_clarification": ["thread_id", "body", "artifact_id"],
    "request_technical_blueprint_changes": ["artifact_id", "comment", "rework_scope"],
    "approve_technical_blueprint": [
        "artifact_id",
        "artifact_version_id",
        "content_hash",
        "technical_plan_id",
    ],
}
LEGACY = {
    "create_feature_tech_plan": [
        "project_id",
        "branch_name",
        "feature_list_text",
        "repository_id",
        "repository_ids",
    ],
    "confirm_feature_tech_plan": ["session_id", "answers"],
    "get_feature_tech_plan": ["session_id"],
}
OPTIONAL = {
    "answer_blueprint_clarification": {"artifact_id"},
    "create_feature_tech_plan": set(LEGACY["create_feature_tech_plan"]),
    "confirm_feature_tech_plan": {"answers"},
}
ADDED_TOOLS = {
    "get_feishu_work_item_context": [
        "work_item_id",
        "source",
        "space_id",
        "work_item_type",
    ],
    "start_repo_research": ["artifact_id", "repository_ids"],
}
"""What was promised by name alone; the arguments are our own."""

CONTEXT = ("project_id", "space_id", "blueprint_project_id", "context_id")
BLUEPRINT = (
    "project_id",
    "status",
    "markdown",
    "artifact_version_id",
    "content_hash",
    "technical_plan_id",
    "threads[].thread_id",
    "candidates[].task_status",
    "candidates[].responsibility",
    "candidates[].fitness.reasons",
    "candidates[].current_state_summary",
    "candidates[].matched_domains",
)
PLAN = (
    "session_id",
    "status",
    "questions[].question_id",
    "questions[].question",
    "questions[].type",
    "questions[].options",
    "questions[].recommended",
    "classification.items[].key",
    "classification.items[].module",
    "classification.items[].name",
    "classification.items[].change_type",
    "classification.items[].confidence",
    "classification.items[].evidence_files",
    "classification.items[].suggested_location",
    "classification.items[].reason",
    "classification.summary.new",
    "classification.summary.modify",
    "classification.summary.unclear",
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
)
VALUES = {
    "awaiting_confirmation",
    "researching",
    "completed",
    "failed",
    "project",
    "branch",
    "text",
    "pending_review",
    "confirmed",
    "repo_confirmation",
    "direct",
    "new",
    "modify",
    "unclear",
}
STATUSES = {
    "authentication_failed": 401,
    "invalid_params": 400,
    "branch_not_bound": 400,
    "empty_feature_list": 400,
    "project_not_found": 404,
    "session_not_found": 404,
    "not_feature_solution_session": 400,
    "forbidden": 403,
    "stale": 409,
}
"""The promised codes; `stale` was promised as a refusal of a state, without a number."""
ADDED_STATUSES = {
    "human_required": 403,
    "unknown_tool": 404,
    "use_canonical_blueprint": 409,
    "context_not_found": 400,
    "work_item_not_found": 400,
    "artifact_not_found": 400,
    "thread_not_found": 400,
    "run_not_found": 400,
    "project_mismatch": 400,
    "mcp_version_too_old": 501,
    "idempotency_conflict": 409,
    "evidence_incomplete": 409,
    "orphan_read_only": 409,
    "wrong_order": 409,
    "turn_over": 409,
    "agent_unavailable": 409,
    "internal": 500,
    "unavailable": 503,
}
"""What we have added: a code of its own for each prohibition, and those of every tool."""

DISPATCH = {Lang.EN: "coding is dispatched", Lang.ZH: "派发 Coding"}
NEVER_FOR_AN_ORPHAN = (
    "create_feishu_technical_plan",
    "answer_blueprint_clarification",
    "approve_technical_blueprint",
    "request_technical_blueprint_changes",
    "start_repo_research",
)
NEVER_FROM_CANCELLED = ("blocked", "in_progress", "done")
NEEDED_EVIDENCE = ("responsibility", "fitness.reasons", "current_state_summary")

EXAMPLES = (
    ("create_feature_tech_plan", False),
    ("confirm_feature_tech_plan", True),
    ("get_feature_tech_plan", True),
)
"""The promised examples: which tool, and whether the call goes on with a run."""

ORDER = {
    Lang.EN: (
        "idempotency_key",
        "`project_id`",
        "A person answers",
        "sends it back",
        "opens coding",
    ),
    Lang.ZH: (
        "idempotency_key",
        "核验 `project_id`",
        "真人逐题",
        "退回或批准",
        "才允许进入 Coding",
    ),
}
"""The order of control: begin, check the project, answer, decide on the text, only then code."""


def block(lang: Lang, name: str) -> str:
    """Return a rendered block of the page, as the page itself has it."""
    text = PAGES[lang].read_text()
    return text.split(f"<!-- code:{name} -->\n")[1].split(f"<!-- /code:{name} -->")[0]


def rows(table: str) -> list[list[str]]:
    """Return the rows of the tables in a text, without their heads."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    heads = {i - 1 for i, line in enumerate(lines) if line.startswith("| ---")}
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for i, line in enumerate(lines)
        if i not in heads and not line.startswith("| ---")
    ]


def sections(text: str) -> dict[str, str]:
    """Return the parts of a block by their headings."""
    return {part.partition("\n")[0]: part for part in text.split("#### ")[1:]}


def tools(lang: Lang, name: str) -> Iterator[tuple[str, str, dict[str, bool]]]:
    """Yield each tool of a table with its path and its arguments, each with whether it must be."""
    for tool, path, arguments in rows(block(lang, name)):
        given = re.findall(r"`(\w+)`(\\\*)?", arguments)
        yield tool.strip("`"), path.strip("`"), {field: bool(star) for field, star in given}


def answer(lang: Lang, name: str, tool: str) -> set[str]:
    """Return the fields that the page tells of a tool's answer."""
    word = {Lang.EN: "Answer", Lang.ZH: "响应字段"}[lang]
    [section] = [
        text
        for title, text in sections(block(lang, f"{name}-fields")).items()
        if title.startswith(word) and f"`{tool}`" in title
    ]
    return {row[0].removesuffix("\\*").strip("`") for row in rows(section)}


def required(promised: Mapping[str, list[str]]) -> dict[str, dict[str, bool]]:
    """Return the promised arguments, each with whether it must be sent."""
    return {
        tool: {field: field not in OPTIONAL.get(tool, ()) for field in fields}
        for tool, fields in promised.items()
    }


@pytest.mark.requirement("R-P1")
@pytest.mark.parametrize("lang", Lang)
def test_the_page_names_the_request_with_its_headers(lang: Lang) -> None:
    shown = block(lang, "request")
    assert re.search(r"^POST \{\w+\}/api/mcp/tools/\{tool_name\}/$", shown, re.MULTILINE)
    assert [header for header in HEADERS if f"\n{header}" not in shown] == []


@pytest.mark.requirement("R-P1", "R-P8")
@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize(("name", "promised"), [("canonical", CANONICAL), ("legacy", LEGACY)])
def test_each_promised_endpoint_stands_there_with_its_arguments(
    lang: Lang, name: str, promised: Mapping[str, list[str]]
) -> None:
    told = {tool: (path, fields) for tool, path, fields in tools(lang, name)}
    assert {tool: told[tool][1] for tool in promised} == required(promised)
    for tool, (path, _) in told.items():
        assert path == f"/api/mcp/tools/{tool}/"


@pytest.mark.parametrize("lang", Lang)
def test_beside_the_promised_tools_stand_only_those_that_are_known_to_be_added(lang: Lang) -> None:
    told = {tool: [*fields] for tool, _, fields in tools(lang, "canonical")}
    assert {tool: told[tool] for tool in told.keys() - CANONICAL} == ADDED_TOOLS
    assert {tool for tool, _, _ in tools(lang, "legacy")} == LEGACY.keys()


@pytest.mark.requirement("R-P2", "R-P3", "R-P8")
@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize(
    ("name", "tool", "fields"),
    [
        ("canonical", "get_feishu_work_item_context", CONTEXT),
        ("canonical", "create_feishu_technical_plan", ["blueprint_artifact_id", "run_id"]),
        ("canonical", "get_technical_blueprint", BLUEPRINT),
        ("canonical", "approve_technical_blueprint", ["confirmed.content_hash"]),
        *(("legacy", tool, PLAN) for tool in LEGACY),
    ],
)
def test_each_promised_field_of_an_answer_is_told(
    lang: Lang, name: str, tool: str, fields: tuple[str, ...]
) -> None:
    assert set(fields) - answer(lang, name, tool) == set()


@pytest.mark.parametrize("lang", Lang)
def test_each_promised_value_is_explained(lang: Lang) -> None:
    told = {row[0].strip("`"): row[1] for row in rows(block(lang, "values"))}
    assert told.keys() >= VALUES
    assert all(told.values())


@pytest.mark.requirement("R-P1")
@pytest.mark.parametrize("lang", Lang)
def test_each_code_has_its_promised_status_and_the_added_ones_are_known(lang: Lang) -> None:
    told = {code.strip("`"): int(status) for code, status, *_ in rows(block(lang, "errors"))}
    assert told == STATUSES | ADDED_STATUSES
    assert all(meaning and help_ for _, _, meaning, help_ in rows(block(lang, "errors")))


@pytest.mark.parametrize("lang", Lang)
def test_a_refusal_has_the_promised_form(lang: Lang) -> None:
    shown = json.loads(block(lang, "refusal").split("```json\n")[1].split("```")[0])
    assert list(shown) == ["error_code", "detail", "remedy"]


@pytest.mark.parametrize("lang", Lang)
def test_the_order_of_control_is_told_in_its_order(lang: Lang) -> None:
    text = PAGES[lang].read_text().split("### ")[1]
    steps = re.split(r"^\d\. ", text, flags=re.MULTILINE)[1:]
    assert len(steps) == len(ORDER[lang])
    for step, word in zip(steps, ORDER[lang], strict=True):
        assert word in step


@pytest.mark.requirement("R-P5")
@pytest.mark.parametrize("lang", Lang)
def test_the_evidence_gate_names_what_each_candidate_needs_and_what_it_shuts(lang: Lang) -> None:
    shown = block(lang, "evidence")
    assert [part for part in NEEDED_EVIDENCE if f"`{part}`" not in shown] == []
    assert dict(rows(shown)) == {
        "`answer_blueprint_clarification`": "`evidence_incomplete`",
        "`approve_technical_blueprint`": "`evidence_incomplete`",
        DISPATCH[lang]: "`evidence_incomplete`",
    }


@pytest.mark.requirement("R-P7")
@pytest.mark.parametrize("lang", Lang)
def test_every_prohibition_for_an_orphan_stands_there_with_its_refusal(lang: Lang) -> None:
    refused = dict(rows(block(lang, "orphan")))
    for tool in NEVER_FOR_AN_ORPHAN:
        assert refused[f"`{tool}`"] == "`orphan_read_only`"
    assert refused[DISPATCH[lang]] == "`orphan_read_only`"
    for state in NEVER_FROM_CANCELLED:
        assert refused[f"`cancelled` → `{state}`"] == "`task_cancelled`"


@pytest.mark.parametrize("lang", Lang)
def test_the_promised_calls_stand_there_as_commands(lang: Lang) -> None:
    calls = re.findall(r"```bash\n(.*?)```", block(lang, "legacy-examples"), re.DOTALL)
    for call, (tool, goes_on) in zip(calls, EXAMPLES, strict=True):
        assert f"/api/mcp/tools/{tool}/" in call
        assert ("X-Friday-Run-ID" in call) is goes_on
        fields = json.loads(call.split("-d '")[1].rpartition("'")[0])
        assert fields.keys() <= set(LEGACY[tool])
        assert fields


@pytest.mark.requirement("R-C3")
@pytest.mark.parametrize("lang", Lang)
def test_nothing_that_the_contract_says_is_written_by_hand(lang: Lang) -> None:
    text = PAGES[lang].read_text()
    for name in friday_blocks(lang):
        text = text.replace(block(lang, name), "")
    assert "curl" not in text
    assert not re.search(r"^\|", text, re.MULTILINE)
    assert set(re.findall(r"\b[1-5]\d\d\b", text)) == {"404"}


def test_both_languages_have_the_same_parts_in_the_same_order() -> None:
    english, chinese = (
        re.findall(r"^(?:#{1,3}|<!-- /?code:[a-z-]+)", path.read_text(), re.MULTILINE)
        for path in PAGES.values()
    )
    assert english == chinese
