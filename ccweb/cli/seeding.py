"""The three demo conversations of a first start."""

from typing import Final

from sqlalchemy.exc import IntegrityError

from ccweb.clock import Moment, system_clock
from ccweb.conversations import hosts, messages, service
from ccweb.conversations.service import NewConversation
from ccweb.db.engine import Database
from ccweb.host.identity import Identity
from ccweb.ids import new_id
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import AgentKind, MessageRole, PermissionMode

_DEMO: Final = {"Planner": "conv_planner", "Builder": "conv_builder", "Reviewer": "conv_reviewer"}
"""Titles with ids that never change: that they were made once is known even after a deletion."""


def seed(db: Database, s: Settings, host: Identity) -> None:
    """Make three demo conversations in which the agent says what it can do, unless it was done."""
    folder = s.data_dir / "workspace"
    folder.mkdir(parents=True, exist_ok=True)
    for title, conversation_id in _DEMO.items():
        new = NewConversation(
            title=title,
            agent=AgentKind.DEMO,
            cwd=str(folder.resolve()),
            permission_mode=PermissionMode.ASK,
            host_id=host.id,
        )
        try:
            _make(db, s, host, new, conversation_id)
        except IntegrityError:  # the id exists
            return


def _make(
    db: Database, s: Settings, host: Identity, new: NewConversation, conversation_id: str
) -> None:
    m = Moment(
        now=system_clock(),
        new_id=lambda prefix: conversation_id if prefix == "conv" else new_id(prefix),
    )
    with db.begin() as c:
        hosts.ensure(c, m, host.id, host.name)
        service.create(c, m, new)
        messages.add(c, m, conversation_id, MessageRole.ASSISTANT, prompts.demo_help(s.lang))
