"""Values to HTML: the templates, their words, and the keyed entries of a conversation."""

import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ccweb.clock import iso, system_clock, to_ms
from ccweb.hub import strings, text
from ccweb.hub.requests import Card
from ccweb.hub.timeline import Block, Loose, Shown, Timeline
from ccweb_contract.enums import (
    EXPLANATIONS,
    AskKind,
    ConversationStatus,
    Lang,
    TurnKind,
    TurnStatus,
)

TONES: Final = {
    ConversationStatus.IDLE: "calm",
    ConversationStatus.QUEUED: "soon",
    ConversationStatus.RUNNING: "busy",
    ConversationStatus.NEEDS_YOU: "call",
    TurnStatus.QUEUED: "soon",
    TurnStatus.RUNNING: "busy",
    TurnStatus.COMPLETED: "well",
    TurnStatus.EMPTY: "calm",
    TurnStatus.FAILED: "bad",
    TurnStatus.INTERRUPTED: "calm",
    TurnStatus.LOST: "bad",
}
"""The look of each state; style sheets know tones, not states."""

_KIB: Final = 1024
_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_S: Final = 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What templates call to speak a language."""

    lang: Lang

    def say(self, key: str, /, **values: object) -> str:
        """Return a text of the page."""
        return strings.words(self.lang)[key].format(**values)

    def count(self, key: str, number: int) -> str:
        """Return a text that depends on a number: `key.one` or `key.many`."""
        return self.say(f"{key}.one" if number == 1 else f"{key}.many", count=number)

    def explain(self, member: StrEnum) -> str:
        """Return what a value of the contract means."""
        return EXPLANATIONS[type(member)][member.value][self.lang]

    def ago(self, at: datetime) -> str:
        """Return how long ago something was, in its largest unit."""
        passed = max((system_clock() - at).total_seconds(), 0)
        for unit, seconds in (("days", _DAY_S), ("hours", _HOUR_S), ("minutes", _MINUTE_S)):
            if passed >= seconds:
                return self.say(f"ago.{unit}", count=int(passed // seconds))
        return self.say("ago.now")

    def duration(self, begun: datetime | None, ended: datetime | None) -> str:
        """Return the time between two moments as a person says it; '' when one is missing."""
        if begun is None or ended is None:
            return ""
        passed = max((ended - begun).total_seconds(), 0)
        if passed < 1:
            return self.say("duration.ms", count=round(passed * 1000))
        if passed < _MINUTE_S:
            return self.say("duration.s", count=f"{passed:.1f}" if passed < 10 else int(passed))
        minutes, seconds = divmod(int(passed), _MINUTE_S)
        return self.say("duration.min", minutes=minutes, seconds=seconds)

    def size(self, characters: int) -> str:
        """Return the size of a text."""
        if characters < _KIB * _KIB:
            return self.say("size.kib", count=max(characters // _KIB, 1))
        return self.say("size.mib", count=f"{characters / _KIB / _KIB:.1f}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One piece of a conversation: what it is called, how it looks now, and its HTML."""

    id: str
    version: str
    html: str


def page(name: str, lang: Lang, /, **values: Any) -> str:
    """Return a template filled with values."""
    return _environment(lang).get_template(name).render(**values)


def entries(timeline: Timeline, lang: Lang, *, here: str, person_id: str) -> list[Entry]:
    """Return the entries of a conversation in order; equal entries have equal versions."""
    macros = _environment(lang).get_template("entries.html").module
    return [
        _entry(entry_id, str(getattr(macros, macro)(here=here, person_id=person_id, **values)))
        for part in timeline.parts
        for macro, entry_id, values in (_of(part))
    ]


def joined(found: Collection[Entry], known: Collection[str] = ()) -> Markup:
    """Return entries as list items; those whose version the page knows come without content."""
    items = (
        Markup('<li class="entry" id="{}" data-version="{}">{}</li>').format(
            f"e-{entry.id}",
            entry.version,
            "" if entry.version in known else Markup(entry.html),  # noqa: S704 - our template
        )
        for entry in found
    )
    return Markup("\n").join(items)


def card_entry(card: Card, lang: Lang, *, here: str) -> Entry:
    """Return the entry of one request as the conversation `here` shows it."""
    macros = _environment(lang).get_template("entries.html").module
    outgoing = card.reply.source_conversation_id == here
    html = str(macros.card(card=card, here=here, person_id="", outgoing=outgoing))  # type: ignore[attr-defined]
    return _entry(_card_id(card), html)


def _of(part: Block | Loose) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield macro, entry id and values of everything that a part of a conversation shows."""
    match part:
        case Block():
            yield from _opening(part)
            for card in part.outgoing:
                yield "card", _card_id(card), {"card": card, "outgoing": True}
            yield from _outputs(part, late=False)
            yield from _closing(part)
            yield from _outputs(part, late=True)
        case Loose():
            yield from _loose(part)


def _opening(block: Block) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for shown, card in block.replies:
        yield "reply", shown.message.id, {"shown": shown, "card": card}
    match block.turn.kind:
        case TurnKind.PERSON:
            if block.opener:
                yield "said", block.opener.message.id, {"shown": block.opener, "turn": block.turn}
        case TurnKind.MESSAGE:
            if block.incoming:
                card = block.incoming
                yield "card", _card_id(card), {"card": card, "outgoing": False, "turn": block.turn}
            elif block.opener:
                yield "told", block.opener.message.id, {"shown": block.opener, "turn": block.turn}
        case TurnKind.CONTINUATION:
            yield "continued", f"{block.turn.id}-why", {"turn": block.turn}


def _outputs(block: Block, *, late: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for shown in block.outputs:
        if shown.message.late is late:
            yield "output", shown.message.id, {"shown": shown}


def _closing(block: Block) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if block.live is not None:
        cut = text.streamed(block.live.text)
        yield "live", f"{block.turn.id}-live", {"turn": block.turn, "live": block.live, "cut": cut}
    elif block.turn.ended_at is not None and not _taken_back(block):
        yield "ended", f"{block.turn.id}-end", {"turn": block.turn}


def _taken_back(block: Block) -> bool:
    """Tell whether a turn was withdrawn before it ran; its message says so itself."""
    return block.turn.kind is TurnKind.PERSON and block.turn.claimed_at is None


def _loose(part: Loose) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if part.reply:
        shown, card = part.reply
        yield "reply", shown.message.id, {"shown": shown, "card": card}
    if part.outgoing:
        yield "card", _card_id(part.outgoing), {"card": part.outgoing, "outgoing": True}
    if part.message:
        yield "output", part.message.message.id, {"shown": part.message}


def _card_id(card: Card) -> str:
    return card.reply.request_id


def _entry(entry_id: str, html: str) -> Entry:
    html = html.strip()
    return Entry(id=entry_id, version=f"{zlib.crc32(html.encode()):08x}", html=html)


@cache
def _environment(lang: Lang) -> Environment:
    words = Words(lang=lang)
    environment = Environment(
        loader=PackageLoader("ccweb.hub", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "markdown": text.markdown,
        "first_line": text.first_line,
        "iso": iso,
        "ms": to_ms,
        "clock": _clock,
        "tone": TONES.__getitem__,
    }
    environment.globals |= {
        "lang": lang.value,
        "t": words.say,
        "tn": words.count,
        "explain": words.explain,
        "ago": words.ago,
        "duration": words.duration,
        "size": words.size,
        "cross": _cross,
        "AskKind": AskKind,
    }
    return environment


def _clock(at: datetime) -> str:
    """Return the time of day; the page's script puts it into the browser's own time zone."""
    return at.astimezone().strftime("%H:%M:%S")


def _cross(shown: Shown, key: str) -> str:
    """Return a value of the metadata of a message from another conversation."""
    return str(shown.message.metadata.get("crossConversation", {}).get(key, ""))
