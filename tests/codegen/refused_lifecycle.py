"""Contracts whose old and deprecated parts are refused."""

from tests.codegen.projects import Case

ALIAS = "    since: 1.1.0\n"
WHOM = "whom: { field: toWhom, since: 1.2.0"
COLOURS = "    description: The colour of a card.\n"
MODES = "    description: How it is said.\n"
BOARD = "    description: Read the board.\n"
SAID = "        said: { type: boolean"

CASES = {
    "an alias of a release that comes": Case(
        old=ALIAS, new="    since: 1.5.0\n", rule="future-release", says="1.5.0"
    ),
    "a field alias of a release that comes": Case(
        old=WHOM, new="whom: { field: toWhom, since: 2.0.0", rule="future-release", says="2.0.0"
    ),
    "a deprecated tool of a release that comes": Case(
        old=BOARD,
        new=BOARD + "    deprecated:\n      since: 1.10.0\n      reason: It is old.\n",
        rule="future-release",
        says="1.10.0",
        at="since: 1.10.0",
    ),
    "a part of the answer that goes before it is old": Case(
        old=SAID,
        new="        said: { $deprecated: { since: 1.3.0, removeAfter: 1.2.9, reason: O }, "
        "type: boolean",
        rule="removed-before-old",
        says="1.2.9",
    ),
    "an alias that a stored thread may hold and that goes": Case(
        old=ALIAS,
        new=ALIAS + "    removeAfter: 1.4.0\n",
        rule="held-for-ever",
        says="for ever",
        at="removeAfter",
    ),
    "a field alias that a stored thread may hold and that goes": Case(
        old=WHOM, new=f"{WHOM}, removeAfter: 1.4.0", rule="held-for-ever", says="for ever"
    ),
    "a legacy default that a stored thread may need and that goes": Case(
        old="{ value: quiet,",
        new="{ value: quiet, removeAfter: 1.4.0,",
        rule="held-for-ever",
        says="for ever",
    ),
    "an argument that a stored thread may send and that goes": Case(
        old="toWhom: {",
        new="toWhom: { $deprecated: { since: 1.4.0, removeAfter: 1.5.0, reason: Old. },",
        rule="held-for-ever",
        says="for ever",
    ),
    "a value that a stored thread may send and that goes": Case(
        old=MODES,
        new=MODES
        + "    deprecated:\n      loud: { since: 1.4.0, removeAfter: 1.5.0, reason: Old. }\n",
        rule="held-for-ever",
        says="for ever",
        at="loud: { since",
    ),
    "a required argument that no list shows": Case(
        old="        words: {",
        new="        words: { $deprecated: { since: 1.4.0, reason: Old. },",
        rule="deprecated-required",
        says="words",
    ),
    "a deprecated value that is none": Case(
        old=COLOURS,
        new=COLOURS + "    deprecated: { blue: { since: 1.4.0, reason: Old. } }\n",
        rule="unknown-value",
        says="blue",
        at="deprecated",
    ),
    "an enum with no value to show": Case(
        old=COLOURS,
        new=COLOURS + "    deprecated: { red: { since: 1.4.0, reason: Old. } }\n",
        rule="no-value-left",
        says="Colour",
        at="deprecated",
    ),
    "a default that no list shows": Case(
        old=MODES,
        new=MODES + "    deprecated: { quiet: { since: 1.4.0, reason: Old. } }\n",
        rule="unlisted-default",
        says="quiet",
        at="pitch",
    ),
}
