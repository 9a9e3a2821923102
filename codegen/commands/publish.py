"""Make the present contract the one that `breaking` compares with, and write the changelog."""

import argparse
import sys

from codegen import baseline, compilation, emit, files
from codegen.commands.breaking import verdict
from codegen.compatibility import changelog, held, report
from codegen.compatibility.comparison import Finding
from codegen.compatibility.rules import Level
from codegen.compatibility.snapshot import to_values
from codegen.terminal import FORMATS, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command: it has none of its own."""


def run(options: argparse.Namespace) -> int:
    """Return 0 when it is published, 1 when the change would break a thread."""
    compared = held.compare(options.contract, None)
    found = list(compared.findings) if compared else []
    breaking = [finding for finding in found if finding.level is Level.BREAKING]
    if compared and breaking:
        source, _ = compilation.checked(options.contract)
        then = f"published {compared.held.release}"
        file = options.contract / "tools.yaml"
        say(report.lines(breaking, FORMATS[0], held=then, source=source, file=file))
        say([*verdict(compared, then), "Nothing was written."], sys.stderr)
        return 1
    compilation.render(options.contract, package=options.package)  # What is refused is so here.
    _write_changelog(options, found, compared.fresh if compared else ())
    _write_baseline(options)
    done = files.write(compilation.render(options.contract, package=options.package), options.out)
    say([f"wrote {options.contract.name}/{baseline.NAME}", *done])
    return 0


def _write_changelog(
    options: argparse.Namespace, found: list[Finding], fresh: tuple[str, ...]
) -> None:
    """Add what the changelog lacks; it keeps its kind of line ends."""
    contract = compilation.load(options.contract)
    new = changelog.lacking(found, fresh)
    if contract.changelog and new:
        path = options.contract / contract.changelog
        text = path.read_bytes().decode()
        ending = "\r\n" if "\r\n" in text else "\n"
        whole = changelog.with_lines(text.replace("\r\n", "\n"), new)
        files.replace(path, whole.replace("\n", ending).encode())
        say(new)


def _write_baseline(options: argparse.Namespace) -> None:
    """Write what threads hold from now on, with the hash that tells them apart."""
    contract = compilation.load(options.contract)
    values = to_values(held.present(options.contract, contract))
    known = dict(contract.published)
    known.setdefault(emit.contract_hash(contract), contract.release)
    text = baseline.text({**values, "hashes": known})
    files.replace(options.contract / baseline.NAME, text.encode())
