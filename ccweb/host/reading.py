"""What the demo agent can read of the prompts that ccweb writes."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from ccweb_contract import prompts
from ccweb_contract.enums import EXPLANATIONS, Lang, Outcome

_FENCE: Final = re.compile(r"^(`{3,})text\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_HOLE: Final = "§hole§"


def fenced(prompt: str) -> list[str]:
    """Return the texts of others that stand in a prompt's fences, in order."""
    return [found[2] for found in _FENCE.finditer(prompt)]


def without_leftovers(prompt: str) -> str:
    """Return what is new in a prompt that begins with a continuation that did not finish."""
    for lang in Lang:
        head, tail = _around_leftovers(lang)
        if prompt.startswith(head):
            return prompt.rpartition(tail)[2].lstrip("\n")
    return prompt


@cache
def _around_leftovers(lang: Lang) -> tuple[str, str]:
    """Return the contract's words before and after what an unfinished continuation held."""
    hole = prompts.leftover(lang, text=_HOLE)
    head, tail = prompts.unfinished_continuation(lang, texts=[hole]).split(hole)
    return head, tail


def returned(prompt: str) -> list[prompts.DemoReply]:
    """Return the replies that a continuation's prompt holds, as the demo agent repeats them."""
    return [
        prompts.demo_reply(lang, target_title=title, outcome=outcome, reply_text=text)
        for lang in Lang
        for title, outcome, text in _replies(lang, prompt)
    ]


def _replies(lang: Lang, prompt: str) -> Iterator[tuple[str, Outcome, str]]:
    """Yield title, outcome and text of each reply; fences hide what replies themselves quote."""
    blocks: list[str] = []

    def hide(found: re.Match[str]) -> str:
        blocks.append(found[2])
        return f"§{len(blocks) - 1}§"

    shown = _FENCE.sub(hide, prompt)
    for found in _reply_form(lang).finditer(shown):
        number = re.fullmatch(r"§(\d+)§", found["text"])
        yield found["title"], Outcome(found["outcome"]), blocks[int(number[1])] if number else ""


@cache
def _reply_form(lang: Lang) -> re.Pattern[str]:
    """Return the form in which the contract words one returned reply, its values as groups."""
    outcome = Outcome.COMPLETED
    worded = prompts.returned_reply(
        lang,
        request_id=_HOLE,
        target_title="§title§",
        target_id=_HOLE,
        outcome=outcome,
        stop_reason=_HOLE,
        original_request="§request§",
        reply_text="§text§",
        cuts=[],
    )
    form = re.escape(worded)
    for value, group in (
        (EXPLANATIONS[Outcome][outcome][lang], r"[^\n]*"),
        (f"`{outcome}`", r"`(?P<outcome>\w+)`"),
        ("```text\n§request§\n```", r"[^\n]+"),
        ("```text\n§text§\n```", r"(?P<text>[^\n]+)"),
        ("§title§", r"(?P<title>[^\n]*)"),
        (_HOLE, r"[^\n]*"),
    ):
        form = form.replace(re.escape(value), group)
    return re.compile(form)


def forms(prompt: str) -> list[str]:
    """Return what a continuation's prompt says of forms, each as ccweb wrote it."""
    bare = _FENCE.sub(lambda found: "§" * len(found[0]), prompt)
    spans = sorted(found.span() for form in _form_forms() for found in form.finditer(bare))
    return [prompt[begin:end] for begin, end in spans]


@cache
def _form_forms() -> tuple[re.Pattern[str], ...]:
    """Return the forms in which the contract words an answered and a declined form."""
    found = []
    for lang in Lang:
        answers = [prompts.form_answer(lang, label=_HOLE, name=_HOLE, answer="§answer§")]
        answered = prompts.form_answered(lang, form_id=_HOLE, title=_HOLE, answers=answers)
        declined = prompts.form_declined(lang, form_id=_HOLE, title=_HOLE, reason="§answer§")
        found += [
            re.escape(answered).replace(re.escape(answers[0]), r"[\s\S]*?"),
            re.escape(declined).replace(re.escape("```text\n§answer§\n```"), r"[^\n]+"),
        ]
    anything = r"[^\n]*"
    return tuple(
        re.compile(rf"^{form.replace(re.escape(_HOLE), anything)}$", re.MULTILINE) for form in found
    )
