"""What docs/friday.md takes from the contract and the code: requests, answers, gates, refusals."""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from ccweb.client.age import CANONICAL
from ccweb.tools.answer import RUN_HEADER
from ccweb_contract.enums import EXPLANATIONS, Lang
from ccweb_contract.errors import HTTP_STATUS, MEANINGS, REMEDIES, ErrorCode
from ccweb_contract.tools import TOOLS, Tool, ToolGroup
from scripts import gates
from scripts.chinese_fields import FIELDS
from scripts.markdown import Row, code, table

_SNAPSHOTS: Final = Path(__file__).resolve().parent.parent / "generated" / "schemas"
_TOOLS: Final = [tool for tool in TOOLS.values() if tool.group is ToolGroup.FRIDAY]
_HEADS: Final[Mapping[str, Mapping[Lang, Row]]] = {
    "tools": {
        Lang.EN: ("Tool", "Path", "Arguments"),
        Lang.ZH: ("工具", "路径", "请求字段"),
    },
    "fields": {
        Lang.EN: ("Field", "Value", "Meaning"),
        Lang.ZH: ("字段", "取值", "说明"),
    },
    "values": {
        Lang.EN: ("Value", "Meaning"),
        Lang.ZH: ("取值", "含义"),
    },
    "errors": {
        Lang.EN: ("`error_code`", "HTTP", "Meaning", "What helps"),
        Lang.ZH: ("`error_code`", "HTTP", "含义", "处理"),
    },
}


def blocks(lang: Lang) -> dict[str, str]:
    """Return the text of every block of the page by its name, but for the diagrams."""
    canonical = [tool for tool in _TOOLS if tool.name in CANONICAL]
    legacy = [tool for tool in _TOOLS if tool.name not in CANONICAL]
    return {
        "request": _request(),
        "canonical": table(_HEADS["tools"][lang], _tools(canonical, lang)),
        "canonical-fields": _fields(canonical, lang),
        "steps": gates.steps(lang),
        "gates": gates.gates(lang),
        "evidence": gates.lacking(lang),
        "orphan": gates.orphan(lang),
        "legacy": table(_HEADS["tools"][lang], _tools(legacy, lang)),
        "legacy-fields": _fields(legacy, lang),
        "values": _values(lang),
        "canonical-examples": _examples(canonical, lang),
        "legacy-examples": _examples(legacy, lang),
        "refusal": _refusal(),
        "errors": table(_HEADS["errors"][lang], _errors(lang)),
    }


def sentences() -> set[str]:
    """Return what fields say in English and a Chinese reader needs in Chinese."""
    said = {_said(field) for schema in _schemas() for _, field, _ in _walk(schema)}
    return said - {""}


# --- requests and answers -------------------------------------------------------------------------


def _request() -> str:
    headers = (
        "Authorization: Bearer {CCWEB_TOKEN}",
        "Content-Type: application/json",
        f"{RUN_HEADER}: {{run_id}}",
    )
    return code("text", [f"POST {{CCWEB_URL}}{_path('{tool_name}')}", *headers])


def _path(name: str) -> str:
    """Return the path of a tool's endpoint, as the document of all endpoints has it."""
    one = _TOOLS[0].name
    [path] = [path for path in _snapshot("openapi")["paths"] if path.split("/")[-2] == one]
    return str(path).replace(one, name)


@cache
def _snapshot(name: str) -> Any:
    return json.loads((_SNAPSHOTS / f"{name}.json").read_text())


def _answer(tool: Tool) -> Mapping[str, Any]:
    """Return the schema of what is answered today; the published one leaves values open."""
    schema: Mapping[str, Any] = _snapshot(tool.name)["producedSchema"]
    return schema


def _schemas() -> list[Mapping[str, Any]]:
    return [schema for tool in _TOOLS for schema in (tool.input_schema, _answer(tool))]


def _tools(tools: Iterable[Tool], lang: Lang) -> Iterator[Row]:
    for tool in tools:
        names = [_name(name, is_sure) for name, _, is_sure in _walk(tool.input_schema, depth=1)]
        yield f"`{tool.name}`", f"`{_path(tool.name)}`", ", ".join(names)


def _fields(tools: Sequence[Tool], lang: Lang) -> str:
    """Return the arguments of each tool, and each form of an answer once."""
    words = {Lang.EN: ("Arguments", "Answer"), Lang.ZH: ("请求字段", "响应字段")}[lang]
    sections = [
        f"#### {words[0]}: `{tool.name}`\n\n{tool.summary[lang]}\n\n"
        + _described(tool.input_schema, lang)
        for tool in tools
    ]
    for schema in _distinct(map(_answer, tools)):
        of = ", ".join(f"`{tool.name}`" for tool in tools if _answer(tool) == schema)
        sections.append(f"#### {words[1]}: {of}\n\n{_described(schema, lang)}")
    return "\n".join(sections)


def _described(schema: Mapping[str, Any], lang: Lang) -> str:
    rows = [
        (_name(name, is_sure), _kind(field), _meaning(field, lang))
        for name, field, is_sure in _walk(schema)
    ]
    return table(_HEADS["fields"][lang], rows)


def _walk(
    schema: Mapping[str, Any], prefix: str = "", *, depth: int = 9
) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Yield each field by its path, with its schema and whether it is always there."""
    for name, field in schema.get("properties", {}).items():
        yield f"{prefix}{name}", field, name in schema.get("required", ())
        inner, below = (field["items"], "[].") if "items" in field else (field, ".")
        if depth > 1:
            yield from _walk(inner, f"{prefix}{name}{below}", depth=depth - 1)


def _name(name: str, is_sure: bool) -> str:
    return f"`{name}`\\*" if is_sure else f"`{name}`"


def _kind(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return " ".join(f"`{value}`" for value in field["enum"])
    if "items" in field:
        return f"array of {field['items']['type']}"
    return str(field.get("format", field["type"]))


def _meaning(field: Mapping[str, Any], lang: Lang) -> str:
    own = _said(field)
    said = own if lang is Lang.EN or not own else FIELDS[own]
    return f"{said} {_explained(field, lang)}".strip() if own != field["description"] else said


def _said(field: Mapping[str, Any]) -> str:
    """Return a field's description without the explanations of its values."""
    return str(field["description"]).replace(_explained(field, Lang.EN), "").strip()


def _explained(field: Mapping[str, Any], lang: Lang) -> str:
    """Return the explanations of a field's values; a line break where there are none to find."""
    kind = _enum(field)
    if kind is None:
        return "\n"
    each = EXPLANATIONS[kind]
    return " ".join(f"`{value}`: {each[value][lang]}" for value in kind)


def _enum(field: Mapping[str, Any]) -> type[StrEnum] | None:
    """Return the enum whose values a field takes."""
    values = field.get("enum")
    return next((kind for kind in EXPLANATIONS if [*kind] == values), None)


def _values(lang: Lang) -> str:
    """Return every enum of the fields with its values, under the names of its fields."""
    places: dict[type[StrEnum], list[str]] = {}
    for name, field, _ in (one for schema in _schemas() for one in _walk(schema)):
        if (kind := _enum(field)) and name not in places.setdefault(kind, []):
            places[kind].append(name)
    return "\n".join(
        f"#### {', '.join(f'`{name}`' for name in names)}\n\n"
        + table(_HEADS["values"][lang], ((f"`{v}`", EXPLANATIONS[kind][v][lang]) for v in kind))
        for kind, names in places.items()
    )


def _examples(tools: Iterable[Tool], lang: Lang) -> str:
    """Return a call of each tool, in order; all but the first go on with the run."""
    return "\n".join(_example(tool, lang, is_first=i == 0) for i, tool in enumerate(tools))


def _example(tool: Tool, lang: Lang, *, is_first: bool) -> str:
    post = _snapshot("openapi")["paths"][_path(tool.name)]["post"]
    shown = post["requestBody"]["content"]["application/json"]["examples"]
    body = json.dumps(next(iter(shown.values()))["value"], ensure_ascii=False)
    run = [] if is_first else [f'  -H "{RUN_HEADER}: ${{RUN_ID}}" \\']
    lines = [
        f"# {tool.title[lang]}",
        f'curl -sS -X POST "${{CCWEB_URL}}{_path(tool.name)}" \\',
        '  -H "Authorization: Bearer ${CCWEB_TOKEN}" \\',
        '  -H "Content-Type: application/json" \\',
        *run,
        f"  -d {shlex.quote(body)}",
    ]
    return code("bash", lines)


# --- refusals -------------------------------------------------------------------------------------


def _refusal() -> str:
    names = _snapshot("openapi")["components"]["schemas"]["Refusal"]["properties"]
    return code("json", [json.dumps(dict.fromkeys(names, "..."))])


def _errors(lang: Lang) -> Iterator[Row]:
    """Yield the code of each refusal, those of the client included."""
    answered = {one for tool in _TOOLS for one in tool.errors} | {ErrorCode.MCP_VERSION_TOO_OLD}
    for one in ErrorCode:
        if one in answered:
            yield f"`{one}`", str(HTTP_STATUS[one]), MEANINGS[one][lang], REMEDIES[one][lang]


def _distinct(schemas: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    return found
