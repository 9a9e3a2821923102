"""Logins: whether a program has one, as far as that shows without reading it or asking anybody."""

import os
import sys
from pathlib import Path
from typing import Final

from ccweb.host.looking import has_other_provider
from ccweb.host.programs import CLAUDE, Program

_KEYS: Final = {
    "claude": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    "codex": ("CODEX_API_KEY", "CODEX_ACCESS_TOKEN"),
}
_ADVICE: Final = {"claude": "run `claude` once and log in", "codex": "run `codex login`"}


def login(program: Program) -> str | None:
    """Return where a login is, None where there seems to be none."""
    for name in _KEYS[program.name]:
        if os.environ.get(name):
            return f"{name} is set"
    if has_other_provider(program):
        return "it has a provider of its own"
    if _file(program).exists():
        return "logged in"
    return "its login is in the keychain, if it has one" if _may_be_in_keychain(program) else None


def advice(program: Program) -> str:
    """Return what helps where there is no login."""
    return _ADVICE[program.name]


def _file(program: Program) -> Path:
    """Return where the login lies; only that it is there is looked at."""
    if program is CLAUDE:
        home = os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude"
        return Path(home) / ".credentials.json"
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "auth.json"


def _may_be_in_keychain(program: Program) -> bool:
    return program is CLAUDE and sys.platform == "darwin"
