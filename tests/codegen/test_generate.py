"""Generating writes every file once, tidies up, and leaves what people wrote alone."""

import pytest

from tests.codegen.projects import DOCUMENT, Project

PACKAGE = (
    "__init__.py",
    "aliases.py",
    "contract.js",
    "enums.py",
    "errors.py",
    "models.py",
    "openapi.json",
    "prompts.py",
    "py.typed",
    "tools.py",
    "version.py",
)
SCHEMAS = (
    "board_get.json",
    "codex.dynamic_tools.json",
    "form_ask.json",
    "mcp.tools_list.json",
    "media_show.json",
    "openapi.json",
    "talk_say.json",
)


@pytest.mark.requirement("R-C3")
def test_one_run_renders_the_package_the_snapshots_and_the_marked_blocks(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.run() == 0

    expected = {
        "README.md",
        "README.zh.md",
        *(f"generated/acme_contract/{name}" for name in PACKAGE),
        *(f"generated/schemas/{name}" for name in SCHEMAS),
    }
    assert project.files().keys() == expected
    said = capsys.readouterr().out.splitlines()
    assert {
        line.replace("wrote ", "generated/").replace("generated/README", "README") for line in said
    } == expected


@pytest.mark.requirement("R-C3")
def test_a_document_keeps_all_that_stands_outside_its_marks(project: Project) -> None:
    project.run()

    english, chinese = ((project.root / name).read_text() for name in ("README.md", "README.zh.md"))
    assert english.startswith("# Acme\n\nWords by people.\n\n<!-- generated:tools -->\n**Talk**\n")
    assert "| `talk_say` | Says it. Say `loud` when it matters. Always. |" in english
    assert "| `talk_say` | 说出来。重要时使用 `loud`。始终如此。 |" in chinese
    assert "old\n" not in english + chinese
    assert [line for line in english.splitlines() if "generated:" in line] == [
        line for line in DOCUMENT.splitlines() if "generated:" in line
    ]


def test_a_second_run_writes_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.run()
    before = {path: path.stat().st_mtime_ns for path in project.root.rglob("*")}
    capsys.readouterr()

    assert project.run() == 0

    assert capsys.readouterr().out == "Everything is up to date.\n"
    assert {path: path.stat().st_mtime_ns for path in project.root.rglob("*")} == before


def test_a_file_that_is_no_longer_generated_is_deleted(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = project.out / "schemas" / "gone.json"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}\n")

    assert project.run() == 0

    assert not stale.exists()
    assert "deleted schemas/gone.json" in capsys.readouterr().out.splitlines()


def test_another_package_name_changes_folder_and_imports(project: Project) -> None:
    assert project.run("--package", "other") == 0

    assert sorted(path.name for path in project.out.iterdir()) == ["other", "schemas"]
    assert "acme_contract" not in (project.out / "other" / "aliases.py").read_text()


def test_a_package_name_that_cannot_be_imported_is_wrong_usage(project: Project) -> None:
    with pytest.raises(SystemExit) as stopped:
        project.run("--package", "no-name")
    assert stopped.value.code == 2
    assert not project.out.exists()


@pytest.mark.requirement("R-C2")
@pytest.mark.parametrize(
    ("document", "says"),
    [
        (None, "../README.md:1: unreadable: "),
        ("# Acme\n", "README.md:1: missing-block: needs <!-- generated:tools -->"),
        (
            f"{DOCUMENT}<!-- generated:poem -->\n<!-- /generated:poem -->\n",
            "README.md:16: unknown-block: there is no block 'poem'",
        ),
        (
            DOCUMENT.replace("<!-- /generated:errors -->\n", ""),
            "README.md:13: missing-block: needs <!-- generated:errors -->",
        ),
        (f"{DOCUMENT}{DOCUMENT}", "README.md:5: missing-block: needs <!-- generated:tools -->"),
    ],
    ids=["missing", "no marks", "unknown mark", "no end", "twice"],
)
def test_a_document_without_its_marks_is_refused_and_nothing_is_written(
    document: str | None, says: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = project.root / "README.md"
    readme.unlink() if document is None else readme.write_text(document)
    before = project.files()

    assert project.run() == 2

    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith(says)]
    assert project.files() == before


@pytest.mark.requirement("R-C2")
@pytest.mark.parametrize("content", [None, b"\xff\xfe", b""], ids=["missing", "no text", "empty"])
def test_a_contract_that_cannot_be_read_is_refused(
    content: bytes | None, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.contract.unlink() if content is None else project.contract.write_bytes(content)

    assert project.run() == 2

    assert capsys.readouterr().err.startswith("contract/tools.yaml:1: ")
    assert not project.out.exists()


@pytest.mark.requirement("R-C2")
@pytest.mark.parametrize("content", [None, "{"], ids=["missing", "no JSON"])
def test_a_meta_schema_that_cannot_be_read_is_told(
    content: str | None, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = project.contract.with_name("tools.schema.json")
    schema.unlink() if content is None else schema.write_text(content)

    assert project.run() == 2

    assert capsys.readouterr().err.startswith("tools.schema.json:1: unreadable: ")


def test_an_output_folder_that_is_a_file_is_told_by_name(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.out.write_text("no folder")

    assert project.run() == 2

    assert capsys.readouterr().err.startswith(str(project.out))


def test_prompts_of_a_group_on_no_surface_stand_in_no_document(project: Project) -> None:
    project.edit("    surfaces: [mcp, dynamic, composer, http]\n", "    surfaces: []\n")
    project.run()

    assert "`digest`" not in (project.root / "README.md").read_text()
    assert "def digest(" in (project.out / "acme_contract" / "prompts.py").read_text()
