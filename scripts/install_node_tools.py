"""Programs from npm that tests run: exact versions, kept in a cache outside the checkout."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ADVICE = "Run `python scripts/install_node_tools.py` first; `make test-all` does."
NO_NPM = (
    "npm was not found, with which the tests of MCP conformance and of real agents get their "
    "programs. Install Node.js 20 or newer with npm (Debian: apt-get install nodejs npm), "
    "or run `make test`, which needs neither."
)
INSTALL = ("npm", "install", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")


class InstallError(Exception):
    """A tool that could not be installed, in a sentence for the person who wanted it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A program, and the packages that hold it."""

    name: str
    packages: tuple[str, ...]
    """Each with its exact version, as npm writes it."""
    programs: tuple[str, ...]
    """Patterns of the paths of what must be there; the first is the program itself."""

    @property
    def folder(self) -> Path:
        """Return where it is kept; another version is another folder."""
        versions = (package.rpartition("@")[2] for package in self.packages)
        return tools_folder() / "-".join((self.name, *versions))

    def find(self) -> Path | None:
        """Return the installed program, None when it is not there."""
        return found_in(self.folder, self.programs)


TOOLS = (
    Tool(
        name="conformance",
        packages=("@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22.23.3"),
        programs=("node_modules/.bin/conformance", "node_modules/.bin/node"),
    ),
    Tool(
        name="codex",
        packages=("@openai/codex@0.171.0",),
        programs=("node_modules/@openai/codex-*/vendor/*/bin/codex",),
    ),
    Tool(
        name="claude",
        packages=("@anthropic-ai/claude-code@2.1.332",),
        programs=("node_modules/@anthropic-ai/claude-code-*/claude",),
    ),
)
"""The suite comes with a Node of its own: it needs a newer one than many machines have."""


def tools_folder() -> Path:
    """Return the folder of all installations: `CCWEB_TOOLS_DIR`, else one in the user's cache."""
    if named := os.environ.get("CCWEB_TOOLS_DIR"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ccweb-tools"


def found_in(folder: Path, patterns: Sequence[str]) -> Path | None:
    """Return the first program in a folder, None unless all are there."""
    found = [next(folder.glob(pattern), None) for pattern in patterns]
    return found[0] if all(found) else None


def program(name: str) -> Path:
    """Return the installed program of a tool.

    Raises:
        InstallError: it has not been installed.
    """
    [tool] = [tool for tool in TOOLS if tool.name == name]
    found = tool.find()
    if found is None:
        raise InstallError(f"{name} is not installed in {tool.folder}. {ADVICE}")
    return found


def install(tool: Tool) -> None:
    """Install a tool unless it is there; whoever looks sees all of it or nothing.

    Raises:
        InstallError: npm is missing or failed, or the packages hold no such program.
    """
    if tool.find():
        return
    if not shutil.which("npm"):
        raise InstallError(NO_NPM)
    begun = time.monotonic()
    _say(f"Installing {' and '.join(tool.packages)} into {tool.folder} ...")
    tool.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{tool.name}-", dir=tool.folder.parent) as name:
        whole = Path(name) / "whole"
        _fill(whole, tool)
        size_mb = _size_bytes(whole) / 1e6
        _keep(whole, tool)
    _say(f"Installed {tool.name}: {size_mb:.0f} MB in {time.monotonic() - begun:.1f} s.")


def _fill(folder: Path, tool: Tool) -> None:
    folder.mkdir()
    command = [*INSTALL, "--prefix", str(folder), *tool.packages]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    if done.returncode:
        raise InstallError(f"npm could not install {tool.name} (exit code {done.returncode}).")
    if not found_in(folder, tool.programs):
        raise InstallError(f"npm installed {tool.name} without {' and '.join(tool.programs)}.")


def _keep(whole: Path, tool: Tool) -> None:
    """Move an installation to its place, unless somebody else was faster."""
    try:
        whole.rename(tool.folder)
    except OSError:
        if not tool.find():
            raise


def _size_bytes(folder: Path) -> int:
    found = [path.lstat() for path in folder.rglob("*")]
    return sum({stat.st_ino: stat.st_size for stat in found}.values())


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Install the named tools, all of them when none is named; 0 when they are there, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    names = [tool.name for tool in TOOLS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}")
    asked = parser.parse_args(argv).names or names
    if unknown := set(asked) - set(names):
        parser.error(f"there is no tool {', '.join(sorted(unknown))}")
    try:
        for tool in TOOLS:
            if tool.name in asked:
                install(tool)
    except InstallError as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
