"""From the contract's folder to the text of every output file; nothing is written here."""

from dataclasses import dataclass
from pathlib import Path

from codegen import baseline, build, documents, emit, form, source, texts
from codegen.model import Contract, Document
from codegen.problems import ContractError
from codegen.rules import RULES
from codegen.schemas import Draft, drafted


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a contract renders to."""

    folders: tuple[str, ...]
    """Folders below the output folder that hold nothing but generated files."""
    files: dict[str, str]
    """Text by path below the output folder."""
    documents: dict[Path, str]
    """Text by path of each document with marked blocks."""


def load(folder: Path, *, package: str | None = None) -> Contract:
    """Return the contract in a folder.

    Args:
        folder: Holds tools.yaml and tools.schema.json.
        package: Name of the importable package; None makes it from the contract's name.

    Raises:
        ContractError: the contract breaks a rule.
    """
    _, draft = checked(folder)
    return build.contract(draft, package=package, published=baseline.releases(folder))


def checked(folder: Path) -> tuple[source.Source, Draft]:
    """Return the contract in a folder as it is written, and as it is after every check.

    Raises:
        ContractError: the contract breaks a rule.
    """
    read = source.read(folder / "tools.yaml", shown_as=f"{folder.name}/tools.yaml")
    read.refuse(form.problems(read.values, folder / "tools.schema.json"))
    values, problems = texts.rendered(read.values)
    read.refuse(problems)
    draft, problems = drafted(values)
    read.refuse(problems)
    read.refuse(problem for rule in RULES for problem in rule(draft))
    return read, draft


def render(folder: Path, *, package: str | None = None) -> Output:
    """Return all that a contract renders to.

    Raises:
        ContractError: the contract breaks a rule, or a document has not the marks that it needs.
    """
    contract = load(folder, package=package)
    return Output(
        folders=(contract.package, "schemas"),
        files=emit.files(contract),
        documents=dict(_document(folder, contract, document) for document in contract.documents),
    )


def _document(folder: Path, contract: Contract, document: Document) -> tuple[Path, str]:
    """Return a document's path and its text with the blocks renewed."""
    path = (folder / document.path).resolve()
    blocks = emit.blocks(contract, document.language)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ContractError([f"{document.path}:1: unreadable: {error}"]) from error
    if problems := documents.problems(text, blocks):
        lines = (f"{path.name}:{p.line}: {p.rule}: {p.message}" for p in problems)
        raise ContractError(lines)
    return path, documents.filled(text, blocks)
