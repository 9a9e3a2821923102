"""Programs from npm are installed once, whole or not at all, or it is said what is missing."""

from pathlib import Path

import pytest

from scripts import install_node_tools
from scripts.install_node_tools import InstallError, Tool, install, main, program

TOOL = Tool(name="tool", packages=("@some/tool@1.2.3", "other@4"), programs=("bin/tool", "bin/x*"))
NPM = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != --prefix ]; do shift; done
mkdir "$2/bin" && touch "$2/bin/tool" {more}
exit {code}
"""


@pytest.fixture
def npm_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an npm of ours on PATH, an empty cache beside it, and return what npm is called with."""
    monkeypatch.setenv("CCWEB_TOOLS_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'npm'}:/usr/bin:/bin")
    monkeypatch.setattr(install_node_tools, "TOOLS", (TOOL,))
    an_npm(tmp_path)
    return tmp_path / "log"


def an_npm(folder: Path, *, more: str = '"$2/bin/x1"', code: int = 0) -> None:
    (folder / "npm").mkdir(exist_ok=True)
    npm = folder / "npm" / "npm"
    npm.write_text(NPM.format(log=folder / "log", more=more, code=code))
    npm.chmod(0o755)


def in_cache(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "cache").iterdir())


def test_a_tool_is_installed_once_at_its_exact_versions(tmp_path: Path, npm_log: Path) -> None:
    install(TOOL)
    install(TOOL)
    [call] = npm_log.read_text().splitlines()
    assert call.endswith(" @some/tool@1.2.3 other@4")
    assert in_cache(tmp_path) == ["tool-1.2.3-4"]
    assert program("tool") == tmp_path / "cache" / "tool-1.2.3-4" / "bin" / "tool"


@pytest.mark.parametrize(
    ("more", "code", "says"), [('"$2/bin/x1"', 3, "exit code 3"), ("", 0, "without")]
)
def test_what_npm_leaves_half_done_is_not_kept(
    tmp_path: Path, npm_log: Path, more: str, code: int, says: str
) -> None:
    an_npm(tmp_path, more=more, code=code)
    with pytest.raises(InstallError, match=says):
        install(TOOL)
    assert in_cache(tmp_path) == []
    with pytest.raises(InstallError, match="not installed"):
        program("tool")


def test_an_installation_by_somebody_else_meanwhile_is_taken(tmp_path: Path, npm_log: Path) -> None:
    other = tmp_path / "cache" / "tool-1.2.3-4" / "bin"
    an_npm(tmp_path, more=f'"$2/bin/x1"; mkdir -p {other}; touch {other}/tool {other}/x2')
    install(TOOL)
    assert in_cache(tmp_path) == ["tool-1.2.3-4"]
    assert (other / "x2").exists()


@pytest.mark.usefixtures("npm_log")
def test_a_machine_without_npm_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([]) == 1
    assert capsys.readouterr().err == f"{install_node_tools.NO_NPM}\n"


@pytest.mark.usefixtures("npm_log")
def test_a_name_of_no_tool_is_a_wrong_usage() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nothing"])
    assert ended.value.code == 2


def test_every_package_has_an_exact_version() -> None:
    for tool in install_node_tools.TOOLS:
        versions = [package.rpartition("@")[2] for package in tool.packages]
        assert [version for version in versions if version.count(".") < 2] == []
