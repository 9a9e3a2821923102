"""`ccweb mcp` and `ccweb call`: the hub's tools for other programs and for scripts."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ccweb.cli import bridge
from ccweb.cli.failure import Failure
from ccweb.cli.opening import settings_of
from ccweb.client import Client
from ccweb.client.calls import WAITED_FOR
from ccweb.client.connection import address_of
from ccweb.host.address import hub_url
from ccweb.settings import Settings, variable
from ccweb.tools.answer import Answer

_SENDABLE: Final = re.compile(r"[\x21-\x7e]+")
"""What a header takes as it is: anything else could end it and begin another."""


def mcp(arguments: argparse.Namespace) -> int:
    """Pump MCP between standard input and output and the hub."""
    s = settings_of(arguments)
    return bridge.run(_url(s), _token(s))


def call(arguments: argparse.Namespace) -> int:
    """Call one tool and print what it answers."""
    s = settings_of(arguments)
    _check_waited(arguments)
    given = _given(arguments.arguments) | _branch(arguments.branch)
    with _credential(s, arguments.conversation) as token:
        answer = _called(arguments, Client(_url(s), token), given)
    _print(answer, as_json=arguments.json)
    return 0 if answer.refusal is None else 1


def _called(arguments: argparse.Namespace, client: Client, given: Mapping[str, Any]) -> Answer:
    tool, run_id = arguments.tool, arguments.run_id
    try:
        if not arguments.wait:
            return client.call(tool, given, run_id=run_id)
        from ccweb.cli.waiting import shown  # its display costs more than the whole call

        with shown() as seen:
            return client.wait(tool, given, run_id=run_id, seen=seen)
    except ValueError as error:
        raise Failure(str(error), code=2) from error


def _check_waited(arguments: argparse.Namespace) -> None:
    if arguments.wait and arguments.tool not in WAITED_FOR:
        raise Failure(f"--wait goes with {' and '.join(WAITED_FOR)} only.", code=2)


def _branch(wanted: bool) -> dict[str, str]:
    """Return the argument that names the branch of the current folder."""
    if not wanted:
        return {}
    from ccweb.cli.branch import current  # starts a process, which other calls never do

    return {"branch_name": current(Path.cwd())}


def _url(s: Settings) -> str:
    url = hub_url(s) or f"http://{s.host}:{s.port}"
    try:
        address_of(url)
    except ValueError as error:
        raise Failure(f"{error}", code=2) from error
    return url


def _token(s: Settings) -> str:
    if not s.token:
        raise Failure(f"A token is needed in {variable('token')}; `ccweb token create` makes one.")
    if not _SENDABLE.fullmatch(s.token):
        raise Failure(f"{variable('token')} holds what no token has: blanks or signs.", code=2)
    return s.token


@contextmanager
def _credential(s: Settings, conversation_id: str | None) -> Iterator[str]:
    """Yield the token to call with: the setting's, or one that lasts as long as this call."""
    if conversation_id is None:
        yield _token(s)
        return
    from ccweb.cli.people import passing_token  # opens the database, which other calls never do

    with passing_token(s, conversation_id) as token:
        yield token


def _given(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = json.loads(sys.stdin.read() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise Failure(f"The arguments are no JSON: {error}.", code=2) from error
    if not isinstance(value, dict):
        raise Failure("The arguments must be one JSON object.", code=2)
    return value


def _print(answer: Answer, *, as_json: bool) -> None:
    """Print the answer; without `--json` a refusal is told in words on standard error."""
    if as_json:
        print(json.dumps(answer.body, ensure_ascii=False))
    elif answer.refusal is not None:
        refusal = answer.refusal
        print(f"{refusal.code}: {refusal.detail}\n{refusal.remedy}", file=sys.stderr)
    else:
        print(json.dumps(answer.body, ensure_ascii=False, indent=2))
