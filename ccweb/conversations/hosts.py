"""Hosts in the database: who runs agents where, each run of a host, and its agent processes."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ccweb.clock import Moment, from_ms
from ccweb.db.sql import text
from ccweb_contract.enums import AgentKind, PermissionMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that an agent's program offers."""

    name: str
    """What the program is given."""
    title: str
    efforts: tuple[str, ...] = ()
    """How much it can be told to think, by the program's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A kind of agent on a host: how it can run there, or why it cannot."""

    agent: AgentKind
    problem: str | None = None
    """Why it cannot run, with the command that helps; None when it can."""
    version: str | None = None
    models: tuple[Model, ...] = ()
    """The models to choose from; empty leaves it to the program."""
    modes: tuple[PermissionMode, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One machine (with its data folder) that runs agents."""

    id: str
    name: str
    agents: frozenset[AgentKind]
    """The kinds that can run there."""
    offers: tuple[Offer, ...]
    """Every kind, those that cannot run included."""
    seen_at: datetime
    """The last sign of life; the epoch for a host that has never run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRun:
    """One process of a host, from its start to its end."""

    id: str
    host_id: str
    pid: int
    pid_started: float
    """Seconds since 1970 as the system gives them; with the pid it names one process for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProcess:
    """A process that a run of a host started for a conversation."""

    id: str
    run_id: str
    conversation_id: str
    pid: int
    pid_started: float


def ensure(c: Connection, m: Moment, host_id: str, name: str) -> None:
    """Insert a host that is not known yet; a hub does so before the host has ever run."""
    c.execute(
        text("""INSERT INTO host (id, name, agents, created_at, seen_at)
            VALUES (:id, :name, '[]', :now, 0) ON CONFLICT (id) DO NOTHING"""),
        {"id": host_id, "name": name, "now": m.now_ms},
    )


def seen(c: Connection, m: Moment, host_id: str, agents: Iterable[AgentKind]) -> None:
    """Note a sign of life of a host and the agents that it offers."""
    c.execute(
        text("UPDATE host SET seen_at = :now, agents = :agents WHERE id = :id"),
        {"id": host_id, "now": m.now_ms, "agents": json.dumps(sorted(agents))},
    )


def set_offers(c: Connection, host_id: str, offers: Iterable[Offer]) -> None:
    """Note how each kind of agent can run on a host, or why it cannot."""
    said = json.dumps([asdict(offer) for offer in offers], ensure_ascii=False)
    c.execute(
        text("UPDATE host SET offers = :offers WHERE id = :id"), {"id": host_id, "offers": said}
    )


def get(c: Connection, host_id: str) -> Host | None:
    """Return a host, else None."""
    row = c.execute(
        text("SELECT id, name, agents, offers, seen_at FROM host WHERE id = :id"), {"id": host_id}
    ).one_or_none()
    return None if row is None else _host_of(row)


def everyone(c: Connection) -> list[Host]:
    """Return all hosts, those first that were seen last."""
    rows = c.execute(
        text("SELECT id, name, agents, offers, seen_at FROM host ORDER BY seen_at DESC")
    )
    return [_host_of(row) for row in rows]


def _host_of(row: Row[Any]) -> Host:
    return Host(
        id=row.id,
        name=row.name,
        agents=frozenset(AgentKind(kind) for kind in json.loads(row.agents)),
        offers=offers_of(row.offers),
        seen_at=from_ms(row.seen_at),
    )


def offers_of(said: str) -> tuple[Offer, ...]:
    """Return the offers that a row of a host holds."""
    return tuple(
        Offer(
            agent=AgentKind(one["agent"]),
            problem=one["problem"],
            version=one["version"],
            models=tuple(
                Model(name=m["name"], title=m["title"], efforts=tuple(m["efforts"]))
                for m in one["models"]
            ),
            modes=tuple(PermissionMode(mode) for mode in one["modes"]),
        )
        for one in json.loads(said)
    )


def start_run(c: Connection, m: Moment, run: HostRun) -> None:
    """Insert a run of a host."""
    c.execute(
        text("""INSERT INTO host_run (id, host_id, pid, pid_started, started_at)
            VALUES (:id, :host_id, :pid, :pid_started, :now)"""),
        {
            "id": run.id,
            "host_id": run.host_id,
            "pid": run.pid,
            "pid_started": run.pid_started,
            "now": m.now_ms,
        },
    )


def end_run(c: Connection, m: Moment, run_id: str) -> None:
    """Note that a run is over and that none of its processes is left."""
    c.execute(
        text("""UPDATE agent_process SET ended_at = :now
            WHERE run_id = :id AND ended_at IS NULL"""),
        {"id": run_id, "now": m.now_ms},
    )
    c.execute(
        text("UPDATE host_run SET ended_at = coalesce(ended_at, :now) WHERE id = :id"),
        {"id": run_id, "now": m.now_ms},
    )


def open_runs(c: Connection, host_id: str) -> list[HostRun]:
    """Return the runs of a host that have not noted their end."""
    rows = c.execute(
        text("""SELECT id, host_id, pid, pid_started FROM host_run
            WHERE host_id = :host_id AND ended_at IS NULL ORDER BY started_at"""),
        {"host_id": host_id},
    )
    return [
        HostRun(id=row.id, host_id=row.host_id, pid=row.pid, pid_started=row.pid_started)
        for row in rows
    ]


def start_process(c: Connection, m: Moment, process: AgentProcess) -> None:
    """Record an agent process, so that a later run of the host can end it."""
    c.execute(
        text("""INSERT INTO agent_process
                (id, run_id, conversation_id, pid, pid_started, started_at)
            VALUES (:id, :run_id, :conversation_id, :pid, :pid_started, :now)"""),
        {
            "id": process.id,
            "run_id": process.run_id,
            "conversation_id": process.conversation_id,
            "pid": process.pid,
            "pid_started": process.pid_started,
            "now": m.now_ms,
        },
    )


def end_process(c: Connection, m: Moment, process_id: str) -> None:
    """Note that an agent process and its tree are gone."""
    c.execute(
        text("UPDATE agent_process SET ended_at = :now WHERE id = :id"),
        {"id": process_id, "now": m.now_ms},
    )


def open_processes(c: Connection, run_id: str) -> list[AgentProcess]:
    """Return the recorded processes of a run that have not been ended."""
    rows = c.execute(
        text("""SELECT id, run_id, conversation_id, pid, pid_started FROM agent_process
            WHERE run_id = :run_id AND ended_at IS NULL"""),
        {"run_id": run_id},
    )
    return [
        AgentProcess(
            id=row.id,
            run_id=row.run_id,
            conversation_id=row.conversation_id,
            pid=row.pid,
            pid_started=row.pid_started,
        )
        for row in rows
    ]
