"""`python -m codegen`: renders a contract, checks it, and says what a change of it would break."""

import argparse
import gc
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from codegen.commands import breaking, explain, lint, publish, rendering
from codegen.problems import ContractError
from codegen.terminal import say

_ROOT = Path(__file__).resolve().parent.parent
COMMANDS: Mapping[str, ModuleType] = {
    "breaking": breaking,
    "explain": explain,
    "lint": lint,
    "publish": publish,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 when it is done or all is well, 1 on a finding or drift, 2 on a bad contract."""
    options = _parser().parse_args(argv)
    options.contract = options.contract.resolve()
    options.out = options.out or options.contract.parent / "generated"
    command = COMMANDS.get(options.command, rendering)
    try:
        return int(command.run(options))
    except ContractError as error:
        say([*error.lines, "Nothing was written."], sys.stderr)
        return 2
    except OSError as error:
        say([f"{error.filename}: {error.strerror}"], sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    """Return the parser; the folders may stand before or after the command's name."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    _add_folders(parser, contract=_ROOT / "contract", out=None, package=None)
    rendering.add_arguments(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, module in COMMANDS.items():
        words = (module.__doc__ or "").splitlines()[0]
        command = commands.add_parser(name, help=words, description=words)
        _add_folders(command, **dict.fromkeys(("contract", "out", "package"), argparse.SUPPRESS))
        module.add_arguments(command)
    return parser


def _add_folders(
    parser: argparse.ArgumentParser, *, contract: object, out: object, package: object
) -> None:
    add = parser.add_argument
    add("--contract", type=Path, default=contract, metavar="DIR", help="holds tools.yaml")
    add(
        "--out",
        type=Path,
        default=out,
        metavar="DIR",
        help="where generated files go; without it, `generated` beside the contract's folder",
    )
    add(
        "--package",
        type=_identifier,
        default=package,
        metavar="NAME",
        help="name of the importable package",
    )


def _identifier(name: str) -> str:
    if not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{name!r} cannot be imported")
    return name


if __name__ == "__main__":
    # A run is short and leaves no circles behind: looking for them takes a tenth of it.
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        # A diff holds Chinese, which a terminal in another encoding cannot show.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        sys.exit(main())
    finally:
        say(())  # What argparse has written is still on its way.
