"""The real `codex app-server`, with a home of its own and nobody to speak to but this machine."""

import json
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from scripts.install_node_tools import program

LIMIT_S = 30
LINE_BYTES = 1 << 25
NO_PORT = 9
"""Where no model is: the port that is for throwing away."""
CLIENT = {"name": "ccweb", "title": "ccweb", "version": "0"}
CONFIG = """
model = "test-model"
model_provider = "test"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
web_search = "disabled"

[analytics]
enabled = false

[feedback]
enabled = false

[features]
apps = false
plugins = false

[model_providers.test]
name = "test"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "TEST_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""


class Refused(Exception):
    """The app-server refused a request."""


def environment(home: Path) -> dict[str, str]:
    """Return everything that a real Codex may know of this machine."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "CODEX_HOME": str(home / "codex"),
        "TEST_KEY": "none",
    }


def new_home(folder: Path, *, model_port: int) -> Path:
    """Make a home whose only model is on a port of this machine."""
    (folder / "codex").mkdir(parents=True)
    (folder / "codex" / "config.toml").write_text(CONFIG.replace("{port}", str(model_port)))
    return folder


def print_schemas(home: Path) -> dict[str, Any]:
    """Return the schema of what `thread/start` takes, as this Codex prints it."""
    out = home / "schemas"
    command = [str(program("codex")), "app-server", "generate-json-schema", "--experimental"]
    subprocess.run(
        [*command, "--out", str(out)],
        env=environment(home),
        cwd=home,
        capture_output=True,
        timeout=LIMIT_S,
        check=True,
    )
    schema: dict[str, Any] = json.loads((out / "v2" / "ThreadStartParams.json").read_bytes())
    return schema


@dataclass
class AppServer:
    """A running app-server; one request at a time."""

    process: anyio.abc.Process
    lines: BufferedByteReceiveStream
    home: Path
    number: int = 0

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request.

        Raises:
            Refused: the app-server answered with an error.
        """
        self.number += 1
        await self.tell({"id": self.number, "method": method, "params": params})
        while (message := await self.read()).get("id") != self.number or "method" in message:
            pass
        if "error" in message:
            raise Refused(message["error"]["message"])
        result: dict[str, Any] = message["result"]
        return result

    async def tell(self, message: dict[str, Any]) -> None:
        """Write a line."""
        assert self.process.stdin is not None
        await self.process.stdin.send(json.dumps(message).encode() + b"\n")

    async def read(self) -> dict[str, Any]:
        """Return the next line, whatever it is."""
        line: dict[str, Any] = json.loads(await self.lines.receive_until(b"\n", LINE_BYTES))
        return line

    async def run_turn(self, thread_id: str, prompt: str) -> None:
        """Run a turn to its end."""
        said = [{"type": "text", "text": prompt}]
        await self.ask("turn/start", threadId=thread_id, input=said)
        while (await self.read()).get("method") != "turn/completed":
            pass

    async def start_thread(
        self, tools: Sequence[Any] = (), *, server: Mapping[str, Any] | None = None
    ) -> str:
        """Return the id of a new thread with these dynamic tools, or with our MCP server."""
        given = {"dynamicTools": list(tools)} if tools else {}
        config = {"config": {"mcp_servers.ccweb": {**server, "required": True}}} if server else {}
        started = await self.ask("thread/start", cwd=str(self.home), **given, **config)
        thread_id: str = started["thread"]["id"]
        return thread_id


@asynccontextmanager
async def running(home: Path, environ: Mapping[str, str] | None = None) -> AsyncIterator[AppServer]:
    """Run an app-server that has been greeted; end it when the context is left."""
    process = await anyio.open_process(
        [str(program("codex")), "app-server"],
        env=environ or environment(home),
        cwd=home,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with anyio.fail_after(LIMIT_S):
            server = AppServer(process, BufferedByteReceiveStream(process.stdout), home)
            await server.ask(
                "initialize", clientInfo=CLIENT, capabilities={"experimentalApi": True}
            )
            await server.tell({"method": "initialized"})
            yield server
            await process.stdin.aclose()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.aclose()
