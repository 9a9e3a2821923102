"""One more tool adds lines of its own to each generated file and changes none."""

from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

import pytest
from hypothesis import HealthCheck, given, settings

from codegen import emit
from codegen.compilation import load
from codegen.model import Tool
from tests.codegen.projects import Project
from tests.codegen.random_contracts import Contract, contracts
from tests.codegen.test_bytes import NEW_TOOL, only_adds
from tests.codegen.test_random_contracts import a_project

PLACES = {
    "at the beginning": "  talk_say:\n",
    "in the middle": "  media_show:\n",
    "at the end": "aliases:\n",
}
HASH = "version.py"


def added(old: str, new: str) -> Iterator[list[str]]:
    """Yield each run of lines that only the new text has."""
    before, after = old.splitlines(), new.splitlines()
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    yield from (after[start:end] for kind, _, _, start, end in codes if kind != "equal")


def forms(name: str) -> tuple[str, ...]:
    """Return how a tool's name stands in the files."""
    return name, name.upper(), "".join(part.capitalize() for part in name.split("_"))


@pytest.mark.requirement("R-C4")
@pytest.mark.parametrize("before", PLACES.values(), ids=PLACES.keys())
def test_each_run_of_added_lines_names_the_new_tool_and_no_other(
    before: str, project: Project
) -> None:
    project.run()
    old = project.files()
    others = [tool.name for tool in load(project.contract.parent).tools]

    project.edit(before, NEW_TOOL.format(name="zoo_feed", group="talk") + before)
    project.run()

    new = project.files()
    assert new.keys() - old.keys() == {"generated/schemas/zoo_feed.json"}
    for name in old.keys() - {f"generated/acme_contract/{HASH}"}:
        for run in added(old[name].decode(), new[name].decode()):
            text = "\n".join(run)
            assert any(form in text for form in forms("zoo_feed")), (name, run)
            assert not [o for o in others if any(form in text for form in forms(o))], (name, run)


@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.requirement("R-C4")
@given(contract=contracts().filter(lambda contract: len(contract["tools"]) > 1))
def test_whatever_tool_is_added_every_line_that_was_there_stays(contract: Contract) -> None:
    with a_project(contract) as project:
        full = load(project.contract.parent)
        for tool in full.tools:
            less = emit.files(replace(full, tools=_without(full.tools, tool), aliases=()))
            more = emit.files(replace(full, aliases=()))
            assert more.keys() - less.keys() == {f"schemas/{tool.name}.json"}
            kept = [name for name in less if not name.endswith(HASH) and not is_bare(less[name])]
            assert [name for name in kept if not only_adds(less[name], more[name])] == []


def is_bare(text: str) -> bool:
    """Tell whether it is a list that holds no tool yet, which JSON writes on one line."""
    return text == "[]\n" or '"tools": []' in text or '"paths": {}' in text


def _without(tools: tuple[Tool, ...], tool: Tool) -> tuple[Tool, ...]:
    return tuple(other for other in tools if other != tool)
