"""Showing an image: made ready on a worker thread, then shown by one message."""

from collections.abc import Callable
from functools import partial

from ccweb.errors import Forbidden, InvalidParams
from ccweb.media import service as media
from ccweb.media.model import Prepared
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract.models import CcwebShowImageInput

Ready = tuple[Prepared, str]
"""An image and its caption."""


def prepare(x: Context, given: CcwebShowImageInput) -> Callable[[], Ready]:
    """Return the work that makes an image ready."""
    if (given.path is None) == (given.data is None):
        raise InvalidParams(why="Give exactly one of `path` and `data`.")
    conversation = x.conversation()
    if conversation is None:
        raise Forbidden(why="Only a conversation can show an image: a person has none.")
    work = (
        partial(media.prepare_file, x.s, given.path, cwd=conversation.cwd)
        if given.path is not None
        else partial(media.prepare_data, x.s, given.data or "")
    )
    return lambda: (work(), given.caption or "")


def show(x: Context, ready: Ready) -> Result:
    """Show it in the conversation that calls."""
    x.check_turn()
    conversation, source = x.conversation(), x.source
    assert conversation and source  # noqa: S101 - `prepare` has refused people
    prepared, caption = ready
    shown = media.show(
        x.c,
        x.m,
        x.s,
        prepared,
        conversation_id=conversation.id,
        turn_id=source.lease.turn_id if source.lease else None,
        caption=caption,
    )
    return {
        "imageId": shown.id,
        "format": shown.image.format.value,
        "width": shown.image.width,
        "height": shown.image.height,
        "sizeBytes": shown.image.size_bytes,
    }
