"""Asks as the page shows them: what is asked, where, and what has been decided by whom."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam

from ccweb.access.model import Browser
from ccweb.asks import forms
from ccweb.asks.forms import Form
from ccweb.asks.model import Ask
from ccweb.asks.rules import ABOUT_BLUEPRINTS, ASKED_BY_AGENTS
from ccweb.asks.store import ask_of
from ccweb.db.sql import text
from ccweb.errors import AskNotFound
from ccweb.hub import toolcalls
from ccweb.hub.forms import Filled, filled
from ccweb.hub.toolcalls import Part
from ccweb.planning.projects import service as projects
from ccweb_contract.enums import AskKind, AskStatus, PermissionAnswer, ReplyStatus

_ASKED: Final = """
    SELECT a.id, a.kind, a.status, a.conversation_id, a.subject, a.turn_id, a.parent_request_id,
        a.detail, a.created_at, a.closed_at, a.closed_by, a.answer, k.title, p.name AS person
    FROM ask a LEFT JOIN conversation k ON k.id = a.conversation_id
    LEFT JOIN person p ON p.id = a.closed_by"""

_OF_TURNS = text(f"{_ASKED} WHERE a.turn_id IN :ids ORDER BY a.position").bindparams(
    bindparam("ids", expanding=True)
)

_FORMS_OF_NO_TURN = text(f"""{_ASKED}
    WHERE a.conversation_id = :id AND a.kind = :form AND a.turn_id IS NULL
    AND a.created_at >= :since AND a.created_at < :until ORDER BY a.position""")

_BY_ID = text(f"{_ASKED} WHERE a.id = :id")

_OPEN = text(f"{_ASKED} WHERE a.status = :open AND k.deleted_at IS NULL ORDER BY a.position")

_PROJECTS = text("SELECT id, project_id FROM artifact WHERE id IN :ids").bindparams(
    bindparam("ids", expanding=True)
)

_ABOVE = text("""
    WITH RECURSIVE up (ask_id, request_id) AS (
        SELECT id, parent_request_id FROM ask
        WHERE status = 'open' AND parent_request_id IS NOT NULL
        UNION
        SELECT up.ask_id, r.parent_request_id FROM up
        JOIN pending_reply r ON r.request_id = up.request_id
        WHERE r.parent_request_id IS NOT NULL AND r.status IN (:waiting, :ready))
    SELECT ask_id, request_id FROM up""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of an agent."""

    key: str
    text: str
    options: Sequence[tuple[str, str]]
    """What can be chosen, each with what it means; empty for a free answer."""
    multiple: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An ask with the names that belong to it."""

    ask: Ask
    title: str
    """Of the conversation that asks, or of the work item whose blueprint does."""
    person: str | None
    """Who has decided it."""

    @property
    def open(self) -> bool:
        """Tell whether it waits for a decision."""
        return self.ask.status is AskStatus.OPEN

    @property
    def by_agent(self) -> bool:
        """Tell whether an agent waits for the answer in the middle of its turn."""
        return self.ask.kind in ASKED_BY_AGENTS

    @property
    def is_form(self) -> bool:
        """Tell whether it is a form, which stays open when the turn that asked has ended."""
        return self.ask.kind is AskKind.FORM

    @property
    def about_blueprint(self) -> bool:
        """Tell whether it is decided on the page of a blueprint."""
        return self.ask.kind in ABOUT_BLUEPRINTS

    @property
    def url(self) -> str:
        """Return where a person finds what is asked."""
        if self.about_blueprint:
            return f"/blueprints/{self.ask.subject}"
        return f"/conversations/{self.ask.conversation_id}"

    @property
    def by_itself(self) -> bool:
        """Tell whether it shows all that its answer needs, and is not just resumed or dismissed."""
        return self.by_agent or self.is_form

    @property
    def form(self) -> Form:
        """Return the form that it is."""
        return forms.read(self.ask.detail)

    @property
    def filled(self) -> list[Filled]:
        """Return the fields of an answered form with their answers; none of a declined one."""
        answers = (self.ask.answer or {}).get("answers")
        return [] if answers is None else filled(self.form, answers)

    @property
    def tool(self) -> str:
        """Return the tool that a permission is for."""
        return toolcalls.readable_name(str(self.ask.detail.get("tool", "")))

    @property
    def brief(self) -> str:
        """Return what is asked in one line."""
        detail = self.ask.detail
        if self.ask.kind is AskKind.QUESTION:
            return " ".join(question.text for question in self.questions)
        if self.is_form:
            return str(detail["title"])
        said = str(detail.get("title") or toolcalls.brief(str(detail.get("input", ""))))
        return said.removeprefix(f"{detail.get('tool', '')}: ")

    @property
    def title_tells(self) -> bool:
        """Tell whether the one line says what the input does not."""
        if self.ask.kind is AskKind.QUESTION:
            return False
        said = " ".join(self.brief.removesuffix("…").split())
        shown = " ".join([self.tool, *(f"{part.label} {part.text}" for part in self.parts)])
        return said not in " ".join(shown.split())

    @property
    def parts(self) -> list[Part]:
        """Return the input of what a permission is for."""
        return toolcalls.parts(self.ask.detail.get("input"))

    @property
    def what(self) -> str:
        """Return what can be allowed for the whole conversation, '' where nothing can."""
        return str(self.ask.detail.get("what", ""))

    @property
    def questions(self) -> list[Question]:
        """Return what an agent wants to know."""
        return [_question(one) for one in self.ask.detail.get("questions", ())]

    @property
    def decision(self) -> str:
        """Return how it was decided, as a key of the page's words."""
        if self.ask.answer is None:
            return "dismissed" if self.ask.closed_by else "withdrawn"
        if self.ask.kind is AskKind.PERMISSION:
            return PermissionAnswer(self.ask.answer["decision"]).value
        return "declined" if self.ask.answer["answers"] is None else "answered"

    @property
    def note(self) -> str:
        """Return what the person said to the agent."""
        return str((self.ask.answer or {}).get("note", ""))

    @property
    def answers(self) -> list[tuple[str, str]]:
        """Return each question with its answer."""
        given = (self.ask.answer or {}).get("answers") or {}
        return [
            (question.text, _joined(given[question.key]))
            for question in self.questions
            if question.key in given
        ]


def of_turns(c: Connection, turn_ids: Sequence[str]) -> list[Asked]:
    """Return what the agents of these turns have asked, open or decided."""
    rows = c.execute(_OF_TURNS, {"ids": list(turn_ids)})
    return [one for one in map(_asked, rows) if one.by_itself]


def forms_of_no_turn(
    c: Connection, conversation_id: str, *, since_ms: int, until_ms: int
) -> list[Asked]:
    """Return the forms that a conversation has asked for from outside its turns in a time."""
    values = {
        "id": conversation_id,
        "form": AskKind.FORM.value,
        "since": since_ms,
        "until": until_ms,
    }
    return [_asked(row) for row in c.execute(_FORMS_OF_NO_TURN, values)]


def every_open(c: Connection) -> list[Asked]:
    """Return everything that waits for a person, oldest first: "Needs you"."""
    return [_asked(row) for row in c.execute(_OPEN, {"open": AskStatus.OPEN.value})]


def open_in(c: Connection, conversation_id: str) -> list[Asked]:
    """Return what a conversation waits for."""
    return [one for one in every_open(c) if one.ask.conversation_id == conversation_id]


def needs(c: Connection, who: Browser) -> list[Asked]:
    """Return what waits for this person: each blueprint once, and only those that they may read.

    What an agent asks about a blueprint is the same decision that the blueprint itself asks for.
    """
    found = every_open(c)
    asking = {one.ask.subject for one in found if one.about_blueprint}
    if not asking:
        return found
    own = {one.ask.subject for one in found if one.about_blueprint and not one.ask.conversation_id}
    readable = _readable(c, who, asking)
    return [one for one in found if not one.about_blueprint or _is_listed(one, own, readable)]


def _is_listed(one: Asked, own: Collection[str], readable: Collection[str]) -> bool:
    """Tell whether what is asked about a blueprint stands in a person's list."""
    told_already = one.ask.conversation_id and one.ask.subject in own
    return one.ask.subject in readable and not told_already


def _readable(c: Connection, who: Browser, artifact_ids: Collection[str]) -> set[str]:
    projects_of = c.execute(_PROJECTS, {"ids": list(artifact_ids)})
    open_to = {project.id for project in projects.readable(c, who)}
    return {row.id for row in projects_of if row.project_id in open_to}


def one(c: Connection, ask_id: str) -> Asked:
    """Return an ask.

    Raises:
        AskNotFound: there is none with this id.
    """
    row = c.execute(_BY_ID, {"id": ask_id}).one_or_none()
    if row is None:
        raise AskNotFound(ask_id=ask_id)
    return _asked(row)


def by_request(c: Connection) -> dict[str, list[Asked]]:
    """Return the open asks by each request that cannot be answered before they are."""
    states = {"waiting": ReplyStatus.WAITING.value, "ready": ReplyStatus.READY.value}
    above = c.execute(_ABOVE, states).all()
    if not above:
        return {}
    asked = {one.ask.id: one for one in every_open(c)}
    found: dict[str, list[Asked]] = {}
    for row in above:
        if row.ask_id in asked:
            found.setdefault(row.request_id, []).append(asked[row.ask_id])
    return found


def _question(given: Mapping[str, Any]) -> Question:
    return Question(
        key=str(given["key"]),
        text=str(given["text"]),
        options=[
            (str(option["label"]), str(option.get("description") or ""))
            for option in given.get("options") or ()
        ],
        multiple=bool(given.get("multiple")),
    )


def _joined(given: str | list[str]) -> str:
    return given if isinstance(given, str) else ", ".join(given)


def _asked(row: Row[Any]) -> Asked:
    ask = ask_of(row)
    return Asked(ask=ask, title=row.title or str(ask.detail.get("title", "")), person=row.person)
