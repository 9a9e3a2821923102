"""Name what of the contract clients would refuse or cut, or agents would misread."""

import argparse
import sys
from collections import Counter

from codegen import compilation, lint
from codegen.github import annotation, place_of
from codegen.lint.rule import Finding, Level
from codegen.literals import pretty_json
from codegen.terminal import FORMATS, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    text = "text: a line a finding; json: a list; github: beside the lines of a change"
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=text)


def run(options: argparse.Namespace) -> int:
    """Return 1 when an error is found, else 0; warnings are shown."""
    source, draft = compilation.checked(options.contract)
    findings = lint.findings(source, draft)
    file = source.file
    if options.format == "github":
        file = place_of(options.contract / "tools.yaml", shown_as=file)
    say(_lines(findings, file, options.format))
    levels = Counter(finding.level for finding in findings)
    errors, warnings = levels[Level.ERROR], levels[Level.WARNING]
    say([f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}"], sys.stderr)
    return 1 if errors else 0


def _lines(findings: list[Finding], file: str, form: str) -> list[str]:
    """Return the findings as lines of a format."""
    if form == "json":
        return [pretty_json([_object(finding, file) for finding in findings]).rstrip("\n")]
    if form == "github":
        return [
            annotation(f.level.value, f.message, file=file, line=f.line, title=f.rule)
            for f in findings
        ]
    return [f"{file}:{f.line}: {f.level}: {f.rule}: {f.message}" for f in findings]


def _object(finding: Finding, file: str) -> dict[str, str | int]:
    return {
        "file": file,
        "line": finding.line,
        "level": finding.level.value,
        "rule": finding.rule,
        "message": finding.message,
    }


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
