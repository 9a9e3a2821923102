"""A shop whose work item stands in Feishu, and a server on loopback that is asked for it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from ccweb.planning.model import SpaceId
from ccweb.planning.projects import contexts
from ccweb.planning.projects import service as projects
from ccweb.planning.sources import source as sources
from ccweb.planning.sources.source import Wanted
from ccweb.settings import Settings
from ccweb_contract.enums import WorkItemSource
from tests.planning.sources.feishu_server import (
    ITEM,
    PLUGIN_ID,
    SECRET,
    SPACE,
    USER_KEY,
    Server,
    serving,
)
from tests.planning.world import Planning

ITEM_ID = str(ITEM["id"])
PROXIES = ("http_proxy", "https_proxy", "all_proxy")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Return a server, reached by no proxy."""
    for name in (*PROXIES, *map(str.upper, PROXIES)):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        yield server


def settings(server: Server, path: Path) -> Settings:
    """Return settings with which the server is asked."""
    return Settings(
        data_dir=path,
        feishu_url=server.url,
        feishu_plugin_id=PLUGIN_ID,
        feishu_plugin_secret=SECRET,
        feishu_user_key=USER_KEY,
    )


def plan_from(world: Planning, server: Server) -> None:
    """Let the shop plan a work item of the server in place of the task of its board."""
    world.settings = replace(settings(server, world.settings.data_dir), heartbeat_s=0.02)
    wanted = Wanted(source=WorkItemSource.FEISHU, id=ITEM_ID, space_id=SpaceId(SPACE), type="story")
    with world.tx() as c:
        projects.bind_space(c, world.shop.id, WorkItemSource.FEISHU, SpaceId(SPACE))
        item = sources.fetching(c, world.settings, wanted)()
        world.context_id = contexts.keep(c, world.m, item).id


def cancel(server: Server) -> None:
    """Cancel the work item where it stands; nobody here is told."""
    (aborted, *_) = server.item["fields"]
    aborted["field_value"]["is_aborted"] = True


def is_known_cancelled(world: Planning) -> bool:
    """Tell whether the workspace has seen that the item is cancelled."""
    found = world.db.reader.execute(
        text("SELECT cancelled FROM work_context WHERE id = :id"), {"id": world.context_id}
    )
    return bool(found.scalar_one())
