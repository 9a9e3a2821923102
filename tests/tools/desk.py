"""A world with a dispatcher in front: who calls is chosen, everything behind is real."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
from sqlalchemy import Connection

from ccweb.access import service as access
from ccweb.access.model import Agent, Browser, Caller, NewToken, Script
from ccweb.clock import moment, system_clock
from ccweb.conversations import turns
from ccweb.conversations.model import Turn
from ccweb.tools.answer import Answer, Refusal
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb_contract.enums import Door, ReplyMode, TokenScope
from ccweb_contract.tools import Tool, ToolName
from ccweb_contract.version import CONTRACT_HASH
from tests.contract.surfaces import snapshot
from tests.relay.world import HOST, RUN, World, a_world

OLD_CONTRACT = "0" * 64
OLD_NAME = "ccweb_request_reply"


@dataclass
class Desk(World):
    """The world at the present time, and calls to its tools."""

    @property
    def dispatcher(self) -> Dispatcher:
        return Dispatcher(self.db, self.settings, host_id=HOST, clock=lambda: self.m)

    async def call(
        self,
        caller: Caller,
        tool: str,
        *,
        door: Door = Door.MCP,
        **arguments: Any,
    ) -> Answer:
        return await self.dispatcher.call(
            Call(tool=tool, arguments=arguments, door=door, caller=caller)
        )

    async def result(self, caller: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.call(caller, tool, **arguments)
        assert answer.result is not None, answer.refusal
        return dict(answer.result)

    async def refusal(self, caller: Caller, tool: str, **arguments: Any) -> Refusal:
        answer = await self.call(caller, tool, **arguments)
        assert answer.refusal is not None, answer.result
        return answer.refusal

    async def tell(
        self,
        caller: Caller,
        target_id: str,
        reply_mode: ReplyMode = ReplyMode.ONE_WAY,
        content: str = "do it",
    ) -> dict[str, Any]:
        return await self.result(
            caller,
            ToolName.CCWEB_SEND_MESSAGE,
            targetConversationId=target_id,
            content=content,
            replyMode=reply_mode.value,
        )

    # --- callers ------------------------------------------------------------------------------

    def owner_id(self) -> str:
        with self.tx() as c:
            return access.owner(c, self.m).id

    @staticmethod
    def owner_id_in(c: Connection) -> str:
        return access.owner(c, moment()).id

    @property
    def project(self) -> Path:
        """Return a real folder to work in."""
        folder = self.settings.data_dir / "project"
        folder.mkdir(exist_ok=True)
        return folder.resolve()

    def browser(self) -> Browser:
        return Browser(person_id=self.owner_id(), name="owner")

    def token(
        self,
        conversation_id: str | None = None,
        scopes: Iterable[TokenScope] = (TokenScope.TOOLS,),
    ) -> NewToken:
        person_id = self.owner_id()
        with self.tx() as c:
            return access.create_token(
                c,
                self.m,
                person_id=person_id,
                name="test",
                conversation_id=conversation_id,
                scopes=scopes,
            )

    def script(
        self,
        conversation_id: str | None = None,
        scopes: Iterable[TokenScope] = (TokenScope.TOOLS,),
    ) -> Script:
        caller = self.caller(self.token(conversation_id, scopes).secret)
        assert isinstance(caller, Script)
        return caller

    def credential(self, turn: Turn) -> str:
        """Return the secret of an agent process that works on a turn."""
        with self.tx() as c:
            secret = access.mint(c, self.m, conversation_id=turn.conversation_id, run_id=RUN)
            access.renew(c, turn.lease, turn.conversation_id)
        return secret

    def agent(self, conversation_id: str) -> Agent:
        """Return the agent of a conversation, at work on a turn that a person began."""
        caller = self.caller(self.credential(self.started(conversation_id)))
        assert isinstance(caller, Agent)
        return caller

    def caller(self, secret: str) -> Agent | Script:
        with self.db.connect() as c:
            return access.authenticate(c, moment(), secret)

    def loaded(self, holder_id: str, contract: str = CONTRACT_HASH, door: Door = Door.MCP) -> None:
        """Note that a holder has loaded a contract at a door."""
        with self.tx() as c:
            access.record_contract(
                c, self.m, holder_id=holder_id, door=door, contract_hash=contract
            )

    def ends_lease(self, turn: Turn) -> None:
        """Let the lease of a turn run out."""
        with self.tx() as c:
            turns.renew(c, self.m, run_id=RUN, lease_s=-60)

    # --- looking ------------------------------------------------------------------------------

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return all rows of all tables, to show that nothing was changed."""
        with self.db.connect() as c:
            names = c.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {
                name: sorted(map(tuple, c.exec_driver_sql(f"SELECT * FROM {name}")), key=repr)
                for (name,) in names.all()
            }


def fits(tool: Tool, result: Mapping[str, Any]) -> bool:
    """Tell whether a result is what the tool produces, closed, and so what its list promises."""
    produced = snapshot(f"{tool.name}.json")["producedSchema"]
    for schema in (produced, dict(tool.output_schema)):
        jsonschema_rs.validator_for(schema).validate(dict(result))
    return True


def a_desk(path: Path, **limits: Any) -> Desk:
    """Return a new desk in a database file; its clock begins at the present time."""
    world = a_world(path, **limits)
    desk = Desk(db=world.db, settings=world.settings, now=system_clock(), ids=world.ids)
    desk.owner_id()
    return desk
