"""The interface of a source of work items, and the one that each kind of source has."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from sqlalchemy import Connection

from ccweb.planning.model import Context, SpaceId, WorkItem
from ccweb.planning.sources.board import Board
from ccweb.planning.sources.feishu import Feishu
from ccweb.settings import Settings
from ccweb_contract.enums import WorkItemSource

Fetch = Callable[[], WorkItem]
"""Fetches a work item: slow work, for a thread that nobody waits for inside a transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which work item is wanted."""

    source: WorkItemSource
    id: str
    space_id: SpaceId | None = None
    type: str | None = None


class Source(Protocol):
    """Where work items live."""

    def fetching(
        self, c: Connection, work_item_id: str, *, space_id: SpaceId | None, type_key: str | None
    ) -> Fetch:
        """Return what fetches a work item; the connection is over when that runs.

        Raises:
            InvalidParams: the source needs more to find a work item.
            WorkItemNotFound: it has none like this; what fetches may find that too.
            Unavailable: nobody has set the source up; what fetches may not reach it.
        """
        ...

    def current(self, c: Connection, known: WorkItem) -> WorkItem:
        """Return a work item as the source has it now, as far as the database can tell."""
        ...


def fetching(c: Connection, s: Settings, wanted: Wanted) -> Fetch:
    """Return what fetches a work item from its source."""
    return of(s, wanted.source).fetching(
        c, wanted.id, space_id=wanted.space_id, type_key=wanted.type
    )


def looking(c: Connection, s: Settings, item: WorkItem) -> Fetch | None:
    """Return what fetches a work item before something is decided on it (R-P7).

    None for a task of the board: the transaction that decides reads it live.
    """
    return None if item.source is WorkItemSource.BOARD else refetching(c, s, item)


def refetching(c: Connection, s: Settings, item: WorkItem) -> Fetch:
    """Return what fetches a work item once more."""
    return of(s, item.source).fetching(
        c, item.id, space_id=item.space_id, type_key=item.type or None
    )


def current(c: Connection, s: Settings, context: Context) -> WorkItem:
    """Return the work item of a context as it is in this transaction.

    A task of the board is read live; of any other source this is what was fetched last.
    """
    return of(s, context.item.source).current(c, context.item)


def of(s: Settings, source: WorkItemSource) -> Source:
    """Return the source of a kind."""
    match source:
        case WorkItemSource.BOARD:
            return _BOARD
        case WorkItemSource.FEISHU:
            return _feishu(s)


@lru_cache(maxsize=4)
def _feishu(s: Settings) -> Feishu:
    """Return the one client of these settings, which keeps its token."""
    return Feishu(
        url=s.feishu_url,
        plugin_id=s.feishu_plugin_id,
        plugin_secret=s.feishu_plugin_secret,
        user_key=s.feishu_user_key,
    )


_BOARD = Board()
