"""Lint finds what Codex does not show its model of a schema and no text tells."""

import pytest

from tests.codegen.linting import linted
from tests.codegen.projects import Project

WORDS = "        words: { type: string, description: What the note holds. }\n"
HIDDEN = {
    "a number": ("type: integer, maximum: 200", "At most 20, or 2,000.", "maximum 200"),
    "a lower limit": ("type: integer, minimum: 5", "How many.", "minimum 5"),
    "a negative number": ("type: number, minimum: -5", "From 5 on.", "minimum -5"),
    "a number with a point": ("type: number, maximum: 0.5", "At most 5.", "maximum 0.5"),
    "a length": ("type: string, maxLength: 100", "At most 1000 or 100 KiB.", "maxLength 100"),
    "a count": ("type: array, maxItems: 3, items: { type: integer }", "Some.", "maxItems 3"),
    "an element": ("type: array, items: { type: integer, maximum: 9 }", "Some.", "maximum 9"),
    "a pattern": ("type: string, pattern: '^[A-Z]{3}$'", "Like `abc`.", "pattern ^[A-Z]{3}$"),
    "a format": ("type: string, format: date", "Such as `yesterday`.", "format date"),
    "a default": ("type: integer, default: 50", "How many; 50 are enough.", "the default 50"),
    "a default of its own sentence": (
        "type: string, default: a",
        "By default. Then a.",
        'the default "a"',
    ),
    "a switch": ("type: boolean, default: false", "By default not.", "the default false"),
    "a list": (
        "type: array, items: { type: integer }, default: [1, 2]",
        "By default 1.",
        "the default [1, 2]",
    ),
}
TOLD = {
    "a range": ("type: integer, minimum: 5, maximum: 200", "From 5-200."),
    "a range with a dash": ("type: integer, minimum: 5, maximum: 200", "5–200 of them."),
    "groups of three": ("type: integer, maximum: 20000", "20,000 at most."),
    "a size": ("type: string, maxLength: 262144", "At most 256 KiB."),
    "a negative number": ("type: number, minimum: -5", "From -5 on."),
    "a number with a point": ("type: number, maximum: 0.5", "At most 0.5."),
    "a whole number with a point": ("type: number, maximum: 2.0", "At most 2."),
    "lower limits of 0 and 1": ("type: integer, minimum: 0", "How many."),
    "a text that is not blank": ("type: string, minLength: 1, pattern: '\\S'", "Any words."),
    "a pattern": ("type: string, pattern: '^[A-Z]{3}$'", "Like `ABC`."),
    "a format": ("type: string, format: date-time", "Such as `2026-01-05T09:30:00Z`."),
    "an empty default": ('type: string, default: ""', "Any words."),
    "a switch": ("type: boolean, default: false", "Whether; by default false."),
    "a list": ("type: array, items: { type: integer }, default: [1, 2]", "Default: [1, 2]."),
}
COPIED = {
    "an id": ("nearId", "The one beside it."),
    "a part of an answer": ("near", "`noteId` of the one beside it."),
}


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(("schema", "text", "says"), HIDDEN.values(), ids=HIDDEN.keys())
def test_what_codex_hides_and_no_text_tells_is_found(
    schema: str, text: str, says: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(WORDS, f'        words: {{ {schema}, description: "{text}" }}\n')
    (finding,) = linted(notes, capsys)
    assert finding["rule"] == "hidden-limit"
    assert finding["says"] == f"the description of 'words' does not tell {says}"


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(("schema", "text"), TOLD.values(), ids=TOLD.keys())
def test_what_codex_hides_and_a_text_tells_is_taken(
    schema: str, text: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(WORDS, f'        words: {{ {schema}, description: "{text}" }}\n')
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(("name", "text"), COPIED.values(), ids=COPIED.keys())
def test_the_form_of_what_a_model_copies_needs_no_word_but_its_default_does(
    name: str, text: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    form = "type: string, maxLength: 9, pattern: '^[a-z][0-9]$'"
    argument = f'        {name}: {{ {form}, description: "{text}" }}\n'
    notes.edit(WORDS, argument)
    assert linted(notes, capsys) == []

    notes.edit(form, f"{form}, default: n1")
    assert [finding["rule"] for finding in linted(notes, capsys)] == ["hidden-limit"]


@pytest.mark.requirement("R-C8")
def test_where_a_tool_is_not_dynamic_its_schema_tells_the_limits(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = "        pins: { type: integer, maximum: 200, description: How many pins. }\n"
    pinned = '        noteId: { type: string, description: "The one to pin, by its id." }\n'
    notes.edit(pinned, pinned + limit)
    assert linted(notes, capsys) == []

    notes.edit(WORDS, WORDS + limit)
    assert [finding["rule"] for finding in linted(notes, capsys)] == ["hidden-limit"]
