"""What the documents tell a reader to type or to open works, in both languages."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import jsonschema_rs
import pytest

from ccweb.cli import arguments
from ccweb_contract.tools import TOOLS, ToolName

ROOT = Path(__file__).resolve().parents[2]
READMES = (ROOT / "README.md", ROOT / "README.zh.md")
DOCUMENTS = (*READMES, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)")
COMMAND = re.compile(r"(?:^|\$\()(ccweb .*?)(?:\)|$)", re.MULTILINE)

REQUEST = re.compile(r"/api/mcp/tools/(\w+)/.*?-d '(\{.*?\})'$", re.MULTILINE | re.DOTALL)


def fences(path: Path) -> list[tuple[str, str]]:
    """Return language and text of each fenced block, without comments in the reader's language."""
    found = FENCE.findall(path.read_text())
    return [
        (language, re.sub(r" *# .*$", "", text, flags=re.MULTILINE)) for language, text in found
    ]


def commands(path: Path) -> Iterator[list[str]]:
    """Yield the arguments of each `ccweb` command in the shell blocks of a page."""
    for language, text in fences(path):
        if language == "sh":
            for line in COMMAND.findall(text.replace("\\\n", " ")):
                yield shlex.split(line)[1:]


def calls(path: Path) -> list[tuple[str, str]]:
    """Return tool and arguments of each call that a page shows, by command or by HTTP."""
    parsed = [arguments.parse(command) for command in commands(path) if command[0] == "call"]
    return [(call.tool, call.arguments) for call in parsed] + REQUEST.findall(path.read_text())


def slug(heading: str) -> str:
    """Return the anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.requirement("AC6")
@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_the_command_line_takes_every_command_of_the_readme(path: Path) -> None:
    taken = [arguments.parse(command) for command in commands(path)]
    assert len(taken) >= 3


@pytest.mark.requirement("AC6")
@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_every_call_of_the_readme_fits_its_tools_schema(path: Path) -> None:
    shown = calls(path)
    assert len(shown) >= 3
    for tool, given in shown:
        jsonschema_rs.validate(dict(TOOLS[ToolName(tool)].input_schema), json.loads(given or "{}"))


def test_both_languages_show_the_same_examples() -> None:
    english, chinese = (fences(path) for path in READMES)
    assert chinese == english


def test_both_languages_have_the_same_sections() -> None:
    english, chinese = (re.findall(r"^#+ ", p.read_text(), re.MULTILINE) for p in READMES)
    assert chinese == english


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target, anchor in LINK.findall(path.read_text()):
        page = (path.parent / target) if target else path
        assert page.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
            assert anchor in [slug(heading) for heading in headings]


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_every_picture_is_there_and_says_what_it_shows(path: Path) -> None:
    text = path.read_text()
    shown = re.findall(r'<(?:img|source)[^>]* src(?:set)?="([^"]+)"', text)
    assert shown
    assert [name for name in shown if not (ROOT / name).exists()] == []
    assert text.count("<img ") == len(re.findall(r'<img [^>]*alt="[^"]+"', text))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_target_that_is_named_exists(path: Path) -> None:
    named = set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", path.read_text(), re.MULTILINE))
    there = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named <= there


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_page_shouts_or_decorates(path: Path) -> None:
    assert re.findall(r"[\u2013\u2014\u2600-\u27bf\U0001f300-\U0001faff]", path.read_text()) == []
