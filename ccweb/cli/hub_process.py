"""`ccweb hub`: this process serves the page, the tools and the HTTP API."""

import argparse
import errno
import socket

import anyio
import uvicorn

from ccweb import logs
from ccweb.access import service as access
from ccweb.access import store as access_store
from ccweb.cli.failure import Failure
from ccweb.cli.lifetime import call_at_end
from ccweb.cli.opening import database, settings_of
from ccweb.cli.seeding import seed
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.host import address
from ccweb.host.identity import identity
from ccweb.hub.app import create_app, server
from ccweb.hub.guard import is_loopback
from ccweb.settings import Settings


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal; print an address that signs a browser in."""
    logs.configure()
    s = settings_of(arguments)
    with database(s) as db:
        _check_reach(db, s)
        listener = _listen(s)
        host = identity(s.data_dir)
        if arguments.demo:
            seed(db, s, host)
        url = _url(s, listener)
        address.publish(s, url)
        try:
            print(f"{url}/sign-in#ticket={_ticket(db, s)}", flush=True)
            app = create_app(db, s, host_id=host.id)
            anyio.run(_serve, server(app, s), listener, arguments.until_eof)
        finally:
            address.withdraw(s, url)
    return 0


async def _serve(hub: uvicorn.Server, listener: socket.socket, until_eof: bool) -> None:
    def end() -> None:
        hub.should_exit = True

    async def tell_end() -> None:
        await call_at_end(end, until_eof=until_eof)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tell_end)
        await hub.serve(sockets=[listener])
        tasks.cancel_scope.cancel()


def _check_reach(db: Database, s: Settings) -> None:
    """Refuse to serve other machines while nobody has a password."""
    if is_loopback(s.host):
        return
    with db.begin() as c:
        access.owner(c, moment())
        people = access_store.people(c)
        if not any(access_store.password_hash(c, person.id) for person in people):
            owner = people[0].name
            raise Failure(
                f"Beyond this machine ({s.host}) people sign in with a password, and nobody has "
                f"one yet. Set one with: ccweb user password {owner}"
            )


def _listen(s: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in s.host else socket.AF_INET
    # asyncio turns Nagle off only where the protocol is named; else each answer takes 40 ms
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((s.host, s.port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise Failure(_why_not(s, error)) from error
    listener.listen(2048)
    return listener


def _why_not(s: Settings, error: Exception) -> str:
    if getattr(error, "errno", None) == errno.EADDRINUSE:
        return (
            f"Port {s.port} of {s.host} is in use; is ccweb running already? "
            "Choose another one with --port."
        )
    return f"The hub cannot listen on {s.host}, port {s.port}: {error}."


def _url(s: Settings, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(s.host)  # noqa: S104 - a name, no binding
    return f"http://{host or (f'[{s.host}]' if ':' in s.host else s.host)}:{port}"


def _ticket(db: Database, s: Settings) -> str:
    with db.begin() as c:
        person = access.owner(c, moment())
        return access.new_ticket(c, moment(), s, person.id)
