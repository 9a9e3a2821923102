"""A project of its own for a test: a small contract, its documents and an output folder."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from codegen.__main__ import main

ROOT = Path(__file__).parent.parent.parent
FIXTURE = Path(__file__).parent / "fixture" / "tools.yaml"
DOCUMENT = "# Acme\n\nWords by people.\n\n" + "\n".join(
    f"<!-- generated:{name} -->\nold\n<!-- /generated:{name} -->\n"
    for name in ("tools", "prompts", "errors")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An edit of the contract and what it is answered with."""

    old: str
    new: str
    rule: str
    says: str
    at: str = ""
    """What stands on the line that is named; the first line of the edit when it is not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A folder with a contract in it."""

    root: Path

    @classmethod
    def create(cls, root: Path) -> "Project":
        """Make a new project."""
        project = cls(root=root)
        project.contract.parent.mkdir(parents=True)
        shutil.copy(FIXTURE, project.contract)
        shutil.copy(ROOT / "contract" / "tools.schema.json", project.contract.parent)
        for document in ("README.md", "README.zh.md"):
            (project.root / document).write_text(DOCUMENT)
        return project

    @property
    def out(self) -> Path:
        """Return the output folder."""
        return self.root / "generated"

    @property
    def contract(self) -> Path:
        """Return the contract's file."""
        return self.root / "contract" / "tools.yaml"

    def run(self, *options: str) -> int:
        """Run the compiler on it and return the exit code."""
        folders = ["--contract", str(self.contract.parent), "--out", str(self.out)]
        return main([*folders, *options])

    def edit(self, old: str, new: str) -> None:
        """Replace a text that stands once in the contract."""
        text = self.contract.read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the contract"
        self.contract.write_text(text.replace(old, new))

    def files(self) -> dict[str, bytes]:
        """Return every file of the project but the contract, by its path."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.parent.name != "contract"
        }
