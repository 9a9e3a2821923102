"""Contracts whose names, references or schemas are refused."""

from tests.codegen.projects import Case

WORDS = "        words: { type: string, minLength: 1, description: What to say. }\n"
ENUM = "    description: As elsewhere.\n    values: { a: { en: A., zh: 一。 } }\n"

NAMES = {
    "a name that Codex reserves": Case(
        old="  media_show:\n",
        new="  web:\n",
        rule="reserved-name",
        says="Codex keeps the name 'web'",
    ),
    "a name in the space of MCP": Case(
        old="  media_show:\n", new="  mcp__show:\n", rule="reserved-name", says="'mcp__show'"
    ),
    "a prompt that Python cannot name": Case(
        old="  digest:\n", new="  import:\n", rule="reserved-name", says="'import'"
    ),
    "a tool called like another snapshot": Case(
        old="  media_show:\n", new="  openapi:\n", rule="reserved-name", says="openapi.json"
    ),
    "a namespace that Codex reserves": Case(
        old="  namespace: acme\n",
        new="  namespace: functions\n",
        rule="reserved-name",
        says="functions",
    ),
    "an alias that Codex reserves": Case(
        old="  talk_shout:\n", new="  python:\n", rule="reserved-name", says="'python'"
    ),
    "an enum called like a class of the package": Case(
        old="  Colour:\n",
        new=f"  Lang:\n{ENUM}  Colour:\n",
        rule="reserved-name",
        says="'Lang'",
    ),
    "a parameter that Python cannot name": Case(
        old="      who: { type: id, description: Who said it. }\n      words:",
        new="      class: { type: id, description: Who said it. }\n      words:",
        rule="reserved-name",
        says="'class'",
    ),
    "an enum called like a class that models use": Case(
        old="  Colour:\n",
        new=f"  Field:\n{ENUM}  Colour:\n",
        rule="reserved-name",
        says="'Field'",
    ),
    "an enum that Python cannot name": Case(
        old="  Colour:\n",
        new=f"  None:\n{ENUM}  Colour:\n",
        rule="reserved-name",
        says="'None'",
    ),
    "a prompt called like a function of Python": Case(
        old="  digest:\n", new="  max:\n", rule="reserved-name", says="'max'"
    ),
    "an item prompt called like a class of the package": Case(
        old="  line:\n", new="  sequence:\n", rule="reserved-name", says="'sequence'"
    ),
    "a field called like a type of Python": Case(
        old="      body: { type: string, description: Its text. }\n",
        new="      str: { type: string, description: Its text. }\n",
        rule="reserved-name",
        says="'str'",
    ),
    "two tools of one class name": Case(
        old="  board_get:\n", new="  talk__say:\n", rule="name-collision", says="TalkSay"
    ),
    "a parameter called like the meaning of another": Case(
        old="      mode: { type: enum, of: Mode, description: How it was said. }\n",
        new="      mode: { type: enum, of: Mode, description: How it was said. }\n"
        "      mode_meaning: { type: id, description: What it means. }\n",
        rule="name-collision",
        says="mode_meaning",
        at="mode: { type: enum",
    ),
    "two fields of one attribute": Case(
        old=WORDS,
        new=WORDS + "        to_whom: { type: string, description: Again. }\n",
        rule="name-collision",
        says="to_whom",
        at="toWhom:",
    ),
    "two fields of one attribute deep inside": Case(
        old="      body: { type: string, description: Its text. }\n",
        new="      bodyId: { type: string, description: One. }\n"
        "      bodyID: { type: string, description: Two. }\n",
        rule="name-collision",
        says="body_id",
        at="bodyID:",
    ),
    "an item prompt called like an enum": Case(
        old="  Colour:\n",
        new=f"  Line:\n{ENUM}  Colour:\n",
        rule="name-collision",
        says="Line",
        at="line:",
    ),
}
REFERENCES = {
    "a template that names no text": Case(
        old="Use `{{ tools.talk_say }}` later.",
        new="Use `{{ tools.talk_way }}` later.",
        rule="unknown-reference",
        says="talk_way",
    ),
    "a template that names a method of Python": Case(
        old="Use `{{ tools.talk_say }}` later.",
        new="Use `{{ tools.items }}{{ texts['rule'].upper }}` later.",
        rule="unknown-reference",
        says="items",
    ),
    "a template that is none": Case(
        old="Use `{{ tools.talk_say }}` later.",
        new="Use `{{ tools. }}` later.",
        rule="no-template",
        says="",
    ),
    "a text that names a later one": Case(
        old='  rule: { en: "Say',
        new='  rule: { en: "{{ texts.longer }} Say',
        rule="unknown-reference",
        says="longer",
    ),
    "an object that is not there": Case(
        old="items: { $ref: FullCard }",
        new="items: { $ref: Nothing }",
        rule="unknown-object",
        says="Nothing",
    ),
    "a reference with more than a description": Case(
        old="colour: { $enum: Colour, description: Its colour. }",
        new="colour: { $enum: Colour, maxLength: 3, description: Its colour. }",
        rule="mixed-schema",
        says="maxLength",
    ),
    "an object that no tool uses": Case(
        old="    input: { $ref: Question }\n",
        new="    input: { type: object, properties: {} }\n",
        rule="unused-object",
        says="Question",
        at="  Question:",
    ),
    "an object inside itself": Case(
        old="      body: { type: string, description: Its text. }\n",
        new="      body: { $ref: FullCard, description: Its text. }\n",
        rule="endless-object",
        says="FullCard",
    ),
    "an enum that is not there": Case(
        old="colour: { $enum: Colour,",
        new="colour: { $enum: Color,",
        rule="unknown-enum",
        says="Color",
    ),
    "a group that is not there": Case(
        old="    group: media\n", new="    group: medium\n", rule="unknown-group", says="medium"
    ),
    "an error code that is not there": Case(
        old="    errors: [bad_mode]\n",
        new="    errors: [bad_mode, worse]\n",
        rule="unknown-error",
        says="worse",
    ),
    "a common error that is not there": Case(
        old="commonErrors: [broken]\n",
        new="commonErrors: [worse]\n",
        rule="unknown-error",
        says="worse",
    ),
    "an error that is common already": Case(
        old="    errors: [bad_mode]\n",
        new="    errors: [bad_mode, broken]\n",
        rule="error-twice",
        says="broken",
    ),
    "a property's error that the tool does not have": Case(
        old="    errors: [bad_mode]\n",
        new="    errors: []\n",
        rule="undeclared-error",
        says="bad_mode",
        at="mode: { $enum: Mode, $error",
    ),
    "an error code deep inside": Case(
        old="      body: { type: string, description: Its text. }\n",
        new="      body: { type: string, $error: broken, description: Its text. }\n",
        rule="misplaced-error",
        says="argument",
    ),
}
SCHEMAS = {
    "a schema without a type": Case(
        old=WORDS, new="        words: { description: What to say. }\n", rule="no-type", says="type"
    ),
    "an array without items": Case(
        old="        said: { type: boolean, ",
        new="        heard: { type: array, description: Who heard it. }\n"
        "        said: { type: boolean, ",
        rule="no-items",
        says="items",
    ),
    "a required field that is not there": Case(
        old="      required: [said]\n",
        new="      required: [says]\n",
        rule="unknown-required",
        says="says",
    ),
    "a default on a required field": Case(
        old="      required: [words, mode]\n",
        new="      required: [words, mode, pitch]\n",
        rule="default-on-required",
        says="pitch",
        at="pitch:",
    ),
    "a default that the schema refuses": Case(
        old="default: 5,", new="default: 0,", rule="bad-value", says="0"
    ),
    "a schema that is too large": Case(
        old="description: Who hears it.",
        new=f"description: {'Long. ' * 3000}",
        rule="schema-too-large",
        says="16384",
        at="input:",
    ),
    "an example with an argument that is refused": Case(
        old="{ words: Hello, mode: loud }",
        new="{ words: '', mode: loud }",
        rule="bad-example",
        says="1 char",
    ),
    "an example with an answer that is refused": Case(
        old="output: { said: true }", new="output: { said: 1 }", rule="bad-example", says="boolean"
    ),
}
CASES = NAMES | REFERENCES | SCHEMAS
