"""The demo agent's researcher: reads a working tree for real, word by word, and says what it shows.

It understands nothing: whatever it says about the work follows from words that files hold.
"""

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from ccweb.host.reading import fenced
from ccweb.planning.features import parsing as features
from ccweb.planning.features.classification import Classified, classify
from ccweb.planning.features.reading import Tree, read, text_of
from ccweb.planning.model import Feature
from ccweb_contract import prompts
from ccweb_contract.enums import ChangeType, Lang

_MOST_PARTS: Final = 20
_MOST_FILES: Final = 10
_MOST_QUESTIONS: Final = 2
_MOST_REASONS: Final = 5
_PART_LENGTH: Final = 200
_PURPOSE_LENGTH: Final = 400
_READMES: Final = {
    Lang.EN: ("README.md", "README.rst", "README.txt", "README", "readme.md"),
    Lang.ZH: ("README.zh.md", "README.zh-CN.md", "README_zh.md", "README.md", "readme.md"),
}
_NO_PARAGRAPH: Final = re.compile(r"[#<|>!\[\-*+=~`]|\d+\.|\.\. |:\w+:|.*\n[=\-~]{3,}$")

_HOLE: Final = "§hole§"
_WORK: Final = "§work§"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What has to be researched."""

    lang: Lang
    repository: str
    work: str
    """What has to be planned, with what people have remarked on earlier versions."""


def brief(prompt: str) -> Brief | None:
    """Return the research that a prompt asks for, None when it asks for something else."""
    for lang in Lang:
        if found := _brief_form(lang).search(prompt):
            remarks = fenced(prompt[found.end() :])
            work = "\n\n".join([found["work"], *remarks])
            return Brief(lang=lang, repository=found["repository"], work=work)
    return None


def is_again(prompt: str) -> bool:
    """Tell whether a prompt says that the research before it could not be used."""
    return any(prompts.research_again(lang, fault=_HOLE).split(_HOLE)[0] in prompt for lang in Lang)


@cache
def _brief_form(lang: Lang) -> re.Pattern[str]:
    """Return the form in which the contract words a brief, up to the end of the work."""
    worded = prompts.research_brief(lang, repository=_HOLE, work=_WORK, remarks=[])
    head = re.escape(worded.split(f"```text\n{_WORK}\n```")[0])
    repository = head.replace(re.escape(_HOLE), r"(?P<repository>[^\n]*)")
    work = r"(?P<fence>`{3,})text\n(?P<work>.*?)\n(?P=fence)$"
    return re.compile(repository + work, re.MULTILINE | re.DOTALL)


def answer(asked: Brief, root: Path) -> str:
    """Return what a working tree shows of a work; the same tree always shows the same."""
    tree = read(root)
    found = classify(_parts(asked.work), {asked.repository: tree}, asked.lang)
    result = json.dumps(_evidence(asked, tree, found), ensure_ascii=False, indent=2)
    return prompts.demo_research(
        asked.lang, repository=asked.repository, files=len(tree.files), result=result
    )


def _parts(work: str) -> Sequence[Feature]:
    """Return what the work asks for one by one: its features, else its lines."""
    listed = features.parse(work).items
    lines = dict.fromkeys(line.strip()[:_PART_LENGTH] for line in work.splitlines() if line.strip())
    named = (Feature(key=f"f{i}", module="", name=line) for i, line in enumerate(lines, start=1))
    return (listed or tuple(named))[:_MOST_PARTS]


def _evidence(asked: Brief, tree: Tree, found: Sequence[Classified]) -> dict[str, Any]:
    lang = asked.lang
    here = [one for one in found if one.change_type is not ChangeType.UNCLEAR]
    findings = [_finding(lang, one) for one in here]
    stranger = prompts.demo_research_stranger(lang)
    readme = [name for name in _READMES[lang] if name in tree.files][:1]
    files = dict.fromkeys(path for one in here for path in one.evidence_files)
    return {
        "responsibility": _purpose(asked, tree),
        "fitness": {"belongs": bool(here), "reasons": findings[:_MOST_REASONS] or [stranger]},
        "current_state_summary": "\n".join([_finding(lang, one) for one in found] or [stranger]),
        "evidence_files": list(files)[:_MOST_FILES] or readme,
        "questions": _questions(lang, found),
        "steps": [_step(lang, one) for one in here],
    }


def _finding(lang: Lang, one: Classified) -> str:
    return prompts.demo_research_finding(lang, name=one.feature.name, reason=one.reason)


def _questions(lang: Lang, found: Sequence[Classified]) -> list[str]:
    unclear = [one.feature.name for one in found if one.change_type is ChangeType.UNCLEAR]
    return [prompts.question_unclear(lang, name=name) for name in unclear[:_MOST_QUESTIONS]]


def _step(lang: Lang, one: Classified) -> str:
    is_there = one.change_type is ChangeType.MODIFY
    step = prompts.demo_research_change if is_there else prompts.demo_research_addition
    return step(lang, name=one.feature.name, location=one.suggested_location)


def _purpose(asked: Brief, tree: Tree) -> str:
    """Return what a repository says that it is for."""
    for name in (*_READMES[asked.lang], *_DESCRIBED):
        if name in tree.files:
            text = text_of(tree.root, name)
            described = _DESCRIBED.get(name, _first_paragraph)(text)
            if described:
                return described[:_PURPOSE_LENGTH]
    return prompts.demo_research_purpose(
        asked.lang, repository=asked.repository, files=len(tree.files)
    )


def _first_paragraph(text: str) -> str:
    """Return the first paragraph that is neither a title, a badge, a list nor a table."""
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        if block.strip() and not _NO_PARAGRAPH.match(block.strip()):
            return " ".join(block.split())
    return ""


def _from_pyproject(text: str) -> str:
    return _described(tomllib.loads, text, "project")


def _from_cargo(text: str) -> str:
    return _described(tomllib.loads, text, "package")


def _from_package(text: str) -> str:
    return _described(json.loads, text, None)


def _described(load: Callable[[str], Any], text: str, section: str | None) -> str:
    """Return the description of a manifest; empty when it is none."""
    try:
        manifest = load(text)
    except (ValueError, RecursionError):
        return ""
    for key in filter(None, (section, "description")):
        manifest = manifest.get(key, "") if isinstance(manifest, dict) else ""
    return " ".join(manifest.split()) if isinstance(manifest, str) else ""


_DESCRIBED: Final = {
    "pyproject.toml": _from_pyproject,
    "package.json": _from_package,
    "Cargo.toml": _from_cargo,
}
