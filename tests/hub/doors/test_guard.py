"""What stands before every route: Host, Origin, type, size and credential."""

import logging
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path

import pytest

from ccweb.access import service as access
from ccweb.hub import guard
from ccweb.settings import Settings
from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from ccweb_contract.tools import ToolName
from tests.hub.doors.conftest import ORIGIN, Doors, bearer
from tests.tools.desk import Desk

LIST = ToolName.CCWEB_LIST_CONVERSATIONS
DOORS = ("/mcp", f"/api/mcp/tools/{LIST}/", f"/api/mcp/tools/{LIST}", "/api/internal/mcp")
PAGES = (
    "/",
    "/events",
    "/static/app.js",
    "/sign-in",
    "/nothing",
    "/.well-known/anything",
    "/api/openapi.json",
)
FOREIGN = ("http://evil.example", "http://127.0.0.1:9999", "https://127.0.0.1.evil.example", "null")


@pytest.mark.requirement("R-S1", "FC-73")
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8002", "10.0.0.7:8002", "", "[", "a@127.0.0.1"]
)
async def test_a_foreign_host_is_refused_on_every_route(
    desk: Desk, doors: Doors, host: str
) -> None:
    headers = {"Host": host} | bearer(desk.token().secret)
    for path, method in product((*DOORS, *PAGES), ("GET", "POST")):
        answer = await doors.http.request(method, path, headers=headers)
        assert answer.status_code == HTTP_STATUS[ErrorCode.FORBIDDEN]
        assert answer.json()["error_code"] == ErrorCode.FORBIDDEN


@pytest.mark.requirement("R-S1", "FC-73")
@pytest.mark.parametrize("origin", FOREIGN)
async def test_a_foreign_origin_is_refused_on_every_route(
    desk: Desk, doors: Doors, origin: str
) -> None:
    headers = {"Origin": origin} | bearer(desk.token().secret)
    for path in (*DOORS, *PAGES):
        answer = await doors.http.post(path, headers=headers, json={})
        assert answer.json()["error_code"] == ErrorCode.FORBIDDEN


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize("host", ["127.0.0.1:8002", "localhost:1234", "[::1]:8002", "LOCALHOST"])
async def test_this_machines_own_names_are_let_in(desk: Desk, doors: Doors, host: str) -> None:
    answer = await doors.http.post(
        DOORS[1],
        json={},
        headers={"Host": host, "Origin": f"http://{host}"} | bearer(desk.token().secret),
    )
    assert answer.status_code == 200


@pytest.mark.requirement("R-S1", "FC-73")
async def test_a_cookie_changes_nothing_without_an_origin(desk: Desk, doors: Doors) -> None:
    with desk.tx() as c:
        secret = access.open_session(c, desk.m, desk.settings, desk.owner_id_in(c))
    cookie = {"Cookie": f"ccweb-8002={secret}"}
    for path in ("/sign-out", "/conversations/x/messages"):
        answer = await doors.http.post(path, headers=cookie)
        assert answer.json()["error_code"] == ErrorCode.FORBIDDEN
    with desk.db.connect() as c:
        assert access.browser(c, desk.m, secret).person_id == desk.owner_id_in(c)


@pytest.mark.requirement("R-S1", "FC-73")
async def test_a_cookie_opens_no_door(desk: Desk, doors: Doors) -> None:
    with desk.tx() as c:
        secret = access.open_session(c, desk.m, desk.settings, desk.owner_id_in(c))
    headers = {"Cookie": f"ccweb-8002={secret}", "Origin": ORIGIN}
    for path in DOORS:
        assert (await doors.post(path, {}, headers=headers)).status_code == 401


@pytest.mark.requirement("R-D6", "R-S1", "R-S4")
@pytest.mark.parametrize(
    "given",
    ["", "Bearer", "Bearer ", "Bearer wrong", "Basic {good}", "{good}", "Bearer {good}x"],
)
async def test_without_a_good_credential_nothing_is_read(
    desk: Desk, doors: Doors, given: str
) -> None:
    headers = {"Authorization": given.format(good=desk.token().secret)} if given else {}
    before = desk.everything()
    for path in DOORS:
        answer = await doors.post(path, "{not even JSON", headers=headers)
        assert answer.status_code == 401
        assert answer.json()["error_code"] == ErrorCode.AUTHENTICATION_FAILED
        assert answer.headers["www-authenticate"] == "Bearer"
    assert desk.everything() == before


@pytest.mark.requirement("R-S4", "R-S5")
async def test_a_revoked_token_is_refused_at_once(desk: Desk, doors: Doors) -> None:
    token = desk.token()
    with desk.tx() as c:
        access.revoke_token(c, desk.m, token.id)
    for path in DOORS:
        assert (await doors.post(path, {}, secret=token.secret)).status_code == 401


@pytest.mark.requirement("FC-74", "R-S1")
@pytest.mark.parametrize("name", ["token", "access_token", "authorization", "ticket"])
async def test_a_token_in_the_url_opens_nothing(desk: Desk, doors: Doors, name: str) -> None:
    secret = desk.token().secret
    for path in DOORS:
        assert (await doors.post(f"{path}?{name}={secret}", {})).status_code == 401


@pytest.mark.requirement("FC-74")
async def test_no_secret_is_logged(
    desk: Desk, doors: Doors, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = desk.token().secret
    await doors.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, secret=secret)
    await doors.tool(LIST, secret, colour="red")
    await doors.tool(LIST, secret + "x")
    written = capsys.readouterr()
    assert secret not in caplog.text + written.out + written.err


@pytest.mark.requirement("FC-73", "R-S4")
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"]
)
async def test_a_body_of_another_type_is_not_read(desk: Desk, doors: Doors, kind: str) -> None:
    secret, headers = desk.token().secret, {"Content-Type": kind}
    for path in DOORS:
        answer = await doors.post(path, "{}", secret=secret, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["error_code"] == ErrorCode.INVALID_PARAMS


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("told", [True, False], ids=["told", "not told"])
async def test_a_huge_body_is_refused_before_it_is_parsed(
    desk: Desk, doors: Doors, told: bool
) -> None:
    size = desk.settings.body_limit_bytes + 1

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(size // 65536 + 1):
            yield b" " * 65536

    secret = desk.token().secret
    for path in (*DOORS, *(["/sign-in"] if told else [])):
        answer = await doors.http.post(
            path,
            content=b" " * size if told else parts(),
            headers={"Content-Type": "application/json", "Origin": ORIGIN} | bearer(secret),
        )
        assert answer.status_code == 413
        assert answer.json()["error_code"] == ErrorCode.CONTENT_TOO_LARGE


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize("path", ["/", "/events", "/nothing", "/conversations/x"])
async def test_a_stranger_sees_no_page(doors: Doors, path: str) -> None:
    asked = await doors.http.get(path, headers={"Accept": "text/html"})
    assert asked.status_code == 303
    assert asked.headers["location"].startswith("/sign-in")
    assert (await doors.http.get(path)).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
    ],
)
async def test_oauth_discovery_finds_nothing_in_plain_json(doors: Doors, path: str) -> None:
    answer = await doors.http.get(path)
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize(
    ("listens_on", "host", "known"),
    [
        ("127.0.0.1", "127.0.0.1:8002", True),
        ("127.0.0.1", "192.168.1.5:8002", False),
        ("0.0.0.0", "192.168.1.5:8002", True),
        ("0.0.0.0", "[fe80::1]:8002", True),
        ("0.0.0.0", "localhost:8002", True),
        ("0.0.0.0", "evil.example:8002", False),
        ("0.0.0.0", "hub.example:443", True),
        ("192.168.1.5", "192.168.1.5:8002", True),
    ],
)
def test_beyond_loopback_addresses_and_the_hubs_own_names_are_known(
    tmp_path: Path, listens_on: str, host: str, known: bool
) -> None:
    s = Settings(data_dir=tmp_path, host=listens_on, url="https://hub.example/")
    assert guard.names_of(s).has(host) is known


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("x", False)],
)
def test_loopback_is_told_from_the_rest(host: str, expected: bool) -> None:
    assert guard.is_loopback(host) is expected
