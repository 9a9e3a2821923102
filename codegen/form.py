"""The first check of a contract: its form, as the meta-schema says it."""

import json
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import jsonschema_rs

from codegen.problems import ContractError, Path, Problem

_RULES = {
    "additionalProperties": "unknown-field",
    "required": "missing-field",
    "propertyNames": "bad-name",
    "type": "wrong-type",
    "anyOf": "not-an-object",
}
"""The rule behind a keyword of the meta-schema; any other keyword is a `bad-value`."""


def problems(values: Any, schema_file: FilePath) -> Iterator[Problem]:
    """Yield what the meta-schema does not allow.

    Raises:
        ContractError: the meta-schema cannot be read.
    """
    try:
        schema = json.loads(schema_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ContractError([f"{schema_file.name}:1: unreadable: {error}"]) from error
    for violation in jsonschema_rs.validator_for(schema, validate_formats=True).iter_errors(values):
        path = tuple(violation.instance_path)
        kind = violation.kind
        yield from _problems(kind.as_dict(), kind.name, path, violation.message)


def _problems(kind: dict[str, Any], keyword: str, path: Path, message: str) -> Iterator[Problem]:
    """Yield one problem, or one for each unknown field."""
    place = ".".join(map(str, path)) or "the contract"
    rule = _RULES.get(keyword, "bad-value")
    if rule == "unknown-field":
        for field in kind["unexpected"]:
            text = f"{place} has no field {field!r}"
            yield Problem(rule=rule, message=text, path=(*path, field))
    elif rule == "missing-field":
        yield Problem(rule=rule, message=f"{place} needs the field {kind['property']!r}", path=path)
    elif rule == "bad-name":
        name = kind["error"].instance
        yield Problem(rule=rule, message=f"{place}: {message}", path=(*path, name))
    elif rule == "not-an-object":
        yield Problem(rule=rule, message=f"{place} must be the schema of an object", path=path)
    else:
        text = message if len(message) <= 200 else f"{message[:197]}..."
        yield Problem(rule=rule, message=f"{place}: {text}", path=path)
