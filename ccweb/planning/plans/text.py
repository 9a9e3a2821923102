"""The plan of a feature list as a value and as a text: the same findings give the same bytes."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import filterfalse

from ccweb.planning.blueprints import state, text
from ccweb.planning.blueprints.literal import literal, path
from ccweb.planning.features.classification import Classified
from ccweb.planning.model import Candidate, Payload
from ccweb.planning.plans import questions as plan_questions
from ccweb.planning.plans.model import Session, shown_item
from ccweb_contract import prompts
from ccweb_contract.enums import Lang


def merged(items: Iterable[Classified], candidates: Iterable[Candidate]) -> Payload:
    """Return the plan by repository and module, with the names of the wire."""
    return {
        "repositories": [_shown_repository(one) for one in candidates],
        "modules": [
            {"module": module, "features": [shown_item(one) for one in of_module]}
            for module, of_module in _by_module(items).items()
        ],
    }


def markdown(
    session: Session,
    items: Sequence[Classified],
    candidates: Sequence[Candidate],
    lang: Lang,
) -> str:
    """Return the whole plan as a text."""
    return prompts.feature_plan_text(
        lang,
        features=len(items),
        decisions=_decisions(session, lang),
        modules=_modules(items, lang),
        repositories=text.repositories(lang, filter(has_evidence, candidates)),
        lacking=[
            prompts.feature_plan_lack(
                lang, name=literal(one.repository.name), reason=literal(reason_of(one))
            )
            for one in filterfalse(has_evidence, candidates)
        ],
    )


def work(session: Session) -> str:
    """Return what an agent reads that researches for a plan: the features as the list has them.

    What was told from words alone is left out: evidence must not be an echo of it. What the user
    has said about a feature stands behind it.
    """
    said = {
        question.feature_key: answer.text
        for question, answer in zip(session.questions, session.answers, strict=True)
        if answer.text
    }
    modules = sorted(_by_module(session.items).items(), key=lambda module: module[0] != "")
    return "\n\n".join(
        "\n".join(
            [*([f"## {module}\n"] if module else []), *(_wish(one, said) for one in features)]
        )
        for module, features in modules
    )


def has_evidence(candidate: Candidate) -> bool:
    """Tell whether research has found all that a plan needs of a repository."""
    return not state.missing(candidate.research)


def reason_of(candidate: Candidate) -> str:
    """Return why a repository has no evidence: what failed, else what is missing."""
    return candidate.research.error or ", ".join(state.missing(candidate.research))


def _wish(one: Classified, said: Mapping[str, str]) -> str:
    remark = " ".join(said.get(one.feature.key, "").split())
    return f"- {one.feature.name}" + (f" ({remark})" if remark else "")


def _by_module(items: Iterable[Classified]) -> dict[str, list[Classified]]:
    modules: dict[str, list[Classified]] = {}
    for one in items:
        modules.setdefault(one.feature.module, []).append(one)
    return modules


def _shown_repository(candidate: Candidate) -> Payload:
    found, repository = candidate.research.evidence, candidate.repository
    return {
        "repository_id": repository.id,
        "name": repository.name,
        "responsibility": found.responsibility,
        "current_state_summary": found.current_state_summary,
        "reasons": list(found.reasons),
        "steps": list(found.steps),
        "evidence_files": list(found.evidence_files),
    }


def _decisions(session: Session, lang: Lang) -> list[prompts.FeaturePlanDecision]:
    return [
        prompts.feature_plan_decision(
            lang,
            question=literal(question.question),
            answer=literal(plan_questions.shown_answer(question, answer)),
        )
        for question, answer in zip(session.questions, session.answers, strict=True)
    ]


def _modules(items: Iterable[Classified], lang: Lang) -> list[prompts.FeaturePlanModule]:
    return [
        prompts.feature_plan_module(
            lang, module=literal(module), features=[_line(one, lang) for one in of_module]
        )
        for module, of_module in _by_module(items).items()
    ]


def _line(one: Classified, lang: Lang) -> prompts.FeaturePlanLine:
    return prompts.feature_plan_line(
        lang,
        name=literal(one.feature.name),
        change_type=one.change_type,
        location=one.suggested_location and path(one.suggested_location),
        reason=literal(one.reason),
    )
