"""`ccweb project` and `ccweb run`: real commands on a data folder of their own."""

import json
from pathlib import Path
from typing import Any

import pytest

from ccweb.cli.printing import console, table
from ccweb.clock import moment
from ccweb.db.engine import Database
from ccweb.planning import runs
from ccweb.planning.runs import MadeCall
from ccweb_contract.enums import Door
from ccweb_contract.errors import ErrorCode
from ccweb_contract.tools import ToolName
from tests.cli.commands import run

pytestmark = pytest.mark.long

SPACE = "60acd5610444ba031b503055"


def shown(data_dir: Path, name: str = "Shop") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(data_dir, "project", "show", name, "--json").stdout)
    return found


def listed(data_dir: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(data_dir, "project", "list", "--json").stdout)
    return found


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Return a data folder with the project Shop."""
    (tmp_path / "till").mkdir()
    data_dir = tmp_path / "data"
    ended = run(data_dir, "project", "add", "Shop", "--repository", str(tmp_path / "till"))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("project_")
    return data_dir


@pytest.mark.requirement("R-P8")
def test_a_project_is_registered_and_shown_with_all_that_belongs_to_it(data_dir: Path) -> None:
    folder = data_dir.parent
    (folder / "stock").mkdir()
    for command in (
        ("add-repository", "Shop", str(folder / "stock"), "--called", "Stock", "--agent", "codex"),
        ("bind", "feature/gift-cards", "Shop"),
        ("bind-space", SPACE, "Shop"),
    ):
        assert run(data_dir, "project", *command).returncode == 0
    given = run(data_dir, "project", "features", "Shop", "-", given="# 收银\n- 礼品卡\n")
    assert (given.returncode, given.stderr) == (0, "Features found: 1\n")
    run(data_dir, "user", "add", "Ada", given="a-long-password\n")
    assert run(data_dir, "project", "reader", "Shop", "Ada").returncode == 0
    project = shown(data_dir)
    till, stock = project["repositories"]
    assert (till["name"], till["agent"], till["path"]) == (
        "till",
        "demo",
        str((folder / "till").resolve()),
    )
    assert (stock["name"], stock["agent"]) == ("Stock", "codex")
    assert project["branches"] == ["feature/gift-cards"]
    assert project["spaces"] == [{"source": "feishu", "space_id": SPACE}]
    assert project["readers"] == ["Ada"]
    assert project["feature_list"] == "# 收银\n- 礼品卡\n"


def test_what_was_given_can_be_taken_back(data_dir: Path) -> None:
    run(data_dir, "user", "add", "Ada", given="a-long-password\n")
    for command in (
        ("bind", "x", "Shop"),
        ("unbind", "x"),
        ("bind-space", SPACE, "Shop"),
        ("unbind-space", SPACE),
        ("reader", "Shop", "Ada"),
        ("reader", "Shop", "Ada", "--remove"),
        ("remove-repository", "Shop", "till"),
    ):
        ended = run(data_dir, "project", *command)
        assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    project = shown(data_dir)
    for what in ("branches", "spaces", "readers", "repositories"):
        assert project[what] == []


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    "command",
    [
        ("add", "Shop"),
        ("add", " "),
        ("add", "Other", "--repository", "/nowhere/at/all"),
        ("add-repository", "Shop", "till"),
        ("add-repository", "None", "."),
        ("remove-repository", "Shop", "none"),
        ("bind", "a b", "Shop"),
        ("bind", "x", "None"),
        ("unbind", "x"),
        ("unbind-space", SPACE),
        ("bind-space", "project_1", "Shop"),
        ("bind-space", "", "Shop"),
        ("add", "Other", "--repository", "/" + "x" * 10_000),
        ("add", "a\x1b[31m"),
        ("features", "Shop", "/dev/zero"),
        ("features", "Shop", "~nobody-like-this"),
        ("features", "Shop", "."),
        ("reader", "Shop", "Nobody"),
        ("features", "Shop", "/nowhere/at/all"),
        ("show", "None"),
    ],
)
def test_what_cannot_be_is_said_in_one_line_and_changes_nothing(
    data_dir: Path, command: tuple[str, ...]
) -> None:
    before = listed(data_dir)
    ended = run(data_dir, "project", *command)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 1)
    assert listed(data_dir) == before


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("add",),
        ("bind", "x"),
        ("add", "Other", "--agent", "nobody"),
        ("add", "Other", "--repository", ""),
        ("add", "Other", "--repository", "~nobody-like-this/x"),
        ("list", "--data-dir", "~nobody-like-this/x"),
        ("bind-space", SPACE, "Shop", "--source", "elsewhere"),
    ],
)
def test_wrong_usage_ends_with_2(data_dir: Path, command: tuple[str, ...]) -> None:
    assert run(data_dir, "project", *command).returncode == 2


def test_a_list_that_is_no_text_is_refused(data_dir: Path) -> None:
    (data_dir / "list").write_bytes(b"\xff\xfe- a")
    ended = run(data_dir, "project", "features", "Shop", str(data_dir / "list"))
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)


def test_people_read_tables_whose_names_are_no_markup(data_dir: Path) -> None:
    run(data_dir, "project", "add", "[bold]礼品卡[/] :smile:")
    assert "[bold]礼品卡[/] :smile:" in run(data_dir, "project", "list").stdout
    assert "till" in run(data_dir, "project", "show", "Shop").stdout


# --- runs ---------------------------------------------------------------------------------------


@pytest.mark.requirement("R-P1")
def test_a_run_lists_its_calls(data_dir: Path) -> None:
    db, m = Database(f"sqlite:///{data_dir / 'ccweb.db'}"), moment()
    tools = {
        ToolName.CREATE_FEATURE_TECH_PLAN: None,
        ToolName.GET_FEATURE_TECH_PLAN: ErrorCode.STALE,
    }
    with db.begin() as c:
        run_id = runs.begin(c, m, holder_id="person_1")
        made = [
            MadeCall(
                run_id=run_id,
                tool=tool,
                door=Door.HTTP,
                caller_id="token_1",
                refused=refused,
                about_id="session_1",
                created_at_ms=m.now_ms,
            )
            for tool, refused in tools.items()
        ]
        runs.record(c, m, made)
    db.close()
    calls = json.loads(run(data_dir, "run", run_id, "--json").stdout)
    assert [call["tool"] for call in calls] == list(tools)
    assert [call["outcome"] for call in calls] == [runs.DONE, ErrorCode.STALE]
    assert {call["about"] for call in calls} == {"session_1"}
    said = run(data_dir, "run", run_id).stdout
    assert all(tool in said for tool in tools)


def test_a_run_that_is_not_there_is_said(data_dir: Path) -> None:
    ended = run(data_dir, "run", "run_none")
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 1)


def test_what_steers_a_terminal_is_shown_and_not_obeyed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Agents choose the titles of conversations, and lists print them."""
    lines = table("Caller")
    lines.add_row("a\x1b]0;title\x07\u202eb")
    console().print(lines)
    assert "a\ufffd]0;title\ufffd\ufffdb" in capsys.readouterr().out
