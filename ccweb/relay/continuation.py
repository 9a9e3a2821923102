"""The text of a continuation: which items fit into it, how replies are cut, and the prompt."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection

from ccweb.conversations import inbox, rules
from ccweb.conversations.model import InboxItem
from ccweb.relay import store
from ccweb.relay.model import PendingReply
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import Decision, InboxKind

_REASON_BYTES: Final = 1024
"""An error may be a program's whole output; the request's row keeps it in full."""


def rows_of(c: Connection, items: Sequence[InboxItem]) -> Mapping[str, PendingReply]:
    """Return the requests of the items that are replies, by id."""
    return store.get_many(c, [item.ref_id for item in items if item.kind is InboxKind.REPLY])


def fitting(
    s: Settings, items: Sequence[InboxItem], rows: Mapping[str, PendingReply]
) -> Sequence[InboxItem]:
    """Return the first of `items` that one continuation can carry; the rest stays ready (R-M9)."""
    known = [rows.get(item.ref_id) for item in items]
    count = rules.how_many_fit(
        [_size(row.reply_text if row else "") for row in known],
        [_whole_bytes(s, item, row) for item, row in zip(items, known, strict=True)],
        total=s.continuation_limit_bytes,
    )
    return items[:count]


def _whole_bytes(s: Settings, item: InboxItem, row: PendingReply | None) -> int:
    """Return the size of what is not cut of an item: its request, or all that a person decided."""
    if row is None:
        return _size(_decided(s, item))
    return min(_size(row.original_request + _reason(row)), s.original_limit_bytes)


def compose(s: Settings, items: Sequence[InboxItem], rows: Mapping[str, PendingReply]) -> str:
    """Return the prompt of a continuation that carries `items`, which have been brought in.

    Words and fences take room too (a fence is longer than any inside it), so the replies get less
    until the whole text fits.
    """
    limit = s.continuation_limit_bytes
    decided = sum(_size(_decided(s, item)) for item in items)
    room = min(max(limit - decided, 0), sum(_share_bytes(s, row) for row in rows.values()))
    prompt = _prompt(s, items, rows, room)
    while _size(prompt) > limit and room > 0:
        room = min(room - 1, room * limit // _size(prompt))
        prompt = _prompt(s, items, rows, room)
    return prompt


def _prompt(
    s: Settings, items: Sequence[InboxItem], rows: Mapping[str, PendingReply], room: int
) -> str:
    parts = [_decided(s, item) for item in items if item.kind is not InboxKind.REPLY]
    replies = [rows[item.ref_id] for item in items if item.kind is InboxKind.REPLY]
    if replies:
        parts.append(prompts.source_continuation(s.lang, replies=_returned(s, replies, room)))
    return "\n\n".join(parts)


def compose_again(c: Connection, s: Settings, turn_id: str) -> str:
    """Return the prompt of what a turn carried and did not work on."""
    items = inbox.carried_by(c, turn_id)
    return compose(s, items, rows_of(c, items))


def _returned(s: Settings, rows: Sequence[PendingReply], room: int) -> list[prompts.ReturnedReply]:
    requests = [rules.cut(row.original_request, s.original_limit_bytes) for row in rows]
    left = room - sum(_size(request) for request in requests)
    shares = rules.share([_size(row.reply_text) for row in rows], left)
    return [
        _one_reply(s, row, request, rules.cut(row.reply_text or "", share))
        for row, request, share in zip(rows, requests, shares, strict=True)
    ]


def _one_reply(s: Settings, row: PendingReply, request: str, reply: str) -> prompts.ReturnedReply:
    assert row.outcome is not None  # noqa: S101 - a row in the inbox has been answered
    return prompts.returned_reply(
        s.lang,
        request_id=row.request_id,
        target_title=row.target_title,
        target_id=row.target_conversation_id,
        original_request=request,
        outcome=row.outcome,
        stop_reason=_reason(row),
        reply_text=reply,
        cuts=_cuts(s, row, request, reply),
    )


def _cuts(s: Settings, row: PendingReply, request: str, reply: str) -> list[prompts.CutNotice]:
    """Say where to read on: the request in the target, the reply as displayed in the source."""
    places = (
        (
            prompts.cut_original_request(s.lang),
            row.original_request,
            request,
            row.target_conversation_id,
            row.message_id,
        ),
        (
            prompts.cut_reply_text(s.lang),
            row.reply_text or "",
            reply,
            row.source_conversation_id,
            row.reply_message_id or "",
        ),
    )
    return [
        prompts.cut_notice(
            s.lang,
            what=what,
            conversation_id=conversation_id,
            message_id=message_id,
            offset=len(shown),
            left_out=len(whole) - len(shown),
        )
        for what, whole, shown, conversation_id, message_id in places
        if len(shown) < len(whole)
    ]


def _decided(s: Settings, item: InboxItem) -> str:
    """Return what a person decided, in the words for its kind."""
    match item.kind:
        case InboxKind.REPLY:
            return ""
        case InboxKind.DECISION:
            return _decision(s, item)
        case InboxKind.FORM:
            return form_text(s, item.ref_id, item.payload)


def _decision(s: Settings, item: InboxItem) -> str:
    """Return what a person decided: about a blueprint, or that two conversations may go on."""
    if "artifactId" in item.payload:
        return prompts.blueprint_decided(
            s.lang,
            title=item.payload["title"],
            artifact_id=item.payload["artifactId"],
            decision=Decision(item.payload["decision"]),
            note=item.payload["note"],
        )
    return prompts.loop_resumed(
        s.lang,
        target_title=item.payload["targetTitle"],
        target_id=item.payload["targetConversationId"],
    )


def form_text(s: Settings, form_id: str, payload: Mapping[str, Any]) -> str:
    """Return what a conversation reads about a form that a person has answered or declined."""
    answers, title = payload["answers"], str(payload["title"])
    if answers is None:
        return prompts.form_declined(
            s.lang, form_id=form_id, title=title, reason=str(payload["note"])
        )
    return prompts.form_answered(
        s.lang,
        form_id=form_id,
        title=title,
        answers=[
            prompts.form_answer(
                s.lang, label=one["label"], name=one["name"], answer="\n".join(one["values"])
            )
            for one in answers
        ],
    )


def _reason(row: PendingReply) -> str:
    return rules.cut("; ".join(filter(None, (row.stop_reason, row.last_error))), _REASON_BYTES)


def _share_bytes(s: Settings, row: PendingReply) -> int:
    return min(_size(row.original_request), s.original_limit_bytes) + _size(row.reply_text)


def _size(text: str | None) -> int:
    return len((text or "").encode())
