"""What an old thread sees: the calls that it makes, what is done with them, and what it is told."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from codegen.explanation.fields import fields, values
from codegen.explanation.places import Place, added_lines
from codegen.languages import Text
from codegen.literals import compact_json
from codegen.model import Alias, Contract, Deprecation, Tool

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OldCall:
    """A call by an old definition."""

    what: str
    since: str
    remove_after: str | None
    """The last release that takes it; None keeps it."""
    reason: str
    call: str
    arguments: Arguments | None
    """What the call sends, made from an example; None when no example shows it."""
    becomes: Arguments | None
    """What the tool gets."""
    done: str
    notice: Text | None
    """What the answer says besides, in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldName:
    """An old name of a tool."""

    name: str
    tool: str
    call: OldCall
    places: tuple[Place, ...]


def old_name(contract: Contract, alias: Alias) -> OldName:
    """Return an old name from its own side."""
    [tool] = [tool for tool in contract.tools if tool.name == alias.tool]
    call = _by_alias(contract, tool, alias)
    others = tuple(other for other in contract.aliases if other != alias)
    found = added_lines(replace(contract, aliases=others), contract)
    return OldName(name=alias.name, tool=tool.name, call=call, places=found)


def old_calls(contract: Contract, tool: Tool) -> tuple[OldCall, ...]:
    """Return every way in which an old thread may still call a tool."""
    return tuple(_calls(contract, tool))


def _calls(contract: Contract, tool: Tool) -> Iterator[OldCall]:
    for alias in contract.aliases:
        if alias.tool == tool.name:
            yield _by_alias(contract, tool, alias)
    yield from _by_fields(tool)
    yield from _left_out(contract, tool)
    if tool.deprecated:
        yield _unlisted(tool, f"the tool {tool.name}, which no list shows", tool.deprecated)
    for name, schema, _ in fields(tool.input):
        if "$deprecated" in schema:
            end = _deprecation(schema["$deprecated"])
            yield _unlisted(tool, f"the argument {name}, which no list shows", end)
    yield from _old_values(contract, tool)


def _by_alias(contract: Contract, tool: Tool, alias: Alias) -> OldCall:
    sent = {k: v for k, v in tool.examples[0].input.items() if k not in alias.fixed}
    fixed = ", ".join(alias.fixed)
    return OldCall(
        what=f"the old name {alias.name}",
        since=alias.since,
        remove_after=alias.remove_after,
        reason=alias.reason,
        call=alias.name,
        arguments=sent,
        becomes={**sent, **alias.fixed},
        done=f"{tool.name} is called"
        + (f"; {fixed} is always as shown, whatever the call sends" if fixed else ""),
        notice=_notice(contract, alias.notice),
    )


def _by_fields(tool: Tool) -> Iterator[OldCall]:
    for alias in tool.field_aliases:
        new = _with(tool, alias.field)
        old = new and {alias.name if k == alias.field else k: v for k, v in new.items()}
        yield OldCall(
            what=f"the old name {alias.name} of the argument {alias.field}",
            since=alias.since,
            remove_after=alias.remove_after,
            reason=alias.reason,
            call=tool.name,
            arguments=old,
            becomes=new,
            done=f"{alias.name} is read as {alias.field}",
            notice=None,
        )


def _left_out(contract: Contract, tool: Tool) -> Iterator[OldCall]:
    for default in tool.legacy_defaults:
        example = _with(tool, default.field)
        old = example and {k: v for k, v in example.items() if k != default.field}
        yield OldCall(
            what=f"a call without {default.field}",
            since=default.since,
            remove_after=default.remove_after,
            reason=default.reason,
            call=tool.name,
            arguments=old,
            becomes=old and {**old, default.field: default.value},
            done=f"{default.field} is taken as {compact_json(default.value)}",
            notice=_notice(contract, default.notice),
        )


def _old_values(contract: Contract, tool: Tool) -> Iterator[OldCall]:
    enums = {enum.name: enum for enum in contract.enums}
    for name, schema, _ in fields(tool.input):
        enum = enums.get(values(schema).get("$enum", ""))
        for value in enum.values if enum else ():
            if value.deprecated:
                what = f"the value {value.name} of {name}, which no list shows"
                yield _unlisted(tool, what, value.deprecated)


def _unlisted(tool: Tool, what: str, end: Deprecation) -> OldCall:
    """Return a call with something that is taken as ever, and that no list shows."""
    return OldCall(
        what=what,
        since=end.since,
        remove_after=end.remove_after,
        reason=end.reason,
        call=tool.name,
        arguments=None,
        becomes=None,
        done="it is taken as ever",
        notice=None,
    )


def _deprecation(said: Mapping[str, str]) -> Deprecation:
    last = said.get("removeAfter")
    return Deprecation(since=said["since"], reason=said["reason"], remove_after=last)


def _with(tool: Tool, field: str) -> Arguments | None:
    """Return the arguments of the first example that has a field."""
    return next((example.input for example in tool.examples if field in example.input), None)


def _notice(contract: Contract, name: str) -> Text:
    [wording] = [prompt.wording for prompt in contract.prompts if prompt.name == name]
    return wording
