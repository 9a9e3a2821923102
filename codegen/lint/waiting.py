"""Wordings that keep a turn from ending: an agent that waits blocks it, or calls in a loop."""

import re
from collections.abc import Iterator

from codegen.lint.rule import Fault, Level, Rule
from codegen.lint.subject import BREAK, Subject

_WAITING = {
    "en": re.compile(
        r"""(?ix) \b( wait(s|ed|ing)? | await(s|ed|ing)? | poll(s|ed|ing)? | sleep(s|ing)? | slept
        | keep(s|ing)?\s+(on\s+)?(checking|calling|asking|trying|looking|reading)
        | check(s|ing)?\s+(back|again|periodically|regularly|repeatedly)
        | (try|retry|call|ask|check|look)\s+((it|again)\s+)*later
        | block(s|ing)?\s+until | in\s+a\s+loop | periodically
        | every\s+(few|\d+|couple\s+of)\s+(seconds|minutes)
        | until\s+(it|they|the\s+\w+)\s+(
          (is|are|has|have)\s+(been\s+)?
          (done|ready|finished|completed?|over|idle|available|delivered|returned|answered)
        | ends?|finish(es)?|stops?|answers?|replies|arrives?|comes\s+back) )\b"""
    ),
    "zh": re.compile(
        r"等待|等候|轮询|休眠|睡眠|循环调用|(反复|不断|定期|持续)地?(检查|查询|查看|调用|询问)"
        r"|稍后(再|重新)?(试|调用|检查|查询|查看|询问)"
        r"|直到[^，。；：！？\n]{0,16}(完成|结束|就绪|返回|空闲)"
    ),
}
_FORBIDDING = {
    "en": re.compile(
        r"(?i)\b(not|never|no|nothing|nobody|without|cannot|avoid|(rather|instead)\s+(than|of))\b"
        r"|n't\b"
    ),
    "zh": re.compile(r"不|勿|无需|没有|别|禁止|避免|从未|而非"),
}
_CLAUSE = {
    "en": re.compile(rf"(?i)[.;:!?](?=\s|$)|{BREAK}|\bbut\b|\binstead\b(?!\s+of)"),
    "zh": re.compile(rf"[。；：！？]|{BREAK}|但|而是"),
}
_COMMA = re.compile(r"[,，]")
_LIST_WORD = re.compile(r"\s|\b(and|nor|or)\b|[或和]")


def waiting_words(subject: Subject) -> Iterator[Fault]:
    """Yield each wording for models that suggests to wait and does not forbid it."""
    names = re.compile(f"`({'|'.join(map(re.escape, sorted(_names(subject))))})`")
    for wording in subject.wordings():
        if not wording.for_models:
            continue
        for clause in _CLAUSE[wording.language].split(names.sub("", wording.text)):
            for words in _suggestions(clause, wording.language):
                text = f"{words!r} suggests waiting; say what happens by itself, or forbid it"
                yield Fault(path=wording.path, message=text)


def _names(subject: Subject) -> set[str]:
    """Return the names that a text may quote, whatever they sound like."""
    names = {*subject.values["tools"], *subject.values["aliases"], *subject.values["errors"]}
    return names.union(*(enum["values"] for enum in subject.values["enums"].values()))


def _suggestions(clause: str, language: str) -> Iterator[str]:
    """Yield the words that suggest waiting, unless something before them forbids it.

    A comma ends what is forbidden, but for a list: "do not wait, sleep or poll".
    """
    is_list = False
    for part in _COMMA.split(clause):
        match = _WAITING[language].search(part)
        if match is None:
            is_list = False
        elif _FORBIDDING[language].search(part, 0, match.start()):
            is_list = True
        elif not is_list or _LIST_WORD.sub("", part[: match.start()]):
            yield " ".join(match[0].split())


def unended_turns(subject: Subject) -> Iterator[Fault]:
    """Yield each tool that starts work and does not say what the model does then."""
    for name, tool in subject.tools():
        if tool.get("startsWork") and "end your turn" not in tool["description"].lower():
            text = "it starts work, so its description must say: end your turn"
            yield Fault(path=("tools", name, "description"), message=text)


RULES = (
    Rule(
        id="waiting-word",
        level=Level.ERROR,
        asks=(
            "No text that models read suggests to wait, sleep, poll or call in a loop; "
            "it may forbid it."
        ),
        why=(
            "An agent that reads such a word blocks its turn or calls in a loop (aebrer/dreb#181, "
            "Gentleman-Programming/gentle-pi#1171, Hmbown/Codewhale#4097)."
        ),
        bad="""\
tools:
  find_note:
    description: Find a note. Call it again until the index is ready.
""",
        good="""\
tools:
  find_note:
    description: Find a note. A new note can be found at once, so never call this in a loop.
""",
        check=waiting_words,
    ),
    Rule(
        id="no-end-of-turn",
        level=Level.ERROR,
        asks="A tool with `startsWork` tells the model to end its turn.",
        why=(
            "A model that is not told so fills the time with calls of its own, and what it has "
            "delegated cannot come back to it in the meantime (aebrer/dreb#181)."
        ),
        bad="""\
tools:
  start_review:
    description: Have a note reviewed. The review is brought to you.
""",
        good="""\
tools:
  start_review:
    description: Have a note reviewed. Then end your turn; the review is brought to you.
""",
        check=unended_turns,
    ),
)
