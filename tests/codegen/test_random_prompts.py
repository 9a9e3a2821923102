"""Whatever prompt is drawn and whatever it is given: each value stands there once, unread."""

import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.compilation import load
from codegen.model import Contract as Loaded
from codegen.model import Parameter, Prompt
from tests.codegen.random_contracts import Contract, contracts
from tests.codegen.random_schemas import AWKWARD
from tests.codegen.test_random_contracts import PACKAGE, a_project, imported

HOSTILE = ("```\n# Not foreign\n```", "````", "<<x>>", "{0}{}{x}", "{{ texts.a }}", "%s", "\\g<0>")
VALUES = st.sampled_from([*HOSTILE, *AWKWARD]) | st.text(max_size=30)
COUNTS = st.integers(0, 2)
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def value_of(
    draw: st.DataObject, parameter: Parameter, contract: Loaded, package: Mapping[str, ModuleType]
) -> Any:
    """Draw what a prompt is given for a parameter."""
    match parameter.kind:
        case "integer":
            return draw.draw(st.integers())
        case "enum":
            return draw.draw(st.sampled_from(list(getattr(package["enums"], str(parameter.of)))))
        case "items":
            [item] = [prompt for prompt in contract.prompts if prompt.name == parameter.of]
            return [filled(draw, item, contract, package)[1] for _ in range(draw.draw(COUNTS))]
        case _:
            return draw.draw(VALUES)


def filled(
    draw: st.DataObject, prompt: Prompt, contract: Loaded, package: Mapping[str, ModuleType]
) -> tuple[dict[str, Any], str]:
    """Return what a prompt was given and the text that it made of it."""
    given = {p.name: value_of(draw, p, contract, package) for p in prompt.parameters}
    language = draw.draw(st.sampled_from(list(package["enums"].Lang)))
    return given, getattr(package["prompts"], prompt.name)(language, **given)


def is_fenced(text: str, value: str) -> bool:
    """Tell whether a value stands in a fence that is longer than any inside it."""
    longest = max((len(run) for run in re.findall("`+", value)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{value}\n{fence}" in text


@pytest.mark.requirement("R-T5")
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(contract=contracts(tools=1), data=st.data())
def test_every_value_stands_in_the_text_as_it_was_given(
    contract: Contract, data: st.DataObject
) -> None:
    with a_project(contract) as project:
        project.run("--package", PACKAGE)
        loaded = load(project.contract.parent)
        with imported(project) as package:
            for prompt in loaded.prompts:
                given, text = filled(data, prompt, loaded, package)
                for parameter in prompt.parameters:
                    value = given[parameter.name]
                    if parameter.kind == "fenced" and (value.strip() or not parameter.when_empty):
                        assert is_fenced(text, value)
                    elif parameter.kind in ("text", "id"):
                        assert CONTROL.sub(" ", value).strip() in text
                    elif parameter.kind == "items":
                        assert all(item in text for item in value)
