"""A fake command-line agent as a real process: it obeys a script that comes on standard input.

Each line of the script is one step: `say TEXT`, `bytes TEXT` (one byte at a time), `big BYTES`,
`line BYTES` (one line), `stderr BYTES`, `exit CODE`, `hang`, `deaf` (ignore SIGTERM),
`child` / `runaway` (start a deaf grandchild, the second in a session of its own, and tell its id).
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

_SLEEPER = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"


def _tell(event: dict[str, Any]) -> None:
    print(json.dumps(event, ensure_ascii=False), flush=True)


def _start_child(*, runs_away: bool) -> None:
    child = subprocess.Popen([sys.executable, "-c", _SLEEPER], start_new_session=runs_away)
    _tell({"child": child.pid})


def _write_bytes(text: str) -> None:
    for byte in (json.dumps({"say": text}, ensure_ascii=False) + "\n").encode():
        os.write(sys.stdout.fileno(), bytes([byte]))


def _write_big(size: int) -> None:
    piece = "好" * 20_000
    for _ in range(size // len(piece.encode())):
        _tell({"say": piece})


def _hang(_: str) -> None:
    while True:
        signal.pause()


STEPS: dict[str, Callable[[str], object]] = {
    "say": lambda rest: _tell({"say": rest}),
    "bytes": _write_bytes,
    "big": lambda rest: _write_big(int(rest)),
    "line": lambda rest: print("x" * int(rest), flush=True),
    "stderr": lambda rest: print("e" * int(rest), file=sys.stderr, flush=True),
    "child": lambda _: _start_child(runs_away=False),
    "runaway": lambda _: _start_child(runs_away=True),
    "deaf": lambda _: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "hang": _hang,
    "exit": lambda rest: sys.exit(int(rest)),
}


def main() -> None:
    """Read the whole script, tell our own id, and do one step after the other.

    It minds an interrupt even where a shell has started the tests in the background, which lets
    whatever runs there ignore one.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _tell({"pid": os.getpid()})
    for line in sys.stdin.read().splitlines():
        word, _, rest = line.partition(" ")
        STEPS[word](rest)


if __name__ == "__main__":
    main()
