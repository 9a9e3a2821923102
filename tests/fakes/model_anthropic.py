"""The wire of Anthropic Messages, as far as Claude Code speaks it."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

from tests.fakes.model_script import Call, Said, Step

Event = tuple[str, dict[str, Any]]
TEXT_DELTA = "text_delta"


def conversation(body: dict[str, Any]) -> list[Said]:
    """Return what a request shows of its conversation."""
    return [_said(message) for message in body["messages"] if message["role"] != "system"]


def _said(message: dict[str, Any]) -> Said:
    blocks = message["content"]
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    by_model = message["role"] == "assistant"
    texts = [block["text"] for block in blocks if block["type"] == "text" and not by_model]
    return Said(by_model=by_model, texts=texts)


def error(step: Step) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"type": "error", "error": {"type": step.type, "message": step.message}}


def is_text(event: Event) -> bool:
    """Tell whether an event carries text for the user."""
    return bool(event[1].get("delta", {}).get("type") == TEXT_DELTA)


def whole(step: Step, body: dict[str, Any]) -> dict[str, Any]:
    """Return an answer that is not streamed: the program asks so after a stream that broke."""
    blocks = [{"type": "text", "text": "".join(step.pieces)}] if step.says else []
    calls = [{**_call(call, body), "input": call.args} for call in step.calls]
    stop = {"stop_reason": step.stop or _stop(step), "usage": _usage(step)}
    return {**_message(body), **stop, "content": blocks + calls}


def events(step: Step, body: dict[str, Any]) -> Iterator[Event]:
    """Return the events of an answer."""
    begun = {"usage": {**_usage(step), "output_tokens": 1}, "content": []}
    yield _event("message_start", message={**_message(body), **begun})
    if step.stream_error:
        yield _event("error", error={"type": step.stream_error, "message": step.message})
        return
    for index, (block, deltas) in enumerate(_blocks(step, body)):
        yield _event("content_block_start", index=index, content_block=block)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": step.stop or _stop(step), "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage=_usage(step))
    yield _event("message_stop")


def _event(name: str, **data: Any) -> Event:
    return name, {"type": name, **data}


def _message(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{uuid4().hex[:20]}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(step: Step) -> dict[str, int]:
    return {"input_tokens": 100, "output_tokens": 10, **step.usage}


def _stop(step: Step) -> str:
    return "tool_use" if step.calls else "end_turn"


def _blocks(step: Step, body: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Return each block as it begins, and its deltas."""
    if step.think:
        thinking = {"type": "thinking_delta", "thinking": step.think}
        signature = {"type": "signature_delta", "signature": "c2lnbmVk"}
        yield {"type": "thinking", "thinking": "", "signature": ""}, (thinking, signature)
    if step.says:
        yield (
            {"type": "text", "text": ""},
            ({"type": TEXT_DELTA, "text": piece} for piece in step.pieces),
        )
    for call in step.calls:
        given = {"type": "input_json_delta", "partial_json": json.dumps(call.args)}
        yield _call(call, body), (given,)


def _call(call: Call, body: dict[str, Any]) -> dict[str, Any]:
    names = [tool.get("name", "") for tool in body.get("tools", ())]
    name = _listed(call.tool, names) or _deferred(call.tool, body) or call.tool
    return {"type": "tool_use", "id": f"toolu_{uuid4().hex[:20]}", "name": name, "input": {}}


def _listed(tool: str, names: Sequence[str]) -> str | None:
    wanted = (name for name in names if name == tool or name.endswith(f"__{tool}"))
    return next(wanted, None)


def _deferred(tool: str, body: dict[str, Any]) -> str | None:
    """Return the name of a tool that is told in a message instead of being listed."""
    told = json.dumps(body["messages"]).replace("\\n", " ")
    found = re.search(rf"\bmcp__[\w-]+__{re.escape(tool)}\b", told)
    return found[0] if found else None
