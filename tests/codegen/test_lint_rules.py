"""Each rule of lint finds its kind of fault and leaves alone what only looks like it."""

import pytest

from codegen import lint
from codegen.lint.rule import Rule
from tests.codegen.linting import DESCRIPTION, lay_over, linted
from tests.codegen.projects import Project

FAULTS = {
    "a remedy that names a tool which is not on each surface where it is read": (
        "Take the id from `{{ tools.find_note }}`.",
        "Take the id from `{{ tools.pin_note }}`.",
        "absent-tool",
    ),
    "a namespace that names a tool which is not in it": (
        "description: Find notes and have them reviewed.",
        "description: 'Find notes, then use {{ tools.pin_note }}.'",
        "absent-tool",
    ),
    "an argument that names a tool which is not there": (
        "description: What the note holds.",
        "description: 'What the note of {{ tools.pin_note }} holds.'",
        "absent-tool",
    ),
    "a prompt that names a tool of another surface": (
        'now."',
        'now, and `{{ tools.pin_note }}` pins it."',
        "absent-tool",
    ),
    "an old name without backticks": (
        "en: Finds a note.,",
        "en: Finds a note like search_note.,",
        "old-name",
    ),
    "work that starts although nothing changes": (
        "{ readOnly: false, destructive: false, idempotent: false,",
        "{ readOnly: true, destructive: false, idempotent: false,",
        "contradicting-hints",
    ),
    "values without backticks": (
        "{{ explained.Order }}",
        "The newest or the best.",
        "unexplained-value",
    ),
    "a value in a list": (
        "        words: { type: string, description: What the note holds. }\n",
        "        orders: { type: array, items: { $enum: Order }, description: Which ones. }\n",
        "unexplained-value",
    ),
    "a wrong name before a value": (
        "description: Pin a note to the desk.",
        "description: 'Pin a note; `noteID: n1` is one.'",
        "unknown-name",
    ),
    "an object whose own description invites to wait": (
        "  Note:\n    type: object\n",
        "  Note:\n    type: object\n    description: Sleep until it is there.\n",
        "waiting-word",
    ),
    "a sentence that wraps in one of its places": (
        "    summary: { en: Pins a note to the desk., zh: 把笔记固定在书桌上。 }\n"
        "    description: Pin a note to the desk.\n",
        "    summary: { en: Pins it to the desk where all who pass by read it., zh: 固定笔记。 }\n"
        "    description: |-\n"
        "      Pins it to the desk where\n"
        "      all who pass by read it.\n",
        "repeated-sentence",
    ),
}
HARMLESS = {
    "a value that sounds like waiting": (
        "      newest: {",
        "      waiting: {",
    ),
    "a name that is none of the contract's": (
        DESCRIPTION,
        "    description: Find a note in `src/my_notes.py`, `NOTES_DIR` or `--note_dir`.\n",
    ),
    "a part of a name": (
        DESCRIPTION,
        "    description: Find a note, or let research_notes find it.\n",
    ),
    "a value that no list shows": (
        "      best: { en: The one that fits best., zh: 最符合的在前。 }\n",
        "      best: { en: The one that fits best., zh: 最符合的在前。 }\n"
        "      first: { en: The one written first., zh: 最早的在前。 }\n"
        "    deprecated: { first: { since: 1.2.0, reason: Nobody wanted it. } }\n",
    ),
    "a Chinese text that is a name with a Chinese full stop": (
        "zh: 查找笔记 }",
        "zh: Codex App（codex app-server）。 }",
    ),
    "a Chinese text that is one name": (
        "title: { en: Notes, zh: 笔记 }\n\n",
        "title: { en: Notes, zh: Notes }\n\n",
    ),
}


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize("rule", lint.RULES, ids=lambda rule: rule.id)
def test_the_bad_example_of_a_rule_breaks_that_rule_and_no_other(
    rule: Rule, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_over(notes, rule.bad)
    found = {(finding["rule"], finding["level"]) for finding in linted(notes, capsys)}
    assert found == {(rule.id, rule.level.value)}


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize("rule", lint.RULES, ids=lambda rule: rule.id)
def test_the_good_example_of_a_rule_breaks_none(
    rule: Rule, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    lay_over(notes, rule.good)
    assert linted(notes, capsys) == []


def test_every_rule_has_its_own_id_and_says_what_it_asks_and_why() -> None:
    ids = [rule.id for rule in lint.RULES]
    assert len(set(ids)) == len(ids)
    assert [rule.id for rule in lint.RULES if not (rule.asks and rule.why)] == []
    assert [rule.id for rule in lint.RULES if rule.check is None] == ["stale-waiver"]


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(
    "text",
    [
        "Wait for the answer.",
        "Poll it.",
        "Sleep for a second, then call again.",
        "Do not answer; wait for the note.",
        "Do not stop but keep checking.",
        "If it is not idle, wait for it.",
        "Check back every few seconds.",
        "Ask until the target is ready.",
        "Ask until the target answers.",
        "Blocks until it is found.",
        "If it fails, try again later.",
        "It can\n      be found while you\n      wait.",
    ],
)
def test_an_invitation_to_wait_is_found(
    text: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, f"    description: |-\n      {text}\n")
    assert {finding["rule"] for finding in linted(notes, capsys)} == {"waiting-word"}


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(
    "text",
    [
        "Do not wait, sleep or poll for it, and do not ask how far it is.",
        "This is for looking something up, not for waiting: it comes by itself.",
        "Never call this in a loop.",
        "It comes by itself, so there is no need to poll.",
        "Go on instead of waiting.",
        "Go on rather than check back.",
        "You needn't\n      wait.",
        "The waiter brings it. Check it again before you answer.",
    ],
)
def test_a_text_that_forbids_to_wait_is_taken(
    text: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(DESCRIPTION, f"    description: |-\n      {text}\n")
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("请等待结果。", True),
        ("如果目标不空闲，等待它。", True),
        ("反复查询，直到任务完成。", True),
        ("请稍后再试。", True),
        ("不要等待、休眠或轮询，也不要去问进度。", False),
        ("这只用于查看，不用于等待：绝不要循环调用。", False),
    ],
)
def test_chinese_texts_are_read_as_well(
    text: str, found: bool, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit("从 `{{ tools.find_note }}` 取得 ID。", text)
    assert bool(linted(notes, capsys)) is found


@pytest.mark.requirement("R-C8")
@pytest.mark.parametrize(("old", "new"), HARMLESS.values(), ids=HARMLESS.keys())
def test_what_only_looks_like_a_fault_is_taken(
    old: str, new: str, notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(old, new)
    assert linted(notes, capsys) == []


@pytest.mark.requirement("R-C8")
def test_a_deprecated_tool_is_an_old_name(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    notes.edit(
        "  pin_note:\n", "  pin_note:\n    deprecated: { since: 1.2.0, reason: No more desks. }\n"
    )
    assert linted(notes, capsys) == []

    notes.edit("description: Have a note reviewed.", "description: Like pin_note.")
    assert {finding["rule"] for finding in linted(notes, capsys)} == {"old-name"}


@pytest.mark.requirement("R-C8")
def test_a_description_beside_a_reference_is_told_at_its_own_line(
    notes: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "        words: { type: string, description: What the note holds. }\n"
    notes.edit(words, words + "        note: { $ref: Note, description: The note. }\n")

    found = [(f["rule"], int(f["line"])) for f in linted(notes, capsys)]

    lines = notes.contract.read_text().splitlines()
    at_objects = lines.index("      noteId: { type: string, description: Id of the note. }") + 1
    at_argument = lines.index("        note: { $ref: Note, description: The note. }") + 1
    assert found == [("empty-description", at_objects), ("empty-description", at_argument)]
