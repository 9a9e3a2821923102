"""Tools: their groups, their error codes and their examples."""

from collections.abc import Iterator

import jsonschema_rs

from codegen.problems import Path, Problem
from codegen.schemas import Draft, plain


def unknown_groups(draft: Draft) -> Iterator[Problem]:
    """Yield each group that is named and not declared."""
    for section in ("tools", "prompts"):
        for name, part in draft.values[section].items():
            if part["group"] not in draft.values["groups"]:
                text = f"there is no group {part['group']!r}"
                yield Problem(rule="unknown-group", message=text, path=(section, name, "group"))


def error_codes(draft: Draft) -> Iterator[Problem]:
    """Yield each code that is named and not declared, or named twice."""
    common = draft.values["commonErrors"]
    yield from _unknown_codes(draft, common, ("commonErrors",))
    for name, tool in draft.values["tools"].items():
        path = ("tools", name, "errors")
        yield from _unknown_codes(draft, tool["errors"], path)
        for i, code in enumerate(tool["errors"]):
            if code in common:
                text = f"every tool has the code {code!r} already, by commonErrors"
                yield Problem(rule="error-twice", message=text, path=(*path, i))


def _unknown_codes(draft: Draft, codes: list[str], path: Path) -> Iterator[Problem]:
    for i, code in enumerate(codes):
        if code not in draft.values["errors"]:
            text = f"there is no error code {code!r}"
            yield Problem(rule="unknown-error", message=text, path=(*path, i))


def examples(draft: Draft) -> Iterator[Problem]:
    """Yield what an example does that its tool's schemas do not allow."""
    for name, tool in draft.values["tools"].items():
        for part, schema in (("input", draft.inputs[name]), ("output", draft.outputs[name])):
            validator = jsonschema_rs.validator_for(plain(schema), validate_formats=True)
            for i, example in enumerate(tool["examples"]):
                path = ("tools", name, "examples", i, part)
                for error in validator.iter_errors(example[part]):
                    place = (*path, *error.instance_path)
                    yield Problem(rule="bad-example", message=error.message, path=place)
