"""Keeping images once, and letting go of them when nothing shows them any more."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest

from ccweb.errors import Unavailable
from ccweb.hub import images
from ccweb.media import files, store
from ccweb.media import service as media
from ccweb.media.model import Prepared, ShownImage
from ccweb.media.picture import prepared
from ccweb.relay import service as relay
from ccweb_contract.enums import MessageRole
from tests.media.pictures import a_picture, an_animation
from tests.relay.world import World, a_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a world with its own data folder."""
    world = a_world(tmp_path)
    yield world
    world.db.close()


def put(world: World, content: bytes) -> Prepared:
    """Keep an image as a call does before its transaction."""
    ready = prepared(content)
    files.keep(media.folder(world.settings), ready)
    return ready


def shown(world: World, conversation_id: str, ready: Prepared) -> ShownImage:
    """Show it as a call does inside its transaction."""
    with world.tx() as c:
        return media.show(
            c,
            world.m,
            world.settings,
            ready,
            conversation_id=conversation_id,
            turn_id=None,
            caption="A picture",
        )


def names(world: World) -> set[str]:
    """Return the names of all files of images."""
    folder = media.folder(world.settings)
    return {path.name for path in folder.rglob("*") if path.is_file()}


def hashes(world: World) -> set[str]:
    """Return the images that the database knows."""
    with world.db.connect() as c:
        return set(c.exec_driver_sql("SELECT hash FROM image").scalars())


def let_age(world: World, name: str = "*") -> None:
    """Let files look as if they had been written long ago."""
    for path in media.folder(world.settings).rglob(name):
        os.utime(path, (0, 0))


async def swept(world: World) -> None:
    with anyio.fail_after(10):
        await images.sweep(world.db, world.settings)


# --- showing -------------------------------------------------------------------------------------


@pytest.mark.requirement("R-U4")
def test_showing_writes_a_message_with_the_caption_that_names_the_image(world: World) -> None:
    conversation_id = world.conversation("A")
    image = shown(world, conversation_id, put(world, a_picture()))
    message = world.messages(conversation_id)[-1]
    assert message.id == image.message_id
    assert (message.role, message.text) == (MessageRole.ASSISTANT, "A picture")
    assert message.display_only
    assert message.metadata == {"imageId": image.id}
    with world.db.connect() as c:
        assert store.get(c, image.id) == image


@pytest.mark.requirement("R-U4")
def test_the_same_picture_shown_twice_is_kept_once(world: World) -> None:
    conversation_id = world.conversation("A")
    first = shown(world, conversation_id, put(world, a_picture()))
    second = shown(world, conversation_id, put(world, a_picture()))
    assert first.id != second.id
    assert first.image == second.image
    assert names(world) == hashes(world) == {first.image.hash}


@pytest.mark.requirement("R-U4")
def test_files_lie_by_their_hash_for_their_owner_alone(world: World) -> None:
    ready = put(world, a_picture(size=(1000, 10)))
    image_hash = ready.image.hash
    folder = media.folder(world.settings)
    assert (folder / image_hash[:2] / image_hash).read_bytes() == ready.content
    assert (folder / image_hash[:2] / f"{image_hash}.thumb.webp").read_bytes() == ready.thumb
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.requirement("R-S4")
def test_a_folder_that_takes_nothing_is_told_and_leaves_nothing(world: World) -> None:
    media.folder(world.settings).write_text("in the way")
    with pytest.raises(Unavailable):
        put(world, a_picture())
    assert hashes(world) == set()


# --- letting go ----------------------------------------------------------------------------------


@pytest.mark.requirement("R-U4")
async def test_a_deleted_conversation_takes_its_images_with_it(world: World) -> None:
    kept, deleted = world.conversation("Kept"), world.conversation("Deleted")
    both, lone = put(world, a_picture()), put(world, an_animation())
    stays = shown(world, kept, both)
    goes = [shown(world, deleted, both), shown(world, deleted, lone)]
    with world.tx() as c:
        relay.delete(c, world.m, world.settings, deleted)
        assert [store.get(c, image.id) for image in goes] == [None, None]
    let_age(world)
    await swept(world)
    assert names(world) == hashes(world) == {both.image.hash}
    with world.db.connect() as c:
        assert store.get(c, stays.id) == stays


@pytest.mark.requirement("R-U4")
async def test_a_sweep_leaves_what_is_shown(world: World) -> None:
    image = shown(world, world.conversation("A"), put(world, an_animation()))
    let_age(world)
    await swept(world)
    image_hash = image.image.hash
    assert hashes(world) == {image_hash}
    assert names(world) == {image_hash, f"{image_hash}.thumb.webp"}


@pytest.mark.requirement("R-U4")
async def test_a_sweep_leaves_a_file_whose_call_is_on_its_way(world: World) -> None:
    ready = put(world, a_picture())
    await swept(world)
    assert names(world) == {ready.image.hash}


@pytest.mark.requirement("R-U4")
async def test_a_file_is_new_again_when_its_picture_is_prepared_again(world: World) -> None:
    put(world, an_animation())
    let_age(world)
    ready = put(world, an_animation())
    await swept(world)
    assert names(world) == {ready.image.hash, f"{ready.image.hash}.thumb.webp"}


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("left", ["the image", "its thumbnail", "half a file"])
async def test_what_a_killed_hub_has_left_is_swept_up(world: World, left: str) -> None:
    ready = put(world, an_animation())
    place = files.original(media.folder(world.settings), ready.image.hash)
    if left == "its thumbnail":
        place.unlink()
    if left == "half a file":
        files.remove(media.folder(world.settings), ready.image.hash)
        place.with_name("tmpabc.tmp").write_bytes(ready.content[:10])
    let_age(world)
    await swept(world)
    assert names(world) == set()


@pytest.mark.requirement("R-U4")
async def test_a_sweep_leaves_files_that_are_not_its_own(world: World) -> None:
    put(world, a_picture())
    folder = media.folder(world.settings)
    for other in (folder / "README", next(folder.iterdir()) / "notes.txt"):
        other.write_text("mine")
    let_age(world)
    await swept(world)
    assert names(world) == {"README", "notes.txt"}


@pytest.mark.requirement("R-U4")
async def test_a_sweep_before_any_image_has_nothing_to_do(world: World) -> None:
    await swept(world)
    assert names(world) == set()


@pytest.mark.requirement("R-U4")
async def test_a_hundred_files_that_nobody_names_are_all_swept_up(world: World) -> None:
    for shade in range(101):
        put(world, a_picture(mode="L", colour=shade))
    let_age(world)
    await swept(world)
    assert names(world) == set()


@pytest.mark.requirement("R-U4")
def test_files_that_a_sweep_took_before_the_transaction_are_written_again(world: World) -> None:
    ready = put(world, an_animation())
    files.remove(media.folder(world.settings), ready.image.hash)
    shown(world, world.conversation("A"), ready)
    assert names(world) == {ready.image.hash, f"{ready.image.hash}.thumb.webp"}


@pytest.mark.requirement("R-U4")
def test_a_picture_shown_while_a_sweep_looks_around_keeps_its_files(world: World) -> None:
    ready = put(world, a_picture())
    let_age(world)
    with world.db.connect() as c:
        found = media.unnamed(c, world.m, world.settings)
    assert found == {ready.image.hash}
    shown(world, world.conversation("A"), ready)
    with world.tx() as c:
        media.remove_unnamed(c, world.settings, found)
    assert names(world) == {ready.image.hash}


@pytest.mark.requirement("R-U4")
async def test_sweeps_and_shows_at_once_never_leave_an_image_without_its_file(
    world: World,
) -> None:
    conversations = [world.conversation(f"{i}") for i in range(20)]
    content = a_picture()

    async def show_and_delete(conversation_id: str) -> None:
        ready = await anyio.to_thread.run_sync(put, world, content)
        let_age(world)
        show = partial(
            media.show,
            m=world.m,
            s=world.settings,
            prepared=ready,
            conversation_id=conversation_id,
            turn_id=None,
            caption="",
        )
        image = await world.db.write(lambda c: show(c))
        assert image.image.hash in names(world)
        await world.db.write(lambda c: relay.delete(c, world.m, world.settings, conversation_id))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for conversation_id in conversations:
                tasks.start_soon(show_and_delete, conversation_id)
                tasks.start_soon(images.sweep, world.db, world.settings)
    let_age(world)
    await swept(world)
    assert (names(world), hashes(world)) == (set(), set())
