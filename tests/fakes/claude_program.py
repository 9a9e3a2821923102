"""A fake Claude Code as a real process: it obeys the script that is its prompt, line by line.

`replay NAME` writes a recording of the real program, and at each question waits for the answer;
`slowly NAME` writes one byte at a time; `raw TEXT` writes a line, `raws` many at once (`|`);
`answer BYTES` writes a text in one line; `gate PATH` waits for a named pipe; the steps of
`cli_program` are known too. With `CLAUDE_FAKE_DEAF` it never reads.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes.cli_program import STEPS

RECORDINGS = Path(__file__).with_name("recordings") / "claude"


def _write(line: dict[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def _replay(name: str) -> None:
    for line in (RECORDINGS / f"{name}.jsonl").read_text().splitlines():
        print(line, flush=True)
        if json.loads(line)["type"] == "control_request":
            _write({"type": "novelty", "answer": json.loads(sys.stdin.readline())})


def _slowly(name: str) -> None:
    for byte in (RECORDINGS / f"{name}.jsonl").read_bytes():
        os.write(sys.stdout.fileno(), bytes([byte]))


def _answer(size: str) -> None:
    text = "好" * (int(size) // 3)
    message = {"id": "m1", "model": "m", "content": [{"type": "text", "text": text}]}
    _write({"type": "assistant", "message": message})
    _write({"type": "result", "is_error": False, "result": text})


def _pass_over(_: str) -> None:
    """Do nothing: around a script that was delegated stands who sent it."""


MORE: dict[str, Callable[[str], object]] = {
    "replay": _replay,
    "slowly": _slowly,
    "raw": lambda rest: print(rest, flush=True),
    "raws": lambda rest: print(rest.replace("|", "\n"), flush=True),
    "answer": _answer,
    "gate": lambda rest: Path(rest).read_text(),
}


def main() -> None:
    """Read one prompt and do what it says."""
    if os.environ.get("CLAUDE_FAKE_DEAF"):
        signal.pause()
    prompt = json.loads(sys.stdin.readline())["message"]["content"]
    for line in prompt.splitlines():
        word, _, rest = line.partition(" ")
        {**STEPS, **MORE}.get(word, _pass_over)(rest)


if __name__ == "__main__":
    main()
