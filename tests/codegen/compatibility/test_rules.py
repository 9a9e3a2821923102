"""Each rule finds its change, names its place, and takes the change that breaks nothing."""

from collections import Counter
from pathlib import Path

import pytest

from codegen.compatibility.rules import RULES, Level
from tests.codegen.compatibility.changed import (
    CASES,
    GONE,
    TEXT,
    Edits,
    between,
    edited,
    small_contract,
)

SAFE = {name: case for name, case in CASES.items() if case.safe is not None}
ENDING = {name: case for name, case in CASES.items() if case.safe_release}


@pytest.mark.requirement("R-C7")
def test_every_rule_has_a_case_and_every_breaking_one_a_way_that_breaks_nothing() -> None:
    assert CASES.keys() == RULES.keys()
    breaking = {name for name, rule in RULES.items() if rule.level is Level.BREAKING}
    assert SAFE.keys() | ENDING.keys() == breaking


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("rule", CASES)
def test_a_rule_finds_its_change_at_its_place(rule: str, tmp_path: Path) -> None:
    case = CASES[rule]
    before = edited(small_contract(), case.before)

    found = between(before, edited(before, case.change), tmp_path)

    own = [finding for finding in found if (finding.rule, finding.place) == (rule, case.place)]
    assert [finding.level for finding in own] == [RULES[rule].level], found
    assert own[0].says.endswith(".")
    assert own[0].old != own[0].new
    assert own[0].owner in case.place


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("rule", SAFE)
def test_the_declared_way_breaks_nothing(rule: str, tmp_path: Path) -> None:
    case = CASES[rule]
    before = edited(small_contract(), case.before)

    found = between(before, edited(before, SAFE[rule].safe or {}), tmp_path)

    assert [finding for finding in found if finding.level is Level.BREAKING] == []


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("rule", ENDING)
def test_what_was_to_be_taken_until_a_release_may_go_after_it(rule: str, tmp_path: Path) -> None:
    case = CASES[rule]
    before = edited(small_contract(), case.before)
    levels = {}
    for release in ("1.5.0", str(case.safe_release)):
        after = edited(before, {**case.change, "release": release})
        found = between(before, after, tmp_path)
        levels[release] = [finding.level for finding in found if finding.rule == rule]

    assert levels == {"1.5.0": [Level.BREAKING], case.safe_release: [Level.EXPIRED]}


@pytest.mark.requirement("R-C7")
def test_the_same_contract_has_no_change(tmp_path: Path) -> None:
    assert between(small_contract(), small_contract(), tmp_path) == []


NAMED_ONCE: dict[str, tuple[Edits, Edits, dict[str, int]]] = {
    "a change of a tool that has an alias": (
        {},
        {"tools.talk_say.input.properties.words.maxLength": 5},
        {"INPUT_LIMIT_NARROWED": 1},
    ),
    "a wording that stands in many texts": (
        {},
        {"texts.rule": TEXT},
        {"TEXT_CHANGED": 3},
    ),
    "a required part of the answer that goes": (
        {"tools.talk_say.output.properties.at": {"type": "string", "description": "When."}},
        {"tools.talk_say.output.properties.at": GONE},
        {"OUTPUT_FIELD_REMOVED": 1},
    ),
    "two values that go": (
        {"enums.Mode.values.whispered": TEXT, "enums.Mode.values.sung": TEXT},
        {"enums.Mode.values.whispered": GONE, "enums.Mode.values.sung": GONE},
        {"INPUT_ENUM_NARROWED": 4, "TEXT_CHANGED": 1},
    ),
}


@pytest.mark.parametrize("case", NAMED_ONCE.values(), ids=NAMED_ONCE.keys())
def test_a_change_is_named_once_at_each_place(
    case: tuple[Edits, Edits, dict[str, int]], tmp_path: Path
) -> None:
    first, change, expected = case
    before = edited(small_contract(), first)

    found = between(before, edited(before, change), tmp_path)

    assert Counter(finding.rule for finding in found) == expected


MEANS_ANOTHER: dict[str, tuple[Edits, Edits, str, str]] = {
    "an old name of a field leads to another one": (
        {},
        {"tools.talk_say.fieldAliases.whom.field": "words"},
        "ALIAS_CHANGED",
        "tools.talk_say.input.whom",
    ),
    "a field becomes an old name": (
        {},
        {
            "tools.talk_say.input.properties.toWhom": GONE,
            "tools.talk_say.fieldAliases": {
                name: {"field": "listener", "since": "1.4.0", "reason": "It is clearer."}
                for name in ("toWhom",)
            },
            "tools.talk_say.input.properties.listener": {"type": "string", "description": "Who."},
        },
        "DECLARED",
        "tools.talk_say.input.toWhom",
    ),
    "an alias becomes a tool": (
        {},
        {"aliases": {}, "tools.talk_shout": small_contract()["tools"]["form_ask"]},
        "ALIAS_CHANGED",
        "tools.talk_shout",
    ),
    "a legacy default means something else": (
        {},
        {"tools.talk_say.legacyDefaults.mode.value": "loud"},
        "INPUT_DEFAULT_CHANGED",
        "tools.talk_say.input.mode",
    ),
    "a legacy default goes": (
        {},
        {"tools.talk_say.legacyDefaults": GONE},
        "INPUT_REQUIRED_ADDED",
        "tools.talk_say.input.mode",
    ),
    "an alias fixes what old calls chose": (
        {"tools.talk_cry": small_contract()["tools"]["talk_say"], "groups.talk.surfaces": ["mcp"]},
        {
            "tools.talk_cry": GONE,
            "aliases.talk_cry": small_contract()["aliases"]["talk_shout"],
        },
        "ALIAS_CHANGED",
        "tools.talk_cry",
    ),
    "an end of an error code is brought forward": (
        {
            "errors.too_late": {
                "status": 409,
                "meaning": TEXT,
                "remedy": TEXT,
                "deprecated": {"since": "1.4.0", "reason": "Old.", "removeAfter": "2.0.0"},
            }
        },
        {"errors.too_late.deprecated.removeAfter": "1.5.0"},
        "END_BROUGHT_FORWARD",
        "errors.too_late",
    ),
    "an argument is deprecated": (
        {},
        {
            "tools.talk_say.input.properties.toWhom.$deprecated": {
                "since": "1.4.0",
                "reason": "Everybody hears it.",
            }
        },
        "DECLARED",
        "tools.talk_say.input.toWhom",
    ),
    "an argument inside a list is deprecated": (
        {
            "tools.board_get.input.properties.sort": {
                "type": "array",
                "description": "In which order.",
                "items": {
                    "type": "object",
                    "properties": {"by": {"type": "string", "description": "What counts."}},
                },
            }
        },
        {
            "tools.board_get.input.properties.sort.items.properties.by.$deprecated": {
                "since": "1.4.0",
                "reason": "Only the title counts.",
            }
        },
        "DECLARED",
        "tools.board_get.input.sort[].by",
    ),
    "an alias has another notice": (
        {"prompts.notice_other": small_contract()["prompts"]["notice_mode"]},
        {"aliases.talk_shout.notice": "notice_other"},
        "TEXT_CHANGED",
        "tools.talk_shout.notice",
    ),
    "an object is described at last": (
        {},
        {"objects.Question.description": "What is asked."},
        "TEXT_CHANGED",
        "tools.form_ask.input",
    ),
    "what a prompt says of nothing is another": (
        {},
        {"prompts.digest.parameters.title.whenEmpty": TEXT},
        "TEXT_CHANGED",
        "prompts.digest.title.whenEmpty.en",
    ),
    "the meaning of a value that a prompt tells is another": (
        {},
        {"enums.Mode.values.loud": TEXT},
        "TEXT_CHANGED",
        "prompts.digest.mode=loud.zh",
    ),
    "the namespace is another": (
        {},
        {"dynamic.namespace": "other"},
        "ADDRESS_CHANGED",
        "address.namespace",
    ),
}


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("case", MEANS_ANOTHER.values(), ids=MEANS_ANOTHER.keys())
def test_what_is_taken_and_means_something_else_is_found(
    case: tuple[Edits, Edits, str, str], tmp_path: Path
) -> None:
    first, change, rule, place = case
    before = edited(small_contract(), first)

    found = between(before, edited(before, change), tmp_path)

    assert (rule, place) in [(finding.rule, finding.place) for finding in found]


SAY = small_contract()["tools"]["talk_say"]
RENAMED = {"since": "1.4.0", "reason": "It is clearer."}
SAME_UNDER_OTHER_NAMES: dict[str, tuple[Edits, str]] = {
    "a field that has had another name is renamed again": (
        {
            "tools.talk_say.input.properties.toWhom": GONE,
            "tools.talk_say.input.properties.listener": {"type": "string", "description": "Who."},
            "tools.talk_say.fieldAliases": {
                name: {"field": "listener", **RENAMED} for name in ("whom", "toWhom")
            },
        },
        "tools.talk_say.input.toWhom",
    ),
    "a tool that has had another name is renamed again": (
        {
            "tools.talk_say": GONE,
            "tools.talk_tell": SAY,
            "errors.broken.remedy": TEXT,
            "aliases.talk_say": {
                "tool": "talk_tell",
                "fixed": {},
                "notice": "notice_mode",
                **RENAMED,
            },
            "aliases.talk_shout.tool": "talk_tell",
        },
        "tools.talk_shout",
    ),
    "a field that an alias fixes is renamed": (
        {
            "tools.talk_say.input.properties.mode": GONE,
            "tools.talk_say.input.properties.manner": SAY["input"]["properties"]["mode"],
            "tools.talk_say.input.required": ["words", "manner"],
            "tools.talk_say.fieldAliases.mode": {"field": "manner", **RENAMED},
            "tools.talk_say.legacyDefaults": {"manner": SAY["legacyDefaults"]["mode"]},
            "tools.talk_say.examples": [
                {"input": {"words": "Hello", "manner": "loud"}, "output": {"said": True}}
            ],
            "aliases.talk_shout.fixed": {"manner": "loud"},
        },
        "tools.talk_shout",
    ),
}


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("case", SAME_UNDER_OTHER_NAMES.values(), ids=SAME_UNDER_OTHER_NAMES.keys())
def test_what_means_the_same_under_another_name_breaks_nothing(
    case: tuple[Edits, str], tmp_path: Path
) -> None:
    change, place = case

    found = between(small_contract(), edited(small_contract(), change), tmp_path)

    assert [finding for finding in found if finding.level is Level.BREAKING] == []
    assert ("DECLARED", place) in [(finding.rule, finding.place) for finding in found]


FIXED_UNTIL = {"groups.talk.surfaces": ["mcp"], "aliases.talk_shout.removeAfter": "1.4.0"}
LEFT_OUT_UNTIL = {
    "groups.talk.surfaces": ["mcp"],
    "tools.talk_say.legacyDefaults.mode.removeAfter": "1.4.0",
}
NOT_ENDED_BUT_CHANGED: dict[str, tuple[Edits, Edits, str]] = {
    "an old name leads elsewhere": (
        FIXED_UNTIL,
        {"aliases.talk_shout.fixed": {"mode": "quiet"}},
        "ALIAS_CHANGED",
    ),
    "a legacy default is another": (
        LEFT_OUT_UNTIL,
        {"tools.talk_say.legacyDefaults.mode.value": "loud"},
        "INPUT_DEFAULT_CHANGED",
    ),
    "an argument that could be left out until then has another type": (
        LEFT_OUT_UNTIL,
        {
            "tools.talk_say.legacyDefaults": GONE,
            "tools.talk_say.input.properties.mode": {"type": "integer", "description": "How."},
            "tools.talk_say.examples": [
                {"input": {"words": "Hello", "mode": 1}, "output": {"said": True}}
            ],
            "aliases": {},
        },
        "INPUT_TYPE_NARROWED",
    ),
}


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("case", NOT_ENDED_BUT_CHANGED.values(), ids=NOT_ENDED_BUT_CHANGED.keys())
def test_an_end_lets_a_thing_go_and_not_mean_something_else(
    case: tuple[Edits, Edits, str], tmp_path: Path
) -> None:
    first, change, rule = case
    before = edited(small_contract(), first)

    found = between(before, edited(before, {"release": "1.5.0", **change}), tmp_path)

    assert [f.level for f in found if f.rule == rule] == [Level.BREAKING]


HARMLESS: dict[str, Edits] = {
    "a limit that every text keeps": {"tools.talk_say.input.properties.toWhom.minLength": 0},
    "a tool that people cannot pick any more": {"groups.media.surfaces": ["mcp", "http"]},
    "words for people": {"tools.media_show.summary": TEXT, "groups.media.title": TEXT},
    "values in another order": {
        "enums.Mode.values": dict(reversed(small_contract()["enums"]["Mode"]["values"].items()))
    },
}


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_no_thread_can_notice_breaks_nothing(change: Edits, tmp_path: Path) -> None:
    found = between(small_contract(), edited(small_contract(), change), tmp_path)

    assert [finding for finding in found if finding.level is Level.BREAKING] == []
