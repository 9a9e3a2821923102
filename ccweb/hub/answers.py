"""What a person decides on the page: answers to agents, and what was asked by ccweb itself."""

from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ccweb.asks import store as ask_store
from ccweb.asks.errors import AnswersRefused
from ccweb.clock import moment
from ccweb.conversations import service as conversations
from ccweb.errors import ContentTooLarge, InvalidParams
from ccweb.hub.posts import body, do, done, field, named, person, settings
from ccweb.hub.wording import Words
from ccweb.relay import service as relay
from ccweb.settings import Settings
from ccweb.tools.answer import refusal_of
from ccweb.tools.arguments import is_clean
from ccweb_contract.enums import Lang


def routes() -> list[BaseRoute]:
    """Return one route a decision."""
    return [
        Route("/asks/{ask_id}/answer", answer, methods=["POST"]),
        Route("/asks/{ask_id}/resume", resume, methods=["POST"]),
        Route("/asks/{ask_id}/dismiss", dismiss, methods=["POST"]),
        Route("/conversations/{conversation_id}/disallow", disallow, methods=["POST"]),
    ]


async def answer(request: Request) -> Response:
    """Answer an agent, which then goes on; the first answer counts, from whatever browser.

    A form whose answers do not fit gets `problems` beside the refusal: a sentence in the page's
    language by the name of each field.
    """
    given = await body(request)
    for text in _texts(given):
        _check(settings(request), text)
    person_id, ask_id = person(request).person_id, named(request, "ask_id")
    s = settings(request)
    try:
        await do(
            request, lambda c: relay.answer(c, moment(), s, ask_id, given, person_id=person_id)
        )
    except AnswersRefused as refused:
        return _refused(refused, s.lang)
    return done()


async def resume(request: Request) -> Response:
    """Decide an ask in favour of going on."""
    s, person_id, ask_id = settings(request), person(request).person_id, named(request, "ask_id")
    await do(request, lambda c: relay.resume(c, moment(), s, ask_id, person_id=person_id))
    return done()


async def dismiss(request: Request) -> Response:
    """Decide an ask against going on."""
    s, person_id, ask_id = settings(request), person(request).person_id, named(request, "ask_id")
    await do(request, lambda c: relay.dismiss(c, moment(), s, ask_id, person_id=person_id))
    return done()


async def disallow(request: Request) -> Response:
    """Take back what a conversation may do without asking."""
    what = field(await body(request), "what", str)

    def take_back(c: Connection) -> None:
        conversations.existing(c, named(request))
        ask_store.disallow(c, moment(), named(request), what)

    await do(request, take_back)
    return done()


def _refused(refused: AnswersRefused, lang: Lang) -> Response:
    words = Words(lang=lang)
    problems = {
        name: words.say(f"form.fault.{problem.fault}", limit=problem.limit)
        for name, problem in refused.problems.items()
    }
    answer = refusal_of(refused, lang)
    return JSONResponse({**answer.body, "problems": problems}, status_code=answer.http_status)


def _texts(value: Any) -> list[str]:
    """Return every text in a body, names included, however deep."""
    found, left = [], [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict | list):
            left.extend([*one, *one.values()] if isinstance(one, dict) else one)
    return found


def _check(s: Settings, text: str) -> None:
    if not is_clean(text):
        raise InvalidParams(why="The answer holds characters that are no text.")
    size = len(text.encode())
    if size > s.content_limit_bytes:
        raise ContentTooLarge(size_bytes=size, limit_bytes=s.content_limit_bytes)
