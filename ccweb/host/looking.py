"""Looking at the programs: each is asked for its version and models, away from the person's files.

The folder that they work in while they are looked at is ours, and they are told to stay off the
network: nothing of the person's configuration is read by them, and none of their logins used.
"""

import json
import os
import tomllib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio

from ccweb.conversations.hosts import Model
from ccweb.host.process import CommandMissing, LineTooLong, Process, environment
from ccweb.host.programs import CLAUDE, CODEX, Problem, Program, version_in, why_silent, why_too_old
from ccweb.ids import new_id
from ccweb.settings import Settings
from ccweb_contract.enums import PermissionMode

_ANSWER_S: Final = 20.0
_GRACE_S: Final = 0.5
_LINES: Final = 20
"""A program tells its version within these, whatever it warns of before."""
_ELSEWHERE: Final = (
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
)
"""With one of these the models are another provider's, whose names nobody here knows."""
_DEFAULT_MODEL: Final = "default"
_MODES: Final = tuple(PermissionMode)

_SWITCHES: Final = {
    CLAUDE.name: {
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    },
    CODEX.name: {},
}
_HOME_VARIABLES: Final = {CLAUDE.name: "CLAUDE_CONFIG_DIR", CODEX.name: "CODEX_HOME"}
_CLAUDE_ASKED: Final = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
    *("--no-session-persistence", "--strict-mcp-config", "--setting-sources", ""),
)
_CODEX_ASKED: Final = (
    "app-server",
    *("-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"),
    *("-c", "features.apps=false", "-c", "features.plugins=false"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a program says of itself."""

    version: str | None = None
    problem: Problem | None = None
    models: tuple[Model, ...] = ()
    modes: tuple[PermissionMode, ...] = ()


async def look_at(s: Settings, program: Program, path: Path) -> Look:
    """Ask a program for its version and, where it can be used, for its models."""
    folder = s.data_dir / "look" / program.name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    env = _environment(program, folder)
    try:
        version, why = await _version(program, path, env, folder)
    except CommandMissing as error:
        version, why = None, str(error)
    if version is None:
        return Look(problem=why_silent(s, program, path, why))
    if problem := why_too_old(s, program, version):
        return Look(version=version, problem=problem)
    models = await _models(program, path, env, folder)
    return Look(version=version, models=models, modes=_modes(program))


def _environment(program: Program, folder: Path) -> dict[str, str]:
    own = {"HOME": str(folder), _HOME_VARIABLES[program.name]: str(folder)}
    return environment(os.environ, own | _SWITCHES[program.name])


def _modes(program: Program) -> tuple[PermissionMode, ...]:
    """Return the modes that a program runs in; Claude Code refuses the last one to root."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return _MODES[:-1] if program is CLAUDE and as_root else _MODES


async def _version(
    program: Program, path: Path, env: Mapping[str, str], cwd: Path
) -> tuple[str | None, str]:
    """Return a program's version, or None and the last that it said instead."""
    why = ""
    async with _running([str(path), "--version"], env, cwd) as process:
        with anyio.move_on_after(_ANSWER_S):
            await process.close_input()
            for _ in range(_LINES):
                line = await _line(process)
                if line is None:
                    break
                if version := version_in(line, program):
                    return version, ""
            await process.wait()
        tail = process.error_tail.strip().splitlines()
        why = tail[-1][:200] if tail else ""
    return None, why


async def _models(
    program: Program, path: Path, env: Mapping[str, str], cwd: Path
) -> tuple[Model, ...]:
    """Return the models that a program lists; none leaves the choice to the program."""
    if has_other_provider(program):
        return ()
    asked, requests, parse = _DIALOGUES[program.name]
    async with _running([str(path), *asked], env, cwd) as process:
        with anyio.move_on_after(_ANSWER_S):
            for request in requests:
                await process.write(json.dumps(request) + "\n")
            while (line := await _line(process)) is not None:
                if models := parse(_dict(_parsed(line))):
                    return models
    return ()


def has_other_provider(program: Program) -> bool:
    """Return whether a person has set a program up for models that are not its maker's."""
    if program is CLAUDE:
        return any(os.environ.get(name) for name in _ELSEWHERE)
    config = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"
    try:
        return "model_provider" in tomllib.loads(config.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def claude_models(answer: Mapping[str, Any]) -> tuple[Model, ...]:
    """Return the models in Claude Code's answer to `initialize`; its default needs no name."""
    listed = _dict(_dict(answer.get("response")).get("response")).get("models")
    return tuple(
        Model(
            name=str(one["value"]),
            title=str(one.get("displayName") or one["value"]),
            efforts=_texts(one.get("supportedEffortLevels")),
        )
        for one in _dicts(listed)
        if one.get("value") not in (None, _DEFAULT_MODEL)
    )


def codex_models(answer: Mapping[str, Any]) -> tuple[Model, ...]:
    """Return the models in the app-server's answer to `model/list`."""
    return tuple(
        Model(
            name=str(one["model"]),
            title=str(one.get("displayName") or one["model"]),
            efforts=_texts(
                [
                    level.get("reasoningEffort")
                    for level in _dicts(one.get("supportedReasoningEfforts"))
                ]
            ),
        )
        for one in _dicts(_dict(answer.get("result")).get("data"))
        if one.get("model") and not one.get("hidden")
    )


_Dialogue = tuple[
    tuple[str, ...], tuple[Mapping[str, Any], ...], Callable[[Mapping[str, Any]], tuple[Model, ...]]
]
_DIALOGUES: Final[Mapping[str, _Dialogue]] = {
    CLAUDE.name: (
        _CLAUDE_ASKED,
        (
            {
                "type": "control_request",
                "request_id": "look",
                "request": {"subtype": "initialize"},
            },
        ),
        claude_models,
    ),
    CODEX.name: (
        _CODEX_ASKED,
        (
            {
                "id": 1,
                "method": "initialize",
                "params": {"clientInfo": {"name": "ccweb", "title": "ccweb", "version": "0"}},
            },
            {"method": "initialized"},
            {"id": 2, "method": "model/list", "params": {}},
        ),
        codex_models,
    ),
}


@asynccontextmanager
async def _running(command: list[str], env: Mapping[str, str], cwd: Path) -> AsyncIterator[Process]:
    process = await Process.start(command, cwd=cwd, env=env, mark=new_id("look"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(process.drain_errors)
        try:
            yield process
        finally:
            await process.end(grace_s=_GRACE_S)


async def _line(process: Process) -> str | None:
    try:
        return await process.line()
    except LineTooLong:
        return None


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
