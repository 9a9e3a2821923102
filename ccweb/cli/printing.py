"""Tables for people on standard output, where what is printed is never taken for markup."""

from typing import Final

from rich.console import Console
from rich.table import Table

_PIPED_WIDTH: Final = 240
"""Where no terminal has a width, lines stay whole for the programs that read them."""


def console() -> Console:
    """Return the console of standard output."""
    made = Console(markup=False, emoji=False, highlight=False)
    if not made.is_terminal:
        made.width = _PIPED_WIDTH
    return made


def table(*heads: str, headed: bool = True) -> Table:
    """Return a plain table whose long values go on below instead of being cut."""
    made = Table(box=None, show_header=headed, header_style="bold", pad_edge=False)
    for head in heads:
        made.add_column(head, overflow="fold")
    return made
