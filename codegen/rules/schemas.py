"""Schemas: what clients and model providers refuse in practice, and what cannot be meant."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from codegen.model import Schema
from codegen.problems import Path, Problem
from codegen.schemas import Draft, plain

SIZE_LIMIT = 16_384
"""Characters of a schema; registries refuse a tool with a longer one."""


def schema_form(draft: Draft) -> Iterator[Problem]:
    """Yield what is wrong inside each schema."""
    for path, schema in draft.schemas():
        size = len(json.dumps(plain(schema), ensure_ascii=False))
        if size >= SIZE_LIMIT:
            text = f"the schema has {size} characters; the limit is {SIZE_LIMIT}"
            yield Problem(rule="schema-too-large", message=text, path=path)
        yield from _inside(schema, path)


def _inside(schema: Schema, path: Path) -> Iterator[Problem]:
    """Yield what is wrong with a schema and with all that it holds."""
    if "type" not in schema:
        text = "a schema needs a type, a $ref, an $enum or an $extends"
        yield Problem(rule="no-type", message=text, path=path)
    if schema.get("type") == "array" and "items" not in schema:
        yield Problem(rule="no-items", message="an array needs items", path=path)
    yield from _required(schema, path)
    yield from _default(schema, path)
    for name, child in schema.get("properties", {}).items():
        yield from _inside(child, (*path, "properties", name))
    if "items" in schema:
        yield from _inside(schema["items"], (*path, "items"))


def _required(schema: Schema, path: Path) -> Iterator[Problem]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in properties:
            text = f"there is no property {name!r}"
            yield Problem(rule="unknown-required", message=text, path=(*path, "required"))
        elif "default" in properties[name]:
            text = f"{name!r} is required, so its default can never be used"
            place = (*path, "properties", name, "default")
            yield Problem(rule="default-on-required", message=text, path=place)


def _default(schema: Schema, path: Path) -> Iterator[Problem]:
    if "default" in schema:
        yield from violations(schema, schema["default"], (*path, "default"))


def violations(schema: Schema, value: Any, path: Path) -> Iterator[Problem]:
    """Yield why a value that the contract gives does not fit its schema."""
    for error in jsonschema_rs.validator_for(plain(schema)).iter_errors(value):
        yield Problem(rule="bad-value", message=error.message, path=path)


def property_codes(draft: Draft) -> Iterator[Problem]:
    """Yield each `$error` that no call could ever get."""
    for name, tool in draft.values["tools"].items():
        own = {*draft.values["commonErrors"], *tool["errors"]}
        for field, schema in draft.inputs[name]["properties"].items():
            code = schema.get("$error")
            if code and code not in own:
                text = f"the tool does not declare the error {code!r} of {field!r}"
                path = ("tools", name, "input", "properties", field, "$error")
                yield Problem(rule="undeclared-error", message=text, path=path)
    for place, schema in draft.schemas():
        yield from _misplaced_codes(schema, place, is_top=place[-1] == "input")


def _misplaced_codes(schema: Schema, path: Path, *, is_top: bool) -> Iterator[Problem]:
    """Yield each `$error` that stands deeper than a tool's own arguments."""
    for name, child in schema.get("properties", {}).items():
        place = (*path, "properties", name)
        if "$error" in child and not is_top:
            text = "only an argument itself can have an error code"
            yield Problem(rule="misplaced-error", message=text, path=(*place, "$error"))
        yield from _misplaced_codes(child, place, is_top=False)
    if "items" in schema:
        yield from _misplaced_codes(schema["items"], (*path, "items"), is_top=False)
