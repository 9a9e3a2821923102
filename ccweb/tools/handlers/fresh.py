"""A fresh look at a blueprint's work item, before anything is decided on the blueprint (R-P7)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ccweb.planning.blueprints import service as blueprints
from ccweb.planning.blueprints import state
from ccweb.planning.model import Blueprint, WorkItem
from ccweb.planning.projects import contexts
from ccweb.planning.sources import source as sources
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract.models import (
    AnswerBlueprintClarificationInput,
    ApproveTechnicalBlueprintInput,
    RequestTechnicalBlueprintChangesInput,
    StartRepoResearchInput,
)

Decision = TypeVar(
    "Decision",
    AnswerBlueprintClarificationInput,
    ApproveTechnicalBlueprintInput,
    RequestTechnicalBlueprintChangesInput,
    StartRepoResearchInput,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh(Generic[Decision]):
    """What somebody decides, and the work item as its source has it now."""

    given: Decision
    item: WorkItem | None
    """None for a task of the board, which the transaction reads live."""


def looking(x: Context, given: Decision) -> Callable[[], Fresh[Decision]]:
    """Return what asks the source of the work item; refused before anything is asked."""
    look = sources.looking(x.c, x.s, _decided_on(x, given).item)
    return lambda: Fresh(given=given, item=look() if look else None)


def keeping(
    run: Callable[[Context, Decision], Result],
) -> Callable[[Context, Fresh[Decision]], Result]:
    """Return a decision that is taken on what was seen, in the transaction that keeps it."""

    def decide(x: Context, fresh: Fresh[Decision]) -> Result:
        if fresh.item is not None:
            contexts.keep(x.c, x.m, fresh.item)
        return run(x, fresh.given)

    return decide


def _decided_on(x: Context, given: Decision) -> Blueprint:
    if not isinstance(given, AnswerBlueprintClarificationInput):
        return state.read_for(x.c, given.artifact_id, x.caller)
    if given.artifact_id is not None:
        state.read_for(x.c, given.artifact_id, x.caller)
    thread = blueprints.thread_of(x.c, given.thread_id, given.artifact_id)
    return state.read_for(x.c, thread.artifact_id, x.caller)
