"""The recordings that feed the fast tests are what the real Codex says."""

from typing import Any

import pytest

from tests.fakes.codex_recordings import read
from tests.fakes.model import RunningModel
from tests.real_agents.codex_recording import SCENARIOS, prepared, record_app, record_exec
from tests.real_agents.machine import Machine, a_machine


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory, model: RunningModel) -> Machine:
    """Return a machine to record on."""
    home = tmp_path_factory.mktemp("recorder") / "home"
    return prepared(home, a_machine(home, model))


def without_limits(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what comes at any moment."""
    return [line for line in lines if line.get("method") != "account/rateLimits/updated"]


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", SCENARIOS)
def test_exec_speaks_as_recorded(recorder: Machine, name: str) -> None:
    assert record_exec(recorder, name) == read("exec", name)


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", SCENARIOS)
async def test_the_app_server_speaks_as_recorded(recorder: Machine, name: str) -> None:
    said = await record_app(recorder, name)
    assert without_limits(said) == without_limits(read("app", name))
