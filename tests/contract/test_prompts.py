"""What models read: whole texts as golden files, and what no value can do to them."""

import inspect
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ccweb_contract import prompts
from ccweb_contract.enums import EXPLANATIONS, Lang, Outcome
from tests.contract.golden_prompts import (
    FOLDER,
    HOSTILE,
    PROMPTS,
    a_reply,
    an_empty_reply,
    golden_file,
)

NAMES = [
    name
    for name, function in vars(prompts).items()
    if inspect.isfunction(function) and not name.startswith("_")
]
LANGS = list(Lang)


@pytest.mark.requirement("AC5", "R-T5")
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_reads_as_its_golden_file(name: str, lang: Lang) -> None:
    expected = golden_file(name, lang).read_bytes().decode()
    assert f"{PROMPTS[name](lang)}\n" == expected


def test_every_prompt_has_golden_files_and_every_golden_file_a_prompt() -> None:
    assert list(PROMPTS) == NAMES
    expected = {golden_file(name, lang) for name in NAMES for lang in Lang}
    assert set(FOLDER.iterdir()) == expected


def in_order(text: str, *parts: str) -> bool:
    """Return whether the parts stand in the text, one after the other."""
    places = [text.find(part) for part in parts]
    return -1 not in places and all(a < b for a, b in pairwise(places))


ONE_WAY_SAYS = {
    Lang.EN: "it is not returned to the source",
    Lang.ZH: "本轮输出只留在本对话，不会自动回传来源",
}


@pytest.mark.requirement("R-T1", "AC5")
@pytest.mark.parametrize("lang", LANGS)
def test_a_one_way_prompt_names_its_source_and_says_that_nothing_is_returned(lang: Lang) -> None:
    text = prompts.target_one_way(lang, source_title="Main", source_id="c_1", message="Hello.")

    assert in_order(text, "one_way", "Main", "c_1", "```text\nHello.\n```", ONE_WAY_SAYS[lang])


RETURN_SAYS = {
    Lang.EN: (
        "ccweb returns the final output of this turn to the source by itself",
        "Deliver when the work is really done or you are clearly blocked, and in full",
        "Do not send a message by hand to answer this request",
    ),
    Lang.ZH: (
        "系统会自动把本轮最终输出回传给来源",
        "在真正完成或明确阻塞之后，给出完整交付",
        "不要为回复本请求而手工发送消息",
    ),
}


@pytest.mark.requirement("R-T2", "AC5", "FC-18")
@pytest.mark.parametrize("lang", LANGS)
def test_a_return_prompt_says_how_the_answer_gets_back(lang: Lang) -> None:
    text = prompts.target_return_and_continue(
        lang, source_title="Main", source_id="c_1", request_id="r_1", message="Test it."
    )

    message = "```text\nTest it.\n```"
    assert in_order(text, "return_and_continue", "Main", "c_1", "r_1", message, *RETURN_SAYS[lang])


CONTINUATION_SAYS = {
    Lang.EN: (
        "First judge, for each reply, whether it fully satisfies its original request.",
        '"Returned" is not "done"',
    ),
    Lang.ZH: ("首先逐条判断：返回是否完整满足对应的原始请求", "“已返回”不等于“已完成”"),
}


@pytest.mark.requirement("R-T3", "AC5", "FC-65", "FC-56")
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_continuation_shows_each_reply_and_asks_for_a_judgement_first(
    outcome: Outcome, lang: Lang
) -> None:
    reply = prompts.returned_reply(
        lang,
        request_id="r_1",
        target_title="Tests",
        target_id="c_2",
        outcome=outcome,
        stop_reason="max_turns",
        original_request="Run the tests.",
        reply_text="All green.",
        cuts=[],
    )

    text = prompts.source_continuation(lang, replies=[reply])

    assert in_order(
        text,
        "r_1",
        "Tests",
        "c_2",
        f"`{outcome}`",
        EXPLANATIONS[Outcome][outcome][lang],
        "max_turns",
        "```text\nRun the tests.\n```",
        "```text\nAll green.\n```",
        *CONTINUATION_SAYS[lang],
    )


@pytest.mark.requirement("R-T3", "R-M6")
def test_several_replies_stand_one_after_the_other_in_their_order() -> None:
    replies = [a_reply(Lang.EN), an_empty_reply(Lang.EN)]
    text = prompts.source_continuation(Lang.EN, replies=replies)
    assert "\n\n".join(replies) in text


@pytest.mark.requirement("R-M3", "FC-3")
@pytest.mark.parametrize("lang", LANGS)
def test_a_reply_says_in_our_words_what_was_not_kept_or_not_returned(lang: Lang) -> None:
    text = an_empty_reply(lang)
    said = {
        Lang.EN: ("(the original text was not kept)", "(it returned no text)", "none given"),
        Lang.ZH: ("（原始请求文本未保留）", "（没有返回任何文本）", "未给出"),
    }
    assert all(words in text for words in said[lang])
    assert "```" not in text
    fake = prompts.demo_reply(
        lang, target_title="T", outcome=Outcome.EMPTY, reply_text=said[lang][1]
    )
    assert f"```text\n{said[lang][1]}\n```" in fake, "a text that says so is fenced"


@pytest.mark.requirement("R-M9")
@pytest.mark.parametrize("lang", LANGS)
def test_a_cut_says_what_is_missing_and_how_to_read_on(lang: Lang) -> None:
    text = prompts.cut_notice(
        lang, what="x", conversation_id="c_1", message_id="m_1", offset=100, left_out=23
    )
    for part in ("ccweb_get_conversation", "c_1", "m_1", "offset 100", "23"):
        assert part in text


foreign = st.text(
    st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]) | st.sampled_from("`~\n "),
    max_size=200,
)


@pytest.mark.requirement("R-T5")
@given(message=foreign)
def test_no_message_closes_its_fence_or_changes_the_words_around_it(message: str) -> None:
    around = {}
    for sent in (message, "calm"):
        text = prompts.target_one_way(Lang.EN, source_title="T", source_id="c_1", message=sent)
        [fence] = [token for token in MarkdownIt().parse(text) if token.type == "fence"]
        assert fence.content == f"{sent}\n"
        assert fence.map is not None
        lines, (first, last) = text.split("\n"), fence.map
        around[sent] = lines[:first] + lines[last:]

    assert around[message] == around["calm"]


@pytest.mark.requirement("R-T5")
@given(title=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_no_title_begins_a_line_of_its_own(title: str) -> None:
    text = prompts.loop_resumed(Lang.EN, target_title=title, target_id="c_1")
    calm = prompts.loop_resumed(Lang.EN, target_title="calm", target_id="c_1")
    assert len(text.splitlines()) == len(calm.splitlines())


@pytest.mark.requirement("R-T5")
def test_template_syntax_in_a_value_is_never_evaluated() -> None:
    syntax = "{{ 7 * 7 }} {source_id} <<source_id>> {% if x %} %(x)s ${x}"
    text = prompts.target_one_way(Lang.EN, source_title=syntax, source_id="c_1", message=syntax)
    assert text.count(syntax) == 2
    assert text.count("c_1") == 1


@pytest.mark.requirement("R-T5")
def test_a_continuation_inside_a_later_text_stays_whole_in_its_fence() -> None:
    inner = prompts.source_continuation(Lang.EN, replies=[a_reply(Lang.EN)])
    text = prompts.unfinished_continuation(Lang.EN, texts=[prompts.leftover(Lang.EN, text=inner)])
    [fence] = [token for token in MarkdownIt().parse(text) if token.type == "fence"]
    assert fence.content == f"{inner}\n"
    assert HOSTILE in fence.content
