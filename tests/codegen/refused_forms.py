"""Contracts that the strict YAML loader or the meta-schema refuses."""

from tests.codegen.projects import Case

TALK_DESCRIPTION = '    description: "Say it. {{ texts.longer }}"\n'
LOUD = "      loud: { en: Said loudly., zh: 大声说。 }\n"
BOARD_INPUT = (
    "    input:\n      type: object\n      properties:\n"
    "        limit: { type: integer, minimum: 1, default: 5, description: How many. }\n"
)
WORDS = "        words: { type: string, minLength: 1, description: What to say. }\n"

FORM = {
    "a duplicate key": Case(
        old=LOUD,
        new=LOUD + "      loud: { en: Again., zh: 再。 }\n",
        rule="duplicate-key",
        says="'loud' stands here already",
        at="loud: { en: Again.",
    ),
    "an unknown field": Case(
        old=TALK_DESCRIPTION,
        new=TALK_DESCRIPTION + "    colour: red\n",
        rule="unknown-field",
        says="tools.talk_say has no field 'colour'",
        at="colour: red",
    ),
    "an unknown section": Case(
        old="composer:\n", new="extra: {}\ncomposer:\n", rule="unknown-field", says="'extra'"
    ),
    "a tool without a description": Case(
        old=TALK_DESCRIPTION,
        new="",
        rule="missing-field",
        says="tools.talk_say needs the field 'description'",
        at="talk_say:",
    ),
    "a tool whose description is blank": Case(
        old=TALK_DESCRIPTION, new='    description: " "\n', rule="bad-value", says="description"
    ),
    "a text without its Chinese": Case(
        old="{ en: Said loudly., zh: 大声说。 }",
        new="{ en: Said loudly. }",
        rule="missing-field",
        says="'zh'",
    ),
    "a property without a description": Case(
        old=WORDS,
        new="        words: { type: string }\n",
        rule="missing-field",
        says="tools.talk_say.input.properties.words needs the field 'description'",
    ),
    "a tool name in another case": Case(
        old="  media_show:\n", new="  mediaShow:\n", rule="bad-name", says="mediaShow"
    ),
    "an argument list that is no object": Case(
        old=BOARD_INPUT,
        new="    input: { type: array, items: { type: string } }\n",
        rule="not-an-object",
        says="tools.board_get.input",
    ),
    "a schema keyword that providers refuse": Case(
        old=BOARD_INPUT,
        new="    input: { type: object, properties: {}, oneOf: [] }\n",
        rule="unknown-field",
        says="'oneOf'",
    ),
    "a status that is text": Case(
        old="    status: 400\n",
        new='    status: "400"\n',
        rule="wrong-type",
        says="errors.bad_mode",
    ),
    "a hint that is left out": Case(
        old="{ readOnly: true, destructive: false, idempotent: true, openWorld: false }",
        new="{ readOnly: true, destructive: false, idempotent: true }",
        rule="missing-field",
        says="'openWorld'",
    ),
    "an example that is left out": Case(
        old="    examples:\n"
        "      - input: { path: a.png }\n"
        "        output: { cardId: c1, colour: red }\n",
        new="    examples: []\n",
        rule="bad-value",
        says="tools.media_show.examples",
    ),
    "a pattern that is no regular expression": Case(
        old=WORDS,
        new='        words: { type: string, pattern: "(", description: What to say. }\n',
        rule="bad-value",
        says="pattern",
    ),
}
PROVIDERS = {
    "a tool name of 65 characters": Case(
        old="  media_show:\n", new=f"  {'m' * 65}:\n", rule="bad-name", says="m" * 65
    ),
    "an argument whose name has 65 characters": Case(
        old=WORDS,
        new=f"{WORDS}        {'w' * 65}: {{ type: string, description: Too long. }}\n",
        rule="bad-name",
        says="w" * 65,
        at="w" * 65,
    ),
    "a namespace with a dot": Case(
        old="  namespace: acme\n",
        new="  namespace: acme.tools\n",
        rule="bad-value",
        says="dynamic.namespace",
    ),
    "a namespace of 65 characters": Case(
        old="  namespace: acme\n",
        new=f"  namespace: {'a' * 65}\n",
        rule="bad-value",
        says="dynamic.namespace",
    ),
    "a namespace whose description has 1025 characters": Case(
        old="  description: Talk to others.\n",
        new=f"  description: {'t' * 1025}\n",
        rule="bad-value",
        says="dynamic.description",
    ),
    "an object that takes more than it names": Case(
        old=BOARD_INPUT,
        new="    input: { type: object, properties: {}, additionalProperties: true }\n",
        rule="unknown-field",
        says="'additionalProperties'",
    ),
    "a choice between schemas deep inside": Case(
        old=WORDS,
        new="        words: { type: string, anyOf: [], description: What to say. }\n",
        rule="unknown-field",
        says="'anyOf'",
    ),
    "a value of two types": Case(
        old=WORDS,
        new="        words: { type: [string, integer], description: What to say. }\n",
        rule="bad-value",
        says="tools.talk_say.input.properties.words.type",
    ),
    "values that are explained nowhere": Case(
        old=WORDS,
        new="        words: { type: string, enum: [a, 1], description: What to say. }\n",
        rule="unknown-field",
        says="'enum'",
    ),
}
YAML = {
    "a YAML 1.1 boolean": Case(
        old="{ en: Said loudly., zh: 大声说。 }",
        new="{ en: yes, zh: 大声说。 }",
        rule="ambiguous-value",
        says="yes",
    ),
    "a sexagesimal number": Case(
        old="minimum: 1,", new="minimum: 1:30,", rule="ambiguous-value", says="1:30"
    ),
    "a date": Case(
        old="since: 1.1.0", new="since: 2026-01-01", rule="ambiguous-value", says="2026-01-01"
    ),
    "an octal number": Case(
        old="minLength: 1,", new="minLength: 010,", rule="ambiguous-value", says="010"
    ),
    "a boolean in capitals": Case(
        old="    item: true\n", new="    item: TRUE\n", rule="ambiguous-value", says="TRUE"
    ),
    "an empty value": Case(
        old="    item: true\n", new="    item:\n", rule="no-empty-value", says="missing"
    ),
    "a comma that splits a text": Case(
        old="{ type: string, description: Who hears it. }",
        new="{ type: string, description: Whoever hears it, if anyone. }",
        rule="no-empty-value",
        says="missing",
    ),
    "a YAML alias": Case(
        old="{ en: Said quietly., zh: 小声说。 }\n" + LOUD,
        new="&a { en: Said quietly., zh: 小声说。 }\n      loud: *a\n",
        rule="no-anchors",
        says="alias",
    ),
    "a merge key": Case(
        old=LOUD, new=LOUD + "      <<: {}\n", rule="no-merge-keys", says="merge", at="<<: {}"
    ),
    "a key that is a boolean": Case(
        old="      loud: {", new="      true: {", rule="key-is-text", says="'true'"
    ),
    "a control character": Case(
        old="{ en: Said loudly., zh: 大声说。 }",
        new='{ en: "Said \\0 loudly.", zh: 大声说。 }',
        rule="control-character",
        says="control characters",
    ),
    "a YAML tag": Case(
        old="    item: true\n", new="    item: !thing true\n", rule="no-tags", says="!thing"
    ),
    "a text that is no YAML": Case(
        old="    item: true\n", new="    item: [\n", rule="no-yaml", says="", at="parameters:"
    ),
    "a second document": Case(old="prompts:\n", new="---\nprompts:\n", rule="no-yaml", says=""),
}
CASES = FORM | PROVIDERS | YAML
