"""Evidence: an agent's research answer, read, checked and cut to what a plan can hold."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import jsonschema_rs

from ccweb.planning.model import Evidence

MOST_FILES: Final = 50
MOST_QUESTIONS: Final = 20
MOST_STEPS: Final = 50
MOST_REASONS: Final = 20
_TEXT_LENGTH: Final = 4000
_LINE_LENGTH: Final = 1000
_PATH_LENGTH: Final = 1000
_NAMED_IN_FAULT: Final = 5

_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "responsibility": {"type": "string"},
        "fitness": {
            "type": "object",
            "properties": {"belongs": {"type": "boolean"}, "reasons": _TEXTS},
            "required": ["belongs", "reasons"],
        },
        "current_state_summary": {"type": "string"},
        "evidence_files": _TEXTS,
        "questions": _TEXTS,
        "steps": _TEXTS,
    },
    "required": [
        "responsibility",
        "fitness",
        "current_state_summary",
        "evidence_files",
        "questions",
        "steps",
    ],
}
"""What `prompts.research_brief` asks for; what an answer holds besides is left aside."""
_VALIDATOR: Final = jsonschema_rs.validator_for(dict(SCHEMA))

_FENCE: Final = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,})([^\n`]*)$", re.MULTILINE)
_TOKEN: Final = re.compile(r'\\.|["{}\n]')
_POSITION: Final = re.compile(r"(?::\d+(?:[-:,]\d+)*|#L\d+(?:-L?\d+)?)$")
_UNCLEAN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an answer, in a sentence for the agent that gave it."""

    sentence: str


def parse(answer: str, root: Path) -> Evidence | Fault:
    """Return what an answer says about the repository in a folder, or what is wrong with it.

    Looked at is the last fenced block that holds an object, else the last object of the text.
    """
    if not _is_there(root):
        return Fault("The folder of the repository is not there.")
    found = _last_block(answer) or _last_object(answer)
    if found is None:
        return Fault("It holds no JSON object.")
    try:
        given = json.loads(found)
    except (ValueError, RecursionError) as failed:
        return Fault(f"Its JSON cannot be read ({str(failed)[:100]}).")
    return _wrong_form(given) or _evidence(given, root)


def missing(evidence: Evidence) -> tuple[str, ...]:
    """Return which of the parts are empty that a person needs before they decide (R-P5)."""
    parts = {
        "responsibility": evidence.responsibility,
        "fitness.reasons": evidence.reasons,
        "current_state_summary": evidence.current_state_summary,
    }
    return tuple(name for name, value in parts.items() if not value)


def _is_there(root: Path) -> bool:
    try:
        return root.is_dir()
    except OSError:
        return False


def _last_block(answer: str) -> str | None:
    """Return the last fenced block that begins like an object, closed or not."""
    fence, start = "", 0
    last = None
    for found in _FENCE.finditer(answer):
        if not fence:
            fence, start = found[1], found.end()
        elif found[1].startswith(fence) and not found[2].strip():
            last = _object(answer, start, found.start()) or last
            fence = ""
    return (_object(answer, start, len(answer)) if fence else None) or last


def _object(answer: str, start: int, end: int) -> str | None:
    text = answer[start:end].strip()
    return text if text.startswith("{") else None


def _last_object(answer: str) -> str | None:
    """Return the last balanced object, outermost, in one pass over the text."""
    open_at: list[int] = []
    closed: list[tuple[int, int]] = []
    quoted = False
    for found in _TOKEN.finditer(answer):
        match found[0]:
            case "\n":
                quoted = False
            case '"':
                quoted = not quoted and bool(open_at)
            case "{" if not quoted:
                open_at.append(found.start())
            case "}" if open_at and not quoted:
                start = open_at.pop()
                while closed and closed[-1][0] > start:
                    closed.pop()
                closed.append((start, found.end()))
    return answer[slice(*closed[-1])] if closed else None


def _wrong_form(given: Any) -> Fault | None:
    try:
        error = next(_VALIDATOR.iter_errors(given), None)
    except ValueError:
        return Fault("Its JSON holds half of a character.")
    if error is None:
        return None
    place = ".".join(str(step) for step in error.instance_path) or "The object"
    return Fault(f"{place} has the wrong form: {error.message[:200]}.")


def _evidence(given: Mapping[str, Any], root: Path) -> Evidence | Fault:
    files: list[str] = []
    absent: list[str] = []
    for name in islice(given["evidence_files"], MOST_FILES):
        path = _inside(name, root)
        if path is None:
            absent.append(_line(name)[:200])
        else:
            files.append(path)
    if absent:
        names = ", ".join(absent[:_NAMED_IN_FAULT])
        return Fault(f"These are no files of the repository: {names}.")
    return Evidence(
        responsibility=_text(given["responsibility"]),
        belongs=given["fitness"]["belongs"],
        reasons=_lines(given["fitness"]["reasons"], MOST_REASONS),
        current_state_summary=_text(given["current_state_summary"]),
        evidence_files=tuple(dict.fromkeys(files)),
        questions=_lines(given["questions"], MOST_QUESTIONS),
        steps=_lines(given["steps"], MOST_STEPS),
    )


def _inside(name: str, root: Path) -> str | None:
    """Return a file's path from the root; None when there is no such file inside it."""
    home = root.resolve()
    for written in _readings(name[:_PATH_LENGTH].strip().strip("`'\"")):
        try:
            path = (home / written).resolve()
            if path.is_relative_to(home) and path.is_file():
                inside = path.relative_to(home).as_posix()
                inside.encode()  # a link may lead to a name that is no text
                return inside
        except (OSError, ValueError):
            continue
    return None


def _readings(written: str) -> Iterator[str]:
    """Yield what a path may be meant as: as it is, without a line number, with other slashes."""
    yield written
    yield _POSITION.sub("", written)
    yield _POSITION.sub("", written.replace("\\", "/"))


def _lines(texts: Sequence[str], most: int) -> tuple[str, ...]:
    return tuple(islice(filter(None, _shortened(texts)), most))


def _shortened(texts: Iterable[str]) -> Iterator[str]:
    return (_line(text) for text in texts)


def _line(text: str) -> str:
    return " ".join(_UNCLEAN.sub(" ", text[: 2 * _LINE_LENGTH]).split())[:_LINE_LENGTH].rstrip()


def _text(text: str) -> str:
    return _UNCLEAN.sub(" ", text[: 2 * _TEXT_LENGTH]).strip()[:_TEXT_LENGTH].rstrip()
