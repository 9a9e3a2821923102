"""Feishu Project as a source, over its Open API: a plugin's token, then one query of a work item.

The calls and fields are those that its help center and its SDKs document: `plugin_token` with
`token` and `expire_time`, `work_item/{type}/query` with `work_item_status`, `multi_texts` and the
field `aborted`, and the error envelopes of both.
"""

import ipaddress
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

import httpx2
import structlog
from sqlalchemy import Connection

from ccweb.errors import InvalidParams, Unavailable
from ccweb.planning.errors import WorkItemNotFound
from ccweb.planning.model import SpaceId, WorkItem
from ccweb.planning.sources import feishu_answer as answers
from ccweb.settings import variable

log = structlog.get_logger()

_TOKEN_PATH: Final = "/open_api/authen/plugin_token"  # noqa: S105 - a path is no secret
_PLUGIN_TOKEN: Final = 0
"""The kind of token that stands for the plugin itself."""
_TIMEOUT: Final = httpx2.Timeout(10.0, connect=5.0)
_ATTEMPTS: Final = 2
"""Both calls only read, so that one more attempt can do no harm."""
_EARLY_S: Final = 60.0
_LARGEST_BYTES: Final = 8 * 1024 * 1024
_ANSWER_S: Final = 20.0


@dataclass(slots=True, kw_only=True)
class Feishu:
    """A client of Feishu Project with the settings of one plugin."""

    url: str
    plugin_id: str
    plugin_secret: str = field(repr=False)
    user_key: str
    _token: str = field(default="", repr=False)
    _good_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def fetching(
        self, c: Connection, work_item_id: str, *, space_id: SpaceId | None, type_key: str | None
    ) -> Callable[[], WorkItem]:
        """Return what queries a work item.

        Raises:
            InvalidParams: the plugin is not set up, or space or type is missing, without which
                the Open API finds nothing.
            WorkItemNotFound: no work item has such an id.
        """
        self._check_set_up()
        if space_id is None or type_key is None:
            raise InvalidParams(why="A work item of Feishu needs its space and its type.")
        if not work_item_id.isascii() or not work_item_id.isdecimal():
            raise WorkItemNotFound(work_item_id=work_item_id)
        return lambda: self._fetch(space_id, type_key, int(work_item_id))

    def current(self, c: Connection, known: WorkItem) -> WorkItem:
        """Return what was fetched last: a transaction is no place to ask the network."""
        return known

    def _fetch(self, space_id: SpaceId, type_key: str, work_item_id: int) -> WorkItem:
        path = f"/open_api/{quote(space_id, safe='')}/work_item/{quote(type_key, safe='')}/query"
        body = {"work_item_ids": [work_item_id], "expand": {"need_multi_text": True}}
        try:
            with httpx2.Client(base_url=self.url, timeout=_TIMEOUT) as http:
                answer = self._asked(http, path, body)
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
            raise Unavailable(
                why=f"Feishu Project cannot be reached at {self.url!r}: {_reason(error)}."
            ) from error
        return answers.work_item(answer, work_item_id, url=self.url)

    def _asked(self, http: httpx2.Client, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a query, asked once more with a new token if the old one is over."""
        answer = self._post(http, path, body, self._headers(http))
        if answers.code_of(answer) in answers.TOKEN_OVER:
            self._forget_token()
            answer = self._post(http, path, body, self._headers(http))
        return answer

    def _headers(self, http: httpx2.Client) -> dict[str, str]:
        return {"X-PLUGIN-TOKEN": self._plugin_token(http), "X-USER-KEY": self.user_key}

    def _plugin_token(self, http: httpx2.Client) -> str:
        with self._lock:
            if time.monotonic() >= self._good_until:
                body = {
                    "plugin_id": self.plugin_id,
                    "plugin_secret": self.plugin_secret,
                    "type": _PLUGIN_TOKEN,
                }
                token = answers.token(self._post(http, _TOKEN_PATH, body, {}))
                self._token = token.value
                self._good_until = time.monotonic() + max(token.lasts_s - _EARLY_S, 0.0)
            return self._token

    def _forget_token(self) -> None:
        with self._lock:
            self._good_until = 0.0

    def _post(
        self, http: httpx2.Client, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> dict[str, Any]:
        for left in reversed(range(_ATTEMPTS)):
            try:
                with http.stream("POST", path, json=dict(body), headers=dict(headers)) as reply:
                    content = _content(reply)
            except httpx2.TransportError:
                if not left:
                    raise
                continue
            log.info("feishu_answered", path=path, status=reply.status_code, size=len(content))
            if reply.status_code < 500 or not left:
                # what it says of us may be shown, but never what only it may know
                return _object(reply.status_code, content.replace(self._secret, b"***"))
        raise AssertionError("unreachable")

    @property
    def _secret(self) -> bytes:
        return self.plugin_secret.encode()

    def _check_set_up(self) -> None:
        needed = {
            "feishu_plugin_id": self.plugin_id,
            "feishu_plugin_secret": self.plugin_secret,
            "feishu_user_key": self.user_key,
        }
        lacking = [variable(name) for name, value in needed.items() if not value]
        if lacking:
            raise InvalidParams(
                why=f"Feishu Project is not set up: {', '.join(lacking)} is missing."
            )
        if not _is_private(self.url):
            raise InvalidParams(
                why=f"{variable('feishu_url')} must begin with https: a secret goes there."
            )


def _is_private(url: str) -> bool:
    """Tell whether nobody on the way can read what is sent: it is encrypted, or stays here."""
    parts = urlsplit(url)
    if parts.scheme != "http":
        return True  # https, or nothing that is ever sent
    try:
        return ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname == "localhost"


def _reason(error: Exception) -> str:
    """Return why; what is wrong with a header could tell the secret that it carries."""
    told = isinstance(error, httpx2.NetworkError | httpx2.TimeoutException)
    return str(error) if told and str(error) else type(error).__name__


def _content(reply: httpx2.Response) -> bytes:
    """Return the body of a reply as it comes in, as far as it is bearable in size and time."""
    content = bytearray()
    late_at = time.monotonic() + _ANSWER_S
    for part in reply.iter_bytes():
        content += part
        if len(content) > _LARGEST_BYTES:
            raise Unavailable(why=f"Feishu Project answers more than {_LARGEST_BYTES} bytes.")
        if time.monotonic() > late_at:
            raise Unavailable(why=f"Feishu Project needs more than {_ANSWER_S:.0f} s to answer.")
    return bytes(content)


def _object(status: int, content: bytes) -> dict[str, Any]:
    """Return the JSON object of a reply; refusals have a status of their own, but are one too."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Unavailable(why=f"Feishu Project answered with HTTP {status} and no JSON object.")
    return value
