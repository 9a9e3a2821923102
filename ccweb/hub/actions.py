"""What a person does on the page: small posts, each one command, answered with what changed."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ccweb.access.model import Browser
from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.errors import ConversationNotFound, InvalidParams
from ccweb.hub import text, views
from ccweb.hub.bodies import read_json, shown
from ccweb.relay import service as relay
from ccweb.settings import Settings
from ccweb.tools.arguments import is_clean
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb_contract.enums import Door
from ccweb_contract.tools import ToolName

T = TypeVar("T", bound=str | int)

_TITLE_LENGTH: Final = 200
_KEY: Final = re.compile("[0-9a-z]{16,64}")
_LARGEST: Final = 2**53 - 1
"""The largest whole number that a page's script can tell from its neighbours."""
_CREATE_FIELDS: Final = {
    "title": "title",
    "agent": "agent",
    "cwd": "cwd",
    "permissionMode": "permissionMode",
    "content": "initialMessage",
}


def routes() -> list[BaseRoute]:
    """Return one route an action."""
    of_conversation = {
        "messages": write,
        "stop": stop,
        "continue": go_on,
        "rename": rename,
        "archive": archive,
        "delete": delete,
        "read": mark_read,
        "turns/{turn_id}/take-back": take_back,
    }
    return [
        Route("/conversations", create, methods=["POST"]),
        *(
            Route(f"/conversations/{{conversation_id}}/{path}", action, methods=["POST"])
            for path, action in of_conversation.items()
        ),
        Route("/asks/{ask_id}/resume", resume, methods=["POST"]),
        Route("/asks/{ask_id}/dismiss", dismiss, methods=["POST"]),
        Route("/requests/{request_id}/cancel", cancel, methods=["POST"]),
        Route("/render", render, methods=["POST"]),
    ]


async def create(request: Request) -> Response:
    """Create a conversation, with the same rules as the tool, and say where it is."""
    given = await _body(request)
    arguments = {
        name: given[field]
        for field, name in _CREATE_FIELDS.items()
        if given.get(field) not in (None, "")
    }
    dispatcher: Dispatcher = request.app.state.dispatcher
    answer = await dispatcher.call(
        Call(
            tool=ToolName.CCWEB_CREATE_CONVERSATION,
            arguments=arguments,
            door=Door.HTTP,
            caller=_person(request),
        )
    )
    if answer.result is None:
        return shown(answer)
    return JSONResponse({"url": f"/conversations/{answer.result['conversationId']}"})


async def write(request: Request) -> Response:
    """Queue a message; while a turn runs it waits in the queue (R-M11)."""
    body = await _body(request)
    content, key = _field(body, "content", str), _field(body, "key", str, "")
    if not content.strip():
        raise InvalidParams(why="The message is empty.")
    if key and not _KEY.fullmatch(key):
        raise InvalidParams(why="`key` must be 16 to 64 lower-case letters and digits.")
    s, person = _settings(request), _person(request)
    written = await _do(
        request,
        lambda c: relay.write(
            c,
            moment(),
            s,
            person_id=person.person_id,
            conversation_id=_id(request),
            content=content,
            key=key or None,
        ),
    )
    return JSONResponse({"messageId": written.message_id, "turnId": written.turn_id})


async def stop(request: Request) -> Response:
    """Stop a conversation; with `all` everything that it has delegated too."""
    command = relay.stop_all if _field(await _body(request), "all", bool, False) else relay.stop
    s = _settings(request)
    await _do(request, lambda c: command(c, moment(), s, _id(request)))
    return _done()


async def go_on(request: Request) -> Response:
    """Let a stopped conversation take in what has come back."""
    s = _settings(request)
    await _do(request, lambda c: relay.go_on(c, moment(), s, _id(request)))
    return _done()


async def rename(request: Request) -> Response:
    """Give a conversation another title."""
    title = _field(await _body(request), "title", str).strip()
    if not title or len(title) > _TITLE_LENGTH:
        raise InvalidParams(why=f"A title has 1 to {_TITLE_LENGTH} characters.")
    await _do(request, lambda c: conversations.rename(c, moment(), _id(request), title))
    return _done()


async def archive(request: Request) -> Response:
    """Put a conversation away, or bring it back."""
    archived = _field(await _body(request), "archived", bool)
    await _do(
        request, lambda c: conversations.archive(c, moment(), _id(request), archived=archived)
    )
    return _done()


async def delete(request: Request) -> Response:
    """Delete a conversation."""
    s = _settings(request)
    await _do(request, lambda c: relay.delete(c, moment(), s, _id(request)))
    return JSONResponse({"url": "/"})


async def mark_read(request: Request) -> Response:
    """Remember how far the person has read."""
    position, person_id = _field(await _body(request), "position", int), _person(request).person_id

    def remember(c: Connection) -> None:
        conversations.existing(c, _id(request))
        views.mark_read(c, person_id, _id(request), position)

    await _do(request, remember)
    return _done()


async def take_back(request: Request) -> Response:
    """Take a queued message of a person out of the queue."""
    s, turn_id = _settings(request), request.path_params["turn_id"]

    def withdraw(c: Connection) -> None:
        if views.conversation_of_turn(c, turn_id) != _id(request):
            raise ConversationNotFound(conversation_id=_id(request))
        relay.take_back(c, moment(), s, turn_id)

    await _do(request, withdraw)
    return _done()


async def resume(request: Request) -> Response:
    """Decide an ask in favour of going on."""
    s, person_id, ask_id = _settings(request), _person(request).person_id, _id(request, "ask_id")
    await _do(request, lambda c: relay.resume(c, moment(), s, ask_id, person_id=person_id))
    return _done()


async def dismiss(request: Request) -> Response:
    """Decide an ask against going on."""
    s, person_id, ask_id = _settings(request), _person(request).person_id, _id(request, "ask_id")
    await _do(request, lambda c: relay.dismiss(c, moment(), s, ask_id, person_id=person_id))
    return _done()


async def cancel(request: Request) -> Response:
    """Take a request back for its source, which goes on with the outcome."""
    interrupts = _field(await _body(request), "interruptTarget", bool, False)
    s, request_id = _settings(request), _id(request, "request_id")
    row = await _do(
        request,
        lambda c: relay.cancel(
            c, moment(), s, request_id, by_source=False, interrupt_target=interrupts
        ),
    )
    return JSONResponse({"status": row.status.value})


async def render(request: Request) -> Response:
    """Return the HTML of a settled part of a text that is still being written."""
    source = _field(await _body(request), "text", str)
    return JSONResponse({"html": text.markdown(source[: text.SHOWN_CHARACTERS])})


async def _do(request: Request, command: Callable[[Connection], Any]) -> Any:
    return await request.app.state.db.write(command)


async def _body(request: Request) -> dict[str, Any]:
    given = await read_json(request)
    if not isinstance(given, dict):
        raise InvalidParams(why="The body must be a JSON object.")
    return given


def _field(given: dict[str, Any], name: str, kind: type[T], default: T | None = None) -> T:
    """Return a field of a body, which must be exactly of its kind."""
    value = given.get(name, default)
    if type(value) is not kind:
        raise InvalidParams(why=f"`{name}` must be of the kind {kind.__name__}.")
    if isinstance(value, str) and not is_clean(value):
        raise InvalidParams(why=f"`{name}` holds characters that are no text.")
    if isinstance(value, int) and not 0 <= value <= _LARGEST:
        raise InvalidParams(why=f"`{name}` must be from 0 to {_LARGEST}.")
    return value


def _person(request: Request) -> Browser:
    caller = request.state.caller
    assert isinstance(caller, Browser)  # noqa: S101 - nobody else passes `auth.SignedIn`
    return caller


def _settings(request: Request) -> Settings:
    s: Settings = request.app.state.settings
    return s


def _id(request: Request, name: str = "conversation_id") -> str:
    value: str = request.path_params[name]
    return value


def _done() -> Response:
    return JSONResponse({})
