"""The doctor tells which conversations carry which contract."""

import json
from pathlib import Path

import pytest

from ccweb_contract.enums import Door
from ccweb_contract.version import CONTRACT_HASH, PUBLISHED
from tests.cli.commands import run
from tests.tools.desk import Desk, a_desk

NOBODYS = "0" * 64
THIS = (
    f"release {PUBLISHED[CONTRACT_HASH]}"
    if CONTRACT_HASH in PUBLISHED
    else f"an unpublished contract, {CONTRACT_HASH[:12]}"
)
"""Whether this contract has been published depends on when the test runs."""


def told(desk: Desk) -> list[tuple[str, str]]:
    """Return state and text of what the doctor says of contracts."""
    desk.db.close()
    folder = desk.settings.data_dir
    said = json.loads(run(folder, "doctor", "--json", HOME=str(folder)).stdout)
    return [(one["state"], one["detail"]) for one in said if one["check"] == "contract"]


@pytest.mark.requirement("R-D7")
def test_a_conversation_is_named_with_the_contract_that_it_carries(tmp_path: Path) -> None:
    desk = a_desk(tmp_path)
    current, old = desk.conversation("Now"), desk.conversation("Then")
    desk.loaded(current)
    desk.loaded(old, NOBODYS, Door.DYNAMIC)

    [this, *lines] = told(desk)

    assert this == ("ok", f"this is {THIS}")
    assert set(lines) == {
        ("ok", f"1 loaded the present one (mcp): 'Now' ({current})"),
        (
            "note",
            f"1 loaded an unpublished contract, 000000000000 (dynamic): 'Then' ({old})",
        ),
    }


@pytest.mark.requirement("R-D7")
def test_many_conversations_are_counted_and_a_few_named(tmp_path: Path) -> None:
    desk = a_desk(tmp_path)
    for number in range(5):
        desk.loaded(desk.conversation(f"No. {number}"), next(iter(PUBLISHED)))

    _, line = told(desk)

    assert line[1].startswith("5 loaded ")
    assert line[1].endswith(" and 2 more")


@pytest.mark.requirement("R-D7")
def test_a_deleted_conversation_is_not_told_of(tmp_path: Path) -> None:
    desk = a_desk(tmp_path)
    gone = desk.conversation("Gone")
    desk.loaded(gone, NOBODYS)
    desk.delete(gone)

    assert len(told(desk)) == 1
