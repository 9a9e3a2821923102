"""Words of others within a Markdown text: they are read as they were written, as one line."""

import re
from collections.abc import Iterator
from typing import Final

_TICKS: Final = re.compile(r"`+")
_SIGNS: Final = re.compile(
    r"[\\`*~<>\[\]]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|(?<!\S)#|#(?!\S)", re.ASCII
)
"""What gives text a look, hides it, or stands for another sign."""
_BEGINNING: Final = re.compile(r"^(\d{1,9})?(?=[-+=.)])")
"""Where a sign would begin a list or a heading."""


def literal(text: str) -> str:
    """Return words so that Markdown shows them all and as they are; code in them stays code.

    A question, an answer or evidence must not look like a heading, a decision of a person or
    nothing at all in the text that a person approves (R-P4).
    """
    line = " ".join(text.split())
    escaped = "".join(_parts(line))
    return escaped if line.startswith("`") else _BEGINNING.sub(r"\1\\", escaped)


def path(text: str) -> str:
    """Return a path as code, whatever signs are in it."""
    line = " ".join(text.split())
    longest = max((len(found) for found in _TICKS.findall(line)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {line} {ticks}" if longest else f"{ticks}{line}{ticks}"


def _parts(line: str) -> Iterator[str]:
    """Yield code as it is and what stands around it with its signs escaped."""
    at = 0
    for opening in _TICKS.finditer(line):
        closing = _closing(line, opening) if opening.start() >= at else None
        if closing is not None:
            yield _SIGNS.sub(r"\\\g<0>", line[at : opening.start()])
            yield line[opening.start() : closing.end()]
            at = closing.end()
    yield _SIGNS.sub(r"\\\g<0>", line[at:])


def _closing(line: str, opening: re.Match[str]) -> re.Match[str] | None:
    """Return the ticks that end the code which these ticks begin."""
    later = _TICKS.finditer(line, opening.end())
    return next((one for one in later if len(one[0]) == len(opening[0])), None)
