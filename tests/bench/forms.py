"""A hundred forms answered at once: how long until a hundred conversations have gone on."""

import asyncio
import tempfile
import time
from pathlib import Path

import httpx2
from sqlalchemy import text

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.conversations.service import NewConversation
from ccweb.db.engine import Database
from ccweb.relay import service as relay
from ccweb.settings import Settings, load
from ccweb_contract.enums import AgentKind, PermissionMode
from tests.bench.figures import Figure
from tests.chaos.processes import Processes

FORMS = 100
LIMIT_S = 60.0
_OPEN = text("SELECT id FROM ask WHERE kind = 'form' AND status = 'open'")
_WENT_ON = text("""
    SELECT count(*) AS turns, count(DISTINCT conversation_id) AS talks FROM turn
    WHERE kind = 'continuation' AND status = 'completed'""")


async def measure() -> list[Figure]:
    """Return how long it takes, and how many went on exactly once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        async with Processes(folder, {}) as processes:
            await processes.keep_up()
            s = load({}, data_dir=folder)
            db = Database(s.database)
            cookie = _ask(db, s, folder)
            forms = await _until_all_asked(db)
            origin = f"http://127.0.0.1:{processes.port}"
            cookies = {f"ccweb-{processes.port}": cookie}
            async with httpx2.AsyncClient(base_url=origin, cookies=cookies, timeout=LIMIT_S) as web:
                began = time.perf_counter()
                await asyncio.gather(*(_answer(web, origin, form) for form in forms))
                answered = time.perf_counter() - began
                turns, talks = await _until_all_went_on(db)
                taken = time.perf_counter() - began
            db.close()
    once = talks if turns == talks else 2 * talks - turns
    return [
        Figure(name=f"{FORMS} form answers at once, stored", value=answered * 1000, unit="ms"),
        Figure(name="the same, all have gone on", value=taken * 1000, unit="ms"),
        Figure(name="gone on exactly once", value=once, unit="", goal=FORMS, at_least=True),
    ]


def _ask(db: Database, s: Settings, folder: Path) -> str:
    """Let every conversation ask a form and return the secret of a browser's session."""
    with db.begin() as c:
        m = moment()
        host_id = c.exec_driver_sql("SELECT id FROM host").scalar_one()
        person_id = access.owner(c, m).id
        for number in range(FORMS):
            new = NewConversation(
                title=f"Asks {number}",
                agent=AgentKind.DEMO,
                cwd=str(folder),
                permission_mode=PermissionMode.ASK,
                host_id=host_id,
            )
            talk = conversations.create(c, m, new)
            relay.write(
                c,
                m,
                s,
                person_id=person_id,
                conversation_id=talk.id,
                content=f"/form Details {number} | Name",
            )
        return access.open_session(c, m, s, person_id)


async def _until_all_asked(db: Database) -> list[str]:
    async with asyncio.timeout(LIMIT_S):
        while len(forms := list(db.reader.execute(_OPEN).scalars())) < FORMS or _busy(db):
            await asyncio.sleep(0.05)
    return forms


def _busy(db: Database) -> bool:
    return bool(db.reader.execute(text("SELECT 1 FROM turn WHERE ended_at IS NULL")).first())


async def _answer(web: httpx2.AsyncClient, origin: str, form: str) -> None:
    page = await web.post(
        f"/asks/{form}/answer",
        json={"answers": {"field_1": "Ada"}},
        headers={"Origin": origin},
    )
    page.raise_for_status()


async def _until_all_went_on(db: Database) -> tuple[int, int]:
    async with asyncio.timeout(LIMIT_S):
        while True:
            row = db.reader.execute(_WENT_ON).one()
            if row.talks >= FORMS and not _busy(db):
                return row.turns, row.talks
            await asyncio.sleep(0.005)
