"""The two plain HTTP doors: a tool's own path, and the body of old bridges."""

import json
from typing import Any

import httpx2
import pytest

from ccweb.access import service as access
from ccweb.hub.app import create_app
from ccweb_contract.enums import ReplyMode
from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.hub.doors.conftest import ORIGIN, Doors, bearer
from tests.relay.world import HOST
from tests.tools.desk import OLD_NAME, Desk, fits

SEND = ToolName.CCWEB_SEND_MESSAGE
LIST = ToolName.CCWEB_LIST_CONVERSATIONS
OPENAPI = "/api/openapi.json"


def refused(answer: httpx2.Response) -> ErrorCode:
    """Return the code of a refusal, whose status must be the contract's."""
    body = answer.json()
    assert sorted(body) == ["detail", "error_code", "remedy"]
    code = ErrorCode(body["error_code"])
    assert answer.status_code == HTTP_STATUS[code]
    return code


@pytest.mark.requirement("R-D1", "R-D5")
@pytest.mark.parametrize("end", ["", "/"])
async def test_success_is_the_tools_output_object(desk: Desk, doors: Doors, end: str) -> None:
    desk.conversation("语")
    answer = await doors.post(f"/api/mcp/tools/{LIST}{end}", {}, secret=desk.token().secret)
    assert answer.status_code == 200
    assert fits(TOOLS[LIST], answer.json())
    assert "语" in answer.text


@pytest.mark.requirement("R-D1", "AC4", "R-D3", "R-D4")
async def test_the_old_name_and_a_missing_mode_are_served_with_a_notice(
    desk: Desk, doors: Doors
) -> None:
    desk.loaded(source := desk.conversation("Source"))
    secret = desk.token(source).secret
    given = {"targetConversationId": desk.conversation("Target"), "content": "go"}
    old = (await doors.tool(OLD_NAME, secret, **given)).json()
    given["targetConversationId"] = desk.conversation("Other")
    bare = (await doors.tool(SEND, secret, **given)).json()
    assert (old["replyMode"], bare["replyMode"]) == ("return_and_continue", "one_way")
    assert old["notice"]
    assert bare["notice"]


@pytest.mark.requirement("R-D5", "R-S4")
@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("ccweb_nothing", {}, ErrorCode.UNKNOWN_TOOL),
        ("%00", {}, ErrorCode.UNKNOWN_TOOL),
        (LIST, {"limit": "3"}, ErrorCode.INVALID_PARAMS),
        (LIST, [], ErrorCode.INVALID_PARAMS),
        (LIST, "null", ErrorCode.INVALID_PARAMS),
        (LIST, "", ErrorCode.INVALID_PARAMS),
        (LIST, "{bad", ErrorCode.INVALID_PARAMS),
        (LIST, b"\xff\xff", ErrorCode.INVALID_PARAMS),
        (LIST, '{"limit": NaN}', ErrorCode.INVALID_PARAMS),
        (LIST, '{"limit": 1' + "0" * 5000 + "}", ErrorCode.INVALID_PARAMS),
        (LIST, "[" * 100_000, ErrorCode.INVALID_PARAMS),
        (LIST, '{"query": ' + "[" * 500 + "]" * 500 + "}", ErrorCode.INVALID_PARAMS),
        (LIST, '{"query": "\\u0000"}', ErrorCode.INVALID_PARAMS),
        (LIST, '{"query": "\\ud800"}', ErrorCode.INVALID_PARAMS),
        (SEND, {"targetConversationId": "x", "content": "a"}, ErrorCode.TARGET_NOT_FOUND),
    ],
)
async def test_a_refusal_has_the_contracts_status(
    desk: Desk, doors: Doors, name: str, body: Any, code: ErrorCode
) -> None:
    answer = await doors.post(f"/api/mcp/tools/{name}/", body, secret=desk.token().secret)
    assert refused(answer) is code


@pytest.mark.requirement("R-D5", "R-S4")
async def test_credential_and_tool_are_refused_before_the_body_is_read(
    desk: Desk, doors: Doors
) -> None:
    turn = desk.started(desk.conversation("Source"))
    over = desk.credential(turn)
    desk.ends_lease(turn)
    path = f"/api/mcp/tools/{LIST}/"
    assert refused(await doors.post(path, "{bad", secret="wrong")) is (
        ErrorCode.AUTHENTICATION_FAILED
    )
    assert refused(await doors.post(path, "{bad", secret=over)) is ErrorCode.TURN_OVER
    nothing = await doors.post("/api/mcp/tools/nothing/", "{bad", secret=desk.token().secret)
    assert refused(nothing) is ErrorCode.UNKNOWN_TOOL


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("path", [f"/api/mcp/tools/{LIST}/", "/api/internal/mcp"])
async def test_another_method_is_refused_in_json(doors: Doors, method: str, path: str) -> None:
    answer = await doors.http.request(method, path)
    assert (answer.status_code, answer.json()) == (405, {"detail": "Method Not Allowed"})


async def internal(doors: Doors, secret: str, **body: Any) -> httpx2.Response:
    return await doors.post("/api/internal/mcp", body, secret=secret)


@pytest.mark.requirement("R-D1", "AC4")
async def test_the_internal_door_takes_the_old_body(desk: Desk, doors: Doors) -> None:
    source, target = desk.conversation("Source"), desk.conversation("Target")
    answer = await internal(
        doors,
        desk.token(source).secret,
        tool=OLD_NAME,
        args={"targetConversationId": target, "content": "go"},
        sourceSessionId=source,
        sourceHopCount=0,
    )
    assert answer.json()["replyMode"] == ReplyMode.RETURN_AND_CONTINUE.value


@pytest.mark.requirement("R-D6", "FC-75", "R-S4")
@pytest.mark.parametrize("hops", [0, 99, -1, "x", None])
async def test_a_foreign_session_and_hop_count_are_not_believed(
    desk: Desk, doors: Doors, hops: Any
) -> None:
    source, other, target = (desk.conversation(name) for name in ("Source", "Other", "Target"))
    answer = await internal(
        doors,
        desk.token(source).secret,
        tool=OLD_NAME,
        args={"targetConversationId": target, "content": "go"},
        sourceSessionId=other,
        sourceHopCount=hops,
    )
    row = desk.reply(answer.json()["requestId"])
    assert (row.source_conversation_id, row.hop_count) == (source, 1)


@pytest.mark.requirement("R-D6", "FC-75")
async def test_a_session_in_the_url_is_not_believed_either(desk: Desk, doors: Doors) -> None:
    source, other, target = (desk.conversation(name) for name in ("Source", "Other", "Target"))
    path = f"/api/internal/mcp?sourceSessionId={other}&sourceHopCount=7"
    body = {"tool": OLD_NAME, "args": {"targetConversationId": target, "content": "go"}}
    answer = await doors.post(path, body, secret=desk.token(source).secret)
    row = desk.reply(answer.json()["requestId"])
    assert (row.source_conversation_id, row.hop_count) == (source, 1)


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, ErrorCode.INVALID_PARAMS),
        ({"tool": 3}, ErrorCode.INVALID_PARAMS),
        ({"tool": LIST, "arguments": {}}, ErrorCode.INVALID_PARAMS),
        ({"tool": LIST, "args": "{}"}, ErrorCode.INVALID_PARAMS),
        ({"tool": "ccweb_nothing"}, ErrorCode.UNKNOWN_TOOL),
        ([], ErrorCode.INVALID_PARAMS),
        (f'{{"tool": "{LIST}", "\\ud800": 1}}', ErrorCode.INVALID_PARAMS),
    ],
)
async def test_a_wrong_body_of_the_internal_door_is_refused(
    desk: Desk, doors: Doors, body: Any, code: ErrorCode
) -> None:
    answer = await doors.post("/api/internal/mcp", body, secret=desk.token().secret)
    assert refused(answer) is code


@pytest.mark.requirement("R-S4")
async def test_a_long_name_is_not_repeated_whole(desk: Desk, doors: Doors) -> None:
    body = {"tool": "x" * 1_000_000}
    answer = await doors.post("/api/internal/mcp", body, secret=desk.token().secret)
    assert refused(answer) is ErrorCode.UNKNOWN_TOOL
    assert len(answer.content) < 1000


@pytest.mark.requirement("R-D5")
async def test_an_error_outside_the_dispatcher_leaks_nothing(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    app = create_app(desk.db, desk.settings, host_id=HOST)
    app.state.dispatcher = None
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    headers = bearer(desk.token().secret)
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as http:
        answer = await http.post(f"/api/mcp/tools/{LIST}/", json={}, headers=headers)
    assert refused(answer) is ErrorCode.INTERNAL
    assert "NoneType" not in json.dumps(answer.json())
    error_id = answer.json()["detail"].split()[-1].rstrip(".")
    written = capsys.readouterr()
    assert error_id in written.out + written.err


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("path", ["/mcp", "/api/internal/mcp", "/api/mcp/tools/x/"])
async def test_a_client_that_goes_away_while_sending_is_no_error_of_the_hub(
    desk: Desk, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    app = create_app(desk.db, desk.settings, host_id=HOST)
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [
            (b"host", b"127.0.0.1:8002"),
            (b"content-type", b"application/json"),
            (b"authorization", f"Bearer {desk.token().secret}".encode()),
        ],
    }
    pieces = iter([{"type": "http.request", "body": b"{", "more_body": True}])
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return next(pieces, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        statuses.append(message.get("status", 0))

    async with app.router.lifespan_context(app):
        await app(scope, receive, send)
    assert "Traceback" not in capsys.readouterr().err
    assert all(status < 500 for status in statuses)


@pytest.mark.requirement("R-S1")
async def test_the_document_is_for_callers_and_for_people_who_are_signed_in(
    desk: Desk, doors: Doors
) -> None:
    with desk.tx() as c:
        secret = access.open_session(c, desk.m, desk.settings, desk.owner_id_in(c))
    agent = desk.credential(desk.started(desk.conversation("Agent")))
    let_in = [{"Cookie": f"ccweb-8002={secret}"}, bearer(desk.token().secret), bearer(agent)]
    for given in let_in:
        assert (await doors.http.get(OPENAPI, headers=given)).status_code == 200
    for given in ({}, bearer("wrong"), {"Cookie": "ccweb-8002=wrong"}, bearer(secret)):
        answer = await doors.http.get(OPENAPI, headers=given)
        assert refused(answer) is ErrorCode.AUTHENTICATION_FAILED
