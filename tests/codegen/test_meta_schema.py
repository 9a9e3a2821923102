"""The meta-schema explains itself to whoever writes the contract in an editor."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.codegen.projects import FIXTURE, ROOT

CONTRACT = ROOT / "contract" / "tools.yaml"
EXAMPLE = ROOT / "docs" / "example-contract" / "tools.yaml"
META_SCHEMA = ROOT / "contract" / "tools.schema.json"
SCHEMA = json.loads(META_SCHEMA.read_text())


def parts(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema inside a schema, with where it stands."""
    if isinstance(schema, dict):
        yield path, schema
        for key, child in schema.items():
            yield from parts(child, f"{path}/{key}")
    elif isinstance(schema, list):
        for i, child in enumerate(schema):
            yield from parts(child, f"{path}/{i}")


def test_it_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.requirement("R-C2")
def test_every_key_that_it_allows_is_described() -> None:
    undescribed = [
        f"{path}/properties/{name}"
        for path, schema in parts(SCHEMA)
        if "additionalProperties" in schema
        for name, child in schema.get("properties", {}).items()
        if not child.get("description")
    ]
    assert undescribed == []


@pytest.mark.requirement("R-C2")
def test_every_definition_and_every_entry_of_a_list_or_a_map_is_described() -> None:
    entries = {f"/$defs/{name}": child for name, child in SCHEMA["$defs"].items()}
    for path, schema in parts(SCHEMA):
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict) and schema[key].get("properties"):
                entries[f"{path}/{key}"] = schema[key]
    assert len(entries) > len(SCHEMA["$defs"])
    assert [path for path, schema in entries.items() if not schema.get("description")] == []


@pytest.mark.requirement("R-C2")
def test_every_object_with_named_keys_refuses_others() -> None:
    open_objects = [
        path
        for path, schema in parts(SCHEMA)
        if schema.get("type") == "object" and "properties" in schema
        if "additionalProperties" not in schema
    ]
    assert open_objects == []


@pytest.mark.parametrize("file", [CONTRACT, FIXTURE, EXAMPLE], ids=["ccweb", "fixture", "example"])
def test_an_editor_finds_it_by_the_first_line_of_a_contract(file: Any) -> None:
    first = file.read_text().splitlines()[0]
    assert first == f"# yaml-language-server: $schema={META_SCHEMA.name}"
