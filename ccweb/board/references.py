"""What a task refers to in the rest of the database: people, conversations and requests."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.board.model import NOBODY, Assignee, Author, Link
from ccweb.clock import Moment
from ccweb.conversations.service import existing
from ccweb.db.sql import text
from ccweb.errors import InvalidParams, RequestNotFound
from ccweb_contract.enums import AssigneeKind, LinkKind, SourceKind

_PERSON = text("SELECT 1 FROM person WHERE id = :id")

_REQUEST = text("""
    SELECT 1 FROM pending_reply WHERE request_id = :id
    AND (:viewer IS NULL OR :viewer IN (source_conversation_id, target_conversation_id))""")


def assignee(c: Connection, m: Moment, given: Assignee) -> Assignee:
    """Return who is meant; a person without an id is the owner.

    Raises:
        ConversationNotFound: there is no such conversation.
        InvalidParams: there is no such person, or a conversation without an id.
    """
    match given.kind:
        case AssigneeKind.NOBODY:
            return NOBODY
        case AssigneeKind.PERSON:
            return replace(given, id=_person(c, m, given.id))
        case AssigneeKind.CONVERSATION:
            if given.id is None:
                raise InvalidParams(why="`assignee` needs the `id` of the conversation.")
            return replace(given, id=existing(c, given.id).id)


def check_links(c: Connection, links: Iterable[Link], author: Author) -> None:
    """Check that what a task is newly linked to exists, as far as its author may know.

    Raises:
        ConversationNotFound: there is no such conversation.
        RequestNotFound: there is no such request, or a conversation is neither of its ends.
    """
    for link in links:
        match link.kind:
            case LinkKind.CONVERSATION:
                existing(c, link.id)
            case LinkKind.REQUEST:
                _check_request(c, link.id, author)
            case LinkKind.BLUEPRINT:
                pass


def _person(c: Connection, m: Moment, person_id: str | None) -> str:
    if person_id is None:
        return access.owner(c, m).id
    if c.execute(_PERSON, {"id": person_id}).one_or_none() is None:
        raise InvalidParams(why=f"There is no person {person_id!r}.")
    return person_id


def _check_request(c: Connection, request_id: str, author: Author) -> None:
    viewer = author.id if author.kind is SourceKind.CONVERSATION else None
    if c.execute(_REQUEST, {"id": request_id, "viewer": viewer}).one_or_none() is None:
        raise RequestNotFound(request_id=request_id)
