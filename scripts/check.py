"""The gates and the tests: what runs, in which order, and how its result is told."""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.prefix) / "bin"
PYTHON = sys.executable
GATES_AT_ONCE = 2
PYTEST = (PYTHON, "-m", "pytest", "-n", "2", "--dist", "worksteal")
GIT_DIFF_CHECK = 'git diff --check "$(git hash-object -t tree /dev/null)"'
"""Against the empty tree, that is, over every tracked file."""
LEFT_OUT = (
    "Left out: browser tests, MCP conformance, Schemathesis, the real agents, random lives, killed "
    "processes and the command line (make test-all runs them all), make bench."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One command that must end with 0."""

    name: str
    command: tuple[str, ...]
    live: bool = False
    """Whether what it prints is shown at once, because it may take long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a gate ended."""

    gate: Gate
    passed: bool
    output: str
    seconds: float


GATES = (
    Gate(name="types", command=(str(BIN / "mypy"),)),
    Gate(name="generated", command=(PYTHON, "-m", "codegen", "--check")),
    Gate(name="breaking", command=(PYTHON, "-m", "codegen", "breaking")),
    Gate(name="contract-lint", command=(PYTHON, "-m", "codegen", "lint")),
    Gate(name="format", command=(str(BIN / "ruff"), "format", "--check", ".")),
    Gate(name="lint", command=(str(BIN / "ruff"), "check", ".")),
    Gate(name="layers", command=(str(BIN / "lint-imports"), "--no-logo")),
    Gate(name="whitespace", command=("sh", "-c", f"test ! -e .git || {GIT_DIFF_CHECK}")),
)
"""The slowest comes first, so that two at a time end soonest."""
CHROMIUM = Gate(name="chromium", command=(PYTHON, "scripts/install_chromium.py"), live=True)
NODE_TOOLS = Gate(name="node-tools", command=(PYTHON, "scripts/install_node_tools.py"), live=True)
CONFORMANCE_SUITE = Gate(name="node-tools", command=(*NODE_TOOLS.command, "conformance"), live=True)
REAL_AGENTS = Gate(name="node-tools", command=(*NODE_TOOLS.command, "claude", "codex"), live=True)
SCHEMATHESIS = Gate(
    name="schemathesis", command=(PYTHON, "-m", "scripts.install_schemathesis"), live=True
)
INSTALLERS = (NODE_TOOLS, CHROMIUM, SCHEMATHESIS)
"""What every whole test run needs; they mostly wait for the network."""
PYTHON_ALONE = "not browser and not node and not fuzz and not long"
"""The tests that need nothing but Python and end within three minutes, as pytest selects them."""
CHAOS = Gate(name="chaos", command=(PYTHON, "-m", "tests.chaos"))


def run_gate(gate: Gate) -> Result:
    """Run a gate to its end and return how it ended, with all that it printed."""
    begun = time.monotonic()
    done = subprocess.run(
        gate.command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=None if gate.live else subprocess.PIPE,
        stderr=None if gate.live else subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    seconds = time.monotonic() - begun
    output = done.stdout or ""
    return Result(gate=gate, passed=done.returncode == 0, output=output, seconds=seconds)


def tell(result: Result) -> None:
    """Print one line for a gate, after its output when it failed."""
    name, seconds = result.gate.name, f"{result.seconds:.1f}s"
    if not result.passed:
        print(f"---- {name}: {' '.join(result.gate.command)}\n{result.output.rstrip()}\n----")
    print(f"gate {name:<13} {'ok' if result.passed else 'FAILED'} {seconds}", flush=True)


def run_gates(gates: Sequence[Gate], *, at_once: int = GATES_AT_ONCE) -> list[str]:
    """Run all gates, whatever fails, and return the names of those that failed."""
    failed = []
    with ThreadPoolExecutor(at_once) as pool:
        for ended in as_completed([pool.submit(run_gate, gate) for gate in gates]):
            tell(ended.result())
            if not ended.result().passed:
                failed.append(ended.result().gate.name)
    return failed


def pytest(*arguments: str) -> list[str]:
    """Run pytest with its output shown, and return its name if it failed."""
    done = subprocess.run([*PYTEST, *arguments], cwd=ROOT, check=False)
    return ["tests"] if done.returncode else []


def test(arguments: Sequence[str]) -> list[str]:
    """Run every test that needs Python alone, and say what that leaves out."""
    failed = pytest("-m", PYTHON_ALONE, *arguments)
    print(LEFT_OUT)
    return failed


def test_all(arguments: Sequence[str], *, gates: Sequence[Gate] = ()) -> list[str]:
    """Run the long chaos run, then every test, with the share of branches that they cover.

    Gates run first, beside what must be installed. Then each has both cores to itself, because both
    have deadlines; the tests come last, so that their closing line does.
    """
    failed = run_gates([*INSTALLERS, *gates]) + run_gates([CHAOS])
    return failed + pytest("--cov", "--cov-report=term:skip-covered", *arguments)


def conformance() -> list[str]:
    """Run the official MCP suite against the product; its output stays in out/conformance."""
    failed = run_gates([CONFORMANCE_SUITE])
    return failed or pytest("-n", "0", "-v", "-s", "tests/conformance")


def test_real(arguments: Sequence[str]) -> list[str]:
    """Run the tests of the real Claude Code and Codex, which speak to a model on loopback."""
    failed = run_gates([REAL_AGENTS])
    return failed or pytest("tests/real_agents", "tests/real_codex", *arguments)


def arguments_of(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    actions = parser.add_subparsers(dest="action", required=True)
    gate = actions.add_parser("gate", help="run the named gates")
    gate.add_argument("names", nargs="+", choices=[gate.name for gate in GATES])
    actions.add_parser("test", help="run the tests that need Python alone; more goes to pytest")
    actions.add_parser("test-all", help="run every test; more goes to pytest")
    actions.add_parser("test-real", help="run the tests of real agents; more goes to pytest")
    actions.add_parser("conformance", help="run the official MCP conformance suite")
    actions.add_parser("check", help="run all gates, then every test")
    asked, rest = parser.parse_known_args(argv)
    if rest and asked.action not in ("test", "test-all", "test-real"):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    asked.rest = rest
    return asked


def failures(asked: argparse.Namespace) -> list[str]:
    """Do what was asked, and return the names of what failed."""
    match asked.action:
        case "gate":
            return run_gates([gate for gate in GATES if gate.name in asked.names])
        case "test":
            return test(asked.rest)
        case "test-all":
            return test_all(asked.rest)
        case "test-real":
            return test_real(asked.rest)
        case "conformance":
            return conformance()
        case _:
            return test_all([], gates=GATES)


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 0 when all of it passed, else 1."""
    asked = arguments_of(argv)
    begun = time.monotonic()
    failed = failures(asked)
    if asked.action == "check":
        verdict = f"FAILED: {', '.join(failed)}" if failed else "ok"
        print(f"check {verdict} {time.monotonic() - begun:.0f}s")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
