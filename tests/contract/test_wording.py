"""The words that models act on: one rule in the same words everywhere, no invitation to wait."""

import re

import pytest

from ccweb_contract import prompts
from ccweb_contract.enums import EXPLANATIONS, Lang, ReplyMode
from ccweb_contract.errors import REMEDIES, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.contract.surfaces import READMES, block

RULE = {
    Lang.EN: (
        "Use `one_way` only when you do not need the target's result. "
        "You must use `return_and_continue` for analysis, implementation, tests or acceptance, "
        "when you ask for a report on completion, and whenever your next step depends on the "
        "result. If in doubt, use `return_and_continue`."
    ),
    Lang.ZH: (
        "只有在你不需要目标的结果时，才使用 `one_way`。分析、实现、测试、验收、要求完成后汇报，"
        "或你的下一步依赖结果时，必须使用 `return_and_continue`。"
        "拿不准时，使用 `return_and_continue`。"
    ),
}
WAITING = re.compile(
    r"\b(wait\w*|poll\w*|sleep\w*|loop\w*|until|blocks?|blocking|check (again|back))\b",
    re.IGNORECASE,
)
PROHIBITIONS = (
    "Do not wait, sleep or poll for it",
    "Do not wait, sleep or poll for them",
    "not for waiting",
    "never call this in a loop",
    "`waiting`: ",
    "`blocked`: ",
)


@pytest.mark.requirement("R-C1", "FC-41")
def test_the_rule_for_choosing_a_mode_stands_everywhere_in_the_same_words() -> None:
    send, create = TOOLS[ToolName.CCWEB_SEND_MESSAGE], TOOLS[ToolName.CCWEB_CREATE_CONVERSATION]
    english = {
        "description": send.description,
        "field": send.input_schema["properties"]["replyMode"]["description"],
        "summary": send.summary[Lang.EN],
        "creation": create.description,
        "instructions": prompts.server_instructions(Lang.EN),
        "notice": prompts.notice_missing_reply_mode(Lang.EN),
        "remedy": REMEDIES[ErrorCode.INVALID_REPLY_MODE][Lang.EN],
        "README": block(READMES[Lang.EN], "tools"),
    }
    chinese = {
        "summary": send.summary[Lang.ZH],
        "instructions": prompts.server_instructions(Lang.ZH),
        "notice": prompts.notice_missing_reply_mode(Lang.ZH),
        "remedy": REMEDIES[ErrorCode.INVALID_REPLY_MODE][Lang.ZH],
        "README": block(READMES[Lang.ZH], "tools"),
    }
    assert [place for place, text in english.items() if RULE[Lang.EN] not in text] == []
    assert [place for place, text in chinese.items() if RULE[Lang.ZH] not in text] == []


@pytest.mark.requirement("R-C1", "AC6")
def test_both_modes_are_explained_where_they_are_chosen_and_in_the_readme() -> None:
    field = TOOLS[ToolName.CCWEB_SEND_MESSAGE].input_schema["properties"]["replyMode"]
    for mode in ReplyMode:
        assert f"`{mode}`: {EXPLANATIONS[ReplyMode][mode][Lang.EN]}" in field["description"]
        assert all(f"`{mode}`" in block(path, "tools") for path in READMES.values())


@pytest.mark.requirement("FC-48", "R-T4")
@pytest.mark.parametrize(
    "text",
    [
        TOOLS[ToolName.CCWEB_SEND_MESSAGE].description,
        TOOLS[ToolName.CCWEB_CREATE_CONVERSATION].description,
        prompts.server_instructions(Lang.EN),
    ],
    ids=["send", "create", "instructions"],
)
def test_the_text_says_to_end_the_turn_because_it_will_be_continued(text: str) -> None:
    assert "The call returns at once in every mode" in text
    assert "end your turn: you will be continued with the answer in a new turn" in text
    assert "Do not wait, sleep or poll" in text


@pytest.mark.requirement("FC-50")
@pytest.mark.parametrize(
    "name",
    [
        ToolName.CCWEB_LIST_CONVERSATIONS,
        ToolName.CCWEB_GET_CONVERSATION,
        ToolName.CCWEB_LIST_PENDING_REPLIES,
        ToolName.CCWEB_GET_PENDING_REPLY,
        ToolName.CCWEB_GET_FORM,
    ],
)
def test_a_tool_that_shows_says_that_it_is_not_for_waiting(name: ToolName) -> None:
    assert "not for waiting" in TOOLS[name].description
    assert "never call this in a loop" in TOOLS[name].description


@pytest.mark.requirement("R-T4")
@pytest.mark.parametrize("lang", list(Lang))
def test_the_instructions_are_short_and_name_the_tools(lang: Lang) -> None:
    text = prompts.server_instructions(lang)
    named = set(re.findall(r"ccweb_\w+", text))
    assert named == {
        ToolName.CCWEB_SEND_MESSAGE,
        ToolName.CCWEB_LIST_CONVERSATIONS,
        ToolName.CCWEB_CREATE_CONVERSATION,
        ToolName.CCWEB_LIST_PENDING_REPLIES,
        ToolName.CCWEB_GET_PENDING_REPLY,
        ToolName.CCWEB_REQUEST_FORM,
        ToolName.CCWEB_SHOW_IMAGE,
        ToolName.CCWEB_GET_BOARD,
    }
    assert len(text) < 2048


@pytest.mark.requirement("FC-48", "FC-50")
@pytest.mark.parametrize("name", list(ToolName))
def test_no_tool_text_speaks_of_waiting_but_to_forbid_it(name: ToolName) -> None:
    tool = TOOLS[name]
    fields = [*tool.input_schema["properties"].values(), *tool.output_schema["properties"].values()]
    texts = [tool.description, *(field["description"] for field in fields)]
    for text in texts:
        for prohibition in PROHIBITIONS:
            text = text.replace(prohibition, "")
        assert WAITING.findall(text) == []


def test_the_search_for_waiting_words_finds_them() -> None:
    for text in ("Wait for it.", "Poll the status.", "Call it until it is done.", "It blocks."):
        assert WAITING.search(text)
