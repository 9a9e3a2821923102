"""What Claude Code writes in a turn: its lines, one after the other, as events and as facts."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ccweb.conversations.model import Step
from ccweb.host.agent import AgentEvent, SessionId
from ccweb.host.claude.notices import notice
from ccweb.host.claude.text import Text
from ccweb_contract.enums import StepKind, StepStatus

_BY_PROGRAM: Final = "<synthetic>"
"""The model of a text that the program wrote itself."""
_COMMAND_OUTPUT: Final = ("<local-command-stdout>", "</local-command-stdout>")
_USES: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})

Line = Mapping[str, Any]


def parsed(line: str) -> Line | None:
    """Return a line as an object, None when it is none: other programs may write there too."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


class Reading:
    """What has been read of one turn; whatever it does not know it leaves out."""

    def __init__(self) -> None:
        self._text = Text()
        self._thoughts = 0
        self.begun = False
        """The program has taken the prompt."""
        self.model: str | None = None
        self.result: Line | None = None
        """The line that ends the turn."""
        self.refused = ""
        """What the program calls the failure of a request to the model."""
        self.reset_at: float | None = None
        """When the account's limit is reset, in seconds since 1970."""

    @property
    def text(self) -> str:
        """Return the last text of the model, or what there is of it."""
        return self._text.whole

    def is_over(self) -> bool:
        """Tell whether the line that ends the turn has been read."""
        return self.result is not None

    def take(self, line: Line) -> list[AgentEvent]:
        """Return what a line tells."""
        match line.get("type"):
            case "stream_event":
                return self._streamed(line)
            case "assistant":
                return list(self._assistant(line))
            case "user":
                return list(self._user(line))
            case "system":
                return list(self._system(line))
            case "rate_limit_event":
                self._limited(_of(line, "rate_limit_info"))
            case "result":
                self.result = line
            case _:
                pass
        return []

    def _system(self, line: Line) -> Iterator[AgentEvent]:
        if line.get("subtype") == "init":
            self.begun = True
            self.model = self.model or _text(line.get("model"))
            if session_id := _text(line.get("session_id")):
                yield SessionId(session_id=session_id)
        if step := notice(line):
            yield step

    def _streamed(self, line: Line) -> list[AgentEvent]:
        """Return the pieces of text of the conversation itself; subagents speak to it alone."""
        if line.get("parent_tool_use_id"):
            return []
        event = _of(line, "event")
        match event.get("type"):
            case "message_start":
                return self._text.begin_message(_text(_of(event, "message").get("id")))
            case "content_block_start":
                return self._text.begin_block(_text(_of(event, "content_block").get("type")))
            case "content_block_delta":
                return self._text.add(_text(_of(event, "delta").get("text")))
            case "message_delta":
                self._text.stop(_text(_of(event, "delta").get("stop_reason")))
            case _:
                pass
        return []

    def _assistant(self, line: Line) -> Iterator[AgentEvent]:
        message = _of(line, "message")
        by_program = message.get("model") == _BY_PROGRAM
        if line.get("is_api_error_message"):
            self.refused = _text(line.get("error"))
            return
        if not by_program:
            self.model = _text(message.get("model")) or self.model
        for block in _blocks(message):
            yield from self._block(line, _text(message.get("id")), block)

    def _block(self, line: Line, message_id: str, block: Line) -> Iterator[AgentEvent]:
        kind = block.get("type")
        if kind in _USES:
            yield from self._text.close()
            yield _used(block)
        elif line.get("parent_tool_use_id"):
            return
        elif kind == "text":
            yield from self._text.confirm(message_id, _text(block.get("text")))
        elif kind == "thinking" and (thought := _text(block.get("thinking")).strip()):
            self._thoughts += 1
            yield Step(
                key=f"thought-{self._thoughts}",
                kind=StepKind.THINKING,
                status=StepStatus.DONE,
                output=thought,
            )

    def _user(self, line: Line) -> Iterator[AgentEvent]:
        content = _of(line, "message").get("content")
        if isinstance(content, str):
            begin, end = _COMMAND_OUTPUT
            if content.startswith(begin):
                said = content.removeprefix(begin).removesuffix(end).strip()
                yield from self._text.confirm("", said)
            return
        for block in _blocks(_of(line, "message")):
            if block.get("type") == "tool_result":
                yield _done(block)

    def _limited(self, info: Line) -> None:
        reset = info.get("resetsAt")
        if info.get("status") == "rejected" and isinstance(reset, int | float):
            self.reset_at = float(reset)


def _used(block: Line) -> Step:
    """Return the step of a tool that the model uses."""
    return Step(
        key=_text(block.get("id")),
        kind=StepKind.TOOL,
        status=StepStatus.RUNNING,
        name=_text(block.get("name")),
        input=json.dumps(block.get("input", {}), ensure_ascii=False),
    )


def _done(block: Line) -> Step:
    """Return the step of a tool that has answered."""
    return Step(
        key=_text(block.get("tool_use_id")),
        kind=StepKind.TOOL,
        status=StepStatus.FAILED if block.get("is_error") else StepStatus.DONE,
        output=_output(block.get("content")),
    )


def _output(content: Any) -> str:
    """Return what a tool answered, as text; a picture is only named."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(_part(part) for part in parts if isinstance(part, dict))


def _part(part: Line) -> str:
    if part.get("type") == "text":
        return _text(part.get("text"))
    return f"[{_text(part.get('type'))}]"


def _blocks(message: Line) -> list[Line]:
    content = message.get("content")
    listed = content if isinstance(content, list) else []
    return [block for block in listed if isinstance(block, dict)]


def _of(line: Line, name: str) -> Line:
    """Return a part of a line, empty when it is missing or no object."""
    found = line.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
