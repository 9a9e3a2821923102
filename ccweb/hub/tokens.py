"""The page of a person's access tokens, and what they decide about each of them there."""

from typing import Final

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ccweb.access import service as access
from ccweb.clock import moment
from ccweb.hub import rendering
from ccweb.hub.parts import html, seat
from ccweb.hub.posts import body, do, field, named, person
from ccweb_contract.enums import TokenScope

_PAGE: Final = "/tokens"


def routes() -> list[Route]:
    """Return the page, and one route for each thing that a person does there."""
    return [
        Route(_PAGE, tokens, methods=["GET"]),
        Route(f"{_PAGE}/{{token_id}}/decide", let_decide, methods=["POST"]),
        Route(f"{_PAGE}/{{token_id}}/revoke", revoke, methods=["POST"]),
    ]


async def tokens(request: Request) -> Response:
    """Show the tokens of the person; of none its secret, which nobody knows any more."""
    db, s, who = seat(request)

    def gather(c: Connection) -> str:
        held = access.held_tokens(c, who)
        return rendering.page(
            "tokens.html", s.lang, now=moment().now_ms, held=held, TokenScope=TokenScope
        )

    return html(await db.read(gather))


async def let_decide(request: Request) -> Response:
    """Give a token the right to decide in the person's name, or take it back (R-S5)."""
    allowed, who = field(await body(request), "allowed", bool), person(request)
    token_id = named(request, "token_id")
    await do(request, lambda c: access.let_decide(c, who, token_id, allowed=allowed))
    return JSONResponse({"url": _PAGE})


async def revoke(request: Request) -> Response:
    """End a token."""
    await body(request)
    who, token_id = person(request), named(request, "token_id")
    await do(request, lambda c: access.revoke_own_token(c, moment(), who, token_id))
    return JSONResponse({"url": _PAGE})
