"""What has changed of a tool since the contract was published last."""

from dataclasses import dataclass
from pathlib import Path

from codegen.compatibility.held import compare


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a tool that a thread can notice."""

    level: str
    rule: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The present tool beside the published one."""

    release: str
    """The release that was published last."""
    found: tuple[Change, ...]


def changes_of(folder: Path, tool: str) -> Changes | None:
    """Return the changes of a tool; None when nothing has been published.

    Raises:
        ContractError: what was published cannot be read.
    """
    compared = compare(folder, None)
    if compared is None:
        return None
    found = (
        Change(level=finding.level.value, rule=finding.rule, says=finding.says)
        for finding in compared.findings
        if finding.owner == tool
    )
    return Changes(release=compared.held.release, found=tuple(found))
