"""Prompts that a newcomer can try with one click, made for the demo agents that are there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ccweb.hub.strings import words
from ccweb.hub.views import Seen
from ccweb_contract.enums import AgentKind, Lang

_TOGETHER: Final = ("delegate", "ask", "fail", "hello")
_ALONE: Final = ("hello", "ask", "stream")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A prompt that fills the message box of a conversation."""

    conversation_id: str
    title: str
    label: str
    text: str


def for_conversation(lang: Lang, seen: Seen, rows: Sequence[Seen]) -> list[Example]:
    """Return prompts for an empty conversation; only the demo agent obeys such lines."""
    if seen.agent is not AgentKind.DEMO:
        return []
    other = next((row for row in _demos(rows) if row.id != seen.id), None)
    return _examples(lang, seen, other)


def for_welcome(lang: Lang, rows: Sequence[Seen]) -> list[Example]:
    """Return prompts for the first demo conversation that was made, if there is one."""
    demos = sorted(_demos(rows), key=lambda row: row.created_at)
    if not demos:
        return []
    return _examples(lang, demos[0], demos[1] if len(demos) > 1 else None)


def _demos(rows: Sequence[Seen]) -> list[Seen]:
    """Return the demo conversations that are free and can be named before a colon."""
    free = (row for row in rows if row.agent is AgentKind.DEMO and not row.busy)
    return [row for row in free if not {":", "："} & set(row.title)]


def _examples(lang: Lang, seen: Seen, other: Seen | None) -> list[Example]:
    said = words(lang)
    name = other.title if other else ""
    return [
        Example(
            conversation_id=seen.id,
            title=seen.title,
            label=said[f"example.{key}"],
            text=said[f"example.{key}.text"].format(other=name),
        )
        for key in (_TOGETHER if other else _ALONE)
    ]
