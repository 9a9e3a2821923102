"""`ccweb demo`: a whole delegation between two demo agents, shown while it happens."""

import argparse
import tempfile
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.cli.children import Child
from ccweb.cli.failure import Failure
from ccweb.cli.opening import database
from ccweb.clock import Moment, moment
from ccweb.conversations import hosts, messages, service, turns
from ccweb.conversations.model import Turn
from ccweb.conversations.service import NewConversation
from ccweb.db.engine import Database
from ccweb.db.wakeup import Wakeup
from ccweb.host.identity import Identity, identity
from ccweb.relay import service as relay
from ccweb.relay import store as requests
from ccweb.relay.model import PendingReply
from ccweb.settings import OFF, Settings, load
from ccweb_contract.enums import (
    AgentKind,
    Lang,
    Outcome,
    PermissionMode,
    ReplyDirection,
    ReplyStatus,
    TurnStatus,
)

_UP_S: Final = 30.0
_WORK_S: Final = 60.0
_LOOK_S: Final = 1.0
_TASK: Final = {
    Lang.EN: "/delegate Builder: /wait 3\\n/say The build is green: 128 tests passed.",
    Lang.ZH: "/delegate Builder: /wait 3\\n/say 构建通过：128 项测试全部成功。",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What has happened so far."""

    source_id: str
    target_id: str
    asked_at: datetime
    row: PendingReply | None = None
    working: Turn | None = None
    continuation: Turn | None = None
    final_text: str = ""

    @property
    def is_done(self) -> bool:
        """Return whether the source has gone on with the reply."""
        return (
            self.row is not None
            and self.row.status is ReplyStatus.RETURNED
            and self.row.outcome is Outcome.COMPLETED
            and self.continuation is not None
            and self.continuation.status is TurnStatus.COMPLETED
        )

    @property
    def steps(self) -> list[tuple[str, datetime | None]]:
        """Return each step with the time when it happened."""
        row, work, after = self.row, self.working, self.continuation
        return [
            ("Planner is asked to delegate", self.asked_at),
            ("Builder has the request, Planner ends its turn", row.created_at if row else None),
            ("Builder works", work.claimed_at if work else None),
            ("Builder is done, its reply is kept", row.completed_at if row else None),
            ("The reply is brought into Planner", row.returned_at if row else None),
            ("Planner goes on by itself", after.claimed_at if after else None),
            ("Planner has finished", after.ended_at if after else None),
        ]


def run(_: argparse.Namespace) -> int:
    """Run the demo in a folder of its own; 0 only if the reply came back and the source went on."""
    with tempfile.TemporaryDirectory(prefix="ccweb-demo-") as folder:
        s = replace(
            load(),
            data_dir=Path(folder),
            database_url="",
            url="",
            host="127.0.0.1",
            port=0,
            claude_path=OFF,
            codex_path=OFF,
        )
        with database(s) as db:
            scene = anyio.run(_play, db, s)
    if scene is None:
        raise Failure("The hub and the host did not start in time.")
    if not scene.is_done:
        raise Failure("The reply did not come back in time.")
    return 0


async def _play(db: Database, s: Settings) -> Scene | None:
    """Show one delegation between real processes; None when they did not start."""
    scene = None
    async with anyio.create_task_group() as tasks:
        up: list[str | None] = []
        with anyio.move_on_after(_UP_S):
            up = [await tasks.start(Child(s, [name], quiet=True).keep) for name in ("hub", "host")]
        if all(up) and up:
            scene = await _show(db, s)
        tasks.cancel_scope.cancel()
    return scene


async def _show(db: Database, s: Settings) -> Scene:
    scene = await db.write(lambda c: _begin(c, moment(), s))
    wakeup = Wakeup(db)
    console = Console()
    with Live(_picture(scene), console=console, refresh_per_second=10) as live:
        with anyio.move_on_after(_WORK_S):
            while not scene.is_done:
                await wakeup.wait(_LOOK_S)
                scene = await db.read(partial(_look, scene=scene))
                live.update(_picture(scene))
    return scene


def _begin(c: Connection, m: Moment, s: Settings) -> Scene:
    host = identity(s.data_dir)
    hosts.ensure(c, m, host.id, host.name)
    source_id, target_id = (_conversation(c, m, s, host, title) for title in ("Planner", "Builder"))
    person = access.owner(c, m)
    relay.write(c, m, s, person_id=person.id, conversation_id=source_id, content=_TASK[s.lang])
    return Scene(source_id=source_id, target_id=target_id, asked_at=m.now)


def _conversation(c: Connection, m: Moment, s: Settings, host: Identity, title: str) -> str:
    new = NewConversation(
        title=title,
        agent=AgentKind.DEMO,
        cwd=str(s.data_dir),
        permission_mode=PermissionMode.ASK,
        host_id=host.id,
    )
    return service.create(c, m, new).id


def _look(c: Connection, *, scene: Scene) -> Scene:
    """Return the scene as the database has it now."""
    rows = requests.listed(
        c, scene.source_id, direction=ReplyDirection.OUTGOING, status=None, limit=1
    )
    if not rows:
        return scene
    row = rows[0]
    reply = messages.get(c, row.reply_message_id) if row.reply_message_id else None
    after = turns.get(c, reply.turn_id) if reply and reply.turn_id else None
    final = messages.get(c, after.final_message_id) if after and after.final_message_id else None
    return replace(
        scene,
        row=row,
        working=turns.get(c, row.target_turn_id) if row.target_turn_id else None,
        continuation=after,
        final_text=final.text if final else "",
    )


def _picture(scene: Scene) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for step, at in scene.steps:
        mark = Text("●", "green") if at else Text("○", "dim")
        since = f"{(at - scene.asked_at).total_seconds():6.2f} s" if at else ""
        table.add_row(mark, Text(step, "" if at else "dim"), Text(since, "cyan"))
    parts: list[RenderableType] = [table]
    if scene.is_done:
        parts.append(Panel(scene.final_text, title="Planner", title_align="left"))
    return Group(*parts)
