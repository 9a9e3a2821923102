"""The OpenAPI document describes every endpoint, with each refusal that it may answer."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ccweb_contract.errors import HTTP_STATUS, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.contract.surfaces import snapshot

DOCUMENT = snapshot("openapi.json")


def references(value: Any) -> Iterator[str]:
    """Yield every `$ref` of a document."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for child in value:
            yield from references(child)


def resolved(reference: str) -> Any:
    """Return what a reference leads to."""
    value: Any = DOCUMENT
    for key in reference.removeprefix("#/").split("/"):
        value = value[key]
    return value


def test_it_is_version_3_1_and_every_reference_leads_somewhere() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    found = set(references(DOCUMENT))
    assert found
    for reference in found:
        Draft202012Validator.check_schema(resolved(reference))


def test_every_endpoint_needs_a_bearer_credential() -> None:
    [requirement] = DOCUMENT["security"]
    [name] = requirement
    assert DOCUMENT["components"]["securitySchemes"][name] == {"type": "http", "scheme": "bearer"}
    assert all("security" not in path["post"] for path in DOCUMENT["paths"].values())


@pytest.mark.requirement("R-C3")
@pytest.mark.parametrize("name", list(ToolName))
def test_an_endpoint_takes_the_published_arguments_and_gives_the_output(name: ToolName) -> None:
    path = DOCUMENT["paths"][f"/api/mcp/tools/{name}/"]
    post, tool = path["post"], TOOLS[name]

    assert list(path) == ["post"]
    assert post["operationId"] == name
    assert post["description"] == tool.description
    body = post["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    answer = post["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
    assert resolved(body) == tool.input_schema
    assert resolved(answer) == tool.output_schema


@pytest.mark.requirement("R-D5")
@pytest.mark.parametrize("name", list(ToolName))
def test_an_endpoint_names_each_refusal_under_its_status(name: ToolName) -> None:
    responses = DOCUMENT["paths"][f"/api/mcp/tools/{name}/"]["post"]["responses"]
    found = {
        code: int(status)
        for status, response in responses.items()
        if status != "200"
        for code in response["content"]["application/json"]["schema"]["properties"]["error_code"][
            "enum"
        ]
    }
    assert found == {code: HTTP_STATUS[code] for code in TOOLS[name].errors}


def test_a_refusal_has_code_detail_and_remedy() -> None:
    refusal = DOCUMENT["components"]["schemas"]["Refusal"]
    assert list(refusal["properties"]) == ["error_code", "detail", "remedy"]
    assert refusal["properties"]["error_code"]["enum"] == list(ErrorCode)
