"""Recordings of what the real Codex says; `tests.real_agents.codex_recording` writes them."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "recordings" / "codex"


def read(way: str, name: str) -> list[dict[str, Any]]:
    """Return a recording: of `exec` or `app`, of one scenario."""
    lines = (FOLDER / f"{way}-{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
