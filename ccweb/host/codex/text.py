"""The text of a Codex turn as it grows: what was said on the way, and what is said last."""

from dataclasses import replace

from ccweb.conversations.model import Step
from ccweb.host.agent import AgentEvent, TextDelta
from ccweb_contract.enums import StepKind, StepStatus


class Said:
    """Follows the agent's messages; a text is closed as a step once something comes after it."""

    def __init__(self) -> None:
        self._key = ""
        self._pieces: list[str] = []
        self._whole = True
        self._last = ""

    @property
    def text(self) -> str:
        """Return what is told and not closed, else the last text that was."""
        return "".join(self._pieces) or self._last

    def begin(self, key: str) -> list[AgentEvent]:
        """Begin a message; one before it is closed."""
        events = self.close()
        self._key, self._whole = key, False
        return events

    def add(self, key: str, piece: str) -> list[AgentEvent]:
        """Add a piece to a message."""
        events = [] if key == self._key else self.begin(key)
        self._pieces.append(piece)
        return [*events, TextDelta(text=piece)]

    def complete(self, key: str, text: str) -> list[AgentEvent]:
        """End a message whose whole text is known now."""
        events = [] if key == self._key else self.begin(key)
        told = "".join(self._pieces)
        self._pieces, self._whole = [text], True
        rest = text.removeprefix(told)
        if text.startswith(told) and rest:
            events.append(TextDelta(text=rest))
        return events

    def close(self) -> list[AgentEvent]:
        """Close the message: something else comes after it.

        One that was broken off (the stream was cut and begins again) counts as failed.
        """
        text, key, whole = "".join(self._pieces), self._key, self._whole
        self._key, self._pieces, self._whole = "", [], True
        if not text:
            return []
        self._last = text if whole else self._last
        status = StepStatus.DONE if whole else StepStatus.FAILED
        return [Step(key=key, kind=StepKind.SAID, status=status, output=text)]


class Retrying:
    """Tells that Codex waits for the model's service and tries again, until it has got on."""

    def __init__(self) -> None:
        self._step: Step | None = None

    def begin(self, message: str, details: str) -> AgentEvent:
        """Return the step of a try that failed; the same step again is a further one."""
        self._step = Step(
            key="retry",
            kind=StepKind.TOOL,
            status=StepStatus.RUNNING,
            name="retry",
            input=message,
            output=details,
        )
        return self._step

    def over(self) -> list[AgentEvent]:
        """Return what ends it: something else has come."""
        step, self._step = self._step, None
        return [] if step is None else [replace(step, status=StepStatus.DONE)]
