"""Two tools became one in this project's own history: what that needed, and what it breaks without.

Before, `ccweb_request_reply` and `ccweb_send_message` had the same input, and which of them was
called decided whether the reply came back. `before_the_merge.json` is what a thread of then holds.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.compatibility.comparison import Finding, findings
from codegen.compatibility.rules import Level
from codegen.compatibility.snapshot import Snapshot, from_values
from tests.codegen.compatibility.changed import GONE, Edits, edited, held
from tests.codegen.projects import ROOT

SEND = "tools.ccweb_send_message"
REQUEST_REPLY = "tools.ccweb_request_reply"
ALIAS = "aliases.ccweb_request_reply"
NOT_NAMED = {
    "prompts.notice_old_name.wording.en": "Your tool list is old.",
    "prompts.notice_old_name.wording.zh": "你的工具列表已过时。",
}


def before() -> Snapshot:
    """Return what a thread holds that was started before the merge."""
    return from_values(json.loads(Path(__file__).with_name("before_the_merge.json").read_text()))


def since(edits: Edits, folder: Path) -> list[Finding]:
    """Return what such a thread meets in the present contract, changed at some places."""
    text = (ROOT / "contract" / "tools.yaml").read_text()
    contract: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    own = edited(contract, {"changelog": GONE, "documents": [], **edits})
    return findings(before(), held(own, folder))


def refused(found: list[Finding]) -> list[tuple[str, str]]:
    """Return the rules and the places of what breaks such a thread."""
    return [(f.rule, f.place) for f in found if f.level is Level.BREAKING]


@pytest.mark.requirement("R-C7")
def test_the_merge_breaks_nothing_with_its_alias_and_its_legacy_default(tmp_path: Path) -> None:
    found = since({}, tmp_path)

    assert refused(found) == []
    declared = [finding.place for finding in found if finding.rule == "DECLARED"]
    assert declared == [f"{SEND}.input.replyMode", REQUEST_REPLY]


@pytest.mark.requirement("R-C7")
def test_the_merge_is_refused_without_its_alias(tmp_path: Path) -> None:
    found = since({ALIAS: GONE, **NOT_NAMED}, tmp_path)

    assert refused(found) == [("TOOL_REMOVED", REQUEST_REPLY)]


@pytest.mark.requirement("R-C7")
def test_the_merge_is_refused_without_its_legacy_default(tmp_path: Path) -> None:
    found = since({f"{SEND}.legacyDefaults": GONE}, tmp_path)

    assert refused(found) == [("INPUT_REQUIRED_ADDED", f"{SEND}.input.replyMode")]


@pytest.mark.requirement("R-C7")
def test_the_merge_is_refused_when_the_alias_fixes_nothing_and_nothing_stands_for_it(
    tmp_path: Path,
) -> None:
    found = since({f"{ALIAS}.fixed": {}, f"{SEND}.legacyDefaults": GONE}, tmp_path)

    assert refused(found) == [
        ("INPUT_REQUIRED_ADDED", f"{SEND}.input.replyMode"),
        ("INPUT_REQUIRED_ADDED", f"{REQUEST_REPLY}.input.replyMode"),
    ]
