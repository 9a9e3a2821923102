"""Generated files on disk: writing them, and finding how they differ."""

import difflib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from codegen.compilation import Output

_IGNORED = "__pycache__"


def write(output: Output, out: Path) -> list[str]:
    """Write what has changed and delete what is no longer generated; return what was done."""
    done = [f"wrote {name}" for name, text in output.files.items() if _update(out / name, text)]
    for path in _present(out, output.folders):
        if path not in output.files:
            (out / path).unlink()
            done.append(f"deleted {path}")
    done += [f"wrote {path.name}" for path, text in output.documents.items() if _update(path, text)]
    return done


def _update(path: Path, text: str) -> bool:
    """Write a file unless it holds this text; return whether it was written."""
    data = text.encode()
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, data)
    return True


def replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, whatever happens meanwhile."""
    whole = path.resolve()
    new = whole.with_name(f".{whole.name}.{os.getpid()}")
    try:
        new.write_bytes(data)
        new.replace(whole)
    finally:
        new.unlink(missing_ok=True)


def _present(out: Path, folders: tuple[str, ...]) -> list[str]:
    """Return the files that stand in the folders, sorted."""
    return sorted(
        path.relative_to(out).as_posix()
        for folder in folders
        for path in (out / folder).rglob("*")
        if path.is_file() and _IGNORED not in path.parts
    )


def drift(output: Output, out: Path) -> list[str]:
    """Return how the files on disk differ from the output: first the set, then the contents."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        write(Output(folders=output.folders, files=output.files, documents={}), fresh)
        expected, present = (_present(place, output.folders) for place in (fresh, out))
        lines = [f"missing: {name}" for name in expected if name not in present]
        lines += [f"not generated: {name}" for name in present if name not in expected]
        for name in sorted({*expected} & {*present}):
            lines += _differences((out / name).read_bytes(), (fresh / name).read_bytes(), name)
    for path, text in output.documents.items():
        lines += _differences(path.read_bytes(), text.encode(), path.name)
    return lines


def _differences(present: bytes, expected: bytes, name: str) -> Iterator[str]:
    """Yield a unified diff from the file on disk to the generated one."""
    if present == expected:
        return
    old, new = (data.decode(errors="backslashreplace") for data in (present, expected))
    diff = difflib.unified_diff(
        [repr(line)[1:-1] if "\r" in line else line for line in old.split("\n")],
        new.split("\n"),
        fromfile=f"{name} (on disk)",
        tofile=f"{name} (generated)",
        lineterm="",
    )
    yield from diff
