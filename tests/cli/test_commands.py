"""The small commands: tokens, links, people, calls, the doctor, and wrong usage."""

import json
from pathlib import Path

import pytest

from ccweb.cli import arguments, main
from ccweb.host.programs import CODEX, why_too_old
from ccweb.settings import Settings
from ccweb_contract.tools import ToolName
from tests.cli.commands import run, running
from tests.fakes.program import install

LIST = ToolName.CCWEB_LIST_CONVERSATIONS.value


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("serve", "--port", "many"),
        ("token",),
        ("token", "create"),
        ("call",),
        ("call", LIST, "{"),
        ("call", LIST, "[]"),
        ("call", LIST, "[" * 100_000),
        ("call", LIST, "--as"),
        ("call", LIST, "{}", "{}"),
        ("token", "create", "--name", "x", "more"),
    ],
)
def test_wrong_usage_is_said_in_one_line_with_code_2(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ended = run(tmp_path, *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1


def test_a_setting_that_cannot_be_is_wrong_usage(tmp_path: Path) -> None:
    ended = run(tmp_path, "token", "list", CCWEB_LANG="klingon")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8002", "ftp://x", "http://", "http://127.0.0.1:99999", "http://[", "http://a\nb"],
)
@pytest.mark.parametrize("command", [("call", LIST), ("mcp",)])
def test_an_address_that_is_none_is_wrong_usage(
    tmp_path: Path, command: tuple[str, ...], url: str
) -> None:
    ended = run(tmp_path, *command, CCWEB_TOKEN="ccw_x", CCWEB_URL=url)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (2, "", 1)


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize("token", ["ccw_ü", "ccw_x\nX-Evil: 1", "ccw x"])
@pytest.mark.parametrize("command", [("call", LIST), ("mcp",)])
def test_a_token_that_can_be_none_is_wrong_usage_and_never_sent(
    tmp_path: Path, command: tuple[str, ...], token: str
) -> None:
    ended = run(tmp_path, *command, CCWEB_TOKEN=token)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (2, "", 1)
    assert token not in ended.stderr


@pytest.mark.parametrize("command", [("call", LIST), ("mcp",), ("link",), ("doctor",)])
def test_a_data_folder_that_is_a_file_is_said_and_no_crash(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    ended = run(tmp_path / "file", *command, CCWEB_TOKEN="ccw_x", CCWEB_PORT="1")
    assert "Traceback" not in ended.stderr
    assert ended.returncode in (0, 1)


@pytest.mark.parametrize(
    "command",
    [
        ("token", "create", "--name", "\udcff"),
        ("token", "create", "--name", "x", "--conversation", "\udcff"),
        ("token", "revoke", "\udcff"),
        ("user", "add", "\udcff"),
        ("call", LIST, "--as", "\udcff"),
    ],
)
def test_bytes_that_are_no_text_are_wrong_usage(tmp_path: Path, command: tuple[str, ...]) -> None:
    ended = run(tmp_path, *command)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (2, "", 1)


@pytest.mark.requirement("R-S1")
@pytest.mark.parametrize(
    "url", ["nothing", "postgresql://me:secret@127.0.0.1:1/x", "mysql://secret"]
)
def test_a_database_that_cannot_be_used_is_said_without_its_password(
    tmp_path: Path, url: str
) -> None:
    ended = run(tmp_path, "token", "list", CCWEB_DATABASE_URL=url)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 1)
    assert "secret" not in ended.stderr
    assert not Path("x").exists()


def test_an_interrupt_while_the_command_line_is_read_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(arguments, "parse", interrupted)
    assert main([]) == 130


@pytest.mark.parametrize("value", ["nan", "inf", "-1"])
def test_a_time_that_never_comes_is_no_setting(tmp_path: Path, value: str) -> None:
    ended = run(tmp_path, "token", "list", CCWEB_LEASE_S=value)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)


@pytest.mark.requirement("R-S5")
def test_a_token_is_shown_once_listed_without_secret_and_revoked(tmp_path: Path) -> None:
    created = run(tmp_path, "token", "create", "--name", "ci")
    secret = created.stdout.strip()
    assert secret.startswith("ccw_")
    (token,) = json.loads(run(tmp_path, "token", "list", "--json").stdout)
    assert (token["name"], token["scopes"], token["revokedAt"]) == ("ci", ["tools"], None)
    assert secret not in run(tmp_path, "token", "list").stdout
    assert run(tmp_path, "token", "revoke", token["id"]).returncode == 0
    assert run(tmp_path, "token", "revoke", token["id"]).returncode == 1


@pytest.mark.requirement("R-S5")
def test_a_token_for_a_conversation_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    ended = run(tmp_path, "token", "create", "--name", "x", "--conversation", "conv_none")
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 1)


@pytest.mark.requirement("R-S1")
def test_a_link_is_printed_alone_on_standard_output(tmp_path: Path) -> None:
    ended = run(tmp_path, "link", CCWEB_PORT="8123")
    assert ended.returncode == 0
    assert ended.stdout.startswith("http://127.0.0.1:8123/sign-in#ticket=")
    assert len(ended.stdout.splitlines()) == 1


@pytest.mark.requirement("R-S5")
def test_a_person_is_added_once_and_with_a_password_that_is_long_enough(tmp_path: Path) -> None:
    assert run(tmp_path, "user", "add", "Mei", given="short\n").returncode == 1
    assert run(tmp_path, "user", "add", "Mei", given="long enough 密码\n").returncode == 0
    assert run(tmp_path, "user", "add", "Mei", given="long enough 密码\n").returncode == 1
    assert run(tmp_path, "user", "password", "Nobody", given="long enough\n").returncode == 1


@pytest.mark.requirement("R-D1", "R-D6")
def test_a_call_prints_its_answer_for_a_person_and_as_a_conversation(tmp_path: Path) -> None:
    token = run(tmp_path, "token", "create", "--name", "t").stdout.strip()
    with running(tmp_path, "hub", "--demo", "--port", "0") as (_, line):
        assert line
        as_person = run(tmp_path, "call", LIST, "--json", CCWEB_TOKEN=token)
        titles = {c["title"] for c in json.loads(as_person.stdout)["conversations"]}
        as_planner = run(tmp_path, "call", LIST, "-", "--as", "conv_planner", given="{}")
        before = run(tmp_path, "call", LIST, "--as", "conv_planner", "--json", '{"limit":1}')
        refused = run(tmp_path, "call", "no_such_tool", "--json", CCWEB_TOKEN=token)
        tokens = json.loads(run(tmp_path, "token", "list", "--json").stdout)
    assert titles == {"Planner", "Builder", "Reviewer"}
    assert as_planner.returncode == 0
    assert len(json.loads(before.stdout)["conversations"]) == 1
    assert refused.returncode == 1
    assert [t["name"] for t in tokens] == ["t"], "a call as a conversation leaves no token"


@pytest.mark.requirement("R-D6")
def test_a_call_needs_a_credential(tmp_path: Path) -> None:
    ended = run(tmp_path, "call", LIST)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (1, "", 1)


def test_a_call_without_a_hub_says_so(tmp_path: Path, free_port: int) -> None:
    ended = run(tmp_path, "call", LIST, "--json", CCWEB_TOKEN="ccw_x", CCWEB_PORT=str(free_port))
    assert ended.returncode == 1
    assert json.loads(ended.stdout)["error_code"] == "unavailable"


@pytest.mark.requirement("R-A5")
def test_the_doctor_tells_what_is_missing_and_what_to_do(tmp_path: Path, free_port: int) -> None:
    ended = run(
        tmp_path,
        "doctor",
        "--json",
        PATH="/usr/bin:/bin",
        HOME=str(tmp_path),
        CCWEB_PORT=str(free_port),
        CCWEB_CLAUDE_PATH="",
        CCWEB_CODEX_PATH="",
    )
    found = {one["check"]: one for one in json.loads(ended.stdout)}
    assert ended.returncode == 0
    assert [found[name]["state"] for name in ("ccweb", "data", "port")] == ["ok"] * 3
    assert found["claude"]["state"] == found["codex"]["state"] == "note"
    assert "npm install" in found["codex"]["detail"]


@pytest.mark.requirement("R-A5")
def test_the_doctor_tells_version_and_login_of_each_program(tmp_path: Path) -> None:
    data = tmp_path / "data"
    programs = {
        "CCWEB_CLAUDE_PATH": str(install(tmp_path, "claude", "2.1.332 (Claude Code)")),
        "CCWEB_CODEX_PATH": str(install(tmp_path, "codex", "codex-cli 0.171.0")),
    }
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "auth.json").write_text("no doctor reads this")
    (tmp_path / ".codex" / "auth.json").chmod(0)
    ended = run(data, "doctor", "--json", HOME=str(tmp_path), CODEX_HOME="", **programs)
    found = {one["check"]: one for one in json.loads(ended.stdout)}
    assert found["claude"]["detail"] == f"2.1.332, {programs['CCWEB_CLAUDE_PATH']}"
    assert [found[f"{name} login"]["state"] for name in ("claude", "codex")] == ["note", "ok"]
    assert "log in" in found["claude login"]["detail"]
    assert not (data / "look").exists()


@pytest.mark.requirement("R-A5")
def test_the_doctor_says_of_a_program_what_the_page_says(tmp_path: Path) -> None:
    old = install(tmp_path, "codex", "codex-cli 0.9.9")
    ended = run(tmp_path / "data", "doctor", "--json", CCWEB_CODEX_PATH=str(old))
    found = {one["check"]: one for one in json.loads(ended.stdout)}
    problem = why_too_old(Settings(), CODEX, "0.9.9")
    assert problem is not None
    assert (ended.returncode, found["codex"]["state"]) == (1, "problem")
    assert found["codex"]["detail"] == problem.text


@pytest.mark.requirement("R-A5")
def test_the_doctor_tells_what_each_host_offers(tmp_path: Path) -> None:
    with running(tmp_path, "host") as (_, host_id):
        ended = run(tmp_path, "doctor", "--json")
    found = [one for one in json.loads(ended.stdout) if one["check"] == "host"]
    assert [(one["state"], host_id in one["detail"]) for one in found] == [("ok", True)]


@pytest.mark.requirement("R-A5")
def test_the_doctor_reaches_a_running_hub(tmp_path: Path) -> None:
    with running(tmp_path, "hub", "--port", "0") as (_, line):
        assert line
        found = {
            one["check"]: one["state"]
            for one in json.loads(run(tmp_path, "doctor", "--json").stdout)
        }
    assert found["mcp"] == "ok"


@pytest.mark.requirement("R-A5")
def test_the_doctor_finds_a_hub_that_does_not_answer(tmp_path: Path, free_port: int) -> None:
    (tmp_path / "hub-url").write_text(f"http://127.0.0.1:{free_port}\n")
    ended = run(tmp_path, "doctor")
    assert ended.returncode == 1
    assert "ccweb serve" in ended.stdout


@pytest.mark.requirement("R-A5")
@pytest.mark.parametrize("url", ["hub", "http://127.0.0.1:many", "http://["])
def test_the_doctor_names_an_address_that_is_none_as_a_problem(tmp_path: Path, url: str) -> None:
    ended = run(tmp_path, "doctor", "--json", CCWEB_URL=url, HOME=str(tmp_path))
    found = {one["check"]: one["state"] for one in json.loads(ended.stdout)}
    assert (ended.returncode, found["mcp"]) == (1, "problem")


@pytest.mark.requirement("R-A5")
def test_foreign_entries_of_our_name_are_told_and_never_touched(tmp_path: Path) -> None:
    claude = tmp_path / ".claude.json"
    claude.write_text(json.dumps({"mcpServers": {"ccweb": {"command": "/opt/other"}}}))
    (tmp_path / ".codex").mkdir()
    codex = tmp_path / ".codex" / "config.toml"
    codex.write_text('[mcp_servers.ccweb]\ncommand = "ccweb"\nargs = ["mcp"]\n')
    before = (claude.read_bytes(), codex.read_bytes())
    ended = run(tmp_path / "data", "doctor", "--json", HOME=str(tmp_path), CODEX_HOME="")
    entries = [one for one in json.loads(ended.stdout) if one["check"] == "mcp entry"]
    assert len(entries) == 1
    assert str(claude) in entries[0]["detail"]
    assert (claude.read_bytes(), codex.read_bytes()) == before
