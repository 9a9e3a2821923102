"""The fields of a schema by their full names, those inside objects and arrays too."""

from collections.abc import Iterator

from codegen.model import Schema


def fields(schema: Schema, around: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """Yield name, schema and whether it is required, as in `cards[].colour`."""
    for name, child in schema.get("properties", {}).items():
        full = f"{around}{name}"
        yield full, child, name in schema.get("required", ())
        while "items" in child:
            child, full = child["items"], f"{full}[]"
        yield from fields(child, f"{full}.")


def values(schema: Schema) -> Schema:
    """Return the schema of the single values of a field: of an array, that of its elements."""
    return values(schema["items"]) if "items" in schema else schema
