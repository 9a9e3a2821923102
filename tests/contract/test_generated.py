"""The committed output is what the contract renders to, and importing it is cheap and safe."""

import subprocess
import sys

import pytest

from tests.contract.surfaces import GENERATED, ROOT


@pytest.mark.requirement("R-C4", "R-C3", "AC6")
def test_all_that_is_generated_and_the_readme_blocks_agree_with_the_contract() -> None:
    command = [sys.executable, "-m", "codegen", "--check"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stdout) == (0, "")


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh process has imported after a statement."""
    code = (
        f"import sys\n{statement}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    )
    command = [
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path.insert(0, {str(GENERATED)!r})\n{code}",
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return set(run.stdout.split())


@pytest.mark.requirement("R-C5")
def test_the_package_imports_nothing_heavy_but_pydantic_in_models_alone() -> None:
    light = modules_after(
        "from ccweb_contract import aliases, enums, errors, prompts, tools, version"
    )
    heavy = modules_after("from ccweb_contract import models")

    forbidden = {"mcp", "mcp_types", "yaml", "jinja2", "codegen", "ccweb", "jsonschema_rs"}
    assert light & (forbidden | {"pydantic"}) == set()
    assert heavy & forbidden == set()
    assert "pydantic" in heavy
