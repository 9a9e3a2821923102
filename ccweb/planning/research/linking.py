"""Links on the task board: a task shows its blueprint and the conversations that work on it."""

from collections.abc import Iterable
from contextlib import suppress

from sqlalchemy import Connection

from ccweb.board import tasks
from ccweb.board.model import Author, Link
from ccweb.clock import Moment
from ccweb.errors import ConversationNotFound, InvalidParams
from ccweb.planning.model import Blueprint
from ccweb.settings import Settings
from ccweb_contract.enums import LinkKind, SourceKind, WorkItemSource


def link(
    c: Connection, m: Moment, s: Settings, r: Blueprint, *, conversations: Iterable[str | None]
) -> None:
    """Link the task of a blueprint to it and to conversations; other sources know no links.

    A task with as many links as it can have, or a conversation that people have deleted, keeps
    no work back.
    """
    if r.item.source is not WorkItemSource.BOARD:
        return
    author = Author(kind=SourceKind.PLANNING, id=r.artifact.id)
    links = [Link(kind=LinkKind.BLUEPRINT, id=r.artifact.id)]
    links += [Link(kind=LinkKind.CONVERSATION, id=one) for one in conversations if one]
    for one in links:
        with suppress(InvalidParams, ConversationNotFound):
            tasks.link(c, m, s, r.item.id, one, author=author)
