"""`ccweb run`: the calls of one workflow, as they came."""

import argparse
import json

from ccweb.cli.failure import Failure
from ccweb.cli.opening import database, settings_of
from ccweb.cli.printing import console, table
from ccweb.clock import iso
from ccweb.planning import runs
from ccweb.planning.runs import ListedCall


def show(arguments: argparse.Namespace) -> int:
    """Print every call of a run."""
    with database(settings_of(arguments)) as db, db.connect() as c:
        if runs.find(c, arguments.id) is None:
            raise Failure(f"There is no run {arguments.id!r}.")
        calls = runs.calls(c, arguments.id)
    if arguments.json:
        print(json.dumps([_row(call) for call in calls], ensure_ascii=False))
    else:
        _print(calls)
    return 0


def _row(call: ListedCall) -> dict[str, str | None]:
    return {
        "at": iso(call.created_at),
        "tool": call.tool,
        "door": call.door.value,
        "caller_id": call.caller_id,
        "caller": call.caller_name,
        "outcome": call.outcome,
        "about": call.about_id,
    }


def _print(calls: list[ListedCall]) -> None:
    lines = table("Time", "Tool", "Outcome", "Caller", "Door", "About")
    for call in calls:
        style = "" if call.outcome == runs.DONE else "red"
        lines.add_row(
            iso(call.created_at),
            call.tool,
            call.outcome,
            call.caller_name or call.caller_id,
            call.door.value,
            call.about_id or "",
            style=style,
        )
    console().print(lines)
