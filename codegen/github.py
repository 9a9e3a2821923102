"""Findings as workflow commands: GitHub Actions shows them beside the lines of a change."""

from pathlib import Path

_IN_MESSAGE = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))


def place_of(file: Path, *, shown_as: str) -> str:
    """Return where a file stands in the checkout, or how it is shown when it stands elsewhere.

    Args:
        file: An absolute path.
        shown_as: Its name in other messages.
    """
    checkout = Path.cwd()
    return file.relative_to(checkout).as_posix() if file.is_relative_to(checkout) else shown_as


def annotation(level: str, message: str, *, file: str, line: int, title: str) -> str:
    """Return the workflow command that shows a message at a line of a file.

    Args:
        level: error, warning or notice.
        message: May have several lines.
        file: Relative to the repository.
        line: From 1.
        title: Stands above the message.
    """
    place = f"file={_escaped(file, _IN_PROPERTY)},line={line},title={_escaped(title, _IN_PROPERTY)}"
    return f"::{level} {place}::{_escaped(message, _IN_MESSAGE)}"


def _escaped(text: str, replacements: tuple[tuple[str, str], ...]) -> str:
    """Return a text with the characters replaced that would end its part of the command."""
    for character, escape in replacements:
        text = text.replace(character, escape)
    return text
