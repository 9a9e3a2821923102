"""The Python client of a hub: a tool call over MCP, or plain HTTP where MCP is not served."""

from ccweb.client.calls import Client
from ccweb.tools.answer import Answer, Refusal

__all__ = ["Answer", "Client", "Refusal"]
