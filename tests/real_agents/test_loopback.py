"""Whatever the real programs do under ccweb, they reach this machine alone.

`strace` sees each address that they reach for; where it is missing, their open sockets are looked
at again and again while they work.
"""

import ipaddress
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from ccweb_contract.enums import AgentKind
from tests.fakes.model import RunningModel
from tests.fakes.model_script import Step
from tests.processes import living
from tests.real_agents.delegations import send
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import Machine, a_machine

ADDRESS = re.compile(r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"')
CALLS = "trace=connect,sendto,sendmsg,sendmmsg"
PROGRAMS = ("CCWEB_CLAUDE_PATH", "CCWEB_CODEX_PATH")


def traced(machine: Machine) -> Machine:
    """Return the machine with programs whose every connection is written down, if that can be."""
    if not shutil.which("strace", path=machine.environ["PATH"]):
        return machine
    logs = machine.home / "traces"
    logs.mkdir()
    scripts = {name: machine.home / f"{name}.sh" for name in PROGRAMS}
    for name, path in scripts.items():
        command = f'strace -f -e {CALLS} -o "{logs}/$$" "{machine.environ[name]}" "$@"'
        path.write_text(f"#!/bin/sh\nexec {command}\n")
        path.chmod(0o755)
    return replace(machine, more={name: str(path) for name, path in scripts.items()})


def reached(machine: Machine) -> set[tuple[str, int]]:
    """Return the addresses and ports that the programs have reached for, or hold open now."""
    written = "".join(path.read_text() for path in machine.home.glob("traces/*"))
    open_now = (
        connection.raddr
        for process in living(machine.home)
        for connection in _connections(process)
        if connection.status == psutil.CONN_ESTABLISHED
    )
    found = {(address, int(port)) for port, address in ADDRESS.findall(written)}
    return found | {(str(raddr[0]), int(raddr[1])) for raddr in open_now}


def _connections(process: psutil.Process) -> list[Any]:
    try:
        return list(process.net_connections("inet"))
    except psutil.NoSuchProcess:  # it has ended since it was found
        return []


@pytest.fixture
async def traced_workspace(tmp_path: Path, model: RunningModel) -> AsyncIterator[Workspace]:
    """Run a workspace on a machine whose programs are watched."""
    async with a_workspace(traced(a_machine(tmp_path / "home", model))) as workspace:
        yield workspace


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize("kind", [AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.CODEX_APP])
async def test_an_agent_reaches_nothing_but_this_machine(
    traced_workspace: Workspace, kind: AgentKind
) -> None:
    workspace, gate = traced_workspace, uuid4().hex
    source, target = workspace.talk(kind), workspace.talk(AgentKind.DEMO)
    turn_id = workspace.say(source, send(target), Step(text="held here", gate=gate))
    await workspace.model.reached(gate)
    held = reached(workspace.machine)
    await workspace.model.open(gate)
    await workspace.until_ended(turn_id)
    await workspace.until_settled(source, target)
    found = held | reached(workspace.machine)
    assert ("127.0.0.1", workspace.model.port) in found
    assert {
        address for address, _ in found if not ipaddress.ip_address(address).is_loopback
    } == set()
