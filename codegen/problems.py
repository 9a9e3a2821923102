"""What is wrong with a contract, and where."""

from collections.abc import Iterable
from dataclasses import dataclass

Path = tuple[str | int, ...]
"""Keys and indexes that lead from the contract's root to a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One broken rule at one place of the contract."""

    rule: str
    """Short name of the rule, in kebab case."""
    message: str
    path: Path = ()
    line: int | None = None
    """Line of the file, from 1; None means that the path decides."""


class ContractError(Exception):
    """The contract breaks rules; nothing has been written.

    Attributes:
        lines: one `file:line: rule: message` a broken rule, in order of lines.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))
