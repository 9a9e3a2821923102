"""The two contracts of a comparison: the present one, and the one that threads hold."""

from dataclasses import dataclass
from pathlib import Path

from codegen import baseline, compilation
from codegen.compatibility import changelog
from codegen.compatibility.comparison import Finding, findings
from codegen.compatibility.revision import folder_at, text_at
from codegen.compatibility.snapshot import Snapshot, from_values, snapshot
from codegen.model import Contract
from codegen.problems import ContractError


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The present contract beside the one that threads hold."""

    contract: Contract
    now: Snapshot
    held: Snapshot
    findings: tuple[Finding, ...]

    @property
    def fresh(self) -> tuple[str, ...]:
        """Return the changelog's lines about the contract that have come since."""
        return changelog.added(self.now.changelog, self.held.changelog)

    @property
    def unnamed(self) -> list[Finding]:
        """Return the changes that the changelog must name and does not."""
        if self.contract.changelog is None:
            return []
        return changelog.unnamed(self.findings, self.fresh)


def compare(folder: Path, revision: str | None) -> Comparison | None:
    """Return the comparison with a revision, or else with what was published; None without one.

    Raises:
        ContractError: one of the contracts cannot be read.
    """
    contract = compilation.load(folder)
    held = at_revision(folder, revision) if revision else published(folder)
    if held is None:
        return None
    now = present(folder, contract)
    return Comparison(contract=contract, now=now, held=held, findings=tuple(findings(held, now)))


def present(folder: Path, contract: Contract) -> Snapshot:
    """Return what a thread that loads the contract now will hold.

    Raises:
        ContractError: its changelog cannot be read.
    """
    if contract.changelog is None:
        return snapshot(contract)
    try:
        text = (folder / contract.changelog).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ContractError([f"{contract.changelog}:1: unreadable: {error}"]) from error
    return snapshot(contract, changelog=changelog.lines(text))


def published(folder: Path) -> Snapshot | None:
    """Return what was published last, None when nothing was.

    Raises:
        ContractError: the file is not what `publish` writes.
    """
    values = baseline.read(folder)
    if values is None:
        return None
    try:
        return from_values(values)
    except (AttributeError, KeyError, TypeError) as error:
        raise baseline.damaged(folder) from error


def at_revision(folder: Path, revision: str) -> Snapshot:
    """Return what a thread holds that loaded the contract of a git revision.

    Raises:
        ContractError: there is none, or it has not the form that this compiler reads.
    """
    with folder_at(folder, revision) as then:
        contract = compilation.load(then)
    if contract.changelog is None:
        return snapshot(contract)
    try:
        text = text_at(folder, revision, contract.changelog)
    except ContractError:
        text = ""  # The contract was there before its changelog.
    return snapshot(contract, changelog=changelog.lines(text))
