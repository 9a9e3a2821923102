"""Commands on a conversation that touch nothing but itself."""

from dataclasses import dataclass

from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.conversations import choice, hosts, messages, store
from ccweb.conversations.choice import Choice
from ccweb.conversations.model import Conversation, EventKind
from ccweb.errors import ConversationNotFound
from ccweb_contract.enums import AgentKind, PermissionMode


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """What a conversation begins with."""

    title: str
    agent: AgentKind
    cwd: str
    permission_mode: PermissionMode
    host_id: str
    model: str | None = None
    effort: str | None = None


def create(c: Connection, m: Moment, new: NewConversation) -> Conversation:
    """Insert a conversation and return it."""
    conversation = Conversation(
        id=m.new_id("conv"),
        title=new.title,
        agent=new.agent,
        model=new.model,
        effort=new.effort,
        cwd=new.cwd,
        permission_mode=new.permission_mode,
        host_id=new.host_id,
        agent_session=None,
        created_at=m.now,
        updated_at=m.now,
        held_at=None,
        archived_at=None,
        deleted_at=None,
    )
    store.add(c, conversation)
    messages.tell(c, m, EventKind.CONVERSATION, [conversation.id])
    return conversation


def rename(c: Connection, m: Moment, conversation_id: str, title: str) -> None:
    """Give a conversation another title.

    Raises:
        ConversationNotFound: there is none with this id.
    """
    existing(c, conversation_id)
    store.set_title(c, conversation_id, title, m.now)
    messages.tell(c, m, EventKind.CONVERSATION, [conversation_id])


def configure(c: Connection, m: Moment, conversation_id: str, chosen: Choice) -> None:
    """Let a conversation's agent run with something else from its next turn on.

    Raises:
        ConversationNotFound: there is none with this id.
        InvalidParams: its host does not offer that.
    """
    conversation = existing(c, conversation_id)
    kept = Choice(
        model=conversation.model,
        effort=conversation.effort,
        permission_mode=conversation.permission_mode,
    )
    choice.check(chosen, conversation.agent, hosts.get(c, conversation.host_id), kept=kept)
    store.set_choice(
        c,
        conversation_id,
        model=chosen.model,
        effort=chosen.effort,
        permission_mode=chosen.permission_mode,
    )
    messages.tell(c, m, EventKind.CONVERSATION, [conversation_id])


def archive(c: Connection, m: Moment, conversation_id: str, *, archived: bool) -> None:
    """Put a conversation away, or bring it back.

    Raises:
        ConversationNotFound: there is none with this id.
    """
    existing(c, conversation_id)
    store.set_archived(c, conversation_id, m.now if archived else None)
    messages.tell(c, m, EventKind.CONVERSATION, [conversation_id])


def existing(c: Connection, conversation_id: str) -> Conversation:
    """Return a conversation.

    Raises:
        ConversationNotFound: there is none with this id.
    """
    conversation = store.get(c, conversation_id)
    if conversation is None:
        raise ConversationNotFound(conversation_id=conversation_id)
    return conversation
