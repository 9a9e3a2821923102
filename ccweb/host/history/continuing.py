"""Going on with sessions made outside ccweb: in a copy, and never while they are at work there."""

from dataclasses import replace
from typing import Final

from ccweb.conversations.model import TurnEnd
from ccweb.db.tables.history import Elsewhere
from ccweb.host.agent import Agent, Job, Tell
from ccweb.host.history.following import History
from ccweb_contract.enums import AgentKind, Lang, TurnFailure, TurnStatus

_AT_WORK: Final = {
    Lang.EN: "This session is at work outside ccweb. Write again when its turn there has ended.",
    Lang.ZH: "这个会话正在 ccweb 之外运行。请等它在那边的这一轮结束后再写。",
}


class Continuing:
    """An agent whose conversations may have begun outside ccweb."""

    def __init__(self, agent: Agent, history: History, lang: Lang) -> None:
        self._agent = agent
        self._history = history
        self._lang = lang

    @property
    def kind(self) -> AgentKind:
        """Return which conversations it runs."""
        return self._agent.kind

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        """Run one turn, unless the session that it goes on with is at work elsewhere."""
        elsewhere = await self._history.before_turn(job.conversation)
        if elsewhere is Elsewhere.AT_WORK:
            return TurnEnd(
                status=TurnStatus.FAILED, failure=TurnFailure.OTHER, error=_AT_WORK[self._lang]
            )
        return await self._agent.run(replace(job, forks=elsewhere is not None), tell)

    async def aclose(self) -> None:
        """End what is kept between turns."""
        await self._agent.aclose()
