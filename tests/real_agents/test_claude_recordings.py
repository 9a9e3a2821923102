"""The recordings are true: the real Claude Code still writes what the fast tests read."""

import json
from pathlib import Path

import pytest

from ccweb.host.claude.lines import Reading
from ccweb.host.claude.outcome import outcome
from tests.fakes.model import RunningModel
from tests.host.claude.test_lines import ENDS, read, recorded, steps
from tests.real_agents.machine import a_machine
from tests.real_agents.record_claude import SCENES, record


def test_each_scene_is_recorded() -> None:
    assert SCENES.keys() == ENDS.keys() | {"command", "dropped"}


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize("name", ENDS)
def test_the_program_still_writes_what_was_recorded(
    tmp_path: Path, model: RunningModel, name: str
) -> None:
    lines = record(name, SCENES[name], a_machine(tmp_path / "home", model))
    reading, events = read(json.loads(line) for line in lines)
    _, before = read(recorded(name))
    assert _end(reading) == ENDS[name]
    assert [one[:2] for one in steps(events)] == [one[:2] for one in steps(before)]


def _end(reading: Reading) -> tuple[object, object, str]:
    end = outcome(reading)
    return end.status, end.failure, end.text
