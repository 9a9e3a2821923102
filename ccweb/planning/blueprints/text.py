"""The text of a blueprint: the same decisions and the same evidence give the same bytes."""

import hashlib
from collections.abc import Iterable, Sequence

from ccweb.planning.blueprints import questions
from ccweb.planning.blueprints.literal import literal, path
from ccweb.planning.blueprints.state import direct
from ccweb.planning.model import Blueprint, Candidate, Rework
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, ThreadStatus

SentBack = tuple[Rework, int, str]
"""What a person wanted changed, in which version, and who it was."""


def blueprint(r: Blueprint, *, lang: Lang, number: int, sent_back: Sequence[SentBack]) -> str:
    """Return the text that a person reviews."""
    chosen = questions.chosen(r)
    others = [one for one in direct(r.candidates) if one not in chosen]
    return prompts.blueprint_text(
        lang,
        title=literal(r.item.title),
        version=number,
        work=r.item.text,
        decisions=[*_answers(lang, r), *_changes(lang, sent_back)],
        repositories=repositories(lang, chosen),
        others=repositories(lang, others),
    )


def hash_of(markdown: str) -> str:
    """Return what an approval names of a text: SHA-256 of its UTF-8 form."""
    return hashlib.sha256(markdown.encode()).hexdigest()


def _answers(lang: Lang, r: Blueprint) -> list[prompts.BlueprintDecision]:
    return [
        prompts.blueprint_decision(
            lang,
            question=literal(thread.question),
            answer=literal(questions.shown_answer(thread)),
            person=literal(r.people[thread.person_id or ""]),
        )
        for thread in r.threads
        if thread.status is ThreadStatus.ANSWERED
    ]


def _changes(lang: Lang, sent_back: Iterable[SentBack]) -> list[prompts.BlueprintDecision]:
    return [
        prompts.blueprint_decision(
            lang,
            question=prompts.decision_changes(lang, version=number),
            answer=literal(rework.comment),
            person=literal(person),
        )
        for rework, number, person in sent_back
    ]


def repositories(lang: Lang, candidates: Iterable[Candidate]) -> list[prompts.BlueprintRepository]:
    """Return repositories as a text shows each with its evidence."""
    return [
        prompts.blueprint_repository(
            lang,
            name=literal(repository.name),
            responsibility=literal(research.evidence.responsibility),
            state=literal(research.evidence.current_state_summary),
            reasons=_lines(lang, map(literal, research.evidence.reasons)),
            steps=_lines(lang, map(literal, research.evidence.steps)),
            files=_lines(lang, map(path, research.evidence.evidence_files)),
        )
        for research, repository in candidates
    ]


def _lines(lang: Lang, texts: Iterable[str]) -> list[prompts.BlueprintLine]:
    return [prompts.blueprint_line(lang, text=text) for text in texts]
