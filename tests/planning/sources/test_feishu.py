"""Feishu Project as a source, against a server on loopback that answers in its shapes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from ccweb.db.engine import Database
from ccweb.errors import InvalidParams, Unavailable
from ccweb.planning.errors import WorkItemNotFound
from ccweb.planning.model import SpaceId, WorkItem
from ccweb.planning.sources import feishu
from ccweb.planning.sources import source as sources
from ccweb.planning.sources.source import Wanted
from ccweb.settings import Settings, variable
from ccweb_contract.enums import WorkItemSource
from tests.planning.sources.feishu_server import (
    ITEM,
    SECRET,
    SPACE,
    USER_KEY,
    Server,
)
from tests.planning.sources.feishu_world import ITEM_ID, server, settings

__all__ = ["server"]


def fetched(s: Settings, item_id: str = ITEM_ID, **changes: Any) -> WorkItem:
    wanted = {
        "source": WorkItemSource.FEISHU,
        "id": item_id,
        "space_id": SpaceId(SPACE),
        "type": "story",
    } | changes
    db = Database("sqlite://")
    with db.connect() as c:
        fetch = sources.fetching(c, s, Wanted(**wanted))
    db.close()
    return fetch()


@pytest.mark.requirement("R-P2")
def test_a_work_item_comes_with_its_text_its_state_and_its_page(
    server: Server, tmp_path: Path
) -> None:
    assert fetched(settings(server, tmp_path)) == WorkItem(
        source=WorkItemSource.FEISHU,
        space_id=SpaceId(SPACE),
        id=ITEM_ID,
        title="礼品卡",
        text="The till must take them. 🙂",
        state="doing",
        cancelled=False,
        url=f"{server.url}/shop/story/detail/{ITEM_ID}",
        type="story",
    )
    (query,) = server.queries()
    assert query.body == {"work_item_ids": [ITEM["id"]], "expand": {"need_multi_text": True}}
    assert (query.headers["x-plugin-token"], query.headers["x-user-key"]) == ("p-1", USER_KEY)


@pytest.mark.requirement("R-P7")
@pytest.mark.parametrize("sign", ["aborted", "deleted"])
def test_an_aborted_or_deleted_work_item_is_cancelled(
    server: Server, tmp_path: Path, sign: str
) -> None:
    if sign == "aborted":
        server.item["fields"][0]["field_value"]["is_aborted"] = True
    else:
        server.item["deleted_at"] = 1633776613033
    assert fetched(settings(server, tmp_path)).cancelled


def test_one_token_serves_until_it_is_over(server: Server, tmp_path: Path) -> None:
    s = settings(server, tmp_path)
    fetched(s)
    fetched(s)
    assert server.tokens == 1
    server.over.add("p-1")
    assert fetched(s).title == "礼品卡"
    assert server.tokens == 2
    assert [one.headers["x-plugin-token"] for one in server.queries()] == [
        *("p-1", "p-1", "p-1", "p-2")
    ]


def test_a_token_that_lasts_no_time_is_fetched_for_each_query(
    server: Server, tmp_path: Path
) -> None:
    server.lasts_s = 10
    for _ in range(2):
        fetched(settings(server, tmp_path))
    assert server.tokens == 2


def test_a_token_that_is_refused_again_is_an_error_and_no_endless_loop(
    server: Server, tmp_path: Path
) -> None:
    server.over.update(f"p-{number}" for number in range(10))
    with pytest.raises(Unavailable, match="10021"):
        fetched(settings(server, tmp_path))
    assert len(server.queries()) == 2


def test_a_wrong_secret_is_said_with_the_servers_words_and_never_the_secret(
    server: Server, tmp_path: Path
) -> None:
    s = replace(settings(server, tmp_path), feishu_plugin_secret="wrong-secret")
    with pytest.raises(Unavailable) as refused, capture_logs() as logs:
        fetched(s)
    assert "10102" in refused.value.detail
    assert "plugin secret is wrong" in refused.value.detail
    assert "wrong-secret" not in f"{refused.value.detail}{logs}{s}"
    assert server.queries() == []


@pytest.mark.requirement("R-S1")
def test_no_secret_stands_in_a_log(server: Server, tmp_path: Path) -> None:
    s = settings(server, tmp_path)
    with capture_logs() as logs:
        fetched(s)
    assert [entry["event"] for entry in logs] == ["feishu_answered"] * 2
    said = f"{logs} {s} {sources.of(s, WorkItemSource.FEISHU)}"
    assert SECRET not in said
    assert "p-1" not in said


@pytest.mark.parametrize("item_id", ["1", "task_1", "", "-1", "٣", "9" * 30])
def test_a_work_item_that_is_not_there_is_not_found(
    server: Server, tmp_path: Path, item_id: str
) -> None:
    with pytest.raises(WorkItemNotFound) as refused:
        fetched(settings(server, tmp_path), item_id)
    assert refused.value.work_item_id == item_id


@pytest.mark.parametrize("lacking", ["space_id", "type"])
def test_space_and_type_are_needed(server: Server, tmp_path: Path, lacking: str) -> None:
    changes: dict[str, Any] = {lacking: None}
    with pytest.raises(InvalidParams):
        fetched(settings(server, tmp_path), **changes)
    assert server.asked == []


@pytest.mark.parametrize("name", ["feishu_plugin_id", "feishu_plugin_secret", "feishu_user_key"])
def test_what_is_not_set_up_is_named(server: Server, tmp_path: Path, name: str) -> None:
    changes: dict[str, Any] = {name: ""}
    s = replace(settings(server, tmp_path), **changes)
    with pytest.raises(InvalidParams, match=variable(name)):
        fetched(s)
    assert server.asked == []


def test_a_space_cannot_lead_to_another_address(server: Server, tmp_path: Path) -> None:
    with pytest.raises(WorkItemNotFound):
        fetched(settings(server, tmp_path), space_id=SpaceId("../authen/plugin_token?x="))
    (query,) = server.queries()
    assert query.path == "/open_api/..%2Fauthen%2Fplugin_token%3Fx%3D/work_item/story/query"


def test_a_server_that_stumbles_once_is_asked_once_more(server: Server, tmp_path: Path) -> None:
    server.instead = [(502, b"<html>")]
    assert fetched(settings(server, tmp_path)).title == "礼品卡"


@pytest.mark.parametrize(
    "reply",
    [
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"half": '),
        (401, b'{"err_code": 10301, "err_msg": "Check Token Perm Failed"}'),
        (429, b'{"err_code": 10429, "err_msg": "API Request Frequency Limit"}'),
        (503, b"later"),
        (302, b""),
        (200, b"[" * 100_000),
        (200, b'{"data": "' + b"x" * 9_000_000 + b'"}'),
    ],
    ids=["html", "list", "half", "forbidden", "too often", "down", "elsewhere", "deep", "large"],
)
def test_whatever_else_comes_is_no_work_item_and_no_crash(
    server: Server, tmp_path: Path, reply: tuple[int, bytes]
) -> None:
    s = settings(server, tmp_path)
    fetched(s)
    server.instead = [reply, reply]
    with pytest.raises(Unavailable):
        fetched(s)


@pytest.mark.parametrize("value", [None, 1, [], {}, "x", [None], [{"field_key": "description"}]])
@pytest.mark.parametrize("name", sorted(set(ITEM) - {"id"}))
def test_a_field_of_any_other_kind_reads_as_missing(
    server: Server, tmp_path: Path, name: str, value: object
) -> None:
    server.item[name] = value
    item = fetched(settings(server, tmp_path))
    assert all(isinstance(text, str) for text in (item.title, item.text, item.state, item.space_id))
    json.dumps(item.title).encode()


def test_a_server_that_is_away_is_said(server: Server, tmp_path: Path, free_port: int) -> None:
    s = replace(settings(server, tmp_path), feishu_url=f"http://127.0.0.1:{free_port}")
    with pytest.raises(Unavailable, match="cannot be reached"):
        fetched(s)


@pytest.mark.requirement("R-S1")
def test_what_no_header_can_carry_is_said_without_it(server: Server, tmp_path: Path) -> None:
    for user_key in ("ключ", "key\nX-Evil: 1"):
        with pytest.raises(Unavailable) as refused:
            fetched(replace(settings(server, tmp_path), feishu_user_key=user_key))
        assert user_key not in refused.value.detail
    assert server.queries() == []


@pytest.mark.parametrize("url", ["", "nowhere", "ftp://127.0.0.1", "https://a\nb"])
def test_an_address_that_is_none_is_said(server: Server, tmp_path: Path, url: str) -> None:
    with pytest.raises(Unavailable):
        fetched(replace(settings(server, tmp_path), feishu_url=url))


@pytest.mark.requirement("R-S1")
def test_no_secret_goes_unencrypted_to_another_machine(server: Server, tmp_path: Path) -> None:
    s = settings(server, tmp_path)
    for url in ("http://project.feishu.cn", "http://10.0.0.1", "HTTP://127.0.0.1.example", "http:"):
        with pytest.raises(InvalidParams, match=variable("feishu_url")):
            fetched(replace(s, feishu_url=url))


@pytest.mark.requirement("R-S1")
def test_a_secret_that_comes_back_is_not_told_on(server: Server, tmp_path: Path) -> None:
    said = {"data": {}, "error": {"code": 10102, "msg": f"{SECRET} is wrong"}}
    server.instead = [(200, json.dumps(said).encode())]
    with pytest.raises(Unavailable, match="is wrong") as refused:
        fetched(settings(server, tmp_path))
    assert SECRET not in refused.value.detail


@pytest.mark.parametrize("lasts_s", [10**400, -(10**400)])
def test_a_token_of_any_age_is_used(server: Server, tmp_path: Path, lasts_s: int) -> None:
    server.lasts_s = lasts_s
    assert fetched(settings(server, tmp_path)).title == "礼品卡"


def test_an_answer_that_never_ends_is_given_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feishu, "_ANSWER_S", -1.0)
    with pytest.raises(Unavailable, match="needs more than"):
        fetched(settings(server, tmp_path))
