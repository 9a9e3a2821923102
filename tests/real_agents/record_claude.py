"""What the real Claude Code writes, recorded for the fast tests.

Run `python -m tests.real_agents.record_claude [SCENE ...]` after an update of the program.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any
from uuid import uuid4

from ccweb.host.agent import Answer
from ccweb.host.claude import control
from ccweb.host.claude.launch import STREAMING, environment_of
from ccweb_contract.enums import PermissionAnswer
from tests.fakes.model import RunningModel, running_model
from tests.fakes.model_script import Call, Step, script
from tests.real_agents.machine import Machine, a_machine

FOLDER = Path(__file__).parents[1] / "fakes" / "recordings" / "claude"
HOME = "/person"
LIMIT_S = 60
RESET_S = 3600
LOOK = Call(tool="Bash", args={"command": "ls", "description": "look"})
MAKE = Call(tool="Bash", args={"command": "touch made", "description": "make"})
QUESTION = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [
        {"label": "Red", "description": "warm"},
        {"label": "Blue", "description": "cold"},
    ],
    "multiSelect": False,
}


ALLOWED = Answer(decision=PermissionAnswer.ALLOW_ONCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One turn to record."""

    steps: Sequence[Step] = ()
    prompt: str = ""
    """Instead of a script."""
    answer: Answer = ALLOWED
    interrupt: bool = False
    """Interrupted as soon as there is a text, or a question."""
    more: Mapping[str, str] = field(default_factory=dict)
    arguments: Sequence[str] = ()


def limit() -> Step:
    """Return an answer that says when the account's limit is reset."""
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(int(time.time()) + RESET_S),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    return Step(error=429, type="rate_limit_error", message="no more", headers=headers)


def delegation() -> Call:
    """Return a call that lets a subagent look."""
    order = script(Step(text="sub", calls=[LOOK]), Step(text="seen by the subagent"))
    given = {"description": "look", "prompt": order, "subagent_type": "general-purpose"}
    return Call(tool="Task", args=given)


SCENES = {
    "work": Scene(
        steps=[
            Step(think="I should look first.", text="让我看看 🎉.", calls=[LOOK]),
            Step(text="I make it.", calls=[MAKE]),
            Step(text="It is made, 完成 🎉."),
        ]
    ),
    "denied": Scene(
        steps=[Step(calls=[MAKE]), Step(text="I see.")],
        answer=Answer(decision=PermissionAnswer.DENY, note="Not now."),
    ),
    "question": Scene(
        steps=[
            Step(calls=[Call(tool="AskUserQuestion", args={"questions": [QUESTION]})]),
            Step(text="Blue it is."),
        ],
        answer=Answer(answers={"1": "Blue"}),
    ),
    "subagent": Scene(steps=[Step(text="I delegate.", calls=[delegation()]), Step(text="Done.")]),
    "continued": Scene(steps=[Step(text="first half, ", stop="max_tokens"), Step(text="rest")]),
    "interrupted": Scene(steps=[Step(text="half of a sentence", gate="held")], interrupt=True),
    "interrupted_asking": Scene(steps=[Step(text="Shall I?", calls=[MAKE])], interrupt=True),
    "empty": Scene(steps=[Step(text="I look.", calls=[LOOK]), Step()]),
    "command": Scene(prompt="/cost"),
    "bad_key": Scene(steps=[Step(error=401, type="authentication_error", message="bad key")]),
    "not_logged_in": Scene(more={"ANTHROPIC_API_KEY": ""}, prompt="hi"),
    "limit": Scene(
        steps=[limit()],
        more={"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-test"},
    ),
    "too_long": Scene(
        steps=[
            Step(
                error=400, type="invalid_request_error", message="prompt is too long: 9 > 8 tokens"
            )
        ]
    ),
    "overloaded": Scene(steps=[Step(error=529, type="overloaded_error", message="Overloaded")]),
    "stream_error": Scene(steps=[Step(stream_error="overloaded_error")]),
    "dropped": Scene(steps=[Step(text="one two three", drop=True)]),
    "refused": Scene(steps=[Step(text="I cannot", stop="refusal")] * 3),
    "no_network": Scene(prompt="hi", more={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}),
    "no_session": Scene(prompt="hi", arguments=["--resume", str(uuid4())]),
}


def record(name: str, scene: Scene, machine: Machine) -> list[str]:
    """Return the lines of one turn."""
    session = () if "--resume" in scene.arguments else ("--session-id", str(uuid4()))
    command = [machine.environ["CCWEB_CLAUDE_PATH"], *STREAMING, *session, *scene.arguments]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment_of({**machine.environ, **scene.more}),
        cwd=machine.folder(name),
        text=True,
    ) as process:
        ending = Timer(LIMIT_S, process.kill)
        ending.start()
        try:
            return _converse(process, scene)
        finally:
            ending.cancel()
            process.kill()


def _converse(process: "subprocess.Popen[str]", scene: Scene) -> list[str]:
    assert process.stdout is not None
    assert process.stdin is not None

    def write(line: str) -> None:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(line)
            process.stdin.flush()

    lines = []
    write(control.prompt(scene.prompt or script(*scene.steps)))
    for line in process.stdout:
        lines.append(line)
        read = json.loads(line)
        _react(read, scene, write)
        if read["type"] == "result":
            break
    return lines


def _react(read: dict[str, Any], scene: Scene, write: Callable[[str], None]) -> None:
    delta = read.get("event", {}).get("delta", {}).get("type")
    if scene.interrupt and (delta == "text_delta" or read["type"] == "control_request"):
        write(control.interrupt())
    elif request := control.tool_request(read):
        given = control.answered(request, scene.answer)
        write(control.response(request.id, given))


def recordings(model: RunningModel, names: Sequence[str]) -> None:
    """Record these scenes."""
    for name in names or SCENES:
        with tempfile.TemporaryDirectory() as folder:
            machine = a_machine(Path(folder) / "home", model)
            lines = record(name, SCENES[name], machine)
            text = "".join(lines).replace(str(machine.home), HOME)
            (FOLDER / f"{name}.jsonl").write_text(text)
            print(f"{name}: {len(lines)} lines")


def main(names: Sequence[str]) -> int:
    """Write the recordings of these scenes, of all without a name."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running_model() as model:
        recordings(model, names)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
