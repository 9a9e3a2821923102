"""The official conformance suite of MCP, run against a server on this machine."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.streams.text import TextReceiveStream

from scripts.install_node_tools import program

LIMIT_S = 100
VERSIONS = ("2025-11-25", "2026-07-28")
"""The versions of the specification that the suite knows and that are current."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a run ended."""

    passed: bool
    """True when what failed is exactly what was expected to fail."""
    output: str

    @property
    def summary(self) -> str:
        return self.output.rpartition("=== SUMMARY ===")[2].strip()

    @property
    def scenarios(self) -> str:
        """Return one line for each scenario, and the total."""
        told, total, rest = self.summary.partition("\n\nTotal")
        return told + total + rest.partition("\n")[0]


async def run(url: str, *, version: str, expected: Path, results: Path) -> Verdict:
    """Run every scenario of a version of the specification; keep all output in `results`."""
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    suite = program("conformance")
    command = [str(suite), "server", "--url", url, "--suite", "all", "--spec-version", version]
    command += ["--expected-failures", str(expected), "--output-dir", str(results)]
    environ = {**os.environ, "PATH": f"{suite.parent}{os.pathsep}{os.environ['PATH']}"}
    with anyio.fail_after(LIMIT_S):
        async with await anyio.open_process(
            command, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            output = "".join([part async for part in TextReceiveStream(process.stdout)])
            code = await process.wait()
    (results / "output.txt").write_text(output)
    return Verdict(passed=code == 0, output=output)
