"""One ccweb for all tests of a module: each signs in anew and finds new demo conversations."""

from urllib.parse import urlsplit

from playwright.sync_api import Page
from sqlalchemy import Connection, text

from ccweb.access import service as access
from ccweb.clock import Moment
from ccweb.conversations import hosts
from ccweb.conversations import service as conversations
from ccweb.conversations.service import NewConversation
from ccweb.relay import service as relay
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind, PermissionMode
from tests.browser.boards import behind
from tests.browser.harness import Server

_EVERY = text("SELECT id FROM conversation WHERE deleted_at IS NULL")


def sign_in(page: Page, server: Server) -> None:
    """Let the page's browser belong to the owner."""
    with behind(server) as (c, m):
        session = access.open_session(c, m, Settings(), access.owner(c, m).id)
    name = f"ccweb-{urlsplit(server.origin).port}"
    page.context.add_cookies([{"name": name, "value": session, "url": server.origin}])


def renew_conversations(server: Server) -> None:
    """Delete every conversation and make the three demo ones again, with nothing in them."""
    s = Settings(data_dir=server.data_dir)
    with behind(server) as (c, m):
        for conversation_id in c.execute(_EVERY).scalars().all():
            relay.delete(c, m, s, conversation_id)
        for title in ("Planner", "Builder", "Reviewer"):
            _create(c, m, s, title)


def _create(c: Connection, m: Moment, s: Settings, title: str) -> None:
    new = NewConversation(
        title=title,
        agent=AgentKind.DEMO,
        cwd=str((s.data_dir / "workspace").resolve()),
        permission_mode=PermissionMode.ASK,
        host_id=hosts.everyone(c)[0].id,
    )
    conversations.create(c, m, new)
