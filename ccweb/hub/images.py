"""The images that conversations show: served from their files, and swept up."""

from functools import partial
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from ccweb.clock import Moment, moment
from ccweb.db.engine import Database
from ccweb.media import files, store
from ccweb.media import service as media
from ccweb.media.model import ShownImage
from ccweb.settings import Settings

_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=31536000, immutable",
}


def routes() -> list[Route]:
    """Return the addresses of an image and of its thumbnail."""
    return [
        Route("/images/{image_id}", original, methods=["GET"]),
        Route("/images/{image_id}/thumb", thumb, methods=["GET"]),
    ]


async def original(request: Request) -> Response:
    """Return an image as it was shown."""
    shown, folder = await _found(request)
    return await _served(request, shown, files.original(folder, shown.image.hash))


async def thumb(request: Request) -> Response:
    """Return its thumbnail; a small still image is its own."""
    shown, folder = await _found(request)
    small = files.thumb(folder, shown.image.hash)
    if await anyio.Path(small).is_file():
        return await _served(request, shown, small)
    return await original(request)


async def sweep(db: Database, s: Settings) -> None:
    """Delete the images that nothing shows any more, then the files that no image names."""
    await db.write(store.drop_unshown)
    left = await anyio.to_thread.run_sync(_unnamed, db, moment(), s)
    for some in media.parts(left):
        await db.write(partial(media.remove_unnamed, s=s, hashes=some))


def _unnamed(db: Database, m: Moment, s: Settings) -> set[str]:
    with db.connect() as c:
        return media.unnamed(c, m, s)


async def _found(request: Request) -> tuple[ShownImage, Path]:
    image_id = request.path_params["image_id"]
    shown = await request.app.state.db.read(lambda c: store.get(c, image_id))
    if shown is None:
        raise HTTPException(404)
    return shown, media.folder(request.app.state.settings)


async def _served(request: Request, shown: ShownImage, path: Path) -> Response:
    ending = path.suffix.removeprefix(".") or shown.image.format.value
    headers = _HEADERS | {"ETag": f'"{path.name}"'}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if not await anyio.Path(path).is_file():
        raise HTTPException(404)
    return FileResponse(
        path,
        headers=headers,
        media_type=f"image/{ending}",
        filename=f"{shown.id}.{ending}",
        content_disposition_type="inline",
    )
