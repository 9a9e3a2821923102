"""A model on loopback for real programs: Anthropic Messages and OpenAI Responses, as a process.

It obeys the script of the prompt (`model_script`), keeps every request, and lets a test hold an
answer at a gate. It prints its port, and ends when its standard input does.
"""

import asyncio
import contextlib
import json
import logging
import socket
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field, replace
from types import ModuleType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.fakes import model_anthropic, model_responses
from tests.fakes.model_script import Step, next_step

CALM_REQUESTS, CALM_S = 100, 2.0
"""A client that asks more often than this is in a hot loop and is slowed down."""


@dataclass
class Asked:
    """A request as it came, and when text was first sent for it."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float
    first_text_at: float | None = None
    """By the clock that all processes of this machine share, as `at` is."""


@dataclass
class Gate:
    """Where answers are held until a test opens it."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def passed(self) -> None:
        """Wait until it is open."""
        self.reached.set()
        await self.opened.wait()


class Dropped(ConnectionError):
    """The socket is closed in the middle of an answer, as the script wants it."""


@dataclass
class Model:
    """The model's memory: what it was asked, and its gates."""

    asked: list[Asked] = field(default_factory=list)
    gates: defaultdict[str, Gate] = field(default_factory=lambda: defaultdict(Gate))

    async def anthropic(self, request: Request) -> Response:
        """Answer Claude Code."""
        asked = await self._take(request)
        if not asked.body.get("stream"):
            return self._whole(next_step(model_anthropic.conversation(asked.body)), asked)
        return await self._answer(asked, model_anthropic)

    async def responses(self, request: Request) -> Response:
        """Answer Codex."""
        return await self._answer(await self._take(request), model_responses)

    async def count(self, request: Request) -> Response:
        """Tell how many tokens a request has."""
        await self._take(request)
        return JSONResponse({"input_tokens": 100})

    async def nothing(self, request: Request) -> Response:
        """Refuse what no model answers; it is kept, so that a test sees it."""
        await self._take(request)
        return JSONResponse({"error": {"type": "not_found_error", "message": "none"}}, 404)

    async def told(self, request: Request) -> Response:
        """Tell a test what was asked since the given number."""
        since = int(request.query_params.get("since", "0"))
        return JSONResponse([asdict(asked) for asked in self.asked[since:]])

    async def open(self, request: Request) -> Response:
        """Open a gate."""
        self.gates[request.path_params["name"]].opened.set()
        return Response(status_code=204)

    async def reached(self, request: Request) -> Response:
        """Answer when an answer is held at a gate."""
        await self.gates[request.path_params["name"]].reached.wait()
        return Response(status_code=204)

    async def _take(self, request: Request) -> Asked:
        content = await request.body()
        try:
            body = json.loads(content) if content else None
        except ValueError:
            body = content.decode(errors="replace")
        path = f"{request.method} {request.url.path}"
        asked = Asked(path=path, headers=dict(request.headers), body=body, at=time.monotonic())
        self.asked.append(asked)
        if self._is_hot():
            await asyncio.sleep(1)
        return asked

    def _is_hot(self) -> bool:
        recent = self.asked[-CALM_REQUESTS:]
        return len(recent) == CALM_REQUESTS and recent[-1].at - recent[0].at < CALM_S

    def _whole(self, step: Step, asked: Asked) -> Response:
        """Answer without a stream; what broke in the stream breaks here too."""
        if step.drop:
            return StreamingResponse(_broken())
        if step.error or step.stream_error:
            refusal = replace(step, type=step.stream_error or step.type)
            return JSONResponse(model_anthropic.error(refusal), step.error or 529)
        return JSONResponse(model_anthropic.whole(step, asked.body))

    async def _answer(self, asked: Asked, wire: ModuleType) -> Response:
        step = next_step(wire.conversation(asked.body))
        if step.gate and not step.says:
            await self.gates[step.gate].passed()
        if step.error:
            return JSONResponse(wire.error(step), step.error, dict(step.headers))
        stream = self._stream(step, asked, wire)
        return StreamingResponse(stream, headers=dict(step.headers), media_type="text/event-stream")

    async def _stream(self, step: Step, asked: Asked, wire: ModuleType) -> AsyncIterator[bytes]:
        for event in wire.events(step, asked.body):
            name, data = event
            yield f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
            if asked.first_text_at is None and wire.is_text(event):
                asked.first_text_at = time.monotonic()
                await self._after_first_text(step)

    async def _after_first_text(self, step: Step) -> None:
        if step.gate:
            await self.gates[step.gate].passed()
        if step.drop:
            raise Dropped


async def _broken() -> AsyncIterator[bytes]:
    yield b"{"
    raise Dropped


def application(model: Model) -> Starlette:
    """Return the server of a model."""
    return Starlette(
        routes=[
            Route("/v1/messages", model.anthropic, methods=["POST"]),
            Route("/v1/messages/count_tokens", model.count, methods=["POST"]),
            Route("/v1/responses", model.responses, methods=["POST"]),
            Route("/test/asked", model.told),
            Route("/test/gates/{name}/open", model.open, methods=["POST"]),
            Route("/test/gates/{name}/reached", model.reached),
            Route("/{rest:path}", model.nothing, methods=["GET", "HEAD", "POST", "PUT", "DELETE"]),
        ]
    )


async def serve() -> None:
    """Serve until standard input ends."""
    logging.getLogger("uvicorn.error").addFilter(lambda record: "ASGI" not in record.getMessage())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        config = uvicorn.Config(
            application(Model()), log_level="error", timeout_graceful_shutdown=1, lifespan="off"
        )
        server = uvicorn.Server(config)
        served = asyncio.create_task(server.serve([listening]))
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await served


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())
