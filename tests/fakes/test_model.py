"""The model of the tests obeys the script of a prompt on both wires, and keeps what it is asked."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import httpx2
import pytest

from tests.fakes import model_anthropic, model_responses
from tests.fakes.model import RunningModel, running_model
from tests.fakes.model_script import DONE, Call, Said, Step, next_step, script

LIMIT_S = 30
CALLS = Step(text="Looking.", calls=[Call(tool="look", args={"at": script(Step(text="inner"))})])
RETURNED = f"ccweb has returned the result of work: {script(Step(text='of the target'))}"


@pytest.fixture(scope="module")
def model() -> Iterator[RunningModel]:
    """Run a model."""
    with running_model() as model:
        yield model


@pytest.fixture
async def client(model: RunningModel) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a client of it."""
    async with httpx2.AsyncClient(base_url=model.url, timeout=LIMIT_S) as client:
        yield client


def user(text: str) -> Said:
    return Said(by_model=False, texts=[text])


RESULT, MODEL = Said(by_model=False), Said(by_model=True)


@pytest.mark.parametrize(
    ("conversation", "text"),
    [
        ([user("plain")], "heard: plain"),
        ([user(script(CALLS, Step(text="end")))], "Looking."),
        ([user(script(CALLS, Step(text="end"))), MODEL, MODEL, RESULT], "end"),
        ([user(script(CALLS)), MODEL, RESULT], DONE),
        ([user(script(CALLS)), MODEL, user("<system-reminder>x"), RESULT], DONE),
        ([user(script(CALLS)), user("plain")], "heard: plain"),
        ([user(script(CALLS, Step(text="own"))), MODEL, user(RETURNED)], "own"),
        ([user(script(Step(text="old")) + " " + script(Step(text="new")))], "new"),
    ],
)
def test_the_step_follows_from_what_the_request_shows(conversation: list[Said], text: str) -> None:
    assert next_step(conversation).text == text


def body(text: str) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return {"messages": [message], "input": [message], "stream": True}


async def events(
    client: httpx2.AsyncClient, path: str, given: dict[str, Any]
) -> list[dict[str, Any]]:
    answer = await client.post(path, json=given)
    lines = answer.raise_for_status().text.split("\n")
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def texts(found: list[dict[str, Any]]) -> list[str]:
    """Return the deltas of text, of either wire."""
    deltas = [event["delta"] for event in found if "delta" in event]
    return [delta if isinstance(delta, str) else delta.get("text", "") for delta in deltas]


PATHS = ("/v1/messages", "/v1/responses")


@pytest.mark.parametrize("path", PATHS)
async def test_each_number_comes_in_a_delta_of_its_own(
    client: httpx2.AsyncClient, path: str
) -> None:
    found = await events(client, path, body(script(Step(count=2_000, width=9))))
    said = [text for text in texts(found) if text]
    assert [int(text) for text in said] == list(range(2_000))
    assert {len(text) for text in said} == {9}


async def test_an_answer_that_is_not_streamed_is_whole(client: httpx2.AsyncClient) -> None:
    given = {**body(script(CALLS)), "stream": False}
    answer = (await client.post("/v1/messages", json=given)).json()
    text, call = answer["content"]
    assert (text["text"], call["name"], call["input"]) == ("Looking.", "look", CALLS.calls[0].args)
    assert answer["stop_reason"] == "tool_use"


async def test_a_tool_is_called_as_the_program_lists_it(client: httpx2.AsyncClient) -> None:
    given = body(script(CALLS))
    listed = {**given, "tools": [{"name": "mcp__ccweb__look"}]}
    anthropic = await events(client, "/v1/messages", listed)
    listed = {
        **given,
        "tools": [{"type": "namespace", "name": "ccweb", "tools": [{"name": "look"}]}],
    }
    responses = await events(client, "/v1/responses", listed)
    [block] = [
        e["content_block"] for e in anthropic if e.get("index") == 1 and "content_block" in e
    ]
    assert block["name"] == "mcp__ccweb__look"
    call = responses[-1]["response"]["output"][-1]
    assert (call["namespace"], call["name"]) == ("ccweb", "look")
    assert json.loads(call["arguments"]) == CALLS.calls[0].args


@pytest.mark.parametrize("path", PATHS)
async def test_an_answer_is_held_at_a_gate_until_it_is_opened(
    client: httpx2.AsyncClient, model: RunningModel, path: str
) -> None:
    gate = path.rpartition("/")[2]
    given = body(script(Step(text="first second", gate=gate)))
    with anyio.fail_after(LIMIT_S):
        async with client.stream("POST", path, json=given) as answer:
            lines = answer.aiter_lines()
            while "first " not in await anext(lines):
                pass
            await model.reached(gate)
            await model.open(gate)
            assert [line for line in [line async for line in lines] if "second" in line]


@pytest.mark.parametrize("path", PATHS)
async def test_a_refusal_carries_status_type_and_headers(
    client: httpx2.AsyncClient, path: str
) -> None:
    limited = Step(error=429, type="rate_limit_error", headers={"retry-after": "7"})
    answer = await client.post(path, json=body(script(limited)))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
    assert answer.json()["error"]["type"] == "rate_limit_error"


@pytest.mark.parametrize("path", PATHS)
async def test_a_dropped_answer_ends_in_the_middle(client: httpx2.AsyncClient, path: str) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await client.post(path, json=body(script(Step(text="a b", drop=True))))


async def test_requests_are_kept_with_what_nobody_answers(
    client: httpx2.AsyncClient, model: RunningModel
) -> None:
    before = len(await model.asked())
    await client.post("/v1/other", json={"a": 1}, headers={"x-b": "c"})
    [asked] = await model.asked(since=before)
    assert (asked["path"], asked["body"]) == ("POST /v1/other", {"a": 1})
    assert asked["headers"]["x-b"] == "c"


def test_both_wires_tell_users_from_the_model() -> None:
    anthropic = {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "a"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "b"}]},
            {"role": "system", "content": "c"},
            {"role": "user", "content": [{"type": "tool_result", "content": "d"}]},
        ]
    }
    responses = {
        "input": [
            {"role": "developer", "content": "c"},
            {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
            {"type": "function_call", "name": "b"},
            {"type": "function_call_output", "output": "d"},
        ]
    }
    expected = [user("a"), MODEL, RESULT]
    assert model_responses.conversation(responses) == expected
    assert model_anthropic.conversation(anthropic) == expected
