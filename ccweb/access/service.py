"""The commands of access: ways in for people, tokens for scripts, credentials for agents."""

import getpass
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

from ccweb.access import credentials, passwords, rules, store
from ccweb.access.model import (
    Agent,
    Browser,
    Caller,
    HeldContract,
    HeldToken,
    Human,
    NewToken,
    Person,
    Script,
    Token,
)
from ccweb.clock import Moment
from ccweb.conversations.model import Lease
from ccweb.conversations.service import existing
from ccweb.errors import AuthenticationFailed, HumanRequired, InvalidParams
from ccweb.settings import Settings
from ccweb_contract.enums import Door, TokenScope

# --- people -------------------------------------------------------------------------------------


def owner(c: Connection, m: Moment) -> Person:
    """Return the owner of this workspace; the first call makes one of the system's user."""
    return store.owner(c) or _add(c, m, _system_user(), is_owner=True, password=None)


def add_person(c: Connection, m: Moment, name: str, password: str | None = None) -> Person:
    """Insert one more person.

    Raises:
        InvalidParams: the name is empty or taken, or the password too short.
    """
    name = name.strip()
    if not name:
        raise InvalidParams(why="A person needs a name.")
    if store.person_named(c, name) is not None:
        raise InvalidParams(why=f"There is a person named {name!r} already.")
    return _add(c, m, name, is_owner=False, password=password)


def set_password(c: Connection, person_id: str, password: str) -> None:
    """Give a person a password, which a hub beyond loopback asks for.

    Raises:
        InvalidParams: it is too short.
    """
    store.set_password_hash(c, person_id, _hashed(password))


def human(caller: Caller) -> Human:
    """Return the person who decides through this caller.

    Raises:
        HumanRequired: it is an agent, or a token to which nobody gave that right.
    """
    match caller:
        case Browser():
            return Human(person_id=caller.person_id)
        case Script() if TokenScope.APPROVE in caller.scopes:
            return Human(person_id=caller.person_id)
        case Agent() | Script():
            raise HumanRequired(why="This is decided by a person, in the page.")


def _add(c: Connection, m: Moment, name: str, *, is_owner: bool, password: str | None) -> Person:
    person = Person(id=m.new_id("person"), name=name, owner=is_owner, created_at=m.now)
    store.add_person(c, person, None if password is None else _hashed(password))
    return person


def _hashed(password: str) -> str:
    if len(password) < rules.MIN_PASSWORD_LENGTH:
        raise InvalidParams(
            why=f"A password needs at least {rules.MIN_PASSWORD_LENGTH} characters."
        )
    return passwords.hash_password(password)


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"


# --- browsers -----------------------------------------------------------------------------------


def new_ticket(c: Connection, m: Moment, s: Settings, person_id: str) -> str:
    """Return a sign-in ticket: good once, for five minutes."""
    secret = m.new_secret()
    store.forget_expired(c, m)
    store.add_ticket(c, rules.hash_of(secret), person_id, m.later_ms(s.ticket_s))
    return secret


def redeem_ticket(c: Connection, m: Moment, s: Settings, ticket: str) -> str:
    """Use a ticket up and return the secret of a new browser session.

    Raises:
        AuthenticationFailed: it is unknown, used or too old.
    """
    person_id = store.use_ticket(c, m, rules.hash_of(ticket.strip()))
    if person_id is None:
        raise AuthenticationFailed(
            why="This sign-in link has been used or is too old; `ccweb link` prints a new one."
        )
    return open_session(c, m, s, person_id)


def try_password(c: Connection, m: Moment, name: str) -> tuple[str, str | None]:
    """Note an attempt and return the person's id and the hash that the password must fit.

    The attempt counts before it is checked, so a burst cannot outrun the limit;
    `open_session` forgets the attempts of whoever got in. Without a person or a password the
    hash is None, and `passwords.is_right` takes as long to say no.

    Raises:
        AuthenticationFailed: there were too many attempts for this name.
    """
    if rules.is_locked(store.failures_since(c, name, m.now - rules.FAILURE_WINDOW)):
        raise AuthenticationFailed(
            why="There were too many attempts for this name; try again in a quarter of an hour."
        )
    store.add_failure(c, m, name)
    person = store.person_named(c, name)
    return (person.id, store.password_hash(c, person.id)) if person else ("", None)


def open_session(
    c: Connection, m: Moment, s: Settings, person_id: str, *, name: str | None = None
) -> str:
    """Return the secret of a new browser session of a person who has proved who they are."""
    secret = m.new_secret()
    expires_ms = m.later_ms(s.browser_session_s)
    store.add_session(c, m, rules.hash_of(secret), person_id=person_id, expires_ms=expires_ms)
    if name is not None:
        store.forget_failures(c, name)
    return secret


def end_session(c: Connection, secret: str) -> None:
    """Sign a browser out."""
    store.end_session(c, rules.hash_of(secret))


def browser(c: Connection, m: Moment, secret: str) -> Browser:
    """Return who is signed in with a session secret.

    Raises:
        AuthenticationFailed: the session is unknown or has expired.
    """
    found = store.browser(c, m, rules.hash_of(secret))
    if found is None:
        raise AuthenticationFailed
    return found


# --- tokens -------------------------------------------------------------------------------------


def create_token(
    c: Connection,
    m: Moment,
    *,
    person_id: str,
    name: str,
    conversation_id: str | None = None,
    scopes: Iterable[TokenScope] = (TokenScope.TOOLS,),
) -> NewToken:
    """Return a new access token; nobody can read its secret again.

    Raises:
        ConversationNotFound: it was to speak for a conversation that does not exist.
        InvalidParams: it has no name, or it would let a conversation decide for a person.
    """
    wanted = frozenset(scopes)
    if not name.strip():
        raise InvalidParams(why="A token needs a name.")
    if conversation_id is not None:
        existing(c, conversation_id)
        if TokenScope.APPROVE in wanted:
            raise InvalidParams(why="A conversation's token cannot decide for a person.")
    token = Token(
        id=m.new_id("token"),
        name=name.strip(),
        person_id=person_id,
        conversation_id=conversation_id,
        scopes=wanted,
        created_at=m.now,
        revoked_at=None,
    )
    secret = rules.TOKEN_PREFIX + m.new_secret()
    store.add_token(c, token, rules.hash_of(secret))
    return NewToken(id=token.id, secret=secret)


def tokens(c: Connection) -> list[Token]:
    """Return every token without its secret, the newest first."""
    return store.tokens(c)


def held_tokens(c: Connection, by: Browser) -> list[HeldToken]:
    """Return the tokens of whoever is signed in that still open something, the newest first."""
    return store.held_tokens(c, by.person_id)


def let_decide(c: Connection, by: Browser, token_id: str, *, allowed: bool) -> None:
    """Give one of a person's own tokens the right to decide in their name, or take it back.

    It takes a browser, and no `Human`: a token that may decide cannot give that on.

    Raises:
        InvalidParams: it is not theirs or was ended, or it would let a conversation decide.
    """
    token = _own(c, by, token_id)
    if allowed and token.conversation_id is not None:
        raise InvalidParams(why="A conversation's token cannot decide for a person.")
    right = {TokenScope.APPROVE}
    store.set_scopes(c, token_id, token.scopes | right if allowed else token.scopes - right)


def revoke_own_token(c: Connection, m: Moment, by: Browser, token_id: str) -> None:
    """End one of a person's own tokens.

    Raises:
        InvalidParams: it is not theirs, or it was ended before.
    """
    revoke_token(c, m, _own(c, by, token_id).id)


def _own(c: Connection, by: Browser, token_id: str) -> Token:
    for held in held_tokens(c, by):
        if held.token.id == token_id:
            return held.token
    raise InvalidParams(why=f"You have no token {token_id!r} that is still valid.")


def revoke_token(c: Connection, m: Moment, token_id: str) -> None:
    """End a token.

    Raises:
        InvalidParams: there is none with this id, or it was ended before.
    """
    if not store.revoke_token(c, m, token_id):
        raise InvalidParams(why=f"There is no token {token_id!r} that is still valid.")


# --- agents -------------------------------------------------------------------------------------


def mint(c: Connection, m: Moment, *, conversation_id: str, run_id: str) -> str:
    """Return the secret of a new agent process; it opens nothing before `renew`."""
    secret = rules.AGENT_PREFIX + m.new_secret()
    credentials.add(c, m, rules.hash_of(secret), conversation_id=conversation_id, run_id=run_id)
    return secret


def renew(c: Connection, lease: Lease, conversation_id: str) -> None:
    """Bind the credentials that a run holds for a conversation to the turn that it claimed."""
    renew_all(c, {conversation_id: lease})


def renew_all(c: Connection, leases: Mapping[str, Lease]) -> None:
    """Do the same for many conversations, in one statement."""
    if leases:
        credentials.renew(c, leases)


def revoke(c: Connection, m: Moment, secret: str) -> None:
    """End the credential of an agent process that is over."""
    credentials.revoke(c, m, rules.hash_of(secret))


def revoke_run(c: Connection, m: Moment, run_id: str) -> None:
    """End every credential of a run of a host."""
    credentials.revoke_run(c, m, run_id)


# --- who calls, and what they have loaded -------------------------------------------------------


def authenticate(c: Connection, m: Moment, bearer: str) -> Agent | Script:
    """Return who holds a bearer secret, by one query.

    An agent whose turn is over is still known: its calls are refused as `turn_over`.

    Raises:
        AuthenticationFailed: the secret is unknown or its token was revoked.
    """
    find_agent = bearer.startswith(rules.AGENT_PREFIX)
    secret_hash = rules.hash_of(bearer)
    caller = credentials.agent(c, m, secret_hash) if find_agent else store.script(c, secret_hash)
    if caller is None:
        raise AuthenticationFailed
    return caller


def record_contract(
    c: Connection, m: Moment, *, holder_id: str, door: Door, contract_hash: str
) -> None:
    """Note which contract a holder has loaded at a door (R-D7)."""
    store.record_contract(c, m, holder_id=holder_id, door=door, contract_hash=contract_hash)


def loaded_contract(c: Connection, *, holder_id: str, door: Door) -> str | None:
    """Return the hash of the contract that a holder has loaded at a door, None when unknown."""
    return store.loaded_contract(c, holder_id=holder_id, door=door)


def held_contracts(c: Connection) -> list[HeldContract]:
    """Return what the agents of all conversations have loaded, the latest active first (R-D7)."""
    return store.held_contracts(c)
