"""The seam of these tests: one model, and a workspace of real agents for each module."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.fakes.model import RunningModel, running_model
from tests.real_agents.harness import Workspace, a_workspace
from tests.real_agents.machine import Machine, a_machine


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test below this folder as one that needs programs from npm."""
    item.add_marker(pytest.mark.node)


@pytest.fixture(scope="session")
def model() -> Iterator[RunningModel]:
    """Run the model that all agents speak to."""
    with running_model() as model:
        yield model


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, model: RunningModel) -> Machine:
    """Return a machine of its own for a module."""
    return a_machine(tmp_path_factory.mktemp("machine"), model)


@pytest.fixture(scope="module")
async def workspace(machine: Machine) -> AsyncIterator[Workspace]:
    """Run a workspace on it; its tests use conversations of their own."""
    async with a_workspace(machine) as workspace:
        yield workspace
