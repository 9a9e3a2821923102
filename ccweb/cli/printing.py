"""Tables for people on standard output, where what is printed is never taken for markup."""

import re
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

_PIPED_WIDTH: Final = 240
"""Where no terminal has a width, lines stay whole for the programs that read them."""
_STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What steers a terminal or turns lines around; agents choose titles, and titles are printed."""


class _Plain(Console):
    """Shows every character that would steer the terminal as a sign of its own."""

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(_STEERING.sub("\ufffd", text), **how)


def console() -> Console:
    """Return the console of standard output."""
    made = _Plain(markup=False, emoji=False, highlight=False)
    if not made.is_terminal:
        made.width = _PIPED_WIDTH
    return made


def table(*heads: str, headed: bool = True) -> Table:
    """Return a plain table whose long values go on below instead of being cut."""
    made = Table(box=None, show_header=headed, header_style="bold", pad_edge=False)
    for head in heads:
        made.add_column(head, overflow="fold")
    return made
