"""Showing images by tool: who may, what comes back, and that nobody else waits."""

import base64
import os
import threading
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import pytest

from ccweb.access.model import Agent
from ccweb.media import picture
from ccweb.media import service as media
from ccweb.media.model import Prepared
from ccweb.media.picture import prepared
from ccweb_contract.enums import ImageFormat, MessageRole
from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.media.pictures import FORMATS, a_picture, an_animation, encoded, noise
from tests.tools.desk import Desk, fits

SHOW = ToolName.CCWEB_SHOW_IMAGE


def base64_of(content: bytes) -> str:
    return base64.b64encode(content).decode()


def an_artist(desk: Desk) -> Agent:
    """Return an agent at work in a conversation whose working directory is the desk's project."""
    conversation_id = desk.conversation("Artist")
    with desk.tx() as c:
        c.exec_driver_sql("UPDATE conversation SET cwd = ?", (str(desk.project),))
    return desk.agent(conversation_id)


def kept(desk: Desk) -> set[str]:
    """Return the names of all files of images."""
    folder = media.folder(desk.settings)
    return {path.name for path in folder.rglob("*") if path.is_file()}


def rows(desk: Desk, table: str) -> int:
    with desk.db.connect() as c:
        return int(c.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())


# --- what comes back -----------------------------------------------------------------------------


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("kind", FORMATS)
async def test_an_image_in_a_file_is_shown(desk: Desk, kind: str) -> None:
    agent = an_artist(desk)
    content = a_picture(kind, size=(40, 30))
    (desk.project / "picture").write_bytes(content)
    result = await desk.result(agent, SHOW, path="picture", caption="A till")
    assert fits(TOOLS[SHOW], result)
    assert result == {
        "imageId": result["imageId"],
        "format": ImageFormat(kind.lower()).value,
        "width": 40,
        "height": 30,
        "sizeBytes": len(content),
    }
    assert len(kept(desk)) == 1


@pytest.mark.requirement("R-U4")
async def test_an_image_of_two_mebibytes_as_base64_is_shown(desk: Desk) -> None:
    content = encoded(noise((1400, 1490)), "PNG", compress_level=0)
    assert 2_000_000 < len(content) <= 2 * 1024 * 1024
    result = await desk.result(an_artist(desk), SHOW, data=base64_of(content))
    assert result["sizeBytes"] == len(content)


@pytest.mark.requirement("R-U4")
async def test_the_message_belongs_to_the_turn_and_names_the_image(desk: Desk) -> None:
    agent = an_artist(desk)
    result = await desk.result(agent, SHOW, data=base64_of(a_picture()), caption="A till")
    message = desk.messages(agent.conversation_id)[-1]
    assert agent.lease is not None
    assert (message.role, message.text, message.turn_id, message.display_only) == (
        MessageRole.ASSISTANT,
        "A till",
        agent.lease.turn_id,
        True,
    )
    assert message.metadata == {"imageId": result["imageId"]}


@pytest.mark.requirement("R-U4")
async def test_reading_the_conversation_gives_the_id_of_the_image(desk: Desk) -> None:
    agent = an_artist(desk)
    result = await desk.result(agent, SHOW, data=base64_of(a_picture()), caption="A till")
    read = await desk.result(
        agent, ToolName.CCWEB_GET_CONVERSATION, conversationId=agent.conversation_id
    )
    assert fits(TOOLS[ToolName.CCWEB_GET_CONVERSATION], read)
    assert read["messages"][-1]["metadata"] == {"imageId": result["imageId"]}
    assert read["messages"][-1]["text"] == "A till"


@pytest.mark.requirement("R-U4")
async def test_a_token_of_a_conversation_may_show_images_there(desk: Desk) -> None:
    agent = an_artist(desk)
    script = desk.script(agent.conversation_id)
    await desk.result(script, SHOW, data=base64_of(a_picture()))
    assert desk.messages(agent.conversation_id)[-1].turn_id is None


@pytest.mark.requirement("R-U4")
async def test_the_wrong_ending_of_a_name_makes_no_difference(desk: Desk) -> None:
    (desk.project / "picture.jpg").write_bytes(a_picture("PNG"))
    result = await desk.result(an_artist(desk), SHOW, path="picture.jpg")
    assert result["format"] == ImageFormat.PNG.value


@pytest.mark.requirement("R-U4")
async def test_ten_calls_at_once_keep_the_same_image_once(desk: Desk) -> None:
    agent = an_artist(desk)
    (desk.project / "picture").write_bytes(an_animation())
    shown = []

    async def show() -> None:
        shown.append((await desk.result(agent, SHOW, path="picture"))["imageId"])

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(show)
    assert len(set(shown)) == 10
    assert (rows(desk, "image"), rows(desk, "shown_image")) == (1, 10)
    assert len(kept(desk)) == 2


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize("given", [{}, {"path": "picture", "data": "aGk="}, {"caption": "none"}])
async def test_exactly_one_of_path_and_data_must_be_given(
    desk: Desk, given: dict[str, Any]
) -> None:
    refusal = await desk.refusal(an_artist(desk), SHOW, **given)
    assert refusal.code is ErrorCode.INVALID_PARAMS


@pytest.mark.requirement("R-U4", "R-S4")
async def test_a_person_cannot_show_an_image(desk: Desk) -> None:
    for caller in (desk.browser(), desk.script()):
        refusal = await desk.refusal(caller, SHOW, data=base64_of(a_picture()))
        assert refusal.code is ErrorCode.FORBIDDEN
    assert kept(desk) == set()


REFUSED_PATHS = {
    "../picture": ErrorCode.PATH_OUTSIDE,
    "/etc/passwd": ErrorCode.PATH_OUTSIDE,
    "link": ErrorCode.PATH_OUTSIDE,
    "none": ErrorCode.IMAGE_NOT_FOUND,
    "~/picture": ErrorCode.IMAGE_NOT_FOUND,
    "folder": ErrorCode.IMAGE_NOT_FOUND,
    "fifo": ErrorCode.IMAGE_NOT_FOUND,
    "page.png": ErrorCode.IMAGE_REFUSED,
    "drawing.svg": ErrorCode.IMAGE_REFUSED,
    "large": ErrorCode.IMAGE_TOO_LARGE,
    "nul\x00": ErrorCode.INVALID_PARAMS,
    "n" * 5000: ErrorCode.INVALID_PARAMS,
    "": ErrorCode.INVALID_PARAMS,
}


def _fill(project: Path) -> None:
    (project / "folder").mkdir()
    (project / "link").symlink_to("/etc/hostname")
    (project / "page.png").write_text("<!doctype html>")
    (project / "drawing.svg").write_text("<svg></svg>")
    os.mkfifo(project / "fifo")
    with (project / "large").open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize(("path", "code"), REFUSED_PATHS.items())
async def test_a_path_that_cannot_be_shown_changes_nothing(
    desk: Desk, path: str, code: ErrorCode
) -> None:
    agent = an_artist(desk)
    _fill(desk.project)
    before = desk.everything()
    with anyio.fail_after(10):
        refusal = await desk.refusal(agent, SHOW, path=path)
    assert (refusal.code, refusal.http_status) == (code, HTTP_STATUS[code])
    assert (desk.everything(), kept(desk)) == (before, set())


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("no base64!", ErrorCode.INVALID_PARAMS),
        ("data:image/png;base64," + base64_of(a_picture()), ErrorCode.INVALID_PARAMS),
        (7, ErrorCode.INVALID_PARAMS),
        ("", ErrorCode.INVALID_PARAMS),
        (base64_of(b"just words"), ErrorCode.IMAGE_REFUSED),
        (base64_of(a_picture()[:-20]), ErrorCode.IMAGE_REFUSED),
        ("A" * 2_796_208, ErrorCode.IMAGE_TOO_LARGE),
        (base64_of(bytes(2 * 1024 * 1024 + 1)), ErrorCode.IMAGE_TOO_LARGE),
    ],
)
async def test_data_that_cannot_be_shown_change_nothing(
    desk: Desk, data: Any, code: ErrorCode
) -> None:
    agent = an_artist(desk)
    before = desk.everything()
    refusal = await desk.refusal(agent, SHOW, data=data)
    assert (refusal.code, refusal.http_status) == (code, HTTP_STATUS[code])
    assert (desk.everything(), kept(desk)) == (before, set())


@pytest.mark.requirement("R-U4", "R-D6")
async def test_a_turn_that_has_ended_meanwhile_shows_nothing(desk: Desk) -> None:
    agent = an_artist(desk)
    assert agent.lease is not None
    desk.ends_lease(desk.turn(agent.lease.turn_id))
    refusal = await desk.refusal(agent, SHOW, data=base64_of(a_picture()))
    assert refusal.code is ErrorCode.TURN_OVER
    assert rows(desk, "image") == rows(desk, "shown_image") == 0


@pytest.mark.requirement("R-S4")
async def test_a_disk_that_takes_nothing_is_told(desk: Desk) -> None:
    agent = an_artist(desk)
    media.folder(desk.settings).write_text("in the way")
    refusal = await desk.refusal(agent, SHOW, data=base64_of(a_picture()))
    assert refusal.code is ErrorCode.UNAVAILABLE
    assert rows(desk, "image") == 0


# --- nobody waits --------------------------------------------------------------------------------


@pytest.mark.requirement("R-U4")
async def test_others_read_and_write_while_an_image_is_made_ready(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, other = an_artist(desk), desk.conversation("Other")
    begun, go_on = anyio.Event(), threading.Event()

    def slow(content: bytes) -> Prepared:
        anyio.from_thread.run_sync(begun.set)
        assert go_on.wait(10)
        return prepared(content)

    monkeypatch.setattr(picture, "prepared", slow)
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(desk.result, agent, SHOW, data=base64_of(a_picture())))
            await begun.wait()
            await desk.tell(desk.browser(), other)
            await desk.result(agent, ToolName.CCWEB_LIST_CONVERSATIONS)
            assert rows(desk, "shown_image") == 0
            go_on.set()
    assert rows(desk, "shown_image") == 1


@pytest.mark.requirement("R-U4")
async def test_others_write_all_the_time_while_an_image_of_twenty_mebibytes_is_shown(
    desk: Desk,
) -> None:
    agent = an_artist(desk)
    content = encoded(noise((4400, 4700)), "PNG", compress_level=0)
    assert 20_000_000 < len(content) <= 20 * 1024 * 1024
    (desk.project / "picture").write_bytes(content)
    over = anyio.Event()
    written = 0

    async def others() -> None:
        nonlocal written
        while not over.is_set():
            await desk.db.write(lambda c: c.exec_driver_sql("SELECT 1").one())
            written += 1

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(others)
            await desk.result(agent, SHOW, path="picture")
            over.set()
    assert written > 100
    assert len(kept(desk)) == 2
