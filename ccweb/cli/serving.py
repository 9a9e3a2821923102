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
    """Keep every child alive; return 0 at a signal, 1 when one refuses to start."""
    told: list[str] = []
    refused: list[str] = []

    def tell(line: str) -> None:
        if not told:
            print(line, flush=True)
        told.append(line)

    async def keep(child: Child) -> None:
        await child.keep(tell if child.name == "hub" else _stay_silent)
        refused.append(child.name)
        tasks.cancel_scope.cancel()

    async def tell_end() -> None:
        await call_at_end(tasks.cancel_scope.cancel, until_eof=False)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tell_end)
        for child in children:
            tasks.start_soon(keep, child)
    return 1 if refused else 0


def _stay_silent(_: str) -> None:
    """Take the host's line, which is for machines."""
