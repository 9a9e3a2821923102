"""The lines that the demo agent obeys, and what it can read of the prompts that ccweb writes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from ccweb_contract import prompts
from ccweb_contract.enums import EXPLANATIONS, Lang, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """`/wait SECONDS`."""

    seconds: float
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """`/say TEXT`; without text it says nothing."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """`/fail REASON`."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """`/long KIB`."""

    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """`/delegate TITLE: TEXT` or `/tell TITLE: TEXT`."""

    title: str
    text: str
    returns: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """`/use TOOL TEXT`: a step."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """`/ask-permission TEXT`."""

    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`/ask QUESTION | OPTION | OPTION`; without options the answer is free."""

    question: str
    options: tuple[str, ...]


Directive = Wait | Say | Fail | Long | Send | Use | Permission | Ask

_MAX_KIB: Final = 64 * 1024
_LINE: Final = re.compile(
    r"^[ \t]*/(wait|say|fail|long|delegate|tell|use|ask-permission|ask)"
    r"(?:[ \t]+(.*?))?[ \t]*\r?$",
    re.MULTILINE,
)
_NUMBER: Final = re.compile(r"\d{1,6}(\.\d{1,3})?")
_ADDRESS: Final = re.compile(r"\s*(.+?)\s*[:：]\s*(.+)")
_ESCAPE: Final = re.compile(r"\\(n|\\)")
_FENCE: Final = re.compile(r"^(`{3,})text\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)


def directives(text: str) -> list[Directive]:
    """Return what a text asks for, in order; a line that only looks like it is text."""
    return [
        directive
        for name, rest in _LINE.findall(text)
        if (directive := _directive(name, rest)) is not None
    ]


def _directive(name: str, rest: str) -> Directive | None:
    match name:
        case "say":
            return Say(text=rest)
        case "fail":
            return Fail(reason=rest)
        case "wait" if _NUMBER.fullmatch(rest):
            return Wait(seconds=float(rest), written=rest)
        case "long" if _NUMBER.fullmatch(rest) and float(rest) <= _MAX_KIB:
            return Long(size_bytes=int(float(rest) * 1024))
        case "delegate" | "tell" if address := _ADDRESS.fullmatch(rest):
            title, text = address.groups()
            return Send(title=title, text=_unescaped(text), returns=name == "delegate")
        case "use" | "ask-permission" | "ask" if rest:
            return _step(name, rest)
    return None


def _step(name: str, rest: str) -> Directive:
    if name == "use":
        tool, _, text = rest.partition(" ")
        return Use(tool=tool, text=_unescaped(text.strip()))
    if name == "ask":
        question, *options = (part.strip() for part in rest.split("|"))
        return Ask(question=question, options=tuple(filter(None, options)))
    return Permission(request=_unescaped(rest))


def _unescaped(text: str) -> str:
    r"""Return a text with `\n` as newline and `\\` as one backslash, so that texts can nest."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else "\\", text)


def fenced(prompt: str) -> list[str]:
    """Return the texts of others that stand in a prompt's fences, in order."""
    return [found[2] for found in _FENCE.finditer(prompt)]


_HOLE: Final = "§hole§"


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
