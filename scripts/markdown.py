"""Markdown as the rendered documents hold it."""

from collections.abc import Iterable, Sequence

Row = Sequence[str]


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return a table, one row a line."""
    return "".join(
        f"| {' | '.join(map(_cell, row))} |\n" for row in (head, ["---"] * len(head), *rows)
    )


def code(language: str, lines: Iterable[str]) -> str:
    """Return a block of code."""
    return "\n".join([f"```{language}", *lines, "```\n"])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
