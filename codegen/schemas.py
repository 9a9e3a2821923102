"""JSON Schemas: from the contract's short form to what lists publish and calls may send."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from codegen.model import Schema, Tool
from codegen.problems import Path, Problem

MARKS = ("$at", "$enum", "$error", "$deprecated", "$unlisted", "$ends", "$open")
"""Keywords of a source schema that no rendered schema keeps."""
ENUM_DEFAULT = "enum member: "
"""Begins a default that the generated models must have as a member, not as a text."""
_BESIDE_A_REFERENCE = ("description", "default", "$error", "$deprecated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A contract of the right form whose texts are filled in and whose schemas are written out."""

    values: dict[str, Any]
    inputs: dict[str, Schema]
    """Source schema of the arguments by tool."""
    outputs: dict[str, Schema]
    """Source schema of the answer by tool."""

    def schemas(self) -> Iterator[tuple[Path, Schema]]:
        """Yield the place and the source schema of all arguments and answers."""
        for name in self.values["tools"]:
            yield ("tools", name, "input"), self.inputs[name]
            yield ("tools", name, "output"), self.outputs[name]


def drafted(values: dict[str, Any]) -> tuple[Draft, list[Problem]]:
    """Return the contract with its schemas written out, and what could not be written out."""
    expander = Expander(values["objects"], values["enums"])
    inputs, outputs = (
        {
            name: expander.expand(tool[part], ("tools", name, part))
            for name, tool in values["tools"].items()
        }
        for part in ("input", "output")
    )
    return Draft(values=values, inputs=inputs, outputs=outputs), expander.all_problems()


class Expander:
    """Writes `$ref`, `$extends` and `$enum` out."""

    def __init__(self, objects: dict[str, Any], enums: dict[str, Any]) -> None:
        self._problems: list[Problem] = []
        self._objects = objects
        self._enums = enums
        self._used: set[str] = set()

    def all_problems(self) -> list[Problem]:
        """Return what could not be written out, and each object that no schema uses."""
        for name in self._objects:
            if name not in self._used:
                self._refuse(
                    "unused-object", f"no tool uses the object {name!r}", ("objects", name)
                )
        return self._problems

    def expand(self, schema: dict[str, Any], path: Path, inside: tuple[str, ...] = ()) -> Schema:
        """Return the source schema in full.

        Args:
            schema: The short form.
            path: Where it stands, for problems.
            inside: The objects that are being written out around it.
        """
        for reference in ("$ref", "$enum"):
            self._refuse_mixture(schema, reference, path)
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return {**self._object(schema["$ref"], (*path, "$ref"), inside), **rest}
        if "$enum" in schema:
            return self._enum(schema, path)
        if "$extends" in schema:
            return self._extended(schema, path, inside)
        return self._plain(schema, path, inside)

    def _object(self, name: str, path: Path, inside: tuple[str, ...]) -> Schema:
        """Return an object in full, or an empty one when it cannot be written out."""
        self._used.add(name)
        if name not in self._objects:
            self._refuse("unknown-object", f"there is no object {name!r}", path)
        elif name in inside:
            self._refuse("endless-object", f"the object {name!r} contains itself", path)
        else:
            return self.expand(self._objects[name], ("objects", name), (*inside, name))
        return {"$at": path, "type": "object", "properties": {}}

    def _refuse_mixture(self, schema: dict[str, Any], reference: str, path: Path) -> None:
        """Refuse what cannot stand beside a reference, which says all but what the value is for."""
        mixed = sorted(schema.keys() - {reference, *_BESIDE_A_REFERENCE})
        if reference in schema and mixed:
            text = f"beside {reference} there can be no {', '.join(mixed)}"
            self._refuse("mixed-schema", text, (*path, mixed[0]))

    def _enum(self, schema: dict[str, Any], path: Path) -> Schema:
        name = schema["$enum"]
        if name not in self._enums:
            self._refuse("unknown-enum", f"there is no enum {name!r}", (*path, "$enum"))
            return {"$at": path, "type": "string"}
        enum = self._enums[name]
        old = enum.get("deprecated", {})
        marks = {
            "$unlisted": list(old),
            "$ends": {
                v: about["removeAfter"] for v, about in old.items() if "removeAfter" in about
            },
            "$open": enum.get("open", False),
        }
        return {"$at": path, "type": "string", "enum": list(enum["values"]), **marks, **schema}

    def _extended(self, schema: dict[str, Any], path: Path, inside: tuple[str, ...]) -> Schema:
        inner = self._object(schema["$extends"], (*path, "$extends"), inside)
        rest = {key: value for key, value in schema.items() if key != "$extends"}
        own = self._plain({"type": "object", **rest}, path, inside)
        return {
            **own,
            "required": [*inner.get("required", ()), *own.get("required", ())],
            "properties": {**inner["properties"], **own.get("properties", {})},
        }

    def _plain(self, schema: dict[str, Any], path: Path, inside: tuple[str, ...]) -> Schema:
        """Return a schema that refers to nothing itself; every object of it is closed."""
        full: dict[str, Any] = {"$at": path}
        for key, value in schema.items():
            if key == "type" and value == "object":
                full |= {"type": "object", "additionalProperties": False}
            elif key == "properties":
                full[key] = {
                    name: self.expand(child, (*path, key, name), inside)
                    for name, child in value.items()
                }
            else:
                is_items = key == "items"
                full[key] = self.expand(value, (*path, key), inside) if is_items else value
        return full

    def _refuse(self, rule: str, message: str, path: Path) -> None:
        self._problems.append(Problem(rule=rule, message=message, path=path))


def parts(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and all that it holds."""
    yield schema
    for child in schema.get("properties", {}).values():
        yield from parts(child)
    if "items" in schema:
        yield from parts(schema["items"])


def plain(schema: Schema) -> dict[str, Any]:
    """Return a schema without the marks of its source."""
    kept = {key: value for key, value in schema.items() if key not in MARKS}
    if "properties" in kept:
        kept["properties"] = {name: plain(child) for name, child in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = plain(kept["items"])
    return {**kept, "deprecated": True} if "$deprecated" in schema else kept


def _listed(schema: Schema) -> Schema:
    """Return a source schema with no argument and no value that lists do not show any more."""
    kept = dict(schema)
    if schema.get("$unlisted"):
        kept["enum"] = [value for value in schema["enum"] if value not in schema["$unlisted"]]
    if "properties" in schema:
        children = schema["properties"].items()
        kept["properties"] = {n: _listed(c) for n, c in children if "$deprecated" not in c}
    if "items" in schema:
        kept["items"] = _listed(schema["items"])
    return kept


def _open(schema: Schema) -> Schema:
    """Return a source schema that takes parts and values that come later."""
    kept = {key: value for key, value in schema.items() if key != "additionalProperties"}
    if schema.get("$open"):
        del kept["enum"]
    if "properties" in schema:
        kept["properties"] = {name: _open(child) for name, child in schema["properties"].items()}
    if "items" in schema:
        kept["items"] = _open(schema["items"])
    return kept


def published(tool: Tool) -> dict[str, Any]:
    """Return the schema of the arguments as lists show it."""
    return plain(_listed(tool.input))


def produced(tool: Tool) -> dict[str, Any]:
    """Return the schema of what this contract answers: closed."""
    return plain(tool.output)


def published_output(tool: Tool) -> dict[str, Any]:
    """Return the schema of the answer as lists show it.

    It is open: clients check an answer against the list that they loaded, which may be older than
    a part of the answer.
    """
    return plain(_open(tool.output))


def accepted(tool: Tool) -> dict[str, Any]:
    """Return the schema of what calls may send: also old names and values, and missing fields.

    It requires no field that has an old name, under which the call may send it.
    """
    schema = plain(tool.input)
    free = {default.field for default in tool.legacy_defaults}
    free |= {alias.field for alias in tool.field_aliases}
    schema["required"] = [name for name in schema.get("required", ()) if name not in free]
    schema["properties"] = dict(schema["properties"])
    for alias in tool.field_aliases:
        field = schema["properties"][alias.field]
        text = f"Old name of {alias.field}. {field['description']}"
        schema["properties"][alias.name] = {**field, "description": text, "deprecated": True}
    if not schema["required"]:
        del schema["required"]
    return schema


def typed(schema: Schema, package: str) -> dict[str, Any]:
    """Return a schema for the model generator: enums by their class, no descriptions."""
    if "$enum" in schema:
        return _typed_enum(schema, package)
    kept = {key: value for key, value in schema.items() if key not in ("description", *MARKS)}
    if "properties" in kept:
        properties = kept["properties"].items()
        kept["properties"] = {name: typed(child, package) for name, child in properties}
    if "items" in kept:
        kept["items"] = typed(kept["items"], package)
    if kept.get("format") == "date":
        # A field named `date` would make the generator rename the class in the models of all tools.
        del kept["format"]
    return kept


def _typed_enum(schema: Schema, package: str) -> dict[str, Any]:
    name = schema["$enum"]
    kept = {"type": "string", "customTypePath": f"{package}.enums.{name}"}
    if "default" in schema:
        kept["default"] = f"{ENUM_DEFAULT}{name}.{schema['default'].upper()}"
    return kept
