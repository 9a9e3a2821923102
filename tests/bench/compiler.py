"""How long the contract compiler takes, as a process: this contract, a large and a wrong one."""

import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = 200


async def run_s(*options: str, exit_code: int = 0) -> float:
    """Return the seconds that one run takes.

    Raises:
        RuntimeError: it ended with another exit code.
    """
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "codegen", *options),
        cwd=ROOT,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    ended = await process.wait()
    if ended != exit_code:
        raise RuntimeError(f"codegen {' '.join(options)} ended with {ended}, not {exit_code}")
    return time.monotonic() - began


async def large_s() -> float:
    """Return the seconds from a contract of many tools to all its files."""
    with _copy() as folder:
        text = (folder / "tools.yaml").read_text()
        (folder / "tools.yaml").write_text(_with_tools(yaml.safe_load(text)))
        return await run_s("--contract", str(folder))


async def refused_s() -> float:
    """Return the seconds until this contract with one wrong name in it is refused."""
    with _copy() as folder:
        text = (folder / "tools.yaml").read_text()
        (folder / "tools.yaml").write_text(text.replace("\n    group: ", "\n    group: not_", 1))
        return await run_s("--contract", str(folder), exit_code=2)


def _with_tools(contract: dict[str, Any]) -> str:
    """Return a contract that has its tools over and over, under other names."""
    tools = list(contract["tools"].items())
    for i in range(TOOLS - len(tools)):
        name, tool = tools[i % len(tools)]
        contract["tools"][f"{name}_{i}"] = tool
    contract["documents"] = []
    return str(yaml.dump(contract, Dumper=_Written, allow_unicode=True, sort_keys=False))


class _Written(yaml.CSafeDumper):
    """Writes every text in quotes and twice what stands there twice, as a contract must."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def quoted(self, text: str) -> yaml.Node:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Written.add_representer(str, _Written.quoted)


@contextmanager
def _copy() -> Iterator[Path]:
    """Make a copy of this contract for as long as the block runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "contract"
        shutil.copytree(ROOT / "contract", folder)
        yield folder
