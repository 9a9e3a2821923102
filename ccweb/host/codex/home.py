"""The home of Codex under ccweb: the person's settings and login, and sessions of its own."""

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ccweb.conversations.model import TurnFacts
from ccweb.host.codex import toml_text
from ccweb.host.process import environment
from ccweb.settings import PREFIX, Settings

SERVER: Final = "ccweb"
"""Name of our MCP server; an entry of the person's with this name is left out of the copy."""
TOKEN: Final = f"{PREFIX}TOKEN"
"""Variable that holds the conversation's credential."""

_LINKED: Final = ("auth.json", "AGENTS.md", "AGENTS.override.md", "hooks.json")
_LINKED_INSIDE: Final = ("prompts", "skills")
"""Folders in which Codex keeps files of its own beside the person's."""
_COPIED: Final = ("rules",)
"""Codex adds to these files what a person allows for ever."""
_KEYS: Final = frozenset(
    {"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "CODEX_API_KEY"}
)
_ONE: Final = frozenset({"env_key", "bearer_token_env_var"})
_MANY: Final = frozenset({"env_vars"})
_BY_HEADER: Final = frozenset({"env_http_headers"})
_NO_COUNT: Final = 10**15
_TAIL_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexHome:
    """A private `CODEX_HOME` below the data folder; nothing of the person's is ever written."""

    folder: Path
    person: Path

    def prepare(self) -> dict[str, str]:
        """Take over the person's settings as they are now, and return a process's environment."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in _LINKED:
            _link(self.folder / name, self.person / name)
        for name in _LINKED_INSIDE:
            self._link_inside(name)
        for name in _COPIED:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            if (self.person / name).is_dir():
                shutil.copytree(self.person / name, self.folder / name)
        return self._take_settings()

    def rollout(self, thread_id: str, *, forks: bool = False) -> Path | None:
        """Return the file of a thread, None when there is none.

        Args:
            thread_id: Its id.
            forks: The person began it outside ccweb: it is copied as it stands now, to go on with
                in a fork. Theirs stays as it is.
        """
        ours, theirs = _rollout(self.folder, thread_id), None
        if ours is None or forks:
            theirs = _rollout(self.person, thread_id)
        if theirs is None:
            return ours
        ours = self.folder / theirs.relative_to(self.person)
        ours.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(theirs, ours)
        return ours

    def _link_inside(self, name: str) -> None:
        """Link each of the person's files in a folder, and drop links that lead nowhere."""
        ours, theirs = self.folder / name, self.person / name
        ours.mkdir(exist_ok=True)
        for link in ours.iterdir():
            if link.is_symlink() and not link.exists():
                link.unlink()
        for one in theirs.iterdir() if theirs.is_dir() else ():
            if not one.name.startswith("."):
                _link(ours / one.name, one)

    def _take_settings(self) -> dict[str, str]:
        path = self.folder / "config.toml"
        try:
            said = (self.person / "config.toml").read_text()
        except FileNotFoundError:
            said = ""
        settings: dict[str, Any] = {}
        with suppress(ValueError, TypeError, AttributeError):  # Codex says best what is wrong
            settings = tomllib.loads(said)
            settings.get("mcp_servers", {}).pop(SERVER, None)
            said = toml_text.dumps(_without_our_secret(settings))
        draft = path.with_name(f"config.{os.getpid()}.toml")
        draft.touch(mode=0o600)
        draft.write_text(said)
        draft.replace(path)
        wanted = _KEYS.union(_variables(settings))
        given = {k: v for k, v in os.environ.items() if k in wanted and not k.startswith(PREFIX)}
        return environment(os.environ, {**given, "CODEX_HOME": str(self.folder)})


def home_of(s: Settings) -> CodexHome:
    """Return the home that every Codex of this data folder shares."""
    person = os.environ.get("CODEX_HOME") or Path.home() / ".codex"
    return CodexHome(folder=s.data_dir / "codex", person=Path(person))


def native(program: Path | str) -> str:
    """Return the program itself where a script of npm only starts it: one process less."""
    found = shutil.which(program)
    script = Path(found).resolve() if found else Path(program)
    if script.suffix != ".js":
        return str(program)
    package = script.parent.parent
    places = (package.parent, package / "node_modules" / "@openai")
    inside = (path for place in places for path in place.glob("codex-*/vendor/*/bin/codex"))
    return str(next(inside, program))


def mcp_entry(url: str) -> dict[str, Any]:
    """Return the entry of our MCP server; a person's approval is asked for nothing of it."""
    return {
        "url": f"{url}/mcp",
        "bearer_token_env_var": TOKEN,
        "default_tools_approval_mode": "approve",
    }


def stored_tools(rollout: Path) -> frozenset[str]:
    """Return the names of the dynamic tools that a thread was started with."""
    with rollout.open(encoding="utf-8", errors="replace") as lines:
        first = json.loads(next(lines, "{}"))
    return names(first.get("payload", {}).get("dynamic_tools") or [])


def names(dynamic_tools: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names in a list of dynamic tools, in a namespace or flat as of old."""
    return frozenset(
        str(tool["name"]) for entry in dynamic_tools for tool in entry.get("tools") or [entry]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What a thread's file says last of its turns."""

    used: TurnFacts
    """The model, and the tokens that the thread has used so far."""
    limits: Mapping[str, Any]
    """How much of the account's limits is used, and when they are reset."""
    error: Mapping[str, Any]
    """Why a turn failed: its `message` and its `codex_error_info`."""


NOTHING_NOTED: Final = Noted(used=TurnFacts(), limits={}, error={})


def noted(rollout: Path) -> Noted:
    """Return what the end of a thread's file says."""
    with rollout.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        lines = file.read().splitlines()
    counted = _last(lines, "token_count", "info")
    model = _last(lines, "turn_context", "model")
    return Noted(
        used=replace(tokens((counted or {}).get("total_token_usage") or {}), model=model),
        limits=_last(lines, "token_count", "rate_limits") or {},
        error=_last(lines, "task_complete", "error") or {},
    )


def _last(lines: Sequence[bytes], kind: str, part: str) -> Any:
    """Return a part of the last entry of a kind that has it, None when none has."""
    for line in reversed(lines):
        if kind.encode() in line:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                entry = json.loads(line)
                is_one = kind in (entry["type"], entry["payload"].get("type"))
                if is_one and entry["payload"].get(part):
                    return entry["payload"][part]
    return None


def tokens(usage: Mapping[str, Any]) -> TurnFacts:
    """Return a usage as Codex writes it in files and in the events of `exec`."""
    return TurnFacts(
        input_tokens=counted(usage.get("input_tokens")),
        cached_tokens=counted(usage.get("cached_input_tokens")),
        output_tokens=counted(usage.get("output_tokens")),
    )


def counted(value: Any) -> int:
    """Return a count of tokens; what no count can be counts nothing."""
    return value if isinstance(value, int) and 0 <= value < _NO_COUNT else 0


def _without_our_secret(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by which no command that Codex runs sees the credential."""
    policy = settings.get("shell_environment_policy", {})
    policy = {**policy, "set": {**policy.get("set", {}), TOKEN: ""}}
    return {**settings, "shell_environment_policy": policy}


def _rollout(home: Path, thread_id: str) -> Path | None:
    if not thread_id.replace("-", "").isalnum():
        return None
    return next((home / "sessions").glob(f"*/*/*/rollout-*-{thread_id}.jsonl"), None)


def _link(link: Path, target: Path) -> None:
    """Let a link lead to a target, if there is one; what Codex has put in its place gives way."""
    if link.is_symlink() and link.readlink() == target and target.exists():
        return
    if link.is_symlink() or link.is_file():
        link.unlink()
    if target.exists() and not link.exists():
        link.symlink_to(target)


def _variables(settings: Any) -> Iterator[str]:
    """Yield the variables that settings name: of model providers and of MCP servers."""
    if not isinstance(settings, Mapping):
        return
    for key, value in settings.items():
        if key in _ONE and isinstance(value, str):
            yield value
        elif key in _MANY and isinstance(value, list):
            yield from (one for one in value if isinstance(one, str))
        elif key in _BY_HEADER and isinstance(value, Mapping):
            yield from (one for one in value.values() if isinstance(one, str))
        else:
            yield from _variables(value)
