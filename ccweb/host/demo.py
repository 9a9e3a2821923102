"""The demo agent: built in, deterministic, a real client of the hub; it needs no account."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio
import anyio.lowlevel
import anyio.to_thread

from ccweb.conversations import rules
from ccweb.conversations.model import Step, TurnEnd
from ccweb.host import researcher
from ccweb.host.agent import Job, Question, Started, Tell, TextDelta
from ccweb.host.demo_calls import Calls
from ccweb.host.directives import (
    Ask,
    Directive,
    Fail,
    Form,
    Long,
    Permission,
    Say,
    Send,
    ShowImage,
    Task,
    Use,
    Wait,
    directives,
)
from ccweb.host.hub_client import HubClient
from ccweb.host.reading import fenced, forms, returned, without_leftovers
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import (
    AgentKind,
    AskKind,
    Lang,
    PermissionAnswer,
    StepKind,
    StepStatus,
    TurnKind,
    TurnStatus,
)

_READ_BYTES: Final = 2 * 1024
_WORD_PAUSE_S: Final = 0.02
_STREAM_S: Final = 1.0
"""The longest that a streamed answer takes, however many words it has."""
_PIECE_LINES: Final = 1000
_DEMO_TOOL: Final = "Bash"
_WORDS: Final = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+$")


class _Failed(Exception):
    """The agent was told to fail."""


class DemoAgent:
    """Obeys the directive lines of its prompt; without any it answers and says what it can do."""

    kind: Final = AgentKind.DEMO

    def __init__(self, s: Settings) -> None:
        self._lang = s.lang
        self._hub = HubClient(s)
        self._briefs: dict[str, researcher.Brief] = {}
        """By conversation, the research that was asked for last."""

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        """Run one turn; the same prompt gives the same text each time."""
        tell(Started())
        work = _Work(self._lang, self._hub, job, tell)
        prompt = without_leftovers(job.turn.prompt)
        brief = self._brief(job, prompt)
        if job.turn.kind is TurnKind.CONTINUATION:
            work.say(_continued(self._lang, job.turn.prompt))
        elif wanted := directives(prompt):
            try:
                await work.obey(wanted)
            except _Failed as failed:
                return TurnEnd(status=TurnStatus.FAILED, text=work.text, error=str(failed))
        elif brief:
            folder = Path(job.conversation.cwd)
            work.say(await anyio.to_thread.run_sync(researcher.answer, brief, folder))
        else:
            await work.stream(_answer(self._lang, job.turn.kind, prompt))
        status = TurnStatus.COMPLETED if work.text else TurnStatus.EMPTY
        return TurnEnd(status=status, text=work.text)

    def _brief(self, job: Job, prompt: str) -> researcher.Brief | None:
        """Return the research that a prompt asks for, or asks for again."""
        where = job.conversation
        if brief := researcher.brief(prompt):
            self._briefs[where.id] = brief
        elif researcher.is_again(prompt):
            name = Path(where.cwd).name
            unknown = researcher.Brief(lang=self._lang, repository=name, work="")
            return self._briefs.get(where.id, unknown)
        return brief

    async def aclose(self) -> None:
        """Close the connections to the hub."""
        await self._hub.aclose()


class _Work:
    """One turn as it goes on: its steps, and the text that grows after the last of them."""

    def __init__(self, lang: Lang, hub: HubClient, job: Job, tell: Tell) -> None:
        self._lang = lang
        self._calls = Calls(lang, hub, job)
        self._job = job
        self._tell = tell
        self._pieces: list[str] = []
        self._steps = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def say(self, paragraph: str) -> None:
        """Add a paragraph; an empty one adds nothing."""
        if paragraph:
            self._add(f"\n\n{paragraph}" if self._pieces else paragraph)

    async def stream(self, text: str) -> None:
        """Add a text word by word."""
        words = _WORDS.findall(text)
        for word in words:
            self._add(word)
            await anyio.sleep(min(_WORD_PAUSE_S, _STREAM_S / len(words)))

    async def obey(self, wanted: Sequence[Directive]) -> None:
        """Do what the directives say, in their order.

        Raises:
            _Failed: one said so; the rest is not done.
        """
        for one in wanted:
            await self._obey(one)
        waits = [one.written for one in wanted if isinstance(one, Wait)]
        if len(waits) == len(wanted):
            self.say(prompts.demo_waited(self._lang, seconds=" + ".join(waits)))

    async def _obey(self, one: Directive) -> None:
        match one:
            case Wait():
                await anyio.sleep(one.seconds)
            case Say():
                self.say(one.text)
            case Long():
                await self._say_much(one.size_bytes)
            case Send() | Task() | Form() | ShowImage():
                self.say(await self._calls.make(one))
            case Fail():
                raise _Failed(prompts.demo_failed(self._lang, reason=one.reason))
            case Use():
                self._use(one)
            case Permission():
                self.say(await self._ask_permission(one))
            case Ask():
                self.say(await self._ask(one))

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._tell(TextDelta(text=piece))

    def _use(self, order: Use) -> None:
        """Tell a step from its begin to its end."""
        key = self._begin_step(order.tool, order.text)
        self._end_step(key, prompts.demo_used(self._lang, tool=order.tool))

    async def _ask_permission(self, order: Permission) -> str:
        """Ask a person to permit a step and say what came of it."""
        request = order.request
        key = self._begin_step(_DEMO_TOOL, request)
        detail = {
            "tool": _DEMO_TOOL,
            "title": request,
            "input": {"command": request},
            "what": f"{_DEMO_TOOL}: {request}",
        }
        answer = await self._job.ask(Question(kind=AskKind.PERMISSION, subject=key, detail=detail))
        if answer.decision is PermissionAnswer.DENY:
            self._end_step(key, answer.note, status=StepStatus.FAILED)
            return prompts.demo_denied(self._lang, request=request, note=answer.note)
        self._end_step(key, prompts.demo_used(self._lang, tool=_DEMO_TOOL))
        return prompts.demo_permitted(self._lang, request=request)

    async def _ask(self, order: Ask) -> str:
        """Ask a person a question and say what the answer was."""
        self._close_text()
        options = [{"label": label, "description": ""} for label in order.options]
        question = {"key": "1", "text": order.question, "options": options, "multiple": False}
        answer = await self._job.ask(
            Question(
                kind=AskKind.QUESTION,
                subject=self._next_key(),
                detail={"questions": [question]},
            )
        )
        if answer.answers is None:
            return prompts.demo_declined(self._lang, question=order.question)
        given = answer.answers["1"]
        said = given if isinstance(given, str) else ", ".join(given)
        return prompts.demo_answered(self._lang, question=order.question, answer=said)

    def _begin_step(self, tool: str, text: str) -> str:
        """Tell that a tool is used, after what was said so far, and return the step's key."""
        self._close_text()
        key = self._next_key()
        self._tell(
            Step(key=key, kind=StepKind.TOOL, status=StepStatus.RUNNING, name=tool, input=text)
        )
        return key

    def _end_step(self, key: str, output: str, *, status: StepStatus = StepStatus.DONE) -> None:
        self._tell(Step(key=key, kind=StepKind.TOOL, status=status, output=output))

    def _close_text(self) -> None:
        """Make what was said so far a step of its own: the final text comes after it."""
        if self._pieces:
            self._tell(
                Step(
                    key=self._next_key(),
                    kind=StepKind.SAID,
                    status=StepStatus.DONE,
                    output=self.text,
                )
            )
            self._pieces.clear()

    def _next_key(self) -> str:
        self._steps += 1
        return str(self._steps)

    async def _say_much(self, size_bytes: int) -> None:
        """Add lines up to a size, some at a time, so that other turns go on meanwhile."""
        number = 0
        while size_bytes > 0:
            lines = (
                prompts.demo_long_line(self._lang, number=number + i + 1)
                for i in range(_PIECE_LINES)
            )
            piece = rules.cut("\n".join(lines) + "\n", size_bytes)
            if not piece:
                return
            self._add(piece if number or not self._pieces else f"\n\n{piece}")
            number += _PIECE_LINES
            size_bytes -= len(piece.encode())
            await anyio.lowlevel.checkpoint()


def _continued(lang: Lang, prompt: str) -> str:
    """Return the replies and forms of a continuation; nothing that is quoted in it is obeyed."""
    replies = returned(prompt)
    said = [prompts.demo_form_continued(lang, text=text) for text in forms(prompt)]
    if replies:
        said.append(prompts.demo_continued(lang, replies=replies))
    return "\n\n".join(said) or prompts.demo_answer(lang, message=rules.cut(prompt, _READ_BYTES))


def _answer(lang: Lang, kind: TurnKind, prompt: str) -> str:
    """Return an answer to a message that asks for nothing in particular."""
    foreign = fenced(prompt) if kind is TurnKind.MESSAGE else []
    message = rules.cut(foreign[0] if foreign else prompt, _READ_BYTES)
    read = prompts.demo_answer(lang, message=message)
    return f"{read}\n\n{prompts.demo_help(lang)}" if kind is TurnKind.PERSON else read
