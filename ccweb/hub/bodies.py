"""Bodies on the wire: JSON that comes in, checked before it is read, and refusals that go out."""

import json
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ccweb.errors import CcwebError, InvalidParams
from ccweb.tools.answer import Answer, refusal_of
from ccweb_contract.enums import Lang
from ccweb_contract.errors import ErrorCode

_CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}


def check_json_type(request: Request) -> None:
    """Refuse a body that does not call itself JSON: a form of a foreign page could send others.

    Raises:
        InvalidParams: the Content-Type is another.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != "application/json":
        raise InvalidParams(why="The body must be JSON with Content-Type: application/json.")


async def read_json(request: Request) -> Any:
    """Return the value of a JSON body.

    Raises:
        InvalidParams: it is no JSON, or not the kind that every reader understands alike.
    """
    check_json_type(request)
    try:
        return parsed(await request.body())
    except ValueError as error:
        raise InvalidParams(why=str(error)) from error


def parsed(body: bytes) -> Any:
    """Return the value of a JSON body: UTF-8 alone, no byte order mark, no NaN.

    Raises:
        ValueError: it is none, with the sentence that says so.
    """
    try:
        return _JSON.decode(body.decode())
    except RecursionError as error:
        raise ValueError("The body is nested too deeply.") from error
    except ValueError as error:
        raise ValueError(f"The body is no valid JSON: {str(error)[:120]}.") from error


def refusal(error: CcwebError, lang: Lang) -> Response:
    """Return the response that shows a refusal."""
    return shown(refusal_of(error, lang))


def shown(answer: Answer) -> Response:
    """Return the response that shows an answer with the contract's status."""
    challenged = answer.refusal and answer.refusal.code is ErrorCode.AUTHENTICATION_FAILED
    return JSONResponse(
        answer.body,
        status_code=answer.http_status,
        headers=_CHALLENGE if challenged else None,
    )


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


_JSON: Final = json.JSONDecoder(parse_constant=_refuse_constant)
