"""Ways in: people, tickets, sessions, passwords, tokens, and the credentials of agents."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ccweb.access import passwords, rules
from ccweb.access import service as access
from ccweb.access.model import Agent, Browser, Human, Script
from ccweb.clock import Moment
from ccweb.errors import (
    AuthenticationFailed,
    ConversationNotFound,
    HumanRequired,
    InvalidParams,
)
from ccweb_contract.enums import Door, TokenScope
from tests.relay.world import RUN
from tests.tools.desk import Desk

GOOD = "correct horse"


def later(desk: Desk, seconds: float) -> Moment:
    return replace(desk.m, now=desk.now + timedelta(seconds=seconds))


def session(desk: Desk) -> str:
    person_id = desk.owner_id()
    with desk.tx() as c:
        return access.open_session(c, desk.m, desk.settings, person_id)


def whole_database(desk: Desk) -> str:
    return repr(desk.everything())


# --- people ---------------------------------------------------------------------------------------


@pytest.mark.requirement("R-S5")
def test_there_is_one_owner_and_others_are_added(desk: Desk) -> None:
    with desk.tx() as c:
        owner, again = access.owner(c, desk.m), access.owner(c, desk.m)
        other = access.add_person(c, desk.m, " Ann ")
    assert owner == again
    assert (owner.owner, other.owner, other.name) == (True, False, "Ann")


@pytest.mark.parametrize("name", ["", "  ", "Ann"])
def test_a_name_that_is_empty_or_taken_is_refused(desk: Desk, name: str) -> None:
    with desk.tx() as c:
        access.add_person(c, desk.m, "Ann")
    with pytest.raises(InvalidParams), desk.tx() as c:
        access.add_person(c, desk.m, name)


@pytest.mark.requirement("R-S5")
def test_only_a_browser_or_a_token_with_that_scope_stands_for_a_person(desk: Desk) -> None:
    person_id = desk.owner_id()
    both = desk.script(scopes=[TokenScope.TOOLS, TokenScope.APPROVE])
    for caller in (Browser(person_id=person_id, name="x"), both):
        assert access.human(caller) == Human(person_id=person_id)
    agent = desk.agent(desk.conversation("Source"))
    for other in (desk.script(), desk.script(agent.conversation_id), agent):
        with pytest.raises(HumanRequired):
            access.human(other)


# --- tickets and sessions -------------------------------------------------------------------------


@pytest.mark.requirement("R-S1")
def test_a_ticket_opens_one_session_once(desk: Desk) -> None:
    person_id = desk.owner_id()
    with desk.tx() as c:
        ticket = access.new_ticket(c, desk.m, desk.settings, person_id)
    with desk.tx() as c:
        secret = access.redeem_ticket(c, desk.m, desk.settings, ticket)
        assert access.browser(c, desk.m, secret).person_id == person_id
    with pytest.raises(AuthenticationFailed), desk.tx() as c:
        access.redeem_ticket(c, desk.m, desk.settings, ticket)


@pytest.mark.requirement("R-S1")
def test_a_ticket_is_good_for_five_minutes(desk: Desk) -> None:
    assert desk.settings.ticket_s == 300
    person_id = desk.owner_id()
    with desk.tx() as c:
        early, late = (access.new_ticket(c, desk.m, desk.settings, person_id) for _ in "12")
    with desk.tx() as c:
        assert access.redeem_ticket(c, later(desk, 290), desk.settings, early)
    with pytest.raises(AuthenticationFailed), desk.tx() as c:
        access.redeem_ticket(c, later(desk, 310), desk.settings, late)


@pytest.mark.requirement("R-S1")
def test_a_session_expires_and_can_be_ended(desk: Desk) -> None:
    secret, other = session(desk), session(desk)
    with desk.tx() as c:
        access.end_session(c, other)
        for gone, m in ((other, desk.m), (secret, later(desk, 31 * 86400)), ("x", desk.m)):
            with pytest.raises(AuthenticationFailed):
                access.browser(c, m, gone)
        assert access.browser(c, desk.m, secret).person_id == desk.owner_id_in(c)


# --- passwords ------------------------------------------------------------------------------------


def try_password(desk: Desk, name: str, password: str, m: Moment | None = None) -> bool:
    """Try as the hub does and return whether it was right."""
    with desk.tx() as c:
        person_id, stored = access.try_password(c, m or desk.m, name)
    right = passwords.is_right(stored, password)
    if right:
        with desk.tx() as c:
            access.open_session(c, m or desk.m, desk.settings, person_id, name=name)
    return right


@pytest.mark.requirement("R-S1")
def test_a_password_opens_and_a_wrong_or_missing_one_does_not(desk: Desk) -> None:
    with desk.tx() as c:
        access.add_person(c, desk.m, "Ann", GOOD)
        access.add_person(c, desk.m, "Bob")
    tries = [("Ann", GOOD), ("Ann", "wrong"), ("Bob", ""), ("Bob", GOOD), ("Nobody", "")]
    assert [try_password(desk, *one) for one in tries] == [True, False, False, False, False]


@pytest.mark.requirement("R-S1")
def test_attempts_are_limited_and_the_limit_ends(desk: Desk) -> None:
    with desk.tx() as c:
        access.add_person(c, desk.m, "Ann", GOOD)
    for _ in range(rules.MAX_FAILURES):
        assert not try_password(desk, "Ann", "wrong")
    with pytest.raises(AuthenticationFailed):
        try_password(desk, "Ann", GOOD)
    assert try_password(desk, "Ann", GOOD, later(desk, rules.FAILURE_WINDOW.total_seconds() + 60))


@pytest.mark.requirement("R-S1")
def test_a_right_password_forgets_the_attempts_before(desk: Desk) -> None:
    with desk.tx() as c:
        access.add_person(c, desk.m, "Ann", GOOD)
    for _ in range(3):
        for _ in range(rules.MAX_FAILURES - 1):
            assert not try_password(desk, "Ann", "wrong")
        assert try_password(desk, "Ann", GOOD)


def test_a_short_password_is_refused(desk: Desk) -> None:
    person_id = desk.owner_id()
    with pytest.raises(InvalidParams), desk.tx() as c:
        access.set_password(c, person_id, "short")


# --- tokens ---------------------------------------------------------------------------------------


@pytest.mark.requirement("R-S5")
def test_a_token_names_its_person_conversation_and_scopes(desk: Desk) -> None:
    conversation_id = desk.conversation("Source")
    token = desk.token(conversation_id)
    assert token.secret.startswith("ccw_")
    assert desk.caller(token.secret) == Script(
        token_id=token.id,
        person_id=desk.owner_id(),
        conversation_id=conversation_id,
        scopes=frozenset({TokenScope.TOOLS}),
    )


@pytest.mark.requirement("R-S5")
def test_a_revoked_token_opens_nothing(desk: Desk) -> None:
    token = desk.token()
    with desk.tx() as c:
        access.revoke_token(c, desk.m, token.id)
        (listed,) = access.tokens(c)
    assert listed.revoked_at is not None
    with pytest.raises(AuthenticationFailed):
        desk.caller(token.secret)
    for wrong in (token.id, "token_nobody"):
        with pytest.raises(InvalidParams), desk.tx() as c:
            access.revoke_token(c, desk.m, wrong)


@pytest.mark.parametrize("name", ["", "  "])
def test_a_token_needs_a_name(desk: Desk, name: str) -> None:
    with pytest.raises(InvalidParams), desk.tx() as c:
        access.create_token(c, desk.m, person_id="person_1", name=name)


@pytest.mark.requirement("R-S5")
def test_a_conversations_token_cannot_decide_and_needs_its_conversation(desk: Desk) -> None:
    conversation_id = desk.conversation("Source")
    with pytest.raises(InvalidParams):
        desk.token(conversation_id, [TokenScope.TOOLS, TokenScope.APPROVE])
    with pytest.raises(ConversationNotFound):
        desk.token("conv_nobody")


# --- agents ---------------------------------------------------------------------------------------


@pytest.mark.requirement("R-D6", "FC-75")
def test_a_credential_speaks_for_its_conversation_while_its_turn_runs(desk: Desk) -> None:
    turn = desk.started(desk.conversation("Source"))
    secret = desk.credential(turn)
    expected = Agent(conversation_id=turn.conversation_id, lease=turn.lease, current=True)
    assert desk.caller(secret) == expected
    desk.end(turn)
    assert desk.caller(secret) == replace(expected, current=False)


@pytest.mark.requirement("R-D6")
def test_a_fresh_credential_opens_nothing_before_a_turn_is_claimed(desk: Desk) -> None:
    conversation_id = desk.conversation("Source")
    with desk.tx() as c:
        secret = access.mint(c, desk.m, conversation_id=conversation_id, run_id=RUN)
    assert desk.caller(secret) == Agent(conversation_id=conversation_id, lease=None, current=False)


@pytest.mark.requirement("R-D6")
@pytest.mark.parametrize("whole_run", [False, True])
def test_a_revoked_credential_is_over_for_ever(desk: Desk, whole_run: bool) -> None:
    turn = desk.started(desk.conversation("Source"))
    secret, other = desk.credential(turn), desk.credential(turn)
    with desk.tx() as c:
        if whole_run:
            access.revoke_run(c, desk.m, RUN)
        else:
            access.revoke(c, desk.m, secret)
        access.renew(c, turn.lease, turn.conversation_id)
    over = Agent(conversation_id=turn.conversation_id, lease=None, current=False)
    assert desk.caller(secret) == over
    assert (desk.caller(other) == over) is whole_run


@pytest.mark.requirement("R-D6", "R-M13")
def test_a_turn_claimed_by_another_attempt_closes_the_credential(desk: Desk) -> None:
    turn = desk.started(desk.conversation("Source"))
    secret = desk.credential(turn)
    with desk.tx() as c:
        c.exec_driver_sql("UPDATE turn SET attempt = attempt + 1")
    caller = desk.caller(secret)
    assert isinstance(caller, Agent)
    assert not caller.current


# --- secrets --------------------------------------------------------------------------------------


@pytest.mark.requirement("R-S1", "R-S5")
@pytest.mark.parametrize("bearer", ["", "x", "ccw_", "cca_", "ccw_\udcff", "cca_" + "x" * 10_000])
def test_an_unknown_secret_is_refused(desk: Desk, bearer: str) -> None:
    with pytest.raises(AuthenticationFailed):
        desk.caller(bearer)


@pytest.mark.requirement("R-S1", "R-S5", "FC-74")
def test_no_secret_stands_in_the_database(desk: Desk) -> None:
    person_id = desk.owner_id()
    with desk.tx() as c:
        ticket = access.new_ticket(c, desk.m, desk.settings, person_id)
        access.add_person(c, desk.m, "Ann", GOOD)
    secrets = [
        ticket,
        session(desk),
        desk.token().secret,
        desk.credential(desk.started(desk.conversation("Source"))),
        GOOD,
    ]
    kept = whole_database(desk)
    assert [secret for secret in secrets if secret in kept] == []
    assert len(set(secrets)) == len(secrets)


@pytest.mark.requirement("R-D7")
@pytest.mark.parametrize("door", list(Door))
def test_the_last_loaded_contract_is_remembered_for_each_door(desk: Desk, door: Door) -> None:
    key: dict[str, Any] = {"holder_id": "conv_1", "door": door}
    with desk.tx() as c:
        assert access.loaded_contract(c, **key) is None
        for contract_hash in ("first", "second"):
            access.record_contract(c, desk.m, **key, contract_hash=contract_hash)
        assert access.loaded_contract(c, **key) == "second"
        others = [d for d in Door if d is not door]
        assert {access.loaded_contract(c, holder_id="conv_1", door=d) for d in others} == {None}
