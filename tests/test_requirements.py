"""Each requirement is carried by a test, and each marker names a requirement."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.requirements import LATER, REQUIREMENTS

TESTS = Path(__file__).parent


def markers(tree: ast.AST) -> Iterator[str]:
    """Yield the ids of every `requirement(...)` marker in a module, written as literals."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "requirement" and ast.unparse(node.func.value) == "pytest.mark":
            yield from (str(ast.literal_eval(argument)) for argument in node.args)


def carried() -> dict[str, set[str]]:
    """Return the files that carry each id."""
    found: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for requirement in markers(ast.parse(path.read_text())):
            found.setdefault(requirement, set()).add(path.relative_to(TESTS).as_posix())
    return found


def test_every_requirement_is_carried_by_a_test() -> None:
    assert sorted(REQUIREMENTS.keys() - carried().keys()) == []


def test_every_marker_names_a_requirement_that_holds_today() -> None:
    unknown = {name: files for name, files in carried().items() if name not in REQUIREMENTS}
    assert unknown == {}


def test_no_requirement_is_both_today_and_later() -> None:
    assert REQUIREMENTS.keys() & LATER.keys() == set()


def test_every_requirement_is_one_sentence() -> None:
    wrong = [text for text in REQUIREMENTS.values() if not text.endswith(".") or ". " in text]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('@pytest.mark.requirement("X-1", "X-2")\ndef test_a() -> None: ...', ["X-1", "X-2"]),
        ('pytestmark = [pytest.mark.requirement("X-3"), pytest.mark.browser]', ["X-3"]),
        ('@other.requirement("X-4")\ndef test_a() -> None: ...', []),
        ('pytest.param(1, marks=pytest.mark.requirement("X-5"))', ["X-5"]),
    ],
)
def test_markers_are_found_wherever_they_stand(source: str, expected: list[str]) -> None:
    assert list(markers(ast.parse(source))) == expected
