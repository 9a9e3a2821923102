"""The text of one turn of Claude Code: told in pieces as it comes, confirmed block by block."""

from typing import Final

from ccweb.conversations.model import Step
from ccweb.host.agent import AgentEvent, TextDelta
from ccweb_contract.enums import StepKind, StepStatus

_CUT_OFF: Final = frozenset({"max_tokens", "model_context_window_exceeded"})
"""Why a message stops in the middle of its text, which the next one goes on with."""


class Text:
    """The text that is being written; what was written before a tool was used is a step.

    A block that was never confirmed is void: the program has asked the model again.
    """

    def __init__(self) -> None:
        self._told: list[str] = []
        self._block: list[str] = []
        """The part of what was told that belongs to the block that is being written."""
        self._message_id = ""
        self._stopped = ""
        self._is_apart = False
        """Whatever comes next is a text of its own."""
        self._closed = 0

    @property
    def whole(self) -> str:
        """Return the text that is being written."""
        return "".join(self._told)

    def begin_message(self, message_id: str) -> list[AgentEvent]:
        """Take the begin of a message."""
        void = self._close(StepStatus.FAILED) if self._block else []
        self._message_id = message_id
        self._is_apart = self._stopped not in _CUT_OFF
        self._stopped = ""
        return void

    def begin_block(self, kind: str) -> list[AgentEvent]:
        """Take the begin of a block; what is written after another kind is a text of its own."""
        if kind != "text":
            self._is_apart = True
        return []

    def add(self, piece: str) -> list[AgentEvent]:
        """Take a piece of text."""
        if not piece:
            return []
        closed = self._close(StepStatus.DONE) if self._is_apart else []
        self._is_apart = False
        self._told.append(piece)
        self._block.append(piece)
        return [*closed, TextDelta(text=piece)]

    def stop(self, reason: str) -> None:
        """Take the reason for which a message stops."""
        self._stopped = reason

    def confirm(self, message_id: str, text: str) -> list[AgentEvent]:
        """Take a whole block of text, most or all of which has been told already."""
        written = "".join(self._block)
        if message_id == self._message_id and _is_same(written, text):
            self._block = []
            return []
        if message_id == self._message_id and written and text.startswith(written):
            events = self.add(text[len(written) :])
        else:
            void = self._close(StepStatus.FAILED) if self._block else []
            self._is_apart |= message_id != self._message_id
            self._message_id = message_id
            events = void + self.add(text)
        self._block = []
        return events

    def close(self) -> list[AgentEvent]:
        """Make a step of what has been told: something else comes next."""
        return self._close(StepStatus.DONE)

    def _close(self, status: StepStatus) -> list[AgentEvent]:
        text, self._told, self._block = self.whole, [], []
        if not text:
            return []
        self._closed += 1
        return [Step(key=f"said-{self._closed}", kind=StepKind.SAID, status=status, output=text)]


def _is_same(written: str, text: str) -> bool:
    """Tell whether a block is what was told of it; the program may trim it."""
    return bool(written) and (written == text or written.strip() == text.strip())
