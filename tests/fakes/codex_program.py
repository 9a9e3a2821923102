"""A fake Codex as a real process, for what the real one does only when it breaks.

`exec` and `app-server` obey the first word of the prompt: `say TEXT` (one byte at a time), `crash`,
`child` (start a deaf grandchild, tell its id, and go on for ever), `line` (one line too long),
`noise TEXT` (say it after lines that mean nothing), `held TEXT` (say it and end, while a grandchild
holds the output open), `stays TEXT` (say it and never end);
the app-server also `call` (call a dynamic tool), `deaf` (take no interrupt) and `wait`.
Installed as `silent` it says nothing at all, as `old` it knows no option.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

SLEEPER = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
THREAD = "01a22cf2-c7ac-7330-adb5-000000000000"
PLACE = {"threadId": THREAD, "turnId": "turn-1"}
NOISE = (
    *("[1]", "42", "null", '"x"', "[" * 100_000, '{"id": [1], "result": 1}'),
    *('{"id": {}, "method": "m"}', '{"method": 7}', '{"method": "item/started", "params": [1]}'),
    *('{"type": "item.started"}', '{"type": "item.completed", "item": 7}', '{"type": [1]}'),
    *('{"type": "turn.failed", "error": "x"}', '{"type": "thread.started"}'),
    json.dumps({"method": "item/started", "params": PLACE}),
    json.dumps({"method": "item/started", "params": {**PLACE, "item": {"type": "agentMessage"}}}),
    json.dumps({"method": "turn/started", "params": {**PLACE, "turn": "x"}}),
    json.dumps({"method": "error", "params": {**PLACE, "willRetry": True, "error": "x"}}),
    json.dumps({"method": "thread/tokenUsage/updated", "params": PLACE}),
    json.dumps({"method": "account/rateLimits/updated", "params": {"rateLimits": [1]}}),
)
"""What no line of the program is, and what is one but for its parts."""


def install(folder: Path, manner: str = "well") -> Path:
    """Put the program into a folder and return its path."""
    path = folder / f"codex-{manner}"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" {manner} "$@"\n')
    path.chmod(0o755)
    return path


def tell(message: dict[str, Any], *, by_byte: bool = False) -> None:
    """Write a line, in one piece or byte by byte."""
    line = (json.dumps(message, ensure_ascii=False) + "\n").encode()
    for piece in [line[i : i + 1] for i in range(len(line))] if by_byte else [line]:
        os.write(1, piece)


def hang() -> None:
    """Do nothing for ever."""
    while True:
        signal.pause()


def misbehave(word: str) -> None:
    """Do what every mode does in the same way; what is left returns."""
    if word == "crash":
        print("Error: out of luck", file=sys.stderr, flush=True)
        os._exit(7)
    if word == "line":
        os.write(1, b"x" * (33 << 20))
        hang()
    if word == "child":
        child = subprocess.Popen([sys.executable, "-c", SLEEPER], start_new_session=True)
        Path("child.txt").write_text(str(child.pid))
        hang()
    if word == "held":
        subprocess.Popen([sys.executable, "-c", SLEEPER], start_new_session=True)
    if word == "noise":
        for line in NOISE:
            os.write(1, f"{line}\n".encode())


def run_exec() -> None:
    """Run one turn."""
    word, _, rest = sys.stdin.read().partition(" ")
    tell({"type": "thread.started", "thread_id": THREAD})
    misbehave(word)
    item = {"id": "item_0", "type": "agent_message", "text": rest}
    tell({"type": "item.completed", "item": item}, by_byte=True)
    tell({"type": "turn.completed", "usage": {}})
    if word == "stays":
        hang()


def run_turn(prompt: str) -> None:
    """Run one turn of the thread."""
    word, _, rest = prompt.partition(" ")
    misbehave(word)
    if word == "call":
        call = {**PLACE, "callId": "c", "namespace": "ccweb", "tool": rest, "arguments": {}}
        tell({"id": 0, "method": "item/tool/call", "params": call})
    elif word in ("say", "noise", "held", "stays"):
        delta = {**PLACE, "itemId": "i", "delta": rest}
        tell({"method": "item/agentMessage/delta", "params": delta}, by_byte=True)
        complete("completed")


def complete(status: str) -> None:
    """End the turn."""
    turn = {"id": "turn-1", "status": status}
    tell({"method": "turn/completed", "params": {**PLACE, "turn": turn}})


def run_app_server() -> None:
    """Answer what comes, until nothing more does."""
    prompt = ""
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            said = message.get("result", {}).get("contentItems", [{}])[0].get("text", "")
            delta = {**PLACE, "itemId": "i", "delta": said}
            tell({"method": "item/agentMessage/delta", "params": delta})
            complete("completed")
        elif "id" in message:
            thread, turn = {"id": THREAD}, {"id": "turn-1"}
            result = {"thread": thread, "turn": turn, "model": "fake"}
            tell({"id": message["id"], "result": result})
        if method == "turn/start":
            prompt = params["input"][0]["text"]
            run_turn(prompt)
        if method == "turn/interrupt" and prompt != "deaf":
            complete("interrupted")


def main() -> None:
    """Run as the arguments say."""
    manner, mode = sys.argv[1:3]
    if manner == "silent":
        hang()
    if manner == "old":
        sys.exit(f"error: unrecognized subcommand '{mode}'")
    run_exec() if mode == "exec" else run_app_server()


if __name__ == "__main__":
    main()
