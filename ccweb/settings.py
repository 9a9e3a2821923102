"""Settings: every value that a person can set, read from the environment once."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import platformdirs

from ccweb_contract.enums import Lang

PREFIX: Final = "CCWEB_"
OFF: Final = "off"
"""In place of a program's path: it is not looked for, and not used."""
_SWITCH: Final = {"on": True, OFF: False}


class BadSetting(ValueError):
    """A setting holds a value that it cannot have."""


def _data_dir() -> Path:
    return Path(platformdirs.user_data_dir("ccweb", appauthor=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One field a setting; its variable is the field's name in capitals after `CCWEB_`."""

    data_dir: Path = field(
        default_factory=_data_dir,
        metadata={"meaning": "Folder of the database, the host's identity and workspaces."},
    )
    host: str = field(default="127.0.0.1", metadata={"meaning": "Address that the hub listens on."})
    port: int = field(default=8002, metadata={"meaning": "Port that the hub listens on."})
    database_url: str = field(
        default="", metadata={"meaning": "Database; empty means `ccweb.db` in the data folder."}
    )
    lang: Lang = field(
        default=Lang.EN, metadata={"meaning": "Language of prompts and pages, `en` or `zh`."}
    )
    url: str = field(
        default="", metadata={"meaning": "Address of the hub for `ccweb mcp` and `ccweb call`."}
    )
    token: str = field(
        default="", metadata={"meaning": "Access token for `ccweb mcp` and `ccweb call`."}
    )
    hop_limit: int = field(default=8, metadata={"meaning": "Deepest chain of delegations."})
    pair_limit: int = field(
        default=12, metadata={"meaning": "Sends between two conversations that both initiate."}
    )
    chain_limit: int = field(
        default=200, metadata={"meaning": "Turns in one chain without a message by a person."}
    )
    content_limit_bytes: int = field(
        default=256 * 1024, metadata={"meaning": "Largest message content."}
    )
    continuation_limit_bytes: int = field(
        default=128 * 1024, metadata={"meaning": "Largest continuation prompt."}
    )
    original_limit_bytes: int = field(
        default=8 * 1024, metadata={"meaning": "Largest original request in that prompt."}
    )
    continuation_attempts: int = field(
        default=3, metadata={"meaning": "Attempts at a continuation that never began."}
    )
    body_limit_bytes: int = field(
        default=4 * 1024 * 1024, metadata={"meaning": "Largest HTTP request body."}
    )
    lease_s: float = field(
        default=10.0, metadata={"meaning": "Seconds after which a silent host loses a turn."}
    )
    heartbeat_s: float = field(
        default=2.0, metadata={"meaning": "Seconds between two signs of life of a host."}
    )
    no_host_s: float = field(
        default=60.0, metadata={"meaning": "Seconds after which a request without a host returns."}
    )
    sweep_s: float = field(
        default=5.0,
        metadata={"meaning": "Seconds between two sweeps of the delivery net; 0 is off."},
    )
    stop_grace_s: float = field(
        default=5.0, metadata={"meaning": "Seconds that an agent gets at each step of a stop."}
    )
    agent_idle_s: float = field(
        default=600.0,
        metadata={"meaning": "Seconds that an agent's program is kept warm without a turn."},
    )
    ticket_s: float = field(
        default=300.0, metadata={"meaning": "Seconds that a sign-in ticket is good for."}
    )
    browser_session_s: float = field(
        default=30 * 86400.0, metadata={"meaning": "Seconds that a browser stays signed in."}
    )
    max_turns: int = field(
        default=64, metadata={"meaning": "Turns that one host runs at the same time."}
    )
    notes_on_cancelled: bool = field(
        default=False,
        metadata={
            "meaning": "Whether a cancelled task takes comments and metadata, `on` or `off`."
        },
    )
    claude_path: str = field(
        default="",
        metadata={
            "meaning": "Program of Claude Code; empty finds `claude` in PATH, `off` has none."
        },
    )
    codex_path: str = field(
        default="",
        metadata={"meaning": "Program of Codex; empty finds `codex` in PATH, `off` has none."},
    )
    feishu_url: str = field(
        default="https://project.feishu.cn",
        metadata={"meaning": "Address of Feishu Project, where work items come from."},
    )
    feishu_plugin_id: str = field(
        default="", metadata={"meaning": "Id of your plugin in Feishu Project; empty is none."}
    )
    feishu_plugin_secret: str = field(
        default="", repr=False, metadata={"meaning": "Secret of that plugin."}
    )
    feishu_user_key: str = field(
        default="",
        metadata={"meaning": "User key of the person in whose name the plugin reads."},
    )

    @property
    def database(self) -> str:
        """Return the SQLAlchemy URL of the database."""
        return self.database_url or f"sqlite:///{self.data_dir / 'ccweb.db'}"


def variable(name: str) -> str:
    """Return the environment variable of a setting: `hop_limit` -> `CCWEB_HOP_LIMIT`."""
    return PREFIX + name.upper()


def load(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Return the settings of an environment, `overrides` that are not None on top.

    Raises:
        BadSetting: a variable holds a value of the wrong form.
    """
    environ = os.environ if environ is None else environ
    values = {
        f.name: _parse(f.name, f.type, environ[variable(f.name)])
        for f in fields(Settings)
        if environ.get(variable(f.name), "") != ""
    }
    values |= {name: value for name, value in overrides.items() if value is not None}
    return Settings(**values)


def _parse(name: str, kind: Any, text: str) -> Any:
    try:
        value = _SWITCH[text] if kind is bool else kind(text)
        value = value.expanduser().absolute() if isinstance(value, Path) else value
    except (KeyError, ValueError, RuntimeError) as error:  # the last: the home of nobody
        raise BadSetting(f"{variable(name)} is {text!r}; {_allowed(kind)} is needed.") from error
    if isinstance(value, int | float) and not 0 <= value < math.inf:
        raise BadSetting(f"{variable(name)} is {text!r}; 0 or more is needed.")
    return value


def _allowed(kind: Any) -> str:
    if kind is Lang:
        return " or ".join(Lang)
    if kind is bool:
        return " or ".join(_SWITCH)
    return {int: "a whole number", float: "a number", Path: "a folder"}.get(kind, "a text")


def table() -> list[tuple[str, str, str]]:
    """Return variable, default and meaning of every setting, as the README lists them."""
    shown = Settings(data_dir=Path("…"))
    return [
        (variable(f.name), _shown(f.name, getattr(shown, f.name)), f.metadata["meaning"])
        for f in fields(Settings)
    ]


def _shown(name: str, value: Any) -> str:
    if name == "data_dir":
        return "the platform's data folder"
    if isinstance(value, bool):
        value = "on" if value else OFF
    if isinstance(value, float):
        value = f"{value:.0f}"
    return "" if value == "" else f"`{value}`"
