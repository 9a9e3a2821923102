"""`ccweb serve`: hub and host as two processes, so that neither takes the other with it."""

import argparse

import anyio

from ccweb.cli.children import Child
from ccweb.cli.lifetime import call_at_end
from ccweb.cli.opening import settings_of


def serve(arguments: argparse.Namespace) -> int:
    """Run hub and host until a signal; print an address that signs a browser in."""
    s = settings_of(arguments)
    children = [Child(s, ["hub", *(["--demo"] if arguments.demo else [])])]
    if not arguments.no_agents:
        children.append(Child(s, ["host"]))
    return anyio.run(_keep_all, children)


async def _keep_all(children: list[Child]) -> int:
    """Keep every child alive; return 0 at a signal, 1 when one refuses to start.

    One starts after the other: the page is there sooner, and one of them migrates the database.
    """
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_at_signal, tasks.cancel_scope)
        for child in children:
            line = await tasks.start(child.keep)
            if line is None:
                tasks.cancel_scope.cancel()
                return 1
            if child.name == "hub":
                print(line, flush=True)
    return 0


async def _end_at_signal(scope: anyio.CancelScope) -> None:
    await call_at_end(scope.cancel, until_eof=False)
