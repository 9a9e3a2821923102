"""What a tool is given, as people read it before they permit it."""

import json
from typing import Any

import pytest

from ccweb.hub import toolcalls
from ccweb.hub.toolcalls import Part


@pytest.mark.requirement("R-U1")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("npm test\n && ls", "npm test && ls"),
        ('{"description": "Run them", "command": "npm \\"test\\"\\nls"}', 'npm "test" ls'),
        ('{"file_path": "/a/b.py", "content": "x"}', "/a/b.py"),
        ('{"pattern": "TODO", "path": "src"}', "TODO"),
        ('{"command": "echo ' + "x" * 3000, "echo " + "x" * 155 + "…"),
        ('{"command": "cut in an escape \\', "cut in an escape"),
        ('{"todos": [1]}', '{"todos": [1]}'),
        ("", ""),
    ],
)
def test_a_call_is_one_line_even_when_its_input_is_cut(given: str, said: str) -> None:
    assert toolcalls.brief(given) == said


@pytest.mark.requirement("R-U1")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Bash", "Bash"),
        ("mcp__github__open_issue", "github · open_issue"),
        ("mcp__ccweb__ccweb_send_message", "ccweb · send_message"),
    ],
)
def test_a_tool_is_named_with_its_server(name: str, said: str) -> None:
    assert toolcalls.readable_name(name) == said


@pytest.mark.requirement("R-U3")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"command": "rm -r build", "description": "Clean", "timeout": 5},
            [
                Part(label="", language="", text="Clean"),
                Part(label="", language="bash", text="rm -r build"),
                Part(label="", language="json", text='{\n  "timeout": 5\n}'),
            ],
        ),
        (
            {"command": ["git", "commit", "-m", "a b"]},
            [Part(label="", language="bash", text="git commit -m 'a b'")],
        ),
        (
            {"file_path": "/a.py", "content": "print(1)\n"},
            [Part(label="/a.py", language="py", text="print(1)\n")],
        ),
        (
            {"changes": [{"path": "a.py", "kind": {"type": "add"}, "diff": "+x"}]},
            [Part(label="add a.py", language="diff", text="+x")],
        ),
        (
            {"changes": {"a.py": {"type": "update", "unified_diff": "@@\n-x\n+y"}}},
            [Part(label="update a.py", language="diff", text="@@\n-x\n+y")],
        ),
        (
            {"files": ["a.py", "b.py"], "diff": "--- a.py\n+x"},
            [Part(label="a.py, b.py", language="diff", text="--- a.py\n+x")],
        ),
        (
            {"command": "ls", "cwd": "/srv"},
            [Part(label="/srv", language="bash", text="ls")],
        ),
        (
            {"changes": {"a.py": {"type": "update", "unified_diff": "+y", "move_path": "b.py"}}},
            [Part(label="update a.py → b.py", language="diff", text="+y")],
        ),
        (
            {
                "changes": [
                    {"path": "a", "kind": {"type": "update", "move_path": "b"}, "diff": "+y"}
                ]
            },
            [Part(label="update a → b", language="diff", text="+y")],
        ),
        (
            {"limit": 0, "force": False, "none": None},
            [Part(label="", language="json", text='{\n  "limit": 0,\n  "force": false\n}')],
        ),
        ("[" * 5000, [Part(label="", language="", text="[" * 5000)]),
        ({"plan": "# Do"}, [Part(label="", language="markdown", text="# Do")]),
        ({"url": "http://x"}, [Part(label="", language="", text="http://x")]),
        ('{"command": "ls"}', [Part(label="", language="bash", text="ls")]),
        ("{not json", [Part(label="", language="", text="{not json")]),
        ("", []),
        (None, []),
        ([1], [Part(label="", language="", text="[\n  1\n]")]),
    ],
)
def test_an_input_is_shown_in_the_form_that_people_know(given: Any, expected: list[Part]) -> None:
    assert toolcalls.parts(given) == expected


@pytest.mark.requirement("R-U3")
def test_an_edit_is_a_diff_and_the_numbers_of_one_hunk_are_left_out() -> None:
    given = {
        "file_path": "/a.py",
        "old_string": "a\nb\nc",
        "new_string": "a\nB\nc",
        "replace_all": True,
    }
    assert toolcalls.parts(given) == [
        Part(label="/a.py", language="diff", text=" a\n-b\n+B\n c"),
        Part(
            label="",
            language="json",
            text=json.dumps({"replace_all": True}, indent=2),
        ),
    ]


@pytest.mark.requirement("R-U3")
def test_several_edits_of_a_file_are_several_diffs_and_huge_ones_are_not_compared() -> None:
    edits = [
        {"old_string": "x", "new_string": "y"},
        {"old_string": "old\n" * 60_000, "new_string": "new"},
    ]
    first, second = toolcalls.parts({"file_path": "/a.py", "edits": edits})
    assert first.text == "-x\n+y"
    assert second.lines[0] == "-old"
    assert second.lines[-1] == "+new"
    assert {first.label, second.label} == {"/a.py"}


@pytest.mark.requirement("R-U3")
def test_nothing_that_is_given_beside_an_edit_is_kept_back() -> None:
    edit = {"old_string": "x", "new_string": "y", "replace_all": False}
    given = {"file_path": "/a.py", "edits": [edit | {"mode": "all"}], "new_string": "evil"}
    assert toolcalls.parts(given) == [
        Part(label="/a.py", language="diff", text="-x\n+y"),
        Part(label="", language="", text="all"),
        Part(label="", language="", text="evil"),
    ]
    assert [part.text for part in toolcalls.parts({"file_path": "/a.py", "edits": []})] == [
        json.dumps({"file_path": "/a.py", "edits": []}, indent=2)
    ]
    assert toolcalls.parts({"file_path": "/a.py"} | edit) == [
        Part(label="/a.py", language="diff", text="-x\n+y")
    ]


@pytest.mark.requirement("R-U3")
def test_an_edit_of_many_lines_that_recur_is_shown_at_once() -> None:
    lines = [f"{number * number % 300:03}" for number in range(24_000)]
    given = {"file_path": "/a", "old_string": "\n".join(lines), "new_string": "\n".join(lines[9:])}
    [part] = toolcalls.parts(given)
    assert part.lines[0] == "-000"
    assert len(part.lines) == 2 * len(lines) - 9
