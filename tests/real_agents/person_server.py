"""An MCP server of a person's own, as a program: its tool asks the person before it answers."""

import json
import sys
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {
        "what": {"type": "string", "description": "What shall it be?"},
        "count": {"type": "integer"},
        "hot": {"type": "boolean"},
    },
    "required": ["what"],
}
ORDER = {
    "name": "order",
    "description": "Order something.",
    "inputSchema": {"type": "object", "properties": {"from": {"type": "string"}}},
}


def send(**message: Any) -> None:
    """Write a line."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    """Answer until nothing more comes; a call is answered once the person has."""
    called: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        number, params = message.get("id"), message.get("params", {})
        match message.get("method"):
            case "initialize":
                result = {
                    "protocolVersion": params["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "person", "version": "1"},
                }
                send(id=number, result=result)
            case "tools/list":
                send(id=number, result={"tools": [ORDER]})
            case "tools/call":
                called = number
                asked = {"message": "Your order, please.", "requestedSchema": SCHEMA}
                send(id="ask", method="elicitation/create", params=asked)
            case None if number == "ask":
                text = json.dumps(message["result"])
                send(id=called, result={"content": [{"type": "text", "text": text}]})
            case _:
                if number is not None:
                    send(id=number, error={"code": -32601, "message": "not here"})


if __name__ == "__main__":
    main()
