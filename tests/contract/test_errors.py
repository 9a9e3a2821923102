"""Error codes: their statuses, and that each says what helps."""

import pytest

from ccweb_contract.enums import Lang
from ccweb_contract.errors import COMMON_ERRORS, HTTP_STATUS, MEANINGS, REMEDIES, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.contract.surfaces import READMES, block

STATUSES = {
    401: {"authentication_failed"},
    403: {"forbidden", "human_required", "source_required", "path_outside"},
    404: {
        "unknown_tool",
        "target_not_found",
        "conversation_not_found",
        "request_not_found",
        "message_not_found",
        "ask_not_found",
        "board_not_found",
        "column_not_found",
        "task_not_found",
        "form_not_found",
        "image_not_found",
        "project_not_found",
        "session_not_found",
    },
    400: {
        "invalid_params",
        "invalid_reply_mode",
        "target_is_source",
        "image_refused",
        "branch_not_bound",
        "empty_feature_list",
        "not_feature_solution_session",
        "context_not_found",
        "work_item_not_found",
        "artifact_not_found",
        "thread_not_found",
        "run_not_found",
        "project_mismatch",
    },
    413: {"content_too_large", "image_too_large"},
    409: {
        "target_busy",
        "hop_limit_exceeded",
        "loop_guard",
        "already_returned",
        "already_ended",
        "turn_over",
        "agent_unavailable",
        "ask_closed",
        "conflict",
        "task_cancelled",
        "column_in_use",
        "use_canonical_blueprint",
        "idempotency_conflict",
        "stale",
        "evidence_incomplete",
        "orphan_read_only",
        "wrong_order",
    },
    500: {"internal"},
    501: {"mcp_version_too_old"},
    503: {"unavailable"},
}


@pytest.mark.requirement("R-D5")
def test_every_code_has_the_status_of_the_requirements() -> None:
    found: dict[int, set[str]] = {}
    for code, status in HTTP_STATUS.items():
        found.setdefault(status, set()).add(code.value)
    assert found == STATUSES


@pytest.mark.requirement("R-M2")
def test_every_code_has_a_meaning_and_a_remedy_in_both_languages() -> None:
    for texts in (MEANINGS, REMEDIES):
        assert texts.keys() == set(ErrorCode)
        assert {frozenset(text) for text in texts.values()} == {frozenset(Lang)}


@pytest.mark.requirement("R-M2")
def test_the_remedy_of_a_busy_target_is_to_end_the_turn_or_to_create_a_conversation() -> None:
    english = REMEDIES[ErrorCode.TARGET_BUSY][Lang.EN]
    chinese = REMEDIES[ErrorCode.TARGET_BUSY][Lang.ZH]

    assert "End your turn and say that the target was busy" in english
    assert f"`{ToolName.CCWEB_CREATE_CONVERSATION}`" in english
    assert "Do not poll" in english
    assert "结束本轮" in chinese
    assert "不要轮询" in chinese


@pytest.mark.requirement("R-M2")
def test_a_send_declares_every_refusal_of_a_send() -> None:
    refusals = {
        "target_not_found",
        "target_is_source",
        "target_busy",
        "hop_limit_exceeded",
        "loop_guard",
        "source_required",
        "content_too_large",
        "invalid_reply_mode",
    }
    assert set(TOOLS[ToolName.CCWEB_SEND_MESSAGE].errors) == refusals | set(COMMON_ERRORS)
    assert all(set(COMMON_ERRORS) <= set(tool.errors) for tool in TOOLS.values())


@pytest.mark.requirement("AC6")
@pytest.mark.parametrize("lang", list(Lang))
def test_the_readme_names_every_code_with_its_status_and_remedy(lang: Lang) -> None:
    rows = block(READMES[lang], "errors").splitlines()[2:]

    assert [row.split(" | ")[:2] for row in rows] == [
        [f"| `{code}`", str(HTTP_STATUS[code])] for code in ErrorCode
    ]
    assert [row.split(" | ")[3].removesuffix(" |") for row in rows] == [
        REMEDIES[code][lang] for code in ErrorCode
    ]
