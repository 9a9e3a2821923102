"""Where a command's lines go: data to stdout, words to stderr."""

import sys
from collections.abc import Iterable
from typing import TextIO


def say(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Write lines, to stdout unless another stream is named."""
    (stream or sys.stdout).writelines(f"{line}\n" for line in lines)
