"""The demo agent's calls of the hub's tools, and what it says of each."""

import base64
from collections.abc import Mapping
from typing import Any

import anyio.to_thread

from ccweb.host.agent import Job
from ccweb.host.directives import Form, Send, ShowImage, Task
from ccweb.host.drawing import landscape
from ccweb.host.hub_client import HubClient, Refused
from ccweb_contract import prompts
from ccweb_contract.enums import FieldType, Lang, ListScope, ReplyMode
from ccweb_contract.tools import ToolName

Order = Send | Task | Form | ShowImage
"""A directive that calls a tool."""


class Calls:
    """Makes the calls of one turn, each with the credential of its conversation."""

    def __init__(self, lang: Lang, hub: HubClient, job: Job) -> None:
        self._lang = lang
        self._hub = hub
        self._job = job

    async def make(self, order: Order) -> str:
        """Do what a directive says and return what came of it."""
        match order:
            case Send():
                return await self._send(order)
            case Task():
                return await self._create_task(order)
            case Form():
                return await self._request_form(order)
            case ShowImage():
                return await self._show_image(order)

    async def _call(self, tool: ToolName, arguments: dict[str, Any]) -> Mapping[str, Any] | Refused:
        return await self._hub.call(self._job.credential, tool, arguments)

    async def _create_task(self, order: Task) -> str:
        tool = ToolName.CCWEB_CREATE_TASK
        made = await self._call(tool, {"title": order.title})
        if isinstance(made, Refused):
            return self._call_refused(tool, made)
        return prompts.demo_task_created(self._lang, title=order.title, task_id=made["taskId"])

    async def _request_form(self, order: Form) -> str:
        """Ask for a line of text for each label; the first one is required."""
        tool = ToolName.CCWEB_REQUEST_FORM
        fields = [
            {
                "name": f"field_{number}",
                "label": label,
                "type": FieldType.TEXT.value,
                "required": number == 1,
            }
            for number, label in enumerate(order.labels, start=1)
        ]
        asked = await self._call(tool, {"title": order.title, "fields": fields})
        if isinstance(asked, Refused):
            return self._call_refused(tool, asked)
        return prompts.demo_form_requested(self._lang, title=order.title)

    async def _show_image(self, order: ShowImage) -> str:
        tool = ToolName.CCWEB_SHOW_IMAGE
        shown = await self._call(tool, {"path": order.path} if order.path else await self._drawn())
        if isinstance(shown, Refused):
            return self._call_refused(tool, shown)
        return prompts.demo_image_shown(self._lang, width=shown["width"], height=shown["height"])

    async def _drawn(self) -> dict[str, str]:
        """Return the picture that it draws, which takes a moment of a processor."""
        picture = await anyio.to_thread.run_sync(landscape)
        return {
            "data": base64.b64encode(picture).decode(),
            "caption": prompts.demo_image_caption(self._lang),
        }

    def _call_refused(self, tool: ToolName, refused: Refused) -> str:
        return prompts.demo_call_refused(
            self._lang,
            tool=tool.value,
            error_code=refused.error_code,
            detail=refused.detail,
            remedy=refused.remedy,
        )

    async def _send(self, order: Send) -> str:
        """Send a message to the conversation of a title and say what came of it."""
        target = await self._target_id(order.title)
        if isinstance(target, Refused):
            return self._send_refused(order, target)
        if target is None:
            return prompts.demo_target_missing(self._lang, target_title=order.title)
        mode = ReplyMode.RETURN_AND_CONTINUE if order.returns else ReplyMode.ONE_WAY
        sent = await self._call(
            ToolName.CCWEB_SEND_MESSAGE,
            {"targetConversationId": target, "content": order.text, "replyMode": mode.value},
        )
        if isinstance(sent, Refused):
            return self._send_refused(order, sent)
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
            page = await self._call(
                ToolName.CCWEB_LIST_CONVERSATIONS, wanted | ({"cursor": cursor} if cursor else {})
            )
            if isinstance(page, Refused):
                return page
            for found in page["conversations"]:
                if found["title"] == title:
                    return str(found["conversationId"])
            if not (cursor := page.get("nextCursor")):
                return None

    def _send_refused(self, order: Send, refused: Refused) -> str:
        return prompts.demo_refused(
            self._lang,
            target_title=order.title,
            error_code=refused.error_code,
            detail=refused.detail,
            remedy=refused.remedy,
        )
