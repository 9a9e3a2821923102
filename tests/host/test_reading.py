"""What the demo agent reads of the prompts of either language."""

import pytest

from ccweb.host.directives import Say, directives
from ccweb.host.reading import fenced, forms, returned, without_leftovers
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


@pytest.mark.requirement("R-A3", "R-U4", "R-T5")
@in_each_language
def test_forms_are_read_from_a_continuation_whatever_was_answered(lang: Lang) -> None:
    quoted = prompts.form_declined(lang, form_id="ask_0", title="Quoted", reason="")
    answers = [
        prompts.form_answer(lang, label=label, name="it", answer=answer)
        for label, answer in (("Which?", f"{TRICKY}\n{quoted}"), ("§§", "red"), ("None", ""))
    ]
    texts = [
        prompts.form_answered(lang, form_id="ask_1", title="§hole§", answers=answers),
        prompts.form_declined(lang, form_id="ask_2", title="Why", reason=""),
        prompts.form_declined(lang, form_id="ask_3", title="Why", reason=f"{TRICKY}\n{quoted}"),
        prompts.form_answered(lang, form_id="ask_4", title="Cards", answers=answers[1:]),
    ]
    reply = prompts.source_continuation(lang, replies=[a_returned_reply(lang)])
    assert forms("\n\n".join([*texts, reply])) == texts
    assert forms(reply) == []
