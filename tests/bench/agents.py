"""Real agents through ccweb beside the same programs run bare: one model, one run."""

import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import anyio
import psutil

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.conversations.model import Conversation
from ccweb_contract.enums import AgentKind, TurnStatus
from tests.bench.bare_agents import Bare, Took, Tools, bare
from tests.bench.figures import Figure
from tests.bench.page import Page, a_page
from tests.fakes.model import running_model
from tests.fakes.model_script import Step, script
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import a_machine

ROUNDS = 15
GOALS = {AgentKind.CLAUDE: 1.15, AgentKind.CODEX: 1.15, AgentKind.CODEX_APP: 1.3}
STREAMING = (AgentKind.CLAUDE, AgentKind.CODEX_APP)
TRIVIAL = Step(text="Hello there.")
LARGE = {
    "20 MB": Step(count=20_000, width=1_000),
    "20,000 deltas": Step(count=20_000),
}
FLAT_MB = 16.0
"""What a process may grow by that keeps nothing of what it passes on."""
AS_A_PERSON_HAS_IT = {"CCWEB_HEARTBEAT_S": "2", "CCWEB_STOP_GRACE_S": "5", "CCWEB_SWEEP_S": "5"}


@asynccontextmanager
async def workspace() -> AsyncIterator[Workspace]:
    """Run hub and host with a machine, a model and real agents."""
    with running_model() as model, tempfile.TemporaryDirectory() as name:
        machine = replace(a_machine(Path(name) / "home", model), more=AS_A_PERSON_HAS_IT)
        async with a_workspace(machine) as workspace:
            yield workspace


async def measure() -> list[Figure]:
    """Return what ccweb adds to a turn, to the first text, and to the memory of the hub."""
    figures = []
    async with workspace() as at:
        for kind in GOALS:
            figures += await turns(at, kind)
        for kind in STREAMING:
            figures.append(await first_text(at, kind))
        for kind in STREAMING:
            figures += [await growth(at, kind, name) for name in LARGE]
    return figures


async def turns(at: Workspace, kind: AgentKind) -> list[Figure]:
    """Measure a trivial turn: ours, a bare one, and a bare one that loads the same tools."""
    talk, ours, bares, equals = at.talk(kind), [], [], []
    tools = Tools(url=f"{at.servers.url}/mcp", token=a_token(at, talk))
    async with bare(kind, at.machine) as program, bare(kind, at.machine, tools) as equal:
        for _ in range(ROUNDS + 1):
            bares.append((await program.turn(script(TRIVIAL))).seconds)
            equals.append((await equal.turn(script(TRIVIAL))).seconds)
            ours.append(await one_turn(at, talk, TRIVIAL))
    mine, base, same = (statistics.median(each[1:]) for each in (ours, bares, equals))
    name, goal = f"{kind.value} turn", GOALS[kind]
    return [
        Figure(name=f"{name}, bare", value=base * 1000, unit="ms"),
        Figure(name=f"{name}, bare with our tools", value=same * 1000, unit="ms"),
        Figure(name=name, value=mine * 1000, unit="ms"),
        Figure(name=f"{name} / bare", value=mine / base, unit="x", goal=goal),
        Figure(name=f"{name} / bare with our tools", value=mine / same, unit="x", goal=goal),
    ]


def a_token(at: Workspace, talk: Conversation) -> str:
    """Return a token that speaks for a conversation, as its own agent does."""
    with at.db.begin() as c:
        person_id = access.owner(c, moment()).id
        made = access.create_token(
            c, moment(), name=uuid4().hex, person_id=person_id, conversation_id=talk.id
        )
    return made.secret


async def one_turn(at: Workspace, talk: Conversation, answer: Step) -> float:
    """Return the seconds from a person's message to the end of its turn, as others see it."""
    began = time.monotonic()
    turn = await at.run(talk, answer)
    took = time.monotonic() - began
    if turn.status is not TurnStatus.COMPLETED:
        raise RuntimeError(f"{talk.agent.value}: {turn.status} {turn.error}")
    return took


async def first_text(at: Workspace, kind: AgentKind) -> Figure:
    """Measure how much later than from the bare program a page gets the first text."""
    talk, ours, theirs = at.talk(kind), [], []
    async with a_page(at, talk) as page, bare(kind, at.machine) as program:
        for _ in range(ROUNDS + 1):
            theirs.append(await bare_delay(at, program))
            ours.append(await page_delay(at, talk, page))
    late = statistics.median(ours[1:]) - statistics.median(theirs[1:])
    name = f"{kind.value}, first text after the program's own"
    return Figure(name=name, value=late * 1000, unit="ms", goal=100)


async def bare_delay(at: Workspace, program: Bare) -> float:
    """Return the seconds from the model's first text to that of the program."""
    took: list[Took] = []
    gate = uuid4().hex

    async def run() -> None:
        took.append(await program.turn(script(Step(text="first second", gate=gate))))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await at.model.reached(gate)
        await anyio.sleep(0.1)  # the text is on its way while the model is held
        await at.model.open(gate)
    assert took[0].first_text_at is not None
    return took[0].first_text_at - await model_text_at(at)


async def page_delay(at: Workspace, talk: Conversation, page: Page) -> float:
    """Return the seconds from the model's first text to that on a page."""
    gate = uuid4().hex
    turn_id = at.say(talk, Step(text="first second", gate=gate))
    text_at = await page.text_of(turn_id)
    await at.model.open(gate)
    await at.until_ended(turn_id)
    return text_at - await model_text_at(at)


async def model_text_at(at: Workspace) -> float:
    """Return when the model sent the first text of its last answer."""
    asked = [one for one in await at.model.asked() if one["first_text_at"] is not None]
    return float(asked[-1]["first_text_at"])


@dataclass
class Peak:
    """The most memory that a process has had while it was watched."""

    process: psutil.Process
    size_bytes: int = 0

    async def watch(self) -> None:
        """Look again and again until cancelled."""
        while True:
            self.size_bytes = max(self.size_bytes, self.process.memory_info().rss)
            await anyio.sleep(0.02)


async def growth(at: Workspace, kind: AgentKind, name: str) -> Figure:
    """Measure how far the hub grows while a page follows one more large answer."""
    talk = at.talk(kind)
    hub = Peak(psutil.Process(at.servers.pid("hub")))
    async with a_page(at, talk), anyio.create_task_group() as tasks:
        await at.run(talk, LARGE[name])
        before = hub.process.memory_info().rss
        tasks.start_soon(hub.watch)
        await at.run(talk, LARGE[name])
        tasks.cancel_scope.cancel()
    grown_mb = max(0, hub.size_bytes - before) / 1e6
    return Figure(
        name=f"hub growth at {name} more, {kind.value}", value=grown_mb, unit="MB", goal=FLAT_MB
    )
