"""JSON-RPC with a process: both sides ask, in any order, and either may end."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import TaskGroup

from ccweb.host.codex.json_lines_rpc import NOT_FOUND, Gone, Params, Refused, Request, Rpc
from ccweb.host.process import Process

LIMIT_S = 10.0
PEER = """
import json, sys
def tell(m): print(json.dumps(m), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    method, number = m.get("method"), m.get("id")
    if method == "echo": tell({"id": number, "result": m["params"]})
    elif method == "refuse": tell({"id": number, "error": {"code": -5, "message": "no"}})
    elif method == "late": pass
    elif method == "die": sys.exit(3)
    elif method == "ask":
        for i in m["params"]["ids"]: tell({"id": i, "method": "your/turn", "params": {"n": i}})
    elif method == "noise":
        print("no JSON"); tell({"id": 9999, "result": 1}); tell({"method": "said", "params": None})
        tell({"id": number, "result": "after"})
    elif method == "hello": tell({"method": "said", "params": {"a": 1}})
    elif method is None: tell({"method": "answered", "params": m})
"""


class Ends:
    """What an end hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Params]] = []
        self.asked: list[int] = []
        self.changed = anyio.Event()
        self.gates: dict[int, anyio.Event] = {}

    def take(self, method: str, params: Params) -> None:
        self.heard.append((method, params))
        self.changed.set()
        self.changed = anyio.Event()

    async def handle(self, request: Request) -> Any:
        number = int(request.id)
        self.asked.append(number)
        if gate := self.gates.get(number):
            await gate.wait()
        if number == 7:
            raise Refused(NOT_FOUND, "unknown")
        if number == 8:
            raise ValueError("a bug")
        return None if number == 6 else {"n": number}

    async def until_heard(self, count: int) -> list[Params]:
        """Return the answers that the other side has seen, once there are so many."""
        with anyio.fail_after(LIMIT_S):
            while len(self.heard) < count:
                await self.changed.wait()
        return [params for _, params in self.heard]


@asynccontextmanager
async def a_peer() -> AsyncIterator[tuple[Rpc, Process]]:
    process = await Process.start(
        [sys.executable, "-c", PEER], cwd=Path.cwd(), env={"PATH": "/usr/bin:/bin"}, mark="rpc-test"
    )
    try:
        with anyio.fail_after(LIMIT_S):
            yield Rpc(process), process
    finally:
        await process.end(grace_s=0.5)


@asynccontextmanager
async def served(rpc: Rpc, ends: Ends) -> AsyncIterator[TaskGroup]:
    async with anyio.create_task_group() as tasks:

        async def serve() -> None:
            await rpc.serve(tasks, take=ends.take, handle=ends.handle)

        tasks.start_soon(serve)
        yield tasks
        tasks.cancel_scope.cancel()


async def test_questions_of_ours_are_answered_or_refused() -> None:
    async with a_peer() as (rpc, _), served(rpc, Ends()):
        assert await rpc.ask("echo", text="好", n=1) == {"text": "好", "n": 1}
        with pytest.raises(Refused) as refused:
            await rpc.ask("refuse")
    assert (refused.value.code, refused.value.message) == (-5, "no")


async def test_lines_that_mean_nothing_are_passed_over() -> None:
    ends = Ends()
    async with a_peer() as (rpc, _), served(rpc, ends):
        assert await rpc.ask("noise") == "after"
    assert ends.heard == [("said", {})]


@pytest.mark.requirement("R-A2")
async def test_requests_of_theirs_begin_at_zero_and_are_answered_in_any_order() -> None:
    ends = Ends()
    ends.gates[0] = anyio.Event()
    async with a_peer() as (rpc, _), served(rpc, ends) as tasks:
        tasks.start_soon(lambda: rpc.ask("ask", ids=[0, 1, 2]))
        first = await ends.until_heard(2)
        ends.gates[0].set()
        all_of_them = await ends.until_heard(3)
    assert {params["id"] for params in first} == {1, 2}
    assert all_of_them[2] == {"id": 0, "result": {"n": 0}}


async def test_what_we_do_not_know_or_fail_at_is_an_error_and_nothing_leaks() -> None:
    ends = Ends()
    async with a_peer() as (rpc, _), served(rpc, ends) as tasks:
        tasks.start_soon(lambda: rpc.ask("ask", ids=[6, 7, 8, 9]))
        heard = {params["id"]: params for params in await ends.until_heard(3)}
    assert heard[7]["error"] == {"code": NOT_FOUND, "message": "unknown"}
    assert heard[8]["error"]["message"] == "internal error"
    assert heard[9]["result"] == {"n": 9}
    assert 6 not in heard


@pytest.mark.requirement("R-A2")
async def test_a_request_that_is_cut_is_never_answered_and_the_connection_goes_on() -> None:
    ends, again = Ends(), Ends()
    ends.gates[0] = anyio.Event()
    async with a_peer() as (rpc, _):
        async with served(rpc, ends) as tasks:
            tasks.start_soon(lambda: rpc.ask("ask", ids=[0, 1]))
            await ends.until_heard(1)
        async with served(rpc, again):
            assert await rpc.ask("echo", n=2) == {"n": 2}
    assert ends.asked == [0, 1]
    assert again.heard == []


async def test_nothing_that_is_said_between_two_listeners_is_lost() -> None:
    ends = Ends()
    async with a_peer() as (rpc, _):
        async with served(rpc, Ends()):
            await rpc.ask("echo")
        await rpc.tell("hello")
        async with served(rpc, ends):
            await ends.until_heard(1)
    assert ends.heard == [("said", {"a": 1})]


async def test_the_end_of_the_other_side_wakes_all_who_wait() -> None:
    async with a_peer() as (rpc, _), served(rpc, Ends()) as tasks:
        gone: list[bool] = []

        async def wait() -> None:
            with pytest.raises(Gone):
                await rpc.ask("late")
            gone.append(True)

        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(Gone):
            await rpc.ask("die")
        await rpc.until_gone()
        with pytest.raises(Gone):
            await rpc.ask("echo")
        await anyio.wait_all_tasks_blocked()
        assert gone == [True]
        assert rpc.gone
