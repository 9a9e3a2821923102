"""The questions of a feature list plan: what is left to the user, and which answers fit."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from ccweb.errors import InvalidParams
from ccweb.planning.features.classification import Classified
from ccweb.planning.model import Option
from ccweb.planning.plans.model import NamedRoute, PlanAnswer, PlanQuestion, Session
from ccweb_contract import prompts
from ccweb_contract.enums import EXPLANATIONS, CandidateRole, ChangeType, Lang, QuestionType

MOST_UNCLEAR: Final = 10
"""Unclear features that are asked about; nobody answers hundreds of questions."""


def asked(
    items: Sequence[Classified], routes: Sequence[NamedRoute], lang: Lang
) -> list[PlanQuestion]:
    """Return what the user has to confirm: where the work is done, and what is unclear."""
    unclear = [one for one in items if one.change_type is ChangeType.UNCLEAR][:MOST_UNCLEAR]
    questions = [_where(routes, lang)] if routes else []
    questions += [_what(one, lang) for one in unclear]
    return [replace(one, id=f"q{number}") for number, one in enumerate(questions, start=1)]


def accepted(questions: Sequence[PlanQuestion], given: Sequence[PlanAnswer]) -> list[PlanAnswer]:
    """Return one answer a question, in their order; one that is missing keeps what is recommended.

    Raises:
        InvalidParams: a question or an option is unknown, or an answer does not fit its question.
    """
    by_id = {one.question_id: one for one in given}
    if len(by_id) < len(given):
        raise InvalidParams(why="`answers` holds two answers to one question.")
    unknown = by_id.keys() - {one.id for one in questions}
    if unknown:
        known = ", ".join(one.id for one in questions) or "none"
        raise InvalidParams(
            why=f"`answers` names no question of this plan: {_listed(sorted(unknown))}; "
            f"its questions are: {known}."
        )
    return [_accepted(one, by_id.get(one.id)) for one in questions]


def chosen(session: Session) -> frozenset[str]:
    """Return the repositories in which the user wants the work done."""
    return frozenset(
        value
        for question, answer in zip(session.questions, session.answers, strict=True)
        if not question.feature_key
        for value in answer.selected or ()
    )


def decided(session: Session, lang: Lang) -> list[Classified]:
    """Return the features as the user's answers leave them."""
    said = {
        question.feature_key: answer
        for question, answer in zip(session.questions, session.answers, strict=True)
    }
    return [_decided(one, said.get(one.feature.key), lang) for one in session.items]


def shown_answer(question: PlanQuestion, answer: PlanAnswer) -> str:
    """Return an answer as a person reads it: the labels of its options, and what was said."""
    labels = [one.label for one in question.options if one.value in (answer.selected or ())]
    return " ".join([*([", ".join(labels)] if labels else []), answer.text]).strip() or "-"


def _where(routes: Sequence[NamedRoute], lang: Lang) -> PlanQuestion:
    return PlanQuestion(
        id="",
        question=prompts.question_plan_repositories(lang),
        type=QuestionType.MULTIPLE_CHOICE,
        options=[Option(value=one.route.repository_id, label=one.name) for one in routes],
        recommended=[
            one.route.repository_id for one in routes if one.route.role is CandidateRole.DIRECT
        ],
        feature_key="",
    )


def _what(one: Classified, lang: Lang) -> PlanQuestion:
    choices = (ChangeType.NEW, ChangeType.MODIFY)
    return PlanQuestion(
        id="",
        question=prompts.question_unclear(lang, name=one.feature.name),
        type=QuestionType.SINGLE_CHOICE,
        options=[
            Option(value=choice.value, label=EXPLANATIONS[ChangeType][choice][lang])
            for choice in choices
        ],
        recommended=[],
        feature_key=one.feature.key,
    )


def _accepted(question: PlanQuestion, given: PlanAnswer | None) -> PlanAnswer:
    if given is None:
        return PlanAnswer(question_id=question.id, selected=question.recommended, text="")
    selected, text = _selected(question, given.selected or ()), given.text.strip()
    if question.type is QuestionType.SINGLE_CHOICE and len(selected) > 1:
        raise InvalidParams(why=f"The question {question.id} takes one option.")
    if question.type is QuestionType.SINGLE_CHOICE and not selected and not text:
        raise InvalidParams(why=f"The answer to {question.id} holds no option and no text.")
    if question.type is QuestionType.MULTIPLE_CHOICE and given.selected is None:
        raise InvalidParams(why=f"The answer to {question.id} needs `selected`, which may be [].")
    return PlanAnswer(question_id=question.id, selected=selected, text=text)


def _selected(question: PlanQuestion, given: Sequence[str]) -> list[str]:
    """Return the options that are meant, by their values or by the labels that people read."""
    labels = {one.label: one.value for one in question.options}
    values = [one.value for one in question.options]
    meant = {name if name in values else labels.get(name, name) for name in given}
    unknown = meant - set(values)
    if unknown:
        raise InvalidParams(
            why=f"The question {question.id} has no option {_listed(sorted(unknown))}; "
            f"its options are: {', '.join(values)}."
        )
    return [value for value in values if value in meant]


def _decided(one: Classified, said: PlanAnswer | None, lang: Lang) -> Classified:
    if said is None or not (said.selected or said.text):
        return one
    reason = said.text or prompts.feature_is_decided(lang)
    if not said.selected:
        return replace(one, reason=reason)
    return replace(one, change_type=ChangeType(said.selected[0]), confidence=1.0, reason=reason)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name[:60]) for name in names)
