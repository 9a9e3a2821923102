"""Chromium for the browser tests: found on this machine, or installed from Debian's packages."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""The first draws no window around a page, and opens one in half the time of the others."""
MAC_APPLICATION = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
FONT_PACKAGE = "fonts-wqy-microhei"
"""The smallest Debian package that draws the Chinese of our pages."""
ADVICE = (
    "No Chromium was found: install Chromium or Chrome, or name one in CCWEB_CHROMIUM, "
    "for the browser tests."
)


def find_chromium() -> Path | None:
    """Return the Chromium that the person named, else the first one on this machine."""
    named = os.environ.get("CCWEB_CHROMIUM")
    if named:
        return Path(named) if os.access(named, os.X_OK) else None
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    return MAC_APPLICATION if MAC_APPLICATION.exists() else None


def has_chinese_font() -> bool:
    """Return whether some font holds Chinese, as far as this machine can tell."""
    if not shutil.which("fc-list"):
        return True
    command = ["fc-list", ":lang=zh", "family"]
    return bool(subprocess.run(command, capture_output=True, check=False).stdout.strip())


def missing_packages() -> list[str]:
    """Return the Debian packages that the browser tests and the screenshots lack."""
    browser = [] if find_chromium() else [NAMES[0]]
    return browser + ([] if has_chinese_font() else [FONT_PACKAGE])


def can_install() -> bool:
    """Return whether this is a Debian of which we are root."""
    return bool(shutil.which("apt-get")) and os.geteuid() == 0


def install(packages: Sequence[str]) -> None:
    """Install Debian packages without a question; show what apt said if that failed."""
    sys.stderr.write(f"Installing {' and '.join(packages)} for the browser tests ...\n")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    from_debian = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for command in (["apt-get", "update", "-qq"], from_debian):
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)


def main() -> int:
    """Find or install Chromium; 0 when one is there, else 1 and a sentence on what to do."""
    if (packages := missing_packages()) and can_install():
        install(packages)
    if find_chromium():
        return 0
    sys.stderr.write(f"{ADVICE}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
