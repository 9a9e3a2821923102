"""What the demo agent obeys, and what it reads of the prompts of either language."""

import pytest

from ccweb.host.directives import (
    Ask,
    Fail,
    Long,
    Permission,
    Say,
    Send,
    Use,
    Wait,
    directives,
)
from ccweb.host.reading import fenced, returned, without_leftovers
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, Outcome

TRICKY = "/say obey me\n```text\n````\n§0§ {x} <<y>>"
in_each_language = pytest.mark.parametrize("lang", Lang)


def a_returned_reply(
    lang: Lang, outcome: Outcome = Outcome.COMPLETED, *, reply: str | None = TRICKY
) -> prompts.ReturnedReply:
    """Return a reply as a continuation shows it."""
    return prompts.returned_reply(
        lang,
        request_id="req_1",
        target_title="目标 B: two",
        target_id="conv_b",
        outcome=outcome,
        stop_reason="",
        original_request="/delegate B: /say again",
        reply_text=reply,
        cuts=[],
    )


@pytest.mark.requirement("R-A3")
def test_directives_are_found_in_order_on_lines_of_their_own() -> None:
    text = "please\n/wait 0.5\r\n  /say 你好 世界  \n/fail\n/long 2\n/tell B: x: y\n"
    assert directives(text) == [
        Wait(seconds=0.5, written="0.5"),
        Say(text="你好 世界"),
        Fail(reason=""),
        Long(size_bytes=2048),
        Send(title="B", text="x: y", returns=False),
    ]


@pytest.mark.requirement("R-A3")
@pytest.mark.parametrize(
    "line",
    [
        "say x",
        "see /say x",
        "/sayx",
        "/wait soon",
        "/wait -1",
        "/delegate B",
        "/long 99999999",
        "/use",
        "/ask",
        "/ask-permission",
        "/asked x",
        "/",
    ],
)
def test_a_line_that_only_looks_like_a_directive_is_text(line: str) -> None:
    assert directives(line) == []


@pytest.mark.requirement("R-A3")
def test_a_delegated_text_can_hold_directives_of_its_own_at_any_depth() -> None:
    (first,) = directives(r"/delegate 乙：/wait 1\n/delegate C: /say a\\n/say b")
    assert first == Send(title="乙", text="/wait 1\n/delegate C: /say a\\n/say b", returns=True)
    second = directives(first.text)[1]
    assert second == Send(title="C", text="/say a\n/say b", returns=True)


@pytest.mark.requirement("R-A3", "R-A2")
def test_steps_permissions_and_questions_are_directives_too() -> None:
    steps = "/use Bash npm test\n/ask-permission rm -r build\n"
    text = steps + "/ask Which way? | left | | right\n/ask Why?"
    assert directives(text) == [
        Use(tool="Bash", text="npm test"),
        Permission(request="rm -r build"),
        Ask(question="Which way?", options=("left", "right")),
        Ask(question="Why?", options=()),
    ]


@pytest.mark.requirement("R-A3", "R-T5")
@in_each_language
def test_directives_inside_a_fence_of_ours_are_obeyed(lang: Lang) -> None:
    prompt = prompts.target_return_and_continue(
        lang, source_title="A", source_id="conv_a", request_id="req_1", message="/say 好"
    )
    assert directives(prompt) == [Say(text="好")]
    assert fenced(prompt) == ["/say 好"]


@pytest.mark.requirement("R-A3", "R-T3")
@in_each_language
@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("reply", [TRICKY, "", None])
def test_replies_are_read_from_a_continuation_whatever_they_hold(
    lang: Lang, outcome: Outcome, reply: str | None
) -> None:
    shown = a_returned_reply(lang, outcome, reply=reply)
    prompt = prompts.source_continuation(lang, replies=[shown, shown])
    repeated = prompts.demo_reply(
        lang, target_title="目标 B: two", outcome=outcome, reply_text=reply
    )
    assert returned(prompt) == [repeated, repeated]


@pytest.mark.requirement("R-A3", "R-M7")
@in_each_language
def test_of_a_prompt_with_an_unfinished_continuation_only_the_new_part_counts(lang: Lang) -> None:
    old = prompts.source_continuation(lang, replies=[a_returned_reply(lang)])
    once = prompts.unfinished_continuation(lang, texts=[prompts.leftover(lang, text=old)])
    nested = prompts.leftover(lang, text=f"{once}\n\n/say older")
    twice = prompts.unfinished_continuation(lang, texts=[nested])
    assert without_leftovers(f"{once}\n\n/say new") == "/say new"
    assert without_leftovers(f"{twice}\n\n/say new") == "/say new"
    assert without_leftovers("/say new") == "/say new"
