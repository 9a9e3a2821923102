"""A stand-in for Feishu Project: the two calls that we make, in the shapes that are documented."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PLUGIN_ID, SECRET, USER_KEY = "MII_1", "the-secret-of-the-plugin", "7012514555133820947"
SPACE = "60acd5610444ba031b503055"
ITEM: dict[str, Any] = {
    "id": 3012280001,
    "name": "礼品卡",
    "work_item_type_key": "story",
    "project_key": SPACE,
    "simple_name": "shop",
    "template_id": 12345,
    "pattern": "Node",
    "sub_stage": "started",
    "work_item_status": {
        "state_key": "doing",
        "is_archived_state": False,
        "is_init_state": False,
        "updated_at": 1633776613033,
        "updated_by": USER_KEY,
    },
    "current_nodes": [{"id": "state_1", "name": "node1", "owners": [USER_KEY]}],
    "created_at": 1633776613033,
    "updated_at": 1633776613033,
    "deleted_at": 0,
    "fields": [
        {
            "field_alias": "",
            "field_key": "aborted",
            "field_type_key": "aborted",
            "field_value": {"is_aborted": False, "reason": ""},
        },
        {
            "field_alias": "",
            "field_key": "role_owners",
            "field_type_key": "role_owners",
            "field_value": [{"owners": None, "role": "test"}],
        },
    ],
    "multi_texts": [
        {
            "field_key": "description",
            "field_value": {
                "doc": "[]",
                "doc_text": "The till must take them. 🙂",
                "doc_html": "<p>The till must take them. 🙂</p>",
                "is_empty": False,
            },
        }
    ],
}
PATIENCE_S = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that came in."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Server:
    """What it answers, and what it was asked."""

    item: dict[str, Any] = field(default_factory=lambda: json.loads(json.dumps(ITEM)))
    lasts_s: int = 7200
    instead: list[tuple[int, bytes]] = field(default_factory=list)
    """Replies that come first, in place of the real ones, to whatever is asked."""
    down: bool = False
    """Whether it answers nothing but that it is out of order."""
    free: threading.Event = field(default_factory=threading.Event)
    """Nothing is answered before this is set."""

    def __post_init__(self) -> None:
        self.free.set()

    asked: list[Asked] = field(default_factory=list)
    tokens: int = 0
    over: set[str] = field(default_factory=set)
    """Tokens that are refused."""
    url: str = ""

    def queries(self) -> list[Asked]:
        return [one for one in self.asked if one.path.endswith("/query")]

    def answer(self, asked: Asked) -> tuple[int, bytes]:
        self.asked.append(asked)
        self.free.wait(PATIENCE_S)
        if self.down:
            return 503, b""
        if self.instead:
            return self.instead.pop(0)
        said = self._token(asked) if asked.path.endswith("/plugin_token") else self._query(asked)
        return 200, json.dumps(said, ensure_ascii=False).encode()

    def _token(self, asked: Asked) -> dict[str, Any]:
        wanted = {"plugin_id": PLUGIN_ID, "plugin_secret": SECRET, "type": 0}
        if asked.body != wanted:
            return {"data": {}, "error": {"code": 10102, "msg": "plugin secret is wrong"}}
        self.tokens += 1
        data = {"expire_time": self.lasts_s, "token": f"p-{self.tokens}"}
        return {"data": data, "error": {"code": 0, "display_msg": {}, "msg": "success"}}

    def _query(self, asked: Asked) -> dict[str, Any]:
        if asked.headers.get("x-plugin-token") in self.over:
            return {"data": None, "err": {}, "err_code": 10021, "err_msg": "Token Not Exist"}
        here = asked.path == f"/open_api/{SPACE}/work_item/story/query"
        found = [self.item] if here and asked.body["work_item_ids"] == [self.item["id"]] else []
        return {"data": found, "err": {}, "err_code": 0, "err_msg": ""}


@contextmanager
def serving() -> Iterator[Server]:
    """Yield a server on loopback until the context is left."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, said = server.answer(
                Asked(path=self.path, headers=headers, body=json.loads(body))
            )
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join(10)
