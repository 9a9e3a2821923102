"""The Codex App door: tools given to a thread at its start, called over its app-server."""

from collections.abc import Mapping
from typing import Any

from ccweb.access.model import Caller
from ccweb.tools.answer import Answer
from ccweb.tools.catalog import dynamic_tools
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb_contract.enums import Door

__all__ = ["call", "dynamic_tools", "shown"]


async def call(dispatcher: Dispatcher, caller: Caller, params: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an `item/tool/call`, in our namespace or in the flat form of old threads."""
    answer = await dispatcher.call(
        Call(
            tool=_name(params),
            arguments=params.get("arguments"),
            door=Door.DYNAMIC,
            caller=caller,
        )
    )
    return shown(answer)


def _name(params: Mapping[str, Any]) -> str:
    """Return the tool's name; one of another namespace keeps it, so that none of ours is meant."""
    tool, namespace = str(params.get("tool", "")), params.get("namespace")
    ours = {None, "", *(spec["name"] for spec in dynamic_tools())}
    return tool if namespace in ours else f"{namespace}/{tool}"


def shown(answer: Answer) -> dict[str, Any]:
    """Return an answer in the form that the app-server wants."""
    return {
        "contentItems": [{"type": "inputText", "text": answer.text}],
        "success": answer.refusal is None,
    }
