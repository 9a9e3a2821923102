"""The rules of a blueprint: its states as one table, and the gates before every step as another."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ccweb.errors import CcwebError, HumanRequired
from ccweb.planning.errors import EvidenceIncomplete, OrphanReadOnly, Stale, WrongOrder
from ccweb.planning.model import Command, Facts
from ccweb_contract.enums import BlueprintStatus, ReworkScope, ThreadStatus


class BlueprintEvent(StrEnum):
    """What can happen to a blueprint."""

    EVIDENCE_COMPLETE = "evidence complete"
    EVIDENCE_LACKING = "evidence lacking"
    ALL_ANSWERED = "all answered"
    RESEARCH_STARTED = "research started"
    SENT_BACK_FOR_TEXT = "sent back for text"
    SENT_BACK_FOR_CLARIFICATION = "sent back for clarification"
    SENT_BACK_FOR_RESEARCH = "sent back for research"
    APPROVED = "approved"


TRANSITIONS: Final[Mapping[tuple[BlueprintStatus, BlueprintEvent], BlueprintStatus]] = {
    (
        BlueprintStatus.RESEARCHING,
        BlueprintEvent.EVIDENCE_COMPLETE,
    ): BlueprintStatus.CLARIFYING,
    (
        BlueprintStatus.RESEARCHING,
        BlueprintEvent.EVIDENCE_LACKING,
    ): BlueprintStatus.RESEARCH_FAILED,
    (
        BlueprintStatus.RESEARCH_FAILED,
        BlueprintEvent.RESEARCH_STARTED,
    ): BlueprintStatus.RESEARCHING,
    (BlueprintStatus.CLARIFYING, BlueprintEvent.RESEARCH_STARTED): BlueprintStatus.RESEARCHING,
    (BlueprintStatus.CLARIFYING, BlueprintEvent.ALL_ANSWERED): BlueprintStatus.PENDING_REVIEW,
    (
        BlueprintStatus.PENDING_REVIEW,
        BlueprintEvent.SENT_BACK_FOR_TEXT,
    ): BlueprintStatus.PENDING_REVIEW,
    (
        BlueprintStatus.PENDING_REVIEW,
        BlueprintEvent.SENT_BACK_FOR_CLARIFICATION,
    ): BlueprintStatus.CLARIFYING,
    (
        BlueprintStatus.PENDING_REVIEW,
        BlueprintEvent.SENT_BACK_FOR_RESEARCH,
    ): BlueprintStatus.RESEARCHING,
    (BlueprintStatus.PENDING_REVIEW, BlueprintEvent.APPROVED): BlueprintStatus.CONFIRMED,
}
"""Every legal move; `confirmed` is final."""

SENT_BACK: Final = {
    ReworkScope.TEXT: BlueprintEvent.SENT_BACK_FOR_TEXT,
    ReworkScope.CLARIFICATION: BlueprintEvent.SENT_BACK_FOR_CLARIFICATION,
    ReworkScope.RESEARCH: BlueprintEvent.SENT_BACK_FOR_RESEARCH,
}

_STEPS: Final = {
    Command.CREATE: frozenset({None}),
    Command.ANSWER: frozenset({BlueprintStatus.CLARIFYING}),
    Command.SEND_BACK: frozenset({BlueprintStatus.PENDING_REVIEW}),
    Command.APPROVE: frozenset({BlueprintStatus.PENDING_REVIEW}),
    Command.RESEARCH: frozenset({BlueprintStatus.RESEARCH_FAILED, BlueprintStatus.CLARIFYING}),
    Command.TAKE_RESEARCH: frozenset({BlueprintStatus.RESEARCHING}),
    Command.DISPATCH: frozenset({BlueprintStatus.CONFIRMED}),
}
"""The states in which each command is the next step."""

_ALL: Final = frozenset(Command)
_DECISIONS: Final = frozenset(
    {Command.ANSWER, Command.SEND_BACK, Command.APPROVE, Command.DISPATCH}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One reason for which a command is refused."""

    name: str
    commands: frozenset[Command]
    is_shut: Callable[[Command, Facts], bool]
    refusal: Callable[[Command, Facts], CcwebError]


GATES: Final = (
    Gate(
        name="orphan",
        commands=_ALL,
        is_shut=lambda command, f: f.cancelled,
        refusal=lambda command, f: OrphanReadOnly(artifact_id=f.artifact_id),
    ),
    Gate(
        name="evidence",
        commands=frozenset({Command.ANSWER, Command.APPROVE, Command.DISPATCH}),
        is_shut=lambda command, f: bool(f.lacking),
        refusal=lambda command, f: EvidenceIncomplete(lacking=f.lacking),
    ),
    Gate(
        name="shown",
        commands=frozenset({Command.APPROVE}),
        is_shut=lambda command, f: f.shown != f.current or f.status is BlueprintStatus.CONFIRMED,
        refusal=lambda command, f: Stale(shown=f.shown, current=f.current),
    ),
    Gate(
        name="order",
        commands=_ALL,
        is_shut=lambda command, f: f.status not in _STEPS[command],
        refusal=lambda command, f: WrongOrder(command=command.value, status=f.status),
    ),
    Gate(
        name="answered",
        commands=frozenset({Command.ANSWER}),
        is_shut=lambda command, f: f.thread is not ThreadStatus.OPEN,
        refusal=lambda command, f: WrongOrder(
            command=command.value, status=f.status, why="This question is not open any more."
        ),
    ),
    Gate(
        name="human",
        commands=_DECISIONS,
        is_shut=lambda command, f: not f.human,
        refusal=lambda command, f: HumanRequired(why="A person decides this."),
    ),
)
"""Every gate in the order in which they are asked; the first that is shut refuses.

The human gate is the last: nobody is asked to decide what is not possible anyway.
"""


def check(command: Command, f: Facts) -> None:
    """Refuse a command at the first gate that is shut.

    Raises:
        OrphanReadOnly, EvidenceIncomplete, Stale, WrongOrder, HumanRequired: by the gate.
    """
    for gate in GATES:
        if command in gate.commands and gate.is_shut(command, f):
            raise gate.refusal(command, f)


def after(status: BlueprintStatus, event: BlueprintEvent) -> BlueprintStatus:
    """Return the state that follows.

    Raises:
        KeyError: the move is not in the table.
    """
    return TRANSITIONS[status, event]
