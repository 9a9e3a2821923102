"""The branch that the current folder is on, as git says it."""

import os
from pathlib import Path
from typing import Final

import anyio

from ccweb.cli.failure import Failure
from ccweb.host.process import CommandMissing, LineTooLong, Process
from ccweb.ids import new_id

_COMMAND: Final = ("git", "rev-parse", "--abbrev-ref", "HEAD")
_DETACHED: Final = "HEAD"
_ANSWER_S: Final = 10.0
_GRACE_S: Final = 0.5


def current(folder: Path) -> str:
    """Return the name of the branch that a folder is on.

    Raises:
        Failure: it is on none: no repository, nothing committed, or a commit by itself.
    """
    branch, why = anyio.run(_asked, folder)
    if branch == _DETACHED:
        raise Failure(f"{folder} is on no branch: its HEAD is detached. Switch to a branch.")
    if not branch:
        raise Failure(f"{folder} is on no branch that git can name: {why}")
    return branch


async def _asked(folder: Path) -> tuple[str, str]:
    """Return what git answers, and why it answers nothing."""
    try:
        process = await Process.start(_COMMAND, cwd=folder, env=os.environ, mark=new_id("look"))
    except CommandMissing as error:
        return "", str(error)
    answer = "", f"no answer within {_ANSWER_S:.0f} seconds."
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(process.drain_errors)
        try:
            with anyio.move_on_after(_ANSWER_S):
                answer = await _answer(process)
        finally:
            await process.end(grace_s=_GRACE_S)
    return answer


async def _answer(process: Process) -> tuple[str, str]:
    await process.close_input()
    try:
        line = await process.line()
    except LineTooLong as error:
        return "", str(error)
    if await process.wait() == 0 and line:
        return line, ""
    said = process.error_tail.strip().splitlines()
    return "", said[0][:200] if said else "it says nothing."
