"""The demo agent: built in, deterministic, a real client of the hub; it needs no account."""

import re
from collections.abc import Sequence
from typing import Final

import anyio
import anyio.lowlevel

from ccweb.conversations import rules
from ccweb.conversations.model import TurnEnd
from ccweb.host.agent import Job, Started, Tell, TextDelta
from ccweb.host.directives import (
    Directive,
    Fail,
    Long,
    Say,
    Send,
    Wait,
    directives,
    fenced,
    returned,
    without_leftovers,
)
from ccweb.host.hub_client import HubClient, Refused
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import AgentKind, Lang, ListScope, ReplyMode, TurnKind, TurnStatus
from ccweb_contract.tools import ToolName

_READ_BYTES: Final = 2 * 1024
_WORD_PAUSE_S: Final = 0.02
_STREAM_S: Final = 1.0
"""The longest that a streamed answer takes, however many words it has."""
_PIECE_LINES: Final = 1000
_WORDS: Final = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+$")


class _Failed(Exception):
    """The agent was told to fail."""


class DemoAgent:
    """Obeys the directive lines of its prompt; without any it answers and says what it can do."""

    kind: Final = AgentKind.DEMO

    def __init__(self, s: Settings) -> None:
        self._lang = s.lang
        self._hub = HubClient(s)

    async def run(self, job: Job, tell: Tell) -> TurnEnd:
        """Run one turn; the same prompt gives the same text each time."""
        tell(Started())
        work = _Work(self._lang, self._hub, job.credential, tell)
        prompt = without_leftovers(job.turn.prompt)
        if job.turn.kind is TurnKind.CONTINUATION:
            work.say(_continued(self._lang, job.turn.prompt))
        elif wanted := directives(prompt):
            try:
                await work.obey(wanted)
            except _Failed as failed:
                return TurnEnd(status=TurnStatus.FAILED, text=work.text, error=str(failed))
        else:
            await work.stream(_answer(self._lang, job.turn.kind, prompt))
        status = TurnStatus.COMPLETED if work.text else TurnStatus.EMPTY
        return TurnEnd(status=status, text=work.text)

    async def aclose(self) -> None:
        """Close the connections to the hub."""
        await self._hub.aclose()


class _Work:
    """The text of one turn, as it grows."""

    def __init__(self, lang: Lang, hub: HubClient, credential: str, tell: Tell) -> None:
        self._lang = lang
        self._hub = hub
        self._credential = credential
        self._tell = tell
        self._pieces: list[str] = []

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
            match one:
                case Wait():
                    await anyio.sleep(one.seconds)
                case Say():
                    self.say(one.text)
                case Long():
                    await self._say_much(one.size_bytes)
                case Send():
                    self.say(await self._send(one))
                case Fail():
                    raise _Failed(prompts.demo_failed(self._lang, reason=one.reason))
        waits = [one.written for one in wanted if isinstance(one, Wait)]
        if len(waits) == len(wanted):
            self.say(prompts.demo_waited(self._lang, seconds=" + ".join(waits)))

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._tell(TextDelta(text=piece))

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

    async def _send(self, order: Send) -> str:
        """Send a message to the conversation of a title and say what came of it."""
        target = await self._target_id(order.title)
        if isinstance(target, Refused):
            return self._refused(order, target)
        if target is None:
            return prompts.demo_target_missing(self._lang, target_title=order.title)
        mode = ReplyMode.RETURN_AND_CONTINUE if order.returns else ReplyMode.ONE_WAY
        sent = await self._hub.call(
            self._credential,
            ToolName.CCWEB_SEND_MESSAGE,
            {"targetConversationId": target, "content": order.text, "replyMode": mode.value},
        )
        if isinstance(sent, Refused):
            return self._refused(order, sent)
        if order.returns:
            return prompts.demo_delegated(
                self._lang, target_title=order.title, request_id=sent["requestId"]
            )
        return prompts.demo_told(self._lang, target_title=order.title)

    async def _target_id(self, title: str) -> str | Refused | None:
        """Return the id of the conversation with exactly this title, None when there is none."""
        wanted = {"query": title, "scope": ListScope.ALL.value, "limit": 200}
        cursor = None
        while True:
            page = await self._hub.call(
                self._credential,
                ToolName.CCWEB_LIST_CONVERSATIONS,
                wanted | ({"cursor": cursor} if cursor else {}),
            )
            if isinstance(page, Refused):
                return page
            for found in page["conversations"]:
                if found["title"] == title:
                    return str(found["conversationId"])
            if not (cursor := page.get("nextCursor")):
                return None

    def _refused(self, order: Send, refused: Refused) -> str:
        return prompts.demo_refused(
            self._lang,
            target_title=order.title,
            error_code=refused.error_code,
            detail=refused.detail,
            remedy=refused.remedy,
        )


def _continued(lang: Lang, prompt: str) -> str:
    """Return the replies of a continuation; nothing that is quoted in it is obeyed."""
    replies = returned(prompt)
    if replies:
        return prompts.demo_continued(lang, replies=replies)
    return prompts.demo_answer(lang, message=rules.cut(prompt, _READ_BYTES))


def _answer(lang: Lang, kind: TurnKind, prompt: str) -> str:
    """Return an answer to a message that asks for nothing in particular."""
    foreign = fenced(prompt) if kind is TurnKind.MESSAGE else []
    message = rules.cut(foreign[0] if foreign else prompt, _READ_BYTES)
    read = prompts.demo_answer(lang, message=message)
    return f"{read}\n\n{prompts.demo_help(lang)}" if kind is TurnKind.PERSON else read
