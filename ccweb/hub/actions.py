"""What a person does on the page: small posts, each one command, answered with what changed."""

import re
from typing import Final

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.conversations.choice import Choice
from ccweb.errors import ConversationNotFound, InvalidParams
from ccweb.hub import answers, text, views
from ccweb.hub.bodies import shown
from ccweb.hub.posts import body, do, done, field, named, person, settings
from ccweb.relay import service as relay
from ccweb.tools.dispatch import Call, Dispatcher
from ccweb_contract.enums import Door, PermissionMode
from ccweb_contract.tools import ToolName

_TITLE_LENGTH: Final = 200
_KEY: Final = re.compile("[0-9a-z]{16,64}")
_CREATE_FIELDS: Final = {
    "title": "title",
    "agent": "agent",
    "cwd": "cwd",
    "permissionMode": "permissionMode",
    "model": "model",
}


def routes() -> list[BaseRoute]:
    """Return one route an action."""
    of_conversation = {
        "messages": write,
        "stop": stop,
        "continue": go_on,
        "rename": rename,
        "configure": configure,
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
        *answers.routes(),
        Route("/requests/{request_id}/cancel", cancel, methods=["POST"]),
        Route("/render", render, methods=["POST"]),
    ]


async def create(request: Request) -> Response:
    """Create a conversation, with the same rules as the tool, and say where it is."""
    given = await body(request)
    content, effort = field(given, "content", str, ""), field(given, "effort", str, "")
    arguments = {
        name: given[key] for key, name in _CREATE_FIELDS.items() if given.get(key) not in (None, "")
    }
    if content.strip() and not effort:
        arguments["initialMessage"] = content
    dispatcher: Dispatcher = request.app.state.dispatcher
    answer = await dispatcher.call(
        Call(
            tool=ToolName.CCWEB_CREATE_CONVERSATION,
            arguments=arguments,
            door=Door.HTTP,
            caller=person(request),
        )
    )
    if answer.result is None:
        return shown(answer)
    created = answer.result["conversationId"]
    if effort:
        await do(request, lambda c: _begin_with(c, request, created, effort, content))
    return JSONResponse({"url": f"/conversations/{created}"})


def _begin_with(
    c: Connection, request: Request, conversation_id: str, effort: str, content: str
) -> None:
    """Set what no tool can, before the first message of a new conversation."""
    made = conversations.existing(c, conversation_id)
    chosen = Choice(model=made.model, effort=effort, permission_mode=made.permission_mode)
    conversations.configure(c, moment(), conversation_id, chosen)
    if content.strip():
        relay.write(
            c,
            moment(),
            settings(request),
            person_id=person(request).person_id,
            conversation_id=conversation_id,
            content=content,
        )


async def write(request: Request) -> Response:
    """Queue a message; while a turn runs it waits in the queue (R-M11)."""
    given = await body(request)
    content, key = field(given, "content", str), field(given, "key", str, "")
    if not content.strip():
        raise InvalidParams(why="The message is empty.")
    if key and not _KEY.fullmatch(key):
        raise InvalidParams(why="`key` must be 16 to 64 lower-case letters and digits.")
    s, who = settings(request), person(request)
    written = await do(
        request,
        lambda c: relay.write(
            c,
            moment(),
            s,
            person_id=who.person_id,
            conversation_id=named(request),
            content=content,
            key=key or None,
        ),
    )
    return JSONResponse({"messageId": written.message_id, "turnId": written.turn_id})


async def stop(request: Request) -> Response:
    """Stop a conversation; with `all` everything that it has delegated too."""
    command = relay.stop_all if field(await body(request), "all", bool, False) else relay.stop
    s = settings(request)
    await do(request, lambda c: command(c, moment(), s, named(request)))
    return done()


async def go_on(request: Request) -> Response:
    """Let a stopped conversation take in what has come back."""
    s = settings(request)
    await do(request, lambda c: relay.go_on(c, moment(), s, named(request)))
    return done()


async def rename(request: Request) -> Response:
    """Give a conversation another title."""
    title = field(await body(request), "title", str).strip()
    if not title or len(title) > _TITLE_LENGTH:
        raise InvalidParams(why=f"A title has 1 to {_TITLE_LENGTH} characters.")
    await do(request, lambda c: conversations.rename(c, moment(), named(request), title))
    return done()


async def configure(request: Request) -> Response:
    """Choose with what a conversation's agent runs from its next turn on."""
    given = await body(request)
    try:
        mode = PermissionMode(field(given, "permissionMode", str))
    except ValueError as error:
        known = ", ".join(PermissionMode)
        raise InvalidParams(why=f"`permissionMode` must be one of {known}.") from error
    chosen = Choice(
        model=field(given, "model", str, "") or None,
        effort=field(given, "effort", str, "") or None,
        permission_mode=mode,
    )
    await do(request, lambda c: conversations.configure(c, moment(), named(request), chosen))
    return done()


async def archive(request: Request) -> Response:
    """Put a conversation away, or bring it back."""
    archived = field(await body(request), "archived", bool)
    await do(
        request, lambda c: conversations.archive(c, moment(), named(request), archived=archived)
    )
    return done()


async def delete(request: Request) -> Response:
    """Delete a conversation."""
    s = settings(request)
    await do(request, lambda c: relay.delete(c, moment(), s, named(request)))
    return JSONResponse({"url": "/"})


async def mark_read(request: Request) -> Response:
    """Remember how far the person has read."""
    position, person_id = field(await body(request), "position", int), person(request).person_id

    def remember(c: Connection) -> None:
        conversations.existing(c, named(request))
        views.mark_read(c, person_id, named(request), position)

    await do(request, remember)
    return done()


async def take_back(request: Request) -> Response:
    """Take a queued message of a person out of the queue."""
    s, turn_id = settings(request), request.path_params["turn_id"]

    def withdraw(c: Connection) -> None:
        if views.conversation_of_turn(c, turn_id) != named(request):
            raise ConversationNotFound(conversation_id=named(request))
        relay.take_back(c, moment(), s, turn_id)

    await do(request, withdraw)
    return done()


async def cancel(request: Request) -> Response:
    """Take a request back for its source, which goes on with the outcome."""
    interrupts = field(await body(request), "interruptTarget", bool, False)
    s, request_id = settings(request), named(request, "request_id")
    row = await do(
        request,
        lambda c: relay.cancel(
            c, moment(), s, request_id, by_source=False, interrupt_target=interrupts
        ),
    )
    return JSONResponse({"status": row.status.value})


async def render(request: Request) -> Response:
    """Return the HTML of a settled part of a text that is still being written."""
    source = field(await body(request), "text", str)
    return JSONResponse({"html": text.markdown(source[: text.SHOWN_CHARACTERS])})
