"""The commands of images: prepare outside a transaction, show inside one, and let go."""

import threading
from collections.abc import Collection, Iterable
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from ccweb.clock import Moment
from ccweb.conversations import messages
from ccweb.media import files, picture, reading, rules, store
from ccweb.media.model import Prepared, ShownImage
from ccweb.settings import Settings
from ccweb_contract.enums import MessageRole

_AT_ONCE: Final = 50
"""Files that one transaction deletes: others wait for it."""
_DECODING: Final = threading.Lock()
"""One picture is decoded at a time: fifty megapixels take two hundred megabytes meanwhile."""


def folder(s: Settings) -> Path:
    """Return the folder that holds the images' files."""
    return s.data_dir / "media"


def prepare_file(s: Settings, path: str, *, cwd: str) -> Prepared:
    """Read, check and keep the image in a file; for a worker thread, not for a transaction.

    Raises:
        PathOutside: the path leads out of the working directory.
        ImageNotFound: there is no file that can be read.
        ImageTooLarge: it has too many bytes.
        ImageRefused: it is no image that can be shown.
    """
    return _kept(s, reading.read(path, cwd=cwd))


def prepare_data(s: Settings, data: str) -> Prepared:
    """Check and keep an image that comes as base64; for a worker thread, too.

    Raises:
        InvalidParams: it is no base64.
        ImageTooLarge: it has too many bytes.
        ImageRefused: it is no image that can be shown.
    """
    return _kept(s, rules.decoded(data))


def show(
    c: Connection,
    m: Moment,
    s: Settings,
    prepared: Prepared,
    *,
    conversation_id: str,
    turn_id: str | None,
    caption: str,
) -> ShownImage:
    """Show a prepared image in a conversation, by a message of its own."""
    image_id = m.new_id("img")
    message_id = messages.add(
        c,
        m,
        conversation_id,
        MessageRole.ASSISTANT,
        caption,
        turn_id=turn_id,
        display_only=True,
        metadata={"imageId": image_id},
    )
    shown = ShownImage(
        id=image_id,
        image=prepared.image,
        conversation_id=conversation_id,
        message_id=message_id,
        caption=caption,
        created_at=m.now,
    )
    store.add(c, m, shown)
    files.keep(folder(s), prepared)  # again: before the row stood, a sweep could take them
    return shown


def unnamed(c: Connection, m: Moment, s: Settings) -> set[str]:
    """Return the images whose files are old and that no row names; for a worker thread."""
    before = m.now - timedelta(seconds=rules.UNCOMMITTED_S)
    files.remove_unfinished(folder(s), before=before)
    old = files.hashes_before(folder(s), before)
    return old - store.known(c, old)


def remove_unnamed(c: Connection, s: Settings, hashes: Collection[str]) -> None:
    """Delete the files of images that no row names, in a transaction as `show` is one."""
    for image_hash in set(hashes) - store.known(c, hashes):
        files.remove(folder(s), image_hash)


def parts(hashes: Iterable[str]) -> Iterable[list[str]]:
    """Return hashes in as many parts as there are transactions to delete them in."""
    left = iter(hashes)
    return iter(lambda: list(islice(left, _AT_ONCE)), [])


def _kept(s: Settings, content: bytes) -> Prepared:
    with _DECODING:
        prepared = picture.prepared(content)
    files.keep(folder(s), prepared)
    return prepared
