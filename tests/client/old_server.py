"""A server that is no present hub: it answers as a test says, and keeps what it was sent."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any]
"""A status, and an object to send as JSON; None sends a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def method(self) -> str:
        """Return the JSON-RPC method, '' for the plain door."""
        return str(self.body.get("method", "")) if self.path == "/mcp" else ""


@dataclass
class OldServer:
    """What it was sent, and where it listens."""

    port: int
    sent: list[Sent] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(reply: Callable[[Sent], Reply]) -> Iterator[OldServer]:
    """Yield a server on loopback until the context is left."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            one = Sent(path=self.path, body=body, headers=headers)
            server.sent.append(one)
            status, said = reply(one)
            data = b"<html>" if said is None else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if said is None else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server = OldServer(port=http.server_port)
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join(10)


def error(sent: Sent, code: int, message: str, **data: Any) -> Reply:
    """Return a JSON-RPC error."""
    said: dict[str, Any] = {"code": code, "message": message}
    if data:
        said["data"] = data
    return 200, {"jsonrpc": "2.0", "id": sent.body["id"], "error": said}


def result(sent: Sent, **said: Any) -> Reply:
    """Return a JSON-RPC result."""
    return 200, {"jsonrpc": "2.0", "id": sent.body["id"], "result": said}
