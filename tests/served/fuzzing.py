"""Schemathesis against a hub: what it may find in good order, and the ids that lead it deep."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.streams.text import TextReceiveStream

from scripts.install_schemathesis import command

LIMIT_S = 240
SEED = 1
EXAMPLES = 10
KNOWN = 0.8
"""How often a field that takes an id takes one that exists."""
REFUSALS = ("400", "401", "403", "404", "409", "413")
"""What a call of the right form may be refused with: a schema cannot say what exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a run ended."""

    passed: bool
    output: str


async def run(url: str, token: str, ids: Mapping[str, Sequence[str]], folder: Path) -> Verdict:
    """Call every endpoint of the document that a hub serves, with all kinds of input."""
    settings = folder / "schemathesis.toml"
    settings.write_text(configuration(token, ids))
    program, environ = command()
    arguments = ["--config-file", str(settings), "run", f"{url}/api/openapi.json", "--no-color"]
    with anyio.fail_after(LIMIT_S):
        async with await anyio.open_process(
            [*program, *arguments],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        ) as process:
            assert process.stdout is not None
            output = "".join([part async for part in TextReceiveStream(process.stdout)])
            code = await process.wait()
    return Verdict(passed=code == 0, output=output)


def configuration(token: str, ids: Mapping[str, Sequence[str]]) -> str:
    """Return the settings of a run."""
    return "\n".join(
        [
            f"seed = {SEED}",
            "warnings = false",
            f"headers = {{ Authorization = {_value(f'Bearer {token}')} }}",
            "[generation]",
            f"max-examples = {EXAMPLES}",
            'database = "none"',
            "allow-x00 = false",
            "[cache]",
            "enabled = false",
            "[checks.positive_data_acceptance]",
            f"expected-statuses = {_value(['2xx', *REFUSALS])}",
            "[checks.negative_data_rejection]",
            f"expected-statuses = {_value(REFUSALS)}",
            *(f"[dictionaries.{name}]\nvalues = {_value(values)}" for name, values in ids.items()),
            "[parameters]",
            *(
                f'"body.{name}" = {{ dictionary = "{name}", probability = {KNOWN} }}'
                for name in ids
            ),
            "",
        ]
    )


def _value(value: Any) -> str:
    """Return a value as TOML has it, which is as JSON has it."""
    return json.dumps(value)
