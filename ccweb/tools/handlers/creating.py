"""Creating a conversation: what it inherits, and what only a person may ask for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ccweb.access import service as access
from ccweb.conversations import choice, hosts
from ccweb.conversations import service as conversations
from ccweb.conversations.choice import Choice
from ccweb.conversations.hosts import Host
from ccweb.conversations.model import Conversation
from ccweb.conversations.service import NewConversation
from ccweb.errors import AgentUnavailable, HumanRequired, InvalidParams, SourceRequired
from ccweb.relay import service as relay
from ccweb.tools import folders
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract.enums import (
    AgentKind,
    PermissionMode,
    ReplyDelivery,
    ReplyMode,
    ReplyStatus,
)
from ccweb_contract.models import CcwebCreateConversationInput

_PERMISSIVENESS: Final = {mode: rank for rank, mode in enumerate(PermissionMode)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _First:
    """The first message of a new conversation."""

    message_id: str
    request_id: str | None = None


def create(x: Context, given: CcwebCreateConversationInput) -> Result:
    """Create a conversation and, with a first message, give it work at once."""
    if given.request_reply and given.initial_message is None:
        raise InvalidParams(why="`requestReply` needs an `initialMessage`.")
    x.check_turn()
    parent = x.conversation()
    new = _planned(x, given, parent)
    if given.request_reply and parent is None:
        raise SourceRequired
    host = _host(x, new)
    chosen = Choice(permission_mode=new.permission_mode, model=given.model)
    choice.check(chosen, new.agent, host)
    created = conversations.create(x.c, x.m, new)
    result = {
        "conversationId": created.id,
        "title": created.title,
        "agent": created.agent.value,
    }
    if given.initial_message is None:
        return result
    return result | _told(_begin(x, created, given.initial_message, given.request_reply))


def _planned(
    x: Context, given: CcwebCreateConversationInput, parent: Conversation | None
) -> NewConversation:
    agent = given.agent or (parent.agent if parent else AgentKind.DEMO)
    like = parent if parent and parent.agent is agent else None
    return NewConversation(
        title=given.title.strip(),
        agent=agent,
        cwd=_cwd(x, given.cwd, parent),
        permission_mode=_permission_mode(x, given.permission_mode, parent),
        host_id=parent.host_id if parent else x.host_id,
        model=given.model or (like.model if like else None),
        effort=like.effort if like and given.model is None else None,
    )


def _permission_mode(
    x: Context, wanted: PermissionMode | None, parent: Conversation | None
) -> PermissionMode:
    own = parent.permission_mode if parent else PermissionMode.ASK
    if wanted is None or wanted is own:
        return own
    if parent is None and wanted is PermissionMode.SKIP_PERMISSIONS:
        access.human(x.caller)
    elif parent is not None and _PERMISSIVENESS[wanted] > _PERMISSIVENESS[own]:
        why = f"A conversation in the mode `{own}` cannot create one in `{wanted}`."
        raise HumanRequired(why=why)
    return wanted


def _cwd(x: Context, wanted: str | None, parent: Conversation | None) -> str:
    if wanted is not None:
        return folders.named(x, wanted)
    return parent.cwd if parent else str(_workspace(x))


def _workspace(x: Context) -> Path:
    folder = x.s.data_dir / "workspace"
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def _host(x: Context, new: NewConversation) -> Host:
    """Return the host that runs a new conversation's agent; refused, the offer says what helps."""
    host = hosts.get(x.c, new.host_id)
    if host is None or not host.agents:
        raise AgentUnavailable(agent=new.agent, why="no host has run here yet.")
    if new.agent not in host.agents:
        offer = next((one for one in host.offers if one.agent is new.agent), None)
        offered = f"the host {host.name} offers {', '.join(sorted(host.agents))}."
        raise AgentUnavailable(agent=new.agent, why=(offer and offer.problem) or offered)
    return host


def _begin(x: Context, created: Conversation, content: str, returns: bool) -> _First:
    if x.source is None:
        written = relay.write(
            x.c,
            x.m,
            x.s,
            person_id=x.person_id,
            conversation_id=created.id,
            content=content,
        )
        return _First(message_id=written.message_id)
    sent = relay.send(
        x.c,
        x.m,
        x.s,
        source=x.source,
        target_id=created.id,
        content=content,
        reply_mode=ReplyMode.RETURN_AND_CONTINUE if returns else ReplyMode.ONE_WAY,
    )
    return _First(message_id=sent.message_id, request_id=sent.request_id)


def _told(first: _First) -> dict[str, str | bool]:
    if first.request_id is None:
        return {"messageId": first.message_id}
    return {
        "messageId": first.message_id,
        "requestId": first.request_id,
        "replyStatus": ReplyStatus.WAITING.value,
        "replyDelivery": ReplyDelivery.AUTO_RETURN.value,
        "sourceAutoRun": True,
    }
