"""Chromium for the browser tests: found on this machine, or installed from Debian's packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPLICATION = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
PACKAGES = ("chromium", "fonts-wqy-microhei")
"""The browser, and the smallest font package that draws the Chinese of our pages."""
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


def install_from_debian() -> bool:
    """Install Chromium with apt, quietly; return whether the packages are there now."""
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update", "-qq"], install):
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)
            return False
    return True


def can_install() -> bool:
    """Return whether this is a Debian of which we are root."""
    return bool(shutil.which("apt-get")) and os.geteuid() == 0


def main() -> int:
    """Find or install Chromium; 0 when one is there, else 1 and a sentence on what to do."""
    if find_chromium():
        return 0
    if "CCWEB_CHROMIUM" not in os.environ and can_install():
        sys.stderr.write("Installing Chromium for the browser tests ...\n")
        if install_from_debian() and find_chromium():
            return 0
    sys.stderr.write(f"{ADVICE}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
