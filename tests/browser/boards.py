"""A task board as its tests use it: a signed-in page of it, and another process beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from playwright.sync_api import CDPSession, Locator, Page, expect
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.board import service, store
from ccweb.board.model import Author, NewTask, Task, TaskChange
from ccweb.clock import Moment, moment
from ccweb.conversations import hosts
from ccweb.conversations import service as conversations
from ccweb.conversations.service import NewConversation
from ccweb.db.engine import Database
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind, PermissionMode, SourceKind
from tests.browser.harness import Server
from tests.browser.workspace import Workspace

UNNAMED = """() => [...document.querySelectorAll("button, input, textarea, select, a, summary")]
  .filter(e => e.checkVisibility())
  .filter(e => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
  .map(e => e.outerHTML)"""
"""What can be pressed or filled in and has no name for a screen reader."""


@dataclass
class BoardPage:
    """The board of one folder in a signed-in page."""

    page: Page
    server: Server

    @property
    def board_id(self) -> str:
        return self.page.url.partition("/boards/")[2].partition("/")[0].partition("?")[0]

    def column(self, title: str) -> Locator:
        return self.page.locator(f'.column[data-title="{title}"]')

    def cards(self, title: str) -> Locator:
        return self.column(title).locator(".task-card .task-name")

    def link(self, title: str) -> Locator:
        return self.page.locator(".task-link", has_text=title)

    def add(self, title: str, column: str = "To do", shown: str = "") -> None:
        box = self.column(column).get_by_role("textbox")
        box.fill(title)
        box.press("Enter")
        expect(box).to_have_value("")
        expect(self.cards(column).last).to_have_text(shown or title)

    def open(self, title: str) -> Locator:
        """Open a task and return its panel."""
        self.link(title).click()
        panel = self.page.locator("#task")
        expect(panel.locator("#task-title")).to_have_text(title)
        return panel

    @cached_property
    def _protocol(self) -> CDPSession:
        return self.page.context.new_cdp_session(self.page)

    def finger(self, kind: str, *at: float) -> None:
        """Touch the page somewhere, or leave it: what a finger does bit by bit."""
        points = [{"x": at[0], "y": at[1]}] if at else []
        self._protocol.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def says(self, text: str) -> None:
        """Expect that a screen reader was told something."""
        expect(self.page.locator("#announcer")).to_contain_text(text)

    def overflow(self) -> int:
        return Workspace(self.page).overflow()

    def task(self, title: str) -> Task:
        with behind(self.server) as (c, _):
            return next(one for one in store.tasks(c, self.board_id) if one.title == title)


@contextmanager
def behind(server: Server) -> Iterator[tuple[Connection, Moment]]:
    """Act as another process does, on the same database."""
    db = Database(f"sqlite:///{server.data_dir / 'ccweb.db'}")
    try:
        with db.begin() as c:
            yield c, moment()
    finally:
        db.close()


def conversation_in(c: Connection, m: Moment, folder: Path) -> str:
    """Let a demo conversation work in a folder and bear its name, and return its id."""
    host = hosts.everyone(c)[0]
    new = NewConversation(
        title=folder.name,
        agent=AgentKind.DEMO,
        cwd=str(folder),
        permission_mode=PermissionMode.ASK,
        host_id=host.id,
    )
    return conversations.create(c, m, new).id


def fill(board: BoardPage, *titles: str) -> None:
    """Write tasks that are to be done."""
    with behind(board.server) as (c, m):
        author = Author(kind=SourceKind.PERSON, id=access.owner(c, m).id)
        for title in titles:
            service.create_task(c, m, board.board_id, NewTask(title=title), author=author)


def change(
    board: BoardPage, named: str, *, title: str | None = None, text: str | None = None
) -> None:
    task = board.task(named)
    with behind(board.server) as (c, m):
        author = Author(kind=SourceKind.PERSON, id=access.owner(c, m).id)
        change = TaskChange(expected_version=task.version, title=title, text=text)
        service.update_task(c, m, Settings(), task.id, change, author=author)


def centre(what: Locator) -> tuple[float, float]:
    """Return the middle of an element in the window."""
    box = what.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
