"""The lines that the demo agent obeys."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """`/wait SECONDS`."""

    seconds: float
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """`/say TEXT`; without text it says nothing."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """`/fail REASON`."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """`/long KIB`."""

    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """`/delegate TITLE: TEXT` or `/tell TITLE: TEXT`."""

    title: str
    text: str
    returns: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """`/use TOOL TEXT`: a step."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """`/ask-permission TEXT`."""

    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`/ask QUESTION | OPTION | OPTION`; without options the answer is free."""

    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """`/task TITLE`."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """`/form TITLE | LABEL | LABEL`; without labels there is one field, labelled as the form."""

    title: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowImage:
    """`/show-image PATH`; without a path it draws one itself."""

    path: str


Directive = Wait | Say | Fail | Long | Send | Use | Permission | Ask | Task | Form | ShowImage

_MAX_KIB: Final = 64 * 1024
_LINE: Final = re.compile(
    r"^[ \t]*/(wait|say|fail|long|delegate|tell|use|ask-permission|ask|task|form|show-image)"
    r"(?:[ \t]+(.*?))?[ \t]*\r?$",
    re.MULTILINE,
)
_NUMBER: Final = re.compile(r"\d{1,6}(\.\d{1,3})?")
_ADDRESS: Final = re.compile(r"\s*(.+?)\s*[:：]\s*(.+)")
_ESCAPE: Final = re.compile(r"\\(n|\\)")


def directives(text: str) -> list[Directive]:
    """Return what a text asks for, in order; a line that only looks like it is text."""
    return [
        directive
        for name, rest in _LINE.findall(text)
        if (directive := _directive(name, rest)) is not None
    ]


def _directive(name: str, rest: str) -> Directive | None:
    match name:
        case "say":
            return Say(text=rest)
        case "fail":
            return Fail(reason=rest)
        case "wait" if _NUMBER.fullmatch(rest):
            return Wait(seconds=float(rest), written=rest)
        case "long" if _NUMBER.fullmatch(rest) and float(rest) <= _MAX_KIB:
            return Long(size_bytes=int(float(rest) * 1024))
        case "delegate" | "tell" if address := _ADDRESS.fullmatch(rest):
            title, text = address.groups()
            return Send(title=title, text=_unescaped(text), returns=name == "delegate")
        case "use" | "ask-permission" | "ask" if rest:
            return _step(name, rest)
        case "task" if rest:
            return Task(title=rest)
        case "form" if rest.strip("| \t"):
            title, *labels = _parts(rest)
            return Form(title=title, labels=tuple(labels) or (title,))
        case "show-image" if not rest.isspace():
            return ShowImage(path=rest)
    return None


def _step(name: str, rest: str) -> Directive:
    if name == "use":
        tool, _, text = rest.partition(" ")
        return Use(tool=tool, text=_unescaped(text.strip()))
    if name == "ask":
        question, *options = (part.strip() for part in rest.split("|"))
        return Ask(question=question, options=tuple(filter(None, options)))
    return Permission(request=_unescaped(rest))


def _parts(rest: str) -> list[str]:
    return [part.strip() for part in rest.split("|") if part.strip()]


def _unescaped(text: str) -> str:
    r"""Return a text with `\n` as newline and `\\` as one backslash, so that texts can nest."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else "\\", text)
