"""What a conversation's agent runs with can be changed, to what its host offers."""

from pathlib import Path

import pytest

from ccweb.conversations import hosts, store
from ccweb.conversations import service as conversations
from ccweb.conversations.choice import Choice
from ccweb.conversations.hosts import Model, Offer
from ccweb.errors import ConversationNotFound, InvalidParams
from ccweb_contract.enums import AgentKind, PermissionMode
from tests.relay.world import HOST, World, a_world

OFFERED = Offer(
    agent=AgentKind.CLAUDE,
    models=(
        Model(name="big", title="Big", efforts=("low", "high")),
        Model(name="small", title="S"),
    ),
    modes=(PermissionMode.PLAN, PermissionMode.ASK),
)


def configured(world: World, choice: Choice, agent: AgentKind = AgentKind.CLAUDE) -> Choice:
    """Return what a conversation has after it was asked to run with a choice."""
    conversation_id = world.conversation("A", agent)
    with world.tx() as c:
        hosts.set_offers(c, HOST, [OFFERED])
        conversations.configure(c, world.m, conversation_id, choice)
        found = store.get(c, conversation_id)
    assert found is not None
    return Choice(model=found.model, effort=found.effort, permission_mode=found.permission_mode)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return a_world(tmp_path)


@pytest.mark.requirement("R-U1")
@pytest.mark.parametrize(
    "choice",
    [
        Choice(permission_mode=PermissionMode.PLAN, model="big", effort="high"),
        Choice(permission_mode=PermissionMode.ASK, model="small", effort="any"),
        Choice(permission_mode=PermissionMode.ASK, effort="low"),
        Choice(permission_mode=PermissionMode.ASK),
    ],
)
def test_what_a_host_offers_can_be_chosen(world: World, choice: Choice) -> None:
    assert configured(world, choice) == choice


@pytest.mark.requirement("R-U1")
@pytest.mark.parametrize(
    "choice",
    [
        Choice(permission_mode=PermissionMode.ASK, model="none"),
        Choice(permission_mode=PermissionMode.ASK, model="big", effort="all"),
        Choice(permission_mode=PermissionMode.ASK, effort="all"),
        Choice(permission_mode=PermissionMode.SKIP_PERMISSIONS),
    ],
)
def test_what_a_host_does_not_offer_is_refused(world: World, choice: Choice) -> None:
    with pytest.raises(InvalidParams, match="not offered"):
        configured(world, choice)


@pytest.mark.requirement("R-U1")
def test_a_host_that_lists_nothing_leaves_the_choice_to_the_program(world: World) -> None:
    choice = Choice(permission_mode=PermissionMode.SKIP_PERMISSIONS, model="any", effort="any")
    assert configured(world, choice, AgentKind.DEMO) == choice


def test_a_conversation_that_is_not_there_cannot_be_configured(world: World) -> None:
    with pytest.raises(ConversationNotFound), world.tx() as c:
        conversations.configure(c, world.m, "no", Choice(permission_mode=PermissionMode.ASK))
