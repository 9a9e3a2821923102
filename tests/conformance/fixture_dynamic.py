"""A call of a Codex App's dynamic tool with the fixture contract, made as the host makes it.

It runs where `ccweb_contract` is the package rendered from the fixture contract; the call is read
from standard input, and the answer goes to standard output.
"""

import json
import sys

import anyio

from ccweb import settings
from ccweb.access.model import Browser
from ccweb.db.engine import Database
from ccweb.tools import dynamic
from ccweb.tools.dispatch import Dispatcher
from tests.conformance import fixture_hub


async def main() -> None:
    """Answer the call."""
    s = settings.load()
    db = Database(s.database)
    try:
        dispatcher = Dispatcher(db, s, host_id="fixture")
        caller = Browser(person_id="fixture", name="Fixture")
        print(json.dumps(await dynamic.call(dispatcher, caller, json.load(sys.stdin))))
    finally:
        db.close()


if __name__ == "__main__":
    fixture_hub.install()
    anyio.run(main)
