"""Strategies for changes of schemas and of whole contracts, most of which break somebody."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from codegen.schemas import drafted, plain
from codegen.texts import rendered
from tests.codegen.random_contracts import Contract
from tests.codegen.random_schemas import (
    Schema,
    as_written,
    field_names,
    schemas,
    snake,
    values_of,
    words,
)

LIMITS = ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")
OLD = {"since": "1.0.0", "reason": "It is old."}


def _inner(schema: Schema) -> Iterator[Schema]:
    """Yield a schema's short form and every one inside it."""
    yield schema
    for child in schema.get("properties", {}).values():
        yield from _inner(child)
    if "items" in schema:
        yield from _inner(schema["items"])


@st.composite
def changed_schema(draw: st.DrawFn, schema: Schema) -> Schema:
    """Draw a schema that differs from another in a few places, or in none."""
    changed = copy.deepcopy(schema)
    for _ in range(draw(st.integers(0, 3))):
        part = draw(st.sampled_from([*_inner(changed)]))
        draw(draw(st.sampled_from(_CHANGES))(part))
        _make_possible(part)
    return changed


def _make_possible(part: Schema) -> None:
    """Let no lower limit be above the upper one, so that there are values to draw."""
    for low, high in (("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems")):
        if low in part and high in part:
            part[high] = max(part[low], part[high])


@st.composite
def _with_a_limit(draw: st.DrawFn, part: Schema) -> None:
    there = [key for key in LIMITS if key in part]
    if there:
        key = draw(st.sampled_from(there))
        part[key] = max(0, part[key] + draw(st.integers(-3, 3)))
        if draw(st.booleans()):
            del part[key]


@st.composite
def _with_a_form(draw: st.DrawFn, part: Schema) -> None:
    if part.get("type") == "string":
        for key in ("format", "pattern", "minLength", "maxLength"):
            part.pop(key, None)
        part |= draw(st.sampled_from([{}, {"pattern": "[a-z]"}, {"maxLength": 3}]))
    elif part.get("type") == "array":
        part["uniqueItems"] = draw(st.booleans())


@st.composite
def _with_another_type(draw: st.DrawFn, part: Schema) -> None:
    if part.get("type") in ("integer", "number"):
        part["type"] = draw(st.sampled_from(["integer", "number"]))
        for key in LIMITS:
            part[key] = int(part[key]) if key in part else 0
            if not part[key]:
                del part[key]


@st.composite
def _with_other_fields(draw: st.DrawFn, part: Schema) -> None:
    properties = part.get("properties")
    if properties is None:
        return
    if properties and draw(st.booleans()):
        gone = draw(st.sampled_from([*properties]))
        del properties[gone]
        part["required"] = [name for name in part.get("required", ()) if name != gone]
    taken = {snake(name) for name in properties}
    new = draw(field_names())
    if snake(new) not in taken and draw(st.booleans()):
        properties[new] = draw(schemas(depth=0)) | {"description": draw(words())}


@st.composite
def _with_other_requirements(draw: st.DrawFn, part: Schema) -> None:
    free = [name for name, child in part.get("properties", {}).items() if is_free(child)]
    if "properties" in part:
        bound = [name for name in part.get("required", ()) if name not in free]
        part["required"] = bound + [name for name in free if draw(st.booleans())]


def is_free(argument: Schema) -> bool:
    """Tell whether an argument may be required or not."""
    return not argument.keys() & {"default", "$deprecated"}


_CHANGES: tuple[Callable[[Schema], st.SearchStrategy[None]], ...] = (
    _with_a_limit,
    _with_a_form,
    _with_another_type,
    _with_other_fields,
    _with_other_requirements,
)


@st.composite
def changed_contract(draw: st.DrawFn, contract: Contract) -> Contract:
    """Draw a contract that differs from another in a few places; its examples fit it."""
    changed = copy.deepcopy(contract)
    for _ in range(draw(st.integers(1, 2))):
        if changed["tools"]:
            draw(draw(st.sampled_from(_CONTRACT_CHANGES))(changed))
    return draw(_with_examples(changed))


@st.composite
def _tool_becomes_alias(draw: st.DrawFn, contract: Contract) -> None:
    tools = contract["tools"]
    gone = draw(st.sampled_from([*tools]))
    del tools[gone]
    for name in [name for name, about in contract["aliases"].items() if about["tool"] == gone]:
        del contract["aliases"][name]
    notices = [name for name in contract["prompts"] if name.endswith("_notice")]
    if tools and draw(st.booleans()):
        about = {"tool": draw(st.sampled_from([*tools])), "fixed": {}, "notice": notices[0]}
        contract["aliases"][gone] = about | OLD


@st.composite
def _argument_is_renamed(draw: st.DrawFn, contract: Contract) -> None:
    """Give an argument another name and keep the one that it had, and those before, as old ones."""
    name = draw(st.sampled_from([*contract["tools"]]))
    tool = contract["tools"][name]
    if not (properties := tool["input"].get("properties")):
        return
    old, new = draw(st.sampled_from([*properties])), draw(field_names())
    if snake(new) in {snake(taken) for taken in (*properties, *tool.get("fieldAliases", {}))}:
        return
    renamed = {old: new}
    tool["input"]["properties"] = _with_keys(properties, renamed)
    tool["input"]["required"] = [renamed.get(n, n) for n in tool["input"].get("required", ())]
    tool["legacyDefaults"] = _with_keys(tool.get("legacyDefaults", {}), renamed)
    before = tool.get("fieldAliases", {}).items()
    tool["fieldAliases"] = {
        n: {**a, "field": renamed.get(a["field"], a["field"])} for n, a in before
    }
    tool["fieldAliases"][old] = {"field": new, **OLD}
    for alias in contract["aliases"].values():
        if alias["tool"] == name:
            alias["fixed"] = _with_keys(alias["fixed"], renamed)


def _with_keys(values: dict[str, Any], renamed: dict[str, str]) -> dict[str, Any]:
    """Return values with other keys."""
    return {renamed.get(key, key): value for key, value in values.items()}


@st.composite
def _tool_is_renamed(draw: st.DrawFn, contract: Contract) -> None:
    """Give a tool another name and keep the one that it had, and those before, as old ones."""
    old = draw(st.sampled_from([*contract["tools"]]))
    notices = [name for name in contract["prompts"] if name.endswith("_notice")]
    contract["tools"]["renamed_tool"] = contract["tools"].pop(old)
    for alias in contract["aliases"].values():
        if alias["tool"] == old:
            alias["tool"] = "renamed_tool"
    about = {"tool": "renamed_tool", "fixed": {}, "notice": notices[0]}
    contract["aliases"][old] = about | OLD


@st.composite
def _alias_goes(draw: st.DrawFn, contract: Contract) -> None:
    if contract["aliases"]:
        del contract["aliases"][draw(st.sampled_from([*contract["aliases"]]))]


@st.composite
def _old_calls_change(draw: st.DrawFn, contract: Contract) -> None:
    tool = draw(st.sampled_from([*contract["tools"].values()]))
    for key in ("fieldAliases", "legacyDefaults"):
        if draw(st.booleans()):
            tool.pop(key, None)


@st.composite
def _schema_changes(draw: st.DrawFn, contract: Contract) -> None:
    tool = draw(st.sampled_from([*contract["tools"].values()]))
    part = draw(st.sampled_from(["input", "output"]))
    tool[part] = draw(changed_schema(tool[part]))


@st.composite
def _enum_changes(draw: st.DrawFn, contract: Contract) -> None:
    if contract["enums"]:
        enum = draw(st.sampled_from([*contract["enums"].values()]))
        if draw(st.booleans()):
            enum["values"]["a_new_one"] = {"en": "New.", "zh": "新。"}
        elif len(enum["values"]) > 1:
            gone = draw(st.sampled_from([*enum["values"]]))
            del enum["values"][gone]
            enum.get("deprecated", {}).pop(gone, None)
            if not enum.get("deprecated", True):
                del enum["deprecated"]


@st.composite
def _surfaces_change(draw: st.DrawFn, contract: Contract) -> None:
    group = draw(st.sampled_from([*contract["groups"].values()]))
    group["surfaces"] = draw(st.lists(st.sampled_from(["mcp", "http"]), unique=True))


_CONTRACT_CHANGES: tuple[Callable[[Contract], st.SearchStrategy[None]], ...] = (
    _schema_changes,
    _schema_changes,
    _schema_changes,
    _argument_is_renamed,
    _argument_is_renamed,
    _tool_is_renamed,
    _tool_becomes_alias,
    _alias_goes,
    _old_calls_change,
    _enum_changes,
    _surfaces_change,
)


@st.composite
def _with_examples(draw: st.DrawFn, contract: Contract) -> Contract:
    """Give each tool an example that fits it, and leave out objects that no tool uses."""
    values, _ = rendered(contract)
    draft, problems = drafted(values)
    unused = [problem.path[-1] for problem in problems if problem.rule == "unused-object"]
    objects = {name: it for name, it in contract["objects"].items() if name not in unused}
    tools = {}
    for name, tool in contract["tools"].items():
        fitting = {
            "input": draw(values_of(plain(draft.inputs[name]))),
            "output": draw(values_of(plain(draft.outputs[name]))),
        }
        tools[name] = {**tool, "examples": [as_written(fitting)]}
    return {**contract, "objects": objects, "tools": tools}
