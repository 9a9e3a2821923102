"""The agents of one run of a host: those that can run, and in the others' place why they cannot."""

from collections.abc import Iterable

from ccweb.conversations.model import TurnEnd
from ccweb.host.agent import Agent, Job, Tell
from ccweb.host.programs import Problem
from ccweb_contract.enums import AgentKind, TurnStatus


class Absent:
    """Stands for an agent that cannot run: each of its turns fails with what helps."""

    def __init__(self, kind: AgentKind, problem: Problem) -> None:
        self.kind = kind
        self.problem = problem

    async def run(self, _job: Job, _tell: Tell) -> TurnEnd:
        """Say why the turn cannot be run."""
        failure, error = self.problem.failure, self.problem.text
        return TurnEnd(status=TurnStatus.FAILED, failure=failure, error=error)

    async def aclose(self) -> None:
        """Keep nothing between turns."""


class Agents:
    """One agent a kind; a turn keeps the one that it began with."""

    def __init__(self, agents: Iterable[Agent]) -> None:
        self._by_kind: dict[AgentKind, Agent] = {agent.kind: agent for agent in agents}
        self._retired: list[Agent] = []

    def get(self, kind: AgentKind) -> Agent | None:
        """Return the agent that runs a kind's turns."""
        return self._by_kind.get(kind)

    def put(self, agent: Agent) -> None:
        """Let an agent run its kind's next turns; the one before it may still be at work."""
        before = self._by_kind.get(agent.kind)
        if before is not None and not isinstance(before, Absent):
            self._retired.append(before)
        self._by_kind[agent.kind] = agent

    @property
    def able(self) -> list[AgentKind]:
        """Return the kinds that can run."""
        return [kind for kind, agent in self._by_kind.items() if not isinstance(agent, Absent)]

    async def aclose(self) -> None:
        """End what they keep between turns."""
        for agent in (*self._by_kind.values(), *self._retired):
            await agent.aclose()
