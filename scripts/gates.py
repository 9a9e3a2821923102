"""What the gates of a blueprint allow and refuse, asked of the gates themselves, as tables."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ccweb.board import rules as board_rules
from ccweb.errors import CcwebError
from ccweb.planning.blueprints import rules
from ccweb.planning.model import Command, Evidence, Facts, Shown
from ccweb.planning.research import evidence
from ccweb_contract.enums import BlueprintStatus, Lang, TaskState, ThreadStatus
from ccweb_contract.errors import MEANINGS, ErrorCode
from ccweb_contract.tools import ToolName
from scripts.markdown import Row, table

Words = Mapping[Lang, str]

_GATE: Final[Mapping[Lang, Row]] = {
    Lang.EN: ("Gate", "Asked before", "Refuses with", "Because"),
    Lang.ZH: ("门禁", "把守的步骤", "拒绝码", "原因"),
}
_REFUSED: Final[Mapping[Lang, Row]] = {
    Lang.EN: ("Call or step", "Refused with"),
    Lang.ZH: ("调用或步骤", "拒绝码"),
}
_STEP: Final[Words] = {Lang.EN: "Step", Lang.ZH: "步骤"}
_LACKS: Final[Words] = {
    Lang.EN: "Each direct candidate needs {}. While one of them is missing:",
    Lang.ZH: "每个 direct 候选都必须有 {}。缺少其中任何一项时：",
}
_CALLS: Final[Mapping[Command, ToolName]] = {
    Command.CREATE: ToolName.CREATE_FEISHU_TECHNICAL_PLAN,
    Command.ANSWER: ToolName.ANSWER_BLUEPRINT_CLARIFICATION,
    Command.SEND_BACK: ToolName.REQUEST_TECHNICAL_BLUEPRINT_CHANGES,
    Command.APPROVE: ToolName.APPROVE_TECHNICAL_BLUEPRINT,
    Command.RESEARCH: ToolName.START_REPO_RESEARCH,
}
"""The steps that are tool calls."""
_STEPS: Final[Mapping[Command, Words]] = {
    Command.TAKE_RESEARCH: {Lang.EN: "research comes in", Lang.ZH: "调研结果回来"},
    Command.DISPATCH: {Lang.EN: "coding is dispatched", Lang.ZH: "派发 Coding"},
}
"""The steps that no tool calls: one happens by itself, the other is a person's in the page."""
_NEXT: Final = "**ok**"
"""Stands where a step follows in both languages."""
_SHOWN: Final = Shown(version_id="version", content_hash="hash", plan_id="plan")
_LACKING: Final = {"repository": evidence.missing(Evidence())}


def gates(lang: Lang) -> str:
    """Return the gates in the order in which they are asked."""
    return table(_GATE[lang], (_gate(gate, lang) for gate in rules.GATES))


def steps(lang: Lang) -> str:
    """Return which step follows in which state, and what any other is refused with."""
    head = (_STEP[lang], *(f"`{status}`" for status in BlueprintStatus))
    rows = (
        (_step(command, lang), *(_verdict(command, _facts(status)) for status in BlueprintStatus))
        for command in Command
        if command is not Command.CREATE
    )
    return table(head, rows)


def lacking(lang: Lang) -> str:
    """Return what each direct candidate must have, and what is refused while one has not."""
    parts = ", ".join(f"`{part}`" for part in _LACKING["repository"])
    refused = _always(
        ErrorCode.EVIDENCE_INCOMPLETE, lambda status: _facts(status, lacking=_LACKING)
    )
    rows = _refused(refused, ErrorCode.EVIDENCE_INCOMPLETE, lang)
    return f"{_LACKS[lang].format(parts)}\n\n{table(_REFUSED[lang], rows)}"


def orphan(lang: Lang) -> str:
    """Return what is refused once a work item is cancelled, whatever state its blueprint is in."""
    refused = _always(ErrorCode.ORPHAN_READ_ONLY, lambda status: _facts(status, cancelled=True))
    rows = _refused(refused, ErrorCode.ORPHAN_READ_ONLY, lang)
    return table(_REFUSED[lang], [*rows, *_moves()])


def _gate(gate: rules.Gate, lang: Lang) -> Row:
    asked = [command for command in Command if command in gate.commands]
    code = gate.refusal(asked[0], Facts(lacking=_LACKING)).code
    before = ", ".join(_step(command, lang) for command in asked)
    return f"`{gate.name}`", before, f"`{code}`", MEANINGS[code][lang]


def _facts(status: BlueprintStatus | None, **changes: Any) -> Facts:
    """Return what the gates see of a blueprint with which nothing is wrong."""
    given: dict[str, Any] = {"lacking": {}, "current": _SHOWN, "thread": ThreadStatus.OPEN}
    return Facts(status=status, shown=_SHOWN, **given | changes)


def _verdict(command: Command, facts: Facts) -> str:
    try:
        rules.check(command, facts)
    except CcwebError as refusal:
        return f"`{refusal.code}`"
    return _NEXT


def _always(code: ErrorCode, facts: Callable[[BlueprintStatus | None], Facts]) -> Iterator[Command]:
    """Yield the steps that are refused with a code in every state, and before there is one."""
    for command in Command:
        if {_verdict(command, facts(one)) for one in (None, *BlueprintStatus)} == {f"`{code}`"}:
            yield command


def _refused(commands: Iterator[Command], code: ErrorCode, lang: Lang) -> Iterator[Row]:
    for command in commands:
        yield _step(command, lang), f"`{code}`"


def _moves() -> Iterator[Row]:
    """Yield the moves of a cancelled task that the board refuses."""
    followers = {TaskState.CANCELLED, *board_rules.MOVES[TaskState.CANCELLED]}
    for state in TaskState:
        if state not in followers:
            yield f"`{TaskState.CANCELLED}` → `{state}`", f"`{ErrorCode.TASK_CANCELLED}`"


def _step(command: Command, lang: Lang) -> str:
    called = _CALLS.get(command)
    return f"`{called}`" if called else _STEPS[command][lang]
