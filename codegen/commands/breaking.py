"""Refuse a change that would break a thread that loaded the last published contract."""

import argparse
import sys
from collections import Counter

from codegen import compilation
from codegen.compatibility import changelog, report
from codegen.compatibility.held import Comparison, compare
from codegen.compatibility.rules import Level
from codegen.terminal import FORMATS, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    against = "compare with the contract at a git revision, not with the last published one"
    parser.add_argument("--against", metavar="REF", help=against)
    text = "text: side by side; json: a list; github: beside the lines of a change"
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=text)


def run(options: argparse.Namespace) -> int:
    """Return 1 when the change breaks a thread or the changelog does not name it, else 0."""
    compared = compare(options.contract, options.against)
    source, _ = compilation.checked(options.contract)
    file = options.contract / "tools.yaml"
    if compared is None:
        say(report.lines((), options.format, held="", source=source, file=file))
        say(["Nothing has been published yet: `python -m codegen publish`."], sys.stderr)
        return 0
    held = options.against or f"published {compared.held.release}"
    say(report.lines(compared.findings, options.format, held=held, source=source, file=file))
    say(verdict(compared, held), sys.stderr)
    return 1 if is_refused(compared) else 0


def is_refused(compared: Comparison) -> bool:
    """Tell whether a change cannot land."""
    breaks = any(finding.level is Level.BREAKING for finding in compared.findings)
    return breaks or bool(compared.unnamed)


def verdict(compared: Comparison, held: str) -> list[str]:
    """Return the counts, and what to do about changes that the changelog does not name."""
    levels = Counter(finding.level for finding in compared.findings)
    counts = ", ".join(f"{levels[level]} {level.value}" for level in Level)
    if not compared.unnamed:
        return [f"Against {held}: {counts}."]
    lines = changelog.lacking(compared.unnamed, compared.fresh)
    ask = f"The changelog does not name every change. Under `{changelog.HEADING}`, for example:"
    return [f"Against {held}: {counts}.", ask, *lines]
