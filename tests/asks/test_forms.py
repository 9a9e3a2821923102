"""Forms: which an agent may ask for, and which answers one accepts, in their one form as text."""

from decimal import Decimal
from typing import Any

import pytest

from ccweb.asks import forms
from ccweb.asks.errors import AnswersRefused
from ccweb.asks.fields import Fault, Problem
from ccweb.errors import ContentTooLarge, InvalidParams

COLOURS = [{"value": "red", "label": "Red"}, {"value": "blue"}, {"value": "green"}]
HOSTILE = "<script>alert(1)</script> \u202egnol\u202c a\u200bb \x1b[31m 𝕏 `` ``` {x} <<y>>"


def field(kind: str, **more: Any) -> dict[str, Any]:
    return {"name": "it", "label": "It", "type": kind} | more


def a_form(*fields: dict[str, Any]) -> forms.Form:
    return forms.read({"title": "Cards", "fields": list(fields)})


def accepted(given: Any, kind: str, **more: Any) -> Any:
    return forms.accept(a_form(field(kind, **more)), {"it": given}).get("it")


def problem(given: Any, kind: str, **more: Any) -> Problem:
    with pytest.raises(AnswersRefused) as refused:
        accepted(given, kind, **more)
    return refused.value.problems["it"]


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        ("text", HOSTILE, HOSTILE),
        ("text", "  as it is ", "  as it is "),
        ("text", "\u200b", "\u200b"),
        ("textarea", "one\ntwo\r\n三", "one\ntwo\r\n三"),
        ("number", "007.50", "7.5"),
        ("number", " -0.0 ", "0"),
        ("number", "+1e3", "1000"),
        ("number", ".5", "0.5"),
        ("number", 12, "12"),
        ("number", 1e-7, "0.0000001"),
        ("number", "0.1234567890123456789012345678901234", "0.1234567890123456789012345678901234"),
        ("date", " 2024-02-29 ", "2024-02-29"),
        ("boolean", True, "true"),
        ("boolean", False, "false"),
        ("boolean", "false", "false"),
    ],
)
def test_an_answer_is_kept_in_one_form_as_text(kind: str, given: Any, kept: str) -> None:
    assert accepted(given, kind) == kept
    assert accepted(kept, kind, required=True) == kept


@pytest.mark.requirement("R-U4")
def test_options_are_kept_by_their_value_in_the_order_of_the_form() -> None:
    assert accepted("red", "select", options=COLOURS) == "red"
    given = ["green", "red", "green"]
    assert accepted(given, "multiselect", options=COLOURS) == ["red", "green"]


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("nothing", [None, "", " \n\t "])
@pytest.mark.parametrize("kind", ["text", "textarea", "number", "date", "boolean", "select"])
def test_an_empty_answer_is_none_and_missing_where_one_is_required(kind: str, nothing: Any) -> None:
    more = {"options": COLOURS} if kind == "select" else {}
    form = a_form(field(kind, **more))
    assert forms.accept(form, {"it": nothing}) == forms.accept(form, {}) == {}
    assert problem(nothing, kind, required=True, **more) == Problem(fault=Fault.MISSING)


@pytest.mark.requirement("R-U4")
def test_of_a_list_nothing_chosen_is_no_answer_whatever_must_be_chosen_at_least() -> None:
    assert accepted([], "multiselect", options=COLOURS, fewest=2) is None
    found = problem([], "multiselect", options=COLOURS, required=True)
    assert found == Problem(fault=Fault.MISSING)


@pytest.mark.requirement("R-U4", "R-S4")
@pytest.mark.parametrize(
    ("given", "found", "kind", "limits"),
    [
        (1, Fault.KIND, "text", {}),
        (["a"], Fault.KIND, "textarea", {}),
        ("a\nb", Fault.ONE_LINE, "text", {}),
        ("a" * 201, (Fault.LONG, "200"), "text", {}),
        ("a" * 20001, (Fault.LONG, "20000"), "textarea", {}),
        ("𝕏" * 4, (Fault.LONG, "3"), "text", {"maxLength": 3}),
        (True, Fault.KIND, "number", {}),
        ("1,5", Fault.NUMBER, "number", {}),
        ("NaN", Fault.NUMBER, "number", {}),
        ("Infinity", Fault.NUMBER, "number", {}),
        ("1e999999999", Fault.NUMBER, "number", {}),
        ("١٢", Fault.NUMBER, "number", {}),
        (10**50, Fault.NUMBER, "number", {}),
        (float("inf"), Fault.NUMBER, "number", {}),
        ("1.5", Fault.WHOLE, "number", {"whole": True}),
        ("0.99", (Fault.SMALL, "1"), "number", {"minimum": 1.0}),
        ("3", (Fault.LARGE, "2.5"), "number", {"maximum": 2.5}),
        ("3", (Fault.LARGE, "2"), "number", {"maximum": 2.5, "whole": True}),
        (20240101, Fault.KIND, "date", {}),
        ("20240101", Fault.DAY, "date", {}),
        ("2023-02-29", Fault.DAY, "date", {}),
        ("2024-W01-1", Fault.DAY, "date", {}),
        ("0000-01-01", Fault.DAY, "date", {}),
        ("2024-01-01", (Fault.EARLY, "2024-01-02"), "date", {"earliest": "2024-01-02"}),
        ("2024-01-03", (Fault.LATE, "2024-01-02"), "date", {"latest": "2024-01-02"}),
        (1, Fault.KIND, "boolean", {}),
        ("yes", Fault.BOOLEAN, "boolean", {}),
        (["red"], Fault.KIND, "select", {"options": COLOURS}),
        ("Red", Fault.OPTION, "select", {"options": COLOURS}),
        ("red", Fault.KIND, "multiselect", {"options": COLOURS}),
        ([1], Fault.KIND, "multiselect", {"options": COLOURS}),
        (["red", "pink"], Fault.OPTION, "multiselect", {"options": COLOURS}),
        (["red"], (Fault.FEW, "2"), "multiselect", {"options": COLOURS, "fewest": 2}),
        (["red", "blue"], (Fault.MANY, "1"), "multiselect", {"options": COLOURS, "most": 1}),
    ],
)
def test_an_answer_that_does_not_fit_is_named_with_its_limit(
    given: Any, found: Any, kind: str, limits: dict[str, Any]
) -> None:
    fault, limit = found if isinstance(found, tuple) else (found, "")
    assert problem(given, kind, **limits) == Problem(fault=fault, limit=limit)


@pytest.mark.requirement("R-S4")
def test_every_wrong_answer_of_a_form_is_named_at_once() -> None:
    form = a_form(field("number"), field("text", name="who", required=True))
    with pytest.raises(AnswersRefused) as refused:
        forms.accept(form, {"it": "x", "more": "", "__proto__": 1})
    assert {name: one.fault for name, one in refused.value.problems.items()} == {
        "it": Fault.NUMBER,
        "who": Fault.MISSING,
        "more": Fault.UNKNOWN,
        "__proto__": Fault.UNKNOWN,
    }


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize("answers", [[], "it", 1, True])
def test_answers_that_are_no_object_are_refused(answers: Any) -> None:
    with pytest.raises(InvalidParams):
        forms.accept(a_form(field("text")), answers)


@pytest.mark.requirement("R-S4", "R-M9")
def test_all_answers_together_have_a_limit() -> None:
    form = a_form(*(field("textarea", name=f"f{i}") for i in range(4)))
    limit = forms.ANSWERS_LIMIT_BYTES
    just = {f"f{i}": "好" * 5461 for i in range(4)} | {"f3": "好" * 5461 + "abcd"}
    assert sum(len(text.encode()) for text in just.values()) == limit
    assert forms.accept(form, just) == just
    with pytest.raises(ContentTooLarge) as refused:
        forms.accept(form, just | {"f3": "好" * 5461 + "abcde"})
    assert (refused.value.size_bytes, refused.value.limit_bytes) == (limit + 1, limit)


@pytest.mark.requirement("R-S4")
@pytest.mark.parametrize(
    "wrong",
    [
        field("select"),
        field("multiselect"),
        field("text", options=COLOURS),
        field("select", options=[*COLOURS, {"value": "red"}]),
        field("text", minimum=0),
        field("text", whole=True),
        field("number", maxLength=5),
        field("number", minimum=2, maximum=1),
        field("number", minimum=float("inf")),
        field("number", minimum=1e100, required=True),
        field("number", minimum=1.2, maximum=1.8, whole=True),
        field("date", earliest="2024-02-30"),
        field("date", latest="tomorrow"),
        field("date", earliest="2024-01-02", latest="2024-01-01"),
        field("select", options=COLOURS, most=1),
        field("multiselect", options=COLOURS, fewest=3, most=2),
        field("multiselect", options=COLOURS, fewest=4),
        field("multiselect", options=COLOURS, default="red"),
        field("number", default="many"),
        field("number", default="3", maximum=2),
        field("date", default="today"),
        field("boolean", default="yes"),
        field("text", default="two\nlines"),
        field("text", default="long", maxLength=3),
        field("select", options=COLOURS, default="pink"),
        field("select", options=[{"value": "a", "chosen": True}, {"value": "b", "chosen": True}]),
        field("select", options=[{"value": "a", "chosen": True}], default="a"),
        field("multiselect", options=[{"value": "a", "chosen": True}, {"value": "b"}], fewest=2),
    ],
)
def test_a_form_that_could_not_be_filled_in_is_refused_by_the_name_of_its_field(
    wrong: dict[str, Any],
) -> None:
    with pytest.raises(InvalidParams, match="`it`"):
        a_form(field("text", name="before"), wrong)


@pytest.mark.requirement("R-S4")
def test_a_name_that_two_fields_have_is_refused() -> None:
    with pytest.raises(InvalidParams, match="`it`"):
        a_form(field("text"), field("number"))


@pytest.mark.requirement("R-U4")
def test_a_form_holds_beforehand_what_its_agent_chose() -> None:
    options = [{"value": "a"}, {"value": "b", "chosen": True}, {"value": "c", "chosen": True}]
    form = a_form(
        field("boolean", name="on", default="true", required=True),
        field("select", name="one", options=options[:2]),
        field("select", name="other", options=options[:1], default="a"),
        field("multiselect", name="some", options=options, whole=False, default=""),
        field("text", name="none", default="", required=True),
    )
    assert [one.beforehand for one in form.fields] == ["true", "b", "a", ["b", "c"], None]
    assert [one.max_length for one in form.fields] == [None, None, None, None, 200]


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize(
    ("kind", "given", "shown"),
    [
        ("number", "+5", "5"),
        ("number", " 5. ", "5"),
        ("number", "1e3", "1000"),
        ("text", " ", None),
    ],
)
def test_a_default_stands_there_as_an_answer_would(
    kind: str, given: str, shown: str | None
) -> None:
    assert a_form(field(kind, default=given)).fields[0].beforehand == shown


@pytest.mark.requirement("R-U4")
@pytest.mark.parametrize("given", ["1e99", "9" * 40])
def test_a_whole_number_may_have_more_digits_than_one_calculates_with(given: str) -> None:
    assert accepted(given, "number", whole=True) == format(Decimal(given), "f")
    assert problem("9" * 40 + ".5", "number", whole=True) == Problem(fault=Fault.WHOLE)
