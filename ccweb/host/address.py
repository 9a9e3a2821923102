"""Where the hub is: it writes its address into the data folder, and hosts read it there."""

import secrets
from contextlib import suppress
from pathlib import Path

from ccweb.settings import Settings


def hub_url(s: Settings) -> str | None:
    """Return the hub's address: the setting's, else the one that the hub wrote, else None."""
    if s.url:
        return s.url.rstrip("/")
    try:
        return _file(s).read_text().strip() or None
    except (OSError, ValueError):  # no hub has written one that can be read
        return None


def publish(s: Settings, url: str) -> None:
    """Write the hub's address for hosts and scripts, all of it or nothing."""
    draft = _file(s).with_name(f"hub-url.{secrets.token_hex(4)}")
    draft.write_text(f"{url}\n")
    draft.replace(_file(s))


def withdraw(s: Settings, url: str) -> None:
    """Remove the hub's address, unless another hub has written its own since."""
    with suppress(FileNotFoundError):
        if _file(s).read_text().strip() == url:
            _file(s).unlink()


def _file(s: Settings) -> Path:
    return s.data_dir / "hub-url"
