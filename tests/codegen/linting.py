"""Running lint on a project: a clean contract, examples laid over it, and what is found."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.__main__ import main
from tests.codegen.projects import Project

NOTES = Path(__file__).parent / "fixture" / "notes.yaml"
LINE = re.compile(
    r"contract/tools\.yaml:(?P<line>\d+): (?P<level>error|warning): (?P<rule>[a-z-]+): (?P<says>.+)"
)
COUNTS = re.compile(r"\d+ errors?, \d+ warnings?")
DESCRIPTION = "    description: Find a note by its words.\n"


class _Dumper(yaml.CSafeDumper):
    """Writes out again what stands there twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def merged(whole: Any, part: Any) -> Any:
    """Return a part of a contract laid over the whole."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return {**whole, **{key: merged(whole.get(key), child) for key, child in part.items()}}
    return part


def lay_over(project: Project, example: str) -> None:
    """Lay an example of a rule over the project's contract."""
    whole, part = (
        yaml.load(text, Loader=yaml.CSafeLoader) for text in (project.contract.read_text(), example)
    )
    text = yaml.dump(merged(whole, part), Dumper=_Dumper, allow_unicode=True, sort_keys=False)
    project.contract.write_text(text)


def linted(project: Project, capsys: pytest.CaptureFixture[str]) -> list[re.Match[str]]:
    """Return the findings as `lint` tells them; its last words are their counts."""
    code = main(["--contract", str(project.contract.parent), "lint"])
    out, err = capsys.readouterr()
    findings = [match for line in out.splitlines() if (match := LINE.fullmatch(line))]
    assert len(findings) == len(out.splitlines()), out
    assert COUNTS.fullmatch(err.strip())
    assert code == int(any(finding["level"] == "error" for finding in findings))
    return findings
