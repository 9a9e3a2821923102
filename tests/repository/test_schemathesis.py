"""Schemathesis is installed once, whole or not at all, beside the packages of the product."""

import os
from pathlib import Path

import pytest

from scripts import install_schemathesis
from scripts.install_node_tools import InstallError
from scripts.install_schemathesis import PACKAGES, command, install

PIP = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/schemathesis/cli"
echo "no such version"
{last}
"""
WRITES = 'touch "$2/schemathesis/cli/__main__.py"'


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache of tools."""
    monkeypatch.setenv("CCWEB_TOOLS_DIR", str(tmp_path / "tools"))
    return tmp_path / "tools"


def a_pip(folder: Path, last: str) -> tuple[str, ...]:
    pip = folder / "pip"
    pip.write_text(PIP.format(log=folder / "log", last=last))
    pip.chmod(0o755)
    return (str(pip),)


def test_it_is_installed_once_at_exact_versions_and_called_with_its_own_packages(
    tmp_path: Path, tools: Path
) -> None:
    pip = a_pip(tmp_path, WRITES)
    install(pip)
    install(pip)
    [call] = (tmp_path / "log").read_text().splitlines()
    assert call.split()[-2:] == [*PACKAGES]
    assert all("==" in package for package in PACKAGES)
    [kept] = tools.iterdir()
    assert command()[1]["PYTHONPATH"].split(os.pathsep) == [str(kept)]


@pytest.mark.parametrize("last", ["exit 0", f"{WRITES}; exit 1"], ids=["nothing there", "failed"])
def test_what_pip_leaves_half_done_is_not_kept(tmp_path: Path, tools: Path, last: str) -> None:
    with pytest.raises(InstallError, match="no such version"):
        install(a_pip(tmp_path, last))
    assert list(tools.iterdir()) == []
    with pytest.raises(InstallError, match="not installed"):
        command()


@pytest.mark.usefixtures("tools")
def test_a_machine_without_it_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise InstallError("pip could not install schemathesis.")

    monkeypatch.setattr(install_schemathesis, "install", refuse)
    assert install_schemathesis.main() == 1
    assert "could not install" in capsys.readouterr().err
