"""The command-line programs that run agents: where each is, and what helps when it is not."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ccweb.settings import OFF, Settings, variable
from ccweb_contract.enums import AgentKind, Lang, TurnFailure

Version = tuple[int, int, int]

_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that people install."""

    name: str
    """Its command."""
    title: str
    kinds: tuple[AgentKind, ...]
    """The kinds of agents that it runs."""
    oldest: Version
    install: str
    update: str

    @property
    def setting(self) -> str:
        """Return the setting that names its path."""
        return f"{self.name}_path"


CLAUDE: Final = Program(
    name="claude",
    title="Claude Code",
    kinds=(AgentKind.CLAUDE,),
    oldest=(2, 1, 200),
    install="npm install -g @anthropic-ai/claude-code",
    update="claude update",
)
"""The oldest with which turns, tools, approvals, questions and forks were tried."""

CODEX: Final = Program(
    name="codex",
    title="Codex",
    kinds=(AgentKind.CODEX, AgentKind.CODEX_APP),
    oldest=(0, 160, 0),
    install="npm install -g @openai/codex",
    update="npm install -g @openai/codex@latest",
)
"""The oldest with which turns, dynamic tools, approvals and resumed threads were tried."""

PROGRAMS: Final = (CLAUDE, CODEX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a program cannot be used, with the command that helps."""

    failure: TurnFailure
    text: str


_MISSING: Final = {
    Lang.EN: "{title} is not installed: no `{name}` is in PATH. Install it with `{install}`, "
    "or name its program in {variable}.",
    Lang.ZH: "没有安装 {title}：PATH 中没有 `{name}`。请用 `{install}` 安装，"
    "或在 {variable} 中写明它的路径。",
}
_NO_PROGRAM: Final = {
    Lang.EN: "{variable} is `{given}`, which is no program. Correct it, or install {title} with "
    "`{install}`.",
    Lang.ZH: "{variable} 的值 `{given}` 不是可以运行的程序。请改正，"
    "或用 `{install}` 安装 {title}。",
}
_OFF: Final = {
    Lang.EN: "{title} is turned off on this machine: {variable} is `off`.",
    Lang.ZH: "这台机器上已关闭 {title}：{variable} 的值是 `off`。",
}
_SILENT: Final = {
    Lang.EN: "{path} does not tell its version{why}. Install {title} again with `{install}`.",
    Lang.ZH: "{path} 没有给出版本号{why}。请用 `{install}` 重新安装 {title}。",
}
_TOO_OLD: Final = {
    Lang.EN: "{title} {version} is too old, {oldest} or newer is needed. Update it with "
    "`{update}`.",
    Lang.ZH: "{title} {version} 太旧，需要 {oldest} 或更新的版本。请用 `{update}` 更新。",
}


def find(s: Settings, program: Program) -> Path | None:
    """Return where a program is, None where there is none or it is turned off."""
    given = _given(s, program)
    if given == OFF:
        return None
    found = shutil.which(Path(given).expanduser() if given else program.name)
    return Path(found).absolute() if found else None


def why_not_found(s: Settings, program: Program) -> Problem:
    """Return why there is no such program, and what helps."""
    given = _given(s, program)
    said = _OFF if given == OFF else _NO_PROGRAM if given else _MISSING
    return _problem(TurnFailure.PROGRAM_MISSING, said[s.lang], s, program, given=given)


def why_silent(s: Settings, program: Program, path: Path, why: str) -> Problem:
    """Return that a program tells no version, with the last that it said itself."""
    said = f" ({why})" if why else ""
    text = _SILENT[s.lang]
    return _problem(TurnFailure.PROGRAM_CRASHED, text, s, program, path=str(path), why=said)


def why_too_old(s: Settings, program: Program, version: str) -> Problem | None:
    """Return what helps where a version is too old, else None."""
    if parsed(version) >= program.oldest:
        return None
    text, oldest = _TOO_OLD[s.lang], ".".join(map(str, program.oldest))
    return _problem(TurnFailure.PROGRAM_TOO_OLD, text, s, program, version=version, oldest=oldest)


def version_in(line: str, program: Program) -> str | None:
    """Return the version in a line by which a program names itself, None in any other line."""
    found = _VERSION.search(line)
    return found[0] if found and program.name in line.lower() else None


def parsed(version: str) -> Version:
    """Return a version as numbers that compare."""
    found = _VERSION.search(version)
    return (int(found[1]), int(found[2]), int(found[3])) if found else (0, 0, 0)


def _given(s: Settings, program: Program) -> str:
    given: str = getattr(s, program.setting)
    return given


def _problem(
    failure: TurnFailure, text: str, s: Settings, program: Program, **facts: str
) -> Problem:
    said = text.format(
        title=program.title,
        name=program.name,
        install=program.install,
        update=program.update,
        variable=variable(program.setting),
        **facts,
    )
    return Problem(failure=failure, text=said)
