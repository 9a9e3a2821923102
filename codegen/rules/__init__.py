"""The second check of a contract: what its parts say about each other."""

from collections.abc import Callable, Iterator

from codegen.problems import Problem
from codegen.rules import legacy, lifecycle, names, prompts, schemas, tools
from codegen.schemas import Draft

RULES: tuple[Callable[[Draft], Iterator[Problem]], ...] = (
    names.names_of_codex,
    names.names_of_output,
    names.names_of_types,
    names.colliding_names,
    tools.unknown_groups,
    tools.error_codes,
    tools.examples,
    schemas.schema_form,
    schemas.property_codes,
    legacy.tool_aliases,
    legacy.field_aliases,
    legacy.legacy_defaults,
    lifecycle.releases,
    lifecycle.held_for_ever,
    lifecycle.deprecated_fields,
    lifecycle.deprecated_values,
    prompts.parameters,
    prompts.wordings,
)
