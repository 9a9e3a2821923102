"""The processes of a host are noted as long as they are there, and no longer."""

from collections.abc import Callable

import anyio
import pytest
from sqlalchemy import Connection

from ccweb.conversations.model import TurnEnd
from ccweb.host.agent import Agent, Job, Tell
from ccweb.host.processes import Processes
from tests.host.workshop import ScriptedAgent, Workshop, done


@pytest.mark.requirement("R-A4", "R-M13")
async def test_a_start_that_is_cut_while_it_is_noted_leaves_no_note(workshop: Workshop) -> None:
    write, scope = workshop.db.write, anyio.CancelScope()

    async def cutting(command: Callable[[Connection], object]) -> object:
        if command.__qualname__.startswith("Processes._record"):
            scope.cancel()
        return await write(command)

    def offer(processes: Processes) -> list[Agent]:
        async def run(job: Job, tell: Tell) -> TurnEnd:
            with scope:
                await processes.start(job.turn, ["cat"], cwd="/", env={"PATH": "/usr/bin:/bin"})
            return done()

        return [ScriptedAgent(run)]

    workshop.db.write = cutting  # type: ignore[method-assign, assignment]
    turn_id = workshop.write(workshop.conversation(), "go")
    async with workshop.hosting(offer=offer):
        await workshop.until_ended(turn_id)
        assert workshop.rows("SELECT count(*), count(ended_at) FROM agent_process") == [(1, 1)]
