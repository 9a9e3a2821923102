"""`ccweb` with the fixture contract: the product's own runtime, and handlers of the suite's tools.

It runs where `ccweb_contract` is the package rendered from the fixture contract.
"""

import sys
from typing import Any

from ccweb.cli import main
from ccweb.errors import Forbidden
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb.tools.handlers import HANDLERS, Handler
from ccweb_contract.tools import ToolName


def answer(context: Context, given: Any) -> Result:
    """Return a text."""
    return {"text": "This is a simple text response for testing."}


def refuse(context: Context, given: Any) -> Result:
    """Refuse the call, as a handler of ours does."""
    raise Forbidden(why="This tool refuses every call.")


def repeat(context: Context, given: Any) -> Result:
    """Return what the tool was given, as JSON."""
    return {"text": given.model_dump_json(by_alias=True, exclude_unset=True)}


RUNS = {
    "test_simple_text": answer,
    "test_logging_tool": answer,
    "test_streaming_elicitation": answer,
    "test_error_handling": refuse,
    "test_card": repeat,
    "test_old_card": repeat,
}


def install() -> None:
    """Let the suite's tools be answered by what stands here."""
    assert isinstance(HANDLERS, dict)
    HANDLERS.update({ToolName(name): Handler(run=run, writes=False) for name, run in RUNS.items()})


if __name__ == "__main__":
    install()
    sys.exit(main())
