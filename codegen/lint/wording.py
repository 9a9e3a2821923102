"""Wordings that agents misread: calls to wait, turns that do not end, rules written twice."""

import re
from collections.abc import Iterator

from codegen.lint.rule import Fault, Level, Rule
from codegen.lint.subject import Subject, Wording
from codegen.problems import Path

_WAITING = {
    "en": re.compile(
        r"""(?ix) \b( wait(s|ed|ing)? | await(s|ed|ing)? | poll(s|ed|ing)? | sleep(s|ing)? | slept
        | keep(s|ing)?\s+(on\s+)?(checking|calling|asking|trying|looking|reading)
        | check(s|ing)?\s+(back|again|periodically|regularly|repeatedly)
        | in\s+a\s+loop | periodically | every\s+(few|\d+|couple\s+of)\s+(seconds|minutes)
        | until\s+(it|they|the\s+\w+)\s+(is|are|has|have)\s+(been\s+)?
          (done|ready|finished|complete|completed|over|idle|delivered|returned|answered) )\b"""
    ),
    "zh": re.compile(
        r"等待|等候|轮询|休眠|睡眠|循环调用|(反复|不断|定期|持续)(地)?(检查|查询|查看|调用|询问)"
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
_BREAK = r"\n(?=\s*(?:\n|[-*#|]|\d+\.|$))"
"""The end of a paragraph or of an item of a list; other line ends only wrap a long line."""
_CLAUSE = {
    "en": re.compile(rf"(?i)[.;:!?](?=\s|$)|{_BREAK}|\bbut\b|\binstead\b(?!\s+of)"),
    "zh": re.compile(rf"[。；：！？]|{_BREAK}|但|而是"),
}
_COMMA = re.compile(r"[,，]")
_LIST_WORD = re.compile(r"\s|\b(and|nor|or)\b|[或和]")
_SENTENCE = re.compile(rf"(?<=[.!?])\s+|[。！？]|{_BREAK}")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
"""A character or a mark; a name with a Chinese full stop is a Chinese text."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_CODE = re.compile(r"`[^`\n]*`")
_LEAST_WORDS = 8
_LEAST_HAN = 16
_FILLERS = frozenset({"a", "an", "for", "in", "its", "of", "on", "that", "the", "this", "your"})


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


def repeated_sentences(subject: Subject) -> Iterator[Fault]:
    """Yield each longer sentence that is written a second time."""
    first: dict[str, Path] = {}
    for wording in subject.wordings():
        for sentence in _sentences(wording):
            place = first.setdefault(sentence, wording.path)
            if place != wording.path:
                where = ".".join(map(str, place))
                text = (
                    f"{_shortened(sentence)!r} stands in {where} as well; write it once, in texts"
                )
                yield Fault(path=wording.path, message=text)


def _sentences(wording: Wording) -> Iterator[str]:
    """Yield the sentences that are long enough to be a rule."""
    for part in _SENTENCE.split(wording.text):
        sentence = " ".join(part.split())
        if wording.language == "en":
            is_long = len(sentence.split()) >= _LEAST_WORDS
        else:
            is_long = len(_HAN.findall(sentence)) >= _LEAST_HAN
        if is_long:
            yield sentence


def _shortened(sentence: str) -> str:
    return sentence if len(sentence) <= 60 else f"{sentence[:57]}..."


def untranslated(subject: Subject) -> Iterator[Fault]:
    """Yield each Chinese text that holds words and no Chinese."""
    for wording in subject.wordings():
        words = _WORD.findall(_CODE.sub("", wording.text))
        if wording.language == "zh" and len(words) > 1 and not _CHINESE.search(wording.text):
            yield Fault(path=wording.path, message="the Chinese text is not Chinese")


def empty_descriptions(subject: Subject) -> Iterator[Fault]:
    """Yield each argument whose description says no more than its name."""
    for _, argument in subject.arguments():
        in_name = _WORD_START.sub(" ", argument.name).lower().split()
        words = re.findall(r"\w+", argument.description.lower())
        if {*words} <= {*in_name, *_FILLERS}:
            text = f"the description says no more than the name {argument.name!r}"
            yield Fault(path=(*argument.path, "description"), message=text)


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
    Rule(
        id="repeated-sentence",
        level=Level.WARNING,
        asks=(
            f"A sentence of {_LEAST_WORDS} words ({_LEAST_HAN} Chinese characters) or more is "
            "written once; other texts take it from `texts`, `meanings` or `explained`."
        ),
        why="One of the two is changed some day, and agents are told two different rules.",
        bad="""\
errors:
  note_not_found:
    remedy:
      en: Use the words that the person has used, in that order.
tools:
  find_note:
    description: Find a note. Use the words that the person has used, in that order.
""",
        good="""\
texts:
  words: { en: "Use the words that the person has used, in that order.", zh: 请按人的原话搜索。 }
errors:
  note_not_found:
    remedy: { en: "{{ texts.words }}", zh: "{{ texts.words }}" }
tools:
  find_note:
    description: Find a note. {{ texts.words }}
""",
        check=repeated_sentences,
    ),
    Rule(
        id="untranslated",
        level=Level.ERROR,
        asks="A Chinese text is Chinese.",
        why="Whoever has chosen Chinese gets an English text and takes it for a fault.",
        bad="""\
tools:
  find_note:
    summary: { en: Finds a note., zh: Finds a note. }
""",
        good="""\
tools:
  find_note:
    summary: { en: Finds a note., zh: 查找笔记。 }
""",
        check=untranslated,
    ),
    Rule(
        id="empty-description",
        level=Level.WARNING,
        asks="An argument's description says more than its name.",
        why="A model that gets no more than the name guesses where the value comes from.",
        bad="""\
tools:
  pin_note:
    input:
      properties:
        noteId:
          description: Id of the note.
""",
        good="""\
tools:
  pin_note:
    input:
      properties:
        noteId:
          description: The one to pin, as `find_note` gives it.
""",
        check=empty_descriptions,
    ),
)
