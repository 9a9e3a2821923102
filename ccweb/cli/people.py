"""Who may come in: tokens for scripts, sign-in links, and people with their passwords."""

import argparse
import getpass
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ccweb.access import service as access
from ccweb.access import store as access_store
from ccweb.access.model import NewToken, Token
from ccweb.cli.failure import Failure
from ccweb.cli.opening import database, settings_of
from ccweb.clock import iso, moment
from ccweb.db.engine import Database
from ccweb.errors import CcwebError
from ccweb.host.address import hub_url
from ccweb.settings import Settings


def create_token(arguments: argparse.Namespace) -> int:
    """Print a new token's secret on standard output, and its id beside it."""
    with database(settings_of(arguments)) as db:
        token = _new_token(db, arguments.name, arguments.conversation)
    print(token.secret)
    print(f"This is token {token.id}; its secret is not shown again.", file=sys.stderr)
    return 0


def list_tokens(arguments: argparse.Namespace) -> int:
    """Print every token without its secret."""
    with database(settings_of(arguments)) as db, db.connect() as c:
        rows = [_row(token) for token in access.tokens(c)]
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False))
    for row in [] if arguments.json else rows:
        whose = row["conversationId"] or "a person"
        state = "revoked" if row["revokedAt"] else "valid"
        print(f"{row['id']}  {state:8}{row['createdAt']}  {whose:20}  {row['name']}")
    return 0


def revoke_token(arguments: argparse.Namespace) -> int:
    """End a token."""
    with database(settings_of(arguments)) as db, _said_clearly(), db.begin() as c:
        access.revoke_token(c, moment(), arguments.id)
    print(f"Token {arguments.id} opens nothing any more.", file=sys.stderr)
    return 0


def link(arguments: argparse.Namespace) -> int:
    """Print an address that signs one browser in, once."""
    s = settings_of(arguments)
    with database(s) as db, db.begin() as c:
        ticket = access.new_ticket(c, moment(), s, access.owner(c, moment()).id)
    url = hub_url(s)
    if url is None:
        print("No hub is running on this data folder just now.", file=sys.stderr)
    print(f"{url or f'http://{s.host}:{s.port}'}/sign-in#ticket={ticket}")
    return 0


def user_add(arguments: argparse.Namespace) -> int:
    """Add a person with a password."""
    with database(settings_of(arguments)) as db, _said_clearly():
        password = _password()
        with db.begin() as c:
            access.owner(c, moment())  # whoever set this machine up comes first
            access.add_person(c, moment(), arguments.name, password)
    print(f"{arguments.name} can sign in.", file=sys.stderr)
    return 0


def user_password(arguments: argparse.Namespace) -> int:
    """Give a person another password."""
    with database(settings_of(arguments)) as db, _said_clearly():
        with db.begin() as c:
            access.owner(c, moment())
            person = access_store.person_named(c, arguments.name)
        if person is None:
            raise Failure(f"There is no person named {arguments.name!r}.")
        password = _password()
        with db.begin() as c:
            access.set_password(c, person.id, password)
    print(f"{arguments.name} can sign in with the new password.", file=sys.stderr)
    return 0


@contextmanager
def passing_token(s: Settings, conversation_id: str) -> Iterator[str]:
    """Yield a token that speaks for a conversation and ends afterwards.

    Whoever can write the data folder may speak for every conversation in it (R-D6).
    """
    with database(s) as db:
        token = _new_token(db, "ccweb call --as", conversation_id)
        try:
            yield token.secret
        finally:
            with db.begin() as c:
                access_store.forget_token(c, token.id)


def _new_token(db: Database, name: str, conversation_id: str | None) -> NewToken:
    with _said_clearly(), db.begin() as c:
        owner = access.owner(c, moment())
        return access.create_token(
            c, moment(), person_id=owner.id, name=name, conversation_id=conversation_id
        )


def _row(token: Token) -> dict[str, str | list[str] | None]:
    return {
        "id": token.id,
        "name": token.name,
        "conversationId": token.conversation_id,
        "scopes": sorted(token.scopes),
        "createdAt": iso(token.created_at),
        "revokedAt": iso(token.revoked_at) if token.revoked_at else None,
    }


def _password() -> str:
    """Return a password: typed twice at a terminal, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise Failure("The two passwords differ.")
    return first


@contextmanager
def _said_clearly() -> Iterator[None]:
    """Turn a refusal of the product into one of the command."""
    try:
        yield
    except CcwebError as error:
        raise Failure(error.detail) from error
