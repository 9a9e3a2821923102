"""What a person sees while `ccweb call --wait` waits: how much of the research is over."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ccweb.tools.answer import Result
from ccweb_contract.enums import ResearchStatus

_OVER: Final = frozenset({ResearchStatus.SUCCEEDED.value, ResearchStatus.FAILED.value})
_LISTS: Final = ("candidates", "routing")


@contextmanager
def shown() -> Iterator[Callable[[Result], None]]:
    """Yield what takes each answer: a moving bar at a terminal, elsewhere a line a change."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("Asking …", total=None)

        def move(result: Result) -> None:
            over, total = _counts(result)
            progress.update(bar, description=_said(over, total), completed=over, total=total)

        yield move


def _lines() -> Callable[[Result], None]:
    last = ""

    def tell(result: Result) -> None:
        nonlocal last
        said = _said(*_counts(result))
        if said != last:
            print(said, file=sys.stderr, flush=True)
        last = said

    return tell


def _counts(result: Result) -> tuple[int, int]:
    """Return how many repositories have been read, and how many there are."""
    found: list[dict[str, Any]] = next((result[name] for name in _LISTS if result.get(name)), [])
    return sum(one.get("task_status") in _OVER for one in found), len(found)


def _said(over: int, total: int) -> str:
    return f"Researching: {over} of {total} repositories read"
