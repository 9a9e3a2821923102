"""Wordings that say something twice, in the wrong language, or not at all."""

import re
from collections.abc import Iterator

from codegen.lint.rule import Fault, Level, Rule
from codegen.lint.subject import BREAK, Subject, Wording
from codegen.problems import Path

_SENTENCE = re.compile(rf"(?<=[.!?])\s+|[。！？]|{BREAK}")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
"""A character or a mark; a name with a Chinese full stop is a Chinese text."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_CODE = re.compile(r"`[^`\n]*`")
_LEAST_WORDS = 8
_LEAST_HAN = 16
_FILLERS = frozenset({"a", "an", "for", "in", "its", "of", "on", "that", "the", "this", "your"})


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
