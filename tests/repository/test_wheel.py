"""The wheel holds the product and its generated contract, whole, and nothing of development."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-c", BUILD, str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def files_below(package: Path) -> set[str]:
    """Return the files of a package as a wheel names them."""
    return {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_every_file_of_the_two_packages_and_no_other(wheel_names: set[str]) -> None:
    held = {name for name in wheel_names if ".dist-info/" not in name}
    packages = files_below(ROOT / "ccweb") | files_below(ROOT / "generated/ccweb_contract")
    assert held == packages


@pytest.mark.parametrize(
    ("folder", "suffix"),
    [
        ("ccweb/hub/templates/", ".html"),
        ("ccweb/hub/static/", ".css"),
        ("ccweb/hub/static/", ".js"),
        ("ccweb/db/", ".py"),
        ("ccweb_contract/", ".js"),
        ("ccweb_contract/", "openapi.json"),
        ("ccweb_contract/", "py.typed"),
        ("ccweb/", "py.typed"),
    ],
)
def test_the_wheel_holds_what_the_product_reads_at_run_time(
    wheel_names: set[str], folder: str, suffix: str
) -> None:
    assert any(name.startswith(folder) and name.endswith(suffix) for name in wheel_names)
