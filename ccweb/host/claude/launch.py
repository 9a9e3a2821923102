"""How Claude Code is started: its command, its environment, and its way to the hub's tools."""

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

from ccweb.host.address import hub_url
from ccweb.host.agent import Job
from ccweb.host.claude.notices import SERVER
from ccweb.host.process import environment
from ccweb.settings import Settings
from ccweb_contract import prompts
from ccweb_contract.enums import Lang, PermissionMode

_MODES: Final = {
    PermissionMode.PLAN: "plan",
    PermissionMode.ASK: "default",
    PermissionMode.ACCEPT_EDITS: "acceptEdits",
    PermissionMode.SKIP_PERMISSIONS: "bypassPermissions",
}

STREAMING: Final = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json"),
    *("--verbose", "--include-partial-messages", "--permission-prompt-tool", "stdio"),
    *("--disallowedTools", "ScheduleWakeup,Monitor"),
)
"""The tools that are left out act after the turn, when their process is gone."""

_SWITCHES: Final = {
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_CRON": "1",
    "DISABLE_AUTOUPDATER": "1",
}
"""A process lives for one turn: it starts nothing that outlives it, and does not replace itself."""

_FAMILIES: Final = ("ANTHROPIC_", "CLAUDE_", "DISABLE_", "BASH_", "MCP_", "OTEL_")
_SINGLE: Final = frozenset(
    {
        *("API_TIMEOUT_MS", "ENABLE_TOOL_SEARCH", "IS_SANDBOX", "MAX_MCP_OUTPUT_TOKENS"),
        *("MAX_THINKING_TOKENS", "NODE_EXTRA_CA_CERTS", "SSH_AUTH_SOCK", "USE_BUILTIN_RIPGREP"),
    }
)
_SURROUNDING: Final = frozenset(
    {"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT"}
)
"""What a Claude Code that we were started from has set for itself."""
_CLOUDS: Final = {
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_",),
    "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_", "GCLOUD_", "CLOUD_ML_", "VERTEX_"),
    "CLAUDE_CODE_USE_FOUNDRY": ("AZURE_",),
}
"""The variables of a cloud are its keys: they go along only where the model comes from there."""


def command(path: Path, job: Job, entry: Path | None, *, lang: Lang) -> list[str]:
    """Return the command of one turn; what is secret or long goes another way."""
    conversation = job.conversation
    return [
        str(path),
        *STREAMING,
        *("--permission-mode", _MODES[conversation.permission_mode]),
        *_session(job, lang),
        *(("--model", conversation.model) if conversation.model else ()),
        *(("--effort", conversation.effort) if conversation.effort else ()),
        *(("--mcp-config", str(entry)) if entry else ()),
    ]


def _session(job: Job, lang: Lang) -> tuple[str, ...]:
    known, new = job.conversation.agent_session, ("--session-id", str(uuid4()))
    if known == "":  # the program has lost it; what was said is in our own records
        told = prompts.begun_anew(lang, conversation_id=job.conversation.id)
        return *new, "--append-system-prompt", told
    if known is None:
        return new
    return "--resume", known, *(("--fork-session", *new) if job.forks else ())


def environment_of(parent: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of Claude Code, of which ours is a part."""
    families = _FAMILIES + tuple(
        family for switch, cloud in _CLOUDS.items() if parent.get(switch) for family in cloud
    )
    wanted = {
        name: value
        for name, value in parent.items()
        if (name in _SINGLE or name.startswith(families)) and name not in _SURROUNDING
    }
    return environment(parent, {**wanted, **_SWITCHES})


@contextmanager
def mcp_entry(s: Settings, job: Job) -> Iterator[Path | None]:
    """Yield a file that only we can read with the hub's entry; None while there is no hub.

    It stands for all servers of this name, and beside all others that the person has entered.
    """
    url = hub_url(s)
    if url is None:
        yield None
        return
    folder = s.data_dir / "claude"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{job.conversation.id}.json"
    _write_privately(path, json.dumps(_entry(url, job.credential)))
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _entry(url: str, credential: str) -> dict[str, object]:
    server = {
        "type": "http",
        "url": f"{url}/mcp",
        "headers": {"Authorization": f"Bearer {credential}"},
        "alwaysLoad": True,
    }
    return {"mcpServers": {SERVER: server}}


def _write_privately(path: Path, text: str) -> None:
    """Write a file whole; what a dead run has left there is replaced."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    draft.replace(path)
