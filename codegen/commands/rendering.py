"""Render the contract, or check that what is rendered is up to date (no command name)."""

import argparse
import sys

from codegen import compilation, files
from codegen.terminal import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on drift")


def run(options: argparse.Namespace) -> int:
    """Return 0 when all is written or up to date, 1 on drift."""
    output = compilation.render(options.contract, package=options.package)
    if options.check:
        return _check(output, options)
    say(files.write(output, options.out) or ["Everything is up to date."])
    return 0


def _check(output: compilation.Output, options: argparse.Namespace) -> int:
    lines = files.drift(output, options.out)
    say(lines)
    if lines:
        say(["Generated files differ from the contract. Repair: make generate"], sys.stderr)
    return 1 if lines else 0
