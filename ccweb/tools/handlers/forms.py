"""Forms: asking a person to fill one in, and looking at where it stands."""

from typing import Any

from ccweb.asks import forms
from ccweb.asks import store as asks
from ccweb.asks.errors import FormNotFound
from ccweb.asks.fields import Field
from ccweb.asks.model import Ask
from ccweb.clock import iso
from ccweb.errors import AskNotFound, Forbidden
from ccweb.relay import service as relay
from ccweb.tools.answer import Result
from ccweb.tools.context import Context
from ccweb_contract.enums import AskKind, FormStatus
from ccweb_contract.models import CcwebGetFormInput, CcwebRequestFormInput


def request(x: Context, given: CcwebRequestFormInput) -> Result:
    """Ask a person to fill in a form, for the conversation that calls."""
    x.check_turn()
    if x.source is None:
        raise Forbidden(why="A form brings its answers into a conversation, and you call as none.")
    detail = given.model_dump(mode="json", by_alias=True, exclude_unset=True)
    form_id = relay.request_form(x.c, x.m, x.source, detail)
    return {"formId": form_id, "status": FormStatus.WAITING.value}


def get_one(x: Context, given: CcwebGetFormInput) -> Result:
    """Look at a form of the conversation that calls; a person sees all."""
    ask = _visible(x, given.form_id)
    form, answer = forms.read(ask.detail), ask.answer or {}
    result: dict[str, Any] = {
        "formId": ask.id,
        "title": form.title,
        "status": forms.status_of(ask).value,
    }
    if answer.get("answers") is not None:
        result["answers"] = [_answered(field, answer["answers"]) for field in form.fields]
    elif answer.get("note"):
        result["reason"] = answer["note"]
    return result | ({"closedAt": iso(ask.closed_at)} if ask.closed_at else {})


def _visible(x: Context, form_id: str) -> Ask:
    try:
        ask = asks.get(x.c, form_id)
    except AskNotFound as error:
        raise FormNotFound(form_id=form_id) from error
    if ask.kind is not AskKind.FORM or x.conversation_id not in (None, ask.conversation_id):
        raise FormNotFound(form_id=form_id)
    return ask


def _answered(field: Field, answers: dict[str, Any]) -> dict[str, Any]:
    shown = {"name": field.name, "label": field.label, "type": field.type.value}
    value = answers.get(field.name)
    if value is None:
        return shown
    return shown | ({"value": value} if isinstance(value, str) else {"values": value})
