"""An image of 20 MiB and one of 2 MiB in a call: how long each takes, and who waits for it."""

import asyncio
import base64
import statistics
import tempfile
import time
from pathlib import Path

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.conversations.service import NewConversation
from ccweb.db.engine import Database
from ccweb.settings import load
from ccweb_contract.enums import AgentKind, PermissionMode
from ccweb_contract.tools import ToolName
from tests.bench.figures import Figure
from tests.bench.http import Poster
from tests.chaos.processes import Processes
from tests.media.pictures import encoded, noise

_RUNS = 5


async def measure() -> list[Figure]:
    """Return how long a show takes, and the longest that another request waited meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        async with Processes(folder, {}) as processes:
            await processes.keep_up()
            token = _token(folder)
            show = Poster(processes.port, f"/api/mcp/tools/{ToolName.CCWEB_SHOW_IMAGE}/", token)
            ask = Poster(
                processes.port, f"/api/mcp/tools/{ToolName.CCWEB_LIST_CONVERSATIONS}/", token
            )
            (folder / "large").write_bytes(_picture(4400, 4700))
            small = base64.b64encode(_picture(1400, 1490)).decode()
            by_path = await _runs(show, ask, {"path": "large"})
            by_data = await _runs(show, ask, {"data": small})
            await show.aclose()
            await ask.aclose()
    return [*_figures("image of 20 MiB", by_path), *_figures("image of 2 MiB as base64", by_data)]


def _figures(name: str, runs: list[tuple[float, float]]) -> list[Figure]:
    taken, waited = (statistics.median(of) for of in zip(*runs, strict=True))
    return [
        Figure(name=name, value=taken * 1000, unit="ms"),
        Figure(name=f"{name}, longest wait", value=waited * 1000, unit="ms", goal=50),
    ]


async def _runs(show: Poster, ask: Poster, given: dict[str, str]) -> list[tuple[float, float]]:
    return [await _run(show, ask, given) for _ in range(_RUNS)]


async def _run(show: Poster, ask: Poster, given: dict[str, str]) -> tuple[float, float]:
    """Return how long the image took, and the longest of the requests beside it."""
    began = time.perf_counter()
    shown = asyncio.create_task(show.post(given))
    waited = []
    while not shown.done():
        asked = time.perf_counter()
        await ask.post({})
        waited.append(time.perf_counter() - asked)
    await shown
    return time.perf_counter() - began, max(waited)


def _picture(width: int, height: int) -> bytes:
    return encoded(noise((width, height)), "PNG", compress_level=0)


def _token(folder: Path) -> str:
    """Return a token of a new conversation that works in a folder."""
    db = Database(load({}, data_dir=folder).database)
    with db.begin() as c:
        m = moment()
        host_id = c.exec_driver_sql("SELECT id FROM host").scalars().first()
        new = NewConversation(
            title="Artist",
            agent=AgentKind.DEMO,
            cwd=str(folder),
            permission_mode=PermissionMode.ASK,
            host_id=str(host_id),
        )
        conversation = conversations.create(c, m, new)
        secret = access.create_token(
            c,
            m,
            person_id=access.owner(c, m).id,
            name="bench",
            conversation_id=conversation.id,
        ).secret
    db.close()
    return secret
