"""The check refuses every difference between the contract and what is rendered from it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codegen.projects import Project

Change = Callable[[Path], object]


def flip_last_byte(path: Path) -> None:
    """Change one byte of a file."""
    data = path.read_bytes()
    path.write_bytes(data[:-2] + b"~" + data[-1:])


@pytest.fixture
def generated(project: Project, capsys: pytest.CaptureFixture[str]) -> Project:
    """Return a project that is up to date."""
    project.run()
    capsys.readouterr()
    return project


@pytest.mark.requirement("R-C4")
def test_what_was_just_generated_is_up_to_date(
    generated: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generated.run("--check") == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.requirement("R-C4")
@pytest.mark.parametrize(
    "name",
    ["acme_contract/tools.py", "acme_contract/contract.js", "schemas/openapi.json", "../README.md"],
)
def test_one_changed_byte_is_refused_with_a_diff_and_the_command_that_repairs_it(
    name: str, generated: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    path = generated.out / name
    text = path.read_text()
    changed = text.replace("loud", "l0ud", 1)
    path.write_text(changed)

    assert generated.run("--check") == 1

    said = capsys.readouterr()
    lines = said.out.splitlines()
    wrong = next(line for line in changed.splitlines() if "l0ud" in line)
    right = next(line for line in text.splitlines() if "loud" in line)
    assert lines[0].startswith("--- ")
    assert lines[1].startswith("+++ ")
    assert f"-{wrong}" in lines
    assert f"+{right}" in lines
    assert said.err == "Generated files differ from the contract. Repair: make generate\n"
    assert path.read_text() == changed, "a check writes nothing"


CHANGES: dict[str, tuple[str, Change, str]] = {
    "a changed last byte": ("acme_contract/enums.py", flip_last_byte, "+++ "),
    "a missing last newline": (
        "schemas/talk_say.json",
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        "+++ ",
    ),
    "other line ends": (
        "acme_contract/errors.py",
        lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n")),
        "+++ ",
    ),
    "bytes that are no text": (
        "acme_contract/errors.py",
        lambda path: path.write_bytes(b"\xff" + path.read_bytes()),
        "+++ ",
    ),
    "a missing file": ("schemas/talk_say.json", Path.unlink, "missing: schemas/talk_say.json"),
    "a missing empty file": (
        "acme_contract/py.typed",
        Path.unlink,
        "missing: acme_contract/py.typed",
    ),
    "an extra schema": (
        "schemas/talk_cry.json",
        lambda path: path.write_text("{}"),
        "not generated: schemas/talk_cry.json",
    ),
    "an extra module": (
        "acme_contract/more.py",
        lambda path: path.write_text(""),
        "not generated: acme_contract/more.py",
    ),
}


@pytest.mark.requirement("R-C4")
@pytest.mark.parametrize(("name", "change", "says"), CHANGES.values(), ids=CHANGES.keys())
def test_every_kind_of_difference_is_refused(
    name: str,
    change: Change,
    says: str,
    generated: Project,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change(generated.out / name)

    assert generated.run("--check") == 1
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith(says)]
    assert generated.run() == 0
    assert generated.run("--check") == 0


@pytest.mark.requirement("R-C4")
def test_a_changed_contract_is_refused_until_it_is_generated(
    generated: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    generated.edit("Said loudly.", "Said very loudly.")

    assert generated.run("--check") == 1
    assert "+++ acme_contract/enums.py (generated)" in capsys.readouterr().out.splitlines()


def test_the_set_of_files_is_told_before_their_contents(
    generated: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (generated.out / "schemas" / "talk_say.json").unlink()
    (generated.out / "schemas" / "more.json").write_text("{}")
    flip_last_byte(generated.out / "acme_contract" / "aliases.py")

    generated.run("--check")

    assert capsys.readouterr().out.splitlines()[:3] == [
        "missing: schemas/talk_say.json",
        "not generated: schemas/more.json",
        "--- acme_contract/aliases.py (on disk)",
    ]


def test_compiled_python_is_no_difference(generated: Project) -> None:
    cache = generated.out / "acme_contract" / "__pycache__"
    cache.mkdir()
    (cache / "enums.cpython-311.pyc").write_bytes(b"\0")

    assert generated.run("--check") == 0
