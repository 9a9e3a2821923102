"""The home of Codex under ccweb takes over what is the person's and changes nothing of it."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ccweb.conversations.model import TurnFacts
from ccweb.host.codex.home import TOKEN, CodexHome, home_of, native, noted, stored_tools
from ccweb.settings import Settings

THREAD = "01a22cf2-c7ac-7330-adb5-0284e84161af"
PLACE = Path("sessions", "2026", "11", "30", f"rollout-2026-11-30T14-53-58-{THREAD}.jsonl")
CONFIG = """
model = "mine"
[model_providers.p]
env_key = "MY_KEY"
env_http_headers = { "X-Org" = "MY_ORG" }
[mcp_servers.ccweb]
command = "ccweb"
[mcp_servers.other]
url = "http://127.0.0.1:1/mcp"
bearer_token_env_var = "MY_TOKEN"
env_vars = ["MY_VAR", "CCWEB_TOKEN"]
"""


@pytest.fixture
def home(tmp_path: Path) -> CodexHome:
    (tmp_path / "person").mkdir()
    return CodexHome(folder=tmp_path / "ours", person=tmp_path / "person")


def contents(folder: Path) -> dict[str, str]:
    found = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): path.read_text() for path in found if path.is_file()}


def copied(home: CodexHome) -> dict[str, Any]:
    return tomllib.loads((home.folder / "config.toml").read_text())


@pytest.mark.requirement("R-A2")
def test_settings_are_copied_without_an_entry_of_our_name(home: CodexHome) -> None:
    (home.person / "config.toml").write_text(CONFIG)
    home.prepare()
    assert copied(home)["model"] == "mine"
    assert list(copied(home)["mcp_servers"]) == ["other"]
    assert contents(home.person) == {"config.toml": CONFIG}


@pytest.mark.requirement("R-A2")
def test_a_later_change_of_the_settings_counts_from_the_next_process_on(home: CodexHome) -> None:
    home.prepare()
    assert "model" not in copied(home)
    (home.person / "config.toml").write_text('model = "new"')
    home.prepare()
    assert copied(home)["model"] == "new"


@pytest.mark.requirement("R-D6")
def test_no_command_that_codex_runs_sees_the_credential(home: CodexHome) -> None:
    policy = '[shell_environment_policy]\ninherit = "core"\nset = { MINE = "1" }\n'
    (home.person / "config.toml").write_text(policy)
    home.prepare()
    assert copied(home)["shell_environment_policy"] == {
        "inherit": "core",
        "set": {"MINE": "1", TOKEN: ""},
    }


@pytest.mark.parametrize("wrong", ["model = ", "mcp_servers = 1", 'shell_environment_policy = "x"'])
def test_settings_that_are_wrong_are_left_for_codex_to_complain_of(
    home: CodexHome, wrong: str
) -> None:
    (home.person / "config.toml").write_text(wrong)
    home.prepare()
    assert (home.folder / "config.toml").read_text() == wrong


@pytest.mark.requirement("R-S1")
def test_the_settings_and_the_home_are_for_their_owner_alone(home: CodexHome) -> None:
    (home.person / "config.toml").write_text(CONFIG)
    home.prepare()
    assert home.folder.stat().st_mode & 0o077 == 0
    assert (home.folder / "config.toml").stat().st_mode & 0o077 == 0


@pytest.mark.requirement("R-A2")
def test_the_login_is_a_link_so_that_a_renewed_one_is_the_persons_too(home: CodexHome) -> None:
    (home.person / "auth.json").write_text("{}")
    home.prepare()
    (home.folder / "auth.json").write_text('{"renewed": true}')
    assert (home.person / "auth.json").read_text() == '{"renewed": true}'
    (home.person / "auth.json").unlink()
    home.prepare()
    assert not (home.folder / "auth.json").is_symlink()


@pytest.mark.requirement("R-A2")
def test_codex_writes_beside_the_persons_skills_and_rules_and_not_into_them(
    home: CodexHome,
) -> None:
    (home.person / "skills" / "mine").mkdir(parents=True)
    (home.person / "skills" / "mine" / "SKILL.md").write_text("s")
    (home.person / "rules").mkdir()
    (home.person / "rules" / "default.rules").write_text("r")
    before = contents(home.person)
    home.prepare()
    (home.folder / "skills" / ".system").mkdir()
    (home.folder / "rules" / "default.rules").write_text("r and more")
    assert (home.folder / "skills" / "mine" / "SKILL.md").read_text() == "s"
    assert contents(home.person) == before
    home.prepare()
    assert (home.folder / "rules" / "default.rules").read_text() == "r"
    assert (home.folder / "skills" / ".system").is_dir()


def test_a_skill_that_is_gone_is_gone_here_too(home: CodexHome) -> None:
    (home.person / "skills").mkdir()
    (home.person / "skills" / "one.md").write_text("1")
    home.prepare()
    (home.person / "skills" / "one.md").unlink()
    home.prepare()
    assert list((home.folder / "skills").iterdir()) == []


@pytest.mark.requirement("R-D6")
def test_a_process_knows_the_variables_that_the_settings_name_and_no_secret_of_ours(
    home: CodexHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("MY_KEY", "MY_ORG", "MY_TOKEN", "MY_VAR", "OPENAI_API_KEY", "MY_OTHER", TOKEN)
    for name in given:
        monkeypatch.setenv(name, name.lower())
    (home.person / "config.toml").write_text(CONFIG)
    env = home.prepare()
    assert {name for name in given if name in env} == set(given[:5])
    assert env["CODEX_HOME"] == str(home.folder)


def test_the_persons_home_is_where_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = Settings(data_dir=tmp_path)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    assert home_of(s).person == Path.home() / ".codex"
    monkeypatch.setenv("CODEX_HOME", "/elsewhere")
    assert home_of(s) == CodexHome(folder=tmp_path / "codex", person=Path("/elsewhere"))


@pytest.mark.requirement("R-A2")
def test_a_thread_of_the_persons_is_copied_once_and_then_ours(home: CodexHome) -> None:
    theirs = home.person / PLACE
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    ours = home.rollout(THREAD)
    assert ours == home.folder / PLACE
    ours.write_text("ours")
    assert home.rollout(THREAD) == ours
    assert (theirs.read_text(), ours.read_text()) == ("theirs", "ours")
    theirs.write_text("theirs, further on")
    assert home.rollout(THREAD, forks=True) == ours
    assert ours.read_text() == "theirs, further on"


@pytest.mark.parametrize("thread_id", [THREAD, "", "*", "../x", "a/b"])
def test_a_thread_that_is_nowhere_is_not_found(home: CodexHome, thread_id: str) -> None:
    assert home.rollout(thread_id) is None


def a_rollout(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "rollout.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def entry(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **payload}}


@pytest.mark.requirement("R-A2")
@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ([{"name": "a"}, {"name": "b"}], {"a", "b"}),
        ([{"type": "namespace", "name": "n", "tools": [{"name": "a"}]}, {"name": "b"}], {"a", "b"}),
        ([], set()),
        (None, set()),
    ],
)
def test_the_dynamic_tools_of_a_thread_are_known_in_both_forms(
    tmp_path: Path, tools: Any, names: set[str]
) -> None:
    first = {"type": "session_meta", "payload": {"dynamic_tools": tools}}
    assert stored_tools(a_rollout(tmp_path, first)) == names


@pytest.mark.requirement("R-A2")
def test_the_last_that_is_noted_counts(tmp_path: Path) -> None:
    usage = {"input_tokens": 3, "cached_input_tokens": 2, "output_tokens": 1}
    limits = {"primary": {"used_percent": 1.0}}
    rollout = a_rollout(
        tmp_path,
        {"type": "turn_context", "payload": {"model": "old"}},
        {"type": "turn_context", "payload": {"model": "new"}},
        entry("token_count", info={"total_token_usage": usage}, rate_limits=None),
        entry("task_complete", error={"message": "no", "codex_error_info": "other"}),
        entry("token_count", info=None, rate_limits=limits),
        entry("agent_message", message="token_count task_complete turn_context"),
    )
    with rollout.open("a") as file:
        file.write('{"type": "event_msg", "payload": {"type": "token_count", ')
    found = noted(rollout)
    assert found.used == TurnFacts(model="new", input_tokens=3, cached_tokens=2, output_tokens=1)
    assert found.limits == limits
    assert found.error == {"message": "no", "codex_error_info": "other"}


def test_a_file_that_says_nothing_has_nothing_used(tmp_path: Path) -> None:
    assert noted(a_rollout(tmp_path)).used.input_tokens == 0


def a_package(folder: Path, place: str) -> tuple[Path, Path]:
    """Install a package as npm does: a script that starts the program, and a link to it."""
    package = folder / "node_modules" / "@openai" / "codex"
    script, inside = package / "bin" / "codex.js", package / place
    for path in (script, inside / "codex-linux-x64" / "vendor" / "musl" / "bin" / "codex"):
        path.parent.mkdir(parents=True)
        path.touch(mode=0o755)
    link = folder / "codex"
    link.symlink_to(script)
    return link, path


@pytest.mark.parametrize("place", ["..", "node_modules/@openai"])
def test_the_program_itself_is_run_and_not_the_script_that_starts_it(
    tmp_path: Path, place: str
) -> None:
    link, program = a_package(tmp_path, place)
    assert Path(native(link)).resolve() == program.resolve()


def test_any_other_program_is_run_as_it_is_named(tmp_path: Path) -> None:
    link, program = a_package(tmp_path, "elsewhere")
    assert [native(link), native("no-such-codex")] == [str(link), "no-such-codex"]
    assert native(program) == str(program)
