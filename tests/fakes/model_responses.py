"""The wire of OpenAI Responses, as far as Codex speaks it."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.fakes.model_script import Call, Said, Step

Event = tuple[str, dict[str, Any]]
TEXT_DELTA = "response.output_text.delta"
OF_MODEL = {
    "reasoning",
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "tool_search_call",
}
"""The items beside messages that the model made."""


def conversation(body: dict[str, Any]) -> list[Said]:
    """Return what a request shows of its conversation."""
    return [
        _said(item) for item in body["input"] if item.get("role") not in ("developer", "system")
    ]


def _said(item: dict[str, Any]) -> Said:
    by_model = item.get("role") == "assistant" or item.get("type") in OF_MODEL
    if item.get("role") != "user":
        return Said(by_model=by_model)
    parts = item["content"]
    if isinstance(parts, str):
        return Said(by_model=False, texts=[parts])
    return Said(by_model=False, texts=[part["text"] for part in parts if "text" in part])


def error(step: Step) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"error": {"type": step.type, "message": step.message, "code": step.code or None}}


def is_text(event: Event) -> bool:
    """Tell whether an event carries text for the user."""
    return event[0] == TEXT_DELTA


def events(step: Step, body: dict[str, Any]) -> Iterator[Event]:
    """Return the events of an answer."""
    answer: dict[str, Any] = {
        "id": f"resp_{uuid4().hex[:16]}",
        "object": "response",
        "model": body.get("model"),
        "status": "in_progress",
        "output": [],
    }
    yield _event("response.created", response=answer)
    if step.stream_error:
        failed = {"code": step.stream_error, "message": step.message}
        yield _event("response.failed", response={**answer, "status": "failed", "error": failed})
        return
    items = list(_items(step, body))
    for index, item in enumerate(items):
        yield from _item_events(step, item, output_index=index)
    done = {**answer, "status": "completed", "output": items, "usage": _usage(step)}
    yield _event("response.completed", response=done)


def _event(name: str, **data: Any) -> Event:
    return name, {"type": name, **data}


def _usage(step: Step) -> dict[str, Any]:
    given = {"input_tokens": 100, "output_tokens": 10, **step.usage}
    return {
        "input_tokens": given["input_tokens"],
        "input_tokens_details": {"cached_tokens": given.get("cached_tokens", 0)},
        "output_tokens": given["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": given.get("reasoning_tokens", 0)},
        "total_tokens": given["input_tokens"] + given["output_tokens"],
    }


def _item_events(step: Step, item: dict[str, Any], *, output_index: int) -> Iterator[Event]:
    begun = {**item, "content": []} if item["type"] == "message" else item
    yield _event("response.output_item.added", output_index=output_index, item=begun)
    place = {"output_index": output_index, "item_id": item.get("id")}
    if item["type"] == "message":
        for piece in step.pieces:
            yield _event(TEXT_DELTA, **place, content_index=0, delta=piece)
    elif item["type"] == "reasoning":
        yield _event("response.reasoning_summary_part.added", **place, summary_index=0)
        name = "response.reasoning_summary_text.delta"
        yield _event(name, **place, summary_index=0, delta=step.think)
    yield _event("response.output_item.done", output_index=output_index, item=item)


def _items(step: Step, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if step.think:
        summary = [{"type": "summary_text", "text": step.think}]
        reasoning = {"type": "reasoning", "id": f"rs_{uuid4().hex[:16]}", "summary": summary}
        yield {**reasoning, "encrypted_content": "c2VjcmV0"}
    if step.says:
        text = {"type": "output_text", "text": "".join(step.pieces), "annotations": []}
        yield {
            "type": "message",
            "id": f"msg_{uuid4().hex[:16]}",
            "role": "assistant",
            "content": [text],
            "phase": "commentary" if step.calls else "final_answer",
        }
    yield from (_call(call, body) for call in step.calls)


def _call(call: Call, body: dict[str, Any]) -> dict[str, Any]:
    namespace, name, kind = _listed(call.tool, body)
    common = {"call_id": f"call_{uuid4().hex[:16]}", "name": name}
    if namespace:
        common["namespace"] = namespace
    if kind == "tool_search":
        found = {"type": "tool_search_call", "call_id": common["call_id"], "arguments": call.args}
        return {**found, "execution": "client", "status": "completed"}
    if kind == "custom":
        ident = f"ctc_{uuid4().hex[:16]}"
        return {"type": "custom_tool_call", "id": ident, "input": call.args, **common}
    arguments = json.dumps(call.args, ensure_ascii=False)
    ident = f"fc_{uuid4().hex[:16]}"
    return {"type": "function_call", "id": ident, "arguments": arguments, **common}


def _listed(tool: str, body: dict[str, Any]) -> tuple[str | None, str, str]:
    """Return namespace, name and type of a tool as the request lists it.

    `namespace/name` names one that stands in several namespaces, or one that is not listed.
    """
    for namespace, entry in _tools(body):
        kind, name = entry.get("type", "function"), entry.get("name", entry.get("type", ""))
        if tool in (name, f"{namespace}/{name}") or name.endswith(f"__{tool}"):
            return namespace, name, kind
    namespace, _, name = tool.rpartition("/")
    return namespace or None, name, "function"


def _tools(body: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Return every tool beside its namespace; newer models get theirs in an item of the input."""
    tools = list(body.get("tools") or ())
    for item in body["input"]:
        if item.get("type") == "additional_tools":
            tools += item["tools"]
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from ((tool["name"], inner) for inner in tool["tools"])
        else:
            yield None, tool
