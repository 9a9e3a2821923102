"""The module that the page loads holds the same values as the Python package."""

import json
import re
from enum import StrEnum
from typing import Any

import pytest

from ccweb_contract.enums import EXPLANATIONS
from ccweb_contract.errors import MEANINGS, REMEDIES, ErrorCode
from ccweb_contract.tools import COMPOSER_ITEMS, ToolName
from tests.contract.surfaces import GENERATED

EXPORT = re.compile(r"export const (\w+) = Object\.freeze\((.*?)\);\n", re.DOTALL)


def exports() -> dict[str, Any]:
    """Return what the module exports; its objects are JSON but for bare keys and last commas."""
    text = (GENERATED / "ccweb_contract" / "contract.js").read_text()
    found = {}
    for name, body in EXPORT.findall(text):
        quoted = re.sub(r"^( +)(\w+):", r'\1"\2":', body, flags=re.MULTILINE)
        found[name] = json.loads(re.sub(r",(\s*[}\]])", r"\1", quoted))
    return found


@pytest.mark.requirement("R-C5")
def test_the_module_exports_what_the_page_needs_and_nothing_else() -> None:
    declared = {enum.__name__ for enum in EXPLANATIONS}
    others = {"EXPLANATIONS", "ErrorCode", "MEANINGS", "REMEDIES", "ToolName", "COMPOSER_ITEMS"}
    assert exports().keys() == declared | others


@pytest.mark.requirement("R-C5")
def test_enums_and_codes_are_those_of_the_package() -> None:
    module = exports()
    enums: list[type[StrEnum]] = [*EXPLANATIONS, ErrorCode, ToolName]
    for enum in enums:
        assert module[enum.__name__] == {member.name: member.value for member in enum}


@pytest.mark.requirement("R-C5")
def test_meanings_remedies_and_composer_items_are_those_of_the_package() -> None:
    module = exports()
    assert module["EXPLANATIONS"] == {enum.__name__: dict(m) for enum, m in EXPLANATIONS.items()}
    assert module["MEANINGS"] == MEANINGS
    assert module["REMEDIES"] == REMEDIES
    assert module["COMPOSER_ITEMS"] == [
        {"id": item.id, "tool": item.tool, "title": item.title, "summary": item.summary}
        for item in COMPOSER_ITEMS
    ]
