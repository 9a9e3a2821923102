"""Schemas: what clients and model providers refuse in practice, and what cannot be meant."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from codegen.model import Schema
from codegen.problems import Path, Problem
from codegen.schemas import Draft, parts, plain

SIZE_LIMIT = 16_384
"""Characters of a schema; registries refuse a tool with a longer one."""


def schema_form(draft: Draft) -> Iterator[Problem]:
    """Yield what is wrong inside each schema."""
    for path, schema in draft.schemas():
        size = len(json.dumps(plain(schema), ensure_ascii=False))
        if size >= SIZE_LIMIT:
            text = f"the schema has {size} characters; the limit is {SIZE_LIMIT}"
            yield Problem(rule="schema-too-large", message=text, path=path)
        for part in parts(schema):
            yield from _one(part)


def _one(schema: Schema) -> Iterator[Problem]:
    """Yield what is wrong with one schema, apart from what it holds."""
    if "type" not in schema:
        text = "a schema needs a type, a $ref, an $enum or an $extends"
        yield Problem(rule="no-type", message=text, path=schema["$at"])
    if schema.get("type") == "array" and "items" not in schema:
        yield Problem(rule="no-items", message="an array needs items", path=schema["$at"])
    yield from _required(schema)
    if "default" in schema:
        yield from violations(schema, schema["default"], (*schema["$at"], "default"))


def _required(schema: Schema) -> Iterator[Problem]:
    """Yield each required property that is not there or need not be given."""
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in properties:
            text = f"there is no property {name!r}"
            yield Problem(rule="unknown-required", message=text, path=(*schema["$at"], "required"))
        elif "default" in properties[name]:
            text = f"{name!r} is required, so its default can never be used"
            path = (*properties[name]["$at"], "default")
            yield Problem(rule="default-on-required", message=text, path=path)


def violations(schema: Schema, value: Any, path: Path) -> Iterator[Problem]:
    """Yield why a value that the contract gives does not fit its schema."""
    for error in jsonschema_rs.validator_for(plain(schema)).iter_errors(value):
        yield Problem(rule="bad-value", message=error.message, path=path)


def property_codes(draft: Draft) -> Iterator[Problem]:
    """Yield each `$error` that no call could ever get."""
    for path, schema in draft.schemas():
        arguments = schema["properties"].values() if path[-1] == "input" else ()
        for argument in arguments:
            yield from _undeclared_code(draft, str(path[1]), argument)
        tops = [id(argument) for argument in arguments]
        for part in parts(schema):
            if "$error" in part and id(part) not in tops:
                text = "only an argument itself can have an error code"
                place = (*part["$at"], "$error")
                yield Problem(rule="misplaced-error", message=text, path=place)


def _undeclared_code(draft: Draft, tool: str, argument: Schema) -> Iterator[Problem]:
    """Yield the argument's code when its tool does not declare it."""
    own = (*draft.values["commonErrors"], *draft.values["tools"][tool]["errors"])
    code = argument.get("$error")
    if code and code not in own:
        text = f"the tool {tool!r} does not declare the error {code!r}"
        path = (*argument["$at"], "$error")
        yield Problem(rule="undeclared-error", message=text, path=path)
