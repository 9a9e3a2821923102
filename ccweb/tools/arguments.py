"""Arguments: clean strings, then the accepted schema, with sentences that say what is allowed."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import jsonschema_rs

from ccweb.errors import CcwebError, ContentTooLarge, InvalidParams, InvalidReplyMode
from ccweb.media.errors import ImageTooLarge
from ccweb.media.rules import DATA_LIMIT_BYTES
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import TOOLS, Tool

_VALIDATORS: Final = {
    name: jsonschema_rs.validator_for(dict(tool.accepted_schema)) for name, tool in TOOLS.items()
}

_UNCLEAN: Final = re.compile("[\x00\ud800-\udfff]")
_DEPTH: Final = 32
_MOST_SENTENCES: Final = 5
_ABOUT_SIZE: Final = (ErrorCode.CONTENT_TOO_LARGE, ErrorCode.IMAGE_TOO_LARGE)
_TYPES: Final = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_ALLOWED_TYPES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "null": "null",
}


def checked(tool: Tool, arguments: Any) -> None:
    """Check arguments against what calls of a tool may send (R-C6).

    Raises:
        InvalidParams: or the error whose code the one property at fault names.
    """
    if not isinstance(arguments, Mapping):
        raise InvalidParams(why=f"The arguments must be an object, not {_kind(arguments)}.")
    _check_strings(arguments)
    validator = _VALIDATORS[tool.name]
    if not validator.is_valid(arguments):
        _refuse(tool, arguments, list(validator.iter_errors(arguments)))


def complete(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Check that arguments under their present names have all that the tool requires.

    Raises:
        InvalidParams: or the error whose code the missing property names.
    """
    for name in tool.input_schema.get("required", ()):
        if name not in arguments:
            raise missing(tool, name)


def is_clean(text: str) -> bool:
    """Tell whether every text column and every prompt can hold a text."""
    if text.isascii():  # base64 of two mebibytes, say, a hundred times as fast
        return "\x00" not in text
    return _UNCLEAN.search(text) is None


def missing(tool: Tool, field: str) -> CcwebError:
    """Return the refusal of a call that lacks a field which the current contract requires."""
    allowed = _one_of(tool.input_schema["properties"][field].get("enum", ()))
    why = f"`{field}` is required{': ' + allowed if allowed else ''}."
    return _coded(tool.property_errors.get(field), why)


def _check_strings(arguments: Mapping[str, Any]) -> None:
    """Refuse what no text column and no prompt can hold, wherever it stands."""
    waiting: list[tuple[str, Any, int]] = [("", arguments, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        if depth > _DEPTH:
            raise InvalidParams(why=f"`{path}` is nested deeper than {_DEPTH} levels.")
        if isinstance(value, str):
            _check_string(path, value)
        elif isinstance(value, Mapping):
            for key, item in value.items():
                _check_string(path, key)
                waiting.append((f"{path}.{key}" if path else key, item, depth + 1))
        elif isinstance(value, list):
            waiting += [(f"{path}[{i}]", item, depth + 1) for i, item in enumerate(value)]


def _check_string(path: str, value: str) -> None:
    found = None if is_clean(value) else _UNCLEAN.search(value)
    if found is None:
        return
    what = "a NUL character" if found[0] == "\x00" else "half of a surrogate pair"
    where = f"`{path}`" if path and not _UNCLEAN.search(path) else "The name of an argument"
    raise InvalidParams(why=f"{where} holds {what} at position {found.start()}.")


def _refuse(
    tool: Tool, arguments: Mapping[str, Any], errors: Iterable[jsonschema_rs.ValidationError]
) -> None:
    sentences: dict[str, str] = {}
    codes: list[ErrorCode | None] = []
    for error in errors:
        field = _field(error)
        if field not in sentences:
            sentences[field] = _sentence(tool, field, error)
            codes.append(_code(tool, arguments, error))
    why = " ".join(list(sentences.values())[:_MOST_SENTENCES])
    same = codes[0] if len(set(codes)) == 1 else None
    if same in _ABOUT_SIZE:
        raise _too_large(same, tool, arguments, next(iter(sentences)))
    raise _coded(same, why)


def _code(
    tool: Tool, arguments: Mapping[str, Any], error: jsonschema_rs.ValidationError
) -> ErrorCode | None:
    """Return the code that the property names; one about size only when the size is at fault."""
    code = tool.property_errors.get(str(error.instance_path[0])) if error.instance_path else None
    if code in _ABOUT_SIZE and error.kind.name != "maxLength":
        return None
    return code


def _too_large(
    code: ErrorCode | None, tool: Tool, arguments: Mapping[str, Any], field: str
) -> CcwebError:
    size_bytes = len(arguments[field].encode())
    if code is ErrorCode.IMAGE_TOO_LARGE:
        return ImageTooLarge(size_bytes=size_bytes * 3 // 4, limit_bytes=DATA_LIMIT_BYTES)
    limit = tool.input_schema["properties"][field]["maxLength"]
    return ContentTooLarge(size_bytes=size_bytes, limit_bytes=limit)


def _coded(code: ErrorCode | None, why: str) -> CcwebError:
    if code is ErrorCode.INVALID_REPLY_MODE:
        return InvalidReplyMode(why=why)
    return InvalidParams(why=why)


def _field(error: jsonschema_rs.ValidationError) -> str:
    path = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path
    )
    below = error.kind.as_dict().get("property") if error.kind.name == "required" else None
    return f"{path}.{below}".lstrip(".") if below else path.lstrip(".")


def _sentence(tool: Tool, field: str, error: jsonschema_rs.ValidationError) -> str:
    facts = error.kind.as_dict()
    match error.kind.name:
        case "required":
            return f"`{field}` is required."
        case "additionalProperties":
            return _unknown(tool, field, facts["unexpected"])
        case "enum":
            return f"`{field}` must be one of {_one_of(facts['options'])}, not {_shown(error)}."
        case "type":
            allowed = " or ".join(_ALLOWED_TYPES[name] for name in facts["types"])
            return f"`{field}` must be {allowed}, not {_shown(error)}."
        case "minimum" | "maximum" as name:
            return f"`{field}` must be {_bound(name)} {facts['limit']}, not {_shown(error)}."
        case "minLength" | "maxLength" as name:
            return f"`{field}` must have {_bound(name)} {facts['limit']} characters."
        case "pattern" if facts["pattern"] == r"\S":
            return f"`{field}` must hold more than white space."
        case _:
            return f"`{field}` is wrong: {error.message[:200]}."


def _unknown(tool: Tool, field: str, names: Iterable[str]) -> str:
    unknown = ", ".join(f"`{name[:64]}`" for name in list(names)[:_MOST_SENTENCES])
    if field:
        return f"`{field}` has no {unknown}."
    known = ", ".join(f"`{name}`" for name in tool.input_schema["properties"])
    return f"{unknown} is no argument of `{tool.name}`, which takes {known}."


def _bound(name: str) -> str:
    return "at least" if name.startswith("min") else "at most"


def _one_of(options: Iterable[Any]) -> str:
    return ", ".join(f"`{option}`" for option in options)


def _kind(value: Any) -> str:
    return _TYPES.get(type(value), "something else")


def _shown(error: jsonschema_rs.ValidationError) -> str:
    value = error.instance
    if isinstance(value, str):
        return f"the text {value[:60]!r}"
    return f"`{json.dumps(value)[:60]}`" if isinstance(value, int | float) else _kind(value)
