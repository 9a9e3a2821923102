"""`python -m codegen`: renders a contract, or checks that what is rendered is up to date."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from codegen import compilation, files
from codegen.problems import ContractError

_ROOT = Path(__file__).resolve().parent.parent


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 when it is done or all is up to date, 1 on drift, 2 on a bad contract."""
    options = _parser().parse_args(argv)
    try:
        output = compilation.render(options.contract.resolve(), package=options.package)
    except ContractError as error:
        _say([*error.lines, "Nothing was written."], sys.stderr)
        return 2
    try:
        return _check(output, options.out) if options.check else _generate(output, options.out)
    except OSError as error:
        _say([f"{error.filename}: {error.strerror}"], sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on drift")
    parser.add_argument("--contract", type=Path, default=_ROOT / "contract", metavar="DIR")
    parser.add_argument("--out", type=Path, default=_ROOT / "generated", metavar="DIR")
    parser.add_argument(
        "--package", type=_identifier, metavar="NAME", help="name of the importable package"
    )
    return parser


def _identifier(name: str) -> str:
    if not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{name!r} cannot be imported")
    return name


def _say(lines: Iterable[str], stream: TextIO) -> None:
    stream.writelines(f"{line}\n" for line in lines)


def _generate(output: compilation.Output, out: Path) -> int:
    _say(files.write(output, out) or ["Everything is up to date."], sys.stdout)
    return 0


def _check(output: compilation.Output, out: Path) -> int:
    lines = files.drift(output, out)
    if lines:
        _say(lines, sys.stdout)
        _say(["Generated files differ from the contract. Repair: make generate"], sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        # A diff holds Chinese, which a terminal in another encoding cannot show.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())
