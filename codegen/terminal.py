"""Where a command's lines go, data to stdout and words to stderr, and in which form."""

import os
import sys
from collections.abc import Iterable
from typing import TextIO

FORMATS = ("text", "json", "github")
"""How findings are shown: to people, to machines, beside the lines of a change."""


def say(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Write lines, to stdout unless another stream is named, for as long as somebody reads."""
    stream = stream or sys.stdout
    try:
        stream.writelines(f"{line}\n" for line in lines)
        stream.flush()
    except BrokenPipeError:
        _write_to_nobody(stream)


def _write_to_nobody(stream: TextIO) -> None:
    """Let all that follows go nowhere: the reader, such as `head`, has had enough.

    The command itself does its work to the end, and its exit code stays true.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
