"""What a host offers: its agents, kept true to the programs that the machine has just now."""

import time
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Final

import anyio
import structlog

from ccweb.conversations import hosts
from ccweb.conversations.hosts import Offer
from ccweb.db.engine import Database
from ccweb.host.agent import Agent
from ccweb.host.agents import Absent
from ccweb.host.identity import Identity
from ccweb.host.looking import Look, look_at
from ccweb.host.processes import Processes
from ccweb.host.programs import PROGRAMS, Program, find, why_not_found
from ccweb.host.supervisor import Supervisor
from ccweb.settings import Settings
from ccweb_contract.enums import AgentKind, PermissionMode

log = structlog.get_logger()

Make = Callable[[Settings, Processes, Path], Agent]
"""Makes the agent that runs a program."""

_LOOK_S: Final = 5.0
"""A program that is installed while the host runs is offered so soon."""
_AGAIN_S: Final = 60.0
"""A program that told no version is asked again so soon."""

Print = tuple[str, int, int, int]
"""What differs after a program was installed, updated or exchanged."""


class Offering:
    """Looks for programs now and then, and lets the host offer what works."""

    def __init__(
        self,
        db: Database,
        s: Settings,
        host: Identity,
        makes: Mapping[AgentKind, Make],
        always: Sequence[Agent],
    ) -> None:
        self._db = db
        self._s = s
        self._host = host
        self._makes = makes
        self._always = always
        self._processes: Processes | None = None
        self._paths: dict[str, Path | None] = {}
        self._made: dict[tuple[AgentKind, Path], Agent] = {}
        self._seen: dict[str, Print | None] = {}
        self._again_at: dict[str, float] = {}
        self._offers: dict[AgentKind, Offer] = {
            agent.kind: Offer(agent=agent.kind, modes=tuple(PermissionMode)) for agent in always
        }

    def first(self, processes: Processes) -> Sequence[Agent]:
        """Return the agents to begin with: what is in its place is taken to work until asked."""
        self._processes = processes
        agents = list(self._always)
        for program in PROGRAMS:
            path = self._paths[program.name] = find(self._s, program)
            agents += self._agents(program, path)
        return agents

    async def keep(self, supervisor: Supervisor) -> None:
        """Look at once and then every few seconds, until cancelled."""
        await supervisor.attempt(lambda: self._look(supervisor))
        await supervisor.repeat(lambda: self._look(supervisor), _LOOK_S)

    async def _look(self, supervisor: Supervisor) -> None:
        """Look at every program, none of which waits for another."""
        async with anyio.create_task_group() as tasks:
            for program in PROGRAMS:
                tasks.start_soon(self._look_at, program, supervisor)

    async def _look_at(self, program: Program, supervisor: Supervisor) -> None:
        """Look at a program if it is another one than before, and offer what there is now."""
        path = await anyio.to_thread.run_sync(find, self._s, program)
        print_ = await anyio.to_thread.run_sync(_print, path)
        if self._is_known(program, print_):
            return
        if path is None:
            look = Look(problem=why_not_found(self._s, program))
        else:
            look = await look_at(self._s, program, path)
        self._seen[program.name] = print_
        self._again_at[program.name] = inf if look.version or path is None else _soon()
        self._take(program, path, look, supervisor)
        offers = list(self._offers.values())
        await self._db.write(lambda c: hosts.set_offers(c, self._host.id, offers))

    def _is_known(self, program: Program, print_: Print | None) -> bool:
        if program.name not in self._seen or time.monotonic() >= self._again_at[program.name]:
            return False
        return self._seen[program.name] == print_

    def _take(
        self, program: Program, path: Path | None, look: Look, supervisor: Supervisor
    ) -> None:
        log.info("program_seen", program=program.name, version=look.version, ok=not look.problem)
        moved = path != self._paths.get(program.name)
        self._paths[program.name] = path
        for kind in self._kinds(program):
            self._offers[kind] = _offer(kind, look)
            if look.problem:
                supervisor.agents.put(Absent(kind, look.problem))
            elif moved or kind not in supervisor.agents.able:
                supervisor.agents.put(self._make(kind, path))

    def _agents(self, program: Program, path: Path | None) -> list[Agent]:
        kinds = self._kinds(program)
        if path is None:
            problem = why_not_found(self._s, program)
            return [Absent(kind, problem) for kind in kinds]
        return [self._make(kind, path) for kind in kinds]

    def _kinds(self, program: Program) -> list[AgentKind]:
        return [kind for kind in program.kinds if kind in self._makes]

    def _make(self, kind: AgentKind, path: Path | None) -> Agent:
        """Return the agent of a program, the same one again: it may keep processes warm."""
        assert self._processes is not None and path is not None  # noqa: S101 - found before
        if (kind, path) not in self._made:
            self._made[kind, path] = self._makes[kind](self._s, self._processes, path)
        return self._made[kind, path]


def _offer(kind: AgentKind, look: Look) -> Offer:
    return Offer(
        agent=kind,
        problem=look.problem.text if look.problem else None,
        version=look.version,
        models=look.models,
        modes=look.modes,
    )


def _soon() -> float:
    return time.monotonic() + _AGAIN_S


def _print(path: Path | None) -> Print | None:
    if path is None:
        return None
    try:
        real = path.resolve()
        stat = real.stat()
    except OSError:
        return None
    return str(real), stat.st_ino, stat.st_ctime_ns, stat.st_size
