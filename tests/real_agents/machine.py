"""A machine of its own for real agents: a home, fake keys, and no model but the one of the tests.

Everything that the programs would look up elsewhere is switched off; they know nothing of the
person who runs the tests, and reach no network.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.install_node_tools import program
from tests.fakes.model import RunningModel

CODEX_CONFIG = """
model = "test-model"
model_provider = "test"
check_for_update_on_startup = false
web_search = "disabled"

[analytics]
enabled = false

[feedback]
enabled = false

[features]
apps = false
plugins = false

[model_providers.test]
name = "test"
base_url = "{url}/v1"
experimental_bearer_token = "none"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""
SETTINGS = {"HEARTBEAT_S": "0.2", "STOP_GRACE_S": "2", "SWEEP_S": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A home, and the environment of everything that runs in it."""

    home: Path
    model: RunningModel
    more: Mapping[str, str] = field(default_factory=dict)
    """Variables beside those, or instead of them."""

    @property
    def data_dir(self) -> Path:
        """Where ccweb keeps its data."""
        return self.home / "ccweb"

    @property
    def environ(self) -> dict[str, str]:
        """Everything that the programs may know of this machine."""
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "LANG": "C.UTF-8",
            "ANTHROPIC_API_KEY": "sk-ant-test",
            "ANTHROPIC_BASE_URL": self.model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CCWEB_DATA_DIR": str(self.data_dir),
            "CCWEB_CLAUDE_PATH": str(program("claude")),
            "CCWEB_CODEX_PATH": str(program("codex")),
            **{f"CCWEB_{name}": value for name, value in SETTINGS.items()},
            **self.more,
        }

    def folder(self, name: str) -> Path:
        """Return a new folder to work in."""
        made = self.home / "work" / name
        made.mkdir(parents=True)
        return made


def a_machine(home: Path, model: RunningModel) -> Machine:
    """Make a home in which the agents' programs have been set up as a person does it."""
    for name in ("tmp", "ccweb", ".codex", ".claude"):
        (home / name).mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text(CODEX_CONFIG.replace("{url}", model.url))
    return Machine(home=home, model=model)
