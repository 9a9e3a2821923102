"""Every file keeps the form of the house: names, sizes, docstrings, nothing of one machine."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ("ccweb", "codegen", "tests", "scripts")
KEPT_HIDDEN = {".ci", ".gitattributes", ".gitignore"}
MADE = {"__pycache__", "build", "dist", "out", "node_modules"}
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
FUNCTION_LINES = 50
MODULE_LINES = 400
REGISTRIES = ("pypi", "pythonhosted", "npmjs", "deb.debian", "files.python", "crates")
MACHINE_PATH = re.compile(r"(?<![\w.\-/])/(?:work|root|home/\w+|Users/\w+|opt/\w+)/[\w.]")
REGISTRY_HOST = re.compile(rf"\b(?:{'|'.join(map(re.escape, REGISTRIES))})\.(?:org|com|io)\b")
INDEX_OPTION = re.compile(r"--(?:extra-)?index-url|--find-links|--trusted-host")


def our_files(folder: Path = ROOT) -> Iterator[Path]:
    """Yield the files that a clone holds: all but hidden and made ones."""
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") and path.name not in KEPT_HIDDEN
        if hidden or path.name in MADE or path.suffix == ".pyc":
            continue
        if path.is_dir():
            yield from our_files(path)
        else:
            yield path


def modules() -> list[Path]:
    """Return the modules that people read on; a migration is a list of steps, written once."""
    python = [path for name in CODE for path in our_files(ROOT / name) if path.suffix == ".py"]
    return [path for path in python if path.parent.name != "versions"]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_file_names_a_folder_of_one_machine_or_a_package_registry() -> None:
    found = []
    for path in our_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        for pattern in (MACHINE_PATH, REGISTRY_HOST, INDEX_OPTION):
            found += [f"{relative(path)}: {hit.group()}" for hit in pattern.finditer(text)]
    this = relative(Path(__file__))
    assert [hit for hit in found if not hit.startswith(this)] == []


@pytest.mark.parametrize("text", ["see /home/ada/x", "'/root/.cache/x'", "=/Users/ada/lib"])
def test_a_folder_of_one_machine_is_recognised(text: str) -> None:
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize(
    "text", ["../root/x", "ccweb/home/page.html", "https://x/work/", "/rootless"]
)
def test_other_paths_are_not_taken_for_one(text: str) -> None:
    assert not MACHINE_PATH.search(text)


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = [path for path in modules() if {path.stem, path.parent.name} & VAGUE_NAMES]
    assert named == []


def test_no_module_is_longer_than_its_limit() -> None:
    lengths = {relative(path): len(path.read_text().splitlines()) for path in modules()}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES} == {}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_function_is_longer_than_its_limit() -> None:
    long = [
        f"{relative(path)}:{node.lineno} {node.name}"
        for path in modules()
        for node in functions(path)
        if (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    ]
    assert long == []


def test_every_module_says_in_its_first_line_what_it_holds() -> None:
    silent = []
    for path in modules():
        tree = ast.parse(path.read_text())
        first = (ast.get_docstring(tree) or "").partition("\n")[0]
        if tree.body and not first.endswith((".", "?", "!")):
            silent.append(relative(path))
    assert silent == []


@pytest.mark.requirement("AC7")
def test_git_finds_no_wrong_whitespace_or_conflict_marker() -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout")
    empty_tree = _git("hash-object", "-t", "tree", "--stdin").stdout.strip()
    assert _git("diff", "--check", empty_tree).stdout == ""


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, input="", capture_output=True, text=True, timeout=30)
