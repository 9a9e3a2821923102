"""The lines that the demo agent obeys."""

import pytest

from ccweb.host.directives import (
    Ask,
    Fail,
    Form,
    Long,
    Permission,
    Say,
    Send,
    ShowImage,
    Task,
    Use,
    Wait,
    directives,
)


@pytest.mark.requirement("R-A3")
def test_directives_are_found_in_order_on_lines_of_their_own() -> None:
    text = "please\n/wait 0.5\r\n  /say 你好 世界  \n/fail\n/long 2\n/tell B: x: y\n"
    assert directives(text) == [
        Wait(seconds=0.5, written="0.5"),
        Say(text="你好 世界"),
        Fail(reason=""),
        Long(size_bytes=2048),
        Send(title="B", text="x: y", returns=False),
    ]


@pytest.mark.requirement("R-A3")
@pytest.mark.parametrize(
    "line",
    [
        "say x",
        "see /say x",
        "/sayx",
        "/wait soon",
        "/wait -1",
        "/delegate B",
        "/long 99999999",
        "/use",
        "/ask",
        "/ask-permission",
        "/asked x",
        "/task",
        "/form",
        "/form | |",
        "/show-images",
        "/",
    ],
)
def test_a_line_that_only_looks_like_a_directive_is_text(line: str) -> None:
    assert directives(line) == []


@pytest.mark.requirement("R-A3")
def test_a_delegated_text_can_hold_directives_of_its_own_at_any_depth() -> None:
    (first,) = directives(r"/delegate 乙：/wait 1\n/delegate C: /say a\\n/say b")
    assert first == Send(title="乙", text="/wait 1\n/delegate C: /say a\\n/say b", returns=True)
    second = directives(first.text)[1]
    assert second == Send(title="C", text="/say a\n/say b", returns=True)


@pytest.mark.requirement("R-A3", "R-U4")
def test_tasks_forms_and_images_are_directives_too() -> None:
    text = "/task Accept cards | soon\n/form Cards | Which? | | Most\n/form Why?\n"
    assert directives(text + "/show-image\n/show-image my shots/a.png") == [
        Task(title="Accept cards | soon"),
        Form(title="Cards", labels=("Which?", "Most")),
        Form(title="Why?", labels=("Why?",)),
        ShowImage(path=""),
        ShowImage(path="my shots/a.png"),
    ]


@pytest.mark.requirement("R-A3", "R-A2")
def test_steps_permissions_and_questions_are_directives_too() -> None:
    steps = "/use Bash npm test\n/ask-permission rm -r build\n"
    text = steps + "/ask Which way? | left | | right\n/ask Why?"
    assert directives(text) == [
        Use(tool="Bash", text="npm test"),
        Permission(request="rm -r build"),
        Ask(question="Which way?", options=("left", "right")),
        Ask(question="Why?", options=()),
    ]
