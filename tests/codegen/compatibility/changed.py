"""For each rule of `breaking` a change of the small contract that it finds, and what is safe."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from codegen.compatibility.comparison import Finding, findings
from codegen.compatibility.held import present
from codegen.compatibility.snapshot import Snapshot
from codegen.compilation import load
from tests.codegen.projects import FIXTURE, ROOT

GONE: Final = object()
"""Takes a value out of the contract."""
Edits = Mapping[str, Any]
"""What stands at a place of the contract, by its path with dots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A change that one rule finds."""

    place: str
    change: Edits
    before: Edits = field(default_factory=dict)
    """What the published contract had otherwise than the small one."""
    safe: Edits | None = None
    """The same wish in a way that breaks nothing; None where the change breaks nothing itself."""
    safe_release: str | None = None
    """The release in which the change breaks nothing any more; None where that is no way."""


def edited(contract: Mapping[str, Any], edits: Edits) -> dict[str, Any]:
    """Return a contract with other values at some places."""
    changed = copy.deepcopy(dict(contract))
    for path, value in edits.items():
        *way, last = path.split(".")
        place = changed
        for key in way:
            place = place.setdefault(key, {})
        if value is GONE:
            del place[last]
        else:
            place[last] = copy.deepcopy(value)
    return changed


def small_contract() -> dict[str, Any]:
    """Return the small contract."""
    contract: dict[str, Any] = yaml.load(FIXTURE.read_text(), Loader=yaml.CSafeLoader)
    return contract


def held(contract: Mapping[str, Any], folder: Path) -> Snapshot:
    """Return what a thread holds that loads a contract.

    Args:
        contract: Its values.
        folder: An empty folder, or one that may be written over.
    """
    folder.mkdir(exist_ok=True)
    (folder / "tools.schema.json").write_bytes(
        (ROOT / "contract" / "tools.schema.json").read_bytes()
    )
    # JSON is YAML as well, and never has YAML's aliases, which a contract cannot have.
    (folder / "tools.yaml").write_text(json.dumps(contract, ensure_ascii=False, indent=1))
    return present(folder, load(folder))


def between(before: Mapping[str, Any], after: Mapping[str, Any], folder: Path) -> list[Finding]:
    """Return the changes from one contract to another."""
    return findings(held(before, folder), held(after, folder))


OLD = {"since": "1.4.0", "reason": "It is not used."}
ENDED = {**OLD, "removeAfter": "1.5.0"}
NOTICED = {"since": "1.4.0", "reason": "It was optional.", "notice": "notice_mode"}
TEXT = {"en": "Something new.", "zh": "新内容。"}
SAY = "tools.talk_say"
SAY_IN = f"{SAY}.input.properties"
BOARD = "tools.board_get"
BOARD_IN = f"{BOARD}.input.properties"
MEDIA = "tools.media_show"
NEW_TOOL = {
    "group": "board",
    "title": TEXT,
    "summary": TEXT,
    "description": "Move a card.",
    "input": {"type": "object", "properties": {}},
    "output": {"$ref": "Card"},
    "annotations": dict.fromkeys(("readOnly", "destructive", "idempotent", "openWorld"), False),
    "errors": [],
    "examples": [{"input": {}, "output": {"cardId": "c1", "colour": "red"}}],
}
SAY_TO_ALL = [
    {"input": {"words": "Hello", "mode": "loud", "toWhom": "all"}, "output": {"said": True}}
]
A_LINK = {"type": "string", "description": "Where it is.", "format": "uri"}
A_NAME = {"type": "string", "description": "Who did it."}

CASES: Mapping[str, Case] = {
    "TOOL_REMOVED": Case(
        place=MEDIA,
        change={MEDIA: GONE},
        safe={
            MEDIA: GONE,
            "aliases.media_show": {
                "tool": "form_ask",
                "fixed": {"title": "Picture"},
                "since": "1.4.0",
                "reason": "A picture is a form now.",
                "notice": "notice_mode",
            },
            "objects.Question.properties.path": A_NAME,
        },
    ),
    "ALIAS_REMOVED": Case(
        place="tools.board_read",
        before={
            "aliases.board_read": {
                "tool": "board_get",
                "fixed": {},
                "since": "1.4.0",
                "removeAfter": "1.5.0",
                "reason": "It has a shorter name.",
                "notice": "notice_mode",
            }
        },
        change={"aliases.board_read": GONE},
        safe_release="1.5.1",
    ),
    "ALIAS_CHANGED": Case(
        place="tools.talk_shout",
        change={"aliases.talk_shout.fixed": {"mode": "quiet"}},
        safe={"aliases.talk_scream": {**small_contract()["aliases"]["talk_shout"]}},
    ),
    "SURFACE_LEFT": Case(
        place=MEDIA,
        change={"groups.media.surfaces": ["mcp", "composer"]},
        safe={f"{MEDIA}.deprecated": OLD},
    ),
    "ADDRESS_CHANGED": Case(
        place="address.path",
        change={"http.path": "/call/{tool}"},
        safe={"http.path": "/tools/{tool}"},
    ),
    "INPUT_FIELD_REMOVED": Case(
        place=f"{SAY}.input.toWhom",
        change={f"{SAY_IN}.toWhom": GONE, f"{SAY}.fieldAliases": GONE},
        safe={f"{SAY_IN}.toWhom.$deprecated": OLD},
    ),
    "INPUT_FIELDS_MERGED": Case(
        place=f"{SAY}.input.cc",
        before={f"{SAY_IN}.cc": A_NAME},
        change={f"{SAY_IN}.cc": GONE, f"{SAY}.fieldAliases.cc": {"field": "toWhom", **OLD}},
        safe={f"{SAY_IN}.cc.$deprecated": OLD},
    ),
    "INPUT_REQUIRED_ADDED": Case(
        place=f"{SAY}.input.toWhom",
        change={
            f"{SAY}.input.required": ["words", "mode", "toWhom"],
            f"{SAY}.examples": SAY_TO_ALL,
        },
        safe={
            f"{SAY}.input.required": ["words", "mode", "toWhom"],
            f"{SAY}.examples": SAY_TO_ALL,
            f"{SAY}.legacyDefaults.toWhom": {"value": "all", **NOTICED},
        },
    ),
    "INPUT_TYPE_NARROWED": Case(
        place=f"{BOARD}.input.limit",
        before={f"{BOARD_IN}.limit.type": "number"},
        change={f"{BOARD_IN}.limit.type": "integer"},
        safe={f"{BOARD_IN}.count": {"type": "integer", "description": "How many."}},
    ),
    "INPUT_ENUM_NARROWED": Case(
        place=f"{SAY}.input.mode=whispered",
        before={"enums.Mode.values.whispered": TEXT},
        change={"enums.Mode.values.whispered": GONE},
        safe={"enums.Mode.deprecated": {"whispered": OLD}},
    ),
    "INPUT_LIMIT_NARROWED": Case(
        place=f"{BOARD}.input.limit",
        change={f"{BOARD_IN}.limit.maximum": 100},
        safe={f"{BOARD_IN}.limit.minimum": 0},
    ),
    "INPUT_FORM_NARROWED": Case(
        place=f"{MEDIA}.input.path",
        change={f"{MEDIA}.input.properties.path.pattern": "[.]png$"},
        safe={f"{MEDIA}.errors": ["bad_mode"]},
    ),
    "INPUT_DEFAULT_CHANGED": Case(
        place=f"{BOARD}.input.limit",
        change={f"{BOARD_IN}.limit.default": 50},
        safe={
            f"{BOARD_IN}.pageSize": {"type": "integer", "default": 50, "description": "How many."}
        },
    ),
    "OUTPUT_FIELD_REMOVED": Case(
        place=f"{SAY}.output.saidBy",
        before={f"{SAY}.output.properties.saidBy": {**A_NAME, "$deprecated": ENDED}},
        change={f"{SAY}.output.properties.saidBy": GONE},
        safe_release="1.5.1",
    ),
    "OUTPUT_REQUIRED_DROPPED": Case(
        place=f"{SAY}.output.said",
        change={f"{SAY}.output.required": []},
        safe={f"{SAY}.output.properties.saidBy": A_NAME},
    ),
    "OUTPUT_TYPE_WIDENED": Case(
        place=f"{SAY}.output.said",
        change={
            f"{SAY}.output.properties.said.type": "string",
            f"{SAY}.examples": [
                {"input": {"words": "Hello", "mode": "loud"}, "output": {"said": "yes"}}
            ],
        },
        safe={f"{SAY}.output.properties.howSaid": A_NAME},
    ),
    "OUTPUT_ENUM_WIDENED": Case(
        place=f"{BOARD}.output.cards[].colour=blue",
        change={"enums.Colour.values.blue": TEXT},
        safe={"enums.Mode.values.whispered": TEXT},
    ),
    "OUTPUT_LIMIT_WIDENED": Case(
        place=f"{BOARD}.output.cards",
        before={f"{BOARD}.output.properties.cards.maxItems": 10},
        change={f"{BOARD}.output.properties.cards.maxItems": 20},
        safe={f"{BOARD}.output.properties.cards.maxItems": 5},
    ),
    "OUTPUT_FORM_WIDENED": Case(
        place=f"{SAY}.output.link",
        before={f"{SAY}.output.properties.link": A_LINK},
        change={f"{SAY}.output.properties.link.format": GONE},
        safe={f"{SAY}.output.properties.place": A_NAME},
    ),
    "ERROR_CODE_REMOVED": Case(
        place="errors.too_late",
        before={
            "errors.too_late": {"status": 409, "meaning": TEXT, "remedy": TEXT, "deprecated": ENDED}
        },
        change={"errors.too_late": GONE},
        safe_release="1.5.1",
    ),
    "END_BROUGHT_FORWARD": Case(
        place=MEDIA,
        before={f"{MEDIA}.deprecated": {**OLD, "removeAfter": "2.0.0"}},
        change={f"{MEDIA}.deprecated.removeAfter": "1.5.0"},
        safe={f"{MEDIA}.deprecated.removeAfter": "3.0.0"},
    ),
    "RELEASE_LOWERED": Case(
        place="address.release",
        change={"release": "1.3.9"},
        safe={"release": "1.10.0"},
    ),
    "ERROR_STATUS_CHANGED": Case(
        place="errors.bad_mode",
        change={"errors.bad_mode.status": 409},
        safe={"errors.bad_time": {"status": 409, "meaning": TEXT, "remedy": TEXT}},
    ),
    "INPUT_DEFAULT_ADDED": Case(
        place=f"{SAY}.input.toWhom", change={f"{SAY_IN}.toWhom.default": "all"}
    ),
    "TEXT_CHANGED": Case(
        place=f"{MEDIA}.description", change={f"{MEDIA}.description": "Show one picture."}
    ),
    "ANNOTATION_CHANGED": Case(
        place=f"{MEDIA}.annotations", change={f"{MEDIA}.annotations.readOnly": True}
    ),
    "REFUSAL_CHANGED": Case(place=f"{MEDIA}.errors", change={f"{MEDIA}.errors": ["bad_mode"]}),
    "TOOL_ADDED": Case(place="tools.board_move", change={"tools.board_move": NEW_TOOL}),
    "SURFACE_JOINED": Case(
        place=MEDIA, change={"groups.media.surfaces": ["mcp", "dynamic", "composer", "http"]}
    ),
    "INPUT_WIDENED": Case(place=f"{BOARD}.input.who", change={f"{BOARD_IN}.who": A_NAME}),
    "OUTPUT_EXTENDED": Case(
        place=f"{SAY}.output.saidBy", change={f"{SAY}.output.properties.saidBy": A_NAME}
    ),
    "ERROR_CODE_ADDED": Case(
        place="errors.too_late",
        change={"errors.too_late": {"status": 409, "meaning": TEXT, "remedy": TEXT}},
    ),
    "DECLARED": Case(place=MEDIA, change={f"{MEDIA}.deprecated": OLD}),
}
