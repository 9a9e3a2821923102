"""A contract as it was at a git revision."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codegen.problems import ContractError

_SOURCE = "tools.yaml"


@contextmanager
def folder_at(folder: Path, revision: str) -> Iterator[Path]:
    """Yield a folder with the contract of a revision, which is read with the present meta-schema.

    Raises:
        ContractError: git knows no such revision, or the contract was not there.
    """
    with tempfile.TemporaryDirectory() as temporary:
        then = Path(temporary, folder.name)
        then.mkdir()
        schema = (folder / "tools.schema.json").read_bytes()
        (then / "tools.schema.json").write_bytes(schema)
        (then / _SOURCE).write_text(text_at(folder, revision, _SOURCE), encoding="utf-8")
        yield then


def text_at(folder: Path, revision: str, path: str) -> str:
    """Return a file as it was at a revision.

    Args:
        folder: What the path is relative to; a folder of a git checkout.
        revision: Anything that git understands.
        path: Path of the file, relative to the folder.

    Raises:
        ContractError: git has no such file there.
    """
    # `./` makes git read the path from the folder; `--end-of-options` keeps a revision a revision.
    command = ["git", "show", "--end-of-options", f"{revision}:./{path}"]
    try:
        done = subprocess.run(  # noqa: S603  (no shell; the revision is one argument)
            command, cwd=folder, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        raise ContractError(["git is not installed; without --against it is not needed"]) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["git says nothing"]
        raise ContractError([f"{revision}: no contract to compare with: {said[0]}"])
    try:
        return done.stdout.decode()
    except UnicodeDecodeError as error:
        raise ContractError([f"{revision}: {path}: unreadable: {error}"]) from error
