"""Schemathesis, which calls every endpoint of an OpenAPI document with good and bad input.

It is kept in a folder of its own in the cache of tools, because it needs an older jsonschema-rs
than the product does: no test must run with other packages than a user has.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from scripts.install_node_tools import InstallError, tools_folder

VERSION: Final = "4.32.5"
PACKAGES: Final = (f"schemathesis=={VERSION}", "hypothesis==6.170.17")
"""What it makes up depends on both, so that the same seed gives the same calls."""
ADVICE: Final = "Run `python -m scripts.install_schemathesis` first; `make test-all` does."
_PROGRAM: Final = "schemathesis/cli/__main__.py"
_INSTALL: Final = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")


def folder() -> Path:
    """Return where it is kept; another version of it or of Python is another folder."""
    python = f"{sys.implementation.cache_tag}-{sys.platform}"
    return tools_folder() / f"schemathesis-{VERSION}-{python}"


def command() -> tuple[list[str], dict[str, str]]:
    """Return how it is called, and the environment that it needs.

    Raises:
        InstallError: it has not been installed.
    """
    if not (folder() / _PROGRAM).exists():
        raise InstallError(f"schemathesis is not installed in {folder()}. {ADVICE}")
    environ = {**os.environ, "PYTHONPATH": str(folder())}
    return [sys.executable, "-m", "schemathesis.cli"], environ


def install(pip: tuple[str, ...] = _INSTALL) -> None:
    """Install it unless it is there; whoever looks sees all of it or nothing.

    Raises:
        InstallError: pip failed.
    """
    target = folder()
    if (target / _PROGRAM).exists():
        return
    sys.stderr.write(f"Installing schemathesis {VERSION} into {target} ...\n")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".schemathesis-", dir=target.parent) as name:
        whole = Path(name) / "whole"
        wanted = [*pip, "--target", str(whole), *PACKAGES]
        done = subprocess.run(wanted, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode or not (whole / _PROGRAM).exists():
            said = (done.stdout + done.stderr).decode(errors="replace")
            raise InstallError(f"pip could not install schemathesis.\n{said}".rstrip())
        try:
            whole.rename(target)
        except OSError:  # somebody else was faster
            if not (target / _PROGRAM).exists():
                raise


def main() -> int:
    """Install it; 0 when it is there, else 1."""
    try:
        install()
    except InstallError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
