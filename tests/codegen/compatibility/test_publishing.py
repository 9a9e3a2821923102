"""`breaking` and `publish` as they are run: exit codes, formats, baseline, changelog, git."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from codegen.compatibility.rules import RULES
from tests.codegen.projects import Project

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- All.\n\n## [1.3.0]\n\n- Old.\n"
MODE = "    description: How it is said.\n"
LIMIT = "minimum: 1, default: 5"


@pytest.fixture
def published(project: Project, capsys: pytest.CaptureFixture[str]) -> Project:
    """Return a project with a changelog whose contract is published."""
    (project.root / "CHANGELOG.md").write_text(CHANGELOG)
    project.edit("release: 1.4.0\n", "release: 1.4.0\nchangelog: ../CHANGELOG.md\n")
    assert project.run("publish") == 0
    capsys.readouterr()
    return project


def changelog(project: Project) -> str:
    """Return the changelog's text."""
    return (project.root / "CHANGELOG.md").read_text()


@pytest.mark.requirement("R-C7")
def test_without_a_published_contract_there_is_nothing_to_break(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.run("breaking") == 0
    assert "publish" in capsys.readouterr().err
    assert project.run("breaking", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.requirement("R-C7")
def test_publishing_writes_the_baseline_and_what_is_rendered_from_it(published: Project) -> None:
    held = json.loads((published.contract.parent / "published.json").read_text())
    version = (published.out / "acme_contract" / "version.py").read_text()

    [(contract_hash, release)] = held["hashes"].items()
    assert release == held["release"] == "1.4.0"
    assert f'"{contract_hash}": "1.4.0"' in version
    assert f'CONTRACT_HASH = "{contract_hash}"' in version
    assert published.run("--check") == 0
    assert changelog(published) == CHANGELOG


@pytest.mark.requirement("R-C7")
def test_publishing_again_changes_nothing(published: Project) -> None:
    before = published.files() | {"held": held_bytes(published)}

    assert published.run("publish") == 0

    assert published.files() | {"held": held_bytes(published)} == before


def held_bytes(project: Project) -> bytes:
    """Return the published contract as it is written."""
    return (project.contract.parent / "published.json").read_bytes()


@pytest.mark.requirement("R-C7")
def test_a_breaking_change_is_refused_and_not_published(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    published.edit(LIMIT, "minimum: 1, maximum: 9, default: 5")
    before = held_bytes(published), published.files()

    assert published.run("breaking") == 1
    said = capsys.readouterr()
    assert "BREAKING  INPUT_LIMIT_NARROWED\n  tools.board_get.input.limit\n" in said.out
    assert "no maximum" in said.out
    assert "maximum: 9" in said.out
    assert "1 breaking" in said.err

    assert published.run("publish") == 1
    assert "Nothing was written." in capsys.readouterr().err
    assert (held_bytes(published), published.files()) == before


@pytest.mark.requirement("R-C7")
def test_a_changed_text_needs_a_changelog_line_that_names_it(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    published.edit("description: Show a picture.", "description: Show one picture.")

    assert published.run("breaking") == 1
    said = capsys.readouterr()
    assert "BEHAVIOUR  TEXT_CHANGED" in said.out
    assert "- `media_show`: Models read another text (description)." in said.err

    old = "## [Unreleased]\n\n### Contract\n\n- `media_show` shows one picture.\n"
    (published.root / "CHANGELOG.md").write_text(old + CHANGELOG)
    assert published.run("breaking") == 0


@pytest.mark.requirement("R-C7")
def test_a_line_that_was_there_when_the_contract_was_published_names_no_later_change(
    published: Project,
) -> None:
    published.edit("description: Show a picture.", "description: Show one picture.")
    assert published.run("publish") == 0
    assert "- `media_show`: Models read another text (description)." in changelog(published)
    assert published.run("breaking") == 0

    published.edit("description: Show one picture.", "description: Show this picture.")

    assert published.run("breaking") == 1


@pytest.mark.requirement("R-C7")
def test_publishing_writes_the_lines_that_lack_under_one_heading(published: Project) -> None:
    published.edit("description: Show a picture.", "description: Show one picture.")
    assert published.run("publish") == 0
    published.edit("description: Read the board.", "description: Read the whole board.")
    assert published.run("publish") == 0

    assert changelog(published) == CHANGELOG.replace(
        "- All.\n",
        "- All.\n\n### Contract\n\n"
        "- `media_show`: Models read another text (description).\n"
        "- `board_get`: Models read another text (description).\n",
    )


@pytest.mark.requirement("R-C7")
def test_a_contract_without_a_changelog_is_not_asked_for_one(project: Project) -> None:
    assert project.run("publish") == 0
    project.edit("description: Show a picture.", "description: Show one picture.")

    assert project.run("breaking") == 0


@pytest.mark.requirement("R-C7")
def test_both_contracts_that_have_been_published_stay_known(published: Project) -> None:
    published.edit("release: 1.4.0", "release: 1.5.0")
    published.edit("description: Show a picture.", "description: Show one picture.")

    assert published.run("publish") == 0

    held = json.loads(held_bytes(published))
    assert [*held["hashes"].values()] == ["1.4.0", "1.5.0"]


@pytest.mark.requirement("R-C7")
def test_json_has_every_change_with_its_reason(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    published.edit(LIMIT, "minimum: 2, default: 5")

    assert published.run("breaking", "--format", "json") == 1

    [finding] = json.loads(capsys.readouterr().out)
    assert finding == {
        "rule": "INPUT_LIMIT_NARROWED",
        "level": "breaking",
        "owner": "board_get",
        "place": "tools.board_get.input.limit",
        "says": "A call within the old limit is refused.",
        "old": "minimum: 1",
        "new": "minimum: 2",
        "why": RULES["INPUT_LIMIT_NARROWED"].why,
        "safe": RULES["INPUT_LIMIT_NARROWED"].safe,
    }


@pytest.mark.requirement("R-C7")
def test_a_review_shows_a_change_at_its_line(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    published.edit(LIMIT, "minimum: 2, default: 5")

    assert published.run("breaking", "--format", "github") == 1

    [line] = capsys.readouterr().out.splitlines()
    lines = published.contract.read_text().splitlines()
    number = next(i for i, text in enumerate(lines, 1) if "minimum: 2" in text)
    start = f"::error file=contract/tools.yaml,line={number},title=INPUT_LIMIT_NARROWED::"
    assert line.startswith(f"{start}tools.board_get.input.limit: ")


@pytest.mark.requirement("R-C7")
def test_a_review_is_given_the_path_below_the_checkout(
    published: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    published.edit(LIMIT, "minimum: 2, default: 5")
    monkeypatch.chdir(published.root.parent)

    published.run("breaking", "--format", "github")

    assert capsys.readouterr().out.startswith("::error file=acme/contract/tools.yaml,line=")


@pytest.mark.requirement("R-C7")
@pytest.mark.parametrize("text", ["", "[]", "{}", '{"hashes": {}}', "{", '{"hashes": {"a": 1}}'])
def test_a_damaged_baseline_is_refused_with_its_name(
    text: str, published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (published.contract.parent / "published.json").write_text(text)

    assert published.run("breaking") == 2
    assert capsys.readouterr().err.startswith("contract/published.json:1: unreadable: ")


@pytest.mark.requirement("R-C7")
def test_a_baseline_that_lost_a_tool_in_a_merge_is_refused(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    held = json.loads(held_bytes(published))
    del held["definitions"]["media_show"]
    (published.contract.parent / "published.json").write_text(json.dumps(held))

    assert published.run("breaking") == 2
    assert "take the file of one revision from git" in capsys.readouterr().err


def git(project: Project, *arguments: str) -> None:
    """Run git in a project, with nobody's own configuration."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(project.root), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(
        ["git", *who, *arguments], cwd=project.root, env=clean, check=True, capture_output=True
    )


@pytest.mark.requirement("R-C7")
def test_against_compares_with_a_git_revision(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    git(published, "init", "-q", ".")
    git(published, "add", "contract", "CHANGELOG.md")
    git(published, "commit", "-qm", "First")
    (published.contract.parent / "published.json").unlink()
    assert published.run("breaking", "--against", "HEAD") == 0

    published.edit(LIMIT, "minimum: 2, default: 5")

    assert published.run("breaking", "--against", "HEAD") == 1
    assert "Against HEAD: 1 breaking" in capsys.readouterr().err
    assert published.run("breaking", "--against", "elsewhere") == 2
    assert "elsewhere: no contract to compare with" in capsys.readouterr().err
    assert published.run("breaking", "--against=--output=x") == 2
    assert not Path(published.contract.parent, "x").exists()


@pytest.mark.requirement("R-C7")
def test_a_line_names_a_change_though_an_equal_line_named_one_before(published: Project) -> None:
    line = "- `media_show`: Models read another text (description).\n"
    published.edit("description: Show a picture.", "description: Show one picture.")
    assert published.run("publish") == 0
    released = changelog(published).replace("[Unreleased]", "[1.4.0]")
    path = published.root / "CHANGELOG.md"
    path.write_text(released)
    published.edit("description: Show one picture.", "description: Show this picture.")
    assert published.run("breaking") == 1

    path.write_text(f"## [Unreleased]\n\n### Contract\n\n{line}\n{released}")

    assert published.run("breaking") == 0


@pytest.mark.requirement("R-C7")
def test_a_changelog_with_no_unreleased_part_gets_one_before_the_newest_release(
    published: Project,
) -> None:
    (published.root / "CHANGELOG.md").write_text("# Changelog\n\n## [1.3.0]\n\n- Old.\n")
    published.edit("description: Show a picture.", "description: Show one picture.")

    assert published.run("publish") == 0

    assert changelog(published) == (
        "# Changelog\n\n## [Unreleased]\n\n### Contract\n\n"
        "- `media_show`: Models read another text (description).\n\n## [1.3.0]\n\n- Old.\n"
    )


@pytest.mark.requirement("R-C7")
def test_a_changelog_keeps_its_kind_of_line_ends(published: Project) -> None:
    path = published.root / "CHANGELOG.md"
    path.write_bytes(CHANGELOG.replace("\n", "\r\n").encode())
    published.edit("description: Show a picture.", "description: Show one picture.")

    assert published.run("publish") == 0

    written = path.read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n") > CHANGELOG.count("\n")
    assert published.run("breaking") == 0


@pytest.mark.requirement("R-C7")
def test_a_document_that_cannot_be_rendered_leaves_all_as_it_was(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    (published.root / "README.md").write_text("No marks.\n")
    published.edit("description: Show a picture.", "description: Show one picture.")
    before = published.files() | {"held": held_bytes(published)}

    assert published.run("publish") == 2

    assert "Nothing was written." in capsys.readouterr().err
    assert published.files() | {"held": held_bytes(published)} == before


@pytest.mark.requirement("R-C7")
def test_a_file_is_replaced_whole_and_never_written_into(published: Project) -> None:
    paths = [published.contract.parent / "published.json", published.root / "CHANGELOG.md"]
    kept = [published.root.parent / path.name for path in paths]
    for path, old in zip(paths, kept, strict=True):
        old.hardlink_to(path)
    before = [old.read_bytes() for old in kept]
    published.edit("description: Show a picture.", "description: Show one picture.")

    assert published.run("publish") == 0

    assert [old.read_bytes() for old in kept] == before
    assert all(path.read_bytes() not in before for path in paths)


@pytest.mark.requirement("R-C7")
def test_publishing_again_repairs_what_was_killed_at_any_file(published: Project) -> None:
    published.edit("description: Show a picture.", "description: Show one picture.")
    before = everything(published)
    assert published.run("publish") == 0
    after = everything(published)
    written = [path for path in after if after[path] != before.get(path)]
    assert {"CHANGELOG.md", "contract/published.json"} < set(written)
    first = ["CHANGELOG.md", "contract/published.json"]
    order = first + [path for path in written if path not in first]

    for done in (1, 2, 3):
        for path in order:
            state = after if path in order[:done] else before
            (published.root / path).write_bytes(state[path])
        assert published.run("publish") == 0
        assert everything(published) == after


def everything(project: Project) -> dict[str, bytes]:
    """Return every file of a project, by its path."""
    held = {"contract/published.json": held_bytes(project)}
    return project.files() | held


@pytest.mark.requirement("R-C7")
def test_against_takes_a_revision_that_had_no_changelog_yet(published: Project) -> None:
    git(published, "init", "-q", ".")
    git(published, "add", "contract")
    git(published, "commit", "-qm", "First")

    assert published.run("breaking", "--against", "HEAD") == 0


@pytest.mark.requirement("R-C7")
def test_against_refuses_a_revision_whose_contract_is_no_text(
    published: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = published.contract.read_bytes()
    published.contract.write_bytes(b"name: \xff\n")
    git(published, "init", "-q", ".")
    git(published, "add", "contract")
    git(published, "commit", "-qm", "First")
    published.contract.write_bytes(whole)

    assert published.run("breaking", "--against", "HEAD") == 2
    assert "HEAD: tools.yaml: unreadable" in capsys.readouterr().err
