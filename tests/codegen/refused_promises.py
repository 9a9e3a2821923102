"""Contracts whose old names or prompts are refused."""

from tests.codegen.projects import Case

NOTICE = "  notice_mode:\n"
EN_LINE = "        <<who>> said:\n"

LEGACY = {
    "an alias to nothing": Case(
        old="    tool: talk_say\n",
        new="    tool: talk_cry\n",
        rule="alias-to-nothing",
        says="talk_cry",
    ),
    "an alias called like a tool": Case(
        old="  talk_shout:\n", new="  board_get:\n", rule="name-taken", says="board_get"
    ),
    "an alias that fixes no field": Case(
        old="{ mode: loud }\n    since",
        new="{ tone: loud }\n    since",
        rule="alias-to-nothing",
        says="tone",
    ),
    "an alias that fixes a wrong value": Case(
        old="{ mode: loud }\n    since",
        new="{ mode: mute }\n    since",
        rule="bad-value",
        says="mute",
    ),
    "an alias with no prompt": Case(
        old="    notice: notice_mode\n",
        new="    notice: nothing\n",
        rule="unknown-prompt",
        says="nothing",
    ),
    "an alias whose notice has parameters": Case(
        old="    notice: notice_mode\n",
        new="    notice: line\n",
        rule="notice-with-parameters",
        says="line",
    ),
    "a field alias to nothing": Case(
        old="{ field: toWhom,", new="{ field: whose,", rule="alias-to-nothing", says="whose"
    ),
    "a field alias called like a field": Case(
        old="      whom: {", new="      words: {", rule="name-taken", says="words"
    ),
    "a legacy default of no field": Case(
        old="      mode: { value", new="      tone: { value", rule="alias-to-nothing", says="tone"
    ),
    "a legacy default that nobody needs": Case(
        old="      mode: { value",
        new="      pitch: { value",
        rule="default-without-need",
        says="pitch",
    ),
    "a legacy default with a wrong value": Case(
        old="{ value: quiet,", new="{ value: mute,", rule="bad-value", says="mute"
    ),
    "a legacy default with no prompt": Case(
        old="notice: notice_mode }", new="notice: nothing }", rule="unknown-prompt", says="nothing"
    ),
}
PROMPTS = {
    "an undeclared parameter": Case(
        old=EN_LINE,
        new="        <<whose>> said to <<who>>:\n",
        rule="undeclared-parameter",
        says="<<whose>>",
        at="en: |",
    ),
    "a mark that is no name": Case(
        old=EN_LINE,
        new="        <<Who?>> said to <<who>>:\n",
        rule="undeclared-parameter",
        says="<<Who?>>",
        at="en: |",
    ),
    "a parameter that one language leaves out": Case(
        old=EN_LINE, new="        It was said:\n", rule="unused-parameter", says="'who'", at="en: |"
    ),
    "a meaning of what has none": Case(
        old=EN_LINE,
        new="        <<who>>, <<who.meaning>> said:\n",
        rule="no-meaning",
        says="<<who.meaning>>",
        at="en: |",
    ),
    "a fence inside a paragraph": Case(
        old=EN_LINE + "\n        <<words>>\n",
        new=EN_LINE + "        <<words>>\n",
        rule="own-paragraph",
        says="<<words>>",
        at="en: |",
    ),
    "a list that comes first": Case(
        old="        {Digest} of <<title>>, <<count>>, `<<mode>>`: <<mode.meaning>>\n\n",
        new="",
        rule="items-first",
        says="<<lines>>",
        at="en: |",
    ),
    "a list of what is no item": Case(
        old="{ type: items, of: line,",
        new="{ type: items, of: digest,",
        rule="unknown-item",
        says="digest",
    ),
    "an enum parameter of no enum": Case(
        old="{ type: enum, of: Mode,",
        new="{ type: enum, of: Mood,",
        rule="unknown-enum",
        says="Mood",
    ),
    "a number that is of something": Case(
        old="{ type: integer, description: How many. }",
        new="{ type: integer, of: Mode, description: How many. }",
        rule="of-nothing",
        says="integer",
    ),
    "a number that is empty": Case(
        old="{ type: integer, description: How many. }",
        new="{ type: integer, description: How many., whenEmpty: { en: none, zh: 无 } }",
        rule="never-empty",
        says="integer",
    ),
    "a prompt of an unknown group": Case(
        old=NOTICE + "    group: talk\n",
        new=NOTICE + "    group: walk\n",
        rule="unknown-group",
        says="walk",
        at="group: walk",
    ),
}
CASES = LEGACY | PROMPTS
