"""What `breaking` calls safe is safe: old calls are taken, and new answers are understood."""

import tempfile
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from codegen.compatibility.comparison import findings
from codegen.compatibility.rules import Level
from codegen.compatibility.shapes import lost
from codegen.compatibility.snapshot import Definition, shape, snapshot
from codegen.compilation import load
from codegen.model import Contract as Model
from codegen.model import Tool
from codegen.problems import ContractError
from codegen.schemas import Expander, accepted, plain, produced, published_output
from tests.codegen.compatibility.random_changes import changed_contract, changed_schema
from tests.codegen.projects import ROOT
from tests.codegen.random_contracts import Contract, contracts, written
from tests.codegen.random_schemas import object_schemas, values_of

pytestmark = pytest.mark.long

MANY = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)


def full(short: Any) -> dict[str, Any]:
    """Return a schema in full, closed."""
    return plain(Expander({}, {}).expand(short, ()))


def opened(schema: Any) -> Any:
    """Return a schema that takes properties which it does not name, at any depth."""
    if isinstance(schema, dict):
        return {k: opened(v) for k, v in schema.items() if k != "additionalProperties"}
    return schema


def fits(schema: Any, value: Any) -> bool:
    """Tell whether a value fits a schema."""
    return jsonschema_rs.validator_for(dict(schema), validate_formats=True).is_valid(value)


@MANY
@pytest.mark.requirement("R-C7")
@given(data=st.data())
def test_a_call_that_loses_nothing_is_still_taken(data: st.DataObject) -> None:
    old = data.draw(object_schemas())
    new = data.draw(changed_schema(old))
    call = data.draw(values_of(full(old)))
    assume(not list(lost(shape(full(old)), shape(full(new)), closed=True)))

    assert fits(full(new), call)


@MANY
@pytest.mark.requirement("R-C7")
@given(data=st.data())
def test_an_answer_that_gains_nothing_unknown_fits_the_list_of_an_old_client(
    data: st.DataObject,
) -> None:
    old = data.draw(object_schemas())
    new = data.draw(changed_schema(old))
    answer = data.draw(values_of(full(new)))
    assume(not list(lost(shape(full(new)), shape(full(old)), closed=False)))

    assert fits(opened(full(old)), answer)


def compiled(contract: Contract) -> Model:
    """Return a drawn contract as the compiler reads it; drop the example when it refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        schema = (ROOT / "contract" / "tools.schema.json").read_bytes()
        Path(folder, "tools.schema.json").write_bytes(schema)
        Path(folder, "tools.yaml").write_text(written(contract), encoding="utf-8")
        try:
            return load(Path(folder))
        except ContractError:
            assume(False)
            raise


def carried_out(call: dict[str, Any], by: Definition) -> dict[str, Any]:
    """Return the arguments of a call by a name as the dispatcher hands them to the tool."""
    sent = {name: value for name, value in call.items() if name not in by.renamed}
    old = {by.renamed[name]: value for name, value in call.items() if name in by.renamed}
    return {**by.legacy, **old, **sent, **by.fixed}


def named(contract: Model) -> dict[str, Tool]:
    """Return the tool that each name leads to."""
    tools = {tool.name: tool for tool in contract.tools}
    return {**tools, **{alias.name: tools[alias.tool] for alias in contract.aliases}}


@settings(MANY, max_examples=50)
@pytest.mark.requirement("R-C7")
@given(data=st.data())
def test_a_change_of_a_contract_that_breaks_nothing_breaks_no_call_and_no_answer(
    data: st.DataObject,
) -> None:
    before = data.draw(contracts(tools=2))
    old, new = compiled(before), compiled(data.draw(changed_contract(before)))
    held, now = snapshot(old), snapshot(new)
    passes = (Level.SAFE, Level.BEHAVIOUR)
    assume(all(finding.level in passes for finding in findings(held, now)))

    assert held.definitions.keys() <= now.definitions.keys()
    for name, tool in named(old).items():
        present = named(new)[name]
        call = data.draw(values_of(accepted(tool)))
        assume(fits(plain(tool.input), carried_out(call, held.definitions[name])))
        assert fits(accepted(present), {**call, **now.definitions[name].fixed})
        assert fits(plain(present.input), carried_out(call, now.definitions[name]))
        answer = data.draw(values_of(produced(present)))
        assert fits(published_output(tool), answer)
