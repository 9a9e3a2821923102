"""`explain` tells all that becomes of a tool, and its words agree with what is generated."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.codegen.projects import Project
from tests.codegen.random_contracts import Contract, contracts
from tests.codegen.test_random_contracts import a_project

Output = pytest.CaptureFixture[str]
NEW_CARDS = (
    "        why: { type: string, description: Why., "
    "$deprecated: { since: 1.0.0, reason: Nobody read it. } }\n"
)


def explained(project: Project, capsys: Output, name: str) -> Any:
    """Return what is told of a name, as an object."""
    capsys.readouterr()
    assert project.run("explain", name, "--format", "json") == 0
    return json.loads(capsys.readouterr().out)


def told(project: Project, capsys: Output, name: str) -> list[str]:
    """Return what is told of a name, line by line."""
    capsys.readouterr()
    assert project.run("explain", name) == 0
    return capsys.readouterr().out.splitlines()


def test_each_surface_is_told_with_the_name_that_its_clients_see(
    project: Project, capsys: Output
) -> None:
    shown = {
        sight["surface"]: sight["name"]
        for sight in explained(project, capsys, "talk_say")["sights"]
    }
    assert shown == {
        "mcp": "mcp__acme__talk_say",
        "dynamic": "acme.talk_say",
        "composer": "mcp:acme/talk_say",
        "http": "POST /tools/talk_say",
    }


def test_a_tool_stands_exactly_in_the_lines_that_are_named(
    project: Project, capsys: Output
) -> None:
    project.run()
    places = explained(project, capsys, "board_get")["places"]
    named: dict[str, set[int]] = {}
    for place in places:
        lines = range(place["first"], place["last"] + 1)
        named.setdefault(place["file"], set()).update(lines)

    for path in (path for path in project.out.rglob("*") if path.is_file()):
        holders = {
            number
            for number, line in enumerate(path.read_text().splitlines(), start=1)
            if any(word in line for word in ("board_get", "BOARD_GET", "BoardGet"))
        }
        file = path.relative_to(project.out).as_posix()
        assert holders <= named.get(file, set()), file
    for place in places:
        if (project.out / place["file"]).is_file():
            lines = (project.out / place["file"]).read_text().splitlines()
            run = [line.strip() for line in lines[place["first"] - 1 : place["last"]]]
            assert place["begins"] in run
    assert {"README.md, block tools", "README.zh.md, block tools"} <= named.keys()


@pytest.mark.requirement("R-C6")
def test_each_field_is_told_as_lists_show_it_and_as_calls_may_send_it(
    project: Project, capsys: Output
) -> None:
    arguments = explained(project, capsys, "talk_say")["arguments"]
    assert [(field["name"], field["shown"], field["taken"]) for field in arguments] == [
        ("words", "string, minLength 1, required", "string, minLength 1, required"),
        ("mode", "quiet | loud, required", "quiet | loud, optional"),
        (
            "pitch",
            'quiet | loud, default "quiet", optional',
            'quiet | loud, default "quiet", optional',
        ),
        ("toWhom", "string, optional", "string, optional"),
        ("whom", None, "string, optional"),
    ]


def test_fields_inside_arrays_and_objects_are_told_too(project: Project, capsys: Output) -> None:
    answer = explained(project, capsys, "board_get")["answer"]
    assert [field["name"] for field in answer] == [
        "cards",
        "cards[].cardId",
        "cards[].colour",
        "cards[].body",
    ]


def test_each_error_is_told_with_its_status_and_its_fields(
    project: Project, capsys: Output
) -> None:
    refusals = explained(project, capsys, "talk_say")["refusals"]
    assert refusals == [
        {"status": 400, "code": "bad_mode", "fields": ["mode"], "is_common": False},
        {"status": 500, "code": "broken", "fields": [], "is_common": True},
    ]


def test_each_text_of_others_that_names_the_tool_is_told(project: Project, capsys: Output) -> None:
    project.edit("The mode {is} needed now.", "Call `{{ tools.talk_say }}` with a mode.")
    project.edit("description: Read the board.", 'description: "Not {{ tools.talk_say }}s."')

    named_in = explained(project, capsys, "talk_say")["named_in"]

    assert named_in == ["prompts.notice_mode", "errors.broken"]


@pytest.mark.requirement("R-D3")
def test_an_old_thread_is_told_call_by_call_with_the_whole_notice(
    project: Project, capsys: Output
) -> None:
    calls = explained(project, capsys, "talk_say")["old_calls"]
    notice = {"en": "The mode {is} needed now.", "zh": "现在需要{模式}。"}

    assert [(call["what"], call["call"], call["arguments"]) for call in calls] == [
        ("the old name talk_shout", "talk_shout", {"words": "Hello"}),
        ("the old name whom of the argument toWhom", "talk_say", None),
        ("a call without mode", "talk_say", {"words": "Hello"}),
    ]
    assert [call["becomes"] for call in calls] == [
        {"words": "Hello", "mode": "loud"},
        None,
        {"words": "Hello", "mode": "quiet"},
    ]
    assert [call["notice"] for call in calls] == [notice, None, notice]


def test_an_old_name_of_a_field_is_shown_in_a_call_when_an_example_has_the_field(
    project: Project, capsys: Output
) -> None:
    project.edit("{ words: Hello, mode: loud }", "{ words: Hello, mode: loud, toWhom: c1 }")

    _, field, _ = explained(project, capsys, "talk_say")["old_calls"]

    assert field["arguments"] == {"words": "Hello", "mode": "loud", "whom": "c1"}
    assert field["becomes"] == {"words": "Hello", "mode": "loud", "toWhom": "c1"}


@pytest.mark.requirement("AC4")
def test_an_old_name_is_told_from_its_own_side(project: Project, capsys: Output) -> None:
    project.run()
    old = explained(project, capsys, "talk_shout")

    assert (old["name"], old["tool"], old["call"]["call"]) == (
        "talk_shout",
        "talk_say",
        "talk_shout",
    )
    assert {place["file"] for place in old["places"]} == {"acme_contract/aliases.py"}
    lines = told(project, capsys, "talk_shout")
    assert lines[0] == "talk_shout   an old name of talk_say"
    assert lines[-1].endswith("explain talk_say")


def test_what_no_list_shows_any_more_is_told_with_its_end(project: Project, capsys: Output) -> None:
    project.edit("        limit: {", f"{NEW_CARDS}        limit: {{")
    project.edit(
        "    group: board\n",
        "    group: board\n    deprecated: { since: 1.1.0, removeAfter: 2.0.0, reason: Unread. }\n",
    )

    found = explained(project, capsys, "board_get")

    assert found["sights"] == []
    assert found["deprecated"] == {"since": "1.1.0", "reason": "Unread.", "remove_after": "2.0.0"}
    ends = {call["what"].split(",")[0]: call["remove_after"] for call in found["old_calls"]}
    assert ends == {"the tool board_get": "2.0.0", "the argument why": None}
    [shown] = [field["shown"] for field in found["arguments"] if field["name"] == "why"]
    assert shown is None


def test_what_is_old_deep_inside_an_argument_is_told_by_its_full_name(
    project: Project, capsys: Output
) -> None:
    project.edit(
        "      red: { en: Red., zh: 红色。 }\n",
        "      red: { en: Red., zh: 红色。 }\n      pink: { en: Pink., zh: 粉色。 }\n"
        "    deprecated: { pink: { since: 1.0.0, reason: It faded. } }\n",
    )
    project.edit(
        "        limit: {",
        "        only: { type: array, description: Only these., items: { $ref: Card } }\n"
        "        limit: {",
    )

    found = explained(project, capsys, "board_get")

    assert [call["what"] for call in found["old_calls"]] == [
        "the value pink of only[].colour, which no list shows"
    ]
    forms = {field["name"]: (field["shown"], field["taken"]) for field in found["arguments"]}
    assert forms["only[].colour"] == ("red, required", "red | pink, required")


def test_what_has_changed_since_the_published_contract_is_told(
    project: Project, capsys: Output
) -> None:
    assert explained(project, capsys, "board_get")["changes"] is None
    assert project.run("publish") == 0
    release = explained(project, capsys, "board_get")["changes"]["release"]
    assert explained(project, capsys, "board_get")["changes"] == {"release": release, "found": []}

    project.edit("limit: { type: integer, minimum: 1,", "limit: { type: integer, minimum: 2,")

    [change] = explained(project, capsys, "board_get")["changes"]["found"]
    assert change["level"] == "breaking"
    assert explained(project, capsys, "media_show")["changes"]["found"] == []
    section = f"Since the contract published with {release}"
    lines = told(project, capsys, "board_get")
    assert change["rule"] in lines[lines.index(section) + 1]


def columns(text: str) -> int:
    """Return the columns that a terminal gives a text without marks."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def test_columns_stay_aligned_where_a_cell_is_chinese(project: Project, capsys: Output) -> None:
    project.edit("../README.zh.md", "../自述文件.md")

    lines = told(project, capsys, "talk_say")

    rows = [line for line in lines if ", block tools" in line]
    assert any("自述文件" in row for row in rows)
    assert len(rows) == 2
    assert len({columns(row[: row.rindex(" of it")]) for row in rows}) == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("talk_sey", "did you mean talk_say"),
        ("Shout", "did you mean talk_shout"),
        ("zzz", "there are talk_say, board_get"),
    ],
)
def test_an_unknown_name_is_answered_with_those_that_are_close(
    name: str, says: str, project: Project, capsys: Output
) -> None:
    assert project.run("explain", name) == 2

    output = capsys.readouterr()
    assert says in output.err
    assert output.out == ""


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(contract=contracts())
def test_every_tool_and_every_old_name_of_any_contract_can_be_explained(contract: Contract) -> None:
    with a_project(contract) as project:
        for name in (*contract["tools"], *contract["aliases"]):
            assert project.run("explain", name) == 0
            assert project.run("explain", name, "--format", "json") == 0


def test_nothing_is_written(project: Project, capsys: Output) -> None:
    before = project.files()

    told(project, capsys, "talk_say")

    assert project.files() == before
