"""Recordings of the real Codex: what it says in a few turns, without what differs each time.

`python -m tests.real_agents.codex_recording` writes them anew; the fast tests feed the parsers with
them, and `test_codex_recordings` proves that the program still speaks so.
"""

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio

from scripts.install_node_tools import program
from tests.fakes.codex_recordings import FOLDER
from tests.fakes.model import running_model
from tests.fakes.model_script import Call, Step, script
from tests.real_agents.machine import Machine, a_machine
from tests.real_codex.app_server import AppServer, running

PATCH = """*** Begin Patch
*** Add File: new.txt
+hello
*** Update File: old.txt
@@
-1
+2
*** End Patch"""
USAGE = {"input_tokens": 1000, "cached_tokens": 500, "output_tokens": 200}
WORK = (
    Step(
        think="I look first.",
        text="Let me look.",
        calls=[Call(tool="exec_command", args={"cmd": "echo seen; exit 3"})],
        usage=USAGE,
    ),
    Step(calls=[Call(tool="apply_patch", args=PATCH)], usage=USAGE),
    Step(text="All done: 好。", usage=USAGE),
)
REFUSED = Step(
    calls=[
        Call(
            tool="exec_command",
            args={"cmd": "id", "sandbox_permissions": "require_escalated", "justification": "I"},
        )
    ]
)
SCENARIOS: Final = {
    "work": WORK,
    "refused": (REFUSED, Step(text="Refused.")),
    "no-login": (Step(error=401),),
    "limit": (Step(error=429, type="usage_limit_reached"),),
    "dropped": (Step(text="a part of it", drop=True),),
}
MODEL = "gpt-5.5"
READ: Final = frozenset(
    {
        *("turn/started", "turn/completed", "item/started", "item/completed", "error"),
        *("item/agentMessage/delta", "thread/tokenUsage/updated", "account/rateLimits/updated"),
        *("item/commandExecution/requestApproval", "item/fileChange/requestApproval"),
    }
)
"""What our client reads; the rest comes now and then, in any order."""

_TIMES = re.compile(r"(At|Ms|AtMs|_at)$")
_IDS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|\b(?:msg|call|rs|fc|ctc|req|resp)_[0-9a-f]{6,}"
)


def record_exec(machine: Machine, name: str) -> list[dict[str, Any]]:
    """Return the events of a scenario, and the last of its standard error."""
    cwd = a_folder(machine, f"exec-{name}")
    options = ["--json", "--skip-git-repo-check", "-m", MODEL]
    settings = ["-c", 'sandbox_mode="workspace-write"', "-c", 'approval_policy="never"']
    done = subprocess.run(
        [str(program("codex")), "exec", *options, *settings, "-"],
        input=script(*SCENARIOS[name]),
        env=_environ(machine),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    lines.append({"code": done.returncode, "stderr": _errors(done.stderr)})
    return list(plain(lines, machine, cwd))


async def record_app(machine: Machine, name: str) -> list[dict[str, Any]]:
    """Return what an app-server says in a scenario; it is allowed all that it asks."""
    cwd = a_folder(machine, f"app-{name}")
    async with running(machine.home / "recorded") as server:
        started = await server.ask(
            "thread/start",
            cwd=str(cwd),
            model=MODEL,
            approvalPolicy="untrusted",
            sandbox="workspace-write",
        )
        prompt = [{"type": "text", "text": script(*SCENARIOS[name])}]
        await server.tell(
            {
                "id": 99,
                "method": "turn/start",
                "params": {"threadId": started["thread"]["id"], "input": prompt},
            }
        )
        lines = [line async for line in _turn(server)]
    return list(plain(lines, machine, cwd))


async def _turn(server: AppServer) -> Any:
    while True:
        line = await server.read()
        if "id" in line and "method" in line:
            await server.tell({"id": line["id"], "result": {"decision": "accept"}})
        if line.get("method") in READ:
            yield line
        if line.get("method") == "turn/completed":
            return


def a_folder(machine: Machine, name: str) -> Path:
    """Return a folder to work in, with a file to change."""
    folder = machine.folder(name)
    (folder / "old.txt").write_text("1\n")
    return folder


def plain(lines: list[dict[str, Any]], machine: Machine, cwd: Path) -> Iterator[dict[str, Any]]:
    """Yield lines with names in place of ids, nothing in that of times, and no place of ours."""
    names: dict[str, str] = {}

    def clean(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {part: clean(one, part) for part, one in value.items()}
        if isinstance(value, list):
            return [clean(one) for one in value]
        if isinstance(value, str):
            value = value.replace(str(cwd), "/here").replace(str(machine.home), "/person")
            value = value.replace(machine.model.url, "http://model")
            return _IDS.sub(lambda found: names.setdefault(found[0], f"id-{len(names)}"), value)
        is_time = _TIMES.search(key) and isinstance(value, int | float)
        return 0 if is_time else value

    for line in lines:
        cleaned = clean(line)
        if (cleaned.get("params", {}).get("item") or {}).get("processId"):
            cleaned["params"]["item"]["processId"] = "1"
        yield cleaned


def _errors(text: str) -> str:
    """Return the lines of a log that tell of refusals, without their times."""
    found = re.findall(r"codex_core::tools::router: .*", re.sub(r"\x1b\[[0-9;]*m", "", text))
    return "\n".join(found)


def _environ(machine: Machine) -> dict[str, str]:
    return {**machine.environ, "CODEX_HOME": str(machine.home / "recorded" / "codex")}


def prepared(folder: Path, machine: Machine) -> Machine:
    """Give a machine a home of Codex to record in."""
    (folder / "recorded" / "codex").mkdir(parents=True)
    config = (machine.home / ".codex" / "config.toml").read_text()
    (folder / "recorded" / "codex" / "config.toml").write_text(config)
    return machine


async def _write(machine: Machine) -> None:
    for name in SCENARIOS:
        for way, lines in (
            ("exec", record_exec(machine, name)),
            ("app", await record_app(machine, name)),
        ):
            said = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (FOLDER / f"{way}-{name}.jsonl").write_text(said)


def main() -> None:
    """Write all recordings."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, running_model() as model:
        home = Path(name) / "home"
        anyio.run(_write, prepared(home, a_machine(home, model)))


if __name__ == "__main__":
    main()
