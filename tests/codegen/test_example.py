"""The documented example runs, and nothing of this product is built into the compiler."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.__main__ import main
from tests.codegen.projects import ROOT

GUIDE = ROOT / "docs" / "contract.md"
EXAMPLE = ROOT / "docs" / "example-contract" / "tools.yaml"
COMMANDS = re.compile(r"<!-- example commands -->\n```sh\n(.*?)```\n", re.DOTALL)


def example_run(tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    """Run the commands of the guide as they stand there."""
    [commands] = COMMANDS.findall(GUIDE.read_text())
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return subprocess.run(
        ["/bin/sh", "-euc", commands],
        cwd=ROOT,
        env={"PATH": path, "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.requirement("R-C3")
def test_the_commands_of_the_guide_render_and_check_another_product(tmp_path: Path) -> None:
    done = example_run(tmp_path)

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "pantry_add"), done.stderr
    [package] = tmp_path.rglob("pantry_tools")
    assert package.parent.name == "generated"
    assert "pantry_cool   an old name of pantry_add" in done.stdout.splitlines()


def test_output_goes_beside_the_contract_and_never_into_another_checkout(tmp_path: Path) -> None:
    folder = tmp_path / "contract"
    folder.mkdir()
    shutil.copy(EXAMPLE, folder)
    shutil.copy(ROOT / "contract" / "tools.schema.json", folder)

    assert main(["--contract", str(folder)]) == 0

    assert (tmp_path / "generated" / "pantry_contract" / "tools.py").is_file()
    assert not (ROOT / "generated" / "pantry_contract").exists()


@pytest.mark.requirement("R-C3")
def test_the_product_s_own_contract_renders_under_a_second_package_name(tmp_path: Path) -> None:
    folder = tmp_path / "contract"
    shutil.copytree(ROOT / "contract", folder)
    for name in ("README.md", "README.zh.md"):
        shutil.copy(ROOT / name, tmp_path)

    assert main(["--contract", str(folder), "--package", "second_name"]) == 0

    files = {
        path.relative_to(tmp_path / "generated") for path in (tmp_path / "generated").rglob("*.py")
    }
    assert {path.parts[0] for path in files} == {"second_name"}
    texts = [(tmp_path / "generated" / path).read_text() for path in files]
    assert not [text for text in texts if "ccweb_contract" in text]


def names_of_ccweb() -> Iterator[str]:
    """Yield what only ccweb's contract knows: each name and each long wording of it."""
    contract: dict[str, Any] = yaml.safe_load((ROOT / "contract" / "tools.yaml").read_text())
    yield contract["name"]
    for section in ("tools", "aliases", "errors", "texts", "prompts", "groups", "enums", "objects"):
        yield from contract[section]
    for enum in contract["enums"].values():
        yield from (value for value in enum["values"] if "_" in value)
    for prompt in contract["prompts"].values():
        for wording in prompt["wording"].values():
            yield from (line.strip() for line in wording.splitlines() if len(line.split()) > 5)


def test_nothing_of_this_product_is_known_to_the_compiler() -> None:
    """A word of English may be a name of both; a tool, a code, an enum or a wording may not."""
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for path in (ROOT / "codegen").rglob("*")
        if path.suffix in (".py", ".j2")
    }
    assert len(sources) > 30
    names = [name for name in names_of_ccweb() if not name.isalpha() or name[0].isupper()]
    names += ["ccweb", "communication"]
    assert len(names) > 60
    known = [
        (file, name)
        for file, text in sources.items()
        for name in names
        if re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", text)
    ]
    assert known == []
