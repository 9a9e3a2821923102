"""Strategies for tools and their old names, over the parts that they refer to."""

import json
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from codegen.rules.schemas import SIZE_LIMIT
from tests.codegen.random_names import (
    Names,
    class_form,
    distinct,
    extended,
    old,
    snake_names,
    some,
    texts,
)
from tests.codegen.random_schemas import (
    Schema,
    field_names,
    object_schemas,
    snake,
    values_of,
    words,
)

HINTS = ("readOnly", "destructive", "idempotent", "openWorld")


@st.composite
def tool_entries(draw: st.DrawFn, names: Names) -> Any:
    """Draw a tool."""
    entry: dict[str, Any] = {
        "group": draw(st.sampled_from([*names.groups])),
        "title": draw(texts()),
        "summary": draw(texts()),
        "description": draw(words()),
        "input": draw(_tool_schemas(names)),
        "output": draw(_tool_schemas(names)),
        "annotations": {hint: draw(st.booleans()) for hint in HINTS},
        "errors": draw(some(names.codes)),
    }
    if draw(st.booleans()):
        entry["deprecated"] = draw(old(ends=names.end(entry["group"])))
    draw(_marked_arguments(names, entry))
    full = names.expanded(entry["input"])
    entry |= draw(_old_calls(names, full, names.end(entry["group"])))
    output = names.expanded(entry["output"])
    assume(max(len(json.dumps(schema)) for schema in (full, output)) < SIZE_LIMIT)
    example = st.fixed_dictionaries({"input": values_of(full), "output": values_of(output)})
    return {**entry, "examples": draw(st.lists(example, min_size=1, max_size=2))}


@st.composite
def _tool_schemas(draw: st.DrawFn, names: Names) -> Schema:
    """Draw the schema of arguments or of an answer, in one of the three forms."""
    enums, objects = tuple(names.enums), tuple(names.objects)
    form = draw(st.sampled_from(["type", "$ref", "$extends"] if objects else ["type"]))
    if form == "$ref":
        return {"$ref": draw(st.sampled_from(objects))}
    schema = draw(object_schemas(enums=enums, objects=objects))
    if form == "type":
        return schema
    return extended(schema, draw(st.sampled_from(objects)), names.objects)


@st.composite
def _marked_arguments(draw: st.DrawFn, names: Names, entry: Any) -> None:
    """Give some arguments a default, an error code or an end."""
    arguments = entry["input"]
    for name, schema in arguments.get("properties", {}).items():
        if name not in arguments.get("required", ()) and draw(st.booleans()):
            default = draw(values_of(names.expanded(schema)))
            if default not in names.unlisted(schema):
                schema["default"] = default
            if draw(st.booleans()):
                schema["$deprecated"] = draw(old(ends=names.end(entry["group"])))
        if entry["errors"] and entry["input"].keys() >= {"type"} and draw(st.booleans()):
            schema["$error"] = draw(st.sampled_from(entry["errors"]))


@st.composite
def _old_calls(draw: st.DrawFn, names: Names, arguments: Any, ends: bool) -> Any:
    """Draw old names of fields, and values of fields that old calls leave out."""
    fields, found = arguments["properties"], {}
    taken = {snake(field) for field in fields}
    free = field_names().filter(lambda name: snake(name) not in taken)
    aliased = draw(distinct(free, high=2)) if fields else []
    if aliased:
        field = st.fixed_dictionaries({"field": st.sampled_from([*fields])})
        found["fieldAliases"] = {n: draw(field) | draw(old(ends=ends)) for n in aliased}
    if left_out := draw(some(arguments.get("required", ()))):
        found["legacyDefaults"] = {
            name: {
                "value": draw(values_of(fields[name])),
                "notice": draw(st.sampled_from(names.notices)),
                **draw(old(ends=ends)),
            }
            for name in left_out
        }
    return found


@st.composite
def tool_aliases(draw: st.DrawFn, names: Names, tools: dict[str, Any]) -> Any:
    """Draw old names of tools."""
    taken = {class_form(name) for name in tools}
    free = snake_names().filter(lambda name: class_form(name) not in taken)
    return {name: draw(_alias(names, tools)) for name in draw(distinct(free, high=2))}


@st.composite
def _alias(draw: st.DrawFn, names: Names, tools: dict[str, Any]) -> Any:
    tool = draw(st.sampled_from([*tools]))
    fields = names.expanded(tools[tool]["input"])["properties"]
    return {
        "tool": tool,
        "fixed": {name: draw(values_of(fields[name])) for name in draw(some(fields))},
        "notice": draw(st.sampled_from(names.notices)),
        **draw(old(ends=names.end(tools[tool]["group"]))),
    }
