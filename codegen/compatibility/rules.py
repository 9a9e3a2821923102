"""The rules of `breaking`: what each of them finds, whom it breaks, and what makes it safe."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """What a finding means for a thread that loaded the last published contract."""

    BREAKING = "breaking"
    """It would break; the change is refused."""
    BEHAVIOUR = "behaviour"
    """It goes on and may do something else; the changelog must say so."""
    EXPIRED = "expired"
    """It would break, and its time, which the contract had set, is over."""
    SAFE = "safe"
    """It goes on as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of change."""

    level: Level
    finds: str
    why: str
    """Which client breaks, and how."""
    safe: str
    """The declaration that makes it safe, or what to do instead."""
    example: str
    """A change that it finds."""


_OLD_NAME = (
    "Keep the name as an alias, with fixed arguments where it stood for less: "
    "`aliases: {NAME: {tool, fixed, since, reason, notice}}`; or keep the tool, `deprecated`."
)
_NEW_FIELD = "Give the new meaning a new argument or a new value, and leave the old one as it is."
_NO_STRICTER = (
    "Take what was taken; refuse in the handler, with an error code, what cannot be done."
)
_OPEN_ENUM = (
    "Declare the enum `open: true` before it is published first; afterwards answer old clients "
    "with a value that they know and put the news into a new field."
)

RULES: Mapping[str, Rule] = {
    "TOOL_REMOVED": Rule(
        level=Level.BREAKING,
        finds="A published tool is gone, and no alias has its name.",
        why="A thread keeps its list of tools and goes on calling the name, which is unknown now.",
        safe=_OLD_NAME,
        example="`board_get` is taken out of `tools`",
    ),
    "ALIAS_REMOVED": Rule(
        level=Level.BREAKING,
        finds="An old name that calls could still use is gone.",
        why="A stored Codex App thread offers the name for ever; other clients until they reload.",
        safe="Keep it. Where no Codex App thread can hold it, set `removeAfter` and wait for it.",
        example="`talk_shout` is taken out of `aliases`",
    ),
    "ALIAS_CHANGED": Rule(
        level=Level.BREAKING,
        finds="A name leads to another tool or fixes other arguments than before.",
        why="The same call by an old thread would do something that its description does not say.",
        safe="Leave the alias as it is; new callers use the tool itself.",
        example="`fixed: { mode: loud }` becomes `fixed: { mode: quiet }`",
    ),
    "SURFACE_LEFT": Rule(
        level=Level.BREAKING,
        finds="A tool can no longer be called through a surface.",
        why="Clients of that surface hold the tool and are answered that it is unknown.",
        safe="Keep the group's surfaces. `deprecated` takes the tool off the lists and answers it.",
        example="the group's `surfaces` lose `dynamic`",
    ),
    "ADDRESS_CHANGED": Rule(
        level=Level.BREAKING,
        finds="The contract's name, the namespace of dynamic tools or the HTTP path is another.",
        why="Allow lists name `mcp__NAME__tool`, threads keep the namespace, scripts the path.",
        safe="Keep it.",
        example="`path: /tools/{tool}` becomes `path: /call/{tool}`",
    ),
    "INPUT_FIELD_REMOVED": Rule(
        level=Level.BREAKING,
        finds="An argument is gone.",
        why="Arguments that are not named are refused, and old threads still send this one.",
        safe="Renamed: `fieldAliases: {OLD: {field, since, reason}}`. Dropped: `$deprecated`.",
        example="`toWhom` is taken out of the input",
    ),
    "INPUT_FIELDS_MERGED": Rule(
        level=Level.BREAKING,
        finds="Two arguments that a call could send together are one.",
        why="Of a call that sends both, one is dropped, and nobody is told.",
        safe="Keep both; `$deprecated` takes one of them off the lists.",
        example="`cc` becomes an old name of `toWhom`, which was there as well",
    ),
    "INPUT_REQUIRED_ADDED": Rule(
        level=Level.BREAKING,
        finds="An argument that calls could leave out is required.",
        why="An old thread leaves it out and is refused, without ever having read of it.",
        safe="`legacyDefaults: {FIELD: {value, since, reason, notice}}`",
        example="`required: [words]` becomes `required: [words, mode]`",
    ),
    "INPUT_TYPE_NARROWED": Rule(
        level=Level.BREAKING,
        finds="An argument has another type; integer to number is the one that is safe.",
        why="What old threads send is refused.",
        safe=_NEW_FIELD,
        example="`type: string` becomes `type: integer`",
    ),
    "INPUT_ENUM_NARROWED": Rule(
        level=Level.BREAKING,
        finds="A value that an argument could have is gone, or a free text became an enum.",
        why="Old threads still choose the value.",
        safe="Keep the value, `deprecated` in its enum: calls may send it and no list shows it.",
        example="`quiet` is taken out of `enums.Mode`",
    ),
    "INPUT_LIMIT_NARROWED": Rule(
        level=Level.BREAKING,
        finds="A limit of an argument is tighter, or new.",
        why="What was within the limit is refused.",
        safe=_NO_STRICTER,
        example="`maxLength: 200` becomes `maxLength: 100`",
    ),
    "INPUT_FORM_NARROWED": Rule(
        level=Level.BREAKING,
        finds="An argument has a new or another pattern or format.",
        why="No one can tell that every text that was taken still is.",
        safe=_NO_STRICTER,
        example="`format: uri` is added",
    ),
    "INPUT_DEFAULT_CHANGED": Rule(
        level=Level.BREAKING,
        finds="An argument that is left out stands for something else.",
        why="The same call does something else, and the caller has read the old default.",
        safe=_NEW_FIELD,
        example="`default: quiet` becomes `default: loud`",
    ),
    "OUTPUT_FIELD_REMOVED": Rule(
        level=Level.BREAKING,
        finds="A part of the answer is gone.",
        why="Agents and scripts read it; a client that checks answers refuses one without it.",
        safe="Keep giving it, `$deprecated` with `removeAfter`, and wait.",
        example="`said` is taken out of the output",
    ),
    "OUTPUT_REQUIRED_DROPPED": Rule(
        level=Level.BREAKING,
        finds="A part of the answer that was always there can be missing.",
        why="A client that checks answers against the list that it loaded refuses one without it.",
        safe="Keep giving it, with an empty value where there is none.",
        example="`required: [said]` is taken out of the output",
    ),
    "OUTPUT_TYPE_WIDENED": Rule(
        level=Level.BREAKING,
        finds="A part of the answer has another type; number to integer is the one that is safe.",
        why="Clients read it as what they loaded.",
        safe="Give the new form a new field.",
        example="`type: boolean` becomes `type: string`",
    ),
    "OUTPUT_ENUM_WIDENED": Rule(
        level=Level.BREAKING,
        finds="A part of the answer can have a value that no old list names.",
        why="A client that checks answers refuses it, and the call looks as if it had failed.",
        safe=_OPEN_ENUM,
        example="`blue` is added to `enums.Colour`",
    ),
    "OUTPUT_LIMIT_WIDENED": Rule(
        level=Level.BREAKING,
        finds="A limit of a part of the answer is wider, or gone.",
        why="A client that checks answers refuses what lies outside the limit that it loaded.",
        safe="Stay within the limit; publish answers without limits.",
        example="`maxItems: 10` becomes `maxItems: 20`",
    ),
    "OUTPUT_FORM_WIDENED": Rule(
        level=Level.BREAKING,
        finds="A part of the answer has no or another pattern or format.",
        why="Clients take it for what the old form says.",
        safe="Give the new form a new field.",
        example="`format: date-time` is taken away",
    ),
    "ERROR_CODE_REMOVED": Rule(
        level=Level.BREAKING,
        finds="An error code is gone.",
        why="Clients and prompts act on the code; what they meet instead, they do not know.",
        safe="Keep the code; `deprecated` with `removeAfter` announces its end.",
        example="`bad_mode` is taken out of `errors`",
    ),
    "END_BROUGHT_FORWARD": Rule(
        level=Level.BREAKING,
        finds="What was to be taken until a release is to be taken for a shorter time.",
        why="Those who call it were told that they had until then.",
        safe="Leave `removeAfter` as it was published, or take it away.",
        example="`removeAfter: 2.0.0` becomes `removeAfter: 1.5.0`",
    ),
    "RELEASE_LOWERED": Rule(
        level=Level.BREAKING,
        finds="The release is lower than the published one.",
        why="`removeAfter` counts in releases, and what is old since one would be so no more.",
        safe="Give it the release that the product goes out with next.",
        example="`release: 1.4.0` becomes `release: 1.3.0`",
    ),
    "ERROR_STATUS_CHANGED": Rule(
        level=Level.BREAKING,
        finds="An error code has another HTTP status.",
        why="Scripts decide by the status whether to call again.",
        safe="Give the new case a new code.",
        example="`status: 400` becomes `status: 409`",
    ),
    "INPUT_DEFAULT_ADDED": Rule(
        level=Level.BEHAVIOUR,
        finds="An argument that could be left out has a default, which no list told before.",
        why="If the tool did something else without it, the same call does another thing now.",
        safe="Let the default be what the tool did, and say it in the changelog.",
        example="`toWhom` gets `default: all`",
    ),
    "TEXT_CHANGED": Rule(
        level=Level.BEHAVIOUR,
        finds="A text that models read is another: a description, a prompt or a remedy.",
        why="Models act on texts: threads before and after the change behave differently.",
        safe="Say it in the changelog: a line under `Contract` that names what it is of.",
        example="the description of `talk_say` is reworded",
    ),
    "ANNOTATION_CHANGED": Rule(
        level=Level.BEHAVIOUR,
        finds="A hint of MCP is another.",
        why="Clients ask, or do not ask, a person because of the hint that they loaded.",
        safe="Say it in the changelog.",
        example="`readOnly: true` becomes `readOnly: false`",
    ),
    "REFUSAL_CHANGED": Rule(
        level=Level.BEHAVIOUR,
        finds="A tool can be refused with a new code, or an argument's code is another.",
        why="A thread meets a refusal that its list did not announce.",
        safe="Say it in the changelog.",
        example="`errors: [bad_mode]` becomes `errors: [bad_mode, broken]`",
    ),
    "TOOL_ADDED": Rule(
        level=Level.SAFE,
        finds="There is a new tool, or an old name for one.",
        why="Old threads do not know it.",
        safe="Nothing is to be done.",
        example="`board_move` is added to `tools`",
    ),
    "SURFACE_JOINED": Rule(
        level=Level.SAFE,
        finds="A tool can be called through one more surface.",
        why="Old threads do not know it.",
        safe="Nothing is to be done.",
        example="the group's `surfaces` gain `dynamic`",
    ),
    "INPUT_WIDENED": Rule(
        level=Level.SAFE,
        finds="Calls may send more than before.",
        why="Old threads send what they always did.",
        safe="Nothing is to be done.",
        example="the optional argument `tone` is added",
    ),
    "OUTPUT_EXTENDED": Rule(
        level=Level.SAFE,
        finds="The answer holds more, or promises more, than before.",
        why="Answers are published open: old clients take what they do not know.",
        safe="Nothing is to be done.",
        example="`saidAt` is added to the output",
    ),
    "ERROR_CODE_ADDED": Rule(
        level=Level.SAFE,
        finds="There is a new error code.",
        why="Only the tools that name it can be refused with it, and each of those is told of.",
        safe="Nothing is to be done.",
        example="`too_late` is added to `errors`",
    ),
    "DECLARED": Rule(
        level=Level.SAFE,
        finds="Something would break, and a declaration of the contract makes it safe.",
        why="Old calls are still taken and mean what they meant.",
        safe="Nothing is to be done.",
        example="`mode` becomes required and has a legacy default",
    ),
}
"""Every rule by its id, the breaking ones first. The ids are stable."""

WHEN_IT_ENDS = frozenset(
    {
        "TOOL_REMOVED",
        "ALIAS_REMOVED",
        "SURFACE_LEFT",
        "INPUT_FIELD_REMOVED",
        "INPUT_REQUIRED_ADDED",
        "INPUT_ENUM_NARROWED",
        "OUTPUT_FIELD_REMOVED",
        "ERROR_CODE_REMOVED",
    }
)
"""What may come after `removeAfter`: something old goes. That it means another thing never may."""
