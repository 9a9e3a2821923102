"""SELECT statements that name their columns."""

from typing import Any

from sqlalchemy import ColumnClause, TextualSelect, column, text


def select(columns: str, rest: str) -> TextualSelect:
    """Return `SELECT columns rest` as a statement whose columns are known by name.

    SQLAlchemy then resolves them once and not at every call: a row of 21 columns takes 31 µs
    instead of 59 µs, and a turn's end reads a dozen of them.

    Args:
        columns: Names, or `expression AS name`, separated by commas outside brackets.
        rest: From `FROM` on, with `:name` for each bound parameter.
    """
    return text(f"SELECT {columns} {rest}").columns(*_named(columns))


def returning(columns: str, change: str) -> TextualSelect:
    """Return `change RETURNING columns` as such a statement."""
    return text(f"{change} RETURNING {columns}").columns(*_named(columns))


def _named(columns: str) -> list[ColumnClause[Any]]:
    return [column(part.split()[-1].split(".")[-1]) for part in _parts(columns)]


def _parts(columns: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for i, character in enumerate(columns):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(columns[begin:i])
            begin = i + 1
    return [*parts, columns[begin:]]
