"""The questions of a blueprint: which evidence asks what, and which answers fit."""

from collections.abc import Iterator, Sequence
from typing import Final

from ccweb.clock import Moment
from ccweb.errors import InvalidParams
from ccweb.planning.blueprints.state import direct
from ccweb.planning.model import Blueprint, Candidate, Clarification, Option
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, QuestionType, ThreadKind, ThreadStatus

MOST: Final = 10
"""Questions of research in one blueprint; a person has to answer each."""


def asked(m: Moment, r: Blueprint, *, lang: Lang, again: bool) -> list[Clarification]:
    """Return the questions that the evidence leaves to a person, none when it leaves nothing.

    Args:
        m: Moment.
        r: The blueprint, its evidence complete.
        lang: The language of the question where the work is done.
        again: A person wants to be asked, so where the work is done is a question in any case.
    """
    candidates = direct(r.candidates)
    unclear = len(candidates) != 1 or not candidates[0].research.evidence.belongs
    first = [_where(m, r, candidates, lang)] if unclear or again else []
    return first + [_open_question(m, r, text) for text in _texts(candidates)]


def accepted(thread: Clarification, body: str) -> str:
    """Return an answer as it is kept: a text, or the values of its options, one a line.

    Raises:
        InvalidParams: it is none of the options, or too many of them.
    """
    if thread.type is QuestionType.TEXT:
        return body.strip()
    chosen = list(dict.fromkeys(line.strip() for line in body.splitlines() if line.strip()))
    values = [option.value for option in thread.options]
    if not chosen or not set(chosen) <= set(values):
        raise InvalidParams(why=f"`body` must be one of these, one a line: {', '.join(values)}.")
    if thread.type is QuestionType.SINGLE_CHOICE and len(chosen) > 1:
        raise InvalidParams(why="This question takes one option.")
    return "\n".join(value for value in values if value in chosen)


def shown_answer(thread: Clarification) -> str:
    """Return an answer in the words that a person has read."""
    labels = {option.value: option.label for option in thread.options}
    return ", ".join(labels.get(line, line) for line in (thread.body or "").splitlines() if line)


def chosen(r: Blueprint) -> list[Candidate]:
    """Return the repositories that the work is done in: a person's choice, else the evidence's."""
    candidates = direct(r.candidates)
    for thread in r.threads:
        if thread.kind is ThreadKind.REPO_CONFIRMATION and thread.status is ThreadStatus.ANSWERED:
            wanted = set((thread.body or "").splitlines())
            return [one for one in candidates if one.repository.id in wanted]
    return [one for one in candidates if one.research.evidence.belongs]


def _where(m: Moment, r: Blueprint, candidates: Sequence[Candidate], lang: Lang) -> Clarification:
    return _question(
        m,
        r,
        ThreadKind.REPO_CONFIRMATION,
        prompts.question_repositories(lang, title=r.item.title),
        options=[Option(value=one.id, label=one.name) for _, one in candidates],
        recommended=[one.id for research, one in candidates if research.evidence.belongs],
    )


def _open_question(m: Moment, r: Blueprint, text: str) -> Clarification:
    return _question(m, r, ThreadKind.OPEN_QUESTION, text)


def _question(
    m: Moment,
    r: Blueprint,
    kind: ThreadKind,
    text: str,
    *,
    options: Sequence[Option] = (),
    recommended: Sequence[str] = (),
) -> Clarification:
    return Clarification(
        id=m.new_id("thread"),
        artifact_id=r.artifact.id,
        kind=kind,
        question=text,
        type=QuestionType.MULTIPLE_CHOICE if options else QuestionType.TEXT,
        options=options,
        recommended=recommended,
        status=ThreadStatus.OPEN,
        body=None,
        person_id=None,
        created_at=m.now,
        answered_at=None,
    )


def _texts(candidates: Sequence[Candidate]) -> list[str]:
    """Return what research could not decide, each question once."""
    each = {_key(text): text for text in _all_texts(candidates)}
    return list(each.values())[:MOST]


def _all_texts(candidates: Sequence[Candidate]) -> Iterator[str]:
    for research, _ in candidates:
        yield from (text for text in research.evidence.questions if text.strip())


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?？.。 ")
