"""A program that people install, as a script: it tells a version and answers one question."""

import sys
from pathlib import Path

RECORDINGS = Path(__file__).parent / "recordings" / "programs"
"""What the real programs answered when they were asked for their models."""

_SCRIPT = """#!{python}
import sys, time
from pathlib import Path
if "--version" in sys.argv:
    print({banner!r}, file=sys.stderr)
    print({version!r}, flush=True)
    time.sleep({hangs_s})
elif sys.stdin.readline():
    print("a line that is no JSON")
    print(Path({answers!r}).read_text() if {answers!r} else "")
    Path({asked!r}).write_text(" ".join(sys.argv[1:]))
"""


def install(
    folder: Path,
    name: str,
    version: str,
    *,
    answers: bool = True,
    hangs_s: float = 0,
    banner: str = "",
) -> Path:
    """Put a program into a folder, in one step as a package manager does, and return its path.

    Args:
        folder: Folder in PATH.
        name: `claude` or `codex`.
        version: All that it prints for `--version`.
        answers: Whether it lists the models that the real one was recorded with.
        hangs_s: Seconds that it goes on after its version.
        banner: What it writes to standard error then.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    draft = folder / f"{name}.draft"
    draft.write_text(
        _SCRIPT.format(
            python=sys.executable,
            version=version,
            banner=banner,
            hangs_s=hangs_s,
            answers=str(RECORDINGS / f"{name}.jsonl") if answers else "",
            asked=str(folder / f"{name}.asked"),
        )
    )
    draft.chmod(0o755)
    draft.replace(path)
    return path
