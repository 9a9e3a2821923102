"""Answers of Feishu Project's Open API, read with care: every field may be missing or another."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ccweb.errors import Unavailable
from ccweb.planning.errors import WorkItemNotFound
from ccweb.planning.model import SpaceId, WorkItem
from ccweb_contract.enums import WorkItemSource

TOKEN_OVER: Final = frozenset({10021, 10022, 10211})
"""Codes by which a token that was good before is refused."""
_NOT_FOUND: Final = frozenset({13001, 30005})
_LONGEST_S: Final = 86_400
_DESCRIPTION: Final = "description"
_ABORTED: Final = "aborted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginToken:
    """A plugin's token."""

    value: str = field(repr=False)
    lasts_s: float


def code_of(answer: Mapping[str, Any]) -> int:
    """Return the code of a refusal, 0 for success, in either of the two envelopes."""
    for code in (answer.get("err_code"), _object(answer.get("error")).get("code")):
        if isinstance(code, int) and code:
            return code
    return 0


def token(answer: Mapping[str, Any]) -> PluginToken:
    """Return the token of a plugin.

    Raises:
        Unavailable: Feishu gives none.
    """
    data = _object(answer.get("data"))
    value, lasts = data.get("token"), data.get("expire_time")
    if code_of(answer) or not isinstance(value, str) or not value:
        raise _refused(answer, "a token of the plugin")
    lasts_s = max(0, min(lasts, _LONGEST_S)) if isinstance(lasts, int) else 0
    return PluginToken(value=value, lasts_s=lasts_s)


def work_item(answer: Mapping[str, Any], work_item_id: int, *, url: str) -> WorkItem:
    """Return the work item of a query's answer.

    Raises:
        WorkItemNotFound: there is none.
        Unavailable: Feishu refuses to say.
    """
    if code_of(answer) and code_of(answer) not in _NOT_FOUND:
        raise _refused(answer, "a work item")
    found = next((one for one in map(_object, _list(answer.get("data"))) if one), None)
    if found is None or found.get("id") != work_item_id:
        raise WorkItemNotFound(work_item_id=str(work_item_id))
    type_key = _text(found.get("work_item_type_key"))
    place = _text(found.get("simple_name")) or _text(found.get("project_key"))
    return WorkItem(
        source=WorkItemSource.FEISHU,
        space_id=SpaceId(_text(found.get("project_key"))),
        id=str(work_item_id),
        title=_text(found.get("name")),
        text=_description(found),
        state=_state(found),
        cancelled=_is_cancelled(found),
        url=f"{url.rstrip('/')}/{place}/{type_key}/detail/{work_item_id}",
        type=type_key,
    )


def _refused(answer: Mapping[str, Any], what: str) -> Unavailable:
    said = _text(answer.get("err_msg")) or _text(_object(answer.get("error")).get("msg"))
    return Unavailable(why=f"Feishu Project refuses {what}: {code_of(answer)} {said[:200]}".strip())


def _state(found: Mapping[str, Any]) -> str:
    status = _text(_object(found.get("work_item_status")).get("state_key"))
    return status or _text(found.get("sub_stage"))


def _is_cancelled(found: Mapping[str, Any]) -> bool:
    """Tell whether an item was aborted, Feishu's word for cancelled, or deleted."""
    aborted = _object(_field(found.get("fields"), _ABORTED)).get("is_aborted")
    return aborted is True or bool(found.get("deleted_at"))


def _description(found: Mapping[str, Any]) -> str:
    """Return the plain text of the description, from wherever this version of the API has it."""
    rich = _object(_field(found.get("multi_texts"), _DESCRIPTION))
    return _text(rich.get("doc_text")) or _text(_field(found.get("fields"), _DESCRIPTION))


def _field(pairs: Any, key: str) -> Any:
    """Return the value of a field in a list of keys and values."""
    for pair in map(_object, _list(pairs)):
        if pair.get("field_key") == key:
            return pair.get("field_value")
    return None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return a text that every column can hold."""
    if not isinstance(value, str):
        return ""
    return value.replace("\x00", "").encode(errors="replace").decode()
