"""The workspace of these tests works with the demo agent, and leaves no process behind."""

from ccweb_contract.enums import AgentKind, TurnStatus
from tests.processes import living
from tests.real_agents.harness import a_workspace
from tests.real_agents.machine import Machine


async def test_a_workspace_runs_turns_and_is_gone_afterwards(machine: Machine) -> None:
    async with a_workspace(machine) as workspace:
        talk = workspace.talk(AgentKind.DEMO)
        turn = await workspace.until_ended(workspace.write(talk, "/say Hello"))
        assert turn.status is TurnStatus.COMPLETED
        assert len(living(machine.home)) == 2
    assert living(machine.home) == []
