"""People, browsers and tokens in the database; of every secret only its hash."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ccweb.access.model import Browser, HeldContract, HeldToken, Person, Script, Token
from ccweb.clock import Moment, from_ms, maybe_from_ms, to_ms
from ccweb.db.sql import select, text
from ccweb_contract.enums import Door, TokenScope

_PERSON = "id, name, owner, created_at"

_SCRIPT = select(
    "t.id, t.person_id, t.conversation_id, t.scopes",
    """FROM token t LEFT JOIN conversation k ON k.id = t.conversation_id
    WHERE t.secret_hash = :hash AND t.revoked_at IS NULL AND k.deleted_at IS NULL""",
)

_BROWSER = select(
    "s.person_id, p.name",
    """FROM browser_session s JOIN person p ON p.id = s.person_id
    WHERE s.secret_hash = :hash AND s.expires_at > :now""",
)

_HELD_TOKENS = select(
    """t.id, t.name, t.person_id, t.conversation_id, t.scopes, t.created_at, t.revoked_at, k.title,
    (SELECT max(l.loaded_at) FROM loaded_contract l WHERE l.holder_id = t.id) AS connected_at""",
    """FROM token t LEFT JOIN conversation k ON k.id = t.conversation_id
    WHERE t.person_id = :person_id AND t.revoked_at IS NULL AND k.deleted_at IS NULL
    ORDER BY t.created_at DESC, t.id""",
)

_RECORD_CONTRACT = text("""
    INSERT INTO loaded_contract (holder_id, door, contract_hash, loaded_at)
    VALUES (:holder_id, :door, :hash, :now)
    ON CONFLICT (holder_id, door) DO UPDATE SET contract_hash = :hash, loaded_at = :now""")

_LOADED_CONTRACT = text(
    "SELECT contract_hash FROM loaded_contract WHERE holder_id = :holder_id AND door = :door"
)

_HELD_CONTRACTS = select(
    "k.id, k.title, l.door, l.contract_hash",
    """FROM loaded_contract l JOIN conversation k ON k.id = l.holder_id
    WHERE k.deleted_at IS NULL ORDER BY k.updated_at DESC, k.id, l.door""",
)


def add_person(c: Connection, person: Person, password_hash: str | None) -> None:
    """Insert a person."""
    c.execute(
        text("""INSERT INTO person (id, name, owner, password_hash, created_at)
            VALUES (:id, :name, :owner, :password_hash, :created_at)"""),
        {
            "id": person.id,
            "name": person.name,
            "owner": person.owner,
            "password_hash": password_hash,
            "created_at": to_ms(person.created_at),
        },
    )


def owner(c: Connection) -> Person | None:
    """Return the owner, None before the first start."""
    return _person(c.execute(text(f"SELECT {_PERSON} FROM person WHERE owner")).one_or_none())  # noqa: S608


def person_named(c: Connection, name: str) -> Person | None:
    """Return a person by name, else None."""
    row = c.execute(
        text(f"SELECT {_PERSON} FROM person WHERE name = :name"),  # noqa: S608 - columns are ours
        {"name": name},
    ).one_or_none()
    return _person(row)


def people(c: Connection) -> list[Person]:
    """Return everybody, the owner first."""
    rows = c.execute(text(f"SELECT {_PERSON} FROM person ORDER BY owner DESC, created_at"))  # noqa: S608
    return [person_of(row) for row in rows]


def password_hash(c: Connection, person_id: str) -> str | None:
    """Return the hash of a person's password, None when there is none."""
    value: str | None = c.execute(
        text("SELECT password_hash FROM person WHERE id = :id"), {"id": person_id}
    ).scalar_one_or_none()
    return value


def set_password_hash(c: Connection, person_id: str, value: str) -> None:
    """Replace the hash of a person's password."""
    c.execute(
        text("UPDATE person SET password_hash = :value WHERE id = :id"),
        {"id": person_id, "value": value},
    )


def add_ticket(c: Connection, secret_hash: str, person_id: str, expires_ms: int) -> None:
    """Insert a sign-in ticket."""
    c.execute(
        text("""INSERT INTO ticket (secret_hash, person_id, expires_at)
            VALUES (:hash, :person_id, :expires)"""),
        {"hash": secret_hash, "person_id": person_id, "expires": expires_ms},
    )


def use_ticket(c: Connection, m: Moment, secret_hash: str) -> str | None:
    """Use a ticket up and return whose it was; None when it is unknown, used or too old."""
    row = c.execute(
        text("""UPDATE ticket SET used_at = :now
            WHERE secret_hash = :hash AND used_at IS NULL AND expires_at > :now
            RETURNING person_id"""),
        {"hash": secret_hash, "now": m.now_ms},
    ).one_or_none()
    return None if row is None else str(row.person_id)


def add_session(
    c: Connection, m: Moment, secret_hash: str, *, person_id: str, expires_ms: int
) -> None:
    """Insert a browser session."""
    c.execute(
        text("""INSERT INTO browser_session (secret_hash, person_id, created_at, expires_at)
            VALUES (:hash, :person_id, :now, :expires)"""),
        {"hash": secret_hash, "person_id": person_id, "now": m.now_ms, "expires": expires_ms},
    )


def end_session(c: Connection, secret_hash: str) -> None:
    """Delete a browser session."""
    c.execute(text("DELETE FROM browser_session WHERE secret_hash = :hash"), {"hash": secret_hash})


def forget_expired(c: Connection, m: Moment) -> None:
    """Delete the tickets and browser sessions that are too old to be used."""
    c.execute(text("DELETE FROM ticket WHERE expires_at <= :now"), {"now": m.now_ms})
    c.execute(text("DELETE FROM browser_session WHERE expires_at <= :now"), {"now": m.now_ms})


def browser(c: Connection, m: Moment, secret_hash: str) -> Browser | None:
    """Return who is signed in with a session secret, else None."""
    row = c.execute(_BROWSER, {"hash": secret_hash, "now": m.now_ms}).one_or_none()
    return None if row is None else Browser(person_id=row.person_id, name=row.name)


def failures_since(c: Connection, name: str, since: datetime) -> int:
    """Return how often a password was tried for a name, and forget what is older."""
    c.execute(
        text("DELETE FROM sign_in_failure WHERE failed_at <= :since"), {"since": to_ms(since)}
    )
    count: int = c.execute(
        text("SELECT count(*) FROM sign_in_failure WHERE name = :name"), {"name": name}
    ).scalar_one()
    return count


def add_failure(c: Connection, m: Moment, name: str) -> None:
    """Note that a password is being tried for a name."""
    c.execute(
        text("INSERT INTO sign_in_failure (name, failed_at) VALUES (:name, :now)"),
        {"name": name, "now": m.now_ms},
    )


def forget_failures(c: Connection, name: str) -> None:
    """Delete what was noted for a name: the password was right."""
    c.execute(text("DELETE FROM sign_in_failure WHERE name = :name"), {"name": name})


def add_token(c: Connection, token: Token, secret_hash: str) -> None:
    """Insert a token."""
    c.execute(
        text("""INSERT INTO token
                (id, name, secret_hash, person_id, conversation_id, scopes, created_at)
            VALUES (:id, :name, :hash, :person_id, :conversation_id, :scopes, :created_at)"""),
        {
            "id": token.id,
            "name": token.name,
            "hash": secret_hash,
            "person_id": token.person_id,
            "conversation_id": token.conversation_id,
            "scopes": _scopes_text(token.scopes),
            "created_at": to_ms(token.created_at),
        },
    )


def forget_token(c: Connection, token_id: str) -> None:
    """Delete a token that was only ever meant for one call."""
    c.execute(text("DELETE FROM token WHERE id = :id"), {"id": token_id})


def tokens(c: Connection) -> list[Token]:
    """Return every token, the newest first."""
    rows = c.execute(
        text("""SELECT id, name, person_id, conversation_id, scopes, created_at, revoked_at
            FROM token ORDER BY created_at DESC, id""")
    )
    return [token_of(row) for row in rows]


def held_tokens(c: Connection, person_id: str) -> list[HeldToken]:
    """Return a person's tokens that still open something, the newest first."""
    return [
        HeldToken(
            token=token_of(row), title=row.title, connected_at=maybe_from_ms(row.connected_at)
        )
        for row in c.execute(_HELD_TOKENS, {"person_id": person_id})
    ]


def set_scopes(c: Connection, token_id: str, scopes: Iterable[TokenScope]) -> None:
    """Replace what a token may do."""
    c.execute(
        text("UPDATE token SET scopes = :scopes WHERE id = :id"),
        {"id": token_id, "scopes": _scopes_text(scopes)},
    )


def revoke_token(c: Connection, m: Moment, token_id: str) -> bool:
    """End a token; False when there is none with this id that was not ended before."""
    result = c.execute(
        text("UPDATE token SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL"),
        {"id": token_id, "now": m.now_ms},
    )
    return result.rowcount == 1


def script(c: Connection, secret_hash: str) -> Script | None:
    """Return the holder of a token that is valid, else None."""
    row = c.execute(_SCRIPT, {"hash": secret_hash}).one_or_none()
    if row is None:
        return None
    return Script(
        token_id=row.id,
        person_id=row.person_id,
        conversation_id=row.conversation_id,
        scopes=_scopes(row.scopes),
    )


def record_contract(
    c: Connection, m: Moment, *, holder_id: str, door: Door, contract_hash: str
) -> None:
    """Note which contract a holder has loaded at a door."""
    c.execute(
        _RECORD_CONTRACT,
        {"holder_id": holder_id, "door": door.value, "hash": contract_hash, "now": m.now_ms},
    )


def loaded_contract(c: Connection, *, holder_id: str, door: Door) -> str | None:
    """Return the hash of the contract that a holder has loaded at a door, None when unknown."""
    value: str | None = c.execute(
        _LOADED_CONTRACT, {"holder_id": holder_id, "door": door.value}
    ).scalar_one_or_none()
    return value


def held_contracts(c: Connection) -> list[HeldContract]:
    """Return what the agents of all conversations have loaded, the latest active first."""
    return [
        HeldContract(
            conversation_id=row.id,
            title=row.title,
            door=Door(row.door),
            contract_hash=row.contract_hash,
        )
        for row in c.execute(_HELD_CONTRACTS)
    ]


def person_of(row: Row[Any]) -> Person:
    """Return the person that a row holds."""
    return Person(
        id=row.id, name=row.name, owner=bool(row.owner), created_at=from_ms(row.created_at)
    )


def _person(row: Row[Any] | None) -> Person | None:
    return None if row is None else person_of(row)


def token_of(row: Row[Any]) -> Token:
    """Return the token that a row holds."""
    return Token(
        id=row.id,
        name=row.name,
        person_id=row.person_id,
        conversation_id=row.conversation_id,
        scopes=_scopes(row.scopes),
        created_at=from_ms(row.created_at),
        revoked_at=maybe_from_ms(row.revoked_at),
    )


def _scopes_text(scopes: Iterable[TokenScope]) -> str:
    return json.dumps(sorted(scopes))


def _scopes(value: str) -> frozenset[TokenScope]:
    return frozenset(TokenScope(scope) for scope in json.loads(value))
