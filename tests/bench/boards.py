"""A board of 5,000 tasks: how soon it opens for agents and people, and how fast a task moves."""

import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2
from playwright.async_api import async_playwright

from ccweb.access import service as access
from ccweb.board import service as boards
from ccweb.board import store
from ccweb.board.model import Author, NewTask
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.settings import load
from ccweb_contract.enums import Lang, SourceKind
from ccweb_contract.tools import ToolName
from scripts.install_chromium import find_chromium
from tests.bench.figures import Figure, Latencies
from tests.bench.http import Poster
from tests.chaos.processes import Processes

TASKS = 5_000
MOVES = 300
OPENS = 15


async def measure() -> list[Figure]:
    """Return the figures of a large board."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        async with Processes(folder, {}) as processes:
            await processes.keep_up()
            db = Database(load({}, data_dir=folder).database)
            board_id, token, cookie = _fill(db, folder)
            origin = f"http://127.0.0.1:{processes.port}"
            cookies = {f"ccweb-{processes.port}": cookie}
            read = Poster(processes.port, f"/api/mcp/tools/{ToolName.CCWEB_GET_BOARD}/", token)
            move = Poster(processes.port, f"/api/mcp/tools/{ToolName.CCWEB_MOVE_TASK}/", token)
            listed = await _times(lambda: read.post({"boardId": board_id}), OPENS)
            page = await _page_ms(f"{origin}/boards/{board_id}", cookies)
            shown = await _chromium_ms(origin, f"/boards/{board_id}", cookies)
            moved = await _moves(db, board_id, move)
            await read.aclose()
            await move.aclose()
            db.close()
    moved_95 = statistics.quantiles(moved, n=20)[-1]
    return [
        Figure(name=f"board of {TASKS} tasks, tool, p50", value=listed.p50_ms, unit="ms"),
        Figure(name="the same, page from the hub", value=page, unit="ms"),
        Figure(name="the same, open in Chromium", value=shown, unit="ms", goal=300),
        Figure(name="a task moves, p50", value=statistics.median(moved), unit="ms"),
        Figure(name="a task moves, p95", value=moved_95, unit="ms", goal=50),
    ]


def _fill(db: Database, folder: Path) -> tuple[str, str, str]:
    """Fill a board and return its id, a person's token and the secret of a browser's session."""
    with db.begin() as c:
        m, s = moment(), load({}, data_dir=folder)
        host_id = c.exec_driver_sql("SELECT id FROM host").scalar_one()
        person_id = access.owner(c, m).id
        board = boards.board_at(c, m, host_id, str(folder), lang=Lang.EN)
        columns = store.columns(c, board.id)
        author = Author(kind=SourceKind.PERSON, id=person_id)
        for number in range(TASKS):
            new = NewTask(
                title=f"Task {number} of the large board",
                text="Something is to be done here. " * 10,
                column_id=columns[number % 4].id,
            )
            boards.create_task(c, m, board.id, new, author=author)
        token = access.create_token(c, m, name="bench", person_id=person_id).secret
        return board.id, token, access.open_session(c, m, s, person_id)


async def _times(call: Callable[[], Awaitable[object]], count: int) -> Latencies:
    seconds = []
    began = time.perf_counter()
    for _ in range(count):
        at = time.perf_counter()
        await call()
        seconds.append(time.perf_counter() - at)
    return Latencies(seconds=tuple(seconds), wall_s=time.perf_counter() - began)


async def _page_ms(url: str, cookies: dict[str, str]) -> float:
    async with httpx2.AsyncClient(cookies=cookies) as browser:

        async def load_page() -> None:
            (await browser.get(url)).raise_for_status()

        return (await _times(load_page, OPENS)).p50_ms


async def _chromium_ms(origin: str, path: str, cookies: dict[str, str]) -> float:
    """Return how long Chromium takes from the address to the page with its first cards."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox"]
        )
        context = await chromium.new_context()
        named = [{"name": n, "value": v, "url": origin} for n, v in cookies.items()]
        await context.add_cookies(named)  # type: ignore[arg-type]
        page, taken = await context.new_page(), []
        for _ in range(OPENS + 1):
            began = time.perf_counter()
            await page.goto(f"{origin}{path}", wait_until="domcontentloaded")
            await page.locator(".task-cards > li").first.wait_for()
            taken.append((time.perf_counter() - began) * 1000)
        await chromium.close()
    return statistics.median(taken[1:])


async def _moves(db: Database, board_id: str, move: Poster) -> list[float]:
    """Return the milliseconds of moves of random tasks to random places."""
    chance, taken = random.Random(7), []
    with db.begin() as c:
        columns = store.columns(c, board_id)[:4]
        tasks = store.tasks(c, board_id)
    for moved in chance.sample(tasks, MOVES):
        column_id = chance.choice(columns).id
        at = [task.id for task in tasks if task.column_id == column_id and task.id != moved.id]
        given = {
            "taskId": moved.id,
            "expectedVersion": moved.version,
            "columnId": column_id,
            "beforeTaskId": chance.choice(at),
        }
        began = time.perf_counter()
        await move.post(given)
        taken.append((time.perf_counter() - began) * 1000)
        tasks = [task for task in tasks if task.id != moved.id]
    return taken
