"""The rules by which a contract is refused before anything is written, each in one sentence."""

from collections.abc import Mapping
from types import MappingProxyType

_FILE = {
    "unreadable": "The contract, its meta-schema and its documents can be read, as UTF-8.",
    "no-yaml": "The contract is one YAML document.",
    "duplicate-key": "No key stands twice in one map.",
    "key-is-text": "Every key is text.",
    "ambiguous-value": "No plain value means different things to different readers: quote `yes`, "
    "`1:30`, `010`, dates.",
    "no-empty-value": "Every value is written; nothing is left empty.",
    "control-character": "No text holds control characters but new lines and tabs.",
    "no-anchors": "YAML anchors and aliases are not used; `$ref` and `texts` are.",
    "no-merge-keys": "YAML merge keys are not used; `$extends` is.",
    "no-tags": "YAML tags are not used.",
}
_FORM = {
    "unknown-field": "Every key is one of the reference below.",
    "missing-field": "Every required key is there.",
    "bad-name": "Names have the form that the reference gives.",
    "wrong-type": "Values have the type that the reference gives.",
    "not-an-object": "Arguments and answers are objects.",
    "bad-value": "Values are inside their limits; defaults and fixed arguments fit their schemas.",
}
_TEXTS = {
    "no-template": "A text with `{{` is a Jinja2 template.",
    "unknown-reference": "A template names only what the contract has, texts only earlier ones.",
}
_SCHEMAS = {
    "unknown-object": "`$ref` and `$extends` name an object of `objects`.",
    "unknown-enum": "`$enum` and an enum parameter name an enum of `enums`.",
    "mixed-schema": "Beside a reference stands nothing that narrows it.",
    "endless-object": "No object contains itself.",
    "unused-object": "Every object is used by a tool.",
    "no-type": "A schema has a type or a reference.",
    "no-items": "An array says what is in it.",
    "unknown-required": "What is required is a property.",
    "default-on-required": "A required property has no default.",
    "schema-too-large": "A tool's schema has fewer than 16,384 characters, as registries ask.",
}
_PARTS = {
    "unknown-group": "A group that is named is declared.",
    "unknown-error": "An error code that is named is declared.",
    "error-twice": "A tool does not repeat a common code.",
    "undeclared-error": "The code of an argument is one of its tool.",
    "misplaced-error": "Only an argument itself has a code, no part inside it.",
    "bad-example": "Examples fit the schemas of their tool.",
    "reserved-name": "No name is one that Codex or the generated package keeps for itself.",
    "name-collision": "No two names become the same in Python.",
}
_PROMPTS = {
    "unknown-item": "A list holds texts of a prompt with `item: true`.",
    "of-nothing": "Only an enum or a list of items is `of` something.",
    "never-empty": "Only what can be empty says what stands there then.",
    "undeclared-parameter": "Every `<<mark>>` of a wording is a parameter.",
    "unused-parameter": "Every parameter is used, in both languages.",
    "no-meaning": "Only an enum's value has a `.meaning`.",
    "own-paragraph": "Foreign text and lists stand in a paragraph of their own.",
    "items-first": "A wording does not begin with a list.",
}
_OLD = {
    "name-taken": "An old name is not in use.",
    "alias-to-nothing": "An old name leads to a tool or an argument that exists.",
    "unknown-prompt": "A notice is a prompt of the contract.",
    "notice-with-parameters": "A notice has no parameters.",
    "default-without-need": "A legacy default is for a required argument.",
    "future-release": "Nothing is old since a release that comes later.",
    "removed-before-old": "Nothing ends before it is old.",
    "held-for-ever": "What a stored Codex App thread may call has no end.",
    "deprecated-required": "A required argument is listed.",
    "unknown-value": "A deprecated value is one of its enum.",
    "no-value-left": "An enum keeps a value that lists show.",
    "unlisted-default": "A default is a value that lists show.",
}
_DOCUMENTS = {
    "missing-block": "Each document has the marks of each block, once.",
    "unknown-block": "A document has marks only for blocks that exist.",
}
REFUSALS: Mapping[str, str] = MappingProxyType(
    _FILE | _FORM | _TEXTS | _SCHEMAS | _PARTS | _PROMPTS | _OLD | _DOCUMENTS
)
"""What a contract must be like, by rule."""
