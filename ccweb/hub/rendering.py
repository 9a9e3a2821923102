"""Values to HTML: the templates, and the keyed entries of a conversation."""

import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ccweb.clock import iso, to_ms
from ccweb.db.tables.history import Elsewhere
from ccweb.hub import forms, text, toolcalls
from ccweb.hub.questions import Asked
from ccweb.hub.requests import Card
from ccweb.hub.scripts import script
from ccweb.hub.timeline import Block, Loose, Shown, Timeline
from ccweb.hub.wording import Words
from ccweb.planning.blueprints.literal import literal
from ccweb_contract.enums import (
    AgentKind,
    AskKind,
    ConversationStatus,
    FieldType,
    Lang,
    PermissionAnswer,
    PermissionMode,
    TurnFailure,
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

_AGAIN_CHARACTERS: Final = 4096


_TEMPLATES: Final = {
    "work": "work.html",
    "ask": "asks.html",
    "decided": "asks.html",
    "form": "form.html",
}
"""Where the macros of entries stand that are not in `entries.html`."""


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
    """Return the entries of a conversation in order; no two share a version."""
    return [
        _entry(entry_id, _filled(lang, macro, here=here, person_id=person_id, **values))
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
    outgoing = card.reply.source_conversation_id == here
    html = _filled(lang, "card", card=card, here=here, person_id="", outgoing=outgoing)
    return _entry(_card_id(card), html)


def _filled(lang: Lang, macro: str, /, **values: Any) -> str:
    """Return what a macro makes of values."""
    template = _environment(lang).get_template(_TEMPLATES.get(macro, "entries.html"))
    return str(getattr(template.module, macro)(**values))


def _of(part: Block | Loose) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield macro, entry id and values of everything that a part of a conversation shows."""
    match part:
        case Block():
            yield from _opening(part)
            yield from _on_the_way(part)
            for card in part.outgoing:
                yield "card", _card_id(card), {"card": card, "outgoing": True}
            yield from _outputs(part, late=False)
            yield from _closing(part)
            for asked in part.asked:
                if asked.is_form or asked.open:
                    yield _asked(asked)
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


def _on_the_way(block: Block) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what a turn has done and what people have decided for it."""
    if block.work.total:
        yield "work", f"{block.turn.id}-work", {"work": block.work, "turn": block.turn}
    decided = [asked for asked in block.asked if not (asked.open or asked.is_form)]
    if decided:
        yield "decided", f"{block.turn.id}-decided", {"asked": decided, "turn": block.turn}


def _outputs(block: Block, *, late: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for shown in block.outputs:
        if shown.message.late is late:
            yield _written(shown)


def _written(shown: Shown) -> tuple[str, str, dict[str, Any]]:
    return "image" if shown.image_id else "output", shown.message.id, {"shown": shown}


def _closing(block: Block) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if block.live is not None:
        values = {
            "turn": block.turn,
            "live": block.live,
            "cut": text.streamed(block.live.text),
            "asks": any(asked.open and asked.by_agent for asked in block.asked),
        }
        yield "live", f"{block.turn.id}-live", values
    elif block.turn.ended_at is not None and not _taken_back(block):
        yield "ended", f"{block.turn.id}-end", {"turn": block.turn, "again": _again(block)}


def _again(block: Block) -> str:
    """Return what a person may want to write again, '' when it is too long or nobody's."""
    opener = block.opener if block.turn.kind is TurnKind.PERSON else None
    written = opener.message.text if opener else ""
    return written if len(written) <= _AGAIN_CHARACTERS else ""


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
        yield _written(part.message)
    if part.asked:
        yield _asked(part.asked)


def _asked(asked: Asked) -> tuple[str, str, dict[str, Any]]:
    return "form" if asked.is_form else "ask", asked.ask.id, {"asked": asked}


def _card_id(card: Card) -> str:
    return card.reply.request_id


def _entry(entry_id: str, html: str) -> Entry:
    html = html.strip()
    return Entry(id=entry_id, version=_version(entry_id + html), html=html)


def _version(html: str) -> str:
    return f"{zlib.crc32(html.encode(errors='replace')):08x}"


@cache
def _environment(lang: Lang) -> Environment:
    environment = Environment(
        loader=PackageLoader("ccweb.hub", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= _filters()
    environment.tests["limited"] = forms.is_limited
    environment.globals |= _values(lang)
    return environment


def _filters() -> dict[str, Any]:
    """Return what templates turn values into text with."""
    return {
        "markdown": text.markdown,
        "first_line": text.first_line,
        "iso": iso,
        "ms": to_ms,
        "clock": _clock,
        "tone": TONES.__getitem__,
        "version": _version,
        "inline": text.inline,
        "document": text.document,
        "literal": literal,
        "readable": text.readable,
        "code": text.code,
        "visible": text.visible,
        "terminal": text.terminal,
        "tool_name": toolcalls.readable_name,
        "tool_icon": toolcalls.icon,
        "brief": toolcalls.brief,
        "parts": toolcalls.parts,
        "is_diff": toolcalls.is_diff,
        "least": forms.least,
        "largest": forms.largest,
    }


def _values(lang: Lang) -> dict[str, Any]:
    """Return what templates know by name: the words of a language, and enums of the contract."""
    words = Words(lang=lang)
    return {
        "lang": lang.value,
        "t": words.say,
        "tn": words.count,
        "explain": words.explain,
        "meaning": words.meaning,
        "ago": words.ago,
        "duration": words.duration,
        "size": words.size,
        "tokens": words.tokens,
        "money": words.money,
        "script": script,
        "cross": _cross,
        "shown_characters": text.SHOWN_CHARACTERS,
        "AgentKind": AgentKind,
        "AskKind": AskKind,
        "Elsewhere": Elsewhere,
        "FieldType": FieldType,
        "PermissionAnswer": PermissionAnswer,
        "PermissionMode": PermissionMode,
        "TurnFailure": TurnFailure,
    }


def _clock(at: datetime) -> str:
    """Return the time of day; the page's script puts it into the browser's own time zone."""
    return at.astimezone().strftime("%H:%M:%S")


def _cross(shown: Shown, key: str) -> str:
    """Return a value of the metadata of a message from another conversation."""
    return str(shown.message.metadata.get("crossConversation", {}).get(key, ""))
