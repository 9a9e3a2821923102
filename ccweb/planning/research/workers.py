"""The conversations in which planning's work is done: one a repository, with its agent."""

from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.conversations import hosts
from ccweb.conversations import service as conversations
from ccweb.conversations import store as conversation_store
from ccweb.conversations.model import Conversation
from ccweb.conversations.rules import cut
from ccweb.conversations.service import NewConversation
from ccweb.errors import AgentUnavailable
from ccweb.planning.model import Project, Repository
from ccweb_contract.enums import PermissionMode

_LONGEST_TITLE_BYTES = 200


def conversation(
    c: Connection,
    m: Moment,
    project: Project,
    repository: Repository,
    *,
    title: str,
    mode: PermissionMode,
    before: str | None = None,
) -> Conversation:
    """Return the conversation of a work in a repository: the one of before, else a new one.

    Raises:
        AgentUnavailable: the project's host does not offer the repository's agent.
    """
    _check_offered(c, project, repository)
    known = existing(c, before)
    if known is not None:
        return known
    new = NewConversation(
        title=cut(title, _LONGEST_TITLE_BYTES),
        agent=repository.agent,
        cwd=repository.path,
        permission_mode=mode,
        host_id=project.host_id,
    )
    return conversations.create(c, m, new)


def existing(c: Connection, conversation_id: str | None) -> Conversation | None:
    """Return a conversation that people have not deleted, else None."""
    return conversation_store.get(c, conversation_id) if conversation_id else None


def _check_offered(c: Connection, project: Project, repository: Repository) -> None:
    host = hosts.get(c, project.host_id)
    if host is None or not host.agents:
        raise AgentUnavailable(agent=repository.agent, why="no host has run here yet.")
    if repository.agent not in host.agents:
        offer = next((one for one in host.offers if one.agent is repository.agent), None)
        offered = f"the host {host.name} offers {', '.join(sorted(host.agents))}."
        raise AgentUnavailable(agent=repository.agent, why=(offer and offer.problem) or offered)
