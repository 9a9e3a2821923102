"""`make bench`: every figure beside its goal, as a table and as JSON; no figure fails the run."""

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.bench import (
    agents,
    blueprints,
    boards,
    compiler,
    floor,
    footprint,
    forms,
    images,
    mcp_calls,
    planning,
    roundtrip,
)
from tests.bench.figures import Figure, Latencies, table

POLL_S = 0.001
RUNS = 3


async def round_trips() -> list[Figure]:
    """Measure the durable round trip against the floor, in turn."""
    ours: list[Latencies] = []
    bare: list[Latencies] = []
    for _ in range(RUNS):
        bare.append(
            await asyncio.to_thread(floor.measure, concurrency=1, rounds=200, poll_s=POLL_S)
        )
        ours.append(await roundtrip.measure(concurrency=1, rounds=200, watch_s=0.0005))
    wide = [await roundtrip.measure(concurrency=64, rounds=1600, watch_s=0.01) for _ in range(RUNS)]
    wide_floor = await asyncio.to_thread(_floor, 64, 1600)
    p50 = statistics.median(run.p50_ms for run in ours)
    ratios = [mine.p50_ms / base.p50_ms for mine, base in zip(ours, bare, strict=True)]
    return [
        Figure(name="round trip, p50", value=p50, unit="ms", goal=10),
        Figure(name="round trip, p99", value=statistics.median(r.p99_ms for r in ours), unit="ms"),
        Figure(
            name="bare prototype, p50",
            value=statistics.median(run.p50_ms for run in bare),
            unit="ms",
        ),
        Figure(name="round trip / bare", value=statistics.median(ratios), unit="x", goal=3),
        Figure(
            name="round trips at 64",
            value=statistics.median(run.per_second for run in wide),
            unit="/s",
            goal=300,
            at_least=True,
        ),
        Figure(
            name="round trip at 64, p50",
            value=statistics.median(run.p50_ms for run in wide),
            unit="ms",
        ),
        Figure(name="bare prototype at 64", value=wide_floor.per_second, unit="/s"),
    ]


def _floor(concurrency: int, rounds: int) -> Latencies:
    return floor.measure(concurrency=concurrency, rounds=rounds, poll_s=POLL_S)


async def mcp() -> list[Figure]:
    """Measure a tool call through every transport and era against the bare SDK."""
    figures = []
    eras: tuple[tuple[mcp_calls.Era, str], ...] = (("legacy", "2025-11-25"), ("auto", "2026-07-28"))
    for era, version in eras:
        found = await mcp_calls.measure(era=era, calls=1000)
        for transport in ("http", "stdio"):
            hub, bare = found[f"hub over {transport}"], found[f"bare over {transport}"]
            name = f"tools/call, {transport}, {version}"
            figures += [
                Figure(name=f"{name}, p50", value=hub.p50_ms, unit="ms"),
                Figure(name=f"{name} / bare", value=hub.p50_ms / bare.p50_ms, unit="x", goal=1.3),
            ]
    return figures


async def start_and_rest() -> list[Figure]:
    """Measure the first page and an idle workspace."""
    first = [await footprint.first_page_s() for _ in range(RUNS)]
    idle = await footprint.idle()
    return [
        Figure(name="first page", value=statistics.median(first), unit="s", goal=1.5),
        Figure(name="idle hub + host", value=idle.memory_mb, unit="MB", goal=200),
        Figure(name="idle, busier process", value=idle.cpu_percent, unit="% CPU", goal=1),
    ]


async def codegen() -> list[Figure]:
    """Measure the contract compiler as whole processes."""
    generate = [await compiler.run_s() for _ in range(RUNS)]
    check = [await compiler.run_s("--check") for _ in range(RUNS)]
    large = [await compiler.large_s() for _ in range(RUNS)]
    refused = [await compiler.refused_s() for _ in range(RUNS)]
    return [
        Figure(name="make generate", value=statistics.median(generate), unit="s", goal=1.0),
        Figure(name="make check-generated", value=statistics.median(check), unit="s", goal=1.2),
        Figure(name=f"{compiler.TOOLS} tools", value=statistics.median(large), unit="s", goal=4.0),
        Figure(name="a wrong contract", value=statistics.median(refused), unit="s", goal=0.3),
    ]


PARTS: dict[str, Callable[[], Awaitable[list[Figure]]]] = {
    "agents": agents.measure,
    "classification": planning.measure,
    "blueprints": blueprints.measure,
    "boards": boards.measure,
    "forms": forms.measure,
    "images": images.measure,
    "codegen": codegen,
    "rest": start_and_rest,
    "mcp": mcp,
    "roundtrip": round_trips,
}


async def measure(names: list[str]) -> list[Figure]:
    """Return the figures of these parts, saying which one is being measured."""
    figures = []
    for name in names:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        figures += await PARTS[name]()
    return figures


def main() -> int:
    """Measure, print the table, and write the JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all without any")
    parser.add_argument("--json", type=Path, default=Path("out/bench.json"))
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    figures = asyncio.run(measure(options.parts or [*PARTS]))
    print(table(figures))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([f.as_json() for f in figures], indent=2) + "\n")
    print(f"written to {options.json}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
