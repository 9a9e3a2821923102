"""The reference of a contract's keys and of the rules about it, as Markdown tables."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codegen import emit, lint
from codegen.compatibility.rules import RULES as BREAKING
from codegen.literals import cell
from codegen.refusals import REFUSALS

Schema = Mapping[str, Any]
_ROOT = "tools.yaml"
_FORMS = "Forms of values"


def blocks(meta_schema: Schema) -> dict[str, str]:
    """Return the text of every block of the guide by its name."""
    return {
        "picture": _picture(),
        "keys": keys(meta_schema),
        "refusals": _table(("Rule", "A contract must be like this"), _refusals()),
        "lint": _table(("Rule", "Level", "It asks", "Because"), _lint()),
        "breaking": _table(
            ("Rule", "Level", "It finds", "It breaks", "It is safe so"), _breaking()
        ),
    }


def keys(meta_schema: Schema) -> str:
    """Return every key that a contract can have: a table for each part, in order."""
    return _Reference(meta_schema).text()


class _Reference:
    """Walks the meta-schema; what several parts share has a section of its own."""

    def __init__(self, meta_schema: Schema) -> None:
        self._defs: Mapping[str, Schema] = meta_schema["$defs"]
        self._waiting: list[tuple[str, Schema]] = [(_ROOT, meta_schema)]
        self._titles: list[str] = []

    def text(self) -> str:
        """Return all sections, and at last the forms that they name."""
        sections = []
        while self._waiting:
            title, schema = self._waiting.pop(0)
            if title not in self._titles:
                self._titles.append(title)
                sections.append(self._section(title, schema))
        forms = _table(("Form", "What it is", "Pattern"), self._simple_forms())
        return "\n".join([*sections, f"#### {_FORMS}\n\n{forms}"])

    def _section(self, title: str, schema: Schema) -> str:
        """Return one part: what it is, and a row for each of its keys."""
        place = "" if title == _ROOT else f"{title}."
        rows = [
            (f"`{key}`", self._kind(child, f"{place}{key}"), need, _words(child))
            for key, child in schema["properties"].items()
            for need in ["yes" if key in schema.get("required", ()) else ""]
        ]
        head = ("Key", "Value", "Required", "What it is")
        return f"#### {title}\n\n{_words(schema)}\n\n{_table(head, rows)}"

    def _kind(self, schema: Schema, place: str) -> str:
        """Return what a value is, in a few words, and note the parts that it leads to."""
        if "enum" in schema:
            return " ".join(f"`{value}`" for value in schema["enum"])
        if isinstance(schema.get("additionalProperties"), Mapping):
            return f"map of {self._entry(schema['additionalProperties'], f'{place}.NAME')}"
        if "items" in schema:
            return f"list of {self._entry(schema['items'], f'{place}[]')}"
        if schema.get("properties") or "$ref" in schema or "allOf" in schema:
            return self._entry(schema, place)
        return str(schema.get("type", "any value"))

    def _entry(self, schema: Schema, place: str) -> str:
        """Return a link to the section about a value, or its form."""
        name = _definition(schema)
        if name is None:
            return (
                self._linked(place, schema)
                if schema.get("properties")
                else self._kind(schema, place)
            )
        target = self._defs[name]
        if target.get("properties"):
            return self._linked(name, target)
        inner = _definition(target)
        if inner:
            return self._entry({"$ref": f"#/$defs/{inner}"}, place)
        simple = "pattern" in target or "minimum" in target
        return _link(name, _FORMS) if simple else self._kind(target, place)

    def _linked(self, title: str, schema: Schema) -> str:
        self._waiting.append((title, schema))
        return _link(title, title)

    def _simple_forms(self) -> Iterator[tuple[str, str, str]]:
        for name, schema in self._defs.items():
            if "pattern" in schema or "minimum" in schema:
                pattern = f"`{schema['pattern']}`" if "pattern" in schema else ""
                yield name, _words(schema), pattern


def _definition(schema: Schema) -> str | None:
    """Return the shared definition that a schema refers to, wherever it says so."""
    reference = schema.get("$ref") or next(
        (part.get("$ref") for part in schema.get("allOf", ())), None
    )
    return reference.rpartition("/")[2] if reference else None


def _words(schema: Schema) -> str:
    """Return the description, in which Markdown must see no tag."""
    return str(schema["description"]).replace("<", "&lt;")


def _link(text: str, title: str) -> str:
    slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    return f"[{text}](#{slug})"


def _picture() -> str:
    """Return what becomes of a contract, drawn from the compiler's own tables."""
    shown = [f"    published --> {surface}" for surface in emit.SURFACES]
    return "\n".join(
        [
            "```mermaid",
            "flowchart LR",
            f"    source[tools.yaml] --> form[{len(REFUSALS)} rules of form] --> contract",
            "    contract --> published[published schemas] & accepted[accepted schemas]",
            *shown,
            "    old[calls by old definitions] --> accepted --> handler[the product]",
            f"    contract --> lint[lint: {len(lint.RULES)} rules]",
            f"    baseline[published.json] --> breaking[breaking: {len(BREAKING)} rules]",
            "    contract --> breaking",
            "```\n",
        ]
    )


def _refusals() -> Iterator[tuple[str, ...]]:
    for rule, must in REFUSALS.items():
        yield f"`{rule}`", must


def _lint() -> Iterator[tuple[str, ...]]:
    for rule in lint.RULES:
        yield f"`{rule.id}`", rule.level.value, rule.asks, rule.why


def _breaking() -> Iterator[tuple[str, ...]]:
    for name, rule in BREAKING.items():
        yield f"`{name}`", rule.level.value, rule.finds, rule.why, rule.safe


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)
